//! Copies of one cube: more and more of them, and all of them changed before each pick.

use pick_core::{BufferId, BuiltinStrategy, Detailed, InstanceSource, PickError};

use crate::floor::Floored;
use crate::groups::timed;
use crate::names::{CHANGED, UPDATE};
use crate::results::{Group, Run};
use crate::rig::{Bench, Brute, Expected, HostBuffers, Point, Rig};
use crate::sample::{Samples, in_turns};
use crate::scenes::{Cubes, Layout, requests};
use crate::sizes::Sizes;

impl<B: Floored, H: HostBuffers<B>> Rig<'_, B, H> {
    fn layouts(&self) -> &'static [Layout] {
        match self.has_floor() {
            true => &[Layout::PositionScale, Layout::Columns4x4],
            false => &[Layout::Rows],
        }
    }

    pub(super) fn instances(&mut self) {
        for &layout in self.layouts() {
            for shuffled in [false, true] {
                // Wide copies in no order tell nothing that narrow ones do not; only a GPU is asked.
                if shuffled && layout == Layout::Columns4x4 && self.sizes != Sizes::Full {
                    continue;
                }
                let mut expected = Expected::default();
                for &count in self.sizes.instances() {
                    let point = point(Group::Instances, layout, shuffled, count);
                    let brute = expected.at(count.into());
                    let took = self.instanced(&point, layout, shuffled, brute);
                    expected.took(count.into(), took);
                }
            }
        }
    }

    fn instanced(
        &mut self,
        point: &Point,
        layout: Layout,
        shuffled: bool,
        brute: Brute,
    ) -> Option<f64> {
        let staged = Cubes::new(point.size as u32, layout, shuffled).and_then(|cubes| {
            let requests = requests(&cubes.view()?)?;
            let source = self.source(&cubes, false)?;
            let ((scene, _), micros) = timed(|| cubes.stage(self.backend, source))?;
            Ok((scene, requests, micros))
        });
        match staged {
            Ok((scene, requests, micros)) => self.picks(point, scene, &requests, brute, micros),
            Err(error) => {
                self.finish(point.run(&self.label), Err(error));
                None
            }
        }
    }

    /// The copies in a buffer of the host's, or on the CPU where there is none.
    pub(super) fn source(
        &mut self,
        cubes: &Cubes,
        changed: bool,
    ) -> Result<InstanceSource, PickError> {
        if !self.has_floor() {
            return Ok(cubes.on_cpu(changed));
        }
        let contents = cubes.contents(changed);
        let made: Option<BufferId> = self.buffers.make(self.backend, &contents)?;
        Ok(match made {
            Some(buffer) => cubes.in_buffer(buffer),
            None => cubes.on_cpu(changed),
        })
    }

    /// Each pick finds all copies elsewhere: the host has two buffers, and says of the other one that it
    /// is the set now. What writing them costs a host is the host's.
    pub(super) fn changed(&mut self) {
        let layout = self.layouts()[0];
        for &count in self.sizes.changed() {
            let point = point(Group::Changed, layout, false, count);
            let mut run = point.run(&self.label);
            let measured = self.measure_changed(&mut run, layout, count);
            self.finish(run, measured);
        }
    }

    fn measure_changed(
        &mut self,
        run: &mut Run,
        layout: Layout,
        count: u32,
    ) -> Result<(), PickError> {
        let has_floor = self.has_floor();
        let cubes = Cubes::new(count, layout, false)?;
        let sources = [self.source(&cubes, false)?, self.source(&cubes, true)?];
        let requests = requests(&cubes.view()?)?;
        let ((scene, set), micros) = timed(|| cubes.stage(self.backend, sources[0].clone()))?;
        drop(cubes);
        run.told.insert("build_micros".to_owned(), micros);
        let mut bench = Bench::new(self.backend, scene, requests)?;
        let mut which = 0;
        let once = |thing: usize, samples: &mut Samples| match thing {
            0 if !has_floor => Ok(()),
            0 => bench.time_floor(samples),
            1 => bench.time_empty(samples),
            2 => bench.time_pick(samples),
            _ => {
                which = 1 - which;
                let (request, source) = (bench.request(), sources[which].clone());
                let session = &mut bench.session;
                let (answer, whole) = timed(|| {
                    let updated = samples.time(UPDATE, || {
                        let meshes = &mut session.scene.meshes;
                        meshes.update_instances(session.backend, set, source)
                    });
                    updated.and_then(|()| session.pick(request))
                })?;
                samples.push(CHANGED, whole);
                drop(answer);
                Ok(())
            }
        };
        let times = in_turns(4, &self.sizes.budget(), once);
        bench.tell(&mut run.told);
        let cleared = bench.session.clear();
        run.times = times?;
        cleared
    }
}

pub(super) fn point(group: Group, layout: Layout, shuffled: bool, count: u32) -> Point {
    let order = if shuffled { "shuffled" } else { "grid order" };
    let bytes = layout.name().replace(' ', "-");
    let what = match group {
        Group::Changed => "changed",
        _ if shuffled => "shuffled",
        _ => "grid",
    };
    Point {
        group,
        series: format!("{}, {order}", layout.name()),
        size: count.into(),
        scene: format!("cubes-{what}-{bytes}-{count}"),
        strategy: BuiltinStrategy::Detailed(Detailed),
        wait: "block",
    }
}
