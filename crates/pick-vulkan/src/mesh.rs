//! Meshes: uploaded, or in the host's buffers.

use std::sync::Arc;

use ash::vk::BufferUsageFlags;
use pick_core::{
    BufferId, HostMesh, IndexFormat, IndexStream, MeshData, MeshSource, PickError, Registry,
    VertexStream,
};

use crate::buffers::{check_host, upload};
use crate::device::Gpu;
use crate::expand::Expansion;
use crate::vk::Buffer;

/// A vertex attribute in a buffer.
#[derive(Clone)]
pub(crate) struct Stream {
    pub(crate) buffer: Arc<Buffer>,
    pub(crate) offset: u64,
    pub(crate) stride: u32,
}

/// The attributes of a mesh's vertices.
#[derive(Clone)]
pub(crate) struct Vertices {
    pub(crate) positions: Stream,
    pub(crate) normals: Option<Stream>,
    pub(crate) uvs: Option<Stream>,
}

impl Vertices {
    /// Position, normal, texture coordinate: where they stand in a vertex shader's inputs.
    pub(crate) fn slots(&self) -> [Option<&Stream>; 3] {
        [
            Some(&self.positions),
            self.normals.as_ref(),
            self.uvs.as_ref(),
        ]
    }

    fn buffers(&self) -> impl Iterator<Item = &Arc<Buffer>> {
        self.slots().into_iter().flatten().map(|s| &s.buffer)
    }

    /// What these attributes take on the device.
    pub(crate) fn bytes(&self) -> u64 {
        self.buffers().map(|b| b.size()).sum()
    }
}

/// An index list in a buffer.
#[derive(Clone)]
pub(crate) struct Indices {
    pub(crate) buffer: Arc<Buffer>,
    pub(crate) offset: u64,
    pub(crate) format: IndexFormat,
}

/// A mesh that the backend holds.
pub(crate) struct Mesh {
    pub(crate) vertices: Vertices,
    pub(crate) indices: Option<Indices>,
    /// Indices, or vertices without an index list.
    pub(crate) element_count: u32,
    /// One face number a vertex, of meshes whose faces share none.
    pub(crate) faces: Option<Arc<Buffer>>,
    /// The vertex stage can read all of it from storage buffers.
    pub(crate) pulled: bool,
    pub(crate) expansion: Expansion,
    /// The buffers are ours, and count as memory held.
    owned: bool,
}

impl Mesh {
    /// # Errors
    /// Input errors for host buffers; `Unsupported` for what is too large; `Broken`, `DeviceLost`.
    pub(crate) fn create(
        gpu: &Gpu,
        buffers: &Registry<BufferId, Arc<Buffer>>,
        source: &MeshSource,
        builtin_missing: bool,
    ) -> Result<Self, PickError> {
        match source {
            MeshSource::Cpu(data) => {
                let mut mesh = Self::uploaded(gpu, data)?;
                mesh.expansion = Expansion::possible(mesh.indices.is_some(), Some(data));
                Ok(mesh)
            }
            MeshSource::Upload(data) => {
                let mut mesh = Self::uploaded(gpu, data)?;
                mesh.expansion = Expansion::possible(mesh.indices.is_some(), None);
                // What is forgotten cannot be expanded later, so it is now where nothing else tells
                // a fragment its triangle.
                if mesh.expansion.is_missing() && builtin_missing && !mesh.pulled {
                    mesh.expansion = Expansion::build(gpu, data)?;
                }
                Ok(mesh)
            }
            MeshSource::Host(host) => Self::host(gpu, buffers, host),
        }
    }

    /// Each stream tight in a buffer of its own.
    fn uploaded(gpu: &Gpu, data: &MeshData) -> Result<Self, PickError> {
        gpu.check_vertex_count(data.positions().len() as u32)?;
        let vertices = upload_vertices(
            gpu,
            data.drawable_positions(),
            data.normals(),
            data.uvs(),
            true,
        )?;
        let index_usage = BufferUsageFlags::INDEX_BUFFER | BufferUsageFlags::STORAGE_BUFFER;
        let indices = match data.drawable_indices() {
            None => None,
            Some(list) => Some(Indices {
                buffer: upload(gpu, "pick indices", bytemuck::cast_slice(list), index_usage)?,
                offset: 0,
                format: IndexFormat::U32,
            }),
        };
        let faces = data.face_of_vertex().map(|faces| {
            let contents = bytemuck::cast_slice(faces);
            upload(
                gpu,
                "pick vertex faces",
                contents,
                BufferUsageFlags::STORAGE_BUFFER,
            )
        });
        let mut mesh = Self {
            vertices,
            indices,
            element_count: data.element_count(),
            faces: faces.transpose()?,
            pulled: gpu.pulls,
            expansion: Expansion::Missing,
            owned: true,
        };
        mesh.pulled &= mesh.is_bindable(gpu);
        Ok(mesh)
    }

    fn host(
        gpu: &Gpu,
        buffers: &Registry<BufferId, Arc<Buffer>>,
        host: &HostMesh,
    ) -> Result<Self, PickError> {
        host.check()?;
        gpu.check_vertex_count(host.vertex_count)?;
        let stream = |what, stream: VertexStream, bytes| {
            let buffer = buffers.get(stream.buffer)?.clone();
            let end = stream.end(host.vertex_count, bytes);
            check_host(&buffer, what, BufferUsageFlags::VERTEX_BUFFER, end)?;
            Ok::<_, PickError>(Stream {
                buffer,
                offset: stream.offset,
                stride: stream.stride,
            })
        };
        let normals = host.normals.map(|s| stream("normals", s, 12));
        let uvs = host.uvs.map(|s| stream("uvs", s, 8));
        let vertices = Vertices {
            positions: stream("positions", host.positions, 12)?,
            normals: normals.transpose()?,
            uvs: uvs.transpose()?,
        };
        let indices = host.indices.map(|indices| host_indices(buffers, indices));
        let indices = indices.transpose()?;
        let mut mesh = Self {
            expansion: Expansion::possible(indices.is_some(), host.cpu.as_ref()),
            vertices,
            indices,
            element_count: host.element_count(),
            faces: None,
            pulled: gpu.pulls,
            owned: false,
        };
        mesh.pulled &= mesh.is_bindable(gpu);
        Ok(mesh)
    }

    /// True when every buffer can be bound whole as storage.
    fn is_bindable(&self, gpu: &Gpu) -> bool {
        let indices = self.indices.iter().map(|indices| &indices.buffer);
        self.vertices.buffers().chain(indices).all(|buffer| {
            let usage = buffer.usage().contains(BufferUsageFlags::STORAGE_BUFFER);
            usage && buffer.size() >= 4 && gpu.fits_storage(buffer.size())
        })
    }

    /// What the mesh takes on the device; the host's own buffers do not count.
    pub(crate) fn bytes(&self) -> u64 {
        let indices = self.indices.iter().map(|indices| &indices.buffer);
        let own = indices.chain(&self.faces).map(|b| b.size());
        let own = own.sum::<u64>() + self.vertices.bytes();
        (if self.owned { own } else { 0 }) + self.expansion.bytes()
    }
}

/// Uploads attributes tight, each into a buffer of its own.
///
/// # Errors
/// As [`upload`].
pub(crate) fn upload_vertices(
    gpu: &Gpu,
    positions: &[[f32; 3]],
    normals: Option<&[[f32; 3]]>,
    uvs: Option<&[[f32; 2]]>,
    as_storage: bool,
) -> Result<Vertices, PickError> {
    let usage = match as_storage {
        true => BufferUsageFlags::VERTEX_BUFFER | BufferUsageFlags::STORAGE_BUFFER,
        false => BufferUsageFlags::VERTEX_BUFFER,
    };
    let stream = |label, contents: &[u8], stride| {
        Ok::<_, PickError>(Stream {
            buffer: upload(gpu, label, contents, usage)?,
            offset: 0,
            stride,
        })
    };
    let normals = normals.map(|n| stream("pick normals", bytemuck::cast_slice(n), 12));
    let uvs = uvs.map(|uv| stream("pick uvs", bytemuck::cast_slice(uv), 8));
    Ok(Vertices {
        positions: stream("pick positions", bytemuck::cast_slice(positions), 12)?,
        normals: normals.transpose()?,
        uvs: uvs.transpose()?,
    })
}

fn host_indices(
    buffers: &Registry<BufferId, Arc<Buffer>>,
    indices: IndexStream,
) -> Result<Indices, PickError> {
    let buffer = buffers.get(indices.buffer)?.clone();
    let end = indices.offset + u64::from(indices.count) * indices.format.bytes();
    check_host(&buffer, "indices", BufferUsageFlags::INDEX_BUFFER, end)?;
    Ok(Indices {
        buffer,
        offset: indices.offset,
        format: indices.format,
    })
}
