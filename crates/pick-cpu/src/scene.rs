//! What the backend holds: meshes, instance sets, and the trees over a mesh's instances.

use std::collections::HashMap;
use std::sync::Arc;

use pick_core::{InstanceSource, MeshData, MeshId, MeshSource};

use crate::blas::Blas;
use crate::ray::has_inverse;
use crate::tlas::Tlas;

/// A mesh and its tree.
pub(crate) struct CpuMesh {
    pub data: Arc<MeshData>,
    pub blas: Arc<Blas>,
}

impl CpuMesh {
    /// `None` for geometry that only a GPU can read.
    pub(crate) fn of(source: &MeshSource) -> Option<Self> {
        let data = match source {
            MeshSource::Cpu(data) | MeshSource::Upload(data) => data,
            MeshSource::Host(host) => host.cpu.as_ref()?,
        };
        Some(Self {
            data: data.clone(),
            blas: Arc::new(Blas::build(data.positions(), data.indices())),
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.blas.bytes()
    }
}

/// An instance set, with a tree for every mesh that it was drawn with.
pub(crate) struct CpuInstances {
    pub rows: Arc<[[[f32; 4]; 3]]>,
    /// Instances whose transform is finite and has no inverse, ascending.
    pub flat: Arc<[u32]>,
    trees: HashMap<MeshId, Arc<Tlas>>,
}

impl CpuInstances {
    /// `None` for transforms that only a GPU can read.
    pub(crate) fn of(source: &InstanceSource) -> Option<Self> {
        let rows = source.cpu_rows()?.clone();
        let finite = |rows: &[[f32; 4]; 3]| rows.iter().flatten().all(|v| v.is_finite());
        let flat = (0..).zip(rows.iter());
        let flat = flat.filter(|(_, rows)| finite(rows) && !has_inverse(rows));
        Some(Self {
            flat: flat.map(|(number, _)| number).collect(),
            rows,
            trees: HashMap::new(),
        })
    }

    /// The tree over these instances of a mesh, built the first time it is asked for.
    pub(crate) fn tree(&mut self, id: MeshId, mesh: &CpuMesh) -> Arc<Tlas> {
        let build = || Arc::new(Tlas::build(&mesh.blas.bounds(), self.rows.as_ref()));
        self.trees.entry(id).or_insert_with(build).clone()
    }

    pub(crate) fn forget(&mut self, mesh: MeshId) {
        self.trees.remove(&mesh);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.trees.values().map(|tree| tree.bytes()).sum()
    }
}
