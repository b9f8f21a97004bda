//! Objects that all move before each pick, beside what walking over their transforms costs the host
//! itself.

use std::hint::black_box;

use glam::{DMat4, DVec4, Mat4};
use pick_core::{BuiltinStrategy, Detailed, PickError};

use crate::floor::Floored;
use crate::groups::timed;
use crate::names::{COMPOSE_WALK, MOVE_WALK, MOVED, MOVED_CPU, SET, WALK};
use crate::results::{Group, Run};
use crate::rig::{Bench, HostBuffers, Point, Rig};
use crate::sample::{Samples, in_turns};
use crate::scenes::{self, Objects};

impl<B: Floored, H: HostBuffers<B>> Rig<'_, B, H> {
    pub(super) fn moving(&mut self) {
        for &count in self.sizes.objects() {
            let mut run = point(count).run(&self.label);
            let measured = self.measure_moving(&mut run, count);
            self.finish(run, measured);
        }
    }

    fn measure_moving(&mut self, run: &mut Run, count: u32) -> Result<(), PickError> {
        let data = scenes::builtin(&format!("builtin:grid?count={count}&seed=1"))?;
        let view = scenes::view(scenes::radius(&data))?;
        let requests = scenes::requests(&view)?;
        let (objects, micros) = timed(|| Objects::build(self.backend, &data))?;
        run.told.insert("build_micros".to_owned(), micros);
        let Objects {
            scene,
            mut places,
            keys,
        } = objects;
        let clip_from_world = view.clip_from_world();
        let mut drawn = vec![Mat4::IDENTITY; places.len()];
        let has_floor = self.has_floor();
        let mut bench = Bench::new(self.backend, scene, requests)?;
        let mut tick = 0.0;
        let once = |thing: usize, samples: &mut Samples| match thing {
            0 if !has_floor => Ok(()),
            0 => bench.time_floor(samples),
            1 => bench.time_empty(samples),
            2 => samples.time(WALK, || {
                let sum = |sum: DVec4, place: &DMat4| {
                    sum + place.x_axis + place.y_axis + place.z_axis + place.w_axis
                };
                black_box(places.iter().fold(DVec4::ZERO, sum));
                Ok(())
            }),
            3 => samples.time(COMPOSE_WALK, || {
                for (drawn, place) in drawn.iter_mut().zip(&places) {
                    *drawn = (clip_from_world * *place).as_mat4();
                }
                black_box(&mut drawn);
                Ok(())
            }),
            _ => {
                tick += 1.0;
                let step = glam::DVec3::new(0.01 * f64::sin(tick), 0.01 * f64::cos(tick), 0.0);
                samples.time(MOVE_WALK, || {
                    for place in &mut places {
                        place.w_axis += step.extend(0.0);
                    }
                    black_box(&mut places);
                    Ok(())
                })?;
                let request = bench.request();
                let session = &mut bench.session;
                let moved = timed(|| {
                    let (ticket, sent) = timed(|| {
                        samples.time(SET, || {
                            let mut moves = keys.iter().zip(&places);
                            let meshes = &mut session.scene.meshes;
                            moves.try_for_each(|(key, place)| meshes.set_transform(*key, *place))
                        })?;
                        session.send(request)
                    })?;
                    session.receive(ticket)?;
                    Ok(sent)
                });
                let (sent, whole) = moved?;
                samples.push(MOVED_CPU, sent);
                samples.push(MOVED, whole);
                Ok(())
            }
        };
        let times = in_turns(5, &self.sizes.budget(), once);
        bench.tell(&mut run.told);
        let cleared = bench.session.clear();
        run.times = times?;
        cleared
    }
}

pub(super) fn point(count: u32) -> Point {
    Point {
        group: Group::Moving,
        series: "objects, all moved".to_owned(),
        size: count.into(),
        scene: format!("objects-moving-{count}"),
        strategy: BuiltinStrategy::Detailed(Detailed),
        wait: "block",
    }
}
