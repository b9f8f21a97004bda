//! The triangle under the cursor and what it says: number, weights, normals, texture coordinates.

use pick_core::{Backend, PrimitiveIndex, PrimitiveSource, Withheld};

use crate::bench::{Bench, Outcome, expect, wrong};
use crate::case::{Asking, Camera, CaseMesh, CaseScene, CaseView, grid, quad, scaled};
use crate::cases::{Case, Modes, case};
use crate::frame::Frame;
use crate::oracle::math::{V3, length, sub};

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case(
            "surface/both_triangles_of_a_quad",
            Modes::Detailed,
            quad_triangles,
        ),
        case(
            "surface/grid_of_32_triangles",
            Modes::Detailed,
            grid_triangles,
        ),
        case("surface/caller_order", Modes::Detailed, reversed_indices),
        case("surface/last_index_of_16_bits", Modes::Detailed, last_index),
        case("surface/weights_sum_to_one", Modes::Detailed, weights),
        case("surface/weights_in_order", Modes::Detailed, weight_order),
        case("surface/normal_under_uneven_scale", Modes::Detailed, uneven),
        case("surface/says_why_not", Modes::All, withheld),
        case("surface/builtin_where_missing", Modes::Once, builtin),
        case("surface/gpu_equals_cpu", Modes::Once, gpu_equals_cpu),
    ]
}

fn two_by_two() -> CaseMesh {
    quad(-2.0..=2.0, -2.0..=2.0, 0.0)
}

/// Field case 40
fn quad_triangles<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&CaseScene::of([two_by_two()]))?;
    let view = Camera::cam_p().build()?;
    for (pixel, right) in [([32, 32], 0), ([31, 31], 1), ([43, 44], 0), ([20, 20], 1)] {
        let hit = bench.hits(&mut stage, &view, pixel, 0)?;
        expect("the triangle", hit.primitive, Ok(right))?;
    }
    bench.strike(stage)
}

/// Field case 42
fn grid_triangles<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let scene = CaseScene::of([grid(4)]);
    let view = Camera::field(bench.side()).perspective(90.0);
    bench.frame(&Frame::new(&scene, &view).ambiguous(0.5))?;
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    let region = view.viewport();
    let image = bench.image(&mut stage.scene, &view, region, &Asking::default())?;
    let mut seen = [false; 32];
    for k in 0..64 * 64 {
        if let Some(hit) = image.hit(k % 64, k / 64)? {
            match hit.primitive {
                Ok(primitive) if primitive < 32 => seen[primitive as usize] = true,
                other => return wrong(format!("triangle {other:?} of 32")),
            }
        }
    }
    expect("all 32 triangles", seen, [true; 32])?;
    bench.strike(stage)
}

/// Field case 48
fn reversed_indices<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut mesh = two_by_two();
    mesh.indices = mesh.indices.map(|list| list.into_iter().rev().collect());
    let mut stage = bench.stage(&CaseScene::of([mesh]))?;
    let view = Camera::cam_p().build()?;
    // The list now reads 3 2 0, 2 1 0: both triangles show their backs.
    for (pixel, right, weights) in [
        ([43, 44], 1, [0.011_718_75, 0.937_5, 0.050_781_25]),
        ([20, 20], 0, [0.898_437_5, 0.050_781_25, 0.050_781_25]),
    ] {
        let hit = bench.hits(&mut stage, &view, pixel, 0)?;
        expect("the triangle", hit.primitive, Ok(right))?;
        expect("front", hit.front_facing, Ok(false))?;
        if let Ok(told) = hit.surface.barycentric {
            expect("weights", length(sub(told, weights)) < 1e-5, true)?;
        }
    }
    bench.strike(stage)
}

/// Field case 49
fn last_index<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut positions = vec![[100.0, 100.0, 0.0]; 65_536];
    positions[65_533] = [-2.0, -2.0, 0.0];
    positions[65_534] = [2.0, -2.0, 0.0];
    positions[65_535] = [0.0, 2.0, 0.0];
    let mesh = CaseMesh {
        positions,
        indices: Some(vec![0, 1, 2, 3, 4, 5, 65_533, 65_534, 65_535]),
        narrow: true,
        ..CaseMesh::default()
    };
    let mut stage = bench.stage(&CaseScene::of([mesh]))?;
    let hit = bench.hits(&mut stage, &Camera::cam_p().build()?, [32, 36], 0)?;
    expect("the triangle", hit.primitive, Ok(2))?;
    bench.strike(stage)
}

/// Field case 50
fn weights<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mesh = two_by_two();
    let corners = mesh.positions.clone();
    let mut stage = bench.stage(&CaseScene::of([mesh]))?;
    let view = Camera::cam_p().build()?;
    let region = view.viewport();
    let image = bench.image(&mut stage.scene, &view, region, &Asking::default())?;
    for k in 0..64 * 64 {
        let Some(hit) = image.hit(k % 64, k / 64)? else {
            continue;
        };
        let (Ok(weights), Ok(point), Ok(primitive)) =
            (hit.surface.barycentric, hit.point, hit.primitive)
        else {
            if bench.gives().surface_from_gpu {
                continue;
            }
            return wrong(format!("no weights: {hit:?}"));
        };
        let sum: f64 = weights.iter().sum();
        expect("the sum", (sum - 1.0).abs() < 1e-6, true)?;
        let vertices = [[0, 1, 2], [0, 2, 3]][primitive as usize];
        let corners = vertices.map(|v: usize| corners[v].map(f64::from));
        let rebuilt = crate::oracle::math::blend(corners, weights);
        let off = length(sub(rebuilt, point.to_array()));
        expect("the point from the weights", off < 1e-3, true)?;
    }
    bench.strike(stage)
}

/// Field case 51
fn weight_order<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&CaseScene::of([two_by_two()]))?;
    let view = Camera::cam_p().build()?;
    let rows: [([u32; 2], u32, V3, [f64; 2]); 2] = [
        ([43, 44], 0, [0.0508, 0.9375, 0.0117], [0.949, 0.012]),
        ([20, 20], 1, [0.0508, 0.0508, 0.8984], [0.051, 0.949]),
    ];
    for (pixel, triangle, weights, uv) in rows {
        let hit = bench.hits(&mut stage, &view, pixel, 0)?;
        expect("the triangle", hit.primitive, Ok(triangle))?;
        if let Ok(told) = hit.surface.barycentric {
            expect("weights", length(sub(told, weights)) < 1e-3, true)?;
        }
        let slack = 1e-3 + bench.slack(0.04);
        match hit.surface.uv {
            Ok(told) if (told[0] - uv[0]).hypot(told[1] - uv[1]) < slack => {}
            other => return wrong(format!("uv is {other:?}, not {uv:?}")),
        }
    }
    bench.strike(stage)
}

/// Field case 53
fn uneven<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let slope = std::f32::consts::FRAC_1_SQRT_2;
    let mesh = CaseMesh {
        positions: vec![
            [1.0, 0.0, -1.0],
            [1.0, 0.0, 1.0],
            [0.0, 1.0, 1.0],
            [0.0, 1.0, -1.0],
        ],
        normals: Some(vec![[slope, slope, 0.0]; 4]),
        indices: Some(vec![0, 2, 1, 0, 3, 2]),
        ..CaseMesh::default()
    };
    let mut scene = CaseScene::default();
    scene.show_at(mesh, scaled([2.0, 1.0, 1.0], [0.0; 3]));
    let view: CaseView = Camera {
        eye: [3.0, 5.0, 0.0],
        up: [0.0, 0.0, 1.0],
        ..Camera::field(64)
    }
    .perspective(90.0);
    let mut stage = bench.stage(&scene)?;
    let hit = bench.hits(&mut stage, &view.build()?, [34, 30], 0)?;
    bench.stands_at(&hit, [0.113_66, 0.943_17, 0.232_67], bench.slack(0.2))?;
    let right = [0.447_21, 0.894_43, 0.0];
    for normal in [hit.surface.normal, hit.surface.face_normal] {
        match normal {
            Ok(told) if length(sub(told.to_array(), right)) < 1e-3 => {}
            other => return wrong(format!("a normal is {other:?}, not {right:?}")),
        }
    }
    bench.strike(stage)
}

/// What is not given says why, for every combination of what a mesh can lack.
fn withheld<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let bare = CaseMesh {
        normals: None,
        uvs: None,
        ..two_by_two()
    };
    let scene = CaseScene::of([bare.clone(), bare.forgotten()]);
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    for object in 0..2 {
        let hit = bench.hits(&mut stage, &view, [20, 24], object)?;
        let surface = hit.surface;
        expect("copy", hit.instance, Err(Withheld::NotInstanced))?;
        let (face, normal, uv) = if bench.mode.is_detailed() {
            (Withheld::NoFaces, Withheld::NoNormals, Withheld::NoUvs)
        } else {
            (Withheld::Strategy, Withheld::Strategy, Withheld::Strategy)
        };
        expect("face", hit.face, Err(face))?;
        expect("normal", surface.normal, Err(normal))?;
        expect("uv", surface.uv, Err(uv))?;
        if bench.mode.is_detailed() && (object == 1 || bench.gives().surface_from_gpu) {
            let none = Err(Withheld::NoCpuGeometry);
            expect("weights", surface.barycentric, none)?;
        }
        stage.scene.meshes.set_visible(stage.objects[0], false)?;
    }
    bench.strike(stage)
}

/// Field cases 40 and 45: the caps say what is known of the builtin, and forcing it where it is
/// missing names it.
fn builtin<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&CaseScene::of([two_by_two()]))?;
    let view = Camera::cam_p().build()?;
    bench.backend.start_self_test(10_000)?;
    bench.hits(&mut stage, &view, [20, 24], 0)?;
    for _ in 0..1000 {
        bench.backend.drive();
        if bench.backend.caps().primitive_index != PrimitiveIndex::Untested {
            break;
        }
        bench.backend.wait(None, 10_000)?;
    }
    let known = bench.backend.caps().primitive_index;
    let request = bench.point(&view, 20, 24)?;
    let request = request.primitive_source(PrimitiveSource::Builtin);
    let asked = bench.picker.pick(bench.backend, &mut stage.scene, request);
    let named = asked.as_ref().err().map(|error| error.kind().clone());
    match (known, named) {
        (PrimitiveIndex::Trusted, None) => {}
        (
            PrimitiveIndex::Missing | PrimitiveIndex::Failed,
            Some(pick_core::ErrorKind::Unsupported {
                capability: pick_core::Capability::PrimitiveIndex,
                ..
            }),
        ) => {}
        (known, told) => return wrong(format!("the builtin is {known:?}, and the pick {told:?}")),
    }
    // Auto falls back to what there is.
    bench.hits(&mut stage, &view, [20, 24], 0)?;
    bench.strike(stage)
}

/// The GPU's own surface must say what the exact triangle says.
fn gpu_equals_cpu<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mesh = crate::case::sphere(2.0, 5);
    let mut scene = CaseScene::default();
    let place = scaled([1.0, 0.6, 1.4], [0.05, 0.1, 0.0]);
    scene.show_at(mesh.clone(), place);
    scene.show_at(mesh.forgotten(), scaled([1.0, 0.6, 1.4], [0.05, 3.6, 0.0]));
    let view = Camera::field(bench.side()).perspective(90.0);
    for mode in crate::mode::Mode::ALL {
        if mode.is_detailed() && mode.surface == pick_core::SurfaceSource::Gpu {
            let usual = std::mem::replace(&mut bench.mode, mode);
            let compared = bench.frame(&Frame::new(&scene, &view).ambiguous(0.6));
            bench.mode = usual;
            compared?;
        }
    }
    Ok(())
}
