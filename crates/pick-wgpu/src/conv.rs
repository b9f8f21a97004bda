//! What a plan's words are called in wgpu. Nothing but `match`.

use pick_core::{Aspect, DepthConvention, IndexFormat, TargetFormat};

/// The texture format of a target.
pub fn texture_format(format: TargetFormat) -> wgpu::TextureFormat {
    match format {
        TargetFormat::Rgba8Unorm => wgpu::TextureFormat::Rgba8Unorm,
        TargetFormat::R8Unorm => wgpu::TextureFormat::R8Unorm,
        TargetFormat::R32Uint => wgpu::TextureFormat::R32Uint,
        TargetFormat::Rg32Uint => wgpu::TextureFormat::Rg32Uint,
        TargetFormat::Rgba32Uint => wgpu::TextureFormat::Rgba32Uint,
        TargetFormat::Depth32Float => wgpu::TextureFormat::Depth32Float,
        TargetFormat::Depth32FloatStencil8 => wgpu::TextureFormat::Depth32FloatStencil8,
        TargetFormat::Depth24PlusStencil8 => wgpu::TextureFormat::Depth24PlusStencil8,
    }
}

/// The depth test: strict, so that of equal depths the first drawn stays.
pub fn compare(depth: DepthConvention) -> wgpu::CompareFunction {
    match depth {
        DepthConvention::Standard => wgpu::CompareFunction::Less,
        DepthConvention::Reversed => wgpu::CompareFunction::Greater,
    }
}

/// The part of a texel that a copy takes.
pub fn texture_aspect(aspect: Aspect) -> wgpu::TextureAspect {
    match aspect {
        Aspect::Color => wgpu::TextureAspect::All,
        Aspect::Depth => wgpu::TextureAspect::DepthOnly,
        Aspect::Stencil => wgpu::TextureAspect::StencilOnly,
    }
}

/// The width of an index.
pub fn index_format(format: IndexFormat) -> wgpu::IndexFormat {
    match format {
        IndexFormat::U16 => wgpu::IndexFormat::Uint16,
        IndexFormat::U32 => wgpu::IndexFormat::Uint32,
    }
}

/// What people call the API.
pub fn api_name(backend: wgpu::Backend) -> &'static str {
    match backend {
        wgpu::Backend::Noop => "none",
        wgpu::Backend::Vulkan => "Vulkan",
        wgpu::Backend::Metal => "Metal",
        wgpu::Backend::Dx12 => "Direct3D 12",
        wgpu::Backend::Gl => "GL",
        wgpu::Backend::BrowserWebGpu => "WebGPU",
    }
}

/// The smaller comes first where no adapter is named.
pub fn preference(kind: wgpu::DeviceType) -> u8 {
    match kind {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}
