//! De-indexed copies of meshes, for devices that tell a fragment its triangle in no other way.
//!
//! A copy takes three vertices a triangle, so it is made when a pick first draws it (or in `prepare`),
//! out of the geometry that the caller keeps on the CPU. What has no index list needs no copy.

use std::sync::Arc;

use crate::mesh::MeshData;

/// How a mesh can be had without its index list. `V` is a copy on the device.
#[derive(Debug)]
pub(super) enum Expansion<V> {
    /// It cannot.
    Missing,
    /// It has no index list.
    Same,
    /// From this, when first asked for.
    Later(Arc<MeshData>),
    /// Made.
    Made(V),
}

impl<V> Expansion<V> {
    /// What can be had for a mesh.
    pub(super) fn possible(has_indices: bool, data: Option<&Arc<MeshData>>) -> Self {
        match (has_indices, data) {
            (false, _) => Self::Same,
            (true, Some(data)) => Self::Later(data.clone()),
            (true, None) => Self::Missing,
        }
    }
}

/// A mesh's attributes, three vertices a triangle.
pub(super) struct Expanded {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Option<Vec<[f32; 3]>>,
    pub(super) uvs: Option<Vec<[f32; 2]>>,
}

impl Expanded {
    pub(super) fn of(data: &MeshData) -> Self {
        let indices = data.drawable_indices().unwrap_or_default();
        Self {
            positions: gather(indices, data.drawable_positions()),
            normals: data.normals().map(|normals| gather(indices, normals)),
            uvs: data.uvs().map(|uvs| gather(indices, uvs)),
        }
    }
}

fn gather<T: Copy>(indices: &[u32], of_vertex: &[T]) -> Vec<T> {
    // Every index was checked when the mesh was built.
    indices.iter().map(|&i| of_vertex[i as usize]).collect()
}
