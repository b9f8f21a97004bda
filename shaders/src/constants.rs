//! Numbers that WGSL shares with Rust, as WGSL text generated from the Rust side.

use std::fmt::Write as _;

use pick_core::layout::{FRONT_BIT, NO_NORMAL, cull, flags, fragments, frame, mask, reduce};

const SHARED: [(&str, u32); 48] = [
    ("FLIP_FACING", flags::FLIP_FACING),
    ("CULL_BACK", flags::CULL_BACK),
    ("CULL_FRONT", flags::CULL_FRONT),
    ("INSTANCED", flags::INSTANCED),
    ("INSTANCE_COLUMNS", flags::INSTANCE_COLUMNS),
    ("INSTANCE_POSITION_SCALE", flags::INSTANCE_POSITION_SCALE),
    ("NORMALS", flags::NORMALS),
    ("UVS", flags::UVS),
    ("INDEX_U16", flags::INDEX_U16),
    ("INDEX_U32", flags::INDEX_U32),
    ("FRONT_BIT", FRONT_BIT),
    ("NO_NORMAL", NO_NORMAL),
    ("BLOCK", cull::BLOCK),
    ("BLOCKS_IN_GROUP", cull::BLOCKS_IN_GROUP),
    ("BLOCKS_IN_SHARE", cull::BLOCKS_IN_SHARE),
    ("GROUPS_IN_CHUNK", cull::GROUPS_IN_CHUNK),
    ("BLOCKS_IN_CHUNK", cull::BLOCKS_IN_CHUNK),
    ("FEW", cull::FEW),
    ("NODE_VECTORS", cull::NODE_VECTORS),
    ("GROUPS_WIDE", cull::GROUPS_WIDE),
    ("DRAWS_EVERYTHING", cull::DRAWS_EVERYTHING),
    ("TOTAL_SURVIVORS", cull::TOTAL_SURVIVORS),
    ("DRAWS_PAIRS", cull::DRAWS_PAIRS),
    ("PAIR_WORDS", cull::PAIR_WORDS),
    ("CLUSTERS_IN_GROUP", cull::CLUSTERS_IN_GROUP),
    ("MOST_CLUSTER_GROUPS", cull::MOST_CLUSTER_GROUPS),
    ("NOWHERE", reduce::NOWHERE),
    ("HEADER_WORDS", reduce::HEADER_WORDS),
    ("FOUND_WORDS", reduce::FOUND_WORDS),
    ("RUN", reduce::RUN),
    ("OUTSIDE", fragments::OUTSIDE),
    ("FRAME_MARGIN", frame::MARGIN),
    ("FRAME_REVERSED", frame::REVERSED),
    ("MASK_WIDTH", mask::WIDTH),
    ("MASK_HEIGHT", mask::HEIGHT),
    ("MASK_MARGIN", mask::MARGIN),
    ("MASK_DEPTH", mask::DEPTH),
    ("MASK_HEADER", mask::HEADER),
    ("FRAGMENTS_FOUND", fragments::FOUND),
    ("FRAGMENTS_ROOM", fragments::ROOM),
    ("FRAGMENTS_DEPTH_FLIP", fragments::DEPTH_FLIP),
    ("FRAGMENTS_FIRST", fragments::FIRST),
    ("FRAGMENTS_FIRST_ID", fragments::FIRST_ID),
    ("FRAGMENTS_WIDTH", fragments::WIDTH),
    ("FRAGMENTS_HAS_MASK", fragments::HAS_MASK),
    ("FRAGMENTS_MASK", fragments::MASK),
    ("FRAGMENTS_HEADER", fragments::HEADER),
    ("FRAGMENT_WORDS", fragments::WORDS),
];

/// `const NAME: u32 = 0x…u;` lines.
pub(crate) fn constants() -> String {
    let mut text = String::new();
    for (name, value) in SHARED {
        // Writing to a String has no error to report.
        let _ = writeln!(text, "const {name}: u32 = {value:#x}u;");
    }
    text
}
