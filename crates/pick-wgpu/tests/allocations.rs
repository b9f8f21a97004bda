//! A steady-state pick allocates nothing of ours. wgpu allocates in its own calls, for every encoder and
//! every submission: whose an allocation is says the innermost frame on the stack that is ours or wgpu's.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use glam::{DMat4, DVec3};
use pick_core::projection::{DepthRange, look_at, perspective};
use pick_core::{
    BuiltinStrategy, DepthConvention, InstanceSource, MeshData, Object, PickPoint, Picker,
    PixelRect, Request, Scene, Strategy as _, View,
};
use pick_wgpu::{Selector, WgpuBackend};

struct Tracing;

thread_local! {
    /// Of this thread: the test harness, and wgpu's drivers, have threads of their own.
    static TRACES: Cell<bool> = const { Cell::new(false) };
    /// The frames of each stack, once: resolving their names takes long.
    static STACKS: RefCell<HashSet<Vec<usize>>> = RefCell::default();
}

fn trace() {
    // A thread that ends has no flag any more. What the trace itself allocates is not traced.
    if TRACES.try_with(|traces| traces.replace(false)) == Ok(true) {
        let mut stack = Vec::new();
        backtrace::trace(|frame| {
            stack.push(frame.ip() as usize);
            true
        });
        STACKS.with_borrow_mut(|stacks| stacks.insert(stack));
        TRACES.set(true);
    }
}

// SAFETY: every call goes to the system allocator unchanged; tracing is off while it allocates.
#[expect(unsafe_code, reason = "tracing allocations takes an allocator")]
unsafe impl GlobalAlloc for Tracing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        trace();
        // SAFETY: the caller's contract is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        trace();
        // SAFETY: the caller's contract is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Tracing = Tracing;

/// A function, and the folders of the file that it is in.
#[derive(Clone, Debug, PartialEq)]
struct Function {
    name: String,
    folders: Vec<String>,
}

impl Function {
    fn of(symbol: &backtrace::Symbol) -> Self {
        let folders = symbol.filename().into_iter().flat_map(|path| path.iter());
        Self {
            name: symbol
                .name()
                .map_or(String::new(), |name| format!("{name:#}")),
            folders: folders.map(|f| f.to_string_lossy().into_owned()).collect(),
        }
    }

    fn lies_in(&self, folder: &str) -> bool {
        self.folders.iter().any(|name| name.starts_with(folder))
    }

    /// Ours, wgpu's, or of something that both may call.
    fn is_ours(&self) -> Option<bool> {
        // This file has the allocator.
        let is_test = self
            .folders
            .last()
            .is_some_and(|file| file == "allocations.rs");
        if self.lies_in("rustc") || is_test {
            return None;
        }
        if self.lies_in("pick-") {
            return Some(true);
        }
        // Dependencies may be built without the names of their files.
        let of_wgpu = ["wgpu::", "wgpu_core::", "wgpu_hal::"];
        let is_wgpus = of_wgpu.iter().any(|krate| self.name.contains(krate));
        (is_wgpus || self.lies_in("wgpu")).then_some(false)
    }
}

/// The functions on the stacks of what `work` allocates, the innermost first.
fn traced(work: impl FnOnce()) -> Vec<Vec<Function>> {
    TRACES.set(true);
    work();
    TRACES.set(false);
    let mut known = HashMap::<usize, Vec<Function>>::new();
    let stacks = STACKS.take().into_iter().map(|stack| {
        let functions = stack.into_iter().map(|ip| {
            let resolved = known.entry(ip).or_insert_with(|| {
                let mut found = Vec::new();
                backtrace::resolve(ip as *mut _, |symbol| found.push(Function::of(symbol)));
                found
            });
            resolved.clone()
        });
        functions.flatten().collect()
    });
    stacks.collect()
}

fn is_ours(stack: &[Function]) -> bool {
    let whose = stack.iter().find_map(Function::is_ours);
    whose.unwrap_or(false)
}

fn view() -> View {
    let depth = DepthConvention::Reversed;
    let camera = look_at(DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, DVec3::Y).unwrap();
    let projection = perspective(1.0, 1.0, DepthRange::from(0.1), depth).unwrap();
    View::new(camera, projection, PixelRect::new(0, 0, 64, 64), depth).unwrap()
}

/// 300 draws, so that stencil-ID takes two planes, and one of so many copies that they are culled.
fn scene(backend: &mut WgpuBackend) -> Scene {
    let mut scene = Scene::new();
    let meshes = &mut scene.meshes;
    let triangle = vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
    let data = MeshData::builder(triangle).indices(vec![0, 1, 2]);
    let mesh = meshes.add_mesh(backend, data.build().unwrap()).unwrap();
    for i in 0..300 {
        let place = DMat4::from_translation(DVec3::new(0.0, 0.0, -f64::from(i)));
        meshes.insert(Object::new(mesh).at(place)).unwrap();
    }
    let many = (0..12_000).map(|k: u16| {
        [
            [1.0, 0.0, 0.0, f32::from(k % 100) - 50.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, -f32::from(k)],
        ]
    });
    let many = InstanceSource::Cpu(many.collect::<Arc<[_]>>());
    let many = meshes.add_instances(backend, many).unwrap();
    meshes.insert(Object::new(mesh).instanced(many)).unwrap();
    scene
}

/// Field case 87: nothing is made for a pick and lost after it.
fn steady_picks_allocate_nothing(name: &str, api: wgpu::Backend, demanded_as: &str) {
    let selector = Selector::any().named(name).backend(api);
    let Ok(mut backend) = WgpuBackend::headless_blocking(&selector) else {
        let demanded = std::env::var("PICK_REQUIRE_DRIVERS").unwrap_or_default();
        let needed = demanded.split(',').any(|name| name.trim() == demanded_as);
        assert!(!needed, "{demanded_as} is not here");
        return eprintln!("skipped: {demanded_as} is not here");
    };
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
        (20..36).for_each(&mut pick);
        let stacks = traced(|| (20..24).for_each(&mut pick));
        assert!(!stacks.is_empty(), "wgpu allocates, and it is traced");
        let ours = stacks.iter().find(|stack| is_ours(stack));
        assert_eq!(ours, None, "{}", strategy.name());
    }
    // A caller's own work is seen as what it is.
    let own = traced(|| {
        drop(
            MeshData::builder(vec![[0.0; 3]; 3])
                .indices(vec![0, 1, 2])
                .build(),
        )
    });
    assert!(own.iter().any(|stack| is_ours(stack)), "{own:?}");
}

#[test]
fn lavapipe() {
    steady_picks_allocate_nothing("llvmpipe", wgpu::Backend::Vulkan, "lavapipe");
}

#[test]
fn gl() {
    steady_picks_allocate_nothing("llvmpipe", wgpu::Backend::Gl, "gl");
}
