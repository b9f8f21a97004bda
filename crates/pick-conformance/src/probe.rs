//! Single questions with known answers, as the field cases ask them.

use pick_core::{
    Answer, Backend, BuiltinStrategy, ErrorKind, Hit, InputError, ObjectKey, PickError, Ticket,
    View,
};

use crate::bench::{Bench, Fault, Outcome, wrong};
use crate::case::Stage;
use crate::oracle::math::{V3, length, sub};

impl<B: Backend> Bench<'_, B> {
    /// Picks a pixel; the answer must name the object at this position of the case, or be a miss.
    ///
    /// # Errors
    /// Whatever is refused, and another answer.
    pub fn names(
        &mut self,
        stage: &mut Stage,
        view: &View,
        [x, y]: [u32; 2],
        right: Option<usize>,
    ) -> Result<Option<Hit>, Fault> {
        let hit = self.pick(&mut stage.scene, view, x, y)?;
        named(stage, &hit, right).map_err(|why| Fault::Wrong(format!("({x}, {y}): {why}")))?;
        Ok(hit)
    }

    /// As [`Bench::names`], of something that is hit.
    ///
    /// # Errors
    /// Whatever is refused, and another answer.
    pub fn hits(
        &mut self,
        stage: &mut Stage,
        view: &View,
        pixel: [u32; 2],
        right: usize,
    ) -> Result<Hit, Fault> {
        let hit = self.names(stage, view, pixel, Some(right))?;
        hit.map_or_else(|| wrong("a miss"), Ok)
    }

    /// The point of a hit, where the mode gives one.
    ///
    /// # Errors
    /// A point elsewhere, one that is given and should not be, or the reverse.
    pub fn stands_at(&self, hit: &Hit, right: V3, within: f64) -> Outcome {
        match (hit.point, self.gives().depth) {
            (Err(told), Err(why)) if told == why => Ok(()),
            (Ok(point), Ok(())) if length(sub(point.to_array(), right)) <= within => Ok(()),
            (told, _) => wrong(format!("the point is {told:?}, not {right:?} +-{within}")),
        }
    }

    /// What points may be off by on this driver where a pixel is `pixel_size` world units wide and the
    /// surface faces the camera.
    pub fn slack(&self, pixel_size: f64) -> f64 {
        self.driver.tolerance.step_px * pixel_size * 2.0 + 1e-4
    }

    /// Sends without waiting.
    ///
    /// # Errors
    /// Whatever is refused.
    pub fn send(
        &mut self,
        stage: &mut Stage,
        view: &View,
        [x, y]: [u32; 2],
    ) -> Result<Ticket<Option<Hit>>, Fault> {
        let request = self.point(view, x, y)?;
        Ok(self.picker.click(self.backend, &mut stage.scene, request)?)
    }

    /// Waits for a ticket.
    ///
    /// # Errors
    /// How the ticket ended.
    pub fn receive<A: pick_core::Outcome>(
        &mut self,
        stage: &mut Stage,
        mut ticket: Ticket<A>,
    ) -> Result<Answer<A>, Fault> {
        for _ in 0..10_000 {
            self.picker.poll(self.backend, &mut stage.scene);
            if let Some(answer) = ticket.try_take() {
                self.tally.answers += 1;
                return Ok(answer?);
            }
            self.backend.wait(None, 10_000)?;
        }
        wrong("the ticket never ended")
    }

    /// True for a strategy that gives a copy's index.
    pub fn gives_instances(&self) -> bool {
        !matches!(self.mode.strategy, BuiltinStrategy::StencilId(_))
    }
}

/// The hit names the object at a position of the case.
///
/// # Errors
/// Says what it names instead.
pub fn named(stage: &Stage, hit: &Option<Hit>, right: Option<usize>) -> Result<(), String> {
    let key = hit.as_ref().and_then(|hit| hit.object);
    let right_key: Option<ObjectKey> = right.map(|k| stage.objects[k]);
    if key == right_key && hit.is_some() == right.is_some() {
        return Ok(());
    }
    let told = stage.objects.iter().position(|&k| Some(k) == key);
    Err(format!("object {told:?}, not {right:?}"))
}

/// The result must be an input error of a kind.
///
/// # Errors
/// Anything else.
pub fn refused<T>(
    what: &str,
    result: Result<T, PickError>,
    kind: impl Fn(&InputError) -> bool,
) -> Outcome {
    match result {
        Ok(_) => wrong(format!("{what}: accepted")),
        // What the mode lacks on this driver is judged by the harness.
        Err(error) if error.is_unsupported() => Err(error.into()),
        Err(error) => match error.kind() {
            ErrorKind::Input(input) if kind(input) => Ok(()),
            other => wrong(format!("{what}: {other:?}")),
        },
    }
}
