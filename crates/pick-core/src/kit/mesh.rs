//! Meshes as a GPU backend holds them: uploaded, or in the host's buffers.

use crate::error::{Capability, InputError, PickError};
use crate::kit::expand::{Expanded, Expansion};
use crate::kit::memory::{BufferUse, DeviceMemory, check_host};
use crate::layout::flags;
use crate::mesh::{HostMesh, IndexFormat, IndexStream, MeshData, MeshSource, VertexStream};
use crate::plan::{Draw, Plan, VertexFetch};
use crate::registry::{BufferId, Registry};

/// A vertex attribute in a buffer.
pub struct Stream<D: DeviceMemory> {
    /// Where.
    pub buffer: D::Buffer,
    /// Byte offset of the first vertex's value.
    pub offset: u64,
    /// Bytes from one vertex to the next.
    pub stride: u32,
}

/// The attributes of a mesh's vertices.
pub struct Vertices<D: DeviceMemory> {
    /// Three f32 a vertex.
    pub positions: Stream<D>,
    /// Three f32 a vertex.
    pub normals: Option<Stream<D>>,
    /// Two f32 a vertex.
    pub uvs: Option<Stream<D>>,
}

impl<D: DeviceMemory> Vertices<D> {
    /// Position, normal, texture coordinate: where they stand in a vertex shader's inputs.
    pub fn slots(&self) -> [Option<&Stream<D>>; 3] {
        [
            Some(&self.positions),
            self.normals.as_ref(),
            self.uvs.as_ref(),
        ]
    }

    fn buffers(&self) -> impl Iterator<Item = &D::Buffer> {
        self.slots().into_iter().flatten().map(|s| &s.buffer)
    }

    fn bytes(&self) -> u64 {
        self.buffers().map(D::bytes).sum()
    }

    /// Uploads attributes tight, each into a buffer of its own.
    fn upload(
        device: &D,
        positions: &[[f32; 3]],
        normals: Option<&[[f32; 3]]>,
        uvs: Option<&[[f32; 2]]>,
        uses: &[BufferUse],
    ) -> Result<Self, PickError> {
        let stream = |label, contents: &[u8], stride| {
            Ok::<_, PickError>(Stream {
                buffer: device.upload(label, contents, uses)?,
                offset: 0,
                stride,
            })
        };
        let normals = normals.map(|n| stream("pick normals", bytemuck::cast_slice(n), 12));
        let uvs = uvs.map(|uv| stream("pick uvs", bytemuck::cast_slice(uv), 8));
        Ok(Self {
            positions: stream("pick positions", bytemuck::cast_slice(positions), 12)?,
            normals: normals.transpose()?,
            uvs: uvs.transpose()?,
        })
    }

    fn expanded(device: &D, data: &MeshData) -> Result<Self, PickError> {
        let copy = Expanded::of(data);
        let (normals, uvs) = (copy.normals.as_deref(), copy.uvs.as_deref());
        Self::upload(device, &copy.positions, normals, uvs, &[BufferUse::Vertex])
    }
}

/// An index list in a buffer.
pub struct Indices<D: DeviceMemory> {
    /// Where.
    pub buffer: D::Buffer,
    /// Byte offset of the first index.
    pub offset: u64,
    /// How wide.
    pub format: IndexFormat,
}

/// A mesh that a backend holds.
pub struct Mesh<D: DeviceMemory> {
    vertices: Vertices<D>,
    /// `None`: consecutive vertices make the triangles.
    pub indices: Option<Indices<D>>,
    /// One face number a vertex, of meshes whose faces share none.
    pub faces: Option<D::Buffer>,
    /// Indices, or vertices without an index list.
    element_count: u32,
    pulled: bool,
    expansion: Expansion<Vertices<D>>,
    /// The boxes of its clusters, where kernels are told of them.
    clusters: Option<D::Buffer>,
    /// The buffers are ours, and count as memory held.
    owned: bool,
}

/// What a draw's vertex stage is made for, and what makes pipelines differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DrawInputs {
    /// The shader is given normals in a vertex buffer.
    pub normals: bool,
    /// The shader is given texture coordinates in a vertex buffer.
    pub uvs: bool,
    /// Bytes from a vertex to the next: position, normal, texture coordinate; 0 where not used.
    pub strides: [u32; 3],
}

impl<D: DeviceMemory> Mesh<D> {
    /// Uploads a mesh, or looks at a host's. Geometry that is not kept on the CPU is expanded at once
    /// where, with the builtin missing, nothing else will tell a fragment its triangle.
    ///
    /// # Errors
    /// Input errors for host buffers; `Unsupported` for what is too large; `Broken`, `DeviceLost`.
    pub fn create(
        device: &D,
        buffers: &Registry<BufferId, D::Buffer>,
        source: &MeshSource,
        builtin_missing: bool,
    ) -> Result<Self, PickError> {
        match source {
            MeshSource::Cpu(data) => {
                let mut mesh = Self::uploaded(device, data)?;
                mesh.expansion = Expansion::possible(mesh.indices.is_some(), Some(data));
                Ok(mesh)
            }
            MeshSource::Upload(data) => {
                let mut mesh = Self::uploaded(device, data)?;
                mesh.expansion = Expansion::possible(mesh.indices.is_some(), None);
                if !mesh.can_expand() && builtin_missing && !mesh.pulled {
                    mesh.expansion = Expansion::Made(Vertices::expanded(device, data)?);
                }
                Ok(mesh)
            }
            MeshSource::Host(host) => Self::host(device, buffers, host),
        }
    }

    /// Each stream tight in a buffer of its own.
    fn uploaded(device: &D, data: &MeshData) -> Result<Self, PickError> {
        let limits = device.limits();
        limits.check_vertices(data.positions().len() as u32)?;
        let uses = [BufferUse::Vertex, BufferUse::Storage];
        let positions = data.drawable_positions();
        let vertices = Vertices::upload(device, positions, data.normals(), data.uvs(), &uses)?;
        let index_uses: &[_] = match limits.shared_index {
            true => &[BufferUse::Index, BufferUse::Storage],
            false => &[BufferUse::Index],
        };
        let indices = match data.drawable_indices() {
            None => None,
            Some(list) => Some(Indices {
                buffer: device.upload("pick indices", bytemuck::cast_slice(list), index_uses)?,
                offset: 0,
                format: IndexFormat::U32,
            }),
        };
        let faces = data.face_of_vertex().map(|faces| {
            let contents = bytemuck::cast_slice(faces);
            device.upload("pick vertex faces", contents, &[BufferUse::Storage])
        });
        Ok(Self {
            pulled: pulls(device, &vertices, indices.as_ref()),
            vertices,
            indices,
            element_count: data.element_count(),
            faces: faces.transpose()?,
            expansion: Expansion::Missing,
            clusters: None,
            owned: true,
        })
    }

    fn host(
        device: &D,
        buffers: &Registry<BufferId, D::Buffer>,
        host: &HostMesh,
    ) -> Result<Self, PickError> {
        host.check()?;
        device.limits().check_vertices(host.vertex_count)?;
        let stream = |what, stream: VertexStream, bytes| {
            let buffer = buffers.get(stream.buffer)?.clone();
            let end = stream.end(host.vertex_count, bytes);
            check_host::<D>(&buffer, what, BufferUse::Vertex, end)?;
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
        device.probe(&vertices, indices.as_ref())?;
        Ok(Self {
            pulled: pulls(device, &vertices, indices.as_ref()),
            expansion: Expansion::possible(indices.is_some(), host.cpu.as_ref()),
            vertices,
            indices,
            element_count: host.element_count(),
            faces: None,
            clusters: None,
            owned: false,
        })
    }

    /// Takes in the boxes of its clusters, two vectors each.
    ///
    /// # Errors
    /// As [`DeviceMemory::upload`].
    pub fn bound_clusters(&mut self, device: &D, boxes: &[[f32; 4]]) -> Result<(), PickError> {
        let contents = bytemuck::cast_slice(boxes);
        let buffer = device.upload("pick clusters", contents, &[BufferUse::Storage])?;
        self.clusters = Some(buffer);
        Ok(())
    }

    /// The boxes of its clusters.
    pub fn clusters(&self) -> Option<&D::Buffer> {
        self.clusters.as_ref()
    }

    /// The vertex stage can read all of it from storage buffers.
    pub fn can_pull(&self) -> bool {
        self.pulled
    }

    /// It can be had without an index list.
    pub fn can_expand(&self) -> bool {
        !matches!(self.expansion, Expansion::Missing)
    }

    /// What the mesh takes on the device; the host's own buffers do not count.
    pub fn bytes(&self) -> u64 {
        let indices = self.indices.iter().map(|indices| &indices.buffer);
        let own = indices.chain(&self.faces).map(D::bytes);
        let own = own.sum::<u64>() + self.vertices.bytes();
        let expanded = match &self.expansion {
            Expansion::Made(vertices) => vertices.bytes(),
            Expansion::Missing | Expansion::Same | Expansion::Later(_) => 0,
        };
        (if self.owned { own } else { 0 }) + expanded + self.clusters.as_ref().map_or(0, D::bytes)
    }

    /// The vertices that a draw reads; `None` for a de-indexed copy that is not made.
    pub fn vertices(&self, fetch: VertexFetch) -> Option<&Vertices<D>> {
        match (fetch, &self.expansion) {
            (VertexFetch::Indexed | VertexFetch::Pulled, _) => Some(&self.vertices),
            (VertexFetch::Expanded, Expansion::Same) => Some(&self.vertices),
            (VertexFetch::Expanded, Expansion::Made(vertices)) => Some(vertices),
            (VertexFetch::Expanded, Expansion::Missing | Expansion::Later(_)) => None,
        }
    }

    /// Checks a draw of this mesh, makes the de-indexed copy that it needs, and tells what its vertex
    /// stage is given.
    ///
    /// # Errors
    /// Input errors for elements that the mesh does not have; `Unsupported` where the vertices cannot be
    /// fetched this way; `Broken`, `DeviceLost`.
    pub fn inputs(
        &mut self,
        device: &D,
        plan: &Plan,
        draw: &Draw,
    ) -> Result<DrawInputs, PickError> {
        self.check_elements(draw)?;
        match draw.fetch {
            VertexFetch::Indexed => {}
            VertexFetch::Pulled if self.pulled => {}
            VertexFetch::Pulled => {
                return Err(PickError::unsupported(
                    Capability::VertexPulling,
                    "the mesh's buffers cannot be bound as storage",
                ));
            }
            VertexFetch::Expanded => {
                if let Expansion::Later(data) = &self.expansion {
                    self.expansion = Expansion::Made(Vertices::expanded(device, data)?);
                }
            }
        }
        let Some(vertices) = self.vertices(draw.fetch) else {
            return Err(PickError::unsupported(
                Capability::ExpandedGeometry,
                "the mesh's geometry is not on the CPU",
            ));
        };
        let told = |bit| plan.shader.needs_surface() && draw.record.flags & bit != 0;
        let drawn = draw.fetch != VertexFetch::Pulled;
        let slots = vertices.slots();
        let used = [
            drawn,
            drawn && told(flags::NORMALS) && slots[1].is_some(),
            drawn && told(flags::UVS) && slots[2].is_some(),
        ];
        Ok(DrawInputs {
            normals: used[1],
            uvs: used[2],
            strides: [0, 1, 2].map(|slot| match slots[slot] {
                Some(stream) if used[slot] => stream.stride,
                _ => 0,
            }),
        })
    }

    fn check_elements(&self, draw: &Draw) -> Result<(), PickError> {
        let (elements, count) = (&draw.elements, self.element_count);
        if elements.start <= elements.end && elements.end <= count {
            return Ok(());
        }
        Err(InputError::BadMesh {
            what: "part",
            fault: format!("{elements:?} lies outside the {count} elements").into(),
        }
        .into())
    }
}

/// True when every buffer can be bound whole as storage, and the device has room for all of them.
fn pulls<D: DeviceMemory>(
    device: &D,
    vertices: &Vertices<D>,
    indices: Option<&Indices<D>>,
) -> bool {
    let limits = device.limits();
    let mut buffers = vertices.buffers().chain(indices.map(|i| &i.buffer));
    limits.pulls
        && buffers.all(|buffer| {
            let bytes = D::bytes(buffer);
            D::allows(buffer, BufferUse::Storage)
                && (4..=limits.max_storage_binding).contains(&bytes)
        })
}

fn host_indices<D: DeviceMemory>(
    buffers: &Registry<BufferId, D::Buffer>,
    indices: IndexStream,
) -> Result<Indices<D>, PickError> {
    let buffer = buffers.get(indices.buffer)?.clone();
    let list = u64::from(indices.count) * indices.format.bytes();
    let end = indices.offset.saturating_add(list);
    check_host::<D>(&buffer, "indices", BufferUse::Index, end)?;
    Ok(Indices {
        buffer,
        offset: indices.offset,
        format: indices.format,
    })
}
