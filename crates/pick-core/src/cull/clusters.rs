//! Runs of a large mesh's triangles with boxes, so that a pick draws the runs under it only.

use glam::{DMat4, Vec3A};
use obvhs::aabb::Aabb as TreeBox;

use crate::cull::tree::visit;
use crate::cull::{CullScratch, PickVolume, PlacedBox, Tree};
use crate::mesh::{Aabb, MeshData, SubMesh};

/// Triangles in a cluster.
const TRIANGLES: u32 = 128;

/// Parts with fewer triangles are drawn whole: a draw more costs as much.
const LEAST_TRIANGLES: u32 = 4096;

/// Clusters that may lie between two surviving ones for both to be one draw.
const GAP: u32 = 2;

/// The clusters of one part of a mesh, each a run in the caller's order.
#[derive(Clone)]
pub(crate) struct Clusters {
    first_element: u32,
    end_element: u32,
    tree: Tree,
    /// The cluster in each of the tree's leaves.
    numbers: Vec<u32>,
}

impl std::fmt::Debug for Clusters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Clusters({})", self.numbers.len())
    }
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
        let starts = part.elements.clone().step_by(3 * TRIANGLES as usize);
        let boxes = starts.map(|start| {
            let end = (start + 3 * TRIANGLES).min(part.elements.end);
            // A cluster of nothing but vertices that are not finite covers nothing.
            match Aabb::around((start..end).map(corner)) {
                Some(Aabb { min, max }) => TreeBox {
                    min: Vec3A::from(min),
                    max: Vec3A::from(max),
                },
                None => TreeBox {
                    min: Vec3A::ZERO,
                    max: Vec3A::ZERO,
                },
            }
        });
        let (tree, numbers) = Tree::build(boxes.collect(), 1);
        Some(Self {
            first_element: part.elements.start,
            end_element: part.elements.end,
            tree,
            numbers,
        })
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.tree.bytes() + size_of_val(self.numbers.as_slice())
    }

    /// Puts the runs of elements that `volume` may touch into `runs`, in the caller's order. `reach` is
    /// the largest coordinate of the mesh.
    pub(crate) fn survivors(
        &self,
        volume: &PickVolume,
        reach: f32,
        world_from_local: &DMat4,
        scratch: &mut CullScratch,
    ) {
        let CullScratch {
            stack,
            numbers,
            runs,
            ..
        } = scratch;
        numbers.clear();
        runs.clear();
        let touches = |bounds: &TreeBox| {
            let local = Aabb {
                min: bounds.min.into(),
                max: bounds.max.into(),
            };
            let placed = PlacedBox::new(&local, reach, world_from_local);
            volume.may_touch(&placed)
        };
        visit(&self.tree.nodes, stack, touches, |first| {
            numbers.push(self.numbers[first as usize]);
        });
        numbers.sort_unstable();
        for &number in numbers.iter() {
            let start = self.first_element + number * 3 * TRIANGLES;
            let end = (start + 3 * TRIANGLES).min(self.end_element);
            match runs.last_mut() {
                Some(run) if start <= run.end + GAP * 3 * TRIANGLES => run.end = end,
                _ => runs.push(start..end),
            }
        }
    }
}
