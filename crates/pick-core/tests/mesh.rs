//! Meshes: what is refused when it is built, and what a rasteriser must not see.

use pick_core::{ErrorKind, FaceGroups, InputError, MeshBuilder, MeshData, PickError, SubMesh};

const QUAD: [[f32; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
];

fn quad() -> MeshBuilder {
    MeshData::builder(QUAD.to_vec()).indices(vec![0, 1, 2, 0, 2, 3])
}

fn fault(result: Result<MeshData, PickError>) -> InputError {
    match result.expect_err("it must be refused").kind() {
        ErrorKind::Input(input) => input.clone(),
        other => panic!("not an input error: {other:?}"),
    }
}

#[test]
fn a_mesh_without_parts_is_one_part() {
    let mesh = quad().build().unwrap();
    assert_eq!(
        mesh.submeshes(),
        [SubMesh {
            has_normals: false,
            has_uvs: false,
            ..SubMesh::new(0..6)
        }]
    );
    assert_eq!(mesh.triangle(1), Some([0, 2, 3]));
    assert_eq!(mesh.triangle(2), None);
}

#[test]
fn unindexed_triangles_count_vertices() {
    let mesh = MeshData::builder(QUAD[..3].to_vec()).build().unwrap();
    assert_eq!(mesh.triangle(0), Some([0, 1, 2]));
    assert_eq!(mesh.triangle(1), None);
    assert_eq!(mesh.triangle(u32::MAX), None);
}

#[test]
fn indices_out_of_range_are_named() {
    let expected = InputError::IndexOutOfRange {
        element: 5,
        index: 4,
        vertex_count: 4,
    };
    assert_eq!(
        fault(quad().indices(vec![0, 1, 2, 0, 2, 4]).build()),
        expected
    );
}

#[test]
fn faults_of_shape_are_refused() {
    let bad = [
        quad().indices(vec![0, 1]).build(),
        quad().normals(vec![[0.0; 3]; 3]).build(),
        quad().uvs(vec![[0.0; 2]; 5]).build(),
        quad().submesh(SubMesh::new(0..9)).build(),
        quad().submesh(SubMesh::new(1..4)).build(),
        #[expect(clippy::reversed_empty_ranges, reason = "the fault under test")]
        quad().submesh(SubMesh::new(6..3)).build(),
        MeshData::builder(QUAD.to_vec()).build(),
    ];
    for result in bad {
        assert!(matches!(fault(result), InputError::BadMesh { .. }));
    }
    assert!(MeshBuilder::interleaved(&[0; 30], 16, 0).is_err());
    assert!(MeshBuilder::interleaved(&[0; 32], 16, 8).is_err());
    assert!(MeshBuilder::interleaved(&[], 0, 0).is_err());
    assert!(MeshBuilder::interleaved(&[0; 32], 16, usize::MAX - 4).is_err());
}

#[test]
fn interleaved_streams_are_read_by_stride_and_offset() {
    let floats: Vec<f32> = (0..24).map(|i| i as f32).collect();
    let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
    let mesh = MeshBuilder::interleaved(&bytes, 32, 0)
        .and_then(|m| m.interleaved_normals(&bytes, 32, 12))
        .and_then(|m| m.interleaved_uvs(&bytes, 32, 24))
        .and_then(MeshBuilder::build)
        .unwrap();
    assert_eq!(mesh.positions()[1], [8.0, 9.0, 10.0]);
    assert_eq!(mesh.normals().unwrap()[1], [11.0, 12.0, 13.0]);
    assert_eq!(mesh.uvs().unwrap()[2], [22.0, 23.0]);
}

/// Field case 49: 65535 is an ordinary vertex number.
#[test]
fn the_largest_u16_is_no_restart() {
    let mut positions = vec![[0.0; 3]; 65_536];
    positions[65_535] = [1.0, 2.0, 3.0];
    let mesh = MeshData::builder(positions)
        .indices_u16(&[0, 1, 2, 0, 1, 65_535])
        .build()
        .unwrap();
    assert_eq!(mesh.triangle(1), Some([0, 1, 65_535]));
}

/// Field case 67: triangles with a vertex that is no number are gone, and no other.
#[test]
fn triangles_with_nan_vertices_collapse_and_keep_their_number() {
    let mut positions = QUAD.to_vec();
    positions[3][1] = f32::NAN;
    let mesh = MeshData::builder(positions)
        .indices(vec![0, 1, 2, 0, 2, 3])
        .build()
        .unwrap();
    assert_eq!(mesh.drawable_indices().unwrap(), [0, 1, 2, 0, 0, 0]);
    assert!(
        mesh.drawable_positions()
            .iter()
            .flatten()
            .all(|v| v.is_finite())
    );
    assert_eq!(
        mesh.triangle(1),
        Some([0, 2, 3]),
        "the caller's order stays"
    );

    let mut loose = QUAD[..3].to_vec();
    loose.extend([[5.0, f32::INFINITY, 0.0], [6.0, 0.0, 0.0], [7.0, 0.0, 0.0]]);
    let mesh = MeshData::builder(loose).build().unwrap();
    assert_eq!(mesh.drawable_positions()[3..], [[0.0; 3]; 3]);
    assert_eq!(mesh.drawable_positions()[..3], QUAD[..3]);
}

#[test]
fn faces_that_share_a_vertex_cannot_be_declared_unshared() {
    let faces = |unshared_vertices| FaceGroups {
        face_of_triangle: vec![0, 1],
        unshared_vertices,
    };
    assert!(quad().faces(faces(false)).build().is_ok());
    assert!(matches!(
        fault(quad().faces(faces(true)).build()),
        InputError::BadMesh { .. }
    ));
    let apart = MeshData::builder([QUAD, QUAD].concat()).indices(vec![0, 1, 2, 4, 6, 7]);
    let mesh = apart.faces(faces(true)).build().unwrap();
    assert_eq!(mesh.face_of_vertex().unwrap(), [0, 0, 0, 0, 1, 0, 1, 1]);
    assert_eq!(mesh.face_count(), 2);
    let short = FaceGroups {
        face_of_triangle: vec![0],
        unshared_vertices: false,
    };
    assert!(quad().faces(short).build().is_err());
}

#[test]
fn empty_meshes_are_meshes() {
    let mesh = MeshData::builder(Vec::new()).build().unwrap();
    assert_eq!(mesh.element_count(), 0);
    assert!(mesh.bounds().is_none());
}
