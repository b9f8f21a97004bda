//! Slots, memory, threads.

use pick_core::{
    Backend, BuiltinStrategy, DepthConvention, ErrorKind, Picker, PixelRect, Request, Scene,
    SlotId, SlotState,
};
use pick_wgpu::{AdapterDescription, PassFormats, Selector, WgpuBackend};

use crate::common::driver::Driver;
use crate::common::on_each_driver;
use crate::common::scene::{kept, little, middle, view, whole};

on_each_driver! {
    memory_stays_flat,
    many_in_flight_answer_in_order,
    slots_are_reused_when_let_go,
    a_backend_moves_to_another_thread,
    two_backends_share_a_device,
    preparing_makes_everything,
}

fn send_and_sync<T: Send + Sync>() {}

#[test]
fn public_types_cross_threads() {
    send_and_sync::<WgpuBackend>();
    send_and_sync::<Selector>();
    send_and_sync::<AdapterDescription>();
    send_and_sync::<PassFormats>();
}

/// Field case 87: many picks and many sizes take no more memory than their largest.
fn memory_stays_flat(driver: Driver) {
    let mut backend = driver.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let mut round = |backend: &mut WgpuBackend, scene: &mut Scene| {
        for side in 1..20 {
            let region = PixelRect::new(0, 0, side * 4, side * 3);
            let request = Request::id_image(&view, region).unwrap();
            picker.pick(backend, scene, request).unwrap();
            for strategy in BuiltinStrategy::ALL {
                let request = middle(&view).strategy(strategy);
                picker.pick(backend, scene, request).unwrap();
            }
        }
    };
    // The first rounds differ by the self-test, and by which slot serves which size.
    for _ in 0..3 {
        round(&mut backend, &mut scene);
    }
    let settled = backend.memory();
    for _ in 0..4 {
        round(&mut backend, &mut scene);
        let mut now = backend.memory();
        // Of targets that were used last in one and the same pick, either may go first.
        assert!(now.target_bytes < settled.target_bytes * 11 / 10, "{now:?}");
        now.target_bytes = settled.target_bytes;
        assert_eq!(now, settled);
    }
    backend.trim();
    assert_eq!(backend.memory().slot_bytes, 0);
    let answer = picker
        .pick(&mut backend, &mut scene, middle(&view))
        .unwrap();
    assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
}

/// Field cases 77 and 85: many in flight come back in order, each its own.
fn many_in_flight_answer_in_order(driver: Driver) {
    let mut backend = driver.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::with_capacity(12);
    let view = view(DepthConvention::Standard);
    let image = Request::id_image(&view, whole()).unwrap();
    let image = picker.pick(&mut backend, &mut scene, image).unwrap().result;
    for start in [0, 3] {
        let pixels: Vec<[u32; 2]> = (0..12).map(|i| [start + i * 6, 40]).collect();
        let mut tickets = Vec::new();
        for &[x, y] in &pixels {
            let at = pick_core::PickPoint::target_pixels(f64::from(x), f64::from(y));
            let request = Request::point(&view, at).unwrap();
            tickets.push(picker.click(&mut backend, &mut scene, request).unwrap());
        }
        let busy = picker
            .click(&mut backend, &mut scene, middle(&view))
            .unwrap_err();
        assert_eq!(busy.kind(), &ErrorKind::Busy { in_flight: 12 });
        backend.wait(None, 10_000).unwrap();
        picker.poll(&mut backend, &mut scene);
        for (mut ticket, [x, y]) in tickets.into_iter().zip(pixels) {
            let got = ticket.try_take().unwrap().unwrap().result;
            let expected = image.hit(x, y).unwrap();
            assert_eq!(got.map(|hit| hit.tag), expected.map(|hit| hit.tag), "{x}");
        }
    }
}

/// Slots serve again once nobody holds them, and only then.
fn slots_are_reused_when_let_go(driver: Driver) {
    let mut backend = driver.backend();
    let view = view(DepthConvention::Standard);
    let mut plan = pick_core::Plan::new(view, PixelRect::new(3, 3, 1, 1));
    plan.timeout_ms = 10_000;
    let caps = backend.caps().clone();
    pick_core::Strategy::plan(&pick_core::IntegerId, &caps, &mut plan).unwrap();
    let send = |backend: &mut WgpuBackend| -> SlotId {
        let slot = backend.execute(&plan, None).unwrap();
        backend.wait(Some(&slot), 10_000).unwrap();
        assert!(matches!(
            backend.poll(&slot),
            SlotState::Ready(&[0, 0, 0, 0, ..])
        ));
        slot
    };
    let one = send(&mut backend);
    let two = send(&mut backend);
    assert_ne!(one.index(), two.index());
    let index = one.index();
    drop(one);
    let three = send(&mut backend);
    assert_eq!(three.index(), index);
    let mut other = driver.backend();
    assert!(matches!(other.poll(&two), SlotState::Failed(_)));
}

/// A backend moves between threads, with picks under way.
fn a_backend_moves_to_another_thread(driver: Driver) {
    let mut backend = driver.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let mut ticket = picker
        .click(&mut backend, &mut scene, middle(&view))
        .unwrap();
    let tag = std::thread::spawn(move || {
        backend.wait(None, 10_000).unwrap();
        picker.poll(&mut backend, &mut scene);
        ticket
            .try_take()
            .unwrap()
            .unwrap()
            .result
            .map(|hit| hit.tag)
    });
    assert_eq!(tag.join().unwrap(), Some(1));
}

/// Two backends on one device do not mind each other.
fn two_backends_share_a_device(driver: Driver) {
    let host = driver.host();
    let (mut one, mut two) = (host.backend(), host.backend());
    let view = view(DepthConvention::Standard);
    let mut scenes = [little(&mut one, kept), little(&mut two, kept)];
    let mut picker = Picker::new();
    for _ in 0..3 {
        let answer = picker
            .pick(&mut one, &mut scenes[0], middle(&view))
            .unwrap();
        assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
        let answer = picker
            .pick(&mut two, &mut scenes[1], middle(&view))
            .unwrap();
        assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
    }
    // Field case 34
    let error = picker
        .pick(&mut one, &mut scenes[1], middle(&view))
        .unwrap_err();
    assert!(error.is_input(), "{error}");
}

/// Prepared picks compile nothing more, and answer alike.
fn preparing_makes_everything(driver: Driver) {
    let mut backend = driver.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    for strategy in BuiltinStrategy::ALL {
        let request = middle(&view).strategy(strategy);
        picker.prepare(&mut backend, &mut scene, &request).unwrap();
        let targets = backend.memory().target_bytes;
        let answer = picker.pick(&mut backend, &mut scene, request).unwrap();
        assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
        assert_eq!(backend.memory().target_bytes, targets, "{strategy:?}");
    }
}
