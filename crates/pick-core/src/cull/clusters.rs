//! Runs of a large mesh's triangles with boxes, so that a pick draws the runs under it only.

use std::ops::Range;

use glam::Vec3A;
use obvhs::aabb::Aabb as TreeBox;

use crate::cull::tree::visit;
use crate::cull::{CullScratch, Seen, Tree};
use crate::mesh::{Aabb, MeshData, SubMesh};

/// Triangles in a cluster.
const TRIANGLES: u32 = 64;

/// Parts with fewer triangles are drawn whole: a draw more costs as much.
const LEAST_TRIANGLES: u32 = 4096;

/// Triangles that may lie between two that survive for both to be one draw.
const GAP: u32 = 64;

/// So many clusters are searched for the triangles that the pick may see, at some nanoseconds a triangle.
/// Of regions that see more of them, drawing them all costs less.
const MOST_SEARCHED: usize = 32;

/// Boxes of an object's space in a tree.
#[derive(Clone)]
pub(crate) struct BoxTree {
    tree: Tree,
    /// The box in each of the tree's leaves.
    numbers: Vec<u32>,
}

impl std::fmt::Debug for BoxTree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BoxTree({})", self.numbers.len())
    }
}

impl BoxTree {
    /// Where there is no box, there is nothing to see.
    pub(crate) fn of(boxes: impl Iterator<Item = Option<Aabb>>) -> Self {
        let boxes = boxes.map(|aabb| match aabb {
            Some(Aabb { min, max }) => TreeBox {
                min: Vec3A::from(min),
                max: Vec3A::from(max),
            },
            None => TreeBox {
                min: Vec3A::ZERO,
                max: Vec3A::ZERO,
            },
        });
        let (tree, numbers) = Tree::build(boxes.collect(), 1);
        Self { tree, numbers }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.tree.bytes() + size_of_val(self.numbers.as_slice())
    }

    /// Puts the numbers of the boxes that the pick may touch into `numbers`, ascending.
    pub(crate) fn survivors(&self, seen: &Seen<'_>, stack: &mut Vec<u32>, numbers: &mut Vec<u32>) {
        numbers.clear();
        let touches = |bounds: &TreeBox| seen.may_touch(bounds.min, bounds.max);
        visit(&self.tree.nodes, stack, touches, |first| {
            numbers.push(self.numbers[first as usize]);
        });
        numbers.sort_unstable();
    }
}

/// The clusters of one part of a mesh, each a run in the caller's order.
#[derive(Clone, Debug)]
pub(crate) struct Clusters {
    elements: Range<u32>,
    boxes: BoxTree,
}

impl Clusters {
    /// The clusters of a part; `None` where it is drawn whole.
    pub(crate) fn of(data: &MeshData, part: &SubMesh) -> Option<Self> {
        if part.triangle_count() < LEAST_TRIANGLES {
            return None;
        }
        let positions = data.drawable_positions();
        let indices = data.drawable_indices();
        let corner = |element: u32| match indices {
            Some(indices) => positions[indices[element as usize] as usize],
            None => positions[element as usize],
        };
        let elements = part.elements.clone();
        let starts = elements.clone().step_by(3 * TRIANGLES as usize);
        // A cluster of nothing but vertices that are not finite covers nothing.
        let boxes = starts.map(|start| {
            let end = (start + 3 * TRIANGLES).min(elements.end);
            Aabb::around((start..end).map(corner))
        });
        Some(Self {
            boxes: BoxTree::of(boxes),
            elements,
        })
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.boxes.bytes()
    }

    /// Puts the runs of elements that the pick may touch into the scratch, in the caller's order; down to
    /// single triangles where `data` has them and they are few.
    pub(crate) fn survivors(
        &self,
        seen: &Seen<'_>,
        data: Option<&MeshData>,
        scratch: &mut CullScratch,
    ) {
        let CullScratch {
            stack,
            numbers,
            runs,
            ..
        } = scratch;
        self.boxes.survivors(seen, stack, numbers);
        runs.clear();
        let data = data.filter(|_| numbers.len() <= MOST_SEARCHED);
        let search = data.and_then(|data| Some((data, seen.sieve()?)));
        for &number in numbers.iter() {
            let start = self.elements.start + number * 3 * TRIANGLES;
            let end = (start + 3 * TRIANGLES).min(self.elements.end);
            let Some((data, sieve)) = &search else {
                extend(runs, start..end);
                continue;
            };
            let positions = data.drawable_positions();
            let touches = |corners: [u32; 3]| {
                sieve.may_touch(corners.map(|corner| positions[corner as usize]))
            };
            match data.drawable_indices() {
                Some(indices) => {
                    let of_cluster = indices[start as usize..end as usize].as_chunks().0;
                    for (first, corners) in (start..).step_by(3).zip(of_cluster) {
                        if touches(*corners) {
                            extend(runs, first..first + 3);
                        }
                    }
                }
                None => {
                    for first in (start..end).step_by(3) {
                        if touches([first, first + 1, first + 2]) {
                            extend(runs, first..first + 3);
                        }
                    }
                }
            }
        }
    }
}

/// Adds elements behind the others.
fn extend(runs: &mut Vec<Range<u32>>, elements: Range<u32>) {
    match runs.last_mut() {
        Some(run) if elements.start <= run.end + GAP * 3 => run.end = elements.end,
        _ => runs.push(elements),
    }
}
