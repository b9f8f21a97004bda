//! Materials, as far as picking may ask.

use gltf_json::material::AlphaMode;
use gltf_json::validation::Checked;

use super::{Result, document::Document};
use crate::data::{SceneAlpha, SceneMaterial};
use crate::error::{SceneError, SceneErrorKind};

pub(super) fn read(document: &Document) -> Result<Vec<SceneMaterial>> {
    let materials = document.root.materials.iter().enumerate();
    materials
        .map(|(i, material)| {
            let wrong = |field: &str, problem: &str, fix: &str| {
                let field = format!("materials[{i}].{field}");
                SceneError::new(SceneErrorKind::BadValue, field, problem, fix)
            };
            let alpha = match material.alpha_mode {
                Checked::Valid(AlphaMode::Opaque) => SceneAlpha::Opaque,
                Checked::Valid(AlphaMode::Blend) => SceneAlpha::Blend,
                Checked::Valid(AlphaMode::Mask) => {
                    let cutoff = material.alpha_cutoff.map_or(0.5, |c| c.0);
                    if !cutoff.is_finite() || cutoff < 0.0 {
                        let fix = "write a number from 0 on";
                        return Err(wrong("alphaCutoff", "it is negative or not finite", fix));
                    }
                    SceneAlpha::Mask { cutoff }
                }
                Checked::Invalid => {
                    let problem = "it is none of glTF's alpha modes";
                    return Err(wrong("alphaMode", problem, "write OPAQUE, MASK or BLEND"));
                }
            };
            let base_color = material.pbr_metallic_roughness.base_color_factor.0;
            if base_color.iter().any(|c| !c.is_finite()) {
                let field = "pbrMetallicRoughness.baseColorFactor";
                return Err(wrong(
                    field,
                    "it is not finite",
                    "write numbers from 0 to 1",
                ));
            }
            Ok(SceneMaterial {
                name: material.name.clone(),
                double_sided: material.double_sided,
                alpha,
                base_color,
            })
        })
        .collect()
}
