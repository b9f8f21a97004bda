//! More and more separate objects, and one mesh of more and more triangles.

use pick_core::{BuiltinStrategy, Detailed};
use pick_scenes::SceneData;

use crate::floor::Floored;
use crate::groups::timed;
use crate::results::Group;
use crate::rig::{Brute, Expected, HostBuffers, Point, Rig};
use crate::scenes::{self, Objects};

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

    fn scene(&mut self, point: &Point, scene: &str, brute: Brute) -> Option<f64> {
        let staged = scenes::builtin(scene).and_then(|data: SceneData| {
            let requests = scenes::requests(&scenes::view(scenes::radius(&data))?)?;
            let (objects, micros) = timed(|| Objects::build(self.backend, &data))?;
            Ok((objects.scene, requests, micros))
        });
        match staged {
            Ok((scene, requests, micros)) => self.picks(point, scene, &requests, brute, micros),
            Err(error) => {
                self.finish(point.run(&self.label), Err(error));
                None
            }
        }
    }
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
