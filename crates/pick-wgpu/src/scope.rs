//! Errors of wgpu as errors of ours.
//!
//! wgpu hands an error to the innermost error scope of the thread, and to the host's own handler (which
//! panics unless the host set one) where no scope is open. So whatever of ours may fail runs inside
//! scopes: all three filters around creation, validation alone around a pick's own submission. An open
//! scope costs a lock and a few nanoseconds; it is what makes a host buffer that was destroyed too
//! early an error of this pick and not a panic.
//!
//! Natively a scope's verdict is there at once. In a browser it comes later: it is kept, and asked for
//! by [`LateErrors::take`].

use std::sync::Mutex;

use pick_core::PickError;

/// Which errors a scope catches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Catch {
    /// Whatever creating something may meet.
    All,
    /// Whatever recording and submitting may meet.
    Validation,
}

/// Verdicts of scopes that are not known yet; only a browser has such.
#[derive(Default)]
pub(crate) struct LateErrors {
    #[cfg_attr(
        not(target_arch = "wasm32"),
        expect(dead_code, reason = "browsers only")
    )]
    pending: Mutex<Vec<std::pin::Pin<Box<dyn Verdict>>>>,
}

/// A scope's verdict, as wgpu promises it.
pub(crate) trait Verdict: Future<Output = Option<wgpu::Error>> + wgpu::WasmNotSend {}

impl<T: Future<Output = Option<wgpu::Error>> + wgpu::WasmNotSend> Verdict for T {}

impl LateErrors {
    /// Runs `work` inside scopes.
    ///
    /// # Errors
    /// What wgpu refused, as `Broken`.
    pub(crate) fn checked<T>(
        &self,
        device: &wgpu::Device,
        catch: Catch,
        what: &'static str,
        work: impl FnOnce() -> T,
    ) -> Result<T, PickError> {
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let others = (catch == Catch::All).then(|| {
            let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
            (memory, device.push_error_scope(wgpu::ErrorFilter::Internal))
        });
        let made = work();
        let mut error = None;
        // Scopes close in the reverse order of their opening.
        if let Some((memory, internal)) = others {
            error = self.verdict(internal.pop()).or(self.verdict(memory.pop()));
        }
        error = error.or(self.verdict(validation.pop()));
        match error {
            None => Ok(made),
            Some(error) => Err(broken(what, &error)),
        }
    }

    /// Natively every verdict is ready when it is asked for.
    #[cfg(not(target_arch = "wasm32"))]
    fn verdict(&self, verdict: impl Verdict + 'static) -> Option<wgpu::Error> {
        match poll_once(std::pin::pin!(verdict)) {
            std::task::Poll::Ready(error) => error,
            std::task::Poll::Pending => None, // cannot happen: see above
        }
    }

    #[cfg(target_arch = "wasm32")]
    fn verdict(&self, verdict: impl Verdict + 'static) -> Option<wgpu::Error> {
        let mut verdict: std::pin::Pin<Box<dyn Verdict>> = Box::pin(verdict);
        match poll_once(verdict.as_mut()) {
            std::task::Poll::Ready(error) => error,
            std::task::Poll::Pending => {
                self.lock().push(verdict);
                None
            }
        }
    }

    /// An error whose scope closed earlier.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn take(&self) -> Option<PickError> {
        let mut found = None;
        self.lock()
            .retain_mut(|verdict| match poll_once(verdict.as_mut()) {
                std::task::Poll::Pending => true,
                std::task::Poll::Ready(error) => {
                    found = found.take().or(error);
                    false
                }
            });
        found.map(|error| broken("an earlier call", &error))
    }

    /// An error whose scope closed earlier.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn take(&self) -> Option<PickError> {
        None
    }

    #[cfg(target_arch = "wasm32")]
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<std::pin::Pin<Box<dyn Verdict>>>> {
        self.pending
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn poll_once<T: Verdict + ?Sized>(
    verdict: std::pin::Pin<&mut T>,
) -> std::task::Poll<Option<wgpu::Error>> {
    let waker = std::task::Waker::noop();
    verdict.poll(&mut std::task::Context::from_waker(waker))
}

/// wgpu's words, under what we were doing.
fn broken(what: &'static str, error: &wgpu::Error) -> PickError {
    match error {
        wgpu::Error::OutOfMemory { .. } => {
            PickError::broken(format!("{what}: the device is out of memory"))
        }
        wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
            PickError::broken(format!("{what}: {description}"))
        }
    }
}
