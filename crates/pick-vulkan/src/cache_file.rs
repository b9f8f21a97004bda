//! Pipeline caches that a host keeps between runs. Drivers are known to crash on bytes that are not
//! theirs, so ours have a sum and the driver's name before the driver sees them.

use pick_core::{InputError, PickError};

use crate::VulkanBackend;
use crate::vk::{CacheOwner, PipelineCache};

const MAGIC: [u8; 8] = *b"pickvkp1";
/// Magic, length, sum.
const HEADER: usize = 24;
/// Of the header that Vulkan itself prescribes.
const DRIVER_HEADER: usize = 32;

impl VulkanBackend {
    /// The compiled pipelines, to be kept and given to [`VulkanBackend::load_pipeline_cache`] of a later
    /// run. They are worth nothing to another driver.
    ///
    /// # Errors
    /// `Broken`, `DeviceLost`.
    pub fn pipeline_cache_data(&mut self) -> Result<Vec<u8>, PickError> {
        self.lost.check()?;
        let bytes = self.pipelines.driver_cache.bytes();
        Ok(wrap(&self.judged(bytes)?))
    }

    /// Takes in what [`VulkanBackend::pipeline_cache_data`] gave in an earlier run.
    ///
    /// # Errors
    /// `Input` ([`InputError::BadBuffer`]) for bytes that are damaged, or of another device or driver;
    /// picks go on without them. `Broken`, `DeviceLost`.
    pub fn load_pipeline_cache(&mut self, bytes: &[u8]) -> Result<(), PickError> {
        self.lost.check()?;
        let driver_bytes = unwrap(bytes, &self.gpu.device.physical.cache_owner)?;
        let loaded = PipelineCache::new(&self.gpu.device, driver_bytes);
        let merged = loaded.and_then(|other| self.pipelines.driver_cache.merge(&other));
        self.judged(merged)
    }
}

fn wrap(bytes: &[u8]) -> Vec<u8> {
    let mut wrapped = Vec::with_capacity(HEADER + bytes.len());
    wrapped.extend(MAGIC);
    wrapped.extend((bytes.len() as u64).to_le_bytes());
    wrapped.extend(sum(bytes).to_le_bytes());
    wrapped.extend(bytes);
    wrapped
}

/// What the driver is given, if it is whole and the driver's.
fn unwrap<'b>(bytes: &'b [u8], owner: &CacheOwner) -> Result<&'b [u8], PickError> {
    let bad = |fault: &'static str| {
        Err(InputError::BadBuffer {
            what: "pipeline cache",
            fault: fault.into(),
        }
        .into())
    };
    let number = |at: usize| {
        let slice = bytes.get(at..at + 8)?;
        Some(u64::from_le_bytes(slice.try_into().ok()?))
    };
    let (Some(magic), Some(length), Some(expected)) = (bytes.get(..8), number(8), number(16))
    else {
        return bad("is too short to be one");
    };
    let driver_bytes = bytes.get(HEADER..).unwrap_or_default();
    if magic != MAGIC {
        return bad("was not made by this library, or by another version of it");
    }
    if driver_bytes.len() as u64 != length || sum(driver_bytes) != expected {
        return bad("is damaged");
    }
    match header_owner(driver_bytes) {
        Some(found) if found == *owner => Ok(driver_bytes),
        _ => bad("is of another device or driver"),
    }
}

/// Vulkan's own header: length, version 1, vendor, device, the driver's build.
fn header_owner(bytes: &[u8]) -> Option<CacheOwner> {
    let header = bytes.get(..DRIVER_HEADER)?;
    let word = |at: usize| Some(u32::from_le_bytes(header.get(at..at + 4)?.try_into().ok()?));
    if word(0)? as usize != DRIVER_HEADER || word(4)? != 1 {
        return None;
    }
    Some(CacheOwner {
        vendor: word(8)?,
        device: word(12)?,
        build: header.get(16..)?.try_into().ok()?,
    })
}

/// FNV-1a: tells damage, not malice.
fn sum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: CacheOwner = CacheOwner {
        vendor: 7,
        device: 8,
        build: [9; 16],
    };

    fn driver_bytes(owner: CacheOwner) -> Vec<u8> {
        let words = [32, 1, owner.vendor, owner.device];
        let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        bytes.extend(owner.build);
        bytes.extend([1, 2, 3]);
        bytes
    }

    #[test]
    fn only_whole_caches_of_the_same_driver_pass() {
        let good = wrap(&driver_bytes(OWNER));
        assert_eq!(unwrap(&good, &OWNER).unwrap(), driver_bytes(OWNER));
        for end in 0..good.len() {
            assert!(
                unwrap(&good[..end], &OWNER).unwrap_err().is_input(),
                "{end}"
            );
        }
        for at in 0..good.len() {
            let mut damaged = good.clone();
            damaged[at] ^= 0x10;
            assert!(unwrap(&damaged, &OWNER).unwrap_err().is_input(), "{at}");
        }
        let other = CacheOwner {
            build: [3; 16],
            ..OWNER
        };
        let error = unwrap(&wrap(&driver_bytes(other)), &OWNER).unwrap_err();
        assert!(error.to_string().contains("another device"), "{error}");
    }
}
