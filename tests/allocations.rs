//! A steady-state pick allocates nothing of ours: counted on the CPU backend, where nobody else does.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::{DMat4, DVec3};
use pick::cpu::CpuBackend;
use pick::projection::{DepthRange, look_at, perspective};
use pick::{
    BuiltinStrategy, DepthConvention, InstanceSource, MeshData, Object, PickPoint, Picker, Request,
    Scene, Strategy as _, View, Viewport,
};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call goes to the system allocator unchanged; the counter does not allocate.
#[expect(unsafe_code, reason = "counting allocations takes an allocator")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's contract is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's contract is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Triangles of the large mesh.
const CLUSTERED: u32 = 6000;

fn view() -> View {
    let depth = DepthConvention::Reversed;
    let camera = look_at(DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, DVec3::Y).unwrap();
    let projection = perspective(1.0, 1.0, DepthRange::from(0.1), depth).unwrap();
    View::new(camera, projection, Viewport::new(0, 0, 64, 64), depth).unwrap()
}

/// More than 255 draws, so that stencil-ID takes two planes; a few copies; and a mesh so large that a
/// pick draws runs of its triangles.
fn scene(backend: &mut CpuBackend) -> Scene {
    let mut scene = Scene::new();
    let triangle = vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = MeshData::builder(triangle).build().unwrap();
    let mesh = scene.meshes.add_mesh(backend, mesh).unwrap();
    for i in 0..300 {
        let place = DMat4::from_translation(DVec3::new(0.0, 0.0, -f64::from(i)));
        scene.meshes.insert(Object::new(mesh).at(place)).unwrap();
    }
    let row = |x: f32| {
        [
            [1.0, 0.0, 0.0, x],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.5],
        ]
    };
    let copies = InstanceSource::Cpu(Arc::from([row(-1.0), row(0.0), row(1.0)]));
    let copies = scene.meshes.add_instances(backend, copies).unwrap();
    let copies = Object::new(mesh).instanced(copies);
    scene.meshes.insert(copies).unwrap();
    let strip = (0..CLUSTERED).flat_map(|k| {
        let x = (k as f32 / CLUSTERED as f32 - 0.5) * 8.0;
        [[x, -1.0, 1.0], [x + 0.01, -1.0, 1.0], [x, 1.0, 1.0]]
    });
    let strip = MeshData::builder(strip.collect::<Vec<_>>())
        .build()
        .unwrap();
    let strip = scene.meshes.add_mesh(backend, strip).unwrap();
    scene.meshes.insert(Object::new(strip)).unwrap();
    scene
}

/// Field case 87: nothing is made for a pick and lost after it.
#[test]
fn steady_picks_allocate_nothing() {
    let mut backend = CpuBackend::new();
    let mut scene = scene(&mut backend);
    let mut picker = Picker::new();
    let view = view();
    for strategy in BuiltinStrategy::ALL {
        let request = |x: u32| {
            let at = PickPoint::target_pixels(f64::from(x), 32.0);
            Request::point(&view, at).unwrap().strategy(strategy)
        };
        // Objects that are new go into the tree first.
        picker
            .prepare(&mut backend, &mut scene, &request(32))
            .unwrap();
        let mut copies = 0;
        let mut pick = |x: u32| {
            let request = request(x);
            let answer = picker.pick(&mut backend, &mut scene, request).unwrap();
            copies += answer.report.culling.instances;
        };
        (0..4).for_each(&mut pick);
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        (0..64).for_each(&mut pick);
        let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
        assert_eq!(allocated, 0, "{}", strategy.name());
        assert!(copies > 0, "some picks draw the copies");
    }
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    drop(vec![0u8; 16]);
    assert!(
        ALLOCATIONS.load(Ordering::Relaxed) > before,
        "the counter counts"
    );
}
