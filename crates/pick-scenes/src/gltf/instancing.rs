//! `EXT_mesh_gpu_instancing`: a node's mesh drawn many times.

use glam::{DMat4, DQuat, DVec3};
use serde_json::Value;

use super::Result;
use super::accessor::{Accessors, Wanted};
use super::components::{Component, Shape};
use super::value::below;
use crate::data::SceneInstances;
use crate::error::{SceneError, SceneErrorKind};

pub(super) const NAME: &str = "EXT_mesh_gpu_instancing";

const FLOAT: &[(Component, Option<bool>)] = &[(Component::F32, None)];
const ROTATION: &[(Component, Option<bool>)] = &[
    (Component::F32, None),
    (Component::I8, Some(true)),
    (Component::I16, Some(true)),
];

/// The instances of a node; `extension` is its entry under that name.
pub(super) fn read(
    accessors: &Accessors<'_>,
    node: usize,
    extension: &Value,
) -> Result<SceneInstances> {
    let at = |name: &str| format!("nodes[{node}].extensions.{NAME}.attributes{name}");
    let wrong = |name: &str, problem: String, fix: &str| {
        SceneError::new(SceneErrorKind::BadValue, at(name), problem, fix)
    };
    let Some(Value::Object(attributes)) = below(extension, &["attributes"]) else {
        let fix = "write an object with TRANSLATION, ROTATION or SCALE";
        return Err(wrong("", "it is missing or not an object".to_owned(), fix));
    };
    let mut count: Option<usize> = None;
    let mut find = |name: &str, shape: Shape, components| {
        let field = at(&format!(".{name}"));
        let Some(accessor) = attributes.get(name) else {
            return Ok(None);
        };
        let Some(accessor) = accessor.as_u64().and_then(|a| usize::try_from(a).ok()) else {
            let fix = "write the number of an accessor";
            return Err(wrong(
                &format!(".{name}"),
                "it is not an index".to_owned(),
                fix,
            ));
        };
        let elements = accessors.find(
            accessor,
            Wanted {
                used_by: &field,
                shapes: &[shape],
                components,
            },
        )?;
        match *count.get_or_insert(elements.count) {
            count if count == elements.count => Ok(Some(elements)),
            count => Err(wrong(
                &format!(".{name}"),
                format!(
                    "{} elements, and {count} in the attribute before",
                    elements.count
                ),
                "give every attribute one element an instance",
            )),
        }
    };
    let translations = find("TRANSLATION", Shape::Vec3, FLOAT)?;
    let rotations = find("ROTATION", Shape::Vec4, ROTATION)?;
    let scales = find("SCALE", Shape::Vec3, FLOAT)?;
    let Some(count) = count else {
        let problem = "none of TRANSLATION, ROTATION and SCALE is there".to_owned();
        return Err(wrong("", problem, "write at least one of them"));
    };
    let floats = |e: Option<_>| e.map(|e| accessors.floats::<3>(&e, None)).transpose();
    let (translations, scales) = (floats(translations)?, floats(scales)?);
    let rotations = rotations
        .map(|e| accessors.floats::<4>(&e, None))
        .transpose()?;
    accessors.charge(count, 48, || at(""))?;
    let mut rows = Vec::with_capacity(count);
    for i in 0..count {
        let vector = |list: &Option<Vec<[f32; 3]>>, otherwise: DVec3| {
            let value = list.as_ref().and_then(|l| l.get(i));
            value.map_or(otherwise, |v| DVec3::from(v.map(f64::from)))
        };
        let rotation = match rotations.as_ref().and_then(|l| l.get(i)) {
            None => DQuat::IDENTITY,
            Some(q) => unit(q.map(f64::from)).ok_or_else(|| {
                let problem = format!("element {i} is not a rotation: its length is 0");
                wrong(".ROTATION", problem, "write quaternions of length 1")
            })?,
        };
        let matrix = DMat4::from_scale_rotation_translation(
            vector(&scales, DVec3::ONE),
            rotation,
            vector(&translations, DVec3::ZERO),
        );
        let row = |r: usize| matrix.row(r).as_vec4();
        let instance = [row(0), row(1), row(2)];
        if !instance.iter().all(|r| r.is_finite()) {
            let problem = format!("instance {i} is too large for 32-bit floats");
            return Err(wrong("", problem, "write smaller scales and translations"));
        }
        rows.push(instance.map(|r| r.to_array()));
    }
    Ok(SceneInstances { rows })
}

/// A quaternion of length 1, if it has a direction at all.
pub(super) fn unit(quaternion: [f64; 4]) -> Option<DQuat> {
    let quaternion = DQuat::from_array(quaternion);
    let length = quaternion.length();
    (length.is_finite() && length > 1e-6).then(|| quaternion / length)
}
