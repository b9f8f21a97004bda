//! Runs of a large mesh's triangles with boxes, so that a pick draws the runs under it only.

use std::ops::Range;

use glam::Vec3A;
use obvhs::aabb::Aabb as TreeBox;

use crate::cull::tree::visit;
use crate::cull::{CullScratch, Seen, Tree};
use crate::layout::cull;
use crate::mesh::{Aabb, MeshCluster, MeshData, SubMesh, clusters_of};

/// Triangles in a cluster.
const TRIANGLES: u32 = 64;

/// Parts with fewer triangles are drawn whole: a draw more costs as much.
const LEAST_TRIANGLES: u32 = 4096;

/// Triangles that may lie between two that survive for both to be one draw.
const GAP: u32 = 64;

/// So many triangles of clusters are searched for those that the pick may see, at some nanoseconds each.
/// Of regions that see more of them, drawing them all costs less.
const MOST_SEARCHED: u32 = 32 * TRIANGLES;

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

    /// Each box by its number, a little larger than it was given.
    fn boxes(&self) -> Vec<TreeBox> {
        let mut boxes = vec![TreeBox::empty(); self.numbers.len()];
        for node in self.tree.nodes.iter().filter(|node| node.is_leaf()) {
            boxes[self.numbers[node.first_index as usize] as usize] = *node.aabb();
        }
        boxes
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
    /// Where each ends, of a host's; our own are of one length.
    ends: Option<Box<[u32]>>,
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
            ends: None,
        })
    }

    /// Those that a host knows of a part; `None` where it knows none, or the part is drawn whole.
    pub(crate) fn of_host(clusters: &[MeshCluster], part: &SubMesh) -> Option<Self> {
        let clusters = clusters_of(clusters, part);
        if clusters.is_empty() || part.triangle_count() < LEAST_TRIANGLES {
            return None;
        }
        let end = |cluster: &MeshCluster| cluster.elements.end.min(part.elements.end);
        Some(Self {
            boxes: BoxTree::of(clusters.iter().map(|cluster| Some(cluster.bounds))),
            elements: part.elements.clone(),
            ends: Some(clusters.iter().map(end).collect()),
        })
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.boxes.bytes() + self.ends.as_ref().map_or(0, |ends| size_of_val(&**ends))
    }

    /// The elements of a cluster.
    fn run(&self, number: u32) -> Range<u32> {
        let first = self.elements.start;
        match &self.ends {
            Some(ends) => {
                let ahead = number.checked_sub(1).map(|ahead| ends[ahead as usize]);
                ahead.unwrap_or(first)..ends[number as usize]
            }
            None => {
                let start = first + number * 3 * TRIANGLES;
                start..(start + 3 * TRIANGLES).min(self.elements.end)
            }
        }
    }

    /// How many.
    pub(crate) fn count(&self) -> u32 {
        self.boxes.numbers.len() as u32
    }

    /// The most elements that one has.
    pub(crate) fn longest(&self) -> u32 {
        let runs = (0..self.count()).map(|number| self.run(number).len() as u32);
        runs.max().unwrap_or(0)
    }

    /// Adds what kernels are told of them: boxes of [`cull::CLUSTERS_IN_GROUP`] at a time, then each with the
    /// first of its elements and their end, counted from the part's first.
    pub(crate) fn tell(&self, vectors: &mut Vec<[f32; 4]>) {
        let boxes = self.boxes.boxes();
        let mut add = |of: &TreeBox, low_word: u32, high_word: u32| {
            for (corner, word) in [(of.min, low_word), (of.max, high_word)] {
                vectors.push(corner.extend(f32::from_bits(word)).to_array());
            }
        };
        for group in boxes.chunks(cull::CLUSTERS_IN_GROUP as usize) {
            let whole = group.iter().fold(TreeBox::empty(), |a, b| a.union(b));
            add(&whole, 0, 0);
        }
        let start = self.elements.start;
        for (number, of) in (0..).zip(&boxes) {
            let run = self.run(number);
            add(of, run.start - start, run.end - start);
        }
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
        let mut triangles = numbers
            .iter()
            .map(|&number| self.run(number).len() as u32 / 3);
        let few = triangles.try_fold(0, |sum: u32, more| {
            sum.checked_add(more).filter(|sum| *sum <= MOST_SEARCHED)
        });
        let data = data.filter(|_| few.is_some());
        let search = data.and_then(|data| Some((data, seen.sieve()?)));
        for &number in numbers.iter() {
            let Range { start, end } = self.run(number);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cull::{PickVolume, PlacedBox};
    use crate::projection::{DepthRange, look_at, perspective};
    use crate::{DepthConvention, PixelRect, View};
    use glam::{DMat4, DVec3};

    /// A strip of quads, from left to right and slowly away.
    fn strip(quads: u32) -> MeshData {
        let corner = |k: u32, y: f32| {
            let along = k as f32 / quads as f32;
            [along * 4.0 - 2.0, y, -along]
        };
        let positions = (0..=quads).flat_map(|k| [corner(k, -0.2), corner(k, 0.2)]);
        let quad = |k: u32| [0, 2, 1, 1, 2, 3].map(|corner| 2 * k + corner);
        let data = MeshData::builder(positions.collect());
        data.indices((0..quads).flat_map(quad).collect())
            .build()
            .unwrap()
    }

    /// Every `triangles` of the mesh, and the box around them.
    fn known(data: &MeshData, triangles: usize) -> Vec<MeshCluster> {
        let elements: Vec<u32> = (0..data.element_count()).collect();
        let runs = elements.chunks(3 * triangles).map(|run| {
            let run = run[0]..run[0] + run.len() as u32;
            let indices = &data.indices().unwrap()[run.start as usize..run.end as usize];
            let corners = indices
                .iter()
                .map(|&index| data.positions()[index as usize]);
            MeshCluster::new(run, Aabb::around(corners).unwrap())
        });
        runs.collect()
    }

    /// The runs that are left under a pixel.
    fn left(
        clusters: &Clusters,
        data: &MeshData,
        full: Option<&MeshData>,
        x: u32,
    ) -> Vec<Range<u32>> {
        let camera = look_at(DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, DVec3::Y).unwrap();
        let (range, depth) = (DepthRange::new(0.1, 100.0), DepthConvention::Standard);
        let projection = perspective(1.0, 1.0, range, depth).unwrap();
        let view = View::new(camera, projection, PixelRect::new(0, 0, 64, 64), depth).unwrap();
        let volume = PickVolume::new(&view, PixelRect::new(x, 32, 1, 1), 0.0);
        let (whole, here) = (data.bounds().unwrap(), DMat4::IDENTITY);
        let placed = PlacedBox::new(&whole, whole.reach(), &here);
        let seen = volume.seen_from(&here, whole.reach(), &placed);
        let mut scratch = CullScratch::default();
        clusters.survivors(&seen, full, &mut scratch);
        scratch.runs
    }

    #[test]
    fn runs_of_a_host_are_left_as_our_own_are() {
        let data = strip(5000);
        let part = SubMesh::new(0..data.element_count());
        let own = Clusters::of(&data, &part).unwrap();
        let same = Clusters::of_host(&known(&data, TRIANGLES as usize), &part).unwrap();
        for x in (0..64).step_by(3) {
            let runs = left(&own, &data, None, x);
            assert_eq!(left(&same, &data, None, x), runs, "{x}");
            assert_eq!(
                left(&same, &data, Some(&data), x),
                left(&own, &data, Some(&data), x)
            );
            let elements: usize = runs.iter().map(ExactSizeIterator::len).sum();
            // It is seen in the middle two thirds.
            assert!(elements > 0 || !(12..=52).contains(&x), "{x}");
            assert!(elements == 0 || (6..=58).contains(&x), "{x}: {elements}");
            assert!(elements <= 3 * 1000, "{x}: {elements}");
        }
        assert!(same.bytes() > own.bytes() && own.bytes() > 5000 / 32 * 24);
    }

    #[test]
    fn runs_that_go_on_over_a_part_are_cut_at_its_ends() {
        let data = strip(5000);
        let clusters = known(&data, 97);
        let (first, last) = (SubMesh::new(0..15_003), SubMesh::new(15_003..30_000));
        for part in [&first, &last] {
            let own = Clusters::of_host(&clusters, part).unwrap();
            let mut covered = part.elements.start;
            for number in 0..own.ends.as_ref().unwrap().len() as u32 {
                let run = own.run(number);
                assert_eq!(run.start, covered);
                covered = run.end;
            }
            assert_eq!(covered, part.elements.end);
        }
        // Where the CPU has the triangles, runs of any length are searched, down to a few of them.
        let own = Clusters::of_host(&clusters, &first).unwrap();
        let found = left(&own, &data, Some(&data), 20);
        assert!(found.iter().all(|run| run.len() < 3 * 600), "{found:?}");
        // Small parts and parts of which nothing is known are drawn whole.
        assert!(Clusters::of_host(&clusters, &SubMesh::new(0..3 * 4095)).is_none());
        assert!(Clusters::of_host(&[], &first).is_none());
    }
}
