//! Runs of triangles that a host knows of its own buffers.

use pick_core::{
    Culling, DepthConvention, ErrorKind, Hit, HostMesh, InputError, Object, PickPoint, Picker,
    Request, Scene, View,
};
use pick_wgpu::WgpuBackend;
use wgpu::BufferUsages;

use crate::common::driver::{Driver, Host};
use crate::common::on_each_driver;
use crate::common::scene::{SIDE, Sheet, sheet, view};

on_each_driver! {
    runs_of_host_buffers_are_culled,
    boxes_of_a_host_are_believed,
    what_is_no_run_is_refused,
}

/// A sheet in buffers of the host, of which the library sees nothing.
fn adopted(host: &Host, backend: &mut WgpuBackend, sheet: &Sheet) -> HostMesh {
    let positions = sheet.positions.as_flattened().iter();
    let positions: Vec<u8> = positions.flat_map(|c| c.to_le_bytes()).collect();
    let indices: Vec<u8> = sheet.indices.iter().flat_map(|i| i.to_le_bytes()).collect();
    let positions = host.buffer(&positions, BufferUsages::VERTEX | BufferUsages::STORAGE);
    let indices = host.buffer(&indices, BufferUsages::INDEX | BufferUsages::STORAGE);
    let positions = backend.adopt_buffer(&positions);
    sheet.host_mesh(positions, backend.adopt_buffer(&indices))
}

struct Picked {
    scene: Scene,
    picker: Picker,
    view: View,
}

impl Picked {
    fn new(backend: &mut WgpuBackend, mesh: HostMesh) -> Self {
        let mut scene = Scene::new();
        let mesh = scene.meshes.add_mesh(backend, mesh).unwrap();
        scene.meshes.insert(Object::new(mesh)).unwrap();
        Self {
            scene,
            picker: Picker::new(),
            view: view(DepthConvention::Standard),
        }
    }

    /// What is at a pixel, and how many draws it took to see it.
    fn at(
        &mut self,
        backend: &mut WgpuBackend,
        [x, y]: [u32; 2],
        culling: Culling,
    ) -> (Option<Hit>, usize) {
        let at = PickPoint::target_pixels(f64::from(x), f64::from(y));
        let request = Request::point(&self.view, at).unwrap().culling(culling);
        let answer = self.picker.pick(backend, &mut self.scene, request).unwrap();
        (answer.result, answer.report.items)
    }
}

fn runs_of_host_buffers_are_culled(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let sheet = sheet();
    let mesh = adopted(&host, &mut backend, &sheet);
    let plain = Picked::new(&mut backend, mesh.clone());
    let mut known = Picked::new(&mut backend, mesh.clusters(sheet.clusters()));
    let (mut hits, mut misses) = ([0, 0], 0);
    for pixel in (0..64).map(|k| [k % 8 * 7 + 16, k / 8 * 7 + 16]) {
        let (brute, items) = known.at(&mut backend, pixel, Culling::Off);
        assert_eq!(items, 2);
        let (culled, items) = known.at(&mut backend, pixel, Culling::On);
        assert_eq!(culled, brute, "{pixel:?}");
        match culled {
            // A pixel sees few of the 128 runs.
            Some(hit) => hits[hit.part as usize] += usize::from((1..20).contains(&items)),
            None => misses += usize::from(items == 0),
        }
    }
    assert!(
        hits[0] > 5 && hits[1] > 5 && misses > 10,
        "{hits:?} {misses}"
    );
    let grown = known.scene.meshes.culling_bytes() - plain.scene.meshes.culling_bytes();
    assert!(
        (128 * 24..128 * 128).contains(&grown),
        "{grown} bytes for 128 runs"
    );
}

/// What lies in a run whose box is elsewhere is missed: only the host can know.
fn boxes_of_a_host_are_believed(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let sheet = sheet();
    let mesh = adopted(&host, &mut backend, &sheet);
    let mut clusters = sheet.clusters();
    let middle = [SIDE / 2, SIDE / 2];
    let mut known = Picked::new(&mut backend, mesh.clone().clusters(clusters.clone()));
    let hit = known.at(&mut backend, middle, Culling::On).0.unwrap();
    let first = Sheet::PARTS[hit.part as usize].start + hit.primitive.unwrap() * 3;
    let corner = clusters[0].bounds;
    let run = clusters
        .iter_mut()
        .find(|run| run.elements.contains(&first));
    run.unwrap().bounds = corner;
    let mut wrong = Picked::new(&mut backend, mesh.clusters(clusters));
    assert_eq!(wrong.at(&mut backend, middle, Culling::On).0, None);
    let brute = wrong.at(&mut backend, middle, Culling::Off).0.unwrap();
    assert_eq!((brute.part, brute.primitive), (hit.part, hit.primitive));
}

fn what_is_no_run_is_refused(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let sheet = sheet();
    let mesh = adopted(&host, &mut backend, &sheet);
    let mut clusters = sheet.clusters();
    clusters[5].elements.end += 3;
    let mut scene = Scene::new();
    let refused = scene.meshes.add_mesh(&mut backend, mesh.clusters(clusters));
    let error = refused.unwrap_err();
    let fault = match error.kind() {
        ErrorKind::Input(InputError::BadMesh {
            what: "clusters",
            fault,
        }) => fault,
        other => panic!("{other:?}"),
    };
    assert!(
        fault.contains("number 6, 1800..2100") && fault.contains("1803"),
        "{fault}"
    );
}
