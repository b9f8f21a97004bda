//! Which extensions a file may require.

use super::Result;
use crate::error::{SceneError, SceneErrorKind};

/// Extensions that are read.
const READ: &[&str] = &[
    "EXT_mesh_gpu_instancing",
    "KHR_mesh_quantization",
    "KHR_node_visibility",
];

/// Extensions that change how a surface looks or is described, not where it is.
const LOOKS: &[&str] = &[
    "EXT_lights_ies",
    "EXT_lights_image_based",
    "EXT_texture_avif",
    "EXT_texture_webp",
    "KHR_lights_punctual",
    "KHR_texture_basisu",
    "KHR_texture_transform",
    "KHR_xmp",
    "KHR_xmp_json_ld",
    "MSFT_texture_dds",
];

/// Whether a file that requires the extension can be read rightly.
fn known(name: &str) -> bool {
    READ.contains(&name) || LOOKS.contains(&name) || name.starts_with("KHR_materials_")
}

/// Refuses a file that requires what is not known here.
pub(super) fn check_required(required: &[String]) -> Result<()> {
    let Some((i, name)) = required.iter().enumerate().find(|(_, n)| !known(n)) else {
        return Ok(());
    };
    let fix = match name.as_str() {
        "KHR_draco_mesh_compression" | "EXT_meshopt_compression" | "KHR_meshopt_compression" => {
            "write the file without compression"
        }
        _ => "write the file without it",
    };
    let name: String = name.chars().take(80).collect();
    Err(SceneError::new(
        SceneErrorKind::Unsupported,
        format!("extensionsRequired[{i}]"),
        format!("the extension {name:?} is not supported"),
        fix,
    ))
}
