//! Ways to wait, and what picks cost beside the backend's own empty pass.

use std::time::{Duration, Instant};

use pick_core::{
    Backend, BuiltinStrategy, DepthConvention, Detailed, ErrorKind, Object, Picker, PixelRect,
    Plan, Scene, Strategy,
};
use pick_vulkan::{Selector, VulkanBackend, WaitPolicy};

use crate::common::driver::Driver;
use crate::common::on_each_driver;
use crate::common::scene::{cube, kept, little, middle, view};

on_each_driver! {
    every_policy_answers,
    every_policy_ends_in_time,
    alternating_picks_alternate,
    what_a_pick_costs,
}

const POLICIES: [WaitPolicy; 3] = [
    WaitPolicy::Block,
    WaitPolicy::Spin(Duration::from_micros(200)),
    WaitPolicy::Poll,
];

fn every_policy_answers(driver: Driver) {
    let mut backend = driver.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    for policy in POLICIES {
        backend.set_wait_policy(policy);
        for strategy in BuiltinStrategy::ALL {
            let request = middle(&view).strategy(strategy);
            let answer = picker.pick(&mut backend, &mut scene, request).unwrap();
            assert_eq!(answer.result.map(|hit| hit.tag), Some(1), "{policy:?}");
        }
    }
}

fn every_policy_ends_in_time(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let view = view(DepthConvention::Standard);
    let plan = empty(&backend, view);
    let frame = host.begin();
    let slot = backend.execute(&plan, Some(frame.commands())).unwrap();
    for policy in POLICIES {
        backend.set_wait_policy(policy);
        let start = Instant::now();
        let error = backend.wait(Some(&slot), 30).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::TimedOut { timeout_ms: 30 });
        assert!(start.elapsed() >= Duration::from_millis(30), "{policy:?}");
    }
    frame.drop_unsubmitted(&mut backend);
}

/// Field cases 77 and 95: answers of alternating scenes alternate.
fn alternating_picks_alternate(driver: Driver) {
    let selector = Selector::any().named(driver.adapter_name());
    let mut backend = VulkanBackend::headless(&selector).unwrap();
    let view = view(DepthConvention::Standard);
    let mut scenes = [1, 2].map(|tag| {
        let mut scene = Scene::new();
        let mesh = scene.meshes.add_mesh(&mut backend, cube()).unwrap();
        scene.meshes.insert(Object::new(mesh).tagged(tag)).unwrap();
        scene
    });
    let mut picker = Picker::new();
    for round in 0..1000 {
        let which = round % 2;
        let answer = picker.pick(&mut backend, &mut scenes[which], middle(&view));
        let tag = answer.unwrap().result.map(|hit| hit.tag);
        assert_eq!(tag, Some(which as u64 + 1), "{round}");
    }
}

/// The targets and copies of a detailed pick, nothing drawn.
fn empty(backend: &VulkanBackend, view: pick_core::View) -> Plan {
    let mut plan = Plan::new(view, PixelRect::new(40, 40, 1, 1));
    plan.timeout_ms = 10_000;
    plan.shader = Detailed.shader(false);
    Detailed.plan(&backend.caps().clone(), &mut plan).unwrap();
    plan
}

fn median(mut run: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..300)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Printed, and not judged: machines differ. Run with `--nocapture`, in release.
fn what_a_pick_costs(driver: Driver) {
    let selector = Selector::any().named(driver.adapter_name());
    let mut backend = VulkanBackend::headless(&selector).unwrap();
    let view = view(DepthConvention::Standard);
    let mut scene = Scene::new();
    let mesh = scene.meshes.add_mesh(&mut backend, cube()).unwrap();
    for x in [-1.0, 0.0, 1.0] {
        let at = glam::DMat4::from_translation(glam::DVec3::new(x, 0.0, 0.0));
        scene.meshes.insert(Object::new(mesh).at(at)).unwrap();
    }
    let mut picker = Picker::new();
    let plan = empty(&backend, view);
    for policy in POLICIES {
        backend.set_wait_policy(policy);
        picker
            .pick(&mut backend, &mut scene, middle(&view))
            .unwrap();
        let floor = median(|| {
            let slot = backend.execute(&plan, None).unwrap();
            backend.wait(Some(&slot), 10_000).unwrap();
        });
        let pick = median(|| {
            let answer = picker.pick(&mut backend, &mut scene, middle(&view));
            assert!(answer.unwrap().result.is_some());
        });
        println!(
            "{}: {policy:?}: empty pass {floor:.1} us, detailed pick of three cubes {pick:.1} us \
             ({:.2}x)",
            driver.name(),
            pick / floor
        );
    }
}
