//! Descriptor set layouts, sets, and pipeline layouts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ash::vk;
use pick_core::PickError;

use super::buffer::Buffer;
use super::device::Device;
use super::error::refused;
use super::graves::Dead;
use super::image::Image;

/// The layout of a set: one buffer or image a binding.
pub(crate) struct Layout {
    device: Arc<Device>,
    raw: vk::DescriptorSetLayout,
}

impl Layout {
    /// # Errors
    /// `Broken` without room, `DeviceLost`.
    pub(crate) fn new(
        device: &Arc<Device>,
        bindings: &[vk::DescriptorSetLayoutBinding<'_>],
    ) -> Result<Self, PickError> {
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(bindings);
        // SAFETY: invariants 2 and 8.
        let raw = unsafe { device.raw.create_descriptor_set_layout(&info, None) };
        Ok(Self {
            device: device.clone(),
            raw: raw.map_err(|result| refused("a set layout", result))?,
        })
    }
}

impl Drop for Layout {
    fn drop(&mut self) {
        self.device.bury(Dead::SetLayout(self.raw));
    }
}

/// The layout of all sets of a pipeline.
pub(crate) struct PipelineLayout {
    device: Arc<Device>,
    pub(super) raw: vk::PipelineLayout,
}

impl PipelineLayout {
    /// # Errors
    /// `Broken` without room, `DeviceLost`.
    pub(crate) fn new(device: &Arc<Device>, sets: &[&Layout]) -> Result<Self, PickError> {
        let sets: Vec<_> = sets.iter().map(|layout| layout.raw).collect();
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
        // SAFETY: invariants 1, 2 and 8.
        let raw = unsafe { device.raw.create_pipeline_layout(&info, None) };
        Ok(Self {
            device: device.clone(),
            raw: raw.map_err(|result| refused("a pipeline layout", result))?,
        })
    }
}

impl Drop for PipelineLayout {
    fn drop(&mut self) {
        self.device.bury(Dead::PipelineLayout(self.raw));
    }
}

struct Pool {
    device: Arc<Device>,
    raw: vk::DescriptorPool,
    /// Sets that it never handed out. What comes back is not counted: a pool is used up once, and goes when its
    /// last set does.
    left: AtomicU32,
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.device.bury(Dead::Sets(self.raw));
    }
}

/// A set. It goes back to its pool when nothing needs it any more.
pub(crate) struct Set {
    pool: Arc<Pool>,
    pub(super) raw: vk::DescriptorSet,
}

impl Drop for Set {
    fn drop(&mut self) {
        let pool = &self.pool;
        pool.device.bury(Dead::Set(pool.raw, self.raw));
    }
}

/// Where sets come from. Pools are made as they are needed, and go with their last set.
pub(crate) struct Sets {
    pools: Vec<Arc<Pool>>,
}

/// What a binding of a set holds.
pub(crate) struct Bound<'b> {
    pub(crate) binding: u32,
    pub(crate) kind: vk::DescriptorType,
    pub(crate) to: BoundTo<'b>,
}

/// See [`Bound`].
pub(crate) enum BoundTo<'b> {
    Buffer {
        buffer: &'b Buffer,
        offset: u64,
        bytes: u64,
    },
    /// All of it, where kernels read it.
    Image(&'b Image),
}

/// Sets a pool: two a slot, and one for each mesh and instance set that are drawn together.
const SETS: u32 = 64;
/// Bindings of the widest set.
const WIDEST: usize = 7;

impl Sets {
    pub(crate) fn new() -> Self {
        Self { pools: Vec::new() }
    }

    /// Makes a set of a layout.
    ///
    /// # Errors
    /// `Broken` without room, and for buffers that do not hold what is bound; `DeviceLost`.
    pub(crate) fn make(
        &mut self,
        device: &Arc<Device>,
        layout: &Layout,
        bound: &[Bound<'_>],
    ) -> Result<Set, PickError> {
        let inside = |b: &Bound<'_>| match &b.to {
            BoundTo::Buffer {
                buffer,
                offset,
                bytes,
            } => {
                let end = offset.checked_add(*bytes);
                *bytes > 0 && end.is_some_and(|end| end <= buffer.size())
            }
            BoundTo::Image(image) => image.is_read_by_kernels(),
        };
        // Invariant 7.
        if bound.len() > WIDEST || !bound.iter().all(inside) {
            return Err(PickError::broken(
                "a set binds what its buffers do not have",
            ));
        }
        let set = self.take(device, layout)?;
        let infos: Vec<_> = bound.iter().map(info).collect();
        let writes: Vec<_> = bound
            .iter()
            .zip(&infos)
            .map(|(b, (buffer, image))| {
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set.raw)
                    .dst_binding(b.binding)
                    .descriptor_type(b.kind);
                match b.to {
                    BoundTo::Buffer { .. } => write.buffer_info(buffer),
                    BoundTo::Image(_) => write.image_info(image),
                }
            })
            .collect();
        // SAFETY: invariants 1, 6 and 8; the set is new, so no recording uses it.
        unsafe { device.raw.update_descriptor_sets(&writes, &[]) };
        Ok(set)
    }

    fn take(&mut self, device: &Arc<Device>, layout: &Layout) -> Result<Set, PickError> {
        // A pool that only this list holds has no set left, and starts anew as a fresh one would.
        self.pools.retain(|pool| Arc::strong_count(pool) > 1);
        // Drivers that are asked for more than a pool has say so, at length.
        let has_left = |pool: &&Arc<Pool>| pool.left.load(Ordering::Relaxed) > 0;
        for pool in self.pools.iter().rev().filter(has_left) {
            if let Some(set) = allocate(device, pool, layout)? {
                return Ok(set);
            }
        }
        self.pools.push(Arc::new(new_pool(device)?));
        let made = match self.pools.last() {
            Some(pool) => allocate(device, pool, layout)?,
            None => None, // not reached: just pushed
        };
        made.ok_or_else(|| PickError::broken("a new descriptor pool has no room"))
    }
}

/// What a driver is told of a binding: one of the two.
fn info(bound: &Bound<'_>) -> ([vk::DescriptorBufferInfo; 1], [vk::DescriptorImageInfo; 1]) {
    let (mut buffer_info, mut image_info) = Default::default();
    match &bound.to {
        BoundTo::Buffer {
            buffer,
            offset,
            bytes,
        } => {
            buffer_info = vk::DescriptorBufferInfo::default()
                .buffer(buffer.raw())
                .offset(*offset)
                .range(*bytes);
        }
        BoundTo::Image(image) => {
            image_info = vk::DescriptorImageInfo::default()
                .image_view(image.view())
                .image_layout(vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
        }
    }
    ([buffer_info], [image_info])
}

fn allocate(
    device: &Arc<Device>,
    pool: &Arc<Pool>,
    layout: &Layout,
) -> Result<Option<Set>, PickError> {
    let layouts = [layout.raw];
    let info = vk::DescriptorSetAllocateInfo::default()
        .descriptor_pool(pool.raw)
        .set_layouts(&layouts);
    // SAFETY: invariants 1, 6 and 8.
    match unsafe { device.raw.allocate_descriptor_sets(&info) } {
        Ok(sets) => {
            pool.left.fetch_sub(1, Ordering::Relaxed);
            Ok(sets.first().map(|&raw| Set {
                pool: pool.clone(),
                raw,
            }))
        }
        Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY | vk::Result::ERROR_FRAGMENTED_POOL) => Ok(None),
        Err(result) => Err(refused("a descriptor set", result)),
    }
}

fn new_pool(device: &Arc<Device>) -> Result<Pool, PickError> {
    let size = |ty, descriptor_count| vk::DescriptorPoolSize {
        ty,
        descriptor_count,
    };
    let sizes = [
        size(vk::DescriptorType::STORAGE_BUFFER, SETS * WIDEST as u32),
        size(vk::DescriptorType::SAMPLED_IMAGE, 2 * SETS),
        size(vk::DescriptorType::UNIFORM_BUFFER, SETS),
        size(vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC, SETS),
        size(vk::DescriptorType::STORAGE_BUFFER_DYNAMIC, SETS),
    ];
    let info = vk::DescriptorPoolCreateInfo::default()
        .flags(vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET)
        .max_sets(SETS)
        .pool_sizes(&sizes);
    // SAFETY: invariants 2 and 8.
    let raw = unsafe { device.raw.create_descriptor_pool(&info, None) };
    Ok(Pool {
        device: device.clone(),
        raw: raw.map_err(|result| refused("a descriptor pool", result))?,
        left: AtomicU32::new(SETS),
    })
}
