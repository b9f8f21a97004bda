//! Instance sets as a GPU backend holds them: uploaded, or in a host's buffer.

use crate::error::{InputError, PickError};
use crate::kit::memory::{BufferUse, DeviceMemory, check_host};
use crate::layout::cull;
use crate::mesh::{InstanceFormat, InstanceSource};
use crate::plan::{InstanceRun, Kernel};
use crate::registry::{BufferId, Registry};

/// An instance set that a backend holds.
pub struct Instances<D: DeviceMemory> {
    /// Where.
    pub buffer: D::Buffer,
    /// Byte offset of instance 0.
    pub offset: u64,
    bytes_each: u64,
    count: u32,
    owned: bool,
    blocks: Option<D::Buffer>,
    /// A plan that builds them was resolved.
    has_bounds: bool,
    /// Where a host's set lies.
    place: Option<HostPlace>,
    /// Bounds of what the set was in other places of its host's.
    elsewhere: Vec<(HostPlace, D::Buffer)>,
}

/// What tells two places of a host's apart, and what their bounds need room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HostPlace {
    buffer: BufferId,
    offset: u64,
    format: InstanceFormat,
    count: u32,
}

/// Other places whose bounds are kept: hosts that write one buffer while the device reads another go round
/// two or three.
const MOST_ELSEWHERE: usize = 3;

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
        let (count, bytes_each) = (source.count(), source.format().bytes());
        match source {
            InstanceSource::Cpu(rows) => {
                let contents = bytemuck::cast_slice(rows);
                let buffer = device.upload("pick instances", contents, &[BufferUse::Storage])?;
                Ok(Self {
                    offset: 0,
                    bytes_each,
                    count,
                    owned: true,
                    blocks: None,
                    has_bounds: false,
                    place: None,
                    elsewhere: Vec::new(),
                    buffer,
                })
            }
            InstanceSource::Host(host) => {
                let buffer = buffers.get(host.buffer)?.clone();
                let end = host.offset.saturating_add(u64::from(count) * bytes_each);
                check_host::<D>(&buffer, "instances", BufferUse::Storage, end)?;
                Ok(Self {
                    buffer,
                    offset: host.offset,
                    bytes_each,
                    count,
                    owned: false,
                    blocks: None,
                    has_bounds: false,
                    place: Some(HostPlace {
                        buffer: host.buffer,
                        offset: host.offset,
                        format: host.format,
                        count,
                    }),
                    elsewhere: Vec::new(),
                })
            }
        }
    }

    /// What the transforms take on the device; the host's own buffers do not count.
    pub fn owned_bytes(&self) -> u64 {
        if self.owned {
            D::bytes(&self.buffer)
        } else {
            0
        }
    }

    /// What the bounds of its blocks take on the device, here and in the host's other places.
    pub fn bounds_bytes(&self) -> u64 {
        let elsewhere = self.elsewhere.iter().map(|(_, blocks)| blocks);
        self.blocks.iter().chain(elsewhere).map(D::bytes).sum()
    }

    /// Where a run's transforms lie in the buffer: the byte offset, and how many bytes.
    pub fn range(&self, run: InstanceRun) -> (u64, u64) {
        let first = self.offset + u64::from(run.first) * self.bytes_each;
        (first, u64::from(run.count) * self.bytes_each)
    }

    /// Looks at a kernel's binding of the bounds of its blocks, and makes room for them where there is
    /// none yet.
    ///
    /// # Errors
    /// A removed-key error for a plan that reads bounds which nobody built: it was made before the set's
    /// contents were replaced. `Unsupported` for more than the device can have; `Broken`, `DeviceLost`.
    pub fn bind_blocks(&mut self, device: &D, kernel: Kernel) -> Result<(), PickError> {
        self.has_bounds |= matches!(kernel, Kernel::BoundBlocks(_));
        if !self.has_bounds {
            let what = "instance set, whose contents were replaced after the pick was planned,";
            return Err(InputError::RemovedKey { what }.into());
        }
        if self.blocks.is_none() {
            let groups = self.count.div_ceil(cull::GROUP);
            let bytes = u64::from(groups) * cull::GROUP_BOUNDS_BYTES;
            let uses = [BufferUse::Storage];
            self.blocks = Some(device.reserve("pick blocks", bytes, &uses)?);
        }
        Ok(())
    }

    /// The bounds of its blocks.
    pub fn blocks(&self) -> Option<&D::Buffer> {
        self.blocks.as_ref()
    }

    /// Takes over what an older state of the set has and this one can use: a host that moves its
    /// instances every frame needs no new buffer for their bounds, be they in one place or in two or three
    /// by turns. Each place has bounds of its own: a recording that the host still holds may build those of
    /// another place later.
    pub fn succeed(&mut self, older: Self) {
        self.elsewhere = older.elsewhere;
        if let (Some(place), Some(blocks)) = (older.place, older.blocks) {
            self.elsewhere.push((place, blocks));
        }
        let same = |(place, _): &(HostPlace, _)| self.place == Some(*place);
        if let Some(at) = self.elsewhere.iter().position(same) {
            self.blocks = Some(self.elsewhere.remove(at).1);
        }
        let too_many = self.elsewhere.len().saturating_sub(MOST_ELSEWHERE);
        self.elsewhere.drain(..too_many);
    }

    /// Lets go of the bounds of other places.
    pub fn trim(&mut self) {
        self.elsewhere = Vec::new();
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
