//! Validation, and SPIR-V for Vulkan.

use std::fmt;

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::layoutless::without_workgroup_layout;

/// Why a shader was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct ShaderError {
    message: String,
}

impl fmt::Display for ShaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ShaderError {}

/// Parses and validates a module.
///
/// # Errors
/// With naga's message, which names the line and the column.
pub fn validate(wgsl: &str) -> Result<(), ShaderError> {
    parse(wgsl).map(drop)
}

fn parse(wgsl: &str) -> Result<(naga::Module, ModuleInfo), ShaderError> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|error| ShaderError {
        message: error.emit_to_string(wgsl),
    })?;
    let capabilities = Capabilities::default() | Capabilities::PRIMITIVE_INDEX;
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .map_err(|error| ShaderError {
            message: error.emit_to_string(wgsl),
        })?;
    Ok((module, info))
}

/// SPIR-V 1.3 words of one entry point.
///
/// Flags and policies are those wgpu sets on Vulkan: no y flip (the viewport is negative instead),
/// indices into arrays restricted, buffer accesses restricted. Workgroup memory is not zeroed: kernels
/// write it before they read it, and SwiftShader takes more than a second to compile naga's way of
/// zeroing it.
///
/// # Errors
/// As [`validate`]; and for an entry point that the module does not have.
pub fn to_spirv(wgsl: &str, entry_point: &str) -> Result<Vec<u32>, ShaderError> {
    let (module, info) = parse(wgsl)?;
    let entry = module.entry_points.iter().find(|e| e.name == entry_point);
    let entry = entry.ok_or_else(|| ShaderError {
        message: format!("there is no entry point {entry_point}"),
    })?;
    // Sets and bindings keep their numbers.
    let bindings = module
        .global_variables
        .iter()
        .filter_map(|(_, g)| g.binding);
    let binding_map = bindings.map(|at| {
        let info = spv::BindingInfo {
            descriptor_set: at.group,
            binding: at.binding,
            binding_array_size: None,
        };
        (at, info)
    });
    let options = spv::Options {
        binding_map: binding_map.collect(),
        lang_version: (1, 3),
        flags: spv::WriterFlags::LABEL_VARYINGS,
        fake_missing_bindings: false,
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            buffer: BoundsCheckPolicy::Restrict,
            image_load: BoundsCheckPolicy::Restrict,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        ..spv::Options::default()
    };
    let pipeline = spv::PipelineOptions {
        shader_stage: entry.stage,
        entry_point: entry_point.to_owned(),
    };
    let words = spv::write_vec(&module, &info, &options, Some(&pipeline));
    let words = words.map_err(|error| ShaderError {
        message: error.to_string(),
    })?;
    Ok(match entry.stage {
        naga::ShaderStage::Compute => without_workgroup_layout(&words),
        _ => words,
    })
}
