//! Scene strings: right ones, and what is said to wrong ones.

use pick_scenes::{BUILTINS, SceneErrorKind, SceneSpec};

fn error(text: &str) -> pick_scenes::SceneError {
    SceneSpec::parse(text).expect_err(text)
}

#[test]
fn a_spec_spells_itself_in_full_and_is_read_back() {
    let spec = SceneSpec::parse("builtin:instances?count=20&shuffle=1").expect("it is right");
    assert_eq!(
        spec.to_string(),
        "builtin:instances?count=20&shuffle=true&seed=1"
    );
    let again = SceneSpec::parse(&spec.to_string()).expect("it reads itself");
    assert_eq!(again.to_string(), spec.to_string());
    assert_eq!(again.builtin().map(|b| b.name), Some("instances"));
    assert_eq!(spec.load().map(|s| s.name).ok(), Some(spec.to_string()));
    let file: SceneSpec = "some/where/thing.GLB".parse().expect("it is a path");
    assert_eq!(
        file.path().and_then(|p| p.to_str()),
        Some("some/where/thing.GLB")
    );
}

#[test]
fn every_default_is_within_its_range() {
    for builtin in BUILTINS {
        assert!(!builtin.about.is_empty());
        for key in builtin.keys {
            let text = format!(
                "builtin:{}?{}={}",
                builtin.name,
                key.name,
                key.default_text()
            );
            let spec = SceneSpec::parse(&text).expect("a default is a value");
            assert!(
                spec.to_string()
                    .contains(&format!("{}={}", key.name, key.default_text()))
            );
            assert!(!key.about.is_empty() && !key.range.to_string().is_empty());
        }
    }
}

#[test]
fn names_and_keys_that_do_not_exist_are_answered_with_those_that_do() {
    let unknown = error("builtin:gird");
    assert_eq!(unknown.kind(), SceneErrorKind::UnknownScene);
    for builtin in BUILTINS {
        assert!(unknown.to_string().contains(builtin.name), "{unknown}");
    }
    let unknown = error("builtin:grid?cuont=3");
    assert_eq!(
        (unknown.kind(), unknown.field()),
        (SceneErrorKind::UnknownKey, "cuont")
    );
    assert_eq!(unknown.fix(), "use count, seed");
}

#[test]
fn values_out_of_range_are_answered_with_the_range() {
    for (text, fix) in [
        (
            "builtin:grid?count=0",
            "use a whole number from 1 to 1000000",
        ),
        (
            "builtin:grid?count=",
            "use a whole number from 1 to 1000000",
        ),
        ("builtin:grid?count", "use a whole number from 1 to 1000000"),
        (
            "builtin:grid?count=+4",
            "use a whole number from 1 to 1000000",
        ),
        (
            "builtin:grid?count=-4",
            "use a whole number from 1 to 1000000",
        ),
        (
            "builtin:grid?count=1e3",
            "use a whole number from 1 to 1000000",
        ),
        (
            "builtin:instances?count=10000001",
            "use a whole number from 1 to 10000000",
        ),
        ("builtin:instances?shuffle=yes", "use true or false"),
        (
            "builtin:mesh?triangles=9",
            "use an even number from 8 to 20000000",
        ),
        (
            "builtin:soup?seed=99999999999999999999999",
            "use a whole number of 64 bits",
        ),
        ("builtin:grid?count=3&count=4", "give it once"),
    ] {
        let error = error(text);
        assert_eq!(
            (error.kind(), error.fix()),
            (SceneErrorKind::BadValue, fix),
            "{text}"
        );
    }
    assert!(SceneSpec::parse("builtin:soup?seed=18446744073709551615").is_ok());
}

#[test]
fn what_is_neither_a_scene_nor_a_model_is_told_the_forms() {
    for text in [
        "",
        "grid",
        "thing.obj",
        "builtin",
        "folder/",
        "glb",
        ".glb",
        "\0",
    ] {
        let error = error(text);
        assert_eq!(error.kind(), SceneErrorKind::BadSpec, "{text:?}");
        assert!(error.to_string().contains("builtin:NAME?key=value"));
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = pick_scenes::load("no/such/file.glb").expect_err("it is not there");
    assert_eq!(
        (error.kind(), error.file()),
        (SceneErrorKind::Read, Some("no/such/file.glb"))
    );
    assert!(std::error::Error::source(&error).is_some());
    let folder = std::env::temp_dir().join(format!("pick-scenes-{}.glb", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let error = pick_scenes::load(&folder.display().to_string()).expect_err("it is a folder");
    std::fs::remove_dir(&folder).expect("it is ours");
    assert_eq!(error.kind(), SceneErrorKind::Read);
    assert!(error.to_string().contains("not a regular file"), "{error}");
}
