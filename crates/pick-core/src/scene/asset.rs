//! What a backend and the resolver both need to know of a mesh or an instance set.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use glam::Vec3;

use crate::backend::{Backend, CreatedMesh};
use crate::cull::{BoxTree, Clusters, Spread};
use crate::error::PickError;
use crate::layout::flags;
use crate::mesh::{
    Aabb, FaceGroups, IndexFormat, InstanceSource, MeshCluster, MeshData, MeshSource, SubMesh,
    VertexStream, box_around,
};
use crate::registry::{InstancesId, MeshId};

/// A mesh that a backend holds, with what the CPU side keeps of it.
#[derive(Debug)]
pub struct MeshAsset {
    created: CreatedMesh,
    submeshes: Vec<SubMesh>,
    streams: Streams,
    bounds: Option<Aabb>,
    faces: Option<FaceGroups>,
    packed_face_count: u32,
    cpu: Option<Arc<MeshData>>,
    /// One for each part.
    culled: Vec<PartBounds>,
    /// The boxes of the parts, where they are many.
    parts: Option<BoxTree>,
}

/// Meshes of fewer parts have each part looked at.
const LEAST_PARTS: usize = 64;

/// What culling knows of a part.
#[derive(Debug, Default)]
pub(crate) struct PartBounds {
    /// In local space; `None` where nothing is known.
    pub(crate) bounds: Option<Aabb>,
    /// Of large parts.
    pub(crate) clusters: Option<Clusters>,
    /// How the backend was told of them; `None` where kernels cannot find them.
    pub(crate) told: Option<ToldClusters>,
}

/// A part's clusters among those that a backend was told of a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToldClusters {
    /// The first vector of their boxes.
    pub(crate) first_vector: u32,
    /// How many.
    pub(crate) count: u32,
    /// The most elements that one has.
    pub(crate) longest: u32,
}

/// Tells the backend of the clusters where kernels can find those that a pick sees and shaders can draw them
/// alone, as they can of pulled vertices.
fn tell_clusters<B: Backend>(
    backend: &mut B,
    created: CreatedMesh,
    parts: &mut [PartBounds],
) -> Result<(), PickError> {
    let caps = backend.caps();
    if !(caps.instance_culling && created.pulled) {
        return Ok(());
    }
    let room = caps.max_storage_binding_bytes / size_of::<[f32; 4]>() as u64;
    let mut vectors = Vec::new();
    for part in parts {
        let Some(clusters) = &part.clusters else {
            continue;
        };
        let first_vector = vectors.len() as u32;
        clusters.tell(&mut vectors);
        if vectors.len() as u64 > room {
            // Copies of what finds no room are drawn whole.
            vectors.truncate(first_vector as usize);
            break;
        }
        part.told = Some(ToldClusters {
            first_vector,
            count: clusters.count(),
            longest: clusters.longest(),
        });
    }
    match vectors.is_empty() {
        true => Ok(()),
        false => backend.bound_clusters(created.id, &vectors),
    }
}

/// Word offsets and strides of a mesh's streams, as shaders pull them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Streams {
    pub(crate) positions: [u32; 2],
    pub(crate) normals: [u32; 2],
    pub(crate) uvs: [u32; 2],
    pub(crate) indices: u32,
    /// The index-format, normal and uv bits of [`flags`].
    pub(crate) flags: u32,
}

impl MeshAsset {
    /// Gives a mesh to a backend.
    ///
    /// # Errors
    /// [`crate::InputError::BadMesh`] and whatever the backend refuses.
    pub fn create<B: Backend>(backend: &mut B, source: MeshSource) -> Result<Self, PickError> {
        if let MeshSource::Host(host) = &source {
            host.check()?;
        }
        let created = backend.create_mesh(&source)?;
        let described = match &source {
            MeshSource::Cpu(data) | MeshSource::Upload(data) => Some(data),
            MeshSource::Host(host) => host.cpu.as_ref(),
        };
        let bounds = match &source {
            MeshSource::Host(host) => host.local_bounds,
            _ => None,
        };
        let clusters: &[MeshCluster] = match &source {
            MeshSource::Host(host) => &host.clusters,
            _ => &[],
        };
        let culled = source.submeshes().iter().map(|part| match described {
            Some(data) => PartBounds {
                bounds: data.part_bounds(part),
                clusters: Clusters::of_host(clusters, part).or_else(|| Clusters::of(data, part)),
                told: None,
            },
            None => PartBounds {
                bounds: box_around(clusters, part).or(bounds),
                clusters: Clusters::of_host(clusters, part),
                told: None,
            },
        });
        let mut culled: Vec<PartBounds> = culled.collect();
        if let Err(error) = tell_clusters(backend, created, &mut culled) {
            // What went wrong with the clusters is told, not what may go wrong with letting go.
            let _ = backend.destroy_mesh(created.id);
            return Err(error);
        }
        let bounds = bounds.or_else(|| match described {
            Some(data) => data.bounds(),
            None => Aabb::around_all(culled.iter().map(|part| part.bounds)),
        });
        let has_boxes = described.is_some() || (!clusters.is_empty() && bounds.is_some());
        let parts = (has_boxes && culled.len() >= LEAST_PARTS)
            .then(|| BoxTree::of(culled.iter().map(|part| part.bounds)));
        let streams = Streams::of(&source);
        let mut submeshes = source.submeshes().to_vec();
        for part in &mut submeshes {
            part.has_normals &= streams.flags & flags::NORMALS != 0;
            part.has_uvs &= streams.flags & flags::UVS != 0;
        }
        Ok(Self {
            created,
            submeshes,
            streams,
            bounds,
            faces: match &source {
                MeshSource::Host(host) if host.faces.is_some() => host.faces.clone(),
                _ => described.and_then(|data| data.faces().cloned()),
            },
            packed_face_count: packed_faces(&source, created),
            cpu: source.cpu_data().cloned(),
            culled,
            parts,
        })
    }

    /// The backend's name for it.
    pub fn id(&self) -> MeshId {
        self.created.id
    }

    /// What the backend can do with it.
    pub fn created(&self) -> CreatedMesh {
        self.created
    }

    /// The parts.
    pub fn submeshes(&self) -> &[SubMesh] {
        &self.submeshes
    }

    /// The box around all vertices, if known.
    pub fn bounds(&self) -> Option<Aabb> {
        self.bounds
    }

    /// The geometry, where the CPU kept it.
    pub fn cpu(&self) -> Option<&Arc<MeshData>> {
        self.cpu.as_ref()
    }

    /// The face of a triangle of the whole mesh.
    pub fn face_of_triangle(&self, triangle: u32) -> Option<u32> {
        let faces = self.faces.as_ref()?;
        faces.face_of_triangle.get(triangle as usize).copied()
    }

    /// Bytes that culling holds for it on the CPU.
    pub fn cluster_bytes(&self) -> usize {
        let clusters = self.culled.iter().filter_map(|part| part.clusters.as_ref());
        let parts = self.parts.as_ref().map_or(0, BoxTree::bytes);
        clusters.map(Clusters::bytes).sum::<usize>() + parts
    }

    /// The boxes of the parts at rest, where they are many.
    pub(crate) fn parts(&self) -> Option<&BoxTree> {
        self.parts.as_ref()
    }

    /// What culling knows of a part.
    pub(crate) fn culled(&self, part: u32) -> Option<&PartBounds> {
        self.culled.get(part as usize)
    }

    /// How many faces an id can name beside the object; 0 when it cannot.
    pub(crate) fn packed_face_count(&self) -> u32 {
        self.packed_face_count
    }

    pub(crate) fn streams(&self) -> &Streams {
        &self.streams
    }
}

/// Faces go into ids where no vertex has two and the vertex stage can look them up.
fn packed_faces(source: &MeshSource, created: CreatedMesh) -> u32 {
    match source {
        MeshSource::Cpu(data) | MeshSource::Upload(data)
            if created.pulled && data.face_of_vertex().is_some() =>
        {
            data.face_count()
        }
        _ => 0,
    }
}

impl Streams {
    fn of(source: &MeshSource) -> Self {
        match source {
            MeshSource::Cpu(data) | MeshSource::Upload(data) => Self::uploaded(data),
            MeshSource::Host(host) => {
                let words = |s: VertexStream| [(s.offset / 4) as u32, s.stride / 4];
                let mut flags = 0;
                let mut optional = |stream: Option<VertexStream>, bit| {
                    flags |= if stream.is_some() { bit } else { 0 };
                    stream.map(words).unwrap_or_default()
                };
                let normals = optional(host.normals, flags::NORMALS);
                let uvs = optional(host.uvs, flags::UVS);
                flags |= match host.indices.map(|i| i.format) {
                    None => 0,
                    Some(IndexFormat::U16) => flags::INDEX_U16,
                    Some(IndexFormat::U32) => flags::INDEX_U32,
                };
                Self {
                    positions: words(host.positions),
                    normals,
                    uvs,
                    indices: host.indices.map_or(0, |i| (i.offset / 4) as u32),
                    flags,
                }
            }
        }
    }

    /// Backends upload each stream tight into a buffer of its own.
    fn uploaded(data: &MeshData) -> Self {
        let bit = |present, bit| if present { bit } else { 0 };
        Self {
            positions: [0, 3],
            normals: [0, 3],
            uvs: [0, 2],
            indices: 0,
            flags: bit(data.normals().is_some(), flags::NORMALS)
                | bit(data.uvs().is_some(), flags::UVS)
                | bit(data.indices().is_some(), flags::INDEX_U32),
        }
    }
}

/// An instance set that a backend holds, with what the CPU side keeps of it.
#[derive(Debug)]
pub struct InstanceAsset {
    id: InstancesId,
    source: InstanceSource,
    translation_bounds: Option<Aabb>,
    spread: Option<Spread>,
    has_blocks: AtomicBool,
    pivot: OnceLock<Vec3>,
}

impl InstanceAsset {
    /// Gives an instance set to a backend.
    ///
    /// # Errors
    /// [`crate::InputError::BadMesh`] and whatever the backend refuses.
    pub fn create<B: Backend>(backend: &mut B, source: InstanceSource) -> Result<Self, PickError> {
        source.check()?;
        let source = source.drawable();
        let id = backend.create_instances(&source)?;
        Ok(Self::of(id, source, OnceLock::new()))
    }

    /// The same set with new contents.
    ///
    /// # Errors
    /// [`crate::InputError::BadMesh`] and whatever the backend refuses; the old contents stay then.
    pub fn updated<B: Backend>(
        &self,
        backend: &mut B,
        source: InstanceSource,
    ) -> Result<Self, PickError> {
        source.check()?;
        let source = source.drawable();
        backend.update_instances(self.id, &source)?;
        Ok(Self::of(self.id, source, self.pivot.clone()))
    }

    fn of(id: InstancesId, source: InstanceSource, pivot: OnceLock<Vec3>) -> Self {
        Self {
            id,
            translation_bounds: source.translation_bounds(),
            spread: match &source {
                InstanceSource::Cpu(rows) => Spread::of(rows),
                InstanceSource::Host(host) => Spread::of_host(host),
            },
            source,
            has_blocks: AtomicBool::new(false),
            pivot,
        }
    }

    /// The backend's name for it.
    pub fn id(&self) -> InstancesId {
        self.id
    }

    /// Its transforms.
    pub fn source(&self) -> &InstanceSource {
        &self.source
    }

    /// The box around all translations, if known.
    pub fn translation_bounds(&self) -> Option<Aabb> {
        self.translation_bounds
    }

    /// The box around all copies of a local box, and the largest coordinate that goes into it, if known.
    pub(crate) fn bounds_of(&self, local: &Aabb) -> Option<(Aabb, f32)> {
        self.spread.as_ref().map(|spread| spread.around(local))
    }

    /// The local point that the bounds of its blocks are around: the middle of what was drawn with the set
    /// first. It never changes: a recording that a host holds may build bounds at any time.
    pub(crate) fn pivot(&self, local: &Aabb) -> Vec3 {
        *self.pivot.get_or_init(|| (local.min + local.max) * 0.5)
    }

    /// The device has the bounds of its blocks.
    pub(crate) fn has_blocks(&self) -> bool {
        self.has_blocks.load(Ordering::Relaxed)
    }

    /// A plan that builds them was submitted.
    pub(crate) fn built_blocks(&self) {
        self.has_blocks.store(true, Ordering::Relaxed);
    }
}
