//! De-indexed copies of meshes, for devices that tell a fragment its triangle in no other way.
//!
//! A copy takes three vertices a triangle, so it is made when a pick first draws it (or in `prepare`),
//! out of the geometry that the caller keeps on the CPU. What has no index list needs no copy.

use std::sync::Arc;

use pick_core::{MeshData, PickError};

use crate::device::Gpu;
use crate::mesh::{Vertices, upload_vertices};

/// How a mesh can be had without its index list.
pub(crate) enum Expansion {
    /// It cannot.
    Missing,
    /// It has no index list.
    Same,
    /// From this, when first asked for.
    Later(Arc<MeshData>),
    /// Made.
    Made(Vertices),
}

impl Expansion {
    /// What can be had for a mesh.
    pub(crate) fn possible(has_indices: bool, data: Option<&Arc<MeshData>>) -> Self {
        match (has_indices, data) {
            (false, _) => Self::Same,
            (true, Some(data)) => Self::Later(data.clone()),
            (true, None) => Self::Missing,
        }
    }

    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// Makes the copy.
    ///
    /// # Errors
    /// `Unsupported` when it is too large, `Broken`, `DeviceLost`.
    pub(crate) fn build(gpu: &Gpu, data: &MeshData) -> Result<Self, PickError> {
        let indices = data.drawable_indices().unwrap_or_default();
        let positions = gather(indices, data.drawable_positions());
        let normals = data.normals().map(|normals| gather(indices, normals));
        let uvs = data.uvs().map(|uvs| gather(indices, uvs));
        upload_vertices(gpu, &positions, normals.as_deref(), uvs.as_deref(), false).map(Self::Made)
    }

    /// Makes the copy where it is still to be made.
    ///
    /// # Errors
    /// As [`Expansion::build`].
    pub(crate) fn ensure(&mut self, gpu: &Gpu) -> Result<(), PickError> {
        if let Self::Later(data) = self {
            let data = data.clone();
            *self = Self::build(gpu, &data)?;
        }
        Ok(())
    }

    /// What it takes on the device.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Made(vertices) => vertices.bytes(),
            Self::Missing | Self::Same | Self::Later(_) => 0,
        }
    }
}

fn gather<T: Copy>(indices: &[u32], of_vertex: &[T]) -> Vec<T> {
    // Every index was checked when the mesh was built.
    indices.iter().map(|&i| of_vertex[i as usize]).collect()
}
