//! What no pick can be faster than on a device.

use std::time::{Duration, Instant};

use pick_core::{
    Aspect, Backend, Channel, PickError, PixelRect, Plan, SlotState, TargetFormat, View,
};
use pick_cpu::CpuBackend;
use pick_vulkan::{VulkanBackend, WaitPolicy};
use pick_wgpu::WgpuBackend;

use crate::quantile::median;
use crate::session::micros;

const REPEATS: usize = 64;
const TIMEOUT_MS: u64 = 10_000;

/// The median time, in microseconds, of a submission without any pass that copies 256 bytes (a target
/// of 64 x 1 words that nothing draws into) and reads them back.
///
/// # Errors
/// Whatever the backend meets.
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

/// A backend whose floor can be measured.
pub trait Floored: Backend {
    /// Ways to wait, by name.
    const WAITS: &'static [(&'static str, Wait)];
    /// What the floor is measured with.
    type Floor;

    /// Waits so from now on.
    fn wait_by(&mut self, wait: Wait);

    /// Makes what the floor is measured with.
    fn floor(&self) -> Self::Floor;

    /// To the device and back the shortest way.
    ///
    /// # Errors
    /// What the device meets.
    fn round_trip(&mut self, floor: &Self::Floor) -> Result<(), PickError>;
}

/// How an answer is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Asleep.
    Block,
    /// Asking over and over.
    Spin,
}

impl Floored for CpuBackend {
    const WAITS: &'static [(&'static str, Wait)] = &[("block", Wait::Block)];
    type Floor = ();

    fn wait_by(&mut self, _: Wait) {}

    fn floor(&self) {}

    /// Nowhere to go.
    fn round_trip(&mut self, (): &()) -> Result<(), PickError> {
        Ok(())
    }
}

impl Floored for VulkanBackend {
    const WAITS: &'static [(&'static str, Wait)] = &[("block", Wait::Block), ("spin", Wait::Spin)];
    type Floor = ();

    fn wait_by(&mut self, wait: Wait) {
        self.set_wait_policy(match wait {
            Wait::Block => WaitPolicy::Block,
            Wait::Spin => WaitPolicy::Spin(Duration::from_millis(10)),
        });
    }

    fn floor(&self) {}

    fn round_trip(&mut self, (): &()) -> Result<(), PickError> {
        Self::round_trip(self)
    }
}

impl Floored for WgpuBackend {
    /// wgpu decides how it waits.
    const WAITS: &'static [(&'static str, Wait)] = &[("block", Wait::Block)];
    type Floor = wgpu::Buffer;

    fn wait_by(&mut self, _: Wait) {}

    fn floor(&self) -> wgpu::Buffer {
        self.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("a floor"),
            size: 256,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    fn round_trip(&mut self, buffer: &wgpu::Buffer) -> Result<(), PickError> {
        let broken = |what: &dyn std::fmt::Display| PickError::broken(what.to_string());
        let mut encoder = self.device().create_command_encoder(&Default::default());
        encoder.clear_buffer(buffer, 0, None);
        self.queue().submit([encoder.finish()]);
        // A map that fails is told by the view below.
        buffer.slice(..).map_async(wgpu::MapMode::Read, drop);
        let waited = self.device().poll(wgpu::PollType::wait_indefinitely());
        waited.map_err(|error| broken(&error))?;
        let filled = match buffer.slice(..).get_mapped_range() {
            Ok(view) => view.iter().all(|byte| *byte == 0),
            Err(error) => return Err(broken(&error)),
        };
        buffer.unmap();
        match filled {
            true => Ok(()),
            false => Err(broken(&"what was filled in is not there")),
        }
    }
}
