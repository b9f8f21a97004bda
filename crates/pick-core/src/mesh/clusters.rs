//! Runs of triangles with boxes, as a host knows them of its own buffers.

use std::ops::Range;

use crate::error::PickError;
use crate::mesh::build::bad;
use crate::mesh::{Aabb, SubMesh};

/// A run of a host mesh's triangles, and the box that they lie in. Picks draw the runs that they may see.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshCluster {
    /// Positions in the index list, or vertices where there is none, counted as those of
    /// [`SubMesh::elements`] are; whole triangles, at least one.
    pub elements: Range<u32>,
    /// In the mesh's local space, in its units. It must contain every vertex of these triangles, else they
    /// are missed.
    pub bounds: Aabb,
}

impl MeshCluster {
    /// The triangles of these elements lie in this box of local space.
    pub fn new(elements: Range<u32>, bounds: Aabb) -> Self {
        Self { elements, bounds }
    }
}

/// The clusters that a part has elements of.
pub(crate) fn clusters_of<'a>(clusters: &'a [MeshCluster], part: &SubMesh) -> &'a [MeshCluster] {
    let first = clusters.partition_point(|cluster| cluster.elements.end <= part.elements.start);
    let end = clusters.partition_point(|cluster| cluster.elements.start < part.elements.end);
    clusters.get(first..end).unwrap_or_default()
}

/// The box around the clusters that a part has elements of; `None` where it has none.
pub(crate) fn box_around(clusters: &[MeshCluster], part: &SubMesh) -> Option<Aabb> {
    let of_part = clusters_of(clusters, part).iter();
    Aabb::around_all(of_part.map(|cluster| Some(cluster.bounds)))
}

/// Whole triangles within the mesh, in order, none in two; boxes that are boxes; and each part with all of
/// its elements in clusters or none.
pub(super) fn check(
    clusters: &[MeshCluster],
    parts: &[SubMesh],
    element_count: u32,
) -> Result<(), PickError> {
    let mut end = 0;
    for (number, MeshCluster { elements, bounds }) in clusters.iter().enumerate() {
        let told = |fault: &str| {
            bad(
                "clusters",
                format!("number {number}, {elements:?}, {fault}"),
            )
        };
        if elements.start >= elements.end {
            return told("has no element");
        }
        if elements.end > element_count {
            return told(&format!("lies outside the {element_count} elements"));
        }
        if !elements.start.is_multiple_of(3) || !elements.end.is_multiple_of(3) {
            return told("must start and end on whole triangles");
        }
        if elements.start < end {
            return told(&format!(
                "starts before the one ahead of it ends, at {end}: they must ascend and not overlap"
            ));
        }
        if !bounds.is_sound() {
            return told("has a box that is not finite, or whose min is above its max");
        }
        end = elements.end;
    }
    for (number, part) in parts.iter().enumerate() {
        let of_part = clusters_of(clusters, part);
        if of_part.is_empty() {
            continue;
        }
        let mut covered = part.elements.start;
        for cluster in of_part {
            if cluster.elements.start > covered {
                return uncovered(number, covered..cluster.elements.start);
            }
            covered = cluster.elements.end;
        }
        if covered < part.elements.end {
            return uncovered(number, covered..part.elements.end);
        }
    }
    Ok(())
}

fn uncovered(part: usize, elements: Range<u32>) -> Result<(), PickError> {
    let fault = format!(
        "elements {elements:?} of part {part} are in none: a part has all of its elements in clusters, or no \
         element"
    );
    bad("clusters", fault)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{ErrorKind, InputError};
    use glam::Vec3;

    fn cluster(elements: Range<u32>) -> MeshCluster {
        let bounds = Aabb {
            min: Vec3::ZERO,
            max: Vec3::ONE,
        };
        MeshCluster::new(elements, bounds)
    }

    fn checked(runs: &[Range<u32>], parts: &[Range<u32>]) -> Result<(), String> {
        let clusters: Vec<_> = runs.iter().cloned().map(cluster).collect();
        told(&clusters, parts)
    }

    fn told(clusters: &[MeshCluster], parts: &[Range<u32>]) -> Result<(), String> {
        let parts: Vec<_> = parts.iter().cloned().map(SubMesh::new).collect();
        check(clusters, &parts, 90).map_err(|error| match error.kind() {
            ErrorKind::Input(InputError::BadMesh { what, fault }) => {
                assert_eq!(*what, "clusters");
                fault.to_string()
            }
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn runs_follow_each_other_and_cover_a_part_or_not() {
        let whole = std::slice::from_ref(&(0..90));
        assert_eq!(checked(&[], whole), Ok(()));
        assert_eq!(checked(&[0..30, 30..90], whole), Ok(()));
        // Runs may go on over parts, parts may overlap, and a part may have no cluster.
        assert_eq!(checked(&[0..6, 6..60], &[0..30, 9..60, 60..90]), Ok(()));
        for (runs, parts, said) in [
            (&[0..30, 27..90][..], whole, "number 1, 27..90"),
            (&[0..30, 30..93], whole, "outside the 90 elements"),
            (&[0..30, 30..89], whole, "whole triangles"),
            (&[1..30, 30..90], whole, "whole triangles"),
            (&[30..90, 0..30], whole, "at 90"),
            (&[0..30, 30..30], whole, "no element"),
            (&[0..30, 33..90], whole, "30..33 of part 0"),
            (&[0..30, 30..87], whole, "87..90 of part 0"),
            (&[3..30, 30..90], whole, "0..3 of part 0"),
            (&[0..30, 30..57], &[0..30, 30..60], "57..60 of part 1"),
        ] {
            let fault = checked(runs, parts).expect_err(said);
            assert!(fault.contains(said), "{fault}");
        }
        #[expect(clippy::reversed_empty_ranges, reason = "what a host may say")]
        let backwards = checked(&[0..30, 60..30], whole);
        assert!(backwards.is_err());
    }

    #[test]
    fn boxes_are_finite() {
        for (min, max) in [
            (Vec3::ZERO, Vec3::new(1.0, f32::INFINITY, 1.0)),
            (Vec3::NAN, Vec3::ONE),
            (Vec3::ONE, Vec3::ZERO),
        ] {
            let clusters = [MeshCluster::new(0..90, Aabb { min, max })];
            let whole = 0..90;
            let fault = told(&clusters, &[whole]).expect_err("it is no box");
            assert!(fault.contains("number 0, 0..90"), "{fault}");
        }
    }
}
