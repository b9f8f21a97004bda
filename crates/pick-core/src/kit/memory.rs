//! What meshes and instance sets ask of a device's memory.

use crate::error::{Capability, InputError, PickError};
use crate::kit::mesh::{Indices, Vertices};

/// What a buffer can be used as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferUse {
    /// Vertex attributes.
    Vertex,
    /// An index list.
    Index,
    /// Storage that shaders read and kernels write.
    Storage,
    /// Arguments of draws and dispatches.
    Indirect,
    /// It is copied into read-backs.
    CopySource,
    /// What a plan uploads is copied into it.
    CopyTarget,
}

/// A device's buffers. The rules of what a host's buffer must be, and of what can be pulled, are written
/// over this once.
pub trait DeviceMemory: Sized {
    /// A buffer of ours or the host's; cloning it shares it.
    type Buffer: Clone;

    /// Its size in bytes.
    fn bytes(buffer: &Self::Buffer) -> u64;

    /// True when it was made for this.
    fn allows(buffer: &Self::Buffer, wanted: BufferUse) -> bool;

    /// Makes a buffer with these contents. One without contents still has a few bytes, so that it can be
    /// bound.
    ///
    /// # Errors
    /// `Unsupported` when it is too large, `Broken` when the device has no room, `DeviceLost`.
    fn upload(
        &self,
        label: &'static str,
        contents: &[u8],
        uses: &[BufferUse],
    ) -> Result<Self::Buffer, PickError>;

    /// Makes a buffer whose contents are undefined.
    ///
    /// # Errors
    /// As [`DeviceMemory::upload`].
    fn reserve(
        &self,
        label: &'static str,
        bytes: u64,
        uses: &[BufferUse],
    ) -> Result<Self::Buffer, PickError>;

    /// Tries a host's mesh, as far as the device can tell more of it than its sizes and uses do.
    ///
    /// # Errors
    /// [`InputError::BadBuffer`].
    fn probe(
        &self,
        vertices: &Vertices<Self>,
        indices: Option<&Indices<Self>>,
    ) -> Result<(), PickError>;

    /// The device's limits.
    fn limits(&self) -> MemoryLimits;
}

/// What a device's buffers can be.
#[derive(Clone, Copy, Debug)]
pub struct MemoryLimits {
    /// The vertex stage has room for all buffers of a pulled mesh.
    pub pulls: bool,
    /// An index buffer may be a storage buffer too.
    pub shared_index: bool,
    /// Vertices that an index can name.
    pub max_vertices: u64,
    /// Bytes of the largest storage binding.
    pub max_storage_binding: u64,
}

impl MemoryLimits {
    /// # Errors
    /// `Unsupported` for more vertices than an index can name.
    pub(super) fn check_vertices(&self, vertices: u32) -> Result<(), PickError> {
        if u64::from(vertices) <= self.max_vertices {
            return Ok(());
        }
        Err(PickError::unsupported(
            Capability::BufferSize,
            format!(
                "{vertices} vertices, but this device's indices end at {}",
                self.max_vertices
            ),
        ))
    }
}

/// # Errors
/// [`InputError::BadBuffer`] for a host's buffer that lacks a use or ends before `end`.
pub(super) fn check_host<D: DeviceMemory>(
    buffer: &D::Buffer,
    what: &'static str,
    wanted: BufferUse,
    end: u64,
) -> Result<(), PickError> {
    let fault = if !D::allows(buffer, wanted) {
        format!("was made without {wanted:?} usage")
    } else if D::bytes(buffer) < end {
        format!("has {} bytes, but {end} are named", D::bytes(buffer))
    } else {
        return Ok(());
    };
    Err(InputError::BadBuffer {
        what,
        fault: fault.into(),
    }
    .into())
}
