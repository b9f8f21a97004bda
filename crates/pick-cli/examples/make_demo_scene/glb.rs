//! Just enough of a .glb writer.

use serde_json::{Value, json};

use crate::shapes::Shape;

const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;
const JSON_CHUNK: u32 = 0x4e4f_534a;
const BINARY_CHUNK: u32 = 0x004e_4942;

/// A file under way.
#[derive(Default)]
pub struct Glb {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    materials: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
}

impl Glb {
    /// A rough material of a linear colour.
    pub fn material(&mut self, name: &str, [r, g, b]: [f32; 3]) -> usize {
        let pbr = json!({"baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0});
        push(
            &mut self.materials,
            json!({"name": name, "pbrMetallicRoughness": pbr}),
        )
    }

    /// A mesh of one primitive a shape.
    pub fn mesh(&mut self, name: &str, parts: &[(Shape, usize)]) -> usize {
        let primitives: Vec<_> = parts
            .iter()
            .map(|(shape, m)| self.primitive(shape, *m))
            .collect();
        push(
            &mut self.meshes,
            json!({"name": name, "primitives": primitives}),
        )
    }

    fn primitive(&mut self, shape: &Shape, material: usize) -> Value {
        let positions = self.vectors(&shape.positions);
        let normals = self.vectors(&shape.normals);
        let uvs: Vec<u8> = floats(&shape.uvs);
        let uvs = self.accessor(uvs, FLOAT, "VEC2", shape.uvs.len(), json!({}));
        let indices = shape.indices.iter().flat_map(|i| i.to_le_bytes()).collect();
        let indices = self.accessor(
            indices,
            UNSIGNED_SHORT,
            "SCALAR",
            shape.indices.len(),
            json!({}),
        );
        json!({
            "attributes": {"POSITION": positions, "NORMAL": normals, "TEXCOORD_0": uvs},
            "indices": indices,
            "material": material,
        })
    }

    /// An accessor of three-vectors.
    pub fn vectors(&mut self, vectors: &[[f32; 3]]) -> usize {
        let extreme = |pick: fn(f32, f32) -> f32, start: f32| -> Vec<f32> {
            (0..3)
                .map(|k| vectors.iter().map(|v| v[k]).fold(start, pick))
                .collect()
        };
        let (min, max) = (extreme(f32::min, f32::MAX), extreme(f32::max, f32::MIN));
        let bounds = json!({"min": min, "max": max});
        self.accessor(floats(vectors), FLOAT, "VEC3", vectors.len(), bounds)
    }

    fn accessor(
        &mut self,
        bytes: Vec<u8>,
        component: u32,
        kind: &str,
        count: usize,
        more: Value,
    ) -> usize {
        while !self.binary.len().is_multiple_of(4) {
            self.binary.push(0);
        }
        let view = json!({"buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len()});
        self.binary.extend(bytes);
        let view = push(&mut self.views, view);
        let mut accessor = json!({
            "bufferView": view, "componentType": component, "type": kind, "count": count,
        });
        if let (Value::Object(accessor), Value::Object(more)) = (&mut accessor, more) {
            accessor.extend(more);
        }
        push(&mut self.accessors, accessor)
    }

    /// Adds a node to the scene.
    pub fn node(&mut self, node: Value) {
        self.nodes.push(node);
    }

    /// The whole file.
    pub fn bytes(mut self) -> Vec<u8> {
        pad(&mut self.binary, 0);
        let document = json!({
            "asset": {"version": "2.0", "generator": "make_demo_scene of pick-cli"},
            "extensionsUsed": ["EXT_mesh_gpu_instancing"],
            "scene": 0,
            "scenes": [{"nodes": (0..self.nodes.len()).collect::<Vec<_>>()}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": self.binary.len()}],
        });
        let mut text = document.to_string().into_bytes();
        pad(&mut text, b' ');
        let word = |n: usize| (n as u32).to_le_bytes();
        let mut file = b"glTF".to_vec();
        file.extend(word(2));
        file.extend(word(12 + 8 + text.len() + 8 + self.binary.len()));
        for (chunk, kind) in [(text, JSON_CHUNK), (self.binary, BINARY_CHUNK)] {
            file.extend(word(chunk.len()));
            file.extend(kind.to_le_bytes());
            file.extend(chunk);
        }
        file
    }
}

fn push(list: &mut Vec<Value>, value: Value) -> usize {
    list.push(value);
    list.len() - 1
}

fn pad(bytes: &mut Vec<u8>, filler: u8) {
    while !bytes.len().is_multiple_of(4) {
        bytes.push(filler);
    }
}

fn floats<const N: usize>(vectors: &[[f32; N]]) -> Vec<u8> {
    vectors
        .iter()
        .flatten()
        .flat_map(|f| f.to_le_bytes())
        .collect()
}
