//! Pipeline caches kept between runs.

use pick_core::{Backend, DepthConvention, Picker};

use crate::common::driver::Driver;
use crate::common::on_each_driver;
use crate::common::scene::{kept, little, middle, view};

on_each_driver! {
    a_cache_serves_the_next_backend,
    bad_caches_are_refused_and_picks_go_on,
}

fn picks_right(backend: &mut impl Backend) {
    let mut scene = little(backend, kept);
    let view = view(DepthConvention::Standard);
    let answer = Picker::new().pick(backend, &mut scene, middle(&view));
    assert_eq!(answer.unwrap().result.map(|hit| hit.tag), Some(1));
}

fn a_cache_serves_the_next_backend(driver: Driver) {
    let mut backend = driver.backend();
    picks_right(&mut backend);
    let bytes = backend.pipeline_cache_data().unwrap();
    drop(backend);
    let mut backend = driver.backend();
    backend.load_pipeline_cache(&bytes).unwrap();
    picks_right(&mut backend);
}

/// Damaged bytes, bytes of another driver, no bytes: an input error each; the driver never sees them.
fn bad_caches_are_refused_and_picks_go_on(driver: Driver) {
    let mut backend = driver.backend();
    picks_right(&mut backend);
    let good = backend.pipeline_cache_data().unwrap();
    let mut damaged = good.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    let other = match driver {
        Driver::Lavapipe => Driver::SwiftShader,
        Driver::SwiftShader => Driver::Lavapipe,
    };
    let mut bad = vec![
        damaged,
        good[..good.len() / 2].to_vec(),
        vec![],
        vec![7; 4096],
    ];
    other.run_quietly(|other| bad.push(other.backend().pipeline_cache_data().unwrap()));
    for bytes in bad {
        let error = backend.load_pipeline_cache(&bytes).unwrap_err();
        assert!(error.is_input(), "{error}");
        picks_right(&mut backend);
    }
}
