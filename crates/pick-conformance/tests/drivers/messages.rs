//! What the Vulkan validation layers say while the trials run. wgpu passes it on through `log`; the
//! Vulkan backend keeps it, but for what it waives ([`pick_vulkan::WAIVERS`]).

use std::sync::{Mutex, PoisonError};

use pick_vulkan::{Messages, WAIVERS};

/// Messages through wgpu that are no fault of ours: a part of the text, and the reason.
const WAIVED: &[(&str, &str)] = &[];

struct Collector;

static MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());
static KEPT: Mutex<Vec<Messages>> = Mutex::new(Vec::new());
static COLLECTOR: Collector = Collector;

impl log::Log for Collector {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.target().starts_with("wgpu_hal::vulkan")
    }

    fn log(&self, record: &log::Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let text = record.args().to_string();
        // What is not of the layers, such as a missing extension, is no verdict on our calls.
        let of_the_layers = text.contains("VALIDATION") || text.contains("VUID");
        let told = record.level() <= log::Level::Warn && of_the_layers;
        // Layers that were asked for and are not here have nothing to say.
        let absent = text.contains("unable to find layer");
        let waived = WAIVED.iter().any(|(part, _)| text.contains(part));
        if (told || absent) && !waived {
            let mut messages = MESSAGES.lock().unwrap_or_else(PoisonError::into_inner);
            messages.push(text);
        }
    }

    fn flush(&self) {}
}

/// Starts to listen.
pub fn listen() {
    // A second listener would only lose messages; there is none in this program.
    if log::set_logger(&COLLECTOR).is_ok() {
        log::set_max_level(log::LevelFilter::Debug);
    }
}

/// Also listens to what a Vulkan backend keeps, to its very end.
pub fn listen_to(messages: &Messages) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.push(messages.clone());
}

/// What was heard.
pub fn heard() -> Vec<String> {
    let messages = MESSAGES.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = kept.iter().flat_map(Messages::all);
    messages.iter().cloned().chain(kept).collect()
}

/// How often each waiver was needed, a line each.
pub fn waived() -> Vec<String> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let count = |at: usize| kept.iter().map(|said| said.waived()[at]).sum::<u64>();
    let line = |(at, (id, why)): (usize, &(&str, &str))| format!("{} x {id}: {why}", count(at));
    WAIVERS.iter().enumerate().map(line).collect()
}
