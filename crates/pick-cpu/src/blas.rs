//! One mesh: its triangles in a tree of boxes.
//!
//! # Why obvhs
//! Two kept libraries were measured on 100,000 turned and scaled cubes of 12 triangles, two levels, the libraries' own f32 walks
//! and triangle tests, one core: obvhs 0.4.0's binary tree was built over the instances in 20 ms and cast a ray in 500 ns (its
//! 8-wide compressed tree: 60 to 90 ms, 500 ns), parry3d 0.31.1's binned tree in 64 ms and 660 ns (its other builder: 220 ms,
//! 970 ns). Both take a closure at the leaf. obvhs lays its nodes open, 32 bytes each, so that a walk which never loses a box
//! can be written over them (`walk.rs`); parry3d's are private, and its walk wants strictly nearer boxes, which loses ties.
//! obvhs stands on 20 crates and the glam that we use, parry3d on 40 and another glam. What obvhs does badly, chains out of
//! equal boxes, is cured in `pick_core::cull::Tree`. `cargo bench -p pick-cpu` measures what we add to it.

use obvhs::aabb::Aabb;
use pick_core::cull::Tree;

use crate::bounds::Bounds;
use crate::triangle::is_solid;

/// Triangles to a leaf at most.
const LEAF: u32 = 4;

/// One mesh, ready for rays. It holds a copy of its triangles, in the order of the tree's leaves.
#[derive(Clone, Default)]
pub struct Blas {
    pub(crate) tree: Tree,
    pub(crate) faces: Vec<Face>,
    triangles: u32,
}

/// A triangle as the leaves hold it.
#[derive(Clone, Copy)]
pub(crate) struct Face {
    pub corners: [[f32; 3]; 3],
    /// Its number in the caller's mesh.
    pub number: u32,
}

impl Blas {
    /// Builds the tree over a list of triangles: of corners in a row, or of three indices each.
    ///
    /// Triangles keep their numbers, but one is never hit that has a corner that is no number, or an index of no position, or no
    /// area. Corners or indices at the end that do not make three are passed over.
    pub fn build(positions: &[[f32; 3]], indices: Option<&[u32]>) -> Self {
        let (faces, triangles) = match indices {
            Some(indices) => {
                let (triples, _) = indices.as_chunks::<3>();
                let corner = |index: u32| positions.get(index as usize).copied();
                let corners = |&[a, b, c]: &[u32; 3]| Some([corner(a)?, corner(b)?, corner(c)?]);
                (solid(triples.iter().map(corners)), triples.len())
            }
            None => {
                let (triples, _) = positions.as_chunks::<3>();
                (
                    solid(triples.iter().map(|corners| Some(*corners))),
                    triples.len(),
                )
            }
        };
        let boxes: Vec<Aabb> = faces.iter().map(|face| around(&face.corners)).collect();
        let (tree, slots) = Tree::build(boxes, LEAF);
        let faces = slots.iter().map(|&slot| faces[slot as usize]).collect();
        Self {
            tree,
            faces,
            triangles: triangles as u32,
        }
    }

    /// The box around what can be hit.
    pub fn bounds(&self) -> Bounds {
        self.tree.root().map_or(Bounds::EMPTY, Bounds::from)
    }

    /// The caller's number of triangles, those that can never be hit among them.
    pub fn triangles(&self) -> u32 {
        self.triangles
    }

    /// Bytes held: at most 104 a triangle, about 65 as a rule.
    pub fn bytes(&self) -> usize {
        self.tree.bytes() + size_of_val(self.faces.as_slice())
    }
}

fn solid(triangles: impl Iterator<Item = Option<[[f32; 3]; 3]>>) -> Vec<Face> {
    let face = |(number, corners)| {
        Some(Face {
            corners: Option::filter(corners, is_solid)?,
            number,
        })
    };
    (0..).zip(triangles).filter_map(face).collect()
}

fn around(corners: &[[f32; 3]; 3]) -> Aabb {
    let [a, b, c] = corners.map(glam::Vec3A::from);
    Aabb {
        min: a.min(b).min(c),
        max: a.max(b).max(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn numbers_are_the_callers() {
        let positions = [
            [0.0; 3],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [f32::INFINITY, 0.0, 0.0],
            [5.0; 3],
        ];
        let indices = [0, 0, 1, 0, 1, 2, 0, 1, 3, 0, 1, 9, 1, 2, 4, 0, 1];
        let blas = Blas::build(&positions, Some(&indices));
        let mut numbers: Vec<u32> = blas.faces.iter().map(|face| face.number).collect();
        numbers.sort_unstable();
        assert_eq!(
            (numbers.as_slice(), blas.triangles()),
            ([1, 4].as_slice(), 5)
        );
        assert_eq!(
            blas.bounds(),
            Bounds {
                min: DVec3::ZERO,
                max: DVec3::splat(5.0)
            }
        );
        assert!(blas.bytes() > 0);
    }

    #[test]
    fn nothing_is_a_mesh_too() {
        for blas in [Blas::build(&[], None), Blas::build(&[], Some(&[0, 1, 2]))] {
            assert!(blas.bounds().is_empty());
            assert_eq!(blas.bytes(), 0);
        }
    }
}
