//! Buffers: embedded, beside the file, and where they may not be.

use std::path::Path;

use base64::Engine;
use pick_scenes::SceneErrorKind;

use crate::common::triangle;

/// A .gltf whose one buffer is what `uri` names.
fn text(uri: &str) -> (Vec<u8>, Vec<u8>) {
    let mut file = triangle();
    file.json["buffers"][0]["uri"] = uri.into();
    (file.json.to_string().into_bytes(), file.binary)
}

#[test]
fn buffers_may_be_embedded() {
    let (_, binary) = text("");
    let encoded = base64::engine::general_purpose::STANDARD.encode(&binary);
    let percent: String = binary.iter().map(|b| format!("%{b:02x}")).collect();
    for uri in [
        format!("data:application/octet-stream;base64,{encoded}"),
        format!("DATA:;BASE64,{}", encoded.trim_end_matches('=')),
        format!(
            "data:application/gltf-buffer;base64,{}",
            encoded.replace('=', "%3D").replace('+', "%2B")
        ),
        format!("data:,{percent}"),
    ] {
        let (json, _) = text(&uri);
        let scene = pick_scenes::gltf::load_bytes("a.gltf", &json, None);
        assert_eq!(scene.unwrap_or_else(|e| panic!("{e}")).drawn_triangles(), 1);
    }
    for uri in ["data:;base64,AAA*", "data:nothing"] {
        let (json, _) = text(uri);
        let error = pick_scenes::gltf::load_bytes("a.gltf", &json, None).expect_err(uri);
        assert_eq!(
            (error.kind(), error.field()),
            (SceneErrorKind::Uri, "buffers[0].uri")
        );
    }
}

#[test]
fn buffers_may_be_beside_the_file() {
    let folder = std::env::temp_dir().join(format!("pick-scenes-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("da ta")).expect("a temporary folder can be made");
    let (json, binary) = text("da%20ta/triangle.bin");
    std::fs::write(
        folder.join("da ta/triangle.bin"),
        [&binary[..], b"and more"].concat(),
    )
    .expect("it can be written");
    let path = folder.join("triangle.gltf");
    std::fs::write(&path, &json).expect("it can be written");
    let found = pick_scenes::load(&path.display().to_string());
    let without_folder = pick_scenes::gltf::load_bytes("a.gltf", &json, None);
    let kind = |uri: &str| {
        let (json, _) = text(uri);
        let error = pick_scenes::gltf::load_bytes("a.gltf", &json, Some(&folder)).expect_err(uri);
        assert_eq!(
            (error.file(), error.field()),
            (Some("a.gltf"), "buffers[0].uri"),
            "{error}"
        );
        error.kind()
    };
    let missing = kind("missing.bin");
    let outside = [
        "../secret.bin",
        "/etc/passwd",
        "da%20ta/../../x.bin",
        "%2e%2e/x.bin",
        "file:///etc/passwd",
        "https://example.com/x.bin",
        "",
        "%ff",
        "nul%00.bin",
    ]
    .map(kind);
    std::fs::write(folder.join("short.bin"), b"short").expect("it can be written");
    let (json, _) = text("short.bin");
    let short = pick_scenes::gltf::load_bytes("a.gltf", &json, Some(&folder)).expect_err("short");
    std::fs::remove_dir_all(&folder).expect("it is ours");
    assert_eq!(found.unwrap_or_else(|e| panic!("{e}")).drawn_triangles(), 1);
    let error = without_folder.expect_err("it has no folder");
    assert_eq!(error.kind(), SceneErrorKind::Uri);
    assert_eq!(missing, SceneErrorKind::Read);
    assert_eq!(outside, [SceneErrorKind::Uri; 9]);
    assert_eq!(
        (short.kind(), short.field()),
        (SceneErrorKind::Truncated, "buffers[0].byteLength")
    );
}

#[test]
fn a_file_is_known_by_its_contents_not_its_name() {
    let bytes = triangle().bytes();
    let scene = pick_scenes::gltf::load_bytes("a.gltf", &bytes, Some(Path::new("")));
    assert_eq!(scene.map(|s| s.drawn_triangles()).ok(), Some(1));
}
