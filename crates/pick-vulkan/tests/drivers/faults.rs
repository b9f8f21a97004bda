//! Loss, time-outs, lack of memory at every call, and what else goes wrong: typed, nothing leaked, and
//! the next pick is right.

use std::ffi::CStr;
use std::sync::Arc;
use std::time::Instant;

use pick_core::{
    AnyStrategy, Aspect, Backend, BuiltinStrategy, Caps, Channel, CustomShader, DepthConvention,
    ErrorKind, IntegerId, PickError, Picker, Plan, Samples, Strategy, StrategyShader, TargetFormat,
    Texels, draw_all,
};
use pick_vulkan::VulkanBackend;
use pick_vulkan::ash::vk;

use crate::common::driver::Driver;
use crate::common::host::{Host, HostOptions};
use crate::common::inject::{self, DEVICE_FUNCTIONS};
use crate::common::on_each_driver;
use crate::common::scene::{crowd, cube, kept, little, middle, view};

on_each_driver! {
    every_call_may_run_out_of_memory,
    memory_may_not_map,
    the_device_may_be_lost_at_every_call,
    a_loss_ends_what_is_under_way,
    told_loss_ends_what_is_under_way,
    a_late_pick_times_out_and_the_next_is_right,
    waiting_for_an_unsubmitted_recording_times_out,
    incoherent_memory_is_invalidated,
    a_strategy_of_a_users_own,
    dropping_with_picks_under_way,
}

fn is_lost(error: &PickError) -> bool {
    matches!(error.kind(), ErrorKind::DeviceLost { .. })
}

fn injected(driver: Driver) -> Host {
    driver.host_with(HostOptions {
        injected: true,
        ..HostOptions::default()
    })
}

/// Everything that a backend does, once: meshes, sets, every strategy, a cache, an end.
fn whole_life(host: &Host, alive: &mut Option<VulkanBackend>) -> Result<(), PickError> {
    let backend = alive.insert(host.try_backend()?);
    let view = view(DepthConvention::Standard);
    let mut scene = pick_core::Scene::new();
    let mesh = scene.meshes.add_mesh(backend, kept(cube()))?;
    scene
        .meshes
        .insert(pick_core::Object::new(mesh).tagged(1))?;
    let copies = scene.meshes.add_instances(backend, crowd(1100, None))?;
    let crowd = pick_core::Object::new(mesh).instanced(copies);
    scene.meshes.insert(crowd)?;
    let mut picker = Picker::new();
    for strategy in BuiltinStrategy::ALL {
        let request = middle(&view).strategy(strategy);
        let answer = picker.pick(backend, &mut scene, request)?;
        assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
    }
    let bytes = backend.pipeline_cache_data()?;
    backend.load_pipeline_cache(&bytes)
}

/// Calls that a life makes of each function on a fresh host.
fn count(driver: Driver) -> Vec<(&'static CStr, u32)> {
    let host = injected(driver);
    let before: Vec<u32> = DEVICE_FUNCTIONS.iter().map(|f| inject::calls(f)).collect();
    let mut alive = None;
    whole_life(&host, &mut alive).unwrap();
    drop(alive);
    let counted = DEVICE_FUNCTIONS.iter().zip(before);
    counted
        .map(|(f, before)| (*f, inject::calls(f) - before))
        .collect()
}

/// Lets the first, a middle and the last call of each function fail; tells how many did.
fn fail_each(driver: Driver, result: vk::Result, check: impl Fn(&CStr, &PickError)) -> u32 {
    let counts = count(driver);
    let host = injected(driver);
    let mut failed = 0;
    for (function, calls) in counts {
        let mut at: Vec<u32> = [0, calls / 2, calls.saturating_sub(1)].into();
        at.dedup();
        for after in at.into_iter().filter(|_| calls > 0) {
            let start = Instant::now();
            inject::fail(function, after, result);
            let mut alive = None;
            let lived = whole_life(&host, &mut alive);
            let happened = !inject::disarm();
            if happened {
                failed += 1;
            }
            // Where the self-test is what failed, the builtin is not trusted, and picks go on.
            if let Err(error) = &lived {
                check(function, error);
            }
            drop(alive);
            assert!(start.elapsed().as_secs() < 10, "{function:?}");
        }
    }
    // Whatever was left is told by the layer when the host destroys its device.
    let mut alive = None;
    whole_life(&host, &mut alive).unwrap();
    failed
}

/// Out of memory, the device's or the CPU's, at whatever call.
fn every_call_may_run_out_of_memory(driver: Driver) {
    for result in [
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
        vk::Result::ERROR_OUT_OF_HOST_MEMORY,
    ] {
        let failed = fail_each(driver, result, |f, error| {
            let told = matches!(error.kind(), ErrorKind::Broken { .. });
            assert!(told, "{f:?}: {error}");
        });
        assert!(failed >= 40, "{failed}");
    }
}

/// Memory that is there and cannot be mapped, at each of the calls that map.
fn memory_may_not_map(driver: Driver) {
    let counts = count(driver);
    let maps = counts.iter().find(|(f, _)| *f == c"vkMapMemory");
    let (function, calls) = *maps.unwrap();
    assert!(calls > 0, "nothing is mapped");
    let host = injected(driver);
    for after in 0..calls {
        inject::fail(function, after, vk::Result::ERROR_MEMORY_MAP_FAILED);
        let mut alive = None;
        let lived = whole_life(&host, &mut alive);
        assert!(!inject::disarm(), "call {after} was not made");
        // Where the self-test is what failed, picks go on.
        if let Err(error) = lived {
            let told = matches!(error.kind(), ErrorKind::Broken { .. });
            assert!(told, "{error}");
        }
        drop(alive);
        let mut alive = None;
        whole_life(&host, &mut alive).unwrap();
    }
}

/// Lost, at whatever call; nothing hangs, and another backend works.
fn the_device_may_be_lost_at_every_call(driver: Driver) {
    let failed = fail_each(driver, vk::Result::ERROR_DEVICE_LOST, |f, error| {
        // Mapping never tells of loss, by the specification.
        assert!(is_lost(error) || f == c"vkMapMemory", "{f:?}: {error}");
    });
    assert!(failed >= 40, "{failed}");
}

/// Field case 79: the driver says that the device is lost while a pick is under way.
fn a_loss_ends_what_is_under_way(driver: Driver) {
    for function in [
        c"vkGetSemaphoreCounterValue",
        c"vkWaitSemaphores",
        c"vkQueueSubmit2",
    ] {
        let host = injected(driver);
        let mut backend = host.backend();
        let mut scene = little(&mut backend, kept);
        let mut picker = Picker::new();
        let view = view(DepthConvention::Standard);
        let request = || middle(&view).strategy(IntegerId);
        picker.pick(&mut backend, &mut scene, request()).unwrap();
        let mut pending = picker.click(&mut backend, &mut scene, request()).unwrap();
        inject::fail(function, 0, vk::Result::ERROR_DEVICE_LOST);
        let start = Instant::now();
        // The wait may end before it reaches the call; sending another pick does not.
        let _ = backend.wait(None, 1000);
        let error = picker.click(&mut backend, &mut scene, request()).err();
        inject::disarm();
        if let Some(error) = error {
            assert!(is_lost(&error), "{error}");
        }
        picker.poll(&mut backend, &mut scene);
        match pending.try_take() {
            Some(Ok(answer)) => assert_eq!(answer.result.map(|hit| hit.tag), Some(1)),
            Some(Err(error)) => assert!(is_lost(&error), "{error}"),
            None => panic!("the pick never ended"),
        }
        assert!(start.elapsed().as_secs() < 2);
        if backend.lost_reason().is_some() {
            let error = picker
                .pick(&mut backend, &mut scene, request())
                .unwrap_err();
            assert!(is_lost(&error), "{error}");
            let error = scene.meshes.add_mesh(&mut backend, cube()).unwrap_err();
            assert!(is_lost(&error), "{error}");
        }
    }
}

/// The host knows first.
fn told_loss_ends_what_is_under_way(driver: Driver) {
    let mut backend = driver.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let mut ticket = picker
        .click(&mut backend, &mut scene, middle(&view))
        .unwrap();
    backend.device_lost("the driver went away");
    picker.poll(&mut backend, &mut scene);
    let error = ticket.try_take().unwrap().unwrap_err();
    assert!(
        is_lost(&error) && error.to_string().contains("went away"),
        "{error}"
    );
    let error = picker
        .click(&mut backend, &mut scene, middle(&view))
        .unwrap_err();
    assert!(is_lost(&error), "{error}");
    assert!(is_lost(&backend.wait(None, 100).err().unwrap_or(error)));
}

/// Field case 81: a pick that times out ends, and the next one is right.
fn a_late_pick_times_out_and_the_next_is_right(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let frame = host.begin();
    let request = middle(&view).strategy(IntegerId).timeout_ms(5);
    let mut ticket = picker
        .record(&mut backend, &mut scene, request, frame.commands())
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    picker.poll(&mut backend, &mut scene);
    let error = ticket.try_take().unwrap().unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::TimedOut { timeout_ms: 5 });
    let pick = |backend: &mut _, picker: &mut Picker, scene: &mut _| {
        let answer = picker.pick(backend, scene, middle(&view).strategy(IntegerId));
        answer.unwrap().result.map(|hit| hit.tag)
    };
    assert_eq!(pick(&mut backend, &mut picker, &mut scene), Some(1));
    // The late one is submitted after all: nobody minds.
    host.wait(frame.submit());
    for _ in 0..3 {
        assert_eq!(pick(&mut backend, &mut picker, &mut scene), Some(1));
    }
}

/// Waiting for what was never submitted ends when its time is over.
fn waiting_for_an_unsubmitted_recording_times_out(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let view = view(DepthConvention::Standard);
    let mut plan = Plan::new(view, pick_core::PixelRect::new(0, 0, 1, 1));
    plan.timeout_ms = 10_000;
    Strategy::plan(&IntegerId, &backend.caps().clone(), &mut plan).unwrap();
    let frame = host.begin();
    let slot = backend.execute(&plan, Some(frame.commands())).unwrap();
    let error = backend.wait(Some(&slot), 20).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::TimedOut { timeout_ms: 20 });
    frame.submit();
    backend.wait(Some(&slot), 10_000).unwrap();
    assert!(matches!(
        backend.poll(&slot),
        pick_core::SlotState::Ready(_)
    ));
}

/// Field cases 95 and 96: memory that is cached and not coherent is invalidated before every read. No
/// driver here has such memory, so its flags are forged.
fn incoherent_memory_is_invalidated(driver: Driver) {
    inject::NO_MEMORY_FLAGS.set(vk::MemoryPropertyFlags::HOST_COHERENT);
    let host = injected(driver);
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    for round in 0..20 {
        let before = inject::calls(c"vkInvalidateMappedMemoryRanges");
        let request = middle(&view).strategy(IntegerId);
        let answer = picker.pick(&mut backend, &mut scene, request).unwrap();
        assert_eq!(answer.result.map(|hit| hit.tag), Some(1), "{round}");
        let now = inject::calls(c"vkInvalidateMappedMemoryRanges");
        assert_eq!(now, before + 1, "{round}");
    }
    inject::fail(
        c"vkInvalidateMappedMemoryRanges",
        0,
        vk::Result::ERROR_OUT_OF_HOST_MEMORY,
    );
    let request = || middle(&view).strategy(IntegerId);
    let error = picker
        .pick(&mut backend, &mut scene, request())
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Broken { .. }), "{error}");
    let answer = picker.pick(&mut backend, &mut scene, request()).unwrap();
    assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
    inject::NO_MEMORY_FLAGS.set(vk::MemoryPropertyFlags::empty());
}

/// A strategy of a user's own works, and one whose shader is wrong fails by type.
fn a_strategy_of_a_users_own(driver: Driver) {
    let mut backend = driver.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let request = middle(&view).strategy(AnyStrategy::Custom(Arc::new(Own { good: true })));
    let answer = picker.pick(&mut backend, &mut scene, request).unwrap();
    assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
    for _ in 0..2 {
        let wrong = AnyStrategy::Custom(Arc::new(Own { good: false }));
        let request = middle(&view).strategy(wrong);
        let error = picker.pick(&mut backend, &mut scene, request).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Broken { .. }), "{error}");
    }
    let answer = picker
        .pick(&mut backend, &mut scene, middle(&view))
        .unwrap();
    assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
}

/// A backend that is dropped with picks under way takes nothing down with it.
fn dropping_with_picks_under_way(driver: Driver) {
    let mut backend = driver.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let sent = picker
        .click(&mut backend, &mut scene, middle(&view))
        .unwrap();
    drop(backend);
    drop(picker);
    drop(sent);
}

/// Writes the id alone.
struct Own {
    good: bool,
}

const GOOD: &str = "
struct PickOutput {
    @location(0) id: u32,
}

fn pick_output(in: PickFragment) -> PickOutput {
    return PickOutput(in.id);
}
";

impl Strategy for Own {
    fn name(&self) -> &str {
        "own"
    }

    fn shader(&self, _surface: bool) -> StrategyShader {
        let wgsl = match self.good {
            true => GOOD.to_owned(),
            false => GOOD.replace("in.id", "in.nothing"),
        };
        StrategyShader::Custom(CustomShader {
            key: Arc::from(if self.good { "own" } else { "wrong" }),
            wgsl: Arc::from(wgsl),
            needs_primitive: false,
        })
    }

    fn plan(&self, _caps: &Caps, plan: &mut Plan) -> Result<(), PickError> {
        let id = plan.add_target(TargetFormat::R32Uint, Channel::Custom);
        let depth = plan.add_target(TargetFormat::Depth32Float, Channel::Depth);
        draw_all(plan, [Some(id), None], depth, None);
        plan.read_back(id, Aspect::Color);
        Ok(())
    }

    fn decode(&self, texels: &Texels<'_>, samples: &mut Samples) {
        samples
            .ids
            .extend(texels.words::<1>(Channel::Custom).map(|[id]| id));
    }
}
