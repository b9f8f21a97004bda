//! Every strategy by every way to wait, beside the floor and its own empty pass.

use pick_core::{BuiltinStrategy, Strategy as _};

use crate::floor::Floored;
use crate::groups::timed;
use crate::results::Group;
use crate::rig::{Brute, HostBuffers, Point, Rig};
use crate::scenes;

/// One draw of 1,000 triangles, and 1,000 draws of 12.
const SCENES: [(&str, &str, u64); 2] = [
    ("mesh-1000", "builtin:mesh?triangles=1000&seed=1", 1),
    ("objects-1000", "builtin:grid?count=1000&seed=1", 1000),
];

impl<B: Floored, H: HostBuffers<B>> Rig<'_, B, H> {
    pub(super) fn strategies(&mut self) {
        for (name, scene, objects) in SCENES {
            for &(wait, how) in B::WAITS {
                self.backend.wait_by(how);
                for strategy in BuiltinStrategy::ALL {
                    let point = Point {
                        group: Group::Strategies,
                        series: format!("{name}, {}", strategy.name()),
                        size: objects,
                        scene: match wait {
                            "block" => name.to_owned(),
                            other => format!("{name}-{other}"),
                        },
                        strategy,
                        wait,
                    };
                    self.strategy(&point, scene);
                }
            }
            // The other tables wait as hosts do.
            if let Some(&(_, how)) = B::WAITS.first() {
                self.backend.wait_by(how);
            }
        }
    }

    fn strategy(&mut self, point: &Point, scene: &str) {
        let staged = scenes::builtin(scene).and_then(|data| {
            let requests = scenes::requests(&scenes::view(scenes::radius(&data))?)?;
            let (scene, micros) = timed(|| data.build(self.backend))?;
            Ok((scene, requests, micros))
        });
        match staged {
            Ok((scene, requests, micros)) => {
                self.picks(point, scene, &requests, Brute::No, micros);
            }
            Err(error) => {
                self.finish(point.run(&self.label), Err(error));
            }
        }
    }
}
