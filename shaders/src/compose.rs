//! The composer: picks pieces, keeps or drops their conditional lines, joins them as text.

use pick_core::{IdTexels, InstanceFormat, Kernel, StrategyShader, Texel, VertexFetch};

use crate::constants::constants;

/// Everything that makes one shader module differ from another.
///
/// Draw calls start at element 0 and instance 0 wherever the shader counts for itself: pulled vertices
/// are drawn as `0..elements` (the record holds the first element), expanded ones with their vertex
/// buffers bound from the draw's first element on, and instances as `0..count` (the record holds the
/// first instance). Base instance and base vertex are not trusted to drivers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// How vertices reach the shader.
    pub fetch: VertexFetch,
    /// The fragment stage.
    pub shader: StrategyShader,
    /// The vertex buffers beyond the position; ignored where vertices are pulled and where the
    /// strategy needs no surface.
    pub attributes: VertexAttributes,
    /// The fragment writes its depth itself.
    pub fragment_depth: bool,
    /// The draw's instances are those that culling left.
    pub survivors: bool,
}

/// Vertex buffers of a draw whose vertices are not pulled. Location 0 is the position (vec3f).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexAttributes {
    /// Location 1: the vertex normal (vec3f).
    pub normals: bool,
    /// Location 2: the texture coordinates (vec2f).
    pub uvs: bool,
}

macro_rules! piece {
    ($path:literal) => {
        include_str!(concat!("../wgsl/", $path))
    };
}

impl Variant {
    /// The WGSL of the variant; entry points `vs_main` and `fs_main`.
    pub fn wgsl(&self) -> String {
        let surface = self.shader.needs_surface();
        let pulled = self.fetch == VertexFetch::Pulled;
        if self.shader == StrategyShader::TallyTriangles {
            return self.triangles();
        }
        let pieces = [
            (true, piece!("records.wgsl")),
            (pulled, piece!("pull.wgsl")),
            (pulled && surface, piece!("pull_surface.wgsl")),
            (self.shader.needs_faces(), piece!("faces.wgsl")),
            (true, piece!("matrices.wgsl")),
            (self.survivors, piece!("survivors.wgsl")),
            (self.survivors && pulled, piece!("pairs.wgsl")),
            (true, piece!("instances.wgsl")),
            (true, piece!("projection/static.wgsl")),
            (true, piece!("varyings.wgsl")),
            (surface, piece!("vertex_surface.wgsl")),
            (true, piece!("vertex.wgsl")),
            (surface, piece!("normals.wgsl")),
            (true, piece!("fragment_told.wgsl")),
            (surface, piece!("fragment_surface.wgsl")),
            (true, piece!("rule/facing.wgsl")),
            (true, self.strategy_piece()),
            (true, piece!("fragment.wgsl")),
        ];
        let used = pieces.into_iter().filter(|(used, _)| *used);
        let body = used.fold(constants(), |text, (_, piece)| text + "\n" + piece);
        let body = self.resolve_conditions(&body);
        self.enables() + &self.with_fragment_depth(body)
    }

    /// Of triangles that are not drawn where they are. Their vertices are pulled, whatever the fetch.
    fn triangles(&self) -> String {
        let pieces = [
            (true, piece!("records.wgsl")),
            (true, piece!("pull.wgsl")),
            (self.survivors, piece!("survivors.wgsl")),
            (true, piece!("instances.wgsl")),
            (true, piece!("projection/static.wgsl")),
            (true, piece!("contain/varyings.wgsl")),
            (true, piece!("contain/vertex.wgsl")),
            (true, piece!("contain/fragment.wgsl")),
        ];
        let used = pieces.into_iter().filter(|(used, _)| *used);
        let body = used.fold(constants(), |text, (_, piece)| text + "\n" + piece);
        self.resolve_conditions(&body)
    }

    fn strategy_piece(&self) -> &str {
        match &self.shader {
            StrategyShader::ColorId => piece!("strategy/color_id.wgsl"),
            StrategyShader::IntegerId { .. } => piece!("strategy/integer_id.wgsl"),
            StrategyShader::StencilId => piece!("strategy/stencil_id.wgsl"),
            StrategyShader::Detailed { .. } => piece!("strategy/detailed.wgsl"),
            StrategyShader::ListFragments { .. } => piece!("fragments/list.wgsl"),
            StrategyShader::TallyFragments | StrategyShader::TallyTriangles => {
                piece!("fragments/tally.wgsl")
            }
            StrategyShader::Custom(custom) => &custom.wgsl,
        }
    }

    /// Enables stand before everything else, wherever their user is spliced in.
    fn enables(&self) -> String {
        match self.holds("builtin_primitive") {
            true => "enable primitive_index;\n".to_owned(),
            false => String::new(),
        }
    }

    /// The conditions that `//#if` lines name.
    fn holds(&self, condition: &str) -> bool {
        let pulled = self.fetch == VertexFetch::Pulled;
        let surface = self.shader.needs_surface();
        let primitive = self.shader.needs_primitive();
        let output = self.shader.has_output();
        match condition {
            "pulled" => pulled,
            "surface" => surface,
            "faces" => self.shader.needs_faces(),
            "distance" => primitive,
            "builtin_primitive" => primitive && self.fetch == VertexFetch::Indexed,
            "vertex_primitive" => primitive && self.fetch != VertexFetch::Indexed,
            "attribute_normals" => surface && !pulled && self.attributes.normals,
            "attribute_uvs" => surface && !pulled && self.attributes.uvs,
            "no_normals" => !pulled && !self.attributes.normals,
            "no_uvs" => !pulled && !self.attributes.uvs,
            "survivors" => self.survivors,
            "pairs" => self.survivors && pulled,
            "fragment_depth" => self.fragment_depth,
            "keeps_fragments" => self.shader.keeps_fragments(),
            "output" => output,
            "output_depth" => output && self.fragment_depth,
            "depth_only" => !output && self.fragment_depth,
            "no_output" => !output && !self.fragment_depth,
            _ => false,
        }
    }

    /// Keeps the lines between `//#if NAME` (or `!NAME`), `//#else` and `//#endif` whose condition
    /// holds. Conditions do not nest.
    fn resolve_conditions(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut keep = true;
        for line in text.lines() {
            match line.strip_prefix("//#") {
                None if keep => {
                    out.push_str(line);
                    out.push('\n');
                }
                None => {}
                Some("else") => keep = !keep,
                Some("endif") => keep = true,
                Some(directive) => {
                    let name = directive.trim_start_matches("if ");
                    keep = match name.strip_prefix('!') {
                        Some(name) => !self.holds(name),
                        None => self.holds(name),
                    };
                }
            }
        }
        out
    }

    /// Adds the depth to whatever the strategy puts out.
    fn with_fragment_depth(&self, body: String) -> String {
        if !self.holds("output_depth") {
            return body;
        }
        let name = body.find("struct PickOutput");
        let opening = name.and_then(|name| Some(name + body[name..].find('{')? + 1));
        match opening {
            Some(at) => {
                let field = "\n    @builtin(frag_depth) fragment_depth: f32,";
                [&body[..at], field, &body[at..]].concat()
            }
            // A custom strategy without the struct: validation names what is missing.
            None => body,
        }
    }
}

/// The WGSL that turns a stencil into a colour: `vs_main` covers the target with 3 vertices, `fs_main`
/// writes 1.0; the bit's weight is the blend constant.
pub fn stencil_bits() -> &'static str {
    piece!("stencil_bits.wgsl")
}

/// The WGSL that opens the pixels of a batch ([`pick_core::Mask`]): `vs_main` is drawn with 3 vertices for each.
pub fn mask() -> String {
    constants() + piece!("mask.wgsl")
}

/// Threads of the workgroups of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// Of one that bounds its share of the blocks.
    bound: u32,
    /// Of one that goes through a chunk.
    cull: u32,
    /// Of those that list survivors and clusters of these, and of those that reduce pixels.
    list: u32,
    /// Reads of one thread are made to overlap.
    overlaps: bool,
}

impl Threads {
    /// For a GPU.
    pub const GPU: Self = Self {
        bound: 128,
        cull: 128,
        list: 256,
        overlaps: true,
    };
    /// For a driver that runs on the CPU: as many as it does at once, since each goes through all of a
    /// kernel, also where it has nothing to do.
    pub const CPU: Self = Self {
        bound: 8,
        cull: 8,
        list: 16,
        overlaps: false,
    };

    /// The most that a workgroup has.
    pub fn most(self) -> u32 {
        self.bound.max(self.cull).max(self.list)
    }

    fn constants(self) -> String {
        let Self {
            bound,
            cull,
            list,
            overlaps,
        } = self;
        format!(
            "const BOUND_THREADS: u32 = {bound}u;\n\
             const CULL_THREADS: u32 = {cull}u;\n\
             const LIST_THREADS: u32 = {list}u;\n\
             const OVERLAPS: bool = {overlaps};\n"
        )
    }
}

/// The WGSL of a kernel; entry point `main`.
pub fn kernel(kernel: Kernel, threads: Threads) -> String {
    let constants = constants() + &threads.constants();
    match kernel.culls() {
        true => culling(kernel, &constants),
        false => reducing(kernel, &constants),
    }
}

fn reducing(kernel: Kernel, constants: &str) -> String {
    let params = piece!("reduce/params.wgsl");
    let (words, atomic_words) = (
        piece!("reduce/words.wgsl"),
        piece!("reduce/atomic_words.wgsl"),
    );
    let (table, runs) = (piece!("reduce/table.wgsl"), piece!("reduce/runs.wgsl"));
    let ids = |texels| match texels {
        IdTexels::Words => piece!("reduce/ids_in_words.wgsl"),
        IdTexels::Bytes => piece!("reduce/ids_in_bytes.wgsl"),
    };
    let texel_words: String;
    let pieces: &[&str] = match kernel {
        Kernel::Gather(texel) => {
            let (texels, count) = match texel {
                Texel::Bytes => (piece!("reduce/gather_bytes.wgsl"), 1),
                Texel::Word => (piece!("reduce/gather_words.wgsl"), 1),
                Texel::TwoWords => (piece!("reduce/gather_words.wgsl"), 2),
                Texel::FourWords => (piece!("reduce/gather_words.wgsl"), 4),
            };
            texel_words = format!("const TEXEL_WORDS: u32 = {count}u;");
            &[&texel_words, words, texels, piece!("reduce/gather.wgsl")]
        }
        Kernel::NearestInDisc(texels) => {
            &[words, ids(texels), piece!("reduce/nearest_in_disc.wgsl")]
        }
        Kernel::ClearTable => &[words, table, piece!("reduce/clear_table.wgsl")],
        Kernel::TallyIds(texels) => &[
            atomic_words,
            ids(texels),
            table,
            piece!("reduce/tally_ids.wgsl"),
            runs,
        ],
        Kernel::PlaceIds(texels) => &[
            atomic_words,
            ids(texels),
            table,
            piece!("reduce/place_ids.wgsl"),
            runs,
        ],
        Kernel::BeginPlaces => &[words, piece!("reduce/begin_places.wgsl")],
        _ => &[words, table, piece!("reduce/list_ids.wgsl")],
    };
    [&[constants, params], pieces].concat().join("\n")
}

fn culling(kernel: Kernel, constants: &str) -> String {
    let [params, nodes, touch, instances] = [
        piece!("cull/params.wgsl"),
        piece!("cull/nodes.wgsl"),
        piece!("cull/touch.wgsl"),
        piece!("instances.wgsl"),
    ];
    // A number that the driver's compiler knows: a branch on it would keep reads from overlapping.
    let of = |format: InstanceFormat| format!("const FORMAT: u32 = {:#x}u;", format.flag());
    match kernel {
        Kernel::BoundBlocks(format) => {
            let main = piece!("cull/bound_blocks.wgsl");
            [constants, params, &of(format), nodes, instances, main].join("\n")
        }
        Kernel::CullInstances(format) => {
            let main = [
                piece!("cull/node_touch.wgsl"),
                piece!("cull/descend.wgsl"),
                piece!("cull/cull_instances.wgsl"),
            ];
            let format = of(format);
            let pieces = [constants, params, &format, nodes, touch, instances];
            [&pieces[..], &main].concat().join("\n")
        }
        Kernel::PairClusters(format) => {
            let main = [
                piece!("cull/clusters.wgsl"),
                piece!("cull/tally.wgsl"),
                piece!("cull/pair_clusters.wgsl"),
            ];
            let format = of(format);
            let pieces = [constants, params, &format, touch, instances];
            [&pieces[..], &main].concat().join("\n")
        }
        _ => {
            let main = [piece!("cull/rank.wgsl"), piece!("cull/list_instances.wgsl")];
            [&[constants, params][..], &main].concat().join("\n")
        }
    }
}
