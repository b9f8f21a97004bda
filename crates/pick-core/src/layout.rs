//! The structs that Rust and WGSL share. The shader crate generates its side from these and a test
//! compares both by machine.

use bytemuck::{Pod, Zeroable};

/// What is the same for every draw of a pick: WGSL `PickUniforms`, group 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PickUniforms {
    /// The pick origin in world space, rounded to f32: the eye, or of an orthographic view the point
    /// where the ray of the region's centre starts.
    pub origin_high: [f32; 3],
    /// 1 for an orthographic view.
    pub orthographic: u32,
    /// The rest of the pick origin: origin = high + low.
    pub origin_low: [f32; 3],
    /// The view distance of the pick origin.
    pub origin_distance: f32,
    /// Unit vector in world space along which the view distance is measured.
    pub forward: [f32; 3],
    /// See [`frame`].
    pub frame: u32,
    /// The picked region in target pixels: x, y, width, height.
    pub region: [f32; 4],
    /// The viewport in target pixels: x, y, width, height.
    pub viewport: [f32; 4],
}

/// What a draw needs: WGSL `DrawRecord`, group 1, one per draw at a dynamic offset. Bound twice: as a
/// uniform, and as storage.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct DrawRecord {
    /// Zoomed clip space from anchored object space, column-major.
    pub clip_from_object: [[f32; 4]; 4],
    /// Rows of the 3x4 matrix from anchored object space to world space relative to the pick origin.
    pub world_rows: [[f32; 4]; 3],
    /// Subtracted from object-space positions before anything else, so that large coordinates keep
    /// their low bits.
    pub anchor: [f32; 3],
    /// The id of the draw's original instance 0 (or its only id).
    pub id_base: u32,
    /// See [`flags`].
    pub flags: u32,
    /// Added to the primitive number counted from the draw's first element.
    pub primitive_base: u32,
    /// Added to the instance index of the draw call; the base instance is not trusted to drivers.
    pub first_instance: u32,
    /// First element of the draw (index or vertex), for pulled vertices.
    pub first_element: u32,
    /// Position stream: first word, words a vertex.
    pub positions: [u32; 2],
    /// Normal stream: first word, words a vertex.
    pub normals: [u32; 2],
    /// Texture-coordinate stream: first word, words a vertex.
    pub uvs: [u32; 2],
    /// First word of the index list.
    pub indices: u32,
    /// Ids an instance takes: the number of faces where they are packed beside the object, else 1.
    pub ids_per_instance: u32,
    /// First word of the list of surviving instances, in a draw of those.
    pub survivors: u32,
    /// First word of the list of pairs of an instance and a run of elements; 0 in a draw without.
    pub pairs: u32,
    /// Fills the last vector, which WGSL does by itself.
    pub reserved: [u32; 2],
}

/// What a culling kernel is told: WGSL `CullParams`, a uniform at a dynamic offset.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct CullParams {
    /// Inward unit normals and offsets of what is seen, in object space measured from the anchor; inside is
    /// `dot(normal, p) + offset >= 0`.
    pub planes: [[f32; 4]; 6],
    /// The same as a beam: a box is touched where some `t >= 0` lies, along each axis, between
    /// `(min - low) * first` and `(max - high) * second`, each a least where its factor is above 0, or below,
    /// and else a most. All zero for a beam of everything.
    pub beam_low: [f32; 4],
    /// See `beam_low`.
    pub beam_high: [f32; 4],
    /// See `beam_low`.
    pub beam_first: [f32; 4],
    /// See `beam_low`.
    pub beam_second: [f32; 4],
    /// Centre of the local bounds.
    pub local_center: [f32; 3],
    /// How far they reach from the pivot.
    pub local_reach: f32,
    /// Half their size.
    pub local_half: [f32; 3],
    /// Instances from `first_instance` on.
    pub instances: u32,
    /// As [`DrawRecord::anchor`].
    pub anchor: [f32; 3],
    /// The set's instance that the first bound one is.
    pub first_instance: u32,
    /// The local point that bounds of blocks are around.
    pub pivot: [f32; 3],
    /// Chunks of [`cull::CHUNK`] instances.
    pub chunks: u32,
    /// Survivors that there is room for.
    pub capacity: u32,
    /// First word of a count for each chunk.
    pub counts: u32,
    /// First word of the sum of all counts before it, for each chunk.
    pub counts_before: u32,
    /// First word of what was found in each chunk, [`cull::BLOCKS_IN_CHUNK`] a chunk.
    pub found: u32,
    /// First word of the surviving instances.
    pub survivors: u32,
    /// Elements of the draw.
    pub elements: u32,
    /// First element of the draw call.
    pub first_element: u32,
    /// First vector of the mesh's clusters: groups of them, then each.
    pub cluster_nodes: u32,
    /// Clusters of what is drawn; 0 where it has none.
    pub clusters: u32,
    /// The most elements that a cluster has.
    pub cluster_elements: u32,
    /// First word of the pairs, [`cull::PAIR_WORDS`] each.
    pub pairs: u32,
    /// Pairs that there is room for.
    pub pair_capacity: u32,
}

/// What a kernel that reduces a region's pixels is told: WGSL `ReduceParams`, a uniform at a dynamic offset.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct ReduceParams {
    /// Pixels of a row of the region.
    pub width: u32,
    /// Rows of the region.
    pub height: u32,
    /// First word of the places of pixels (row by row in the region, or [`reduce::NOWHERE`]) that are gathered.
    pub places: u32,
    /// How many of them.
    pub place_count: u32,
    /// Column of a disc's centre in the region.
    pub center_x: u32,
    /// Row of a disc's centre in the region.
    pub center_y: u32,
    /// The largest squared distance in pixels that is inside a disc.
    pub squared_reach: u32,
    /// What depth bits are combined with by exclusive or, so that the nearest is the least.
    pub depth_flip: u32,
    /// First word of the bands: the first id and the band of each run of ids in the same one.
    pub bands: u32,
    /// How many runs.
    pub band_count: u32,
    /// First word of an area's mask; rows begin with a word of their own.
    pub mask: u32,
    /// 1 where there is a mask, else 0: all pixels are inside.
    pub has_mask: u32,
    /// The first id that was handed out.
    pub first_id: u32,
    /// How many ids were.
    pub id_count: u32,
    /// First word of the table: for each id a count of pixels, then for each the least key of its depths, then
    /// for each the first pixel that has it.
    pub table: u32,
    /// First word of the answer.
    pub answer: u32,
    /// Ids that the answer has room for.
    pub capacity: u32,
    /// 1 where ids with something outside the area ([`fragments::OUTSIDE`]) are not listed, else 0.
    pub contained: u32,
    /// Fills the last vector.
    pub reserved: [u32; 2],
}

/// Bits of [`PickUniforms::frame`].
pub mod frame {
    /// Pixels that the viewport is larger than the region on each side.
    pub const MARGIN: u32 = 0xffff;
    /// Nearer depths are greater.
    pub const REVERSED: u32 = 1 << 31;
}

/// Numbers of the kernels that reduce a region's pixels.
pub mod reduce {
    /// The place of no pixel.
    pub const NOWHERE: u32 = u32::MAX;
    /// Words before the ids that an area's answer lists; the first is how many ids there are.
    pub const HEADER_WORDS: u32 = 4;
    /// Words of an id that is listed: the id, its count of pixels, the key of its depth, its pixel.
    pub const FOUND_WORDS: u32 = 4;
    /// Words that the table has for each id.
    pub const TABLE_WORDS: u32 = 3;
    /// Pixels of a row that one thread goes through: a word of a mask has a bit for each.
    pub const RUN: u32 = 32;
}

/// Words of the buffer that opens the pixels of a batch: a header, then their places row by row.
pub mod mask {
    /// Pixels of a row of the region.
    pub const WIDTH: u32 = 0;
    /// Rows of the region.
    pub const HEIGHT: u32 = 1;
    /// Pixels that the viewport is larger on each side.
    pub const MARGIN: u32 = 2;
    /// Bits of the farthest depth.
    pub const DEPTH: u32 = 3;
    /// Words of the header.
    pub const HEADER: u32 = 4;
}

/// Words of the buffer that every fragment of a pass is told to: a header, then the list of fragments or the
/// table of ids.
pub mod fragments {
    /// How many fragments there are, also those that found no room; of a table 0 while depths are looked for, and
    /// 1 while places are.
    pub const FOUND: u32 = 0;
    /// Fragments that the list has room for, or ids of the table.
    pub const ROOM: u32 = 1;
    /// As [`ReduceParams::depth_flip`](super::ReduceParams::depth_flip).
    pub const DEPTH_FLIP: u32 = 2;
    /// The first word of the list, or of the table.
    pub const FIRST: u32 = 3;
    /// The first id of the table.
    pub const FIRST_ID: u32 = 4;
    /// Pixels of a row of the region.
    pub const WIDTH: u32 = 5;
    /// 1 where there is a mask of pixels, else 0.
    pub const HAS_MASK: u32 = 6;
    /// The first word of the mask.
    pub const MASK: u32 = 7;
    /// Words of the header.
    pub const HEADER: u32 = 8;
    /// Words of a fragment in the list: as a texel of the detailed strategy.
    pub const WORDS: u32 = 4;
    /// The bit of a count that says that something of the id is outside the area.
    pub const OUTSIDE: u32 = 1 << 31;
}

/// Numbers of the culling kernels.
pub mod cull {
    /// Instances of a block: a word has a bit for each.
    pub const BLOCK: u32 = 16;
    /// Blocks that have bounds together too.
    pub const BLOCKS_IN_GROUP: u32 = 16;
    /// Instances of a group.
    pub const GROUP: u32 = BLOCKS_IN_GROUP * BLOCK;
    /// Groups that one workgroup goes through.
    pub const GROUPS_IN_CHUNK: u32 = 32;
    /// Blocks that one workgroup goes through.
    pub const BLOCKS_IN_CHUNK: u32 = GROUPS_IN_CHUNK * BLOCKS_IN_GROUP;
    /// Instances that one workgroup goes through.
    pub const CHUNK: u32 = BLOCKS_IN_CHUNK * BLOCK;
    /// Blocks that one workgroup bounds. Fewer than it goes through when it culls: where all of a large set
    /// is read, workgroups must be many to end together.
    pub const BLOCKS_IN_SHARE: u32 = 128;
    /// Of so many survivors of a chunk their numbers are stored, in any order; of more, a word of bits for
    /// each block.
    pub const FEW: u32 = 64;
    /// Vectors that the bounds of a block or a group take.
    pub const NODE_VECTORS: u32 = 2;
    /// Bytes that the bounds of a group and of its blocks take.
    pub const GROUP_BOUNDS_BYTES: u64 = ((BLOCKS_IN_GROUP + 1) * NODE_VECTORS * 16) as u64;
    /// Workgroups along x before the next row along y.
    pub const GROUPS_WIDE: u32 = 1 << 15;
    /// The word of a survivors buffer that is 1 where its draw draws every instance, else 0. Before it are
    /// the arguments of the draw.
    pub const DRAWS_EVERYTHING: u32 = 5;
    /// The word that counts surviving instances, also those that found no room.
    pub const TOTAL_SURVIVORS: u32 = 6;
    /// The word that tells of pairs of a surviving instance and a cluster: 0 where none were looked for, 1
    /// where the draw draws those, 2 where they found no room and it draws whole instances.
    pub const DRAWS_PAIRS: u32 = 7;
    /// Words before the lists.
    pub const HEADER_WORDS: u32 = 8;
    /// Words of a pair: the instance, the first element of its run, and the end of that.
    pub const PAIR_WORDS: u32 = 3;
    /// Clusters that have bounds together too.
    pub const CLUSTERS_IN_GROUP: u32 = 16;
    /// Groups of clusters, over all surviving instances, that are looked through: of more, whole instances
    /// are drawn.
    pub const MOST_CLUSTER_GROUPS: u32 = 1 << 20;
}

/// Bits of [`DrawRecord::flags`].
pub mod flags {
    /// The builtin's front is our back (mirrored transforms, flipped views).
    pub const FLIP_FACING: u32 = 1;
    /// Discard back faces.
    pub const CULL_BACK: u32 = 1 << 1;
    /// Discard front faces.
    pub const CULL_FRONT: u32 = 1 << 2;
    /// Instance transforms apply.
    pub const INSTANCED: u32 = 1 << 3;
    /// Instance transforms are four columns of four.
    pub const INSTANCE_COLUMNS: u32 = 1 << 4;
    /// Instance transforms are a position and a scale. Without this and the bit before: three rows of
    /// four.
    pub const INSTANCE_POSITION_SCALE: u32 = 1 << 9;
    /// There are vertex normals.
    pub const NORMALS: u32 = 1 << 5;
    /// There are texture coordinates.
    pub const UVS: u32 = 1 << 6;
    /// The index list is 16 bits wide.
    pub const INDEX_U16: u32 = 1 << 7;
    /// The index list is 32 bits wide.
    pub const INDEX_U32: u32 = 1 << 8;
}

/// The id of nothing.
pub const NO_ID: u32 = 0;
/// The bit of a detailed texel's primitive word that says "front".
pub const FRONT_BIT: u32 = 1 << 31;
/// The primitive number of draws that have none.
pub const NO_PRIMITIVE: u32 = FRONT_BIT - 1;
/// The packed normal that stands for none. No unit vector packs to it.
pub const NO_NORMAL: u32 = 0x8000_8000;

/// Unpacks an octahedral normal of 2 x 16 bits snorm (Meyer et al. 2010, "On floating-point normal
/// vectors"); `None` for [`NO_NORMAL`].
pub fn unpack_normal(packed: u32) -> Option<glam::DVec3> {
    if packed == NO_NORMAL {
        return None;
    }
    let half = |bits: u32| f64::from(bits as u16 as i16) / 32767.0;
    let (x, y) = (half(packed), half(packed >> 16));
    let z = 1.0 - x.abs() - y.abs();
    let fold = (-z).max(0.0);
    let unfolded = |v: f64| if v >= 0.0 { v - fold } else { v + fold };
    glam::DVec3::new(unfolded(x), unfolded(y), z).try_normalize()
}

/// Packs a unit normal as [`unpack_normal`] reads it.
pub fn pack_normal(normal: glam::DVec3) -> u32 {
    let n = normal / (normal.x.abs() + normal.y.abs() + normal.z.abs());
    let sign = |v: f64| if v >= 0.0 { 1.0 } else { -1.0 };
    let (x, y) = if n.z >= 0.0 {
        (n.x, n.y)
    } else {
        ((1.0 - n.y.abs()) * sign(n.x), (1.0 - n.x.abs()) * sign(n.y))
    };
    let snorm = |v: f64| (v.clamp(-1.0, 1.0) * 32767.0).round() as i16 as u16;
    u32::from(snorm(x)) | u32::from(snorm(y)) << 16
}
