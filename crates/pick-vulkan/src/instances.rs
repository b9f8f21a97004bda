//! Instance sets: uploaded, or in a host's buffer.

use std::sync::Arc;

use ash::vk::BufferUsageFlags;
use pick_core::{
    BufferId, Capability, InstanceFormat, InstanceSource, PickError, Registry, affine_from_rows,
};

use crate::buffers::{check_host, upload};
use crate::device::Gpu;
use crate::vk::Buffer;

/// Share of the sum of its terms' sizes under which a determinant's sign is rounding error.
const SINGULAR: f64 = 1e-15;

/// An instance set that the backend holds.
pub(crate) struct Instances {
    pub(crate) buffer: Arc<Buffer>,
    pub(crate) offset: u64,
    /// What is bound; nothing of an empty set, which is never drawn.
    pub(crate) bytes: u64,
    pub(crate) count: u32,
    owned: bool,
}

impl Instances {
    /// # Errors
    /// Input errors for host buffers; `Unsupported` for what cannot be bound; `Broken`, `DeviceLost`.
    pub(crate) fn create(
        gpu: &Gpu,
        buffers: &Registry<BufferId, Arc<Buffer>>,
        source: &InstanceSource,
    ) -> Result<Self, PickError> {
        source.check()?;
        match source {
            InstanceSource::Cpu(rows) => {
                check_binding(gpu, source.count(), InstanceFormat::Rows3x4)?;
                let buffer = match rows.iter().all(has_volume) {
                    true => upload_rows(gpu, rows)?,
                    false => upload_rows(gpu, &without_dead(rows))?,
                };
                Ok(Self {
                    offset: 0,
                    bytes: buffer.size(),
                    count: source.count(),
                    owned: true,
                    buffer,
                })
            }
            InstanceSource::Host {
                buffer,
                offset,
                format,
                count,
            } => {
                let buffer = buffers.get(*buffer)?.clone();
                let bytes = check_binding(gpu, *count, *format)?;
                check_host(
                    &buffer,
                    "instances",
                    BufferUsageFlags::STORAGE_BUFFER,
                    offset + bytes,
                )?;
                Ok(Self {
                    buffer,
                    offset: *offset,
                    bytes,
                    count: *count,
                    owned: false,
                })
            }
        }
    }

    /// What the set takes on the device; the host's own buffers do not count.
    pub(crate) fn owned_bytes(&self) -> u64 {
        if self.owned { self.bytes } else { 0 }
    }
}

fn check_binding(gpu: &Gpu, count: u32, format: InstanceFormat) -> Result<u64, PickError> {
    let bytes = u64::from(count) * format.bytes();
    if gpu.fits_storage(bytes) {
        return Ok(bytes);
    }
    Err(PickError::unsupported(
        Capability::BufferSize,
        format!(
            "{count} instances take {bytes} bytes, but this device binds at most {}: split the set",
            gpu.device.physical.limits.max_storage_buffer_range
        ),
    ))
}

fn upload_rows(gpu: &Gpu, rows: &[[[f32; 4]; 3]]) -> Result<Arc<Buffer>, PickError> {
    let contents = bytemuck::cast_slice(rows);
    upload(
        gpu,
        "pick instances",
        contents,
        BufferUsageFlags::STORAGE_BUFFER,
    )
}

/// Transforms that are not finite or have no volume become zero: all of their vertices fall together,
/// which covers no pixel on any driver.
fn without_dead(rows: &[[[f32; 4]; 3]]) -> Vec<[[f32; 4]; 3]> {
    let kept = |row: &[[f32; 4]; 3]| if has_volume(row) { *row } else { [[0.0; 4]; 3] };
    rows.iter().map(kept).collect()
}

fn has_volume(rows: &[[f32; 4]; 3]) -> bool {
    let affine = affine_from_rows(rows);
    let [a, b, c] = [
        affine.matrix3.x_axis,
        affine.matrix3.y_axis,
        affine.matrix3.z_axis,
    ];
    // The determinant's six products, held against the sum of their sizes.
    let plus = a.x * b.y * c.z + b.x * c.y * a.z + c.x * a.y * b.z;
    let minus = a.z * b.y * c.x + b.z * c.y * a.x + c.z * a.y * b.x;
    let [a, b, c] = [a.abs(), b.abs(), c.abs()];
    let size = a.x * (b.y * c.z + b.z * c.y)
        + a.y * (b.z * c.x + b.x * c.z)
        + a.z * (b.x * c.y + b.y * c.x);
    // False for anything that is not a number.
    (plus - minus).abs() > size * SINGULAR && affine.translation.is_finite() && size.is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_and_non_finite_transforms_have_no_volume() {
        let identity = [
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
        ];
        assert!(has_volume(&identity));
        let mut mirrored = identity;
        mirrored[0][0] = -1e-6;
        assert!(has_volume(&mirrored));
        for (row, column, value) in [(2, 2, 0.0), (0, 0, f32::NAN), (1, 3, f32::INFINITY)] {
            let mut dead = identity;
            dead[row][column] = value;
            assert!(!has_volume(&dead), "{dead:?}");
            assert_eq!(without_dead(&[identity, dead]), [identity, [[0.0; 4]; 3]]);
        }
    }
}
