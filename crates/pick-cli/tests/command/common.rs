//! Running the command, and files to run it on.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// How a run ended.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// The objects of a jsonl output.
    pub fn lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).expect("one object a line");
        self.out.lines().map(parse).collect()
    }

    /// The same, of a run that must have ended with this code.
    pub fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }
}

/// Runs `pick` with these words; `env` is set beside what is there.
pub fn pick_in(env: &[(&str, &str)], words: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pick"));
    command.args(words).envs(env.iter().copied());
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran {
        code: status.code().expect("it ends by itself"),
        out: text(stdout),
        err: text(stderr),
    }
}

/// Runs `pick` with these words.
pub fn pick(words: &[&str]) -> Ran {
    pick_in(&[], words)
}

/// No Vulkan driver, and no GL either.
pub const NO_GPU: [(&str, &str); 4] = [
    ("VK_DRIVER_FILES", "/nonexistent"),
    ("VK_ICD_FILENAMES", "/nonexistent"),
    ("WGPU_BACKEND", "vulkan"),
    ("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent"),
];

/// A path for a file that a test writes; tests choose different names.
pub fn path(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("command");
    std::fs::create_dir_all(&folder).expect("the test folder can be made");
    folder.join(name).display().to_string()
}

/// Writes a file and gives its path.
pub fn file(name: &str, contents: impl AsRef<[u8]>) -> String {
    let path = path(name);
    std::fs::write(&path, contents).expect("the test folder can be written to");
    path
}

/// A quad `x0..x1, y0..y1` at `z = 0`, of two triangles that face +z: corners from the lower left,
/// counter-clockwise; triangle 0 is the lower right half.
#[derive(Clone, Copy)]
pub struct Quad {
    pub name: &'static str,
    pub x: [f32; 2],
    pub y: [f32; 2],
}

/// Writes quads as a .gltf file with its buffer beside it, one node and mesh each.
pub fn quads(name: &str, quads: &[Quad]) -> String {
    let mut bytes = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let (mut meshes, mut nodes) = (Vec::new(), Vec::new());
    let indices: Vec<u8> = [0u16, 1, 2, 0, 2, 3]
        .iter()
        .flat_map(|i| i.to_le_bytes())
        .collect();
    for (k, quad) in quads.iter().enumerate() {
        let ([x0, x1], [y0, y1]) = (quad.x, quad.y);
        let floats = |list: &[f32]| {
            list.iter()
                .flat_map(|f| f.to_le_bytes())
                .collect::<Vec<u8>>()
        };
        let positions = floats(&[x0, y0, 0.0, x1, y0, 0.0, x1, y1, 0.0, x0, y1, 0.0]);
        let uvs = floats(&[0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
        for part in [&positions, &uvs, &indices] {
            views.push(format!(
                r#"{{"buffer":0,"byteOffset":{},"byteLength":{}}}"#,
                bytes.len(),
                part.len()
            ));
            bytes.extend_from_slice(part);
        }
        let view = 3 * k;
        accessors.push(format!(
            r#"{{"bufferView":{view},"componentType":5126,"type":"VEC3","count":4,"min":[{x0},{y0},0],"max":[{x1},{y1},0]}}"#
        ));
        accessors.push(format!(
            r#"{{"bufferView":{},"componentType":5126,"type":"VEC2","count":4}}"#,
            view + 1
        ));
        accessors.push(format!(
            r#"{{"bufferView":{},"componentType":5123,"type":"SCALAR","count":6}}"#,
            view + 2
        ));
        meshes.push(format!(
            r#"{{"primitives":[{{"attributes":{{"POSITION":{view},"TEXCOORD_0":{}}},"indices":{}}}]}}"#,
            view + 1,
            view + 2
        ));
        nodes.push(format!(r#"{{"name":"{}","mesh":{k}}}"#, quad.name));
    }
    let roots: Vec<_> = (0..quads.len()).map(|k| k.to_string()).collect();
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[{}]}}],"nodes":[{}],
        "meshes":[{}],"accessors":[{}],"bufferViews":[{}],
        "buffers":[{{"uri":"{name}.bin","byteLength":{}}}]}}"#,
        roots.join(","),
        nodes.join(","),
        meshes.join(","),
        accessors.join(","),
        views.join(","),
        bytes.len()
    );
    file(&format!("{name}.bin"), bytes);
    file(&format!("{name}.gltf"), text)
}

/// CAM-P: 64 x 64 pixels, 90 degrees, from (0, 0, 5) towards the origin, near 0.1, far 100, reversed.
pub fn camera(name: &str) -> String {
    file(name, camera_text())
}

/// The text of CAM-P.
pub fn camera_text() -> String {
    let (near, far) = (0.1, 100.0);
    // Reversed: z' = (near z + near far) / (far - near), w' = -z.
    let a = near / (far - near);
    let b = near * far / (far - near);
    format!(
        r#"{{"viewport":[64,64],
        "view":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,-5,1],
        "projection":[1,0,0,0, 0,1,0,0, 0,0,{a},-1, 0,0,{b},0],
        "depth":"reversed"}}"#
    )
}
