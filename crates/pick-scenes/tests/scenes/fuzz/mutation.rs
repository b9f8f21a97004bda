//! The file that is mutated, and how.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::{File, POINTS, glb};

/// A small file that has every feature.
pub fn seed() -> File {
    let mut file = File::new();
    file.json["extensionsUsed"] = json!(["KHR_mesh_quantization", "EXT_mesh_gpu_instancing"]);
    let positions = file.positions(&POINTS);
    let normals = file.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(5));
    let indices = file.accessor("SCALAR", 5123, 6, &[0, 0, 1, 0, 2, 0, 0, 0, 2, 0, 3, 0]);
    let small = file.accessor("SCALAR", 5121, 4, &[3, 2, 1, 0]);
    let joints = file.accessor("VEC4", 5121, 5, &[0, 1, 0, 0].repeat(5));
    let weights = file.floats("VEC4", 4, &[0.5, 0.5, 0.0, 0.0].repeat(5));
    let view = file.view(&[1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 1, 3, 5, 0], Some(4));
    let quantized = file.push(
        "accessors",
        json!({"bufferView": view, "type": "VEC3", "componentType": 5120, "count": 4, "normalized": true}),
    );
    let places = file.view(&[1, 3], None);
    let values = file.view(&[0; 24], None);
    let base = file.json["accessors"][positions]["bufferView"].clone();
    let sparse = file.push(
        "accessors",
        json!({"bufferView": base, "type": "VEC3", "componentType": 5126, "count": 5, "sparse": {
            "count": 2, "indices": {"bufferView": places, "componentType": 5121},
            "values": {"bufferView": values},
        }}),
    );
    let times = file.floats("SCALAR", 1, &[0.0, 1.0]);
    let turns = file.floats("VEC4", 4, &[0.0, 0.0, 0.0, 1.0].repeat(2));
    let binds = file.floats("MAT4", 16, &[1.0; 32]);
    file.json["meshes"] = json!([
        {"name": "first", "weights": [0.5], "primitives": [
            {"attributes": {"POSITION": positions, "NORMAL": normals, "JOINTS_0": joints, "WEIGHTS_0": weights},
             "indices": indices, "material": 0, "targets": [{"POSITION": sparse}]},
            {"attributes": {"POSITION": sparse}, "indices": small, "mode": 5, "targets": [{"NORMAL": normals}]},
            {"attributes": {"POSITION": positions}, "mode": 1},
        ]},
        {"primitives": [{"attributes": {"POSITION": quantized}, "mode": 6}]},
    ]);
    file.json["materials"] =
        json!([{"alphaMode": "MASK", "alphaCutoff": 0.5, "doubleSided": true}]);
    file.json["cameras"] =
        json!([{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1, "zfar": 9}}]);
    file.json["nodes"] = json!([
        {"children": [1, 2], "translation": [1, 2, 3], "rotation": [0, 0, 0, 1], "scale": [1, 2, 3]},
        {"mesh": 0, "skin": 0, "weights": [1]},
        {"mesh": 1, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1], "children": [3],
         "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": positions, "SCALE": normals}}}},
        {"camera": 0, "extensions": {"KHR_node_visibility": {"visible": false}}},
    ]);
    file.json["scenes"] = json!([{"nodes": [0]}]);
    file.json["scene"] = 0.into();
    file.json["skins"] = json!([{"joints": [1, 2], "inverseBindMatrices": binds, "skeleton": 0}]);
    file.json["animations"] = json!([{
        "samplers": [{"input": times, "output": turns, "interpolation": "LINEAR"}],
        "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
    }]);
    file
}

/// One change to a file. Numbers pick a place modulo how many there are.
#[derive(Clone, Debug)]
pub enum Mutation {
    /// Sets a value of the document.
    Set(usize, Value),
    /// Removes a value of the document.
    Remove(usize),
    /// Puts one value of the document in the place of another.
    Copy(usize, usize),
    /// Repeats an entry of a list.
    Repeat(usize, usize),
    /// Sets a byte of the binary chunk.
    Data(usize, u8),
    /// Sets a byte of the finished file.
    Byte(usize, u8),
    /// Cuts the finished file.
    Cut(usize),
    /// Drops or doubles bytes of the finished file.
    Shift(usize, usize, bool),
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => (0_i64..12).prop_map(Value::from),
        2 => any::<i64>().prop_map(Value::from),
        2 => prop_oneof![
            Just(u64::MAX), Just(u64::MAX / 12), Just(1 << 32), Just(u64::from(u32::MAX)), Just(1 << 31),
            Just(65535), Just(65536), Just(255), Just(256), Just(1 << 24), Just(5_000_000),
        ]
        .prop_map(Value::from),
        2 => prop_oneof![Just(5120), Just(5121), Just(5122), Just(5123), Just(5125), Just(5126)]
            .prop_map(|n: u32| Value::from(n)),
        1 => prop_oneof![Just(1e30), Just(-1e300), Just(0.0), Just(-0.0), Just(1e-310), Just(f64::MAX), Just(0.5)]
            .prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        2 => prop_oneof![
            Just("VEC2"), Just("VEC3"), Just("VEC4"), Just("MAT4"), Just("SCALAR"), Just("STEP"),
            Just("CUBICSPLINE"), Just("weights"), Just("translation"), Just("BLEND"), Just(""), Just("2.0"),
            Just("data:;base64,AAAA"), Just("x.bin"), Just("../x"), Just("orthographic"), Just("data:,%"),
        ]
        .prop_map(Value::from),
        1 => prop_oneof![Just(json!(null)), Just(json!([])), Just(json!({})), Just(json!([0])), Just(json!([[1]]))],
    ]
}

pub fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<usize>;
    prop_oneof![
        8 => (at(), value()).prop_map(|(a, v)| Mutation::Set(a, v)),
        3 => at().prop_map(Mutation::Remove),
        4 => (at(), at()).prop_map(|(a, b)| Mutation::Copy(a, b)),
        2 => (at(), 1_usize..40).prop_map(|(a, n)| Mutation::Repeat(a, n)),
        3 => (at(), any::<u8>()).prop_map(|(a, b)| Mutation::Data(a, b)),
        1 => (at(), any::<u8>()).prop_map(|(a, b)| Mutation::Byte(a, b)),
        1 => at().prop_map(Mutation::Cut),
        1 => (at(), 1_usize..9, any::<bool>()).prop_map(|(a, n, d)| Mutation::Shift(a, n, d)),
    ]
}

/// Pointers to every value of a document but the whole.
fn pointers(value: &Value, here: &str, all: &mut Vec<String>) {
    let mut each = |key: String, value: &Value| {
        let pointer = format!("{here}/{}", key.replace('~', "~0").replace('/', "~1"));
        all.push(pointer.clone());
        pointers(value, &pointer, all);
    };
    match value {
        Value::Array(list) => {
            list.iter()
                .enumerate()
                .for_each(|(i, v)| each(i.to_string(), v));
        }
        Value::Object(map) => map.iter().for_each(|(k, v)| each(k.clone(), v)),
        _ => {}
    }
}

pub fn mutate(file: &mut File, mutations: &[Mutation]) -> Vec<u8> {
    for mutation in mutations {
        let mut all = Vec::new();
        pointers(&file.json, "", &mut all);
        if all.is_empty() {
            break;
        }
        let pick = |a: usize| all[a % all.len()].as_str();
        match mutation {
            Mutation::Set(a, value) => {
                file.json
                    .pointer_mut(pick(*a))
                    .into_iter()
                    .for_each(|v| *v = value.clone());
            }
            Mutation::Remove(a) => {
                let Some((parent, key)) = pick(*a).rsplit_once('/') else {
                    continue;
                };
                match file.json.pointer_mut(parent) {
                    Some(Value::Object(map)) => drop(map.remove(key)),
                    Some(Value::Array(list)) => {
                        let at = key.parse().unwrap_or(0);
                        if at < list.len() {
                            list.remove(at);
                        }
                    }
                    _ => {}
                }
            }
            Mutation::Copy(a, b) => {
                let value = file.json.pointer(pick(*a)).cloned().unwrap_or_default();
                file.json
                    .pointer_mut(pick(*b))
                    .into_iter()
                    .for_each(|v| *v = value.clone());
            }
            Mutation::Repeat(a, n) => {
                let Some((parent, key)) = pick(*a).rsplit_once('/') else {
                    continue;
                };
                if let Some(Value::Array(list)) = file.json.pointer_mut(parent) {
                    let entry = list
                        .get(key.parse().unwrap_or(0))
                        .cloned()
                        .unwrap_or_default();
                    list.extend(std::iter::repeat_n(entry, *n));
                }
            }
            Mutation::Data(a, byte) if !file.binary.is_empty() => {
                let at = a % file.binary.len();
                file.binary[at] = *byte;
            }
            _ => {}
        }
    }
    let mut bytes = glb(&file.json, &file.binary);
    for mutation in mutations {
        let length = bytes.len().max(1);
        match *mutation {
            Mutation::Byte(a, byte) => bytes
                .iter_mut()
                .skip(a % length)
                .take(1)
                .for_each(|b| *b = byte),
            Mutation::Cut(a) => bytes.truncate(a % length),
            Mutation::Shift(a, n, doubled) => {
                let from = (a % length).min(bytes.len());
                let until = (from + n).min(bytes.len());
                let part = if doubled {
                    bytes[from..until].to_vec()
                } else {
                    Vec::new()
                };
                let at = if doubled { from..from } else { from..until };
                bytes.splice(at, part);
            }
            _ => {}
        }
    }
    bytes
}
