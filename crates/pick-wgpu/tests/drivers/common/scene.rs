use std::ops::Range;
use std::sync::Arc;

use glam::{DMat4, DVec3};
use pick_core::projection::{DepthRange, look_at, perspective};
use pick_core::{
    Aabb, Backend, BufferId, DepthConvention, FaceGroups, Hit, HostMesh, IndexFormat, IndexStream,
    InstanceSource, MeshCluster, MeshData, MeshSource, Object, PickPoint, PixelRect, Request,
    Scene, SubMesh, VertexStream, View,
};

pub const SIDE: u32 = 80;

pub fn whole() -> PixelRect {
    PixelRect::new(0, 0, SIDE, SIDE)
}

/// A camera that sees the little scene.
pub fn view(depth: DepthConvention) -> View {
    let view_from_world = look_at(DVec3::new(1.5, 2.5, 6.0), DVec3::ZERO, DVec3::Y).unwrap();
    let projection = perspective(0.9, 1.0, DepthRange::new(0.1, 100.0), depth).unwrap();
    View::new(view_from_world, projection, whole(), depth).unwrap()
}

/// A unit cube: 24 vertices with normals and uvs, 6 faces that share no vertex.
pub fn cube() -> MeshData {
    let mut positions = Vec::new();
    let mut normals = Vec::new();
    let mut uvs = Vec::new();
    let mut indices = Vec::new();
    for axis in 0..3 {
        for sign in [-1.0f32, 1.0] {
            let first = positions.len() as u32;
            for corner in [[-1.0f32, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]] {
                let mut position = [0.0; 3];
                position[axis] = sign * 0.5;
                position[(axis + 1) % 3] = corner[0] * 0.5;
                position[(axis + 2) % 3] = corner[1] * 0.5 * sign;
                positions.push(position);
                let mut normal = [0.0; 3];
                normal[axis] = sign;
                normals.push(normal);
                uvs.push([corner[0] * 0.5 + 0.5, corner[1] * 0.5 + 0.5]);
            }
            indices.extend([0, 1, 2, 0, 2, 3].map(|i| first + i));
        }
    }
    MeshData::builder(positions)
        .normals(normals)
        .uvs(uvs)
        .indices(indices)
        .faces(FaceGroups {
            face_of_triangle: (0..12).map(|t| t / 2).collect(),
            unshared_vertices: true,
        })
        .build()
        .unwrap()
}

/// The cube without an index list.
pub fn loose_cube() -> MeshData {
    let cube = cube();
    let corners = cube.indices().unwrap();
    let positions = corners.iter().map(|&i| cube.positions()[i as usize]);
    MeshData::builder(positions.collect()).build().unwrap()
}

/// Rows of a translation.
pub fn shifted(x: f32, y: f32, z: f32) -> [[f32; 4]; 3] {
    [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]]
}

/// Two cubes, three copies of one, and one without an index list, some behind others; one mirrored.
pub fn little<B: Backend>(backend: &mut B, source: fn(MeshData) -> MeshSource) -> Scene {
    let mut scene = Scene::new();
    let mesh = scene.meshes.add_mesh(backend, source(cube())).unwrap();
    let loose = scene
        .meshes
        .add_mesh(backend, source(loose_cube()))
        .unwrap();
    let copies = [
        shifted(-1.2, 0.6, -1.0),
        shifted(0.0, 0.8, -2.0),
        shifted(1.3, 0.7, -0.5),
    ];
    let copies = InstanceSource::Cpu(Arc::from(copies));
    let copies = scene.meshes.add_instances(backend, copies).unwrap();
    let mut insert = |object: Object| scene.meshes.insert(object).unwrap();
    insert(Object::new(mesh).tagged(1));
    let mirror = DMat4::from_translation(DVec3::new(-1.4, -0.8, 0.4))
        * DMat4::from_scale(DVec3::new(-1.0, 1.2, 0.7));
    insert(Object::new(mesh).at(mirror).tagged(2));
    let raised = DMat4::from_translation(DVec3::new(0.0, 0.5, 0.0));
    insert(Object::new(mesh).instanced(copies).at(raised).tagged(3));
    let turned = DMat4::from_translation(DVec3::new(1.3, -0.9, 0.8))
        * DMat4::from_axis_angle(DVec3::new(1.0, 1.0, 0.0).normalize(), 0.7);
    insert(Object::new(loose).at(turned).tagged(4));
    scene
}

pub fn kept(data: MeshData) -> MeshSource {
    MeshSource::Cpu(Arc::new(data))
}

pub fn forgotten(data: MeshData) -> MeshSource {
    MeshSource::Upload(Arc::new(data))
}

/// Asks for the pixel in the middle of the picture, where object 1 is.
pub fn middle(view: &View) -> Request<Option<Hit>> {
    let center = f64::from(SIDE / 2);
    Request::point(view, PickPoint::target_pixels(center, center)).unwrap()
}

/// A waving sheet of 12,800 triangles, in two parts that are both large.
pub struct Sheet {
    pub positions: Vec<[f32; 3]>,
    pub indices: Vec<u32>,
}

pub fn sheet() -> Sheet {
    const QUADS: u32 = 80;
    let at = |k: u32| k as f32 / QUADS as f32 * 3.0 - 1.5;
    let row = |y: u32| (0..=QUADS).map(move |x| (at(x), at(y)));
    let corners = (0..=QUADS).flat_map(row);
    let wave = |x: f32, y: f32| 0.3 * (3.0 * x).sin() * (3.0 * y).cos();
    let first = |quad: u32| quad / QUADS * (QUADS + 1) + quad % QUADS;
    let quad = |quad| [0, 1, QUADS + 2, 0, QUADS + 2, QUADS + 1].map(|by| first(quad) + by);
    Sheet {
        positions: corners.map(|(x, y)| [x, y, wave(x, y)]).collect(),
        indices: (0..QUADS * QUADS).flat_map(quad).collect(),
    }
}

impl Sheet {
    pub const PARTS: [Range<u32>; 2] = [0..19_203, 19_203..38_400];

    /// The mesh over buffers that hold just that.
    pub fn host_mesh(&self, positions: BufferId, indices: BufferId) -> HostMesh {
        let stream = VertexStream {
            buffer: positions,
            offset: 0,
            stride: 12,
        };
        let list = IndexStream {
            buffer: indices,
            offset: 0,
            format: IndexFormat::U32,
            count: self.indices.len() as u32,
        };
        HostMesh::new(stream, self.positions.len() as u32)
            .indices(list)
            .submeshes(Self::PARTS.map(SubMesh::new).to_vec())
    }

    /// Runs of 100 triangles; one goes on over the end of the first part.
    pub fn clusters(&self) -> Vec<MeshCluster> {
        let starts = (0..).step_by(300);
        let runs = self.indices.chunks(300).zip(starts);
        let cluster = |(run, start): (&[u32], u32)| {
            let corners = run.iter().map(|&index| self.positions[index as usize]);
            let bounds = Aabb::around(corners).unwrap();
            MeshCluster::new(start..start + run.len() as u32, bounds)
        };
        runs.map(cluster).collect()
    }
}
