//! Cameras.

use glam::DMat4;
use gltf_json::camera::Type;
use gltf_json::validation::Checked;

use super::{Result, document::Document};
use crate::data::{SceneCamera, SceneProjection};
use crate::error::{SceneError, SceneErrorKind};

/// The camera that a node holds.
pub(super) fn read(
    document: &Document,
    node: usize,
    camera: usize,
    world_from_camera: DMat4,
) -> Result<SceneCamera> {
    let all = &document.root.cameras;
    let Some(source) = all.get(camera) else {
        let field = format!("nodes[{node}].camera");
        return Err(super::out_of_range(field, camera, "cameras", all.len()));
    };
    let wrong = |field: &str, problem: &str, fix: &str| {
        let field = format!("cameras[{camera}].{field}");
        SceneError::new(SceneErrorKind::BadValue, field, problem, fix)
    };
    let positive = |x: f32| x.is_finite() && x > 0.0;
    let projection = match (&source.type_, &source.perspective, &source.orthographic) {
        (Checked::Valid(Type::Perspective), Some(p), _) => {
            let bounded = p.zfar.is_none_or(|far| far.is_finite() && far > p.znear);
            let aspect = p.aspect_ratio.is_none_or(positive);
            if !positive(p.yfov)
                || p.yfov >= std::f32::consts::PI
                || !positive(p.znear)
                || !bounded
                || !aspect
            {
                let problem = "angle, aspect ratio or distances are not those of a frustum";
                let fix = "write 0 < yfov < pi, 0 < aspectRatio and 0 < znear < zfar";
                return Err(wrong("perspective", problem, fix));
            }
            SceneProjection::Perspective {
                yfov: f64::from(p.yfov),
                aspect_ratio: p.aspect_ratio.map(f64::from),
                near: f64::from(p.znear),
                far: p.zfar.map(f64::from),
            }
        }
        (Checked::Valid(Type::Orthographic), _, Some(o)) => {
            let sizes = [o.xmag, o.ymag].iter().all(|m| m.is_finite() && *m != 0.0);
            let depths =
                o.znear.is_finite() && o.zfar.is_finite() && o.znear >= 0.0 && o.zfar > o.znear;
            if !sizes || !depths {
                let problem = "sizes or distances are not those of a box";
                let fix = "write xmag and ymag other than 0, and 0 <= znear < zfar";
                return Err(wrong("orthographic", problem, fix));
            }
            SceneProjection::Orthographic {
                xmag: f64::from(o.xmag),
                ymag: f64::from(o.ymag),
                near: f64::from(o.znear),
                far: f64::from(o.zfar),
            }
        }
        _ => {
            let problem = "it names no projection that is there";
            return Err(wrong(
                "type",
                problem,
                "write perspective or orthographic, and its object",
            ));
        }
    };
    let name = source
        .name
        .clone()
        .or_else(|| document.root.nodes.get(node)?.name.clone());
    Ok(SceneCamera {
        name,
        index: node as u32,
        world_from_camera,
        projection,
    })
}
