//! Skins.

use super::accessor::{Accessors, Wanted};
use super::components::{Component, Shape};
use super::{Result, document::Document};
use crate::data::SceneSkin;
use crate::error::{SceneError, SceneErrorKind};

const IDENTITY: [[f32; 4]; 4] = [
    [1., 0., 0., 0.],
    [0., 1., 0., 0.],
    [0., 0., 1., 0.],
    [0., 0., 0., 1.],
];

pub(super) fn read(document: &Document, accessors: &Accessors<'_>) -> Result<Vec<SceneSkin>> {
    let nodes = document.root.nodes.len();
    let mut skins = Vec::with_capacity(document.root.skins.len());
    for (i, skin) in document.root.skins.iter().enumerate() {
        let node = |node: usize, field: String| match node < nodes {
            true => Ok(node as u32),
            false => Err(super::out_of_range(field, node, "nodes", nodes)),
        };
        let joints = skin.joints.iter().enumerate();
        let joints: Vec<u32> = joints
            .map(|(k, joint)| node(joint.value(), format!("skins[{i}].joints[{k}]")))
            .collect::<Result<_>>()?;
        let field = format!("skins[{i}].inverseBindMatrices");
        let inverse_bind = match skin.inverse_bind_matrices {
            None => {
                accessors.charge(joints.len(), 64, || field.clone())?;
                vec![IDENTITY; joints.len()]
            }
            Some(accessor) => {
                let wanted = Wanted {
                    used_by: &field,
                    shapes: &[Shape::Mat4],
                    components: &[(Component::F32, None)],
                };
                let elements = accessors.find(accessor.value(), wanted)?;
                if elements.count < joints.len() {
                    return Err(SceneError::new(
                        SceneErrorKind::BadValue,
                        field,
                        format!("{} matrices for {} joints", elements.count, joints.len()),
                        "write one matrix a joint",
                    ));
                }
                let mut flat = accessors.floats::<16>(&elements, None)?;
                flat.truncate(joints.len());
                accessors.charge(joints.len(), 64, || field.clone())?;
                let column = |m: &[f32; 16], c: usize| std::array::from_fn(|r| m[4 * c + r]);
                flat.iter()
                    .map(|m| std::array::from_fn(|c| column(m, c)))
                    .collect()
            }
        };
        let skeleton = match skin.skeleton {
            None => None,
            Some(root) => Some(node(root.value(), format!("skins[{i}].skeleton"))?),
        };
        skins.push(SceneSkin {
            name: skin.name.clone(),
            joints,
            inverse_bind,
            skeleton,
        });
    }
    Ok(skins)
}
