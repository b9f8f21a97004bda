//! How the command ends: its exit codes, and messages that name the place, the field and the fix.

use std::fmt;
use std::io;

use pick_core::{ErrorKind, PickError};
use pick_scenes::SceneError;

/// How a run ends. The numbers are stable: scripts test them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Every question was answered; a miss is an answer.
    Answered,
    /// `compare` found wrong answers, or a driver is broken.
    Wrong,
    /// Some input cannot be answered.
    BadInput,
    /// The backend, driver or strategy cannot be had here.
    NotHere,
}

impl Status {
    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Answered => 0,
            Self::Wrong => 1,
            Self::BadInput => 2,
            Self::NotHere => 3,
        }
    }

    /// The one that a run with both of them ends with: what is broken outweighs what is lacking, and
    /// that outweighs a mistyped number.
    pub fn and(self, other: Self) -> Self {
        let weight = |status| match status {
            Self::Answered => 0,
            Self::BadInput => 1,
            Self::NotHere => 2,
            Self::Wrong => 3,
        };
        if weight(other) > weight(self) {
            other
        } else {
            self
        }
    }

    /// What an error of the library means for the run.
    pub fn of(error: &PickError) -> Self {
        match error.kind() {
            ErrorKind::Input(_) => Self::BadInput,
            ErrorKind::Unsupported { .. } => Self::NotHere,
            _ => Self::Wrong,
        }
    }
}

/// Why a run stopped.
#[derive(Debug)]
pub struct Failure {
    /// How it ends.
    pub status: Status,
    message: String,
}

impl Failure {
    /// Something the user gave is at fault: where it was given, which field, what is wrong, and the fix.
    pub fn input(
        place: impl fmt::Display,
        field: impl fmt::Display,
        problem: impl fmt::Display,
        fix: impl fmt::Display,
    ) -> Self {
        Self {
            status: Status::BadInput,
            message: format!("{place}: {field}: {problem}; {fix}"),
        }
    }

    /// Like [`Failure::input`], for an option of the command line.
    pub fn option(
        option: impl fmt::Display,
        problem: impl fmt::Display,
        fix: impl fmt::Display,
    ) -> Self {
        Self {
            status: Status::BadInput,
            message: format!("{option}: {problem}; {fix}"),
        }
    }

    /// A backend, driver or strategy cannot be had.
    pub fn not_here(message: impl Into<String>) -> Self {
        Self {
            status: Status::NotHere,
            message: message.into(),
        }
    }

    /// The same, said to be about this.
    pub fn about(mut self, what: impl fmt::Display) -> Self {
        self.message = format!("{what}: {}", self.message);
        self
    }

    /// False where there is nothing left to say: whoever read the output has gone.
    pub fn is_worth_saying(&self) -> bool {
        !self.message.is_empty()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Self {
            status: Status::BadInput,
            message: error.to_string(),
        }
    }
}

impl From<PickError> for Failure {
    fn from(error: PickError) -> Self {
        Self {
            status: Status::of(&error),
            message: error.to_string(),
        }
    }
}

/// Of the standard output; files are written where their names are known.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self {
                status: Status::Answered,
                message: String::new(),
            };
        }
        Self::option("standard output", error, "send it somewhere that takes it")
    }
}

#[cfg(test)]
mod tests {
    use super::Status::{Answered, BadInput, NotHere, Wrong};

    #[test]
    fn the_gravest_status_stays() {
        assert_eq!(Answered.and(BadInput), BadInput);
        assert_eq!(NotHere.and(BadInput), NotHere);
        assert_eq!(BadInput.and(Wrong), Wrong);
        assert_eq!(Wrong.and(Answered), Wrong);
    }
}
