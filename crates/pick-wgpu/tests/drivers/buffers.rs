//! Geometry in the host's own buffers, and what is refused about it.

use std::sync::Arc;

use pick_core::{
    Backend, BufferId, Capability, DepthConvention, ErrorKind, HostInstances, HostMesh,
    IndexFormat, IndexStream, InputError, InstanceFormat, InstanceSource, MeshSource, Object,
    PickError, Picker, PrimitiveSource, Scene, SubMesh, SurfaceSource, VertexStream, Withheld,
};
use pick_wgpu::WgpuBackend;
use wgpu::BufferUsages;

use crate::common::driver::{Driver, Host};
use crate::common::on_each_driver;
use crate::common::scene::{cube, kept, little, middle, shifted, view};

on_each_driver! {
    host_buffers_answer_like_uploads,
    buffers_without_storage_usage_are_not_pulled,
    a_verdict_does_not_wait_for_a_held_recording,
    bad_buffers_are_refused_at_once,
    host_instances,
    missing_streams_are_withheld,
    empty_geometry,
    large_meshes_are_not_pulled,
}

/// The cube as an engine may have it: a header, then position, a colour nobody asks for, normal, uv.
fn interleaved() -> (Vec<u8>, u32) {
    let data = cube();
    let (normals, uvs) = (data.normals().unwrap(), data.uvs().unwrap());
    let mut bytes = vec![0xcd; 64];
    for (vertex, position) in data.positions().iter().enumerate() {
        bytes.extend(position.iter().flat_map(|v| v.to_le_bytes()));
        bytes.extend([0xff; 4]);
        bytes.extend(normals[vertex].iter().flat_map(|v| v.to_le_bytes()));
        bytes.extend(uvs[vertex].iter().flat_map(|v| v.to_le_bytes()));
    }
    (bytes, 36)
}

fn short_indices() -> Vec<u8> {
    let data = cube();
    let indices = data.indices().unwrap().iter();
    let mut bytes = vec![0xee; 8];
    bytes.extend(indices.flat_map(|&i| (i as u16).to_le_bytes()));
    bytes
}

/// A host mesh over these buffers.
fn mesh(vertices: BufferId, indices: BufferId) -> HostMesh {
    let stream = |offset: u64| VertexStream {
        buffer: vertices,
        offset: 64 + offset,
        stride: 36,
    };
    let list = IndexStream {
        buffer: indices,
        offset: 8,
        format: IndexFormat::U16,
        count: 36,
    };
    HostMesh::new(stream(0), 24)
        .normals(stream(16))
        .uvs(stream(28))
        .indices(list)
        .submeshes(vec![SubMesh::new(0..12), SubMesh::new(12..36)])
}

fn adopted(host: &Host, backend: &mut WgpuBackend, extra: BufferUsages) -> HostMesh {
    let (vertices, _) = interleaved();
    let vertices = host.buffer(&vertices, BufferUsages::VERTEX | extra);
    let indices = host.buffer(&short_indices(), BufferUsages::INDEX | extra);
    let (vertices, indices) = (
        backend.adopt_buffer(&vertices),
        backend.adopt_buffer(&indices),
    );
    mesh(vertices, indices)
}

fn host_source(mesh: HostMesh) -> MeshSource {
    MeshSource::Host(Box::new(mesh))
}

fn bad_buffer(error: &PickError) -> bool {
    matches!(error.kind(), ErrorKind::Input(InputError::BadBuffer { .. }))
}

fn foreign_key(error: &PickError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Input(InputError::ForeignKey { .. })
    )
}

/// Interleaved vertices and 16-bit indices behind a header give the answers of the uploaded cube, by
/// every triangle source and both surfaces.
fn host_buffers_answer_like_uploads(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let view = view(DepthConvention::Standard);
    let mut reference = Scene::new();
    let parts = cube();
    let data = pick_core::MeshData::builder(parts.positions().to_vec())
        .normals(parts.normals().unwrap().to_vec())
        .uvs(parts.uvs().unwrap().to_vec())
        .indices(parts.indices().unwrap().to_vec())
        .submesh(SubMesh::new(0..12))
        .submesh(SubMesh::new(12..36))
        .build()
        .unwrap();
    let key = reference
        .meshes
        .add_mesh(&mut backend, kept(data.clone()))
        .unwrap();
    reference.meshes.insert(Object::new(key).tagged(8)).unwrap();
    let mut picker = Picker::new();
    let wanted = picker
        .pick(&mut backend, &mut reference, middle(&view))
        .unwrap();
    let wanted = wanted.result.expect("the cube");
    for cpu in [None, Some(Arc::new(data))] {
        let mut mesh = adopted(&host, &mut backend, BufferUsages::STORAGE);
        mesh.cpu = cpu.clone();
        let mut scene = Scene::new();
        let key = scene
            .meshes
            .add_mesh(&mut backend, host_source(mesh))
            .unwrap();
        scene.meshes.insert(Object::new(key).tagged(8)).unwrap();
        for source in [
            PrimitiveSource::Auto,
            PrimitiveSource::Builtin,
            PrimitiveSource::Pulled,
            PrimitiveSource::Expanded,
        ] {
            let request = middle(&view)
                .primitive_source(source)
                .surface(SurfaceSource::Gpu);
            let got = match picker.pick(&mut backend, &mut scene, request) {
                Ok(answer) => answer.result.expect("the cube"),
                Err(error) => {
                    let builtin = source == PrimitiveSource::Builtin && !driver.has_builtin();
                    let expanded = source == PrimitiveSource::Expanded && cpu.is_none();
                    assert!(
                        error.is_unsupported() && (builtin || expanded),
                        "{source:?} {error}"
                    );
                    continue;
                }
            };
            assert_eq!(
                (got.tag, got.part, got.primitive),
                (8, wanted.part, wanted.primitive),
                "{source:?}"
            );
            let normal = got.surface.normal.unwrap();
            assert!(
                normal.dot(wanted.surface.normal.unwrap()) > 0.999,
                "{source:?} {normal}"
            );
            let (uv, expected) = (got.surface.uv.unwrap(), wanted.surface.uv.unwrap());
            assert!(
                (uv[0] - expected[0]).abs() < 0.02 && (uv[1] - expected[1]).abs() < 0.02,
                "{source:?} {uv:?} {expected:?}"
            );
        }
    }
}

/// Without the storage usage a mesh is drawn but not pulled.
fn buffers_without_storage_usage_are_not_pulled(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let view = view(DepthConvention::Standard);
    let mesh = adopted(&host, &mut backend, BufferUsages::empty());
    let mut scene = Scene::new();
    let key = scene
        .meshes
        .add_mesh(&mut backend, host_source(mesh))
        .unwrap();
    scene.meshes.insert(Object::new(key).tagged(8)).unwrap();
    let mut picker = Picker::new();
    let request = middle(&view).primitive_source(PrimitiveSource::Pulled);
    let error = picker.pick(&mut backend, &mut scene, request).unwrap_err();
    assert!(matches!(
        error.kind(),
        ErrorKind::Unsupported {
            capability: Capability::VertexPulling,
            ..
        }
    ));
    // The builtin is not tested yet and nothing else is here: the pick waits for the verdict.
    match picker.pick(&mut backend, &mut scene, middle(&view)) {
        Ok(answer) => assert_eq!(answer.result.map(|hit| hit.tag), Some(8)),
        Err(error) => assert!(!driver.has_builtin() && error.is_unsupported(), "{error}"),
    }
}

/// A pick that needs the verdict on the builtin does not wait for another's recording to be submitted.
fn a_verdict_does_not_wait_for_a_held_recording(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let view = view(DepthConvention::Standard);
    let mut others = little(&mut backend, kept);
    let (mut other, mut picker) = (Picker::new(), Picker::new());
    let mut encoder = host.device.create_command_encoder(&Default::default());
    let mut held = other
        .record(&mut backend, &mut others, middle(&view), &mut encoder)
        .unwrap();
    let mesh = adopted(&host, &mut backend, BufferUsages::empty());
    let mut scene = Scene::new();
    let mesh = scene.meshes.add_mesh(&mut backend, host_source(mesh));
    let object = Object::new(mesh.unwrap()).tagged(8);
    scene.meshes.insert(object).unwrap();
    match picker.pick(&mut backend, &mut scene, middle(&view)) {
        Ok(answer) => assert_eq!(answer.result.map(|hit| hit.tag), Some(8)),
        Err(error) => assert!(!driver.has_builtin() && error.is_unsupported(), "{error}"),
    }
    other.poll(&mut backend, &mut others);
    assert!(!held.is_ready());
    host.queue.submit([encoder.finish()]);
    backend.wait(None, 10_000).unwrap();
    other.poll(&mut backend, &mut others);
    let answer = held.try_take().unwrap().unwrap();
    assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
}

/// Buffers that lack a usage or a size, that are unknown, or of another device, are refused when
/// the mesh is made.
fn bad_buffers_are_refused_at_once(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = Scene::new();
    let good = adopted(&host, &mut backend, BufferUsages::STORAGE);
    let mut refused = |backend: &mut WgpuBackend, mesh: HostMesh| {
        scene
            .meshes
            .add_mesh(backend, host_source(mesh))
            .unwrap_err()
    };
    let no_vertex = host.buffer(&interleaved().0, BufferUsages::STORAGE);
    let no_vertex = backend.adopt_buffer(&no_vertex);
    let mut mesh = good.clone();
    mesh.positions.buffer = no_vertex;
    assert!(bad_buffer(&refused(&mut backend, mesh)));
    let mut mesh = good.clone();
    mesh.vertex_count = 25;
    let error = refused(&mut backend, mesh);
    assert!(
        bad_buffer(&error) && error.to_string().contains("928 bytes"),
        "{error}"
    );
    let mut mesh = good.clone();
    let indices = mesh.indices.unwrap();
    mesh.indices = Some(IndexStream {
        format: IndexFormat::U32,
        ..indices
    });
    assert!(bad_buffer(&refused(&mut backend, mesh)));
    let mut mesh = good.clone();
    mesh.indices = Some(IndexStream {
        buffer: mesh.positions.buffer,
        ..indices
    });
    assert!(bad_buffer(&refused(&mut backend, mesh)));
    let mut other = driver.backend();
    assert!(foreign_key(&refused(&mut other, good.clone())));
    backend.forget_buffer(no_vertex).unwrap();
    assert!(backend.forget_buffer(no_vertex).is_err());
    let stranger = host.another();
    let strange = stranger.buffer(
        &interleaved().0,
        BufferUsages::VERTEX | BufferUsages::STORAGE,
    );
    let mut mesh = good.clone();
    mesh.positions.buffer = backend.adopt_buffer(&strange);
    let error = refused(&mut backend, mesh);
    assert!(bad_buffer(&error), "{error}");
    scene
        .meshes
        .add_mesh(&mut backend, host_source(good))
        .unwrap();
}

/// Instance transforms in a host's buffer, rows and columns, behind an offset.
fn host_instances(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let view = view(DepthConvention::Standard);
    let mut scene = Scene::new();
    let mesh = scene.meshes.add_mesh(&mut backend, kept(cube())).unwrap();
    let away = shifted(40.0, 0.0, 0.0);
    let here = shifted(0.0, 0.0, 0.0);
    let rows = [away, here, away];
    let columns = rows.map(|r| [0, 1, 2, 3].map(|c| [r[0][c], r[1][c], r[2][c], f32::NAN]));
    let bytes = |floats: Vec<f32>| floats.into_iter().flat_map(f32::to_le_bytes);
    let scaled = rows.map(|r| [r[0][3], r[1][3], r[2][3], 1.0]);
    for format in [
        InstanceFormat::Rows3x4,
        InstanceFormat::Columns4x4,
        InstanceFormat::PositionScale,
    ] {
        let mut contents = vec![0xff; 256];
        match format {
            InstanceFormat::Rows3x4 => {
                contents.extend(bytes(rows.as_flattened().as_flattened().to_vec()))
            }
            InstanceFormat::Columns4x4 => {
                contents.extend(bytes(columns.as_flattened().as_flattened().to_vec()))
            }
            InstanceFormat::PositionScale => contents.extend(bytes(scaled.as_flattened().to_vec())),
        }
        let buffer = host.buffer(&contents, BufferUsages::STORAGE);
        let id = backend.adopt_buffer(&buffer);
        let source = |count| HostInstances::new(id, format, count).offset(256);
        let error = scene
            .meshes
            .add_instances(&mut backend, source(4))
            .unwrap_err();
        assert!(bad_buffer(&error), "{error}");
        let set = scene.meshes.add_instances(&mut backend, source(3)).unwrap();
        let object = scene
            .meshes
            .insert(Object::new(mesh).instanced(set))
            .unwrap();
        let answer = Picker::new()
            .pick(&mut backend, &mut scene, middle(&view))
            .unwrap();
        let hit = answer.result.expect("the second copy");
        assert_eq!(
            (hit.object, hit.instance),
            (Some(object), Ok(1)),
            "{format:?}"
        );
        // The mesh is on the CPU, its place is not: the surface comes from the GPU.
        assert!(hit.surface.face_normal.is_ok(), "{format:?}");
        assert!(hit.surface.normal.is_ok() && hit.surface.uv.is_ok());
        assert_eq!(hit.surface.barycentric, Err(Withheld::NoCpuGeometry));
        scene.meshes.remove(object).unwrap();
    }
    let no_storage = host.buffer(&[0; 512], BufferUsages::VERTEX);
    let buffer = backend.adopt_buffer(&no_storage);
    let source = HostInstances::new(buffer, InstanceFormat::Rows3x4, 1);
    assert!(bad_buffer(
        &scene
            .meshes
            .add_instances(&mut backend, source)
            .unwrap_err()
    ));
}

/// What a host's mesh has no stream for is withheld, never made up.
fn missing_streams_are_withheld(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut mesh = adopted(&host, &mut backend, BufferUsages::STORAGE);
    (mesh.normals, mesh.uvs) = (None, None);
    let mut scene = Scene::new();
    let key = scene
        .meshes
        .add_mesh(&mut backend, host_source(mesh))
        .unwrap();
    scene.meshes.insert(Object::new(key)).unwrap();
    let view = view(DepthConvention::Standard);
    let answer = Picker::new()
        .pick(&mut backend, &mut scene, middle(&view))
        .unwrap();
    let surface = answer.result.expect("the cube").surface;
    assert!(surface.face_normal.is_ok());
    assert_eq!(surface.normal, Err(Withheld::NoNormals));
    assert_eq!(surface.uv, Err(Withheld::NoUvs));
}

/// Meshes, instance sets and parts without anything in them are never hit, and disturb nothing.
fn empty_geometry(driver: Driver) {
    let mut backend = driver.backend();
    let view = view(DepthConvention::Standard);
    let mut scene = Scene::new();
    let empty = pick_core::MeshData::builder(Vec::new()).build().unwrap();
    let listed = pick_core::MeshData::builder(Vec::new())
        .indices(Vec::new())
        .build()
        .unwrap();
    for data in [empty, listed] {
        let mesh = scene.meshes.add_mesh(&mut backend, data).unwrap();
        scene.meshes.insert(Object::new(mesh)).unwrap();
    }
    let mesh = scene.meshes.add_mesh(&mut backend, cube()).unwrap();
    let none = scene
        .meshes
        .add_instances(&mut backend, InstanceSource::Cpu(Arc::from([])))
        .unwrap();
    scene
        .meshes
        .insert(Object::new(mesh).instanced(none))
        .unwrap();
    let mut nowhere = shifted(0.0, 0.0, 0.0);
    nowhere[1][3] = f32::NAN;
    let dead = [[[0.0; 4]; 3], nowhere, [[f32::INFINITY; 4]; 3]];
    let dead = scene
        .meshes
        .add_instances(&mut backend, InstanceSource::Cpu(Arc::from(dead)))
        .unwrap();
    scene
        .meshes
        .insert(Object::new(mesh).instanced(dead))
        .unwrap();
    let mut picker = Picker::new();
    for source in [
        PrimitiveSource::Auto,
        PrimitiveSource::Pulled,
        PrimitiveSource::Expanded,
    ] {
        let request = middle(&view).primitive_source(source);
        let answer = picker.pick(&mut backend, &mut scene, request).unwrap();
        assert!(answer.result.is_none(), "{source:?}");
    }
}

/// A mesh beyond what can be bound is drawn, but not pulled.
fn large_meshes_are_not_pulled(driver: Driver) {
    let host = driver.host_with(|descriptor| {
        descriptor.required_limits.max_storage_buffer_binding_size = 1 << 16;
    });
    let mut backend = host.backend();
    let positions = vec![[0.0; 3]; 3 << 12];
    let data = pick_core::MeshData::builder(positions).build().unwrap();
    let created = backend.create_mesh(&MeshSource::from(data)).unwrap();
    assert!(!created.pulled && created.expanded);
}
