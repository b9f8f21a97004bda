//! The glTF 2.0 loader.
//!
//! Reads .glb and .gltf, buffers beside the file or embedded; the node tree; meshes of several
//! primitives (sub-meshes); interleaved and sparse accessors; indices of 8, 16 and 32 bits or none;
//! triangle lists, strips and fans; `KHR_mesh_quantization`, `EXT_mesh_gpu_instancing` and
//! `KHR_node_visibility`; materials as far as picking may ask; cameras; and skins, morph targets and
//! animations for later use. Points and lines become notes.
//!
//! # Bounds
//!
//! A file is not trusted. With `n` the bytes of the file and of the buffers beside it that it names
//! (each counted once, and read no further than it says it is long), the JSON document may take 64
//! MiB + 128 `n` of memory, and all that is decoded from it 16 MiB + 64 `n`; what would take more is
//! [`TooLarge`](crate::SceneErrorKind::TooLarge) before it is allocated. Buffers are found in the
//! file's own folder or below it, nowhere else.

mod accessor;
mod animation;
mod attributes;
mod buffers;
mod camera;
mod components;
mod document;
mod extension;
mod glb;
mod instancing;
mod material;
mod mesh;
mod node;
mod skin;
mod triangles;
mod value;

use std::path::Path;

use crate::data::SceneData;
use crate::error::{SceneError, SceneErrorKind};

type Result<T> = std::result::Result<T, SceneError>;

/// Reads a .glb or .gltf file, told apart by their contents, and the buffers beside it.
pub fn load_path(path: &Path) -> Result<SceneData> {
    let name = path.display().to_string();
    let bytes = buffers::read_file(path, None).map_err(|e| e.in_file(&name))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    load_bytes(&name, &bytes, Some(folder))
}

/// Reads a .glb or .gltf file that is already in memory. `name` is what errors and the scene call
/// it; `folder` is where buffers beside it are looked for, and where there is none, a file that
/// names such buffers is refused.
pub fn load_bytes(name: &str, bytes: &[u8], folder: Option<&Path>) -> Result<SceneData> {
    let mut scene = read(bytes, folder).map_err(|e| e.in_file(name))?;
    name.clone_into(&mut scene.name);
    Ok(scene)
}

fn read(bytes: &[u8], folder: Option<&Path>) -> Result<SceneData> {
    let container = glb::split(bytes)?;
    let mut document = document::parse(container.json)?;
    let buffers = buffers::load(&mut document, container.binary, folder)?;
    let total = (bytes.len() as u64).saturating_add(buffers.beside);
    let accessors = accessor::Accessors::new(&document, &buffers, total);
    let mut scene = SceneData::default();
    let tree = node::tree(&document)?;
    scene.materials = material::read(&document)?;
    let meshes = mesh::read(&document, &accessors, &mut scene)?;
    scene.skins = skin::read(&document, &accessors)?;
    scene.animations = animation::read(&document, &accessors, &mut scene.notes)?;
    node::place(&document, &accessors, &tree, &meshes, &mut scene)?;
    scene.notes.append(&mut document.notes);
    Ok(scene)
}

/// An index that names nothing.
fn out_of_range(
    field: impl Into<String>,
    index: usize,
    what: &str,
    there_are: usize,
) -> SceneError {
    SceneError::new(
        SceneErrorKind::IndexOutOfRange,
        field,
        format!("{index} is out of range: the file has {there_are} {what}"),
        format!("give the number of one of its {what}, counted from 0"),
    )
}
