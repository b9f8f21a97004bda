//! A backend that draws nothing: it answers what it is told, when it is told. For the picker's own
//! behaviour, and for read-backs that no honest device would give.

mod fake;

pub use fake::{Fake, Fate};
