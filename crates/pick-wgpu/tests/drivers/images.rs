//! Every pixel of the little scene against the CPU backend: strategies, triangle sources, depth
//! conventions, geometry that is kept and geometry that is forgotten.

use pick_core::{
    AnyStrategy, Backend, BuiltinStrategy, Capability, ColorId, DepthConvention, Detailed,
    ErrorKind, Hit, IdImage, IntegerId, MeshData, MeshSource, PickError, Picker, PrimitiveIndex,
    PrimitiveSource, Request, StencilId, SurfaceSource, View,
};
use pick_cpu::CpuBackend;
use pick_wgpu::WgpuBackend;

use crate::common::driver::Driver;
use crate::common::on_each_driver;
use crate::common::scene::{SIDE, forgotten, kept, little, middle, view, whole};

on_each_driver! {
    strategies_agree_with_the_cpu,
    triangle_sources_agree_with_the_cpu,
    integer_ids_name_the_face,
    points_agree_with_images,
    the_first_pick_equals_the_second,
    the_self_test_gives_a_verdict,
    the_first_detailed_pick_brings_the_self_test,
}

/// What of a hit must agree.
#[derive(Clone, Debug, PartialEq)]
struct Named {
    tag: u64,
    instance: Option<u32>,
    primitive: Option<u32>,
    front: Option<bool>,
}

fn named(hit: &Hit) -> Named {
    Named {
        tag: hit.tag,
        instance: hit.instance.ok(),
        primitive: hit.primitive.ok(),
        front: hit.front_facing.ok(),
    }
}

fn image<B: Backend>(
    backend: &mut B,
    view: &View,
    source: fn(MeshData) -> MeshSource,
    change: impl Fn(Request<IdImage>) -> Request<IdImage>,
) -> Result<IdImage, PickError> {
    let mut scene = little(backend, source);
    let request = change(Request::id_image(view, whole()).unwrap());
    let mut picker = Picker::new();
    let answer = picker.pick(backend, &mut scene, request)?;
    Ok(answer.result)
}

fn hit(image: &IdImage, column: u32, row: u32) -> Option<Hit> {
    image.hit(column, row).expect("known ids only")
}

/// True where the pixel and all of its neighbours show the same triangle.
fn is_inside(truth: &IdImage, column: u32, row: u32) -> bool {
    let here = hit(truth, column, row).as_ref().map(named);
    let around = |at: u32| at.saturating_sub(1)..=(at + 1).min(SIDE - 1);
    around(row).all(|y| around(column).all(|x| hit(truth, x, y).as_ref().map(named) == here))
}

/// Compares wherever no edge is near, and gives the number of pixels with something in them.
fn compare(driver: Driver, view: &View, got: &IdImage, truth: &IdImage) -> u32 {
    let mut covered = 0;
    for (row, column) in (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (row, column))) {
        if !is_inside(truth, column, row) {
            continue;
        }
        let (got, truth) = (hit(got, column, row), hit(truth, column, row));
        let at = format!("{driver:?} ({column}, {row})");
        let (Some(got), Some(truth)) = (&got, &truth) else {
            assert_eq!(got.is_some(), truth.is_some(), "{at}");
            continue;
        };
        covered += 1;
        assert_eq!(got.tag, truth.tag, "{at}");
        let (told, expected) = (named(got), named(truth));
        assert!(
            told.instance.is_none() || told.instance == expected.instance,
            "{at}"
        );
        if told.primitive.is_some() {
            assert_eq!(told, expected, "{at}");
        }
        if let (Ok(depth), Ok(true_depth)) = (got.depth, truth.depth) {
            let (depth, true_depth) = (f64::from(depth), f64::from(true_depth));
            let error = (depth - true_depth).abs() / true_depth;
            assert!(
                error < driver.depth_tolerance(),
                "{at}: {depth} {true_depth}"
            );
        }
        if let (Ok(point), Ok(true_point)) = (got.point, truth.point) {
            let reach = (true_point - view.eye()).length();
            let error = (point - true_point).length() / reach;
            assert!(error < 0.01, "{at}: {point} {true_point}");
        }
        compare_surface(&at, got, truth);
    }
    covered
}

fn compare_surface(at: &str, got: &Hit, truth: &Hit) {
    let (told, expected) = (&got.surface, &truth.surface);
    if let (Ok(normal), Ok(expected)) = (told.face_normal, expected.face_normal) {
        assert!(normal.dot(expected) > 0.999, "{at}: {normal} {expected}");
    }
    if let (Ok(normal), Ok(expected)) = (told.normal, expected.normal) {
        assert!(normal.dot(expected) > 0.999, "{at}: {normal} {expected}");
    }
    if let (Ok(uv), Ok(expected)) = (told.uv, expected.uv) {
        let error = (uv[0] - expected[0]).abs().max((uv[1] - expected[1]).abs());
        assert!(error < 0.01, "{at}: {uv:?} {expected:?}");
    }
    assert_eq!(
        got.face.ok().and(truth.face.ok()),
        got.face.ok().and(got.face.ok()),
        "{at}"
    );
}

fn truth(view: &View, strategy: impl Into<AnyStrategy>) -> IdImage {
    let strategy = strategy.into();
    image(&mut CpuBackend::new(), view, kept, |r| {
        r.strategy(strategy.clone())
    })
    .unwrap()
}

const CONVENTIONS: [DepthConvention; 2] = [DepthConvention::Standard, DepthConvention::Reversed];

fn lacks(error: &PickError, lacking: Capability) -> bool {
    matches!(error.kind(), ErrorKind::Unsupported { capability, .. } if *capability == lacking)
}

/// All strategies under both depth conventions, kept geometry.
fn strategies_agree_with_the_cpu(driver: Driver) {
    let mut backend = driver.backend();
    for convention in CONVENTIONS {
        let view = view(convention);
        let truth = truth(&view, Detailed);
        for strategy in BuiltinStrategy::ALL {
            let got = image(&mut backend, &view, kept, |r| r.strategy(strategy));
            let got = match got {
                Ok(got) => got,
                Err(error) => {
                    let stencil = strategy == BuiltinStrategy::StencilId(StencilId);
                    assert!(stencil && !backend.caps().depth32_stencil8, "{error}");
                    assert!(lacks(&error, Capability::TargetFormat), "{error}");
                    continue;
                }
            };
            let covered = compare(driver, &view, &got, &truth);
            assert!(covered > 200, "{driver:?} {strategy:?} {covered}");
        }
    }
}

/// Detailed by each triangle source forced, kept and forgotten geometry, both surfaces.
fn triangle_sources_agree_with_the_cpu(driver: Driver) {
    let mut backend = driver.backend();
    let view = view(DepthConvention::Reversed);
    let truth = truth(&view, Detailed);
    let sources = [
        PrimitiveSource::Builtin,
        PrimitiveSource::Pulled,
        PrimitiveSource::Expanded,
    ];
    for source in sources {
        for (keep, geometry) in [(true, kept as fn(_) -> _), (false, forgotten)] {
            for surface in [SurfaceSource::Auto, SurfaceSource::Gpu] {
                let got = image(&mut backend, &view, geometry, |r| {
                    r.primitive_source(source).surface(surface)
                });
                match (source, got) {
                    (PrimitiveSource::Builtin, Err(error)) => {
                        assert!(!driver.has_builtin(), "{error}");
                        assert!(lacks(&error, Capability::PrimitiveIndex), "{error}");
                    }
                    (PrimitiveSource::Expanded, Err(error)) => {
                        assert!(!keep, "{error}");
                        assert!(lacks(&error, Capability::ExpandedGeometry), "{error}");
                    }
                    (_, got) => {
                        let got = got.expect("this source is here");
                        assert!(compare(driver, &view, &got, &truth) > 200);
                    }
                }
            }
        }
    }
}

/// Faces packed beside the object in one integer.
fn integer_ids_name_the_face(driver: Driver) {
    let mut backend = driver.backend();
    let view = view(DepthConvention::Standard);
    let truth = truth(&view, Detailed);
    let got = image(&mut backend, &view, kept, |r| r.strategy(IntegerId)).unwrap();
    let mut faces = std::collections::BTreeSet::new();
    for (row, column) in (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (row, column))) {
        if !is_inside(&truth, column, row) {
            continue;
        }
        let (got, truth) = (hit(&got, column, row), hit(&truth, column, row));
        let (Some(got), Some(truth)) = (got, truth) else {
            continue;
        };
        if truth.tag != 4 {
            assert_eq!(got.face, truth.face, "({column}, {row})");
            faces.insert(got.face.unwrap());
        }
    }
    assert!(faces.len() >= 3, "{faces:?}");
}

/// A point gives what the image has there, by every strategy.
fn points_agree_with_images(driver: Driver) {
    let mut backend = driver.backend();
    let view = view(DepthConvention::Standard);
    for strategy in BuiltinStrategy::ALL {
        let image = image(&mut backend, &view, kept, |r| r.strategy(strategy)).unwrap();
        let mut scene = little(&mut backend, kept);
        let request = middle(&view).strategy(strategy);
        let answer = Picker::new()
            .pick(&mut backend, &mut scene, request)
            .unwrap();
        let point = answer.result.expect("the middle cube");
        let pixel = hit(&image, SIDE / 2, SIDE / 2).expect("the middle cube");
        assert_eq!(
            (point.tag, named(&point)),
            (1, named(&pixel)),
            "{strategy:?}"
        );
    }
}

/// Field case 82: the first pick on a new backend equals the second one.
fn the_first_pick_equals_the_second(driver: Driver) {
    let view = view(DepthConvention::Standard);
    for strategy in BuiltinStrategy::ALL {
        let mut backend = driver.backend();
        let mut scene = little(&mut backend, kept);
        let mut picker = Picker::new();
        let mut pick = || {
            let request = middle(&view).strategy(strategy);
            picker
                .pick(&mut backend, &mut scene, request)
                .unwrap()
                .result
        };
        let (first, second) = (pick().unwrap(), pick().unwrap());
        assert_eq!(
            (first.tag, named(&first)),
            (1, named(&second)),
            "{strategy:?}"
        );
    }
}

/// Field case 40: the builtin is tried before it is trusted.
fn the_self_test_gives_a_verdict(driver: Driver) {
    let mut backend = driver.backend();
    let before = backend.caps().primitive_index;
    let read = backend.start_self_test(10_000).unwrap();
    backend.wait(Some(&read), 10_000).unwrap();
    backend.drive();
    let verdict = backend.caps().primitive_index;
    match driver.has_builtin() {
        true => assert_eq!(
            (before, verdict),
            (PrimitiveIndex::Untested, PrimitiveIndex::Trusted)
        ),
        false => assert_eq!(
            (before, verdict),
            (PrimitiveIndex::Missing, PrimitiveIndex::Missing)
        ),
    }
    let forgotten = backend.memory().geometry_bytes;
    assert_eq!(forgotten, 0, "the picture of the test is given back");
}

/// The self-test comes along with the first pick that asks for triangles.
fn the_first_detailed_pick_brings_the_self_test(driver: Driver) {
    let mut backend: WgpuBackend = driver.backend();
    let view = view(DepthConvention::Standard);
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    picker
        .pick(&mut backend, &mut scene, middle(&view).strategy(ColorId))
        .unwrap();
    let untested = backend.caps().primitive_index;
    picker
        .pick(&mut backend, &mut scene, middle(&view))
        .unwrap();
    backend.drive();
    let verdict = backend.caps().primitive_index;
    match driver.has_builtin() {
        true => assert_eq!(
            (untested, verdict),
            (PrimitiveIndex::Untested, PrimitiveIndex::Trusted)
        ),
        false => assert_eq!(verdict, PrimitiveIndex::Missing),
    }
}
