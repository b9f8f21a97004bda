//! Cameras: the field cases' own numbers, and every camera that must be refused.

use glam::{DMat4, DVec2, DVec3, DVec4};
use pick_core::projection::{DepthRange, frustum, look_at, orthographic, perspective};
use pick_core::{
    DepthConvention, ErrorKind, InputError, PickError, PickPoint, PixelRect, View, Viewport,
};

const SQUARE: Viewport = Viewport::new(0, 0, 64, 64);

/// The field cases' CAM-P, by depth convention and range.
fn cam_p(depth: DepthConvention, range: DepthRange) -> View {
    let eye = look_at(DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, DVec3::Y).unwrap();
    let projection = perspective(90f64.to_radians(), 1.0, range, depth).unwrap();
    View::new(eye, projection, SQUARE, depth).unwrap()
}

fn cam_o(depth: DepthConvention) -> View {
    let eye = look_at(DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, DVec3::Y).unwrap();
    let projection = orthographic(5.0, 1.0, DepthRange::new(0.1, 100.0), depth).unwrap();
    View::new(eye, projection, SQUARE, depth).unwrap()
}

fn center(x: u32, y: u32) -> DVec2 {
    PixelRect::new(x, y, 1, 1).pixel_center(0, 0)
}

fn assert_near(a: DVec3, b: DVec3, tolerance: f64) {
    assert!((a - b).length() <= tolerance, "{a} is not {b}");
}

fn input(error: PickError) -> InputError {
    match error.kind() {
        ErrorKind::Input(input) => input.clone(),
        other => panic!("not an input error: {other:?}"),
    }
}

/// Where a ray meets the plane z = `z`.
fn on_plane(view: &View, pixel: DVec2, z: f64) -> DVec3 {
    let ray = view.ray(pixel);
    ray.at((z - ray.origin.z) / ray.direction.z)
}

/// Field case 8: the point belongs to the pixel's centre.
#[test]
fn rays_go_through_pixel_centers() {
    let view = cam_p(DepthConvention::Standard, DepthRange::new(0.1, 100.0));
    let point = on_plane(&view, center(40, 20), 0.0);
    assert_near(point, DVec3::new(1.328125, 1.796875, 0.0), 1e-12);
}

#[test]
fn depth_on_the_plane_is_the_field_cases_number() {
    let range = DepthRange::new(0.1, 100.0);
    let origin = DVec3::ZERO;
    let standard = cam_p(DepthConvention::Standard, range);
    let (place, depth) = standard.target_from_world(origin).unwrap();
    assert_eq!(place, DVec2::splat(32.0));
    assert!((depth - 0.980981).abs() < 1e-6);
    let reversed = cam_p(DepthConvention::Reversed, range);
    let (_, depth) = reversed.target_from_world(origin).unwrap();
    assert!((depth - 0.019019).abs() < 1e-6);
}

/// Field case 56: the same pixel under two projections.
#[test]
fn unprojecting_undoes_projecting_under_every_projection() {
    let mut views = vec![
        cam_o(DepthConvention::Standard),
        cam_o(DepthConvention::Reversed),
    ];
    for depth in [DepthConvention::Standard, DepthConvention::Reversed] {
        for range in [DepthRange::new(0.1, 100.0), DepthRange::from(0.1)] {
            views.push(cam_p(depth, range));
        }
    }
    for view in views {
        let seen = on_plane(&view, center(40, 20), -5.0);
        let (_, depth) = view.target_from_world(seen).unwrap();
        assert_near(view.unproject(center(40, 20), depth), seen, 1e-6);
        let distance = (seen - view.eye()).dot(view.forward());
        assert_near(view.at_view_distance(center(40, 20), distance), seen, 1e-12);
    }
}

/// Field case 15: an off-centre projection is read off its matrix.
#[test]
fn off_center_frusta_are_not_rebuilt() {
    let depth = DepthConvention::Standard;
    let eye = look_at(DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, DVec3::Y).unwrap();
    let range = DepthRange::new(0.1, 100.0);
    let projection = frustum([-0.05, 0.15], [-0.1, 0.1], range, depth).unwrap();
    let view = View::new(eye, projection, SQUARE, depth).unwrap();
    let point = on_plane(&view, center(16, 32), 0.0);
    assert_near(point, DVec3::new(0.078125, -0.078125, 0.0), 1e-12);
}

#[test]
fn near_and_far_bound_the_ray() {
    let range = DepthRange::new(0.1, 100.0);
    let ray = cam_p(DepthConvention::Reversed, range).ray(DVec2::splat(32.0));
    assert!((ray.t_near - 0.1).abs() < 1e-12);
    assert!((ray.t_far - 100.0).abs() < 1e-9);
    let endless = cam_p(DepthConvention::Reversed, DepthRange::from(0.1));
    assert_eq!(endless.ray(DVec2::splat(32.0)).t_far, f64::INFINITY);
    let endless = cam_p(DepthConvention::Standard, DepthRange::from(0.1));
    assert_eq!(endless.ray(DVec2::splat(32.0)).t_far, f64::INFINITY);
    let flat = cam_o(DepthConvention::Standard).ray(center(40, 20));
    assert_eq!(flat.t_near, 0.0);
    assert!((flat.t_far - 99.9).abs() < 1e-9);
    assert!((flat.origin.z - 4.9).abs() < 1e-12, "on the near plane");
}

/// Field case 4: the viewport's offset is taken off once.
#[test]
fn viewports_inside_a_target_keep_their_offset() {
    let view = cam_p(DepthConvention::Standard, DepthRange::new(0.1, 100.0));
    let shifted = view.with_viewport(Viewport::new(64, 0, 64, 64)).unwrap();
    assert_eq!(shifted.ray(center(105, 22)), view.ray(center(41, 22)));
    let outside = PickPoint::target_pixels(41.0, 22.0).pixel(&shifted);
    assert!(matches!(
        input(outside.unwrap_err()),
        InputError::PointOutside { .. }
    ));
}

/// Field cases 1 and 3: each unit is scaled once, by its own constructor.
#[test]
fn points_name_pixels_in_every_unit() {
    let view = cam_p(DepthConvention::Standard, DepthRange::new(0.1, 100.0));
    let pixel = |point: PickPoint| point.pixel(&view).unwrap();
    assert_eq!(pixel(PickPoint::target_pixels(41.0, 22.0)), [41, 22]);
    assert_eq!(pixel(PickPoint::target_pixels(41.99, 22.5)), [41, 22]);
    assert_eq!(
        pixel(PickPoint::logical_pixels(20.8, 11.2, 2.0).unwrap()),
        [41, 22]
    );
    assert_eq!(pixel(PickPoint::normalized(0.0, 0.0)), [0, 0]);
    assert_eq!(pixel(PickPoint::normalized(0.999, 0.5)), [63, 32]);
    let large = view.with_viewport(Viewport::new(0, 0, 96, 96)).unwrap();
    let logical = PickPoint::logical_pixels(41.6, 22.4, 1.5).unwrap();
    assert_eq!(logical.pixel(&large).unwrap(), [62, 33]);
}

/// Field cases 6 and 10: what lies outside is an error, and never another pixel.
#[test]
fn points_outside_are_input_errors() {
    let view = cam_p(DepthConvention::Standard, DepthRange::new(0.1, 100.0));
    let far = f64::from(u32::MAX);
    for (x, y) in [
        (-1.0, 10.0),
        (64.0, 10.0),
        (10.0, 64.0),
        (far, 0.0),
        (-1e-9, 0.0),
    ] {
        let error = PickPoint::target_pixels(x, y).pixel(&view).unwrap_err();
        assert!(
            matches!(input(error), InputError::PointOutside { .. }),
            "({x}, {y})"
        );
    }
    let corner = PickPoint::normalized(1.0, 1.0).pixel(&view).unwrap_err();
    assert!(matches!(input(corner), InputError::PointOutside { .. }));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = PickPoint::target_pixels(bad, 3.0).pixel(&view).unwrap_err();
        assert!(matches!(input(error), InputError::PointNotFinite { .. }));
    }
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(PickPoint::logical_pixels(1.0, 1.0, scale).is_err());
    }
}

/// Field case 13: a view without pixels cannot be made, and the next one can.
#[test]
fn empty_viewports_are_refused() {
    let view = cam_p(DepthConvention::Standard, DepthRange::new(0.1, 100.0));
    for (width, height) in [(0, 0), (0, 64), (64, 0)] {
        let error = view
            .with_viewport(Viewport::new(0, 0, width, height))
            .unwrap_err();
        assert_eq!(input(error), InputError::EmptyViewport { width, height });
    }
    assert!(view.with_viewport(SQUARE).is_ok());
    assert!(
        view.with_viewport(Viewport::new(u32::MAX, 0, 2, 2))
            .is_err()
    );
}

/// Field case 58: a projection cannot be used under the other convention.
#[test]
fn mixed_depth_conventions_are_refused() {
    let range = DepthRange::new(0.1, 100.0);
    let both = [DepthConvention::Standard, DepthConvention::Reversed];
    for (drawn, stated) in [(both[0], both[1]), (both[1], both[0])] {
        for view in [
            cam_p(drawn, range),
            cam_o(drawn),
            cam_p(drawn, DepthRange::from(0.1)),
        ] {
            let (camera, projection) = (view.view_from_world(), view.clip_from_view());
            let error = View::new(camera, projection, SQUARE, stated).unwrap_err();
            assert_eq!(input(error), InputError::DepthMismatch { stated });
        }
    }
}

/// Field case 67: a camera that is no camera is an error, not a miss.
#[test]
fn broken_cameras_are_refused() {
    let (depth, range) = (DepthConvention::Reversed, DepthRange::new(0.1, 100.0));
    let nan = DVec3::new(f64::NAN, 0.0, 0.0);
    assert!(look_at(nan, DVec3::ZERO, DVec3::Y).is_err());
    assert!(look_at(DVec3::Z, DVec3::ZERO, DVec3::splat(f64::INFINITY)).is_err());
    assert!(look_at(DVec3::Z, DVec3::Z, DVec3::Y).is_err());
    assert!(look_at(DVec3::Y, DVec3::ZERO, DVec3::Y).is_err());
    for fov in [0.0, -1.0, std::f64::consts::PI, f64::NAN] {
        assert!(perspective(fov, 1.0, range, depth).is_err());
    }
    for bad in [
        (0.0, 1.0),
        (1.0, 1.0),
        (2.0, 1.0),
        (f64::NAN, 1.0),
        (0.1, f64::NAN),
    ] {
        let range = DepthRange::new(bad.0, bad.1);
        assert!(perspective(1.0, 1.0, range, depth).is_err(), "{bad:?}");
    }
    let camera = look_at(DVec3::Z, DVec3::ZERO, DVec3::Y).unwrap();
    let singular = DMat4::from_cols(DVec4::X, DVec4::Y, DVec4::ZERO, DVec4::W);
    let broken = DMat4::from_cols(DVec4::X, DVec4::Y, DVec4::NAN, DVec4::W);
    let huge = DMat4::from_scale(DVec3::splat(1e19));
    for matrix in [singular, broken, DMat4::ZERO, huge] {
        assert!(View::new(camera, matrix, SQUARE, depth).is_err());
        let projection = perspective(1.0, 1.0, range, depth).unwrap();
        assert!(View::new(matrix, projection, SQUARE, depth).is_err());
    }
}

/// Field case 65: cameras far from the origin keep their precision, and are not taken for singular.
#[test]
fn far_cameras_are_sound() {
    for x in [300_000.0, 1_200_000.0, 1e9] {
        let eye = DVec3::new(x, 0.0, 5.0);
        let camera = look_at(eye, DVec3::new(x, 0.0, 0.0), DVec3::Y).unwrap();
        let (depth, range) = (DepthConvention::Reversed, DepthRange::new(0.1, 100.0));
        let projection = perspective(90f64.to_radians(), 1.0, range, depth).unwrap();
        let view = View::new(camera, projection, SQUARE, depth).unwrap();
        let point = on_plane(&view, center(40, 20), 0.0);
        assert_near(point, DVec3::new(x + 1.328125, 1.796875, 0.0), x * 1e-14);
    }
}

/// Field case 16: a zoomed pixel is exactly the pixel, also far away.
#[test]
fn zooming_keeps_pixel_centers_and_edges() {
    let view = cam_p(DepthConvention::Standard, DepthRange::new(0.1, 100.0));
    let region = PixelRect::new(10, 20, 3, 2);
    for margin in [0, 32] {
        let zoomed = view.zoom(region, f64::from(margin)) * view.clip_from_world();
        for (column, row) in [(0, 0), (2, 1)] {
            let point = on_plane(&view, region.pixel_center(column, row), 0.0);
            let clip = zoomed * point.extend(1.0);
            let ndc = DVec2::new(clip.x, clip.y) / clip.w;
            let (m, shown) = (f64::from(margin), 2.0 * f64::from(margin));
            let expected = DVec2::new(
                (f64::from(column) + 0.5 + m) / (3.0 + shown) * 2.0 - 1.0,
                1.0 - (f64::from(row) + 0.5 + m) / (2.0 + shown) * 2.0,
            );
            assert!((ndc - expected).length() < 1e-12);
        }
    }
}

#[test]
fn winding_flips_under_mirroring_views_only() {
    let view = cam_p(DepthConvention::Reversed, DepthRange::new(0.1, 100.0));
    assert!(!view.flips_winding());
    let mirrored = DMat4::from_scale(DVec3::new(-1.0, 1.0, 1.0)) * view.view_from_world();
    let depth = view.depth();
    let flipped = View::new(mirrored, view.clip_from_view(), SQUARE, depth).unwrap();
    assert!(flipped.flips_winding());
    assert!(!cam_o(DepthConvention::Standard).flips_winding());
}

/// Near and far are distances in the world, also under a view matrix that scales its axes differently.
#[test]
fn scaled_view_matrices_keep_near_and_far() {
    let view = cam_p(DepthConvention::Reversed, DepthRange::new(1.0, 10.0));
    let stretched = DMat4::from_scale(DVec3::new(2.0, 1.0, 1.0)) * view.view_from_world();
    let view = View::new(stretched, view.clip_from_view(), SQUARE, view.depth()).unwrap();
    let ray = view.ray(DVec2::new(63.5, 32.0));
    for (t, plane) in [(ray.t_near, 1.0), (ray.t_far, 10.0)] {
        assert!((5.0 - ray.at(t).z - plane).abs() < 1e-9, "{t}");
    }
}
