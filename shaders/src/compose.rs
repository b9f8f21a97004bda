//! The composer.

use pick_core::{StrategyShader, VertexFetch};

/// Everything that makes one shader module differ from another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// How vertices reach the shader.
    pub fetch: VertexFetch,
    /// The fragment stage.
    pub shader: StrategyShader,
    /// The vertex buffers beyond the position; none are read for pulled vertices.
    pub attributes: VertexAttributes,
    /// The fragment writes its depth itself.
    pub fragment_depth: bool,
}

/// Vertex buffers of a draw whose vertices are not pulled. Location 0 is the position (vec3f).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexAttributes {
    /// Location 1: the vertex normal (vec3f).
    pub normals: bool,
    /// Location 2: the texture coordinates (vec2f).
    pub uvs: bool,
}

impl Variant {
    /// The WGSL of the variant; entry points `vs_main` and `fs_main`.
    pub fn wgsl(&self) -> String {
        String::new()
    }
}

/// The WGSL that turns a stencil into a colour: `vs_main` covers the target with 3 vertices, `fs_main`
/// writes 1.0; the bit's weight is the blend constant.
pub fn stencil_bits() -> String {
    String::new()
}
