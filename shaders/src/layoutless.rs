//! Takes explicit layouts off workgroup memory: naga gives a stride to every array, Vulkan forbids it there
//! (VUID-StandaloneSpirv-None-10684), and some drivers refuse such kernels.

use std::collections::{HashMap, HashSet};

const HEADER_WORDS: usize = 5;
const TYPE_ARRAY: u32 = 28;
const TYPE_RUNTIME_ARRAY: u32 = 29;
const TYPE_STRUCT: u32 = 30;
const TYPE_POINTER: u32 = 32;
const DECORATE: u32 = 71;
const ARRAY_STRIDE: u32 = 6;
const WORKGROUP: u32 = 4;

/// Every instruction: its opcode and its words after the first.
fn instructions(words: &[u32]) -> impl Iterator<Item = (u32, &[u32], &[u32])> {
    let mut rest = words.get(HEADER_WORDS..).unwrap_or_default();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let length = (first >> 16).max(1) as usize;
        let (whole, later) = rest.split_at(length.min(rest.len()));
        rest = later;
        Some((first & 0xffff, &whole[1..], whole))
    })
}

/// The same module without strides of arrays that are in workgroup memory only.
pub(crate) fn without_workgroup_layout(words: &[u32]) -> Vec<u32> {
    let mut parts: HashMap<u32, &[u32]> = HashMap::new();
    let (mut inside, mut elsewhere) = (Vec::new(), Vec::new());
    for (code, operands, _) in instructions(words) {
        match (code, operands) {
            (TYPE_ARRAY, [id, element, _]) => {
                parts.insert(*id, std::slice::from_ref(element));
            }
            (TYPE_RUNTIME_ARRAY | TYPE_STRUCT, [id, of @ ..]) => {
                parts.insert(*id, of);
            }
            (TYPE_POINTER, [_, WORKGROUP, to]) => inside.push(*to),
            (TYPE_POINTER, [_, _, to]) => elsewhere.push(*to),
            _ => {}
        }
    }
    let reached = |mut from: Vec<u32>| {
        let mut seen = HashSet::new();
        while let Some(id) = from.pop() {
            if seen.insert(id) {
                from.extend(parts.get(&id).copied().unwrap_or_default());
            }
        }
        seen
    };
    let (inside, elsewhere) = (reached(inside), reached(elsewhere));
    let stays = |code: u32, operands: &[u32]| match (code, operands) {
        (DECORATE, [id, ARRAY_STRIDE, _]) => !inside.contains(id) || elsewhere.contains(id),
        _ => true,
    };
    let kept = instructions(words).filter(|(code, operands, _)| stays(*code, operands));
    let header = words.get(..HEADER_WORDS).unwrap_or_default();
    let body = kept.flat_map(|(_, _, whole)| whole);
    header.iter().chain(body).copied().collect()
}
