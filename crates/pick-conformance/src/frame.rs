//! A frame of answers against the oracle, pixel by pixel, and single picks against the frame.

use pick_core::{Backend, Hit, IdImage};

use crate::bench::{Bench, Outcome, wrong};
use crate::case::{Asking, CaseScene, CaseView, Stage};
use crate::oracle::Oracle;
use crate::oracle::verdict::{Judge, Verdict};

/// A frame to compare.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// What is shown.
    pub scene: &'a CaseScene,
    /// By which camera.
    pub view: &'a CaseView,
    /// What is asked.
    pub asking: Asking,
    /// The largest share of pixels that may have several right answers.
    pub ambiguous_share: f64,
}

impl<'a> Frame<'a> {
    /// A frame seen with the default options, at most a quarter of it ambiguous.
    pub fn new(scene: &'a CaseScene, view: &'a CaseView) -> Self {
        Self {
            scene,
            view,
            asking: Asking::default(),
            ambiguous_share: 0.25,
        }
    }

    /// With this bound instead.
    pub fn ambiguous(mut self, share: f64) -> Self {
        self.ambiguous_share = share;
        self
    }

    /// Asked this way instead.
    pub fn asking(mut self, asking: Asking) -> Self {
        self.asking = asking;
        self
    }
}

impl<B: Backend> Bench<'_, B> {
    /// Builds a frame, compares it and takes it back.
    ///
    /// # Errors
    /// Whatever is refused, and the first wrong pixels.
    pub fn frame(&mut self, frame: &Frame<'_>) -> Outcome {
        let mut stage = self.stage(frame.scene)?;
        let compared = self.compare(frame, &mut stage);
        let struck = self.strike(stage);
        compared.and(struck)
    }

    /// Compares a frame of a scene that stands.
    ///
    /// # Errors
    /// Whatever is refused, and the first wrong pixels.
    pub fn compare(&mut self, frame: &Frame<'_>, stage: &mut Stage) -> Outcome {
        let view = frame.view.build()?;
        let oracle = Oracle::new(
            frame.scene,
            frame.view,
            &frame.asking,
            &self.driver.tolerance,
        );
        let tags: Vec<u64> = frame.scene.objects.iter().map(|o| o.tag).collect();
        let keys = stage.objects.clone();
        let image = self.image(&mut stage.scene, &view, view.viewport(), &frame.asking)?;
        let judge = Judge {
            oracle: &oracle,
            objects: &keys,
            tags: &tags,
            gives: self.gives(),
        };
        let region = image.region();
        let mut faults = Vec::new();
        let mut ambiguous = Vec::new();
        for row in 0..region.height {
            for column in 0..region.width {
                let pixel = [region.x + column, region.y + row];
                let hit = image.hit(column, row)?;
                match judge.judge(pixel, hit.as_ref()) {
                    Verdict::Right { ambiguous: true } => ambiguous.push(pixel),
                    Verdict::Right { .. } => {}
                    Verdict::Wrong(why) => faults.push(format!("pixel {pixel:?}: {why}")),
                }
            }
        }
        let pixels = region.pixel_count();
        self.tally.pixels += pixels;
        self.tally.ambiguous += ambiguous.len() as u64;
        if !faults.is_empty() {
            let count = faults.len();
            faults.truncate(4);
            return wrong(format!(
                "{count} of {pixels} pixels are wrong: {}",
                faults.join(" | ")
            ));
        }
        if ambiguous.len() as f64 > frame.ambiguous_share * pixels as f64 {
            let share = frame.ambiguous_share;
            let count = ambiguous.len();
            return wrong(format!(
                "{count} of {pixels} pixels are ambiguous, above the share of {share}"
            ));
        }
        self.sample(frame, stage, &judge, &image, &ambiguous)
    }

    /// Single picks must agree with the frame off the ambiguous pixels, and be right on them.
    fn sample(
        &mut self,
        frame: &Frame<'_>,
        stage: &mut Stage,
        judge: &Judge<'_>,
        image: &IdImage,
        ambiguous: &[[u32; 2]],
    ) -> Outcome {
        let view = frame.view.build()?;
        let region = image.region();
        let thorough = self.full && region.pixel_count() > 1024;
        let count = if thorough { 40 } else { 6 };
        // Steps that share no factor with a width, so that samples spread over the frame.
        let spread = (0..count).map(|k: u64| (k * 2_654_435_761) % region.pixel_count());
        let spread = spread.map(|at| {
            let (column, row) = (at as u32 % region.width, at as u32 / region.width);
            [region.x + column, region.y + row]
        });
        for pixel in spread.chain(ambiguous.iter().copied().take(2)) {
            let [x, y] = pixel;
            let request = self.point(&view, x, y)?.with(self.options(&frame.asking));
            let hit = self.ask(&mut stage.scene, request)?.result;
            if let Verdict::Wrong(why) = judge.judge(pixel, hit.as_ref()) {
                return wrong(format!("single pick at {pixel:?}: {why}"));
            }
            let framed = image.hit(x - region.x, y - region.y)?;
            let identity =
                |hit: &Hit| (hit.object, hit.part, hit.instance, hit.primitive, hit.face);
            if !ambiguous.contains(&pixel)
                && framed.as_ref().map(identity) != hit.as_ref().map(identity)
            {
                return wrong(format!(
                    "single pick at {pixel:?} and the frame differ: {hit:?} and {framed:?}"
                ));
            }
        }
        Ok(())
    }
}
