//! Frames of shapes under every kind of camera, transform and mesh layout.

use pick_core::Backend;

use crate::case::{
    Camera, CaseMesh, CaseObject, CasePart, CaseScene, CaseView, Depths, boxed, grid, quad, scaled,
    shifted, sphere,
};
use crate::cases::{Case, Dice, Shot, frame};
use crate::oracle::math::{M4, V3, product};

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    let mut all = views();
    all.extend(transforms());
    all.extend(layouts());
    all
}

/// A box, a sphere and a quad that cut through each other, off the axes.
fn still_life() -> CaseScene {
    let mut scene = CaseScene::default();
    scene.show_at(boxed(1.0), product(&shifted([-1.3, 0.2, 0.4]), &turn(3)));
    scene.show_at(sphere(1.2, 6), shifted([1.1, -0.3, -0.5]));
    scene.show_at(
        quad(-3.0..=3.0, -2.5..=2.5, -1.0),
        product(&shifted([0.07, 0.05, 0.0]), &turn(5)),
    );
    scene
}

/// A rotation by chance.
fn turn(seed: u64) -> M4 {
    Dice::new(seed).rotation()
}

fn from_the_side(viewport: [u32; 4], depths: Depths) -> Camera {
    Camera {
        eye: [1.7, 1.1, 4.6],
        target: [0.05, -0.1, 0.0],
        up: [0.1, 1.0, 0.0],
        viewport,
        depths,
    }
}

fn square(side: u32) -> [u32; 4] {
    [0, 0, side, side]
}

fn views<B: Backend + 'static>() -> Vec<Case<B>> {
    const OPEN: Depths = Depths {
        near: 0.1,
        far: f64::INFINITY,
        reversed: false,
    };
    let seen = |name: &str, view: fn(u32) -> CaseView| {
        frame(name, move |side| {
            Shot::new(still_life(), view(side)).ambiguous(0.35)
        })
    };
    vec![
        seen("view/perspective", |side| {
            from_the_side(square(side), Depths::FIELD).perspective(60.0)
        }),
        seen("view/perspective_reversed", |side| {
            from_the_side(square(side), Depths::FIELD.reversed()).perspective(60.0)
        }),
        seen("view/perspective_infinite", |side| {
            from_the_side(square(side), OPEN).perspective(60.0)
        }),
        seen("view/perspective_infinite_reversed", |side| {
            from_the_side(square(side), OPEN.reversed()).perspective(60.0)
        }),
        seen("view/orthographic", |side| {
            from_the_side(square(side), Depths::FIELD).orthographic(2.5)
        }),
        seen("view/orthographic_reversed", |side| {
            from_the_side(square(side), Depths::FIELD.reversed()).orthographic(2.5)
        }),
        seen("view/off_centre", |side| {
            let camera = from_the_side(square(side), Depths::FIELD);
            camera.frustum([-0.03, 0.09, -0.08, 0.05])
        }),
        seen("view/off_centre_reversed_infinite", |side| {
            let camera = from_the_side(square(side), OPEN.reversed());
            camera.frustum([-0.09, 0.03, -0.05, 0.08])
        }),
        seen("view/viewport_offset", |side| {
            from_the_side([37, 11, side, side], Depths::FIELD).perspective(60.0)
        }),
        seen("view/wide_viewport", |side| {
            from_the_side([5, 0, side * 2, side / 2], Depths::FIELD).perspective(40.0)
        }),
        seen("view/left_handed", |side| {
            let mut view = from_the_side(square(side), Depths::FIELD).perspective(60.0);
            // View space looks down +z: its z and the projection's third column change sign.
            for column in &mut view.view_from_world {
                column[2] = -column[2];
            }
            view.clip_from_view[2] = view.clip_from_view[2].map(|c| -c);
            view
        }),
        seen("view/mirrored_projection", |side| {
            let mut view = from_the_side(square(side), Depths::FIELD).perspective(60.0);
            for column in &mut view.clip_from_view {
                column[0] = -column[0];
            }
            view
        }),
        seen("view/scaled_view_matrix", |side| {
            // A host that works in centimetres: view space is 100 times world space.
            let camera = from_the_side(square(side), Depths::FIELD);
            let mut far = camera;
            far.depths = Depths {
                near: 10.0,
                far: 10_000.0,
                reversed: false,
            };
            let mut view = far.perspective(60.0);
            let zoom = scaled([100.0; 3], [0.0; 3]);
            view.view_from_world = product(&zoom, &view.view_from_world);
            view
        }),
        frame("view/inside_a_box", |side| {
            let camera = Camera::field(side);
            let scene = CaseScene::of([boxed(7.0)]);
            Shot::new(scene, camera.perspective(90.0)).ambiguous(0.3)
        }),
        frame("view/through_the_near_plane", |side| {
            // A long floor from behind the eye to the horizon.
            let mut scene = CaseScene::default();
            scene.show_at(
                quad(-50.0..=50.0, -50.0..=50.0, 0.0),
                scaled([1.0, 1.0, 1.0], [0.3, 0.2, 0.0]),
            );
            scene.show_at(boxed(0.5), shifted([0.2, 1.4, 0.4]));
            let camera = Camera {
                eye: [0.1, -3.0, 0.9],
                target: [0.0, 1.0, 0.3],
                up: [0.0, 0.0, 1.0],
                viewport: square(side),
                depths: Depths::FIELD,
            };
            Shot::new(scene, camera.perspective(70.0)).ambiguous(0.3)
        }),
    ]
}

fn transforms<B: Backend + 'static>() -> Vec<Case<B>> {
    let placed = |name: &str, matrix: fn() -> M4| {
        frame(name, move |side| {
            let mut scene = CaseScene::default();
            scene.show_at(boxed(1.0), matrix());
            let camera = from_the_side(square(side), Depths::FIELD);
            Shot::new(scene, camera.perspective(45.0)).ambiguous(0.3)
        })
    };
    vec![
        placed("transform/rotated", || turn(11)),
        placed("transform/mirrored", || {
            product(&scaled([-1.0, 1.2, 0.9], [0.1, 0.2, 0.0]), &turn(12))
        }),
        placed("transform/uneven_scale", || {
            product(&scaled([1.8, 0.4, 1.1], [0.0; 3]), &turn(13))
        }),
        placed("transform/sheared", || {
            let mut m = turn(14);
            m[1][0] += 0.7;
            m[2][1] -= 0.4;
            m
        }),
        placed("transform/tiny_mesh_scaled_up", || {
            product(&turn(15), &scaled([1.3; 3], [0.0; 3]))
        }),
        frame("transform/flattened_object", |side| {
            let mut scene = CaseScene::default();
            scene.show_at(sphere(1.5, 5), scaled([1.0, 1.0, 0.0], [0.1, 0.05, 0.0]));
            scene.show_at(quad(-3.0..=3.0, -3.0..=3.0, -1.0), turn(0));
            let camera = from_the_side(square(side), Depths::FIELD);
            Shot::new(scene, camera.perspective(60.0)).ambiguous(1.0)
        }),
        frame("transform/vanishing_object", |side| {
            let mut scene = CaseScene::default();
            scene.show_at(boxed(1.0), scaled([0.0; 3], [0.0; 3]));
            scene.show_at(boxed(1.0), scaled([0.0, 0.0, 1.0], [0.0; 3]));
            scene.show(quad(-1.0..=1.0, -1.0..=1.0, -1.0));
            let camera = from_the_side(square(side), Depths::FIELD);
            Shot::new(scene, camera.perspective(60.0))
        }),
        frame("transform/a_million_times_larger", |side| {
            huge(side, 1e6, [0.0; 3])
        }),
        frame("transform/a_millionth_as_large", |side| {
            huge(side, 1e-6, [0.0; 3])
        }),
        frame("transform/a_million_away", |side| {
            huge(side, 1.0, [1e6, -2e6, 3e6])
        }),
    ]
}

/// The still life at a scale and a place, seen by a camera that scales and moves with it.
fn huge(side: u32, by: f64, at: V3) -> Shot {
    let mut scene = still_life();
    let place = scaled([by; 3], at);
    for object in &mut scene.objects {
        object.world_from_object = product(&place, &object.world_from_object);
    }
    let mut camera = from_the_side(
        square(side),
        Depths {
            near: 0.1 * by,
            far: 100.0 * by,
            reversed: false,
        },
    );
    let moved = |p: V3| std::array::from_fn(|k| p[k] * by + at[k]);
    camera.eye = moved(camera.eye);
    camera.target = moved(camera.target);
    Shot::new(scene, camera.perspective(60.0)).ambiguous(0.35)
}

fn layouts<B: Backend + 'static>() -> Vec<Case<B>> {
    let shown = |name: &str, mesh: fn() -> CaseMesh| {
        frame(name, move |side| {
            let mut scene = CaseScene::default();
            scene.show_at(mesh(), product(&shifted([0.05, 0.1, 0.2]), &turn(21)));
            scene.show(quad(-2.1..=1.9, -2.2..=1.8, -1.7));
            let camera = from_the_side(square(side), Depths::FIELD);
            Shot::new(scene, camera.perspective(55.0)).ambiguous(0.45)
        })
    };
    vec![
        shown("mesh/indexed", || boxed(1.2)),
        shown("mesh/indices_of_16_bits", || CaseMesh {
            narrow: true,
            ..boxed(1.2)
        }),
        shown("mesh/no_indices", || unindexed(&boxed(1.2))),
        shown("mesh/no_normals_no_uvs", || CaseMesh {
            normals: None,
            uvs: None,
            ..boxed(1.2)
        }),
        shown("mesh/uploaded_and_forgotten", || sphere(1.4, 5).forgotten()),
        shown("mesh/uploaded_without_indices", || {
            unindexed(&boxed(1.2)).forgotten()
        }),
        shown("mesh/parts", || parts(boxed(1.2))),
        shown("mesh/parts_uploaded_and_forgotten", || {
            parts(boxed(1.2)).forgotten()
        }),
        shown("mesh/faces_that_share_vertices", || {
            let mut mesh = grid(4);
            mesh.faces = Some((0..32).map(|t| t / 8).collect());
            mesh
        }),
        shown("mesh/parts_that_overlap", || {
            let mut mesh = boxed(1.2);
            mesh.parts = vec![CasePart::new(6..18), CasePart::new(0..36)];
            mesh
        }),
        frame("mesh/shared_by_objects", |side| {
            let mut scene = CaseScene::of([boxed(0.8)]);
            scene.add(CaseObject::new(0).at(shifted([1.9, 0.3, -0.2])));
            scene.add(CaseObject::new(0).at(product(&shifted([-1.9, -0.3, 0.1]), &turn(8))));
            let camera = from_the_side(square(side), Depths::FIELD);
            Shot::new(scene, camera.perspective(60.0)).ambiguous(0.35)
        }),
        frame("mesh/nothing_at_all", |side| {
            Shot::new(CaseScene::default(), Camera::field(side).perspective(90.0)).ambiguous(0.0)
        }),
        frame("mesh/without_triangles", |side| {
            let empty = CaseMesh::default();
            let only_vertices = CaseMesh {
                positions: vec![[0.0; 3]; 7],
                indices: Some(Vec::new()),
                ..CaseMesh::default()
            };
            let scene = CaseScene::of([empty, only_vertices, quad(-1.0..=1.0, -1.0..=1.0, 0.0)]);
            Shot::new(scene, Camera::field(side).perspective(90.0))
        }),
        frame("mesh/degenerate_triangles", |side| {
            let mut mesh = quad(-3.0..=3.0, -3.0..=3.0, 0.0);
            mesh.indices = Some(vec![0, 0, 0, 0, 1, 1, 0, 1, 2, 2, 1, 2, 0, 2, 3]);
            Shot::new(CaseScene::of([mesh]), Camera::field(side).perspective(90.0))
        }),
    ]
}

fn unindexed(mesh: &CaseMesh) -> CaseMesh {
    let list = mesh.indices.clone().unwrap_or_default();
    let take = |k: &u32| *k as usize;
    CaseMesh {
        positions: list.iter().map(|k| mesh.positions[take(k)]).collect(),
        normals: mesh
            .normals
            .as_ref()
            .map(|all| list.iter().map(|k| all[take(k)]).collect()),
        uvs: mesh
            .uvs
            .as_ref()
            .map(|all| list.iter().map(|k| all[take(k)]).collect()),
        indices: None,
        ..mesh.clone()
    }
}

/// Three parts that differ in what they have; the middle one is empty.
fn parts(mut mesh: CaseMesh) -> CaseMesh {
    let mut bare = CasePart::new(18..36);
    bare.normals = false;
    bare.uvs = false;
    mesh.parts = vec![CasePart::new(0..18), CasePart::new(18..18), bare];
    mesh
}
