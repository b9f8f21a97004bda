//! What a plan's words are called in Vulkan. Nothing but `match`.

use ash::vk;
use pick_core::{Aspect, DepthConvention, IndexFormat, TargetFormat};

/// All formats that plans ask for.
pub const FORMATS: [TargetFormat; 8] = [
    TargetFormat::Rgba8Unorm,
    TargetFormat::R8Unorm,
    TargetFormat::R32Uint,
    TargetFormat::Rg32Uint,
    TargetFormat::Rgba32Uint,
    TargetFormat::Depth32Float,
    TargetFormat::Depth32FloatStencil8,
    TargetFormat::Depth24PlusStencil8,
];

/// Where a format stands in [`FORMATS`].
pub fn format_index(format: TargetFormat) -> usize {
    match format {
        TargetFormat::Rgba8Unorm => 0,
        TargetFormat::R8Unorm => 1,
        TargetFormat::R32Uint => 2,
        TargetFormat::Rg32Uint => 3,
        TargetFormat::Rgba32Uint => 4,
        TargetFormat::Depth32Float => 5,
        TargetFormat::Depth32FloatStencil8 => 6,
        TargetFormat::Depth24PlusStencil8 => 7,
    }
}

/// The formats that serve, the first that a device draws into is taken.
pub fn candidates(format: TargetFormat) -> &'static [vk::Format] {
    match format {
        TargetFormat::Rgba8Unorm => &[vk::Format::R8G8B8A8_UNORM],
        TargetFormat::R8Unorm => &[vk::Format::R8_UNORM],
        TargetFormat::R32Uint => &[vk::Format::R32_UINT],
        TargetFormat::Rg32Uint => &[vk::Format::R32G32_UINT],
        TargetFormat::Rgba32Uint => &[vk::Format::R32G32B32A32_UINT],
        TargetFormat::Depth32Float => &[vk::Format::D32_SFLOAT],
        TargetFormat::Depth32FloatStencil8 => &[vk::Format::D32_SFLOAT_S8_UINT],
        TargetFormat::Depth24PlusStencil8 => &[
            vk::Format::D24_UNORM_S8_UINT,
            vk::Format::D32_SFLOAT_S8_UINT,
        ],
    }
}

/// The parts of a target's pixel.
pub fn aspects(format: TargetFormat) -> vk::ImageAspectFlags {
    match (format.is_depth(), format.has_stencil()) {
        (false, _) => vk::ImageAspectFlags::COLOR,
        (true, false) => vk::ImageAspectFlags::DEPTH,
        (true, true) => vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL,
    }
}

/// The part of a pixel that a copy takes: one, always.
pub fn aspect(aspect: Aspect) -> vk::ImageAspectFlags {
    match aspect {
        Aspect::Color => vk::ImageAspectFlags::COLOR,
        Aspect::Depth => vk::ImageAspectFlags::DEPTH,
        Aspect::Stencil => vk::ImageAspectFlags::STENCIL,
    }
}

/// The depth test: strict, so that of equal depths the first drawn stays.
pub fn compare(depth: DepthConvention) -> vk::CompareOp {
    match depth {
        DepthConvention::Standard => vk::CompareOp::LESS,
        DepthConvention::Reversed => vk::CompareOp::GREATER,
    }
}

/// The width of an index.
pub fn index_type(format: IndexFormat) -> vk::IndexType {
    match format {
        IndexFormat::U16 => vk::IndexType::UINT16,
        IndexFormat::U32 => vk::IndexType::UINT32,
    }
}

/// The smaller comes first where no device is named.
pub fn preference(kind: vk::PhysicalDeviceType) -> u8 {
    match kind {
        vk::PhysicalDeviceType::DISCRETE_GPU => 0,
        vk::PhysicalDeviceType::INTEGRATED_GPU => 1,
        vk::PhysicalDeviceType::VIRTUAL_GPU => 2,
        vk::PhysicalDeviceType::CPU => 4,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_stands_where_its_index_says() {
        for (index, format) in FORMATS.into_iter().enumerate() {
            assert_eq!(format_index(format), index);
            assert_eq!(
                aspects(format).contains(vk::ImageAspectFlags::STENCIL),
                format.has_stencil()
            );
        }
    }
}
