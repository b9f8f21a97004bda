//! Culling of instances: what picks share and what they outlive, what hosts write amid their frames, and
//! what is no culling.

use std::sync::Arc;

use pick_core::layout::CullParams;
use pick_core::{
    AnyStrategy, Backend, Caps, ComputeBinding, ComputeStep, DepthConvention, ErrorKind, Hit,
    HostInstances, InstanceFormat, InstanceSource, InstancesKey, IntegerId, Kernel, KernelParams,
    Object, ObjectKey, PickError, PickPoint, Picker, Plan, Request, Samples, Scene, Step, Strategy,
    StrategyShader, Texels, View,
};
use pick_vulkan::VulkanBackend;
use pick_vulkan::ash::vk;

use crate::common::driver::Driver;
use crate::common::host::{Frame, Host, HostOptions};
use crate::common::inject;
use crate::common::on_each_driver;
use crate::common::scene::{SIDE, crowd, cube, kept, middle, view};

on_each_driver! {
    large_sets,
    picks_under_way_keep_what_they_cull,
    a_recording_keeps_what_it_culls,
    recordings_share_lists_in_any_order,
    transforms_written_amid_a_frame,
    a_queue_that_does_not_compute,
    kernels_of_another_plan_are_refused,
    lists_are_given_back,
}

const HERE: [f32; 3] = [0.0; 3];

/// One object, of copies of a cube.
struct Crowd {
    scene: Scene,
    picker: Picker,
    set: InstancesKey,
    object: ObjectKey,
    view: View,
}

impl Crowd {
    fn new(backend: &mut VulkanBackend, source: impl Into<InstanceSource>) -> Self {
        let mut scene = Scene::new();
        let mesh = scene.meshes.add_mesh(backend, kept(cube())).unwrap();
        let set = scene.meshes.add_instances(backend, source).unwrap();
        let object = Object::new(mesh).instanced(set);
        Self {
            object: scene.meshes.insert(object).unwrap(),
            scene,
            picker: Picker::with_capacity(12),
            set,
            view: view(DepthConvention::Standard),
        }
    }

    /// The copy in the middle, found among all of them on the device.
    fn copy(&mut self, backend: &mut VulkanBackend) -> Option<u32> {
        let request = middle(&self.view).strategy(IntegerId);
        let answer = self.picker.pick(backend, &mut self.scene, request).unwrap();
        assert_eq!(answer.report.culling.instances_untested, 0);
        copy(answer.result)
    }

    fn update(&mut self, backend: &mut VulkanBackend, source: impl Into<InstanceSource>) {
        let meshes = &mut self.scene.meshes;
        meshes.update_instances(backend, self.set, source).unwrap();
    }

    fn record(
        &mut self,
        backend: &mut VulkanBackend,
        frame: &Frame<'_>,
        request: Request<Option<Hit>>,
    ) -> pick_core::Ticket<Option<Hit>> {
        let (picker, scene) = (&mut self.picker, &mut self.scene);
        let ticket = picker.record(backend, scene, request, frame.commands());
        ticket.unwrap()
    }
}

fn copy(hit: Option<Hit>) -> Option<u32> {
    hit.map(|hit| hit.instance.unwrap())
}

/// More chunks than the lister has threads' teams for, and some that are not full.
fn large_sets(driver: Driver) {
    let mut backend = driver.backend();
    for (count, one) in [(70_000, 69_999), (200_000, 65_536), (65_537, 0)] {
        let mut crowd = Crowd::new(&mut backend, crowd(count, Some((one, HERE))));
        assert_eq!(crowd.copy(&mut backend), Some(one), "{count}");
        assert_eq!(crowd.copy(&mut backend), Some(one), "{count}");
        assert!(backend.memory().culling_bytes >= 4 * u64::from(count / 32));
    }
}

/// Sets, their bounds and the lists stay as long as a pick under way needs them.
fn picks_under_way_keep_what_they_cull(driver: Driver) {
    let mut backend = driver.backend();
    for round in 0..3 {
        let mut all = Crowd::new(&mut backend, crowd(5000, Some((round, HERE))));
        let mut tickets = Vec::new();
        for later in [10, 20, 30] {
            let request = middle(&all.view).strategy(IntegerId);
            let ticket = all
                .picker
                .click(&mut backend, &mut all.scene, request)
                .unwrap();
            tickets.push(ticket);
            // Larger each time, so that the lists are made anew.
            all.update(
                &mut backend,
                crowd(5000 * later, Some((round + later, HERE))),
            );
        }
        let meshes = &mut all.scene.meshes;
        meshes.remove(all.object).unwrap();
        meshes.remove_instances(&mut backend, all.set).unwrap();
        backend.trim();
        backend.wait(None, 10_000).unwrap();
        all.picker.poll(&mut backend, &mut all.scene);
        for (mut ticket, expected) in tickets.into_iter().zip([0, 10, 20]) {
            let hit = ticket.try_take().unwrap().unwrap().result;
            assert_eq!(copy(hit), Some(round + expected));
        }
    }
}

/// So they do for a recording that the host submits later.
fn a_recording_keeps_what_it_culls(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut all = Crowd::new(&mut backend, crowd(3000, Some((7, HERE))));
    let frame = host.begin();
    let request = middle(&all.view);
    let mut ticket = all.record(&mut backend, &frame, request);
    // A dropped one has built no bounds.
    let dropped = host.begin();
    let request = middle(&all.view);
    drop(all.record(&mut backend, &dropped, request));
    dropped.drop_unsubmitted(&mut backend);
    assert_eq!(all.copy(&mut backend), Some(7));
    all.update(&mut backend, crowd(90_000, Some((89_000, HERE))));
    for _ in 0..4 {
        assert_eq!(all.copy(&mut backend), Some(89_000));
        backend.trim();
    }
    frame.submit();
    backend.wait(None, 10_000).unwrap();
    all.picker.poll(&mut backend, &mut all.scene);
    assert_eq!(copy(ticket.try_take().unwrap().unwrap().result), Some(7));
    // What the recording bounded was of the older state.
    assert_eq!(all.copy(&mut backend), Some(89_000));
}

/// Picks in several command buffers, two in each, and our own between them use the same lists; they run
/// in another order than they were recorded in.
fn recordings_share_lists_in_any_order(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut all = Crowd::new(&mut backend, crowd(2000, Some((1500, HERE))));
    let aside = Request::point(&all.view, PickPoint::target_pixels(2.0, 2.0)).unwrap();
    for _ in 0..3 {
        let frames = [(); 3].map(|()| host.begin());
        let mut tickets = Vec::new();
        for frame in frames.iter().rev() {
            for (request, expected) in [(aside.clone(), None), (middle(&all.view), Some(1500))] {
                tickets.push((all.record(&mut backend, frame, request), expected));
            }
            assert_eq!(all.copy(&mut backend), Some(1500));
        }
        for frame in frames {
            host.wait(frame.submit());
        }
        all.picker.poll(&mut backend, &mut all.scene);
        for (mut ticket, expected) in tickets {
            let hit = ticket.try_take().unwrap().unwrap().result;
            assert_eq!(copy(hit), expected);
        }
    }
}

/// A host that moves its copies by a command before the pick, and makes them visible to vertex shaders.
fn transforms_written_amid_a_frame(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let bytes = |one: u32| -> Vec<u8> {
        let source = crowd(1300, Some((one, HERE)));
        bytemuck_rows(source.cpu_rows().unwrap())
    };
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST;
    let buffer = host.buffer(&bytes(0), usage);
    // SAFETY: it is what it says, and is destroyed with the host, after the backend.
    let id = unsafe { backend.adopt_buffer(buffer) };
    let source = || HostInstances::new(id, InstanceFormat::Rows3x4, 1300);
    let mut all = Crowd::new(&mut backend, source());
    for one in [0, 1299, 256, 600] {
        let rows = host.buffer(&bytes(one), vk::BufferUsageFlags::TRANSFER_SRC);
        all.update(&mut backend, source());
        let frame = host.begin();
        write(&host, &frame, rows.buffer, buffer.buffer, buffer.size);
        let request = middle(&all.view);
        let mut ticket = all.record(&mut backend, &frame, request);
        host.wait(frame.submit());
        all.picker.poll(&mut backend, &mut all.scene);
        assert_eq!(copy(ticket.try_take().unwrap().unwrap().result), Some(one));
        assert_eq!(all.copy(&mut backend), Some(one));
    }
}

fn bytemuck_rows(rows: &[[[f32; 4]; 3]]) -> Vec<u8> {
    let floats = rows.as_flattened().as_flattened().iter();
    floats.flat_map(|float| float.to_le_bytes()).collect()
}

fn write(host: &Host, frame: &Frame<'_>, from: vk::Buffer, to: vk::Buffer, size: u64) {
    let written = [vk::MemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::ALL_TRANSFER)
        .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
        .dst_stage_mask(vk::PipelineStageFlags2::VERTEX_SHADER)
        .dst_access_mask(vk::AccessFlags2::SHADER_STORAGE_READ)];
    let written = vk::DependencyInfo::default().memory_barriers(&written);
    let region = [vk::BufferCopy::default().size(size)];
    // SAFETY: the command buffer is recording, and both buffers are that large.
    unsafe {
        host.device
            .cmd_copy_buffer(frame.commands, from, to, &region);
        host.device.cmd_pipeline_barrier2(frame.commands, &written);
    }
}

/// Every copy is drawn there. No driver here has such a queue, so its flags are forged.
fn a_queue_that_does_not_compute(driver: Driver) {
    let host = driver.host_with(HostOptions {
        injected: true,
        ..HostOptions::default()
    });
    inject::NO_QUEUE_FLAGS.set(vk::QueueFlags::COMPUTE);
    let backend = host.try_backend();
    inject::NO_QUEUE_FLAGS.set(vk::QueueFlags::empty());
    let mut backend = backend.unwrap();
    assert!(!backend.caps().instance_culling);
    let mut all = Crowd::new(&mut backend, crowd(1200, Some((300, HERE))));
    let request = middle(&all.view);
    let answer = all.picker.pick(&mut backend, &mut all.scene, request);
    let answer = answer.unwrap();
    assert_eq!(answer.report.culling.instances_untested, 1200);
    assert_eq!(copy(answer.result), Some(300));
    assert!(host.backend().caps().instance_culling);
}

const CULL: Kernel = Kernel::CullInstances(InstanceFormat::Rows3x4);

/// Plans as integer-ID does, and then changes something.
struct Meddling(fn(&mut Plan));

impl Strategy for Meddling {
    fn name(&self) -> &str {
        "meddling"
    }

    fn shader(&self, surface: bool) -> StrategyShader {
        IntegerId.shader(surface)
    }

    fn plan(&self, caps: &Caps, plan: &mut Plan) -> Result<(), PickError> {
        IntegerId.plan(caps, plan)?;
        (self.0)(plan);
        Ok(())
    }

    fn decode(&self, texels: &Texels<'_>, samples: &mut Samples) {
        IntegerId.decode(texels, samples);
    }
}

fn each(plan: &mut Plan, kernel: Kernel, change: fn(&mut ComputeStep)) {
    for step in &mut plan.steps {
        if let Step::Compute(step) = step
            && step.kernel == kernel
        {
            change(step);
        }
    }
}

fn all_params(plan: &mut Plan, change: fn(&mut CullParams)) {
    for step in &mut plan.steps {
        if let Step::Compute(step) = step
            && let KernelParams::Cull(params) = &mut step.params
        {
            change(params);
        }
    }
}

fn without(plan: &mut Plan, kernel: Kernel) {
    let is_it = |step: &Step| matches!(step, Step::Compute(step) if step.kernel == kernel);
    plan.steps.retain(|step| !is_it(step));
}

/// Counts that the CPU does not see are taken from kernels that write what the plan says, or from nobody.
fn kernels_of_another_plan_are_refused(driver: Driver) {
    let mut backend = driver.backend();
    let mut all = Crowd::new(&mut backend, crowd(1200, Some((1, HERE))));
    assert_eq!(all.copy(&mut backend), Some(1));
    let mut pick = |change| {
        let meddling = AnyStrategy::Custom(Arc::new(Meddling(change)));
        let request = middle(&all.view).strategy(meddling);
        all.picker.pick(&mut backend, &mut all.scene, request)
    };
    assert_eq!(copy(pick(|_| {}).unwrap().result), Some(1));
    let changes: [fn(&mut Plan); 9] = [
        |plan| without(plan, CULL),
        |plan| without(plan, Kernel::ListInstances),
        |plan| {
            each(plan, Kernel::ListInstances, |step| {
                if let KernelParams::Cull(params) = &mut step.params {
                    params.elements += 3;
                }
            })
        },
        |plan| all_params(plan, |params| params.elements += 3),
        |plan| all_params(plan, |params| params.first_element += 3),
        |plan| all_params(plan, |params| params.survivors = 0),
        |plan| all_params(plan, |params| params.capacity = u32::MAX),
        |plan| each(plan, CULL, |step| step.bindings[2] = step.bindings[1]),
        |plan| each(plan, CULL, |step| step.bindings[0] = ComputeBinding::None),
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let error = pick(change).unwrap_err();
        let told = matches!(error.kind(), ErrorKind::Broken { .. });
        assert!(told, "{at}: {error}");
    }
    let far: fn(&mut Plan) = |plan| {
        each(plan, CULL, |step| step.workgroups = [1, u32::MAX]);
    };
    assert!(pick(far).is_err());
    assert_eq!(copy(pick(|_| {}).unwrap().result), Some(1));
}

/// Trimming takes the lists and what names them; nothing grows by it.
fn lists_are_given_back(driver: Driver) {
    let mut backend = driver.backend();
    let mut all = Crowd::new(&mut backend, crowd(4000, Some((9, HERE))));
    // The first pick runs one kernel more.
    assert_eq!(all.copy(&mut backend), Some(9));
    backend.trim();
    let mut settled = None;
    for _ in 0..80 {
        assert_eq!(all.copy(&mut backend), Some(9));
        let memory = backend.memory();
        assert!(memory.culling_bytes > 0);
        assert_eq!(*settled.get_or_insert(memory), memory);
        backend.trim();
        assert_eq!(backend.memory().culling_bytes, 0);
    }
    let mut other = Crowd::new(&mut backend, crowd(2000, None));
    let corner = PickPoint::target_pixels(f64::from(SIDE - 1), 1.0);
    let request = Request::point(&other.view, corner).unwrap();
    let answer = other.picker.pick(&mut backend, &mut other.scene, request);
    assert_eq!(copy(answer.unwrap().result), None);
}
