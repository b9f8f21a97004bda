//! Device loss, told by the driver or by the host.

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

    /// Takes the news in where an error brings it.
    pub(crate) fn learn(&mut self, error: &PickError) {
        if let ErrorKind::DeviceLost { reason } = error.kind() {
            self.set(reason.clone());
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
