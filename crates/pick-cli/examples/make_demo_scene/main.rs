//! Writes `assets/demo.glb`, the scene of `pick demo`:
//! `cargo run -p pick-cli --example make_demo_scene -- crates/pick-cli/assets/demo.glb`
//!
//! A torus knot, a marble, a crate of two materials and a mirrored smaller one, a cone, and a fence of
//! instanced pegs on a round floor: every part of an answer has something to say here.

mod glb;
mod shapes;

use std::f32::consts::TAU;

use glb::Glb;
use serde_json::json;

fn main() -> std::io::Result<()> {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: make_demo_scene FILE.glb");
        std::process::exit(2);
    };
    std::fs::write(path, scene().bytes())
}

fn scene() -> Glb {
    let mut glb = Glb::default();
    let stone = glb.material("stone", [0.55, 0.55, 0.52]);
    let coral = glb.material("coral", [0.85, 0.22, 0.16]);
    let glass = glb.material("glass", [0.06, 0.48, 0.50]);
    let wood = glb.material("wood", [0.52, 0.29, 0.11]);
    let brass = glb.material("brass", [0.90, 0.62, 0.12]);
    let plum = glb.material("plum", [0.42, 0.16, 0.50]);
    let navy = glb.material("navy", [0.10, 0.17, 0.42]);

    let disc = glb.mesh("disc", &[(shapes::disc(6.0, 72), stone)]);
    let knot = glb.mesh("knot", &[(shapes::knot(144, 12), coral)]);
    let sphere = glb.mesh("sphere", &[(shapes::sphere(40, 20), glass)]);
    let (sides, lid) = shapes::crate_parts();
    let crate_ = glb.mesh("crate", &[(sides, wood), (lid, brass)]);
    let cone = glb.mesh(
        "cone",
        &[(shapes::turned(&[[0.5, 0.0], [0.0, 1.3]], 32), plum)],
    );
    let peg = glb.mesh(
        "peg",
        &[(
            shapes::turned(&[[0.13, 0.0], [0.13, 0.8], [0.0, 0.95]], 14),
            navy,
        )],
    );

    let quarter = [0.0, 0.195, 0.0, 0.981]; // 22.5 degrees about y
    glb.node(json!({"name": "floor", "mesh": disc}));
    glb.node(json!({"name": "knot", "mesh": knot, "translation": [0.0, 1.75, 0.0]}));
    glb.node(json!({
        "name": "marble", "mesh": sphere,
        "translation": [2.5, 0.8, 1.3], "scale": [0.8, 0.8, 0.8],
    }));
    glb.node(json!({
        "name": "crate", "mesh": crate_,
        "translation": [-2.7, 0.7, 0.9], "rotation": quarter, "scale": [1.4, 1.4, 1.4],
    }));
    glb.node(json!({
        "name": "mirrored crate", "mesh": crate_,
        "translation": [2.3, 0.4, -2.6], "rotation": quarter, "scale": [-0.8, 0.8, 0.8],
    }));
    glb.node(json!({"name": "cone", "mesh": cone, "translation": [-0.3, 0.0, 2.9]}));
    let turn = |k: u16| f32::from(k) / 40.0 * TAU;
    let places: Vec<_> = (0..40)
        .map(|k| [5.4 * turn(k).sin(), 0.0, 5.4 * turn(k).cos()])
        .collect();
    let sizes: Vec<_> = (0..40)
        .map(|k| [1.0, if k % 4 == 0 { 1.5 } else { 1.0 }, 1.0])
        .collect();
    let (places, sizes) = (glb.vectors(&places), glb.vectors(&sizes));
    glb.node(json!({
        "name": "fence", "mesh": peg,
        "extensions": {"EXT_mesh_gpu_instancing": {
            "attributes": {"TRANSLATION": places, "SCALE": sizes},
        }},
    }));
    glb
}
