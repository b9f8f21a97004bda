//! The device: whose it is, what it can do.

use pick_core::{Capability, Caps, PickError, PrimitiveIndex, StencilRead, TargetFormat};

use pick_shaders::{GROUP_FRAGMENTS, Threads};

use crate::adapters::driver;
use crate::conv;
#[cfg(not(target_arch = "wasm32"))]
use crate::flag::{Flag, Mapping, Teller};
use crate::scope::{Catch, LateErrors};

/// A device with what we must know of it before every call.
pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) limits: wgpu::Limits,
    /// Pulled vertices fit this device.
    pub(crate) pulls: bool,
    /// An index buffer may be a storage buffer too.
    pub(crate) shared_index: bool,
    /// Depth and stencil can be copied to buffers.
    pub(crate) depth_copies: bool,
    /// Indices may use all 32 bits.
    pub(crate) full_index: bool,
    /// Compute shaders over storage, and counts of draws and dispatches on the device.
    instance_culling: bool,
    /// Compute shaders that read targets.
    pub(crate) reductions: bool,
    /// The fragment stage writes storage.
    fragment_lists: bool,
    /// Of the kernels that do.
    pub(crate) threads: Threads,
    renderable: u32,
    pub(crate) late: LateErrors,
    /// Mapped only to see whether the device still maps anything.
    #[cfg(not(target_arch = "wasm32"))]
    canary: wgpu::Buffer,
}

/// Storage buffers that the widest pulled variant binds in the vertex stage: the draw's record,
/// instances, positions, indices, normals, texture coordinates.
const PULLED_STORAGE_BUFFERS: u32 = 6;
/// Storage buffers that any variant binds there: the draw's record, instances and vertex faces.
const LEAST_STORAGE_BUFFERS: u32 = 3;

const FORMATS: [TargetFormat; 8] = [
    TargetFormat::Rgba8Unorm,
    TargetFormat::R8Unorm,
    TargetFormat::R32Uint,
    TargetFormat::Rg32Uint,
    TargetFormat::Rgba32Uint,
    TargetFormat::Depth32Float,
    TargetFormat::Depth32FloatStencil8,
    TargetFormat::Depth24PlusStencil8,
];

impl Gpu {
    /// Reads features and limits off the device; only the downlevel flags and the formats' usages must
    /// be asked of the adapter.
    pub(crate) fn new(
        adapter: &wgpu::Adapter,
        device: wgpu::Device,
        queue: wgpu::Queue,
    ) -> Result<Self, PickError> {
        let limits = device.limits();
        let flags = adapter.get_downlevel_capabilities().flags;
        let has = |flag| flags.contains(flag);
        let storage = wgpu::DownlevelFlags::VERTEX_STORAGE | wgpu::DownlevelFlags::FRAGMENT_STORAGE;
        let vertex_storage = match has(storage) {
            true => limits.max_storage_buffers_per_shader_stage,
            false => 0,
        };
        if vertex_storage < LEAST_STORAGE_BUFFERS || limits.max_bind_groups < 3 {
            return Err(PickError::unsupported(
                Capability::Device,
                "draws are read from storage buffers by both stages and need three bind groups, which \
                 this device lacks (WebGL2 does)",
            ));
        }
        let culling =
            wgpu::DownlevelFlags::COMPUTE_SHADERS | wgpu::DownlevelFlags::INDIRECT_EXECUTION;
        let threads = match device.adapter_info().device_type {
            wgpu::DeviceType::Cpu => Threads::CPU,
            _ => Threads::GPU,
        };
        let runs = limits.max_compute_invocations_per_workgroup >= threads.most()
            && limits.max_compute_workgroup_size_x >= threads.most();
        let shared_index = has(wgpu::DownlevelFlags::UNRESTRICTED_INDEX_BUFFER);
        #[cfg(not(target_arch = "wasm32"))]
        let canary = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("pick canary"),
            size: 16,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Ok(Self {
            #[cfg(not(target_arch = "wasm32"))]
            canary,
            pulls: vertex_storage >= PULLED_STORAGE_BUFFERS && shared_index,
            shared_index,
            depth_copies: has(wgpu::DownlevelFlags::DEPTH_TEXTURE_AND_BUFFER_COPIES),
            full_index: has(wgpu::DownlevelFlags::FULL_DRAW_INDEX_UINT32),
            threads,
            instance_culling: has(culling) && vertex_storage > PULLED_STORAGE_BUFFERS && runs,
            fragment_lists: has(wgpu::DownlevelFlags::FRAGMENT_WRITABLE_STORAGE)
                && limits.max_bind_groups > GROUP_FRAGMENTS,
            reductions: has(wgpu::DownlevelFlags::COMPUTE_SHADERS) && runs,
            renderable: renderable(adapter, device.features()),
            late: LateErrors::default(),
            limits,
            device,
            queue,
        })
    }

    /// What the device can do, as far as no test must run.
    pub(crate) fn caps(&self) -> Caps {
        let info = self.device.adapter_info();
        let features = self.device.features();
        let mut caps = Caps::least("wgpu");
        caps.driver = driver(&info);
        caps.api = conv::api_name(info.backend).to_owned();
        if features.contains(wgpu::Features::PRIMITIVE_INDEX) {
            caps.primitive_index = PrimitiveIndex::Untested;
        }
        if self.depth_copies {
            caps.stencil_read = StencilRead::Copy;
        }
        // Browsers refuse this copy of a depth-stencil texture, whatever the device can do.
        caps.stencil_depth_read = self.depth_copies && info.backend != wgpu::Backend::BrowserWebGpu;
        caps.depth32_stencil8 = self.renders(TargetFormat::Depth32FloatStencil8);
        caps.reversed_depth_in_fragment = info.backend == wgpu::Backend::Gl;
        caps.instance_culling = self.instance_culling;
        caps.reductions = self.reductions;
        caps.fragment_lists = self.fragment_lists;
        caps.max_target_side = self.limits.max_texture_dimension_2d;
        caps.max_storage_binding_bytes = self.limits.max_storage_buffer_binding_size;
        caps.device = info.name;
        caps
    }

    pub(crate) fn renders(&self, format: TargetFormat) -> bool {
        self.renderable & bit(format) != 0
    }

    /// Runs `work` with wgpu's errors caught.
    ///
    /// # Errors
    /// What wgpu refused, as `Broken`.
    pub(crate) fn checked<T>(
        &self,
        catch: Catch,
        what: &'static str,
        work: impl FnOnce(&wgpu::Device) -> T,
    ) -> Result<T, PickError> {
        self.late
            .checked(&self.device, catch, what, || work(&self.device))
    }

    /// True when the device maps nothing any more. For error paths: what wgpu says of things made on a
    /// lost device is that they are invalid, not that it is lost.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn is_lost(&self) -> bool {
        let flag = std::sync::Arc::new(Flag::default());
        let teller = Teller::new(&flag);
        let mapped = self.checked(Catch::Validation, "a test of the device", |_| {
            let canary = self.canary.slice(..);
            canary.map_async(wgpu::MapMode::Read, move |result| teller.tell(result));
        });
        let refused = mapped.is_err() || flag.read() == Mapping::Refused;
        if !refused {
            self.canary.unmap();
        }
        refused
    }

    /// A browser tells later, by what is mapped then.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn is_lost(&self) -> bool {
        false
    }

    /// # Errors
    /// `Unsupported` for a buffer that the device cannot have.
    pub(crate) fn check_buffer_size(&self, bytes: u64) -> Result<(), PickError> {
        let limit = self.limits.max_buffer_size;
        if bytes <= limit {
            return Ok(());
        }
        Err(PickError::unsupported(
            Capability::BufferSize,
            format!("{bytes} bytes are asked for, but this device's buffers end at {limit}"),
        ))
    }
}

fn bit(format: TargetFormat) -> u32 {
    FORMATS
        .iter()
        .position(|f| *f == format)
        .map_or(0, |at| 1 << at)
}

/// Which formats can be drawn into and, as far as a strategy asks, copied.
fn renderable(adapter: &wgpu::Adapter, features: wgpu::Features) -> u32 {
    let usable = |format: &TargetFormat| {
        let texture = conv::texture_format(*format);
        let mut needed = wgpu::TextureUsages::RENDER_ATTACHMENT;
        if !format.is_depth() {
            needed |= wgpu::TextureUsages::COPY_SRC;
        }
        let usages = adapter.get_texture_format_features(texture).allowed_usages;
        features.contains(texture.required_features()) && usages.contains(needed)
    };
    let formats = FORMATS.iter().filter(|format| usable(format));
    formats.fold(0, |set, format| set | bit(*format))
}
