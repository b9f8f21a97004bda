//! The JSON document: parsed once into values, put right where glTF allows what the typed form does
//! not, then typed.

use gltf_json::{Accessor, Node, Root, buffer};
use serde_json::{Map, Value};

use super::{Result, extension, value::numbers};
use crate::data::{Note, NoteKind};
use crate::error::{SceneError, SceneErrorKind};

/// Memory that a document may take as values, and again as the typed form: this much, and this many
/// times its own length.
const BASE: u64 = 32 << 20;
const TIMES: u64 = 64;

/// A document, typed.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) root: Root,
    /// The nodes' transforms, as f64: the typed form would round them.
    pub(super) transforms: Vec<RawTransform>,
    pub(super) notes: Vec<Note>,
}

/// The transform of a node, as the file has it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RawTransform {
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
}

impl Document {
    pub(super) fn accessor(&self, index: usize, field: impl Fn() -> String) -> Result<&Accessor> {
        let all = &self.root.accessors;
        all.get(index)
            .ok_or_else(|| super::out_of_range(field(), index, "accessors", all.len()))
    }

    pub(super) fn view(&self, index: usize, field: impl Fn() -> String) -> Result<&buffer::View> {
        let all = &self.root.buffer_views;
        all.get(index)
            .ok_or_else(|| super::out_of_range(field(), index, "bufferViews", all.len()))
    }

    /// Whether a file says that it uses an extension.
    pub(super) fn uses(&self, name: &str) -> bool {
        let root = &self.root;
        root.extensions_used
            .iter()
            .chain(&root.extensions_required)
            .any(|n| n == name)
    }
}

/// Parses a document and checks what is said of it as a whole: version and extensions.
pub(super) fn parse(json: &[u8]) -> Result<Document> {
    check_size(json)?;
    let value: Value = serde_json::from_slice(json).map_err(|e| {
        let fix = "write well-formed JSON, and fetch the file again if it was cut short";
        SceneError::new(SceneErrorKind::Json, "JSON", e.to_string(), fix)
    })?;
    let Value::Object(mut root) = value else {
        return Err(typed("JSON", "the document is not an object"));
    };
    check_version(&root)?;
    for unread in ["images", "textures", "samplers", "extras"] {
        root.remove(unread);
    }
    root.values_mut().for_each(strip_extras);
    let mut notes = Vec::new();
    let transforms = take_transforms(&mut root)?;
    fill_scenes(&mut root);
    drop_untargeted(&mut root, &mut notes);
    check_counts(&root, json.len() as u64)?;
    let root: Root = serde_path_to_error::deserialize(Value::Object(root)).map_err(|e| {
        let field = match e.path().to_string() {
            path if path == "." => "JSON".to_owned(),
            path => path,
        };
        typed(&field, &e.inner().to_string())
    })?;
    extension::check_required(&root.extensions_required)?;
    Ok(Document {
        root,
        transforms,
        notes,
    })
}

fn typed(field: &str, problem: &str) -> SceneError {
    let problem: String = problem.chars().take(200).collect();
    // The field may hold a key of the file's own making.
    let field = field.chars().take(200).flat_map(char::escape_debug);
    SceneError::new(
        SceneErrorKind::Json,
        field.collect::<String>(),
        problem,
        "write what glTF 2.0 asks for there",
    )
}

fn check_version(root: &Map<String, Value>) -> Result<()> {
    let asset = root.get("asset");
    for (key, newest) in [("minVersion", "2.0"), ("version", "2.")] {
        let Some(version) = asset.and_then(|a| a.get(key)).and_then(Value::as_str) else {
            if key == "version" {
                return Err(typed(
                    "asset.version",
                    "the version is missing or not a string",
                ));
            }
            continue;
        };
        if !version.starts_with(newest) {
            let version: String = version.chars().take(20).collect();
            return Err(SceneError::new(
                SceneErrorKind::Unsupported,
                format!("asset.{key}"),
                format!("the file is of glTF {version:?}"),
                "convert it to glTF 2.0",
            ));
        }
    }
    Ok(())
}

/// Values of no use here; dropping them also lets them be of any type, as glTF does. The parser
/// limits how deep this goes.
fn strip_extras(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(strip_extras),
        Value::Object(map) => {
            map.remove("extras");
            map.values_mut().for_each(strip_extras);
        }
        _ => {}
    }
}

fn take_transforms(root: &mut Map<String, Value>) -> Result<Vec<RawTransform>> {
    let Some(Value::Array(nodes)) = root.get_mut("nodes") else {
        return Ok(Vec::new());
    };
    let mut transforms = Vec::with_capacity(nodes.len());
    for (i, node) in nodes.iter_mut().enumerate() {
        let at = || format!("nodes[{i}]");
        let Value::Object(node) = node else {
            return Err(typed(&at(), "the node is not an object"));
        };
        transforms.push(RawTransform {
            matrix: numbers(node, "matrix", at)?,
            translation: numbers(node, "translation", at)?,
            rotation: numbers(node, "rotation", at)?,
            scale: numbers(node, "scale", at)?,
        });
        for key in ["matrix", "translation", "rotation", "scale"] {
            node.remove(key);
        }
    }
    Ok(transforms)
}

/// A scene need not have nodes.
fn fill_scenes(root: &mut Map<String, Value>) {
    let Some(Value::Array(scenes)) = root.get_mut("scenes") else {
        return;
    };
    for scene in scenes.iter_mut().filter_map(Value::as_object_mut) {
        scene
            .entry("nodes")
            .or_insert_with(|| Value::Array(Vec::new()));
    }
}

/// A channel without a node drives something that only an extension knows; it is to be passed over.
fn drop_untargeted(root: &mut Map<String, Value>, notes: &mut Vec<Note>) {
    let Some(Value::Array(animations)) = root.get_mut("animations") else {
        return;
    };
    for (i, animation) in animations.iter_mut().enumerate() {
        let Some(Value::Array(channels)) = animation.get_mut("channels") else {
            continue;
        };
        let before = channels.len();
        channels.retain(|c| match c.get("target") {
            Some(Value::Object(target)) => target.contains_key("node"),
            _ => true,
        });
        let dropped = before - channels.len();
        if dropped > 0 {
            notes.push(Note {
                kind: NoteKind::Ignored,
                field: format!("animations[{i}].channels"),
                text: format!("{dropped} channels drive no node and were passed over"),
            });
        }
    }
}

/// Refuses what would take far more memory as values than as text: every comma and every opening
/// bracket may start a value.
fn check_size(json: &[u8]) -> Result<()> {
    // A value is 32 bytes, in a vector that may have grown to twice its length; a map that is not
    // empty has a node with room for eleven.
    let values = json.iter().filter(|b| matches!(b, b',' | b'[')).count() as u64;
    let maps = json.iter().filter(|&&b| b == b'{').count() as u64;
    check_memory(values * 64 + maps * 700, json.len() as u64, "JSON")
}

/// The same for the typed form, whose entries are larger than what the text of an empty one takes.
fn check_counts(root: &Map<String, Value>, length: u64) -> Result<()> {
    let sizes = [
        ("accessors", size_of::<Accessor>()),
        ("animations", size_of::<gltf_json::Animation>()),
        ("buffers", size_of::<gltf_json::Buffer>()),
        ("bufferViews", size_of::<buffer::View>()),
        ("cameras", size_of::<gltf_json::Camera>()),
        ("materials", size_of::<gltf_json::Material>()),
        ("meshes", size_of::<gltf_json::Mesh>()),
        ("nodes", size_of::<Node>() + 512),
        ("scenes", size_of::<gltf_json::Scene>()),
        ("skins", size_of::<gltf_json::Skin>()),
    ];
    let mut sum = 0;
    for (key, size) in sizes {
        let count = root.get(key).and_then(Value::as_array).map_or(0, Vec::len) as u64;
        sum += count * 2 * size as u64;
        check_memory(sum, length, key)?;
    }
    Ok(())
}

fn check_memory(bytes: u64, length: u64, field: &str) -> Result<()> {
    let limit = BASE.saturating_add(length.saturating_mul(TIMES));
    if bytes <= limit {
        return Ok(());
    }
    Err(SceneError::new(
        SceneErrorKind::TooLarge,
        field,
        format!("{bytes} bytes of memory for {length} bytes of JSON, above the limit of {limit}"),
        "split the file, or leave out empty entries",
    ))
}
