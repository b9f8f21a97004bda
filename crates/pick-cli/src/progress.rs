//! Progress on a terminal, for what may take long. Elsewhere nothing is printed.

use std::borrow::Cow;
use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Something turning until the value is dropped.
pub struct Spinner(ProgressBar);

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Says what is being done.
pub fn spinner(message: impl Into<Cow<'static, str>>) -> Spinner {
    let bar = ProgressBar::new_spinner().with_message(message);
    bar.enable_steady_tick(Duration::from_millis(120));
    Spinner(bar)
}

/// A bar on the error output, so that it stays out of what is printed; hidden where answers scroll
/// over the same terminal.
pub fn bar(length: usize, message: &'static str, prints_meanwhile: bool) -> ProgressBar {
    if prints_meanwhile && std::io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length as u64).with_message(message);
    match ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar, // a plain bar tells as much
    }
}
