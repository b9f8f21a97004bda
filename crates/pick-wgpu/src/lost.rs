//! Device loss, told by the host or inferred.
//!
//! wgpu tells of loss through one callback a device, which belongs to the host, and never through an
//! error scope. So it is inferred: a buffer of ours that wgpu does not map, without a validation error
//! of ours, was refused by a lost device.

use std::borrow::Cow;

use pick_core::{ErrorKind, PickError};

/// Whether the device still lives.
#[derive(Debug, Default)]
pub(crate) struct Lost {
    reason: Option<Cow<'static, str>>,
}

impl Lost {
    /// The first reason stays.
    pub(crate) fn set(&mut self, reason: impl Into<Cow<'static, str>>) {
        if self.reason.is_none() {
            self.reason = Some(reason.into());
        }
    }

    pub(crate) fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    pub(crate) fn error(&self) -> Option<PickError> {
        let reason = self.reason.clone()?;
        Some(PickError::new(ErrorKind::DeviceLost { reason }))
    }

    /// # Errors
    /// `DeviceLost`.
    pub(crate) fn check(&self) -> Result<(), PickError> {
        self.error().map_or(Ok(()), Err)
    }
}
