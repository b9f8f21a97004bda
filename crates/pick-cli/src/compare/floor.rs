//! What no pick can be faster than on a device.

use std::time::Instant;

use pick_core::{
    Aspect, Backend, Channel, PickError, PixelRect, Plan, SlotState, TargetFormat, View,
};

use crate::quantile::median;
use crate::session::micros;

const REPEATS: usize = 64;
const TIMEOUT_MS: u64 = 10_000;

/// The median time, in microseconds, of a submission without any pass that copies 256 bytes (a target
/// of 64 x 1 words that nothing draws into) and reads them back.
pub fn measure<B: Backend>(backend: &mut B, view: &View) -> Result<f64, PickError> {
    let mut plan = Plan::new(*view, PixelRect::new(0, 0, 64, 1));
    plan.timeout_ms = TIMEOUT_MS;
    let target = plan.add_target(TargetFormat::R32Uint, Channel::DepthBits);
    plan.read_back(target, Aspect::Color);
    let mut times = Vec::with_capacity(REPEATS);
    for warm in std::iter::once(false).chain([true; REPEATS]) {
        let start = Instant::now();
        run(backend, &plan)?;
        if warm {
            times.push(micros(start));
        }
    }
    Ok(median(&mut times).unwrap_or(0.0))
}

fn run<B: Backend>(backend: &mut B, plan: &Plan) -> Result<(), PickError> {
    let slot = backend.execute(plan, None)?;
    loop {
        backend.wait(Some(&slot), TIMEOUT_MS)?;
        backend.drive();
        match backend.poll(&slot) {
            SlotState::Ready(_) => return Ok(()),
            SlotState::Failed(error) => return Err(error),
            SlotState::Pending => {}
        }
    }
}
