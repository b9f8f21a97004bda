//! A steady-state pick allocates nothing of ours. What a driver allocates is its own, in C.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use glam::{DMat4, DVec3};
use pick_core::projection::{DepthRange, look_at, perspective};
use pick_core::{
    Backend, BuiltinStrategy, DepthConvention, InstanceSource, MeshData, Object, PickPoint, Picker,
    PixelRect, Request, Scene, Strategy as _, View,
};
use pick_vulkan::{Selector, VulkanBackend, adapters};

struct Counting;

thread_local! {
    /// Of this thread: the test harness has threads of its own.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that ends has no counter any more.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call goes to the system allocator unchanged; the counter does not allocate.
#[expect(unsafe_code, reason = "counting allocations takes an allocator")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's contract is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's contract is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn view() -> View {
    let depth = DepthConvention::Reversed;
    let camera = look_at(DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, DVec3::Y).unwrap();
    let projection = perspective(1.0, 1.0, DepthRange::from(0.1), depth).unwrap();
    View::new(camera, projection, PixelRect::new(0, 0, 64, 64), depth).unwrap()
}

/// 300 draws, so that stencil-ID takes two planes, an instanced one, and one of so many copies that they
/// are culled.
fn scene(backend: &mut VulkanBackend) -> Scene {
    let mut scene = Scene::new();
    let triangle = vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
    let data = MeshData::builder(triangle).indices(vec![0, 1, 2]);
    let mesh = scene
        .meshes
        .add_mesh(backend, data.build().unwrap())
        .unwrap();
    for i in 0..300 {
        let place = DMat4::from_translation(DVec3::new(0.0, 0.0, -f64::from(i)));
        scene.meshes.insert(Object::new(mesh).at(place)).unwrap();
    }
    let rows = [
        [1.0, 0.0, 0.0, 0.2],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
    ];
    let copies = InstanceSource::Cpu(Arc::from([rows; 3]));
    let copies = scene.meshes.add_instances(backend, copies).unwrap();
    scene
        .meshes
        .insert(Object::new(mesh).instanced(copies))
        .unwrap();
    let many = (0..12_000).map(|k: u16| {
        let mut rows = rows;
        rows[0][3] = f32::from(k % 100) - 50.0;
        rows[2][3] = -f32::from(k);
        rows
    });
    let many = InstanceSource::Cpu(many.collect());
    let many = scene.meshes.add_instances(backend, many).unwrap();
    let many = Object::new(mesh).instanced(many);
    scene.meshes.insert(many).unwrap();
    scene
}

/// Field case 87: nothing is made for a pick and lost after it.
fn steady_picks_allocate_nothing(name: &str) {
    let all = adapters().unwrap_or_default();
    if !all.iter().any(|a| a.name.to_lowercase().contains(name)) {
        let demanded = std::env::var("PICK_REQUIRE_DRIVERS").unwrap_or_default();
        assert!(demanded.is_empty(), "{name} is not here");
        return eprintln!("skipped: {name} is not here");
    }
    let mut backend = VulkanBackend::headless(&Selector::any().named(name)).unwrap();
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
        let mut pick = |x: u32| {
            let request = request(x);
            let answer = picker.pick(&mut backend, &mut scene, request).unwrap();
            let culling = answer.report.culling;
            assert_eq!(culling.instances - culling.instances_untested, 12_000);
        };
        // Whatever the pixels see is made once.
        (0..40).for_each(&mut pick);
        let before = ALLOCATIONS.get();
        (0..40).for_each(&mut pick);
        assert_eq!(ALLOCATIONS.get() - before, 0, "{}", strategy.name());
    }
    backend.drive();
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(vec![0u8; 16]));
    assert!(ALLOCATIONS.get() > before, "the counter counts");
}

#[test]
fn lavapipe() {
    steady_picks_allocate_nothing("llvmpipe");
}

#[test]
fn swiftshader() {
    steady_picks_allocate_nothing("swiftshader");
}
