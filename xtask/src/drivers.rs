//! The environment in which the tests draw: which drivers they see, and which they must not skip.

use crate::setup::Ready;

/// The drivers that the tests run on, by the names the suites know them by, and all that each of them needs.
const DRIVERS: [(&str, &[&str]); 3] = [
    ("lavapipe", &["vulkan-loader", "lavapipe"]),
    ("swiftshader", &["vulkan-loader", "swiftshader"]),
    ("gl", &["egl", "gl"]),
];

/// The variables that name the Vulkan drivers. Whoever has set one has chosen, and we do not choose again.
const CHOSEN: &[&str] = &["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];

/// Without threads of its own, lavapipe draws one pixel faster and far more steadily.
const FEW_THREADS: (&str, &str) = ("LP_NUM_THREADS", "0");

/// The drivers that are there.
fn present(ready: &Ready) -> Vec<&'static str> {
    let there = |needs: &[&str]| needs.iter().all(|need| ready.path(need).is_some());
    DRIVERS
        .iter()
        .filter(|(_, needs)| there(needs))
        .map(|(name, _)| *name)
        .collect()
}

/// What the test steps get to see. A variable that the user has set is left alone.
///
/// Only software drivers, always the same: the tests must mean the same on every machine. A GPU has its own verb. The
/// drivers that are there must run (a test that skips one fails); with `required`, all of them must.
pub fn environment(
    ready: &Ready,
    required: bool,
    user: impl Fn(&str) -> Option<String>,
) -> Vec<(&'static str, String)> {
    let mut set = Vec::new();
    let chosen = CHOSEN.iter().any(|name| user(name).is_some());
    if !chosen {
        let files: Vec<String> = ["lavapipe", "swiftshader"]
            .iter()
            .filter_map(|name| ready.path(name))
            .map(|path| path.display().to_string())
            .collect();
        if !files.is_empty() {
            set.push(("VK_DRIVER_FILES", files.join(":")));
        }
    }
    if required {
        set.push((
            "PICK_REQUIRE_DRIVERS",
            DRIVERS.map(|(name, _)| name).join(","),
        ));
    } else if !chosen {
        // Of drivers that the user chose we do not know which of ours are among them.
        set.push(("PICK_REQUIRE_DRIVERS", present(ready).join(",")));
    }
    let (name, value) = FEW_THREADS;
    set.push((name, value.to_owned()));
    // Mesa would look for a GPU first and complain about its absence.
    set.push(("LIBGL_ALWAYS_SOFTWARE", "1".to_owned()));
    if ready.path("validation-layer").is_some() && ready.path("vulkan-loader").is_some() {
        // Validation without wgpu's debug flag: with it, Debian 12's layer takes every shader for invalid, because naga
        // names a source language that is newer than the layer.
        set.push(("PICK_VALIDATION", "1".to_owned()));
        set.push(("WGPU_DEBUG", "0".to_owned()));
    }
    set.retain(|(name, _)| user(name).is_none());
    set
}

/// What the benchmarks get to see. Unlike the tests they take the machine's own drivers, a GPU before all; what
/// makes a software driver fast is set as it is for the tests, unless the user has set it.
pub fn timed(user: impl Fn(&str) -> Option<String>) -> Option<(&'static str, &'static str)> {
    Some(FEW_THREADS).filter(|(name, _)| user(name).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::needs::NEEDS;
    use std::path::PathBuf;

    fn ready(without: &[&str]) -> Ready {
        let (missing, found): (Vec<_>, Vec<_>) = NEEDS
            .iter()
            .map(|need| need.name)
            .partition(|name| without.contains(name));
        let found = found
            .into_iter()
            .map(|name| (name, PathBuf::from(format!("/there/{name}"))))
            .collect();
        Ready { found, missing }
    }

    fn value(set: &[(&str, String)], name: &str) -> Option<String> {
        set.iter()
            .find(|(found, _)| *found == name)
            .map(|(_, value)| value.clone())
    }

    #[test]
    fn all_software_drivers_run_and_must() {
        let set = environment(&ready(&[]), false, |_| None);
        assert_eq!(
            value(&set, "VK_DRIVER_FILES").as_deref(),
            Some("/there/lavapipe:/there/swiftshader")
        );
        assert_eq!(
            value(&set, "PICK_REQUIRE_DRIVERS").as_deref(),
            Some("lavapipe,swiftshader,gl")
        );
        assert_eq!(value(&set, "PICK_VALIDATION").as_deref(), Some("1"));
        assert_eq!(value(&set, "PICK_REQUIRE_MODELS"), None);
    }

    #[test]
    fn a_driver_that_is_missing_is_not_demanded() {
        let set = environment(
            &ready(&["swiftshader", "egl", "validation-layer"]),
            false,
            |_| None,
        );
        assert_eq!(
            value(&set, "VK_DRIVER_FILES").as_deref(),
            Some("/there/lavapipe")
        );
        assert_eq!(
            value(&set, "PICK_REQUIRE_DRIVERS").as_deref(),
            Some("lavapipe")
        );
        assert_eq!(value(&set, "PICK_VALIDATION"), None);
        assert_eq!(present(&ready(&["vulkan-loader"])), ["gl"]);
    }

    #[test]
    fn the_users_choice_wins() {
        for chosen in CHOSEN {
            let set = environment(&ready(&[]), false, |name| {
                (name == *chosen).then(|| "theirs".to_owned())
            });
            assert_eq!(value(&set, "VK_DRIVER_FILES"), None);
            assert_eq!(value(&set, "PICK_REQUIRE_DRIVERS"), None);
            assert_eq!(value(&set, "LP_NUM_THREADS").as_deref(), Some("0"));
            // A build server that demands drivers gets no silent way around them.
            let set = environment(&ready(&[]), true, |name| {
                (name == *chosen).then(|| "theirs".to_owned())
            });
            assert_eq!(value(&set, "VK_DRIVER_FILES"), None);
            assert_eq!(
                value(&set, "PICK_REQUIRE_DRIVERS").as_deref(),
                Some("lavapipe,swiftshader,gl")
            );
        }
        let set = environment(&ready(&[]), false, |name| {
            (name == "LP_NUM_THREADS").then(|| "4".to_owned())
        });
        assert_eq!(value(&set, "LP_NUM_THREADS"), None);
    }

    #[test]
    fn benchmarks_draw_as_the_tests_do_but_on_any_device() {
        let tests = environment(&ready(&[]), false, |_| None);
        let (name, few) = timed(|_| None).unwrap();
        assert_eq!(value(&tests, name).as_deref(), Some(few));
        assert_eq!(timed(|_| Some("theirs".to_owned())), None);
    }

    #[test]
    fn every_driver_needs_things_that_the_set_up_knows() {
        for (driver, needs) in DRIVERS {
            for name in needs {
                assert!(
                    NEEDS.iter().any(|need| need.name == *name),
                    "{driver} needs {name}, which is in no table"
                );
            }
        }
    }
}
