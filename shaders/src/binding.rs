//! Which group holds what: the budget of WebGPU's default limits (4 groups, 8 storage buffers a stage,
//! 4 of them and 8 uniforms at dynamic offsets).

use pick_core::{StrategyShader, VertexFetch};

/// The group of what is the same for a whole pick.
pub const GROUP_PICK: u32 = 0;
/// The group of what changes with every draw; both bindings are the same record at a dynamic offset.
pub const GROUP_DRAW: u32 = 1;
/// The group of geometry in storage buffers.
pub const GROUP_GEOMETRY: u32 = 2;

/// The group of what every fragment is told to.
pub const GROUP_FRAGMENTS: u32 = 3;

/// What a binding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingKind {
    /// [`pick_core::layout::PickUniforms`].
    PickUniforms,
    /// [`pick_core::layout::DrawRecord`] in a uniform, at a dynamic offset: what is computed with.
    DrawRecord,
    /// The same in a read-only storage buffer, at the same offset: what branches depend on.
    DrawChoices,
    /// Instance transforms as vec4f.
    Instances,
    /// Position words as f32.
    Positions,
    /// Index words as u32; a 16-bit list is two to a word.
    Indices,
    /// Normal words as f32.
    Normals,
    /// Texture-coordinate words as f32.
    Uvs,
    /// One face number a vertex.
    VertexFaces,
    /// What culling left of the instances.
    Survivors,
    /// What every fragment is told to; the fragment stage writes it.
    Fragments,
}

/// Which stages see a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stages {
    /// The vertex stage.
    Vertex,
    /// Both.
    Both,
    /// The fragment stage.
    Fragment,
}

/// One row of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Bind group (descriptor set).
    pub group: u32,
    /// Number in the group.
    pub binding: u32,
    /// What it is.
    pub kind: BindingKind,
    /// Who sees it.
    pub stages: Stages,
}

const fn row(group: u32, binding: u32, kind: BindingKind, stages: Stages) -> Binding {
    Binding {
        group,
        binding,
        kind,
        stages,
    }
}

/// The whole budget. Group 3 is the rules' too: beside the widest variant one storage buffer is left there
/// for the vertex stage, and six for the fragment stage.
pub const BINDINGS: [Binding; 11] = [
    row(GROUP_PICK, 0, BindingKind::PickUniforms, Stages::Both),
    row(GROUP_DRAW, 0, BindingKind::DrawRecord, Stages::Both),
    row(GROUP_DRAW, 1, BindingKind::DrawChoices, Stages::Both),
    row(GROUP_GEOMETRY, 0, BindingKind::Instances, Stages::Vertex),
    row(GROUP_GEOMETRY, 1, BindingKind::Positions, Stages::Vertex),
    row(GROUP_GEOMETRY, 2, BindingKind::Indices, Stages::Vertex),
    row(GROUP_GEOMETRY, 3, BindingKind::Normals, Stages::Vertex),
    row(GROUP_GEOMETRY, 4, BindingKind::Uvs, Stages::Vertex),
    row(GROUP_GEOMETRY, 5, BindingKind::VertexFaces, Stages::Vertex),
    row(GROUP_GEOMETRY, 6, BindingKind::Survivors, Stages::Vertex),
    row(GROUP_FRAGMENTS, 0, BindingKind::Fragments, Stages::Fragment),
];

impl Binding {
    /// True when a variant declares this binding. Two variants that agree on all rows can share a
    /// layout.
    pub fn is_used(&self, fetch: VertexFetch, shader: &StrategyShader, survivors: bool) -> bool {
        let pulled = fetch == VertexFetch::Pulled;
        match self.kind {
            BindingKind::PickUniforms
            | BindingKind::DrawRecord
            | BindingKind::DrawChoices
            | BindingKind::Instances => true,
            BindingKind::Positions | BindingKind::Indices => pulled,
            BindingKind::Normals | BindingKind::Uvs => pulled && shader.needs_surface(),
            BindingKind::VertexFaces => shader.needs_faces(),
            BindingKind::Survivors => survivors,
            BindingKind::Fragments => shader.keeps_fragments(),
        }
    }
}

/// Which bindings of the geometry group a variant uses, by binding number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GeometryUse(u8);

impl GeometryUse {
    /// What a variant uses.
    pub fn of(fetch: VertexFetch, shader: &StrategyShader, survivors: bool) -> Self {
        let used = geometry_bindings().filter(|binding| binding.is_used(fetch, shader, survivors));
        Self(used.fold(0, |set, binding| set | 1 << binding.binding))
    }

    /// The bindings.
    pub fn bindings(self) -> impl Iterator<Item = &'static Binding> {
        geometry_bindings().filter(move |binding| self.0 & 1 << binding.binding != 0)
    }

    /// True when a mesh's buffers are among the bindings.
    pub fn needs_mesh(self) -> bool {
        let of_mesh =
            |b: &Binding| !matches!(b.kind, BindingKind::Instances | BindingKind::Survivors);
        self.bindings().any(of_mesh)
    }
}

fn geometry_bindings() -> impl Iterator<Item = &'static Binding> {
    BINDINGS.iter().filter(|b| b.group == GROUP_GEOMETRY)
}
