//! Input that cannot be answered ends in a typed error, and the next valid pick works.

use pick_core::{
    Backend, FaceGroups, InputError, InstanceSource, MeshData, MeshSource, Object, PickPoint,
    PixelRect, Request, SubMesh, projection,
};

use crate::bench::{Bench, Outcome, expect};
use crate::case::{Camera, CaseScene, CaseView, Depths, quad};
use crate::cases::{Case, Modes, case};
use crate::oracle::math::M4;
use crate::probe::refused;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("input/points", Modes::Strategies, points),
        case("input/zero_size", Modes::Strategies, zero_size),
        case("input/cameras", Modes::Strategies, cameras),
        case("input/projections", Modes::Once, projections),
        case("input/meshes", Modes::Once, meshes),
        case("input/transforms", Modes::Once, transforms),
        case("input/instances", Modes::Once, instances),
        case("input/failed_pick_then_good", Modes::Strategies, recovery),
        case("input/nan_vertex", Modes::All, nan_vertex),
    ]
}

fn one_quad() -> CaseScene {
    CaseScene::of([quad(1.0..=2.0, 1.0..=2.0, 0.0)])
}

/// Field case 10
fn points<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&one_quad())?;
    let view = Camera::cam_p().build()?;
    let outside = [
        (-1.0, 10.0),
        (-0.001, 10.0),
        (64.0, 10.0),
        (10.0, 64.0),
        (f64::from(u32::MAX), 0.0),
        (0.0, f64::MAX),
    ];
    for (x, y) in outside {
        let asked = Request::point(&view, PickPoint::target_pixels(x, y));
        refused("outside", asked, |input| {
            matches!(input, InputError::PointOutside { .. })
        })?;
    }
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for (x, y) in [(bad, 1.0), (1.0, bad)] {
            for at in [
                PickPoint::target_pixels(x, y),
                PickPoint::normalized(x, y),
                PickPoint::logical_pixels(x, y, 1.5)?,
            ] {
                refused("not finite", at.pixel(&view), |input| {
                    matches!(input, InputError::PointNotFinite { .. })
                })?;
            }
        }
    }
    let image = Request::id_image(&view, PixelRect::new(64, 0, 4, 4));
    refused("a region outside", image, |input| {
        matches!(input, InputError::EmptyRegion)
    })?;
    let image = Request::id_image(&view, PixelRect::new(u32::MAX, u32::MAX, u32::MAX, 1));
    refused("a region far outside", image, |input| {
        matches!(input, InputError::EmptyRegion)
    })?;
    let image = Request::id_image(&view, PixelRect::new(3, 3, 0, 4));
    refused("a region without pixels", image, |input| {
        matches!(input, InputError::EmptyRegion)
    })?;
    bench.hits(&mut stage, &view, [41, 22], 0)?;
    bench.strike(stage)
}

/// Field case 13
fn zero_size<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&one_quad())?;
    let good = Camera::cam_p();
    let view = good.build()?;
    for size in [[0, 0], [0, 64], [64, 0]] {
        let mut empty = good;
        empty.viewport = [0, 0, size[0], size[1]];
        let is_empty = |input: &InputError| matches!(input, InputError::EmptyViewport { .. });
        refused("a view without pixels", empty.build(), is_empty)?;
        let [x, y, width, height] = empty.viewport;
        let resized = view.with_viewport(PixelRect::new(x, y, width, height));
        refused("a resized view without pixels", resized, is_empty)?;
    }
    let huge = view.with_viewport(PixelRect::new(u32::MAX, 0, u32::MAX, 64));
    refused("a viewport beyond all targets", huge, |input| {
        matches!(input, InputError::ViewportTooLarge { .. })
    })?;
    bench.hits(&mut stage, &view, [41, 22], 0)?;
    bench.strike(stage)
}

/// Field case 67
fn cameras<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&one_quad())?;
    let good = Camera::cam_p();
    let bad = |edit: &dyn Fn(&mut CaseView)| {
        let mut view = good;
        edit(&mut view);
        refused("a camera", view.build(), |input| {
            matches!(
                input,
                InputError::BadMatrix { .. } | InputError::DepthMismatch { .. }
            )
        })
    };
    bad(&|view| view.view_from_world[3][0] = f64::NAN)?;
    bad(&|view| view.view_from_world[0][0] = f64::INFINITY)?;
    bad(&|view| view.clip_from_view[1][1] = f64::NAN)?;
    bad(&|view| view.clip_from_view[0] = [0.0; 4])?;
    bad(&|view| view.clip_from_view = [[0.0; 4]; 4])?;
    bad(&|view| view.view_from_world = [[1.0; 4]; 4])?;
    // near = far: clip z is a multiple of clip w.
    bad(&|view| {
        view.clip_from_view[2][2] = -1.0;
        view.clip_from_view[3][2] = 0.0;
    })?;
    // Mixing the conventions: the projection of one, the statement of the other.
    bad(&|view| view.reversed = true)?;
    let mut reversed = Camera::field(64);
    reversed.depths = reversed.depths.reversed();
    let mut mixed = reversed.perspective(90.0);
    mixed.reversed = false;
    refused("mixed depth", mixed.build(), |input| {
        matches!(input, InputError::DepthMismatch { .. })
    })?;
    let mut mixed = reversed.orthographic(5.0);
    mixed.reversed = false;
    refused("mixed orthographic depth", mixed.build(), |input| {
        matches!(input, InputError::DepthMismatch { .. })
    })?;
    bench.hits(&mut stage, &good.build()?, [41, 22], 0)?;
    bench.strike(stage)
}

/// Field case 67
fn projections<B: Backend>(_: &mut Bench<'_, B>) -> Outcome {
    use glam::DVec3;
    use pick_core::DepthConvention::{Reversed, Standard};
    use projection::{DepthRange, frustum, look_at, orthographic, perspective};
    let field = DepthRange::new(0.1, 100.0);
    let is = |input: &InputError| matches!(input, InputError::BadProjection { .. });
    for fov in [0.0, -1.0, std::f64::consts::PI, f64::NAN, f64::INFINITY] {
        refused("fov", perspective(fov, 1.0, field, Standard), is)?;
    }
    for aspect in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused("aspect", perspective(1.0, aspect, field, Reversed), is)?;
        refused("aspect", orthographic(1.0, aspect, field, Reversed), is)?;
    }
    for (near, far) in [(0.1, 0.1), (0.0, 1.0), (-1.0, 1.0), (2.0, 1.0)] {
        let range = DepthRange::new(near, far);
        refused("range", perspective(1.0, 1.0, range, Standard), is)?;
    }
    for range in [
        DepthRange::new(f64::NAN, 1.0),
        DepthRange::new(0.1, f64::NAN),
    ] {
        refused("range", perspective(1.0, 1.0, range, Standard), is)?;
        refused("range", orthographic(1.0, 1.0, range, Standard), is)?;
    }
    let flat = frustum([1.0, 1.0], [-1.0, 1.0], field, Standard);
    refused("flat frustum", flat, is)?;
    let wild = frustum([f64::NAN, 1.0], [-1.0, 1.0], field, Standard);
    refused("wild frustum", wild, is)?;
    let eyes = [
        (DVec3::NAN, DVec3::ZERO, DVec3::Y),
        (DVec3::X, DVec3::ZERO, DVec3::splat(f64::INFINITY)),
        (DVec3::X, DVec3::X, DVec3::Y),
        (DVec3::X, DVec3::ZERO, DVec3::X),
        (DVec3::X, DVec3::ZERO, DVec3::ZERO),
    ];
    for (eye, target, up) in eyes {
        refused("look_at", look_at(eye, target, up), |input| {
            matches!(input, InputError::BadMatrix { .. })
        })?;
    }
    Ok(())
}

fn triangle() -> Vec<[f32; 3]> {
    vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
}

/// Field case 47: what is no list of whole triangles is refused.
fn meshes<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let is_bad = |input: &InputError| matches!(input, InputError::BadMesh { .. });
    let builder = || MeshData::builder(triangle());
    refused(
        "normals",
        builder().normals(vec![[0.0; 3]; 2]).build(),
        is_bad,
    )?;
    refused("uvs", builder().uvs(vec![[0.0; 2]; 4]).build(), is_bad)?;
    refused("line", builder().indices(vec![0, 1]).build(), is_bad)?;
    let beyond = builder().indices(vec![0, 1, 3]).build();
    refused("index", beyond, |input| {
        matches!(
            input,
            InputError::IndexOutOfRange {
                element: 2,
                index: 3,
                vertex_count: 3
            }
        )
    })?;
    for elements in [0..6, 0..2, 1..3, u32::MAX - 2..u32::MAX] {
        let part = builder().submesh(SubMesh::new(elements)).build();
        refused("part", part, is_bad)?;
    }
    #[expect(clippy::reversed_empty_ranges, reason = "this is the bad input")]
    let backwards = builder().submesh(SubMesh::new(3..0)).build();
    refused("backward part", backwards, is_bad)?;
    let faces = |face_of_triangle: Vec<u32>, unshared_vertices| FaceGroups {
        face_of_triangle,
        unshared_vertices,
    };
    let short = builder().faces(faces(Vec::new(), false)).build();
    refused("faces", short, is_bad)?;
    let largest = builder().faces(faces(vec![u32::MAX], false)).build();
    refused("face number", largest, is_bad)?;
    let shared = MeshData::builder(quad(0.0..=1.0, 0.0..=1.0, 0.0).positions)
        .indices(vec![0, 1, 2, 0, 2, 3])
        .faces(faces(vec![0, 1], true))
        .build();
    refused("a vertex of two faces", shared, is_bad)?;
    let stride = pick_core::MeshBuilder::interleaved(&[0; 24], 8, 0);
    refused("stride", stride, is_bad)?;
    let offset = pick_core::MeshBuilder::interleaved(&[0; 24], 12, usize::MAX);
    refused("offset", offset, is_bad)?;
    // The device still takes a good one.
    let created = bench
        .backend
        .create_mesh(&MeshSource::from(builder().build()?))?;
    bench.backend.destroy_mesh(created.id)?;
    refused("twice", bench.backend.destroy_mesh(created.id), |input| {
        matches!(input, InputError::RemovedKey { .. })
    })
}

fn transforms<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&one_quad())?;
    let identity = crate::oracle::math::IDENTITY;
    let bad = |edit: &dyn Fn(&mut M4)| {
        let mut m = identity;
        edit(&mut m);
        glam::DMat4::from_cols_array_2d(&m)
    };
    let matrices = [
        bad(&|m| m[0][0] = f64::NAN),
        bad(&|m| m[3][2] = f64::INFINITY),
        bad(&|m| m[0][3] = 0.5),
        bad(&|m| m[3][3] = 2.0),
    ];
    let is_bad = |input: &InputError| matches!(input, InputError::BadTransform { .. });
    for matrix in matrices {
        let object = Object::new(stage.meshes[0]).at(matrix);
        refused("insert", stage.scene.meshes.insert(object), is_bad)?;
        let moved = stage.scene.meshes.set_transform(stage.objects[0], matrix);
        refused("move", moved, is_bad)?;
    }
    expect("objects", stage.scene.meshes.len(), 1)?;
    bench.hits(&mut stage, &Camera::cam_p().build()?, [41, 22], 0)?;
    bench.strike(stage)
}

fn instances<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = one_quad();
    scene.instances.push(vec![crate::case::identity_rows()]);
    let mut stage = bench.stage(&scene)?;
    let key = stage.instances[0];
    let taken = stage.scene.meshes.remove_instances(bench.backend, key);
    taken?;
    let is_removed = |input: &InputError| matches!(input, InputError::RemovedKey { .. });
    let empty = InstanceSource::Cpu(Vec::new().into());
    let meshes = &mut stage.scene.meshes;
    let updated = meshes.update_instances(bench.backend, key, empty);
    refused("update of a removed set", updated, is_removed)?;
    let object = Object::new(stage.meshes[0]).instanced(key);
    refused("insert", meshes.insert(object), is_removed)?;
    let removed = meshes.remove_instances(bench.backend, key);
    refused("remove twice", removed, is_removed)?;
    stage.instances.clear();
    bench.strike(stage)
}

/// Field case 81, for the failures that exist here.
fn recovery<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&one_quad())?;
    let view = Camera::cam_p().build()?;
    let hurried = bench.point(&view, 41, 22)?.timeout_ms(0);
    let asked = bench.picker.pick(bench.backend, &mut stage.scene, hurried);
    refused("a timeout of 0", asked, |input| {
        matches!(input, InputError::BadTimeout)
    })?;
    let exhausted = bench.point(&view, 41, 22)?.first_id(u32::MAX);
    let extra = Object::new(stage.meshes[0]);
    let extra = stage.scene.meshes.insert(extra)?;
    let asked = bench
        .picker
        .pick(bench.backend, &mut stage.scene, exhausted);
    refused("no ids left", asked, |input| {
        matches!(input, InputError::IdsExhausted { .. })
    })?;
    stage.scene.meshes.remove(extra)?;
    expect("in flight", bench.picker.in_flight(), 0)?;
    bench.hits(&mut stage, &view, [41, 22], 0)?;
    bench.strike(stage)
}

/// Field case 67
fn nan_vertex<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut front = quad(-4.0..=4.0, -4.0..=4.0, 1.0);
    front.positions[1][1] = f32::NAN;
    let mut bare = quad(-4.0..=4.0, -4.0..=4.0, 0.5);
    bare.positions = [0, 1, 2, 0, 2, 3]
        .map(|k: usize| bare.positions[k])
        .to_vec();
    bare.positions[5][0] = f32::INFINITY;
    (bare.indices, bare.normals, bare.uvs) = (None, None, None);
    let scene = CaseScene::of([front, bare, quad(-4.0..=4.0, -4.0..=4.0, 0.0)]);
    let view = Camera {
        depths: Depths::FIELD,
        ..Camera::field(bench.side())
    };
    let view = view.perspective(90.0);
    bench.frame(&crate::frame::Frame::new(&scene, &view))
}
