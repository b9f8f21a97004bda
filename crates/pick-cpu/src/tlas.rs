//! The instances of one mesh: their transforms, in a tree of the boxes that they put the mesh's box into.

use obvhs::aabb::Aabb;
use pick_core::cull::Tree;

use crate::bounds::{Bounds, Mover};
use crate::ray::has_inverse;

/// The instances of one mesh, ready for rays: 48 bytes of transform and 64 of tree each.
///
/// Inverses are not kept: they would double what an instance takes, and a ray needs a few only.
#[derive(Clone, Default)]
pub struct Tlas {
    /// One instance to a leaf, which holds the caller's number of it.
    pub(crate) tree: Tree,
    pub(crate) transforms: Vec<[[f32; 4]; 3]>,
}

impl Tlas {
    /// Builds the tree over the instances of a mesh with these bounds, by their row-major affine transforms, which it keeps: a
    /// vector is moved in, a slice copied.
    ///
    /// Instances keep their numbers, but one is never hit whose transform has no inverse or a number that is none.
    pub fn build(mesh: &Bounds, transforms: impl Into<Vec<[[f32; 4]; 3]>>) -> Self {
        let transforms = transforms.into();
        let (boxes, left_out) = boxes(mesh, &transforms);
        let (mut tree, _) = Tree::build(boxes, 1);
        if left_out.iter().any(|&out| out) {
            let numbers = (0u32..).zip(&left_out).filter(|(_, out)| !**out);
            let numbers: Vec<u32> = numbers.map(|(number, _)| number).collect();
            for node in tree.nodes.iter_mut().filter(|node| node.is_leaf()) {
                node.first_index = numbers[node.first_index as usize];
            }
        }
        Self { tree, transforms }
    }

    /// The box around what can be hit, in the object's space.
    pub fn bounds(&self) -> Bounds {
        self.tree.root().map_or(Bounds::EMPTY, Bounds::from)
    }

    /// The caller's number of instances, those that can never be hit among them.
    pub fn instances(&self) -> u32 {
        self.transforms.len() as u32
    }

    /// Bytes held: 112 an instance.
    pub fn bytes(&self) -> usize {
        self.tree.bytes() + size_of_val(self.transforms.as_slice())
    }
}

/// The boxes of the instances that can be hit, and for every instance whether it cannot.
fn boxes(mesh: &Bounds, transforms: &[[[f32; 4]; 3]]) -> (Vec<Aabb>, Vec<bool>) {
    let mover = Mover::new(mesh);
    let mut boxes = Vec::with_capacity(transforms.len());
    let one = |rows| {
        let hittable = !mesh.is_empty() && has_inverse(rows);
        if hittable {
            boxes.push(mover.moved(rows));
        }
        !hittable
    };
    let left_out = transforms.iter().map(one).collect();
    (boxes, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    const UNIT: Bounds = Bounds {
        min: DVec3::ZERO,
        max: DVec3::ONE,
    };

    fn at(x: f32) -> [[f32; 4]; 3] {
        [
            [1.0, 0.0, 0.0, x],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
        ]
    }

    #[test]
    fn what_cannot_be_hit_is_left_out_and_numbers_stay() {
        let mut flat = at(9.0);
        flat[2][2] = 0.0;
        let tlas = Tlas::build(&UNIT, [flat, at(2.0), at(f32::NAN), at(4.0)]);
        let leaves = tlas.tree.nodes.iter().filter(|node| node.is_leaf());
        let mut numbers: Vec<u32> = leaves.map(|node| node.first_index).collect();
        numbers.sort_unstable();
        assert_eq!(
            (numbers.as_slice(), tlas.instances()),
            ([1, 3].as_slice(), 4)
        );
        assert!((tlas.bounds().max.x - 5.0).abs() < 1e-5);
        assert!(Tlas::build(&Bounds::EMPTY, [at(0.0)]).bounds().is_empty());
    }

    #[test]
    fn an_instance_takes_112_bytes() {
        let transforms: Vec<_> = (0..1000).map(|k| at(k as f32)).collect();
        assert_eq!(Tlas::build(&UNIT, transforms).bytes().div_ceil(1000), 112);
    }
}
