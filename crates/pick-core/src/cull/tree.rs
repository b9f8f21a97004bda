//! A tree of boxes, built by a library; whoever needs it walks its nodes.

use glam::Vec3A;
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::leaf_collapser::collapse;
use obvhs::bvh2::node::Bvh2Node;
use obvhs::ploc::{PlocBuilder, PlocSearchDistance, SortPrecision};

/// How much a box is loosened at most before the tree is built: a share of its size, of its place, and a little.
const LOOSE_SIZE: f32 = 1.0 / 512.0;
const LOOSE_PLACE: f32 = 1.0 / (1 << 17) as f32;
const LOOSE_LEAST: f32 = 1e-12;

/// Boxes in a binary tree: what a node holds lies in its box.
#[derive(Clone, Default)]
pub struct Tree {
    /// Binary; the root is the first, children come in pairs behind their parent.
    pub nodes: Vec<Bvh2Node>,
    /// The box around everything.
    pub whole: Aabb,
    /// The largest size of a coordinate in it.
    pub reach: f64,
}

impl Tree {
    /// Builds a tree with at most `leaf` boxes to a leaf, and tells which box each of the leaves' slots holds.
    ///
    /// The boxes must be of numbers, not of infinities.
    pub fn build(boxes: Vec<Aabb>, leaf: u32) -> (Self, Vec<u32>) {
        let Some(whole) = boxes.iter().copied().reduce(|a, b| a.union(&b)) else {
            return Default::default();
        };
        let bvh = build_bvh(boxes, leaf);
        let reach = whole.min.abs().max(whole.max.abs()).max_element();
        (
            Self {
                nodes: bvh.nodes,
                whole,
                reach: reach.into(),
            },
            bvh.primitive_indices,
        )
    }

    /// The box around everything, where there is anything.
    pub fn root(&self) -> Option<&Aabb> {
        (!self.nodes.is_empty()).then_some(&self.whole)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice())
    }
}

/// Calls `leaf` with the first slot of every leaf all of whose boxes up to the root pass `touches`, in no order. `queue` lends its
/// memory.
///
/// Level by level, and without a branch on what a test says, which cannot be foretold: so the nodes of a level come from memory
/// side by side, where a pick finds little of them in the caches.
#[inline]
pub(super) fn visit(
    nodes: &[Bvh2Node],
    queue: &mut Vec<u32>,
    touches: impl Fn(&Aabb) -> bool,
    mut leaf: impl FnMut(u32),
) {
    let Some(root) = nodes.first().filter(|root| touches(root.aabb())) else {
        return;
    };
    if root.is_leaf() {
        return leaf(root.first_index);
    }
    queue.clear();
    queue.push(root.first_index);
    let (mut next, mut end) = (0, 1);
    while next < end {
        let pair = queue[next];
        next += 1;
        if pair & LEAF != 0 {
            leaf(pair & !LEAF);
            continue;
        }
        if queue.len() < end + 2 {
            queue.resize((end + 2).next_power_of_two().max(256), 0);
        }
        // Written in any case; what is not touched does not count.
        for node in &nodes[pair as usize..pair as usize + 2] {
            queue[end] = node.first_index | if node.is_leaf() { LEAF } else { 0 };
            end += usize::from(touches(node.aabb()));
        }
    }
}

/// Marks leaves in a queue: there are fewer nodes than this.
const LEAF: u32 = 1 << 31;

/// The library's tree over at least one box. Where boxes are loosened for the builder and stay so, they are larger than given.
pub(super) fn build_bvh(mut boxes: Vec<Aabb>, leaf: u32) -> Bvh2 {
    let whole = boxes.iter().copied().reduce(|a, b| a.union(&b));
    let view = View::new(&whole.unwrap_or_default());
    if view == View::AS_IS {
        view.loosen(&mut boxes);
        return build(&boxes, leaf);
    }
    let mut seen = boxes.clone();
    view.loosen(&mut seen);
    let mut bvh = build(&seen, leaf);
    tighten(&mut bvh, &boxes);
    bvh
}

/// How the builder sees the boxes.
///
/// Each is loosened by its own little: the builder joins neighbours that are each other's cheapest, and where costs are equal
/// (an even row, duplicates) joins one pair a sweep: 32,000 equal boxes took 3.5 s and made a chain, loosened they take 6 ms.
#[derive(PartialEq)]
struct View {
    middle: Vec3A,
    scale: f32,
}

impl View {
    /// So that the boxes of the nodes, a little loose, can stay.
    const AS_IS: Self = Self {
        middle: Vec3A::ZERO,
        scale: 1.0,
    };

    /// Scenes of a usual size about zero are seen as they are; others moved to zero, where there is room for loosening, and
    /// scaled to about one, since areas of boxes beyond 1e19 overflow.
    fn new(whole: &Aabb) -> Self {
        // Halves first, since the sum and the difference may overflow.
        let middle = whole.min * 0.5 + whole.max * 0.5;
        let size = (whole.max * 0.5 - whole.min * 0.5).max_element();
        if (1e-6..1e15).contains(&size) && middle.abs().max_element() <= size * 4.0 {
            return Self::AS_IS;
        }
        Self {
            middle,
            scale: (1.0 / size).clamp(f32::MIN_POSITIVE, 1e36),
        }
    }

    fn loosen(&self, boxes: &mut [Aabb]) {
        for (number, aabb) in (0u32..).zip(boxes) {
            // A multiplicative hash: neighbours in the caller's order get unlike shares.
            let share = (number.wrapping_mul(0x9e37_79b1) >> 8) as f32 / (1 << 24) as f32;
            let min = (aabb.min - self.middle) * self.scale;
            let max = (aabb.max - self.middle) * self.scale;
            let most = (max - min) * LOOSE_SIZE + min.abs().max(max.abs()) * LOOSE_PLACE;
            let loose = Vec3A::splat(share * (most.max_element() + LOOSE_LEAST));
            *aabb = Aabb {
                min: min - loose,
                max: max + loose,
            };
        }
    }
}

/// The steps of the library's `build_bvh2`, which in debug builds also checks its tree, by recursion. Parents come first.
fn build(boxes: &[Aabb], leaf: u32) -> Bvh2 {
    let slots = (0..boxes.len() as u32).collect();
    let (near, bits) = (PlocSearchDistance::Minimum, SortPrecision::U64);
    let mut bvh = PlocBuilder::with_capacity(boxes.len()).build(near, boxes, slots, bits, 0);
    collapse(&mut bvh, leaf, 1.0);
    if !bvh.children_are_ordered_after_parents {
        bvh.reorder_in_stack_traversal_order();
    }
    bvh
}

/// Puts the true boxes back, from the leaves up: a node's children lie behind it.
fn tighten(bvh: &mut Bvh2, boxes: &[Aabb]) {
    for at in (0..bvh.nodes.len()).rev() {
        let node = &bvh.nodes[at];
        let first = node.first_index as usize;
        let around = if node.is_leaf() {
            let slots = &bvh.primitive_indices[first..first + node.prim_count as usize];
            let whole = |around: Aabb, slot: &u32| around.union(&boxes[*slot as usize]);
            slots.iter().fold(Aabb::empty(), whole)
        } else {
            bvh.nodes[first].aabb().union(bvh.nodes[first + 1].aabb())
        };
        bvh.nodes[at].set_aabb(around);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(tree: &Tree) -> usize {
        let mut depths = vec![1; tree.nodes.len()];
        for (at, node) in tree.nodes.iter().enumerate() {
            if !node.is_leaf() {
                depths[node.first_index as usize] = depths[at] + 1;
                depths[node.first_index as usize + 1] = depths[at] + 1;
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }

    fn around(middle: Vec3A, half: f32) -> Aabb {
        Aabb {
            min: middle - half,
            max: middle + half,
        }
    }

    /// Every box is in one leaf, and within the box of every node above it.
    fn check(boxes: &[Aabb], leaf: u32) -> Tree {
        let (tree, slots) = Tree::build(boxes.to_vec(), leaf);
        let mut seen = vec![0; boxes.len()];
        for node in &tree.nodes {
            let first = node.first_index as usize;
            if !node.is_leaf() {
                for child in &tree.nodes[first..first + 2] {
                    assert_eq!(node.aabb().union(child.aabb()), *node.aabb());
                }
                continue;
            }
            for &slot in &slots[first..first + node.prim_count as usize] {
                seen[slot as usize] += 1;
                assert_eq!(node.aabb().union(&boxes[slot as usize]), *node.aabb());
            }
        }
        assert!(seen.iter().all(|&times| times == 1));
        tree
    }

    #[test]
    fn equal_costs_make_no_chain() {
        let count = 20_000;
        let even = |k: usize| around(Vec3A::X * k as f32, 0.25);
        let point = |_: usize| around(Vec3A::new(1e6, 3.0, -2.0), 0.0);
        let same = |_: usize| around(Vec3A::ONE, 0.5);
        for place in [even as fn(usize) -> Aabb, point, same] {
            let boxes: Vec<Aabb> = (0..count).map(place).collect();
            let tree = check(&boxes, 1);
            assert!(depth(&tree) < 64, "{}", depth(&tree));
        }
    }

    #[test]
    fn any_size_builds() {
        for size in [1e-40, 1e-20, 1.0, 1e20, 1e38] {
            let boxes: Vec<Aabb> = (0..100)
                .map(|k| {
                    around(
                        Vec3A::new((k % 3) as f32, (k * k % 7) as f32, 0.0) * (size / 3.0),
                        size / 64.0,
                    )
                })
                .collect();
            for leaf in [1, 4] {
                check(&boxes, leaf);
            }
        }
        for count in 0..9 {
            let boxes = vec![around(Vec3A::ONE, 0.5); count];
            check(&boxes, 4);
        }
    }
}
