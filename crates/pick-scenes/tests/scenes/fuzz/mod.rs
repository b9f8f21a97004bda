//! Mutated files: whatever the bytes, the answer is a sound scene or an error that names its field.
//!
//! `PICK_FUZZ_SECONDS` sets how long this runs; a few hundred cases without it.

mod mutation;
mod sound;

use std::time::{Duration, Instant};

use mutation::{mutate, mutation, seed};
use proptest::test_runner::{Config, TestCaseError, TestError, TestRng, TestRunner};
use sound::check;

use crate::common::{File, model};

#[test]
fn the_seed_is_a_sound_scene_with_every_feature() {
    let bytes = seed().bytes();
    assert_eq!(check(&bytes), Ok(true));
    let scene = pick_scenes::gltf::load_bytes("seed.glb", &bytes, None).expect("it is sound");
    assert_eq!(
        (
            scene.meshes.len(),
            scene.objects.len(),
            scene.drawn_copies()
        ),
        (2, 2, 6)
    );
    assert_eq!(
        (
            scene.skins.len(),
            scene.animations.len(),
            scene.cameras.len()
        ),
        (1, 1, 1)
    );
}

#[test]
fn mutated_files_get_a_sound_scene_or_an_error() {
    fuzz("seed", seed);
}

#[test]
fn mutated_models_get_a_sound_scene_or_an_error() {
    for name in [
        "Box.glb",
        "box_sparse.glb",
        "gltf_primitives.glb",
        "SimpleSkin.gltf",
    ] {
        let Some(path) = model("mutated_models_get_a_sound_scene_or_an_error", name) else {
            continue;
        };
        let bytes = std::fs::read(path).expect("it can be read");
        fuzz(name, || File::from_bytes(&bytes));
    }
}

/// Mutates a file over and over; each of the models has a quarter of the time.
fn fuzz(name: &str, file: impl Fn() -> File) {
    let share = if name == "seed" { 1 } else { 4 };
    let seconds = std::env::var("PICK_FUZZ_SECONDS").ok().map(|s| {
        s.parse::<u64>()
            .unwrap_or_else(|_| panic!("PICK_FUZZ_SECONDS={s} is no number of seconds"))
    });
    let end = seconds.map(|s| Instant::now() + Duration::from_secs(s) / share);
    let mut round = 0_u64;
    let (mut cases, mut accepted) = (0_u64, 0_u64);
    loop {
        // The same cases each time without the variable, new ones in every round with it.
        let config = Config {
            cases: if name == "seed" { 512 } else { 128 },
            failure_persistence: None,
            max_shrink_iters: 4096,
            ..Config::default()
        };
        let seed_of_round = if seconds.is_some() {
            rand_seed(round)
        } else {
            [7; 32]
        };
        let rng = TestRng::from_seed(config.rng_algorithm, &seed_of_round);
        let mut runner = TestRunner::new_with_rng(config, rng);
        let counts = std::cell::Cell::new((0_u64, 0_u64));
        let outcome = runner.run(&proptest::collection::vec(mutation(), 1..6), |mutations| {
            let bytes = mutate(&mut file(), &mutations);
            let checked = std::panic::catch_unwind(|| check(&bytes));
            let answer = checked.unwrap_or_else(|_| Err("it panicked".to_owned()));
            let fine = answer.map_err(TestCaseError::fail)?;
            counts.set((counts.get().0 + 1, counts.get().1 + u64::from(fine)));
            Ok(())
        });
        cases += counts.get().0;
        accepted += counts.get().1;
        if let Err(TestError::Fail(reason, mutations)) = outcome {
            let bytes = mutate(&mut file(), &mutations);
            let path = std::env::temp_dir().join(format!("pick-scenes-fuzz-{name}.glb"));
            let kept = std::fs::write(&path, &bytes)
                .map_or("not kept".into(), |()| path.display().to_string());
            panic!("{name}: {reason}: {mutations:?}; the file is {kept}");
        }
        round += 1;
        if end.is_none_or(|end| Instant::now() >= end) {
            break;
        }
    }
    println!("{name}: {cases} mutated files, {accepted} of them sound scenes");
    assert!(
        accepted > cases / 50,
        "too few mutated files are read at all: {accepted} of {cases}"
    );
}

/// A seed of its own for every run and round.
fn rand_seed(round: u64) -> [u8; 32] {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&round.to_le_bytes());
    seed[8..24].copy_from_slice(&now.map_or(0, |n| n.as_nanos()).to_le_bytes());
    seed
}
