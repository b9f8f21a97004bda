//! Instance sets as a GPU backend holds them: uploaded, or in a host's buffer.

use crate::error::{Capability, InputError, PickError};
use crate::kit::memory::{BufferUse, DeviceMemory, check_host};
use crate::mesh::{InstanceFormat, InstanceSource};
use crate::plan::InstanceRun;
use crate::registry::{BufferId, Registry};

/// An instance set that a backend holds.
pub struct Instances<D: DeviceMemory> {
    /// Where.
    pub buffer: D::Buffer,
    /// Byte offset of instance 0.
    pub offset: u64,
    /// What is bound; 0 for an empty set of a host's, which is never drawn.
    pub bytes: u64,
    count: u32,
    owned: bool,
}

impl<D: DeviceMemory> Instances<D> {
    /// Uploads a set, or looks at a host's.
    ///
    /// # Errors
    /// Input errors for host buffers; `Unsupported` for what cannot be bound; `Broken`, `DeviceLost`.
    pub fn create(
        device: &D,
        buffers: &Registry<BufferId, D::Buffer>,
        source: &InstanceSource,
    ) -> Result<Self, PickError> {
        source.check()?;
        let count = source.count();
        match source {
            InstanceSource::Cpu(rows) => {
                check_binding(device, count, InstanceFormat::Rows3x4)?;
                let contents = bytemuck::cast_slice(rows);
                let buffer = device.upload("pick instances", contents, &[BufferUse::Storage])?;
                Ok(Self {
                    offset: 0,
                    bytes: D::bytes(&buffer),
                    count,
                    owned: true,
                    buffer,
                })
            }
            InstanceSource::Host {
                buffer,
                offset,
                format,
                ..
            } => {
                let buffer = buffers.get(*buffer)?.clone();
                let bytes = check_binding(device, count, *format)?;
                let end = offset.saturating_add(bytes);
                check_host::<D>(&buffer, "instances", BufferUse::Storage, end)?;
                Ok(Self {
                    buffer,
                    offset: *offset,
                    bytes,
                    count,
                    owned: false,
                })
            }
        }
    }

    /// What the set takes on the device; the host's own buffers do not count.
    pub fn owned_bytes(&self) -> u64 {
        if self.owned { self.bytes } else { 0 }
    }

    /// # Errors
    /// An input error for copies that the set does not have.
    pub fn check(&self, run: InstanceRun) -> Result<(), PickError> {
        let count = self.count;
        if u64::from(run.first) + u64::from(run.count) <= u64::from(count) {
            return Ok(());
        }
        Err(InputError::BadMesh {
            what: "instances",
            fault: format!("a draw names more than the {count} of the set").into(),
        }
        .into())
    }
}

fn check_binding<D: DeviceMemory>(
    device: &D,
    count: u32,
    format: InstanceFormat,
) -> Result<u64, PickError> {
    let (bytes, limit) = (
        u64::from(count) * format.bytes(),
        device.limits().max_storage_binding,
    );
    if bytes <= limit {
        return Ok(bytes);
    }
    Err(PickError::unsupported(
        Capability::BufferSize,
        format!(
            "{count} instances take {bytes} bytes, but this device binds at most {limit}: split the set"
        ),
    ))
}
