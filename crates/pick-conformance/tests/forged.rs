//! Read-backs that no honest device would give end in a typed error or in an answer that holds
//! together; nothing panics. `PICK_FUZZ_SECONDS` lengthens the search.

use std::time::{Duration, Instant};

use pick_conformance::case::{
    Camera, CaseObject, CasePart, CaseScene, CaseView, Depths, Stage, boxed, quad, rows_at,
};
use pick_conformance::forge::{Fake, Fate};
use pick_conformance::mode::Mode;
use pick_core::layout::FRONT_BIT;
use pick_core::{
    Culling, ErrorKind, Hit, PickError, PickPoint, Picker, PixelRect, PrimitiveIndex, Request,
    StencilRead,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// A plain object, copies, a part of a mesh, faces in ids, and geometry that the CPU forgot.
fn scene() -> CaseScene {
    let mut scene = CaseScene::of([quad(-4.0..=4.0, -4.0..=4.0, 0.0)]);
    let mut parts = boxed(0.5);
    parts.parts = vec![CasePart::new(0..6), CasePart::new(6..36)];
    scene.show(parts.forgotten());
    scene.meshes.push(boxed(1.0));
    scene
        .instances
        .push((0..5).map(|k| rows_at([k as f32, 0.0, 0.0])).collect());
    scene.add(CaseObject::new(2).instanced(0));
    scene
}

#[derive(Clone, Debug)]
struct Forgery {
    mode: usize,
    view: usize,
    frame: bool,
    bit_draws: bool,
    depth_beside_stencil: bool,
    cut: bool,
    first_id: u32,
    bytes: Vec<u8>,
}

/// Bytes by chance, and words of the sizes that ids, depths and triangles have.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        any::<u32>(),
        0..80_u32,
        (0..40_u32).prop_map(|p| p | FRONT_BIT),
        any::<f32>().prop_map(f32::to_bits),
        (0.0..1.0_f32).prop_map(f32::to_bits),
        Just(f32::NAN.to_bits()),
        Just(f32::INFINITY.to_bits()),
        Just(u32::MAX),
    ];
    let words = proptest::collection::vec(word, 0..40);
    let words = words.prop_map(|words| words.into_iter().flat_map(u32::to_le_bytes).collect());
    prop_oneof![words, proptest::collection::vec(any::<u8>(), 0..70)]
}

fn forgeries() -> impl Strategy<Value = Forgery> {
    let first = prop_oneof![4 => Just(1), 1 => any::<u32>(), 1 => u32::MAX - 80..=u32::MAX];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (0..Mode::ALL.len(), 0..views().len(), flags, first, bytes()).prop_map(
        |(mode, view, (frame, bit_draws, depth, cut), first_id, bytes)| Forgery {
            mode,
            view,
            frame,
            bit_draws,
            depth_beside_stencil: depth,
            cut,
            first_id,
            bytes,
        },
    )
}

fn views() -> [CaseView; 4] {
    let mut open = Camera::field(64);
    open.depths = Depths {
        near: 0.1,
        far: f64::INFINITY,
        reversed: true,
    };
    let mut reversed = Camera::field(64);
    reversed.depths = reversed.depths.reversed();
    [
        Camera::cam_p(),
        Camera::cam_o(),
        open.perspective(90.0),
        reversed.perspective(70.0),
    ]
}

/// Runs a forgery; an error is what must not be.
fn run(forged: &Forgery) -> Result<(), String> {
    let fate = match forged.cut {
        true => Fate::Cut {
            bytes: forged.bytes.clone(),
        },
        false => Fate::Ready {
            bytes: forged.bytes.clone(),
            after: 0,
        },
    };
    let mut fake = Fake::with([fate]);
    fake.caps.stencil_depth_read = forged.depth_beside_stencil;
    fake.caps.depth32_stencil8 = true;
    if forged.bit_draws {
        fake.caps.stencil_read = StencilRead::BitDraws;
        fake.caps.primitive_index = PrimitiveIndex::Missing;
    }
    let told = ask(&mut fake, forged);
    match told {
        Ok(hits) => hits.iter().try_for_each(holds_together),
        Err(error) => match error.kind() {
            ErrorKind::UnknownId { .. }
            | ErrorKind::UnknownPrimitive { .. }
            | ErrorKind::Broken { .. }
            | ErrorKind::Unsupported { .. }
            | ErrorKind::Input(_) => Ok(()),
            other => Err(format!("an error of the wrong kind: {other:?}")),
        },
    }
}

fn ask(fake: &mut Fake, forged: &Forgery) -> Result<Vec<Hit>, PickError> {
    let mut stage = Stage::build(fake, &scene())?;
    let view = views()[forged.view].build()?;
    let mode = Mode::ALL[forged.mode];
    let mut picker = Picker::new();
    if forged.frame {
        let region = PixelRect::new(3, 5, 4, 3);
        let request = Request::id_image(&view, region)?
            .with(mode.options())
            .culling(Culling::Off)
            .first_id(forged.first_id);
        let image = picker.pick(fake, &mut stage.scene, request)?.result;
        let hits = (0..12).filter_map(|k| image.hit(k % 4, k / 4).transpose());
        return hits.collect();
    }
    let request = Request::point(&view, PickPoint::target_pixels(40.0, 20.0))?
        .with(mode.options())
        .culling(Culling::Off)
        .first_id(forged.first_id);
    let answer = picker.pick(fake, &mut stage.scene, request)?;
    Ok(answer.result.into_iter().collect())
}

/// Whatever is given is a number, and within what there is.
fn holds_together(hit: &Hit) -> Result<(), String> {
    let unit = |v: glam::DVec3| (v.length() - 1.0).abs() < 1e-6;
    let surface = hit.surface;
    let checks = [
        ("an object", hit.object.is_some()),
        (
            "a copy of five",
            hit.instance.is_ok_and(|i| i < 5) || hit.instance.is_err(),
        ),
        (
            "a triangle",
            hit.primitive.is_ok_and(|p| p < 12) || hit.primitive.is_err(),
        ),
        ("a face", hit.face.is_ok_and(|f| f < 6) || hit.face.is_err()),
        ("a depth", hit.depth.map_or(true, f32::is_finite)),
        ("a point", hit.point.map_or(true, glam::DVec3::is_finite)),
        ("a distance", hit.distance.map_or(true, f64::is_finite)),
        ("a face normal", surface.face_normal.map_or(true, unit)),
        ("a normal", surface.normal.map_or(true, unit)),
        (
            "uv",
            surface
                .uv
                .map_or(true, |uv| uv.iter().all(|c| c.is_finite())),
        ),
    ];
    match checks.iter().find(|(_, holds)| !holds) {
        None => Ok(()),
        Some((what, _)) => Err(format!("not {what}: {hit:?}")),
    }
}

#[test]
fn any_bytes_are_an_answer_or_a_typed_error() {
    let seconds = std::env::var("PICK_FUZZ_SECONDS");
    let seconds: u64 = seconds.ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut tried = 0_u64;
    loop {
        let mut runner = TestRunner::new(Config {
            cases: 2_000,
            failure_persistence: None,
            ..Config::default()
        });
        let searched = runner.run(&forgeries(), |forged| {
            run(&forged).map_err(TestCaseError::fail)
        });
        tried += 2_000;
        if let Err(found) = searched {
            panic!("after {tried} forgeries: {found}");
        }
        if Instant::now() >= end {
            println!("{tried} forgeries");
            return;
        }
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn told(mode: &str, bytes: Vec<u8>) -> Result<Vec<Hit>, PickError> {
    let mode = Mode::ALL.iter().position(|m| m.name == mode).unwrap_or(0);
    let forged = Forgery {
        mode,
        view: 0,
        frame: false,
        bit_draws: false,
        depth_beside_stencil: true,
        cut: false,
        first_id: 1,
        bytes: bytes.clone(),
    };
    let fate = Fate::Ready { bytes, after: 0 };
    ask(&mut Fake::with([fate]), &forged)
}

/// Field cases 26 and 43: object right, triangle 0xBEEF of 2.
#[test]
fn a_triangle_that_is_not_there_is_named() {
    let half = 0.5_f32.to_bits();
    let error = told("detailed", words(&[1, half, 0xBEEF, half])).unwrap_err();
    let right = ErrorKind::UnknownPrimitive {
        primitive: 0xBEEF,
        count: 2,
    };
    assert_eq!(*error.kind(), right);
    // The number of draws that have none.
    let error = told("detailed", words(&[1, half, FRONT_BIT - 1, half])).unwrap_err();
    assert!(matches!(
        error.kind(),
        ErrorKind::UnknownPrimitive { count: 2, .. }
    ));
}

/// Field cases 26 and 43: one object, two parts, five copies, so ids 1 to 8; copy 9 is id 13.
#[test]
fn an_id_that_nobody_was_given_is_named() {
    let half = 0.5_f32.to_bits();
    for mode in ["color_id", "detailed"] {
        for id in [9, 13, 0x0100_0001, u32::MAX] {
            let error = told(mode, words(&[id, half, 0, half])).unwrap_err();
            let right = ErrorKind::UnknownId { id, handed_out: 8 };
            assert_eq!(*error.kind(), right, "{mode}");
        }
    }
    // Draw numbers 1 to 4.
    let error = told("stencil_id", vec![9]).unwrap_err();
    let right = ErrorKind::UnknownId {
        id: 9,
        handed_out: 4,
    };
    assert_eq!(*error.kind(), right);
}

/// Field case 60: what no device should give must still be no number that is none.
#[test]
fn depths_and_distances_that_are_no_numbers_are_not_given() -> Result<(), String> {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
        for mode in ["color_id", "integer_id", "detailed"] {
            let bits = bad.to_bits();
            for hit in told(mode, words(&[1, bits, 0, bits])).unwrap_or_default() {
                holds_together(&hit)?;
            }
        }
    }
    Ok(())
}

#[test]
fn a_read_back_that_is_cut_off_is_broken() {
    let mut forged = Forgery {
        mode: 0,
        view: 0,
        frame: true,
        bit_draws: false,
        depth_beside_stencil: true,
        cut: true,
        first_id: 1,
        bytes: Vec::new(),
    };
    for mode in 0..Mode::ALL.len() {
        forged.mode = mode;
        let fate = Fate::Cut { bytes: vec![0; 11] };
        let error = ask(&mut Fake::with([fate]), &forged).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Broken { .. }), "{error}");
    }
}
