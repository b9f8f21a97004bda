//! Files for the tests: those of the models folder, and small ones made here.

use std::io::Write;
use std::path::PathBuf;

use pick_scenes::{SceneData, SceneError, SceneErrorKind};
use serde_json::{Value, json};

/// The folder with the model files; none if it is not there.
fn folder() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models");
    let folder = std::env::var_os("PICK_MODELS").map_or_else(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// The path of a model file. Where it is not there, the test that asks says that it is skipped, or
/// fails where `PICK_REQUIRE_MODELS=1` demands the files.
pub fn model(test: &str, name: &str) -> Option<PathBuf> {
    let path = folder().map(|f| f.join(name)).filter(|p| p.is_file());
    if path.is_none() {
        assert!(
            std::env::var("PICK_REQUIRE_MODELS").as_deref() != Ok("1"),
            "{test} needs the model file {name}, and PICK_REQUIRE_MODELS=1 forbids skipping"
        );
        // Not println!, which is shown for failures only.
        let line = format!(
            "skipped: {test}: the model file {name} is not there; set PICK_MODELS to its folder\n"
        );
        std::io::stderr()
            .write_all(line.as_bytes())
            .expect("stderr can be written");
    }
    path
}

/// A .glb file.
pub fn glb(json: &Value, binary: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut data = binary.to_vec();
    data.resize(data.len().next_multiple_of(4), 0);
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    let length = 12 + 8 + text.len() + 8 + data.len();
    bytes.extend((length as u32).to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(text);
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(data);
    bytes
}

/// A document and its binary chunk, grown accessor by accessor.
pub struct File {
    pub json: Value,
    pub binary: Vec<u8>,
}

impl File {
    /// A file without anything.
    pub fn new() -> Self {
        let json = json!({
            "asset": {"version": "2.0"}, "accessors": [], "bufferViews": [],
            "buffers": [{"byteLength": 0}], "meshes": [], "nodes": [],
        });
        Self {
            json,
            binary: Vec::new(),
        }
    }

    /// Adds an entry to a top-level list and gives its number.
    pub fn push(&mut self, list: &str, entry: Value) -> usize {
        let root = self.json.as_object_mut().expect("a document is an object");
        let list = root.entry(list).or_insert_with(|| json!([]));
        let list = list.as_array_mut().expect("it is a list");
        list.push(entry);
        list.len() - 1
    }

    /// Adds a buffer view over new bytes.
    pub fn view(&mut self, bytes: &[u8], stride: Option<usize>) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let mut view =
            json!({"buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len()});
        if let Some(stride) = stride {
            view["byteStride"] = stride.into();
        }
        self.binary.extend(bytes);
        self.json["buffers"][0]["byteLength"] = self.binary.len().into();
        self.push("bufferViews", view)
    }

    /// Adds an accessor over bytes of its own.
    pub fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes, None);
        self.push(
            "accessors",
            json!({"bufferView": view, "type": kind, "componentType": component, "count": count}),
        )
    }

    /// Adds an accessor of floats.
    pub fn floats(&mut self, kind: &str, width: usize, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        self.accessor(kind, 5126, numbers.len() / width, &bytes)
    }

    /// Adds positions.
    pub fn positions(&mut self, points: &[[f32; 3]]) -> usize {
        self.floats("VEC3", 3, points.as_flattened())
    }

    /// Adds a mesh with these primitives, and a node that draws it.
    pub fn draw(&mut self, primitives: Value) -> usize {
        let mesh = self.push("meshes", json!({"primitives": primitives}));
        self.push("nodes", json!({"mesh": mesh}));
        mesh
    }

    /// Takes a finished file apart: a .glb, or a .gltf without its own binary chunk.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (json, binary) = match bytes.strip_prefix(b"glTF") {
            None => (bytes, &[][..]),
            Some(rest) => {
                let length = u32::from_le_bytes(rest[8..12].try_into().expect("4 bytes")) as usize;
                (
                    &rest[16..16 + length],
                    rest.get(24 + length..).unwrap_or_default(),
                )
            }
        };
        let json = serde_json::from_slice(json).expect("it is a sound file");
        Self {
            json,
            binary: binary.to_vec(),
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        glb(&self.json, &self.binary)
    }

    pub fn load(&self) -> Result<SceneData, SceneError> {
        pick_scenes::gltf::load_bytes("test.glb", &self.bytes(), None)
    }

    /// Loads it, which must fail in this way at this field.
    #[track_caller]
    pub fn fails(&self, kind: SceneErrorKind, field: &str) -> SceneError {
        let error = self.load().expect_err("the file is broken");
        assert_eq!((error.kind(), error.field()), (kind, field), "{error}");
        assert!(
            error
                .to_string()
                .starts_with(&format!("test.glb: {field}: ")),
            "{error}"
        );
        assert!(!error.fix().is_empty());
        error
    }
}

/// The corners of a square, and one more point.
pub const POINTS: [[f32; 3]; 5] = [
    [0., 0., 0.],
    [1., 0., 0.],
    [1., 1., 0.],
    [0., 1., 0.],
    [0.5, 2., 0.],
];

/// A file with one triangle without indices.
pub fn triangle() -> File {
    let mut file = File::new();
    let positions = file.positions(&POINTS[..3]);
    file.draw(json!([{"attributes": {"POSITION": positions}}]));
    file
}

/// A triangle with one value of its document changed.
pub fn changed(pointer: &str, value: Value) -> File {
    let mut file = triangle();
    set(&mut file.json, pointer, value);
    file
}

/// Sets a value of a document.
pub fn set(json: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer
        .rsplit_once('/')
        .expect("a pointer starts with a slash");
    let parent = json.pointer_mut(parent).expect("the parent is there");
    match key.parse::<usize>() {
        Ok(index) => parent[index] = value,
        Err(_) => parent[key] = value,
    }
}
