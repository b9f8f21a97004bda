//! The camera by options. What is not given is chosen so that the whole scene is in the view.

use glam::{DMat4, DVec3};
use pick_core::projection::{DepthRange, look_at, orthographic, perspective};
use pick_core::{DepthConvention, ErrorKind, InputError, PickError, View, Viewport};
use pick_scenes::{SceneCamera, SceneData, SceneProjection, SceneSpec};

use crate::args::CameraArgs;
use crate::exit::Failure;

const SIZE: [u32; 2] = [640, 480];
const FOV_DEGREES: f64 = 45.0;
/// From the target to the eye: a little from the right and above, since that shows three sides of a
/// box.
const TOWARD_EYE: DVec3 = DVec3::new(0.45, 0.35, 1.0);
/// Room around the scene.
const MARGIN: f64 = 1.05;

/// What there is to frame.
#[derive(Clone, Debug)]
pub struct Framing {
    center: DVec3,
    radius: f64,
    /// A built-in scene may be made for a camera of its own. A file's cameras may look anywhere, so
    /// they are not taken unasked.
    camera: Option<SceneCamera>,
}

impl Framing {
    /// What a scene gives to frame.
    pub fn of(spec: &SceneSpec, data: &SceneData) -> Self {
        let cameras = spec.builtin().and_then(|_| data.cameras.first());
        Self {
            camera: cameras.cloned(),
            ..Self::all(data)
        }
    }

    /// All that is visible.
    fn all(data: &SceneData) -> Self {
        let bounds = data.world_bounds();
        let radius = bounds.map_or(1.0, |b| b.radius());
        Self {
            center: bounds.map_or(DVec3::ZERO, |b| b.center()),
            radius: if radius > 0.0 { radius } else { 1.0 },
            camera: None,
        }
    }
}

/// A view of a whole scene from this direction, with nothing asked for.
pub fn frame(data: &SceneData, size: [u32; 2], eye: DVec3, target: DVec3) -> Result<View, Failure> {
    let args = CameraArgs {
        size: Some(size),
        eye: Some(eye),
        target: Some(target),
        ..CameraArgs::default()
    };
    view(&args, &Framing::all(data))
}

/// The view that the options ask for.
pub fn view(args: &CameraArgs, framing: &Framing) -> Result<View, Failure> {
    let [width, height] = args.size.unwrap_or(SIZE);
    let aspect = f64::from(width) / f64::from(height);
    let depth = args.depth.map_or(DepthConvention::Reversed, Into::into);
    check_fov(args).map_err(|error| refused(&error))?;
    let made = match &framing.camera {
        Some(camera) if args.eye.is_none() && args.target.is_none() => {
            placed(args, camera, aspect, depth)
        }
        _ => framed(args, framing, aspect, depth),
    };
    let (view, projection) = made.map_err(|error| refused(&error))?;
    let viewport = Viewport::new(0, 0, width, height);
    View::new(view, projection, viewport, depth).map_err(|error| refused(&error))
}

type Matrices = Result<(DMat4, DMat4), PickError>;

/// Through the scene's own camera; options outweigh it.
fn placed(
    args: &CameraArgs,
    camera: &SceneCamera,
    aspect: f64,
    depth: DepthConvention,
) -> Matrices {
    let view = camera.world_from_camera.inverse();
    let projection = match (camera.projection, args.ortho, args.fov) {
        (
            SceneProjection::Orthographic {
                ymag, near, far, ..
            },
            ortho,
            None,
        ) => {
            let range = range(args, near, far);
            orthographic(ortho.unwrap_or(ymag), aspect, range, depth)
        }
        (
            SceneProjection::Perspective {
                yfov, near, far, ..
            },
            None,
            fov,
        ) => {
            let far = far.unwrap_or(f64::INFINITY);
            perspective_of(
                fov.unwrap_or(yfov.to_degrees()),
                aspect,
                range(args, near, far),
                depth,
            )
        }
        (_, Some(ortho), _) => orthographic(ortho, aspect, range(args, 0.0, 1e4), depth),
        (_, None, fov) => {
            let range = range(args, 1e-2, f64::INFINITY);
            perspective_of(fov.unwrap_or(FOV_DEGREES), aspect, range, depth)
        }
    }?;
    Ok((view, projection))
}

/// From where the scene is in view.
fn framed(args: &CameraArgs, framing: &Framing, aspect: f64, depth: DepthConvention) -> Matrices {
    let target = args.target.unwrap_or(framing.center);
    let fov = args.fov.unwrap_or(FOV_DEGREES);
    let away = match args.ortho {
        Some(_) => 2.0 * framing.radius,
        None => fitting_distance(fov, aspect, framing.radius),
    };
    let eye = args
        .eye
        .unwrap_or_else(|| target + TOWARD_EYE.normalize() * away);
    let view = look_at(eye, target, args.up.unwrap_or(DVec3::Y))?;
    let center_distance = (eye - framing.center).length();
    let farthest = center_distance + framing.radius;
    let projection = match args.ortho {
        Some(half_height) => {
            let far = args.near.unwrap_or(0.0).max(0.0) + farthest * MARGIN;
            orthographic(half_height, aspect, range(args, 0.0, far), depth)
        }
        None => {
            let nearest = (center_distance - framing.radius) * 0.5;
            let near = nearest.max(farthest * 1e-3);
            perspective_of(fov, aspect, range(args, near, f64::INFINITY), depth)
        }
    }?;
    Ok((view, projection))
}

fn range(args: &CameraArgs, near: f64, far: f64) -> DepthRange {
    DepthRange::new(args.near.unwrap_or(near), args.far.unwrap_or(far))
}

fn perspective_of(
    fov_degrees: f64,
    aspect: f64,
    range: DepthRange,
    depth: DepthConvention,
) -> Result<DMat4, PickError> {
    perspective(fov_degrees.to_radians(), aspect, range, depth)
}

/// In degrees, as it was given; the library would say it in radians.
fn check_fov(args: &CameraArgs) -> Result<(), PickError> {
    match args.fov {
        Some(degrees) if !(degrees > 0.0 && degrees < 180.0) => Err(InputError::BadProjection {
            which: "vertical field of view",
            value: degrees,
            range: "above 0 and below 180 degrees",
        }
        .into()),
        _ => Ok(()),
    }
}

/// How far off a sphere fits into the narrower side of the view.
fn fitting_distance(fov_degrees: f64, aspect: f64, radius: f64) -> f64 {
    let vertical = (fov_degrees.to_radians() * 0.5).clamp(1e-3, 1.5);
    let horizontal = (vertical.tan() * aspect).atan();
    radius * MARGIN / vertical.min(horizontal).sin()
}

/// The library's error, under the options' names.
fn refused(error: &PickError) -> Failure {
    let (option, fix) = match error.kind() {
        ErrorKind::Input(InputError::BadProjection { which, .. }) => match *which {
            "near" => ("--near", "give a distance ahead of the camera"),
            "far" => ("--far", "give a distance beyond --near"),
            "half height" => ("--ortho", "give half the height of the view in world units"),
            "aspect" => ("--size", "give a width and height in pixels"),
            _ => ("--fov", "give degrees, such as 45"),
        },
        ErrorKind::Input(InputError::BadMatrix { which, .. }) => match *which {
            "view_from_world" => (
                "--eye, --target and --up",
                "give an eye and a target that differ, and an up that does not point along the line \
                 between them, such as --up 0,0,1",
            ),
            _ => ("--near and --far", "give planes that are farther apart"),
        },
        _ => ("--size", "give a width and height that targets can have"),
    };
    Failure::option(option, error, fix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pick_core::PickPoint;

    fn args() -> CameraArgs {
        CameraArgs::default()
    }

    fn ball() -> Framing {
        Framing {
            center: DVec3::new(10.0, -4.0, 3.0),
            radius: 7.0,
            camera: None,
        }
    }

    #[test]
    fn the_whole_scene_is_in_the_view() {
        for size in [[640, 480], [100, 700]] {
            let args = CameraArgs {
                size: Some(size),
                ..args()
            };
            let view = view(&args, &ball()).expect("a plain camera");
            for axis in DVec3::AXES {
                for side in [-7.0, 7.0] {
                    let seen = view.target_from_world(ball().center + axis * side);
                    let (at, _) = seen.expect("ahead of the eye");
                    let inside = PickPoint::target_pixels(at.x, at.y).pixel(&view);
                    assert!(inside.is_ok(), "{at}");
                }
            }
        }
    }

    #[test]
    fn refusals_name_the_option() {
        let cases = [
            (
                CameraArgs {
                    fov: Some(180.0),
                    ..args()
                },
                "--fov",
            ),
            (
                CameraArgs {
                    fov: Some(f64::NAN),
                    ..args()
                },
                "--fov",
            ),
            (
                CameraArgs {
                    near: Some(f64::NAN),
                    ..args()
                },
                "--near",
            ),
            (
                CameraArgs {
                    near: Some(-1.0),
                    ..args()
                },
                "--near",
            ),
            (
                CameraArgs {
                    far: Some(1e-9),
                    ..args()
                },
                "--far",
            ),
            (
                CameraArgs {
                    ortho: Some(0.0),
                    ..args()
                },
                "--ortho",
            ),
            (
                CameraArgs {
                    ortho: Some(1.0),
                    far: Some(f64::INFINITY),
                    ..args()
                },
                "--far",
            ),
            (
                CameraArgs {
                    eye: Some(DVec3::ONE),
                    target: Some(DVec3::ONE),
                    ..args()
                },
                "--eye",
            ),
            (
                CameraArgs {
                    size: Some([1 << 25, 1]),
                    ..args()
                },
                "--size",
            ),
        ];
        for (args, option) in cases {
            let refused = view(&args, &ball()).expect_err(option).to_string();
            assert!(refused.starts_with(option), "{refused}");
        }
    }
}
