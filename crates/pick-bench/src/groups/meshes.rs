//! More and more separate objects, and meshes of more and more triangles: one, and copies of one.

use pick_core::{
    Backend, BuiltinStrategy, Detailed, Hit, InstanceSource, Object, PickError, Request, Scene,
};
use pick_scenes::SceneData;

use crate::floor::Floored;
use crate::groups::timed;
use crate::results::Group;
use crate::rig::{Brute, Expected, HostBuffers, Point, Rig};
use crate::scenes::{self, Objects};

/// Of one mesh.
const COPIES: u32 = 50;

/// What is picked from, how it is asked, and the microseconds that building it took.
type Staged = Result<(Scene, Vec<Request<Option<Hit>>>, f64), PickError>;

impl<B: Floored, H: HostBuffers<B>> Rig<'_, B, H> {
    pub(super) fn objects(&mut self) {
        let mut expected = Expected::default();
        for &count in self.sizes.objects() {
            let scene = format!("builtin:grid?count={count}&seed=1");
            let point = point(Group::Objects, "objects", count);
            let took = self.scene(&point, &scene, expected.at(count.into()));
            expected.took(count.into(), took);
        }
    }

    pub(super) fn triangles(&mut self) {
        let mut expected = Expected::default();
        for &count in self.sizes.triangles() {
            let scene = format!("builtin:mesh?triangles={count}&seed=1");
            let point = point(Group::Triangles, "triangles", count);
            let took = self.scene(&point, &scene, expected.at(count.into()));
            expected.took(count.into(), took);
        }
    }

    /// Copies of a mesh: sizes are the triangles of all.
    pub(super) fn large_copies(&mut self) {
        let mut expected = Expected::default();
        for &count in self.sizes.triangles() {
            let point = copied(count);
            let brute = expected.at(count.into());
            let staged = copies(self.backend, count / COPIES);
            let took = self.staged(&point, staged, brute);
            expected.took(count.into(), took);
        }
    }

    fn scene(&mut self, point: &Point, scene: &str, brute: Brute) -> Option<f64> {
        let staged = scenes::builtin(scene).and_then(|data: SceneData| {
            let requests = scenes::requests(&scenes::view(scenes::radius(&data))?)?;
            let (objects, micros) = timed(|| Objects::build(self.backend, &data))?;
            Ok((objects.scene, requests, micros))
        });
        self.staged(point, staged, brute)
    }

    fn staged(&mut self, point: &Point, staged: Staged, brute: Brute) -> Option<f64> {
        match staged {
            Ok((scene, requests, micros)) => self.picks(point, scene, &requests, brute, micros),
            Err(error) => {
                self.finish(point.run(&self.label), Err(error));
                None
            }
        }
    }
}

/// A point of the curve of copies.
fn copied(count: u32) -> Point {
    Point {
        series: format!("triangles of {COPIES} copies"),
        scene: format!("copied-triangles-{count}"),
        ..point(Group::Triangles, "triangles", count)
    }
}

/// Copies of a mesh of so many triangles, in a lattice.
fn copies<B: Backend>(backend: &mut B, triangles: u32) -> Staged {
    let data = scenes::builtin(&format!("builtin:mesh?triangles={triangles}&seed=1"))?;
    let reach = scenes::radius(&data);
    let side = f64::from(COPIES).cbrt().ceil();
    let row = |k: u32| {
        let side = side as u32;
        let at = [k % side, k / side % side, k / (side * side)];
        let [x, y, z] =
            at.map(|k| (2.0 * reach * (f64::from(k) - f64::from(side - 1) * 0.5)) as f32);
        [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]]
    };
    let requests = scenes::requests(&scenes::view(reach * side * 3f64.sqrt())?)?;
    let (scene, micros) = timed(|| {
        let mut scene = Scene::new();
        let mesh = scene.meshes.add_mesh(backend, scenes::mesh(&data)?)?;
        let rows = InstanceSource::Cpu((0..COPIES).map(row).collect());
        let set = scene.meshes.add_instances(backend, rows)?;
        scene.meshes.insert(Object::new(mesh).instanced(set))?;
        Ok(scene)
    })?;
    Ok((scene, requests, micros))
}

pub(super) fn point(group: Group, what: &str, count: u32) -> Point {
    Point {
        group,
        series: what.to_owned(),
        size: count.into(),
        scene: format!("{what}-{count}"),
        strategy: BuiltinStrategy::Detailed(Detailed),
        wait: "block",
    }
}
