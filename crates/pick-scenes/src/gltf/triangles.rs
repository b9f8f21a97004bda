//! Strips and fans into lists, each triangle keeping its number and the order of its vertices.

use crate::data::SceneTopology;

/// How many triangles `elements` vertices (or indices) make.
pub(super) fn count(topology: SceneTopology, elements: usize) -> usize {
    match topology {
        SceneTopology::List => elements / 3,
        SceneTopology::Strip | SceneTopology::Fan => elements.saturating_sub(2),
    }
}

/// Which elements triangle `i` joins: glTF's own formulas, so vertex 0 is the file's.
pub(super) fn corners(topology: SceneTopology, i: usize) -> [usize; 3] {
    match topology {
        SceneTopology::List => [3 * i, 3 * i + 1, 3 * i + 2],
        SceneTopology::Strip => [i, i + 1 + i % 2, i + 2 - i % 2],
        SceneTopology::Fan => [i + 1, i + 2, 0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_keep_their_number_and_winding() {
        let all = |topology, elements| -> Vec<[usize; 3]> {
            (0..count(topology, elements))
                .map(|i| corners(topology, i))
                .collect()
        };
        assert_eq!(all(SceneTopology::List, 7), [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(
            all(SceneTopology::Strip, 5),
            [[0, 1, 2], [1, 3, 2], [2, 3, 4]]
        );
        assert_eq!(
            all(SceneTopology::Fan, 5),
            [[1, 2, 0], [2, 3, 0], [3, 4, 0]]
        );
        for topology in [
            SceneTopology::List,
            SceneTopology::Strip,
            SceneTopology::Fan,
        ] {
            assert!(all(topology, 2).is_empty());
        }
    }
}
