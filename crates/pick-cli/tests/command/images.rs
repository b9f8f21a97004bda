//! The id image, and the list of scenes.

use std::fs::File;
use std::io::BufReader;

use pick_scenes::BUILTINS;

use crate::common::{path, pick};

/// Width, height and RGB bytes of a PNG.
pub fn decode(path: &str) -> (u32, u32, Vec<u8>) {
    let file = BufReader::new(File::open(path).expect("the picture was written"));
    let mut reader = png::Decoder::new(file).read_info().expect("it is a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("it has a size")];
    let info = reader.next_frame(&mut bytes).expect("it decodes");
    assert_eq!(info.color_type, png::ColorType::Rgb);
    (info.width, info.height, bytes)
}

/// How many different colours there are.
pub fn colors(bytes: &[u8]) -> usize {
    let pixels = bytes.chunks_exact(3);
    pixels.collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn an_id_image_has_a_colour_a_triangle() {
    let path = path("ids.png");
    let words = [
        "query",
        "builtin:ties?seed=0&count=1&repeats=1",
        "--backend",
        "cpu",
        "--size",
        "60x40",
        "--id-image",
        &path,
    ];
    pick(&words).ended(0);
    let (width, height, bytes) = decode(&path);
    assert_eq!((width, height), (60, 40));
    assert_eq!(colors(&bytes), 3, "the background and two triangles");
    pick(&[&words[..], &["--strategy", "color-id"]].concat()).ended(0);
    assert_eq!(
        colors(&decode(&path).2),
        2,
        "this strategy knows no triangles"
    );
    let nowhere = pick(&[
        "query",
        "builtin:ties",
        "--backend",
        "cpu",
        "--id-image",
        "/no/where.png",
    ])
    .ended(2);
    assert!(
        nowhere.err.contains("/no/where.png: file: "),
        "{}",
        nowhere.err
    );
}

#[test]
fn every_scene_and_key_is_listed() {
    let ran = pick(&["scenes"]).ended(0);
    for scene in BUILTINS {
        let start = ran
            .out
            .find(&format!("builtin:{}\n", scene.name))
            .expect(scene.name);
        let section = ran.out[start..].split("\n\n").next().expect("a section");
        for key in scene.keys {
            let row = section
                .lines()
                .find(|l| l.split_whitespace().next() == Some(key.name));
            let row = row.unwrap_or_else(|| panic!("{} of {} is not listed", key.name, scene.name));
            assert!(row.contains(&key.default_text()) && row.contains(&key.range.to_string()));
        }
    }
}
