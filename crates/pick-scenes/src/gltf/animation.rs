//! Animations.

use gltf_json::animation::{Animation, Interpolation, Property};
use gltf_json::validation::Checked;

use super::accessor::{Accessors, Wanted};
use super::components::{Component, Shape};
use super::{Result, document::Document};
use crate::data::{
    Note, NoteKind, SceneAnimation, SceneChannel, SceneInterpolation, SceneProperty, SceneSampler,
};
use crate::error::{SceneError, SceneErrorKind};

/// Types of what a curve may hold: floats, or integers that stand for -1 to 1 or 0 to 1.
const VALUES: &[(Component, Option<bool>)] = &[
    (Component::F32, None),
    (Component::I8, Some(true)),
    (Component::U8, Some(true)),
    (Component::I16, Some(true)),
    (Component::U16, Some(true)),
];

pub(super) fn read(
    document: &Document,
    accessors: &Accessors<'_>,
    notes: &mut Vec<Note>,
) -> Result<Vec<SceneAnimation>> {
    let mut animations = Vec::with_capacity(document.root.animations.len());
    for (i, animation) in document.root.animations.iter().enumerate() {
        let mut samplers = Vec::with_capacity(animation.samplers.len());
        for k in 0..animation.samplers.len() {
            samplers.push(sampler(
                accessors,
                animation,
                &format!("animations[{i}].samplers[{k}]"),
                k,
            )?);
        }
        let mut channels = Vec::with_capacity(animation.channels.len());
        for (k, channel) in animation.channels.iter().enumerate() {
            let at = |field: &str| format!("animations[{i}].channels[{k}].{field}");
            let nodes = document.root.nodes.len();
            let node = channel.target.node.value();
            if node >= nodes {
                return Err(super::out_of_range(at("target.node"), node, "nodes", nodes));
            }
            let sampler = channel.sampler.value();
            let Some(curve) = samplers.get(sampler) else {
                let there = samplers.len();
                return Err(super::out_of_range(
                    at("sampler"),
                    sampler,
                    "samplers",
                    there,
                ));
            };
            let (property, width) = match channel.target.path {
                Checked::Valid(Property::Translation) => (SceneProperty::Translation, 3),
                Checked::Valid(Property::Rotation) => (SceneProperty::Rotation, 4),
                Checked::Valid(Property::Scale) => (SceneProperty::Scale, 3),
                Checked::Valid(Property::MorphTargetWeights) => (SceneProperty::MorphWeights, 1),
                Checked::Invalid => {
                    notes.push(Note {
                        kind: NoteKind::Ignored,
                        field: at("target.path"),
                        text: "the channel drives an unknown property".to_owned(),
                    });
                    continue;
                }
            };
            if curve.width != width {
                return Err(SceneError::new(
                    SceneErrorKind::BadValue,
                    at("sampler"),
                    format!(
                        "its values have {} numbers, and the property {width}",
                        curve.width
                    ),
                    "use a sampler of the property's own type",
                ));
            }
            channels.push(SceneChannel {
                sampler: sampler as u32,
                node: node as u32,
                property,
            });
        }
        animations.push(SceneAnimation {
            name: animation.name.clone(),
            samplers,
            channels,
        });
    }
    Ok(animations)
}

fn sampler(
    accessors: &Accessors<'_>,
    animation: &Animation,
    field: &str,
    k: usize,
) -> Result<SceneSampler> {
    let wrong = |name: &str, problem: String, fix: &str| {
        SceneError::new(
            SceneErrorKind::BadValue,
            format!("{field}.{name}"),
            problem,
            fix,
        )
    };
    let source = &animation.samplers[k];
    let interpolation = match source.interpolation {
        Checked::Valid(Interpolation::Linear) => SceneInterpolation::Linear,
        Checked::Valid(Interpolation::Step) => SceneInterpolation::Step,
        Checked::Valid(Interpolation::CubicSpline) => SceneInterpolation::CubicSpline,
        Checked::Invalid => {
            let problem = "it is none of glTF's interpolations".to_owned();
            return Err(wrong(
                "interpolation",
                problem,
                "write LINEAR, STEP or CUBICSPLINE",
            ));
        }
    };
    let used_by = format!("{field}.input");
    let wanted = Wanted {
        used_by: &used_by,
        shapes: &[Shape::Scalar],
        components: &VALUES[..1],
    };
    let keys = accessors.find(source.input.value(), wanted)?;
    let times = accessors.floats::<1>(&keys, None)?.into_flattened();
    if !times.windows(2).all(|t| t[0] < t[1]) {
        let problem = "the times do not rise from key to key".to_owned();
        return Err(wrong("input", problem, "write the keys in order of time"));
    }
    let used_by = format!("{field}.output");
    let shapes = &[Shape::Scalar, Shape::Vec3, Shape::Vec4];
    let wanted = Wanted {
        used_by: &used_by,
        shapes,
        components: VALUES,
    };
    let elements = accessors.find(source.output.value(), wanted)?;
    let values = match elements.width {
        1 => accessors.floats::<1>(&elements, None)?.into_flattened(),
        3 => accessors.floats::<3>(&elements, None)?.into_flattened(),
        _ => accessors.floats::<4>(&elements, None)?.into_flattened(),
    };
    let each = if interpolation == SceneInterpolation::CubicSpline {
        3
    } else {
        1
    };
    let keys = times.len().saturating_mul(each);
    // Weights are numbers of which each key has as many as there are morph targets.
    let fits = match elements.width {
        1 => keys > 0 && elements.count % keys == 0,
        _ => elements.count == keys,
    };
    if !fits {
        let problem = format!("{} values do not fit {} keys", elements.count, times.len());
        return Err(wrong(
            "output",
            problem,
            "write one value a key, three for cubic splines",
        ));
    }
    Ok(SceneSampler {
        interpolation,
        times,
        values,
        width: elements.width as u32,
    })
}
