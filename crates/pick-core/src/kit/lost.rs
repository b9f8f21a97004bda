//! Device loss, told by the driver or the host, or inferred.

use std::borrow::Cow;

use crate::error::{ErrorKind, PickError};

/// Whether the device still lives.
#[derive(Debug, Default)]
pub struct Lost {
    reason: Option<Cow<'static, str>>,
}

impl Lost {
    /// The device is lost. The first reason stays.
    pub fn set(&mut self, reason: impl Into<Cow<'static, str>>) {
        if self.reason.is_none() {
            self.reason = Some(reason.into());
        }
    }

    /// Takes the news in where an error brings it.
    pub fn learn(&mut self, error: &PickError) {
        if let ErrorKind::DeviceLost { reason } = error.kind() {
            self.set(reason.clone());
        }
    }

    /// Why, once it is lost.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// What every plan ends with from then on.
    pub fn error(&self) -> Option<PickError> {
        let reason = self.reason.clone()?;
        Some(PickError::new(ErrorKind::DeviceLost { reason }))
    }

    /// # Errors
    /// `DeviceLost`.
    pub fn check(&self) -> Result<(), PickError> {
        self.error().map_or(Ok(()), Err)
    }
}
