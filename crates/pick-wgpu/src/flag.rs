//! How a map's callback tells its slot what became of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// What became of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mapping {
    /// Nothing yet.
    Waiting,
    /// The buffer is mapped.
    Mapped,
    /// wgpu refused to map it.
    Refused,
    /// The recording that the map was tied to is gone.
    Dropped,
}

/// Shared by a slot and the callback of its map.
#[derive(Debug, Default)]
pub(crate) struct Flag {
    state: AtomicU8,
}

const WAITING: u8 = 0;
const MAPPED: u8 = 1;
const REFUSED: u8 = 2;
const DROPPED: u8 = 3;

impl Flag {
    pub(crate) fn read(&self) -> Mapping {
        match self.state.load(Ordering::Acquire) {
            MAPPED => Mapping::Mapped,
            REFUSED => Mapping::Refused,
            DROPPED => Mapping::Dropped,
            _ => Mapping::Waiting,
        }
    }

    /// For the next use; the callback of the last one has run by then.
    pub(crate) fn rearm(&self) {
        self.state.store(WAITING, Ordering::Release);
    }
}

/// Held by the callback. Dropped uncalled, it says so: wgpu drops the callbacks of a command encoder
/// that is never submitted.
pub(crate) struct Teller {
    flag: Arc<Flag>,
    told: u8,
}

impl Teller {
    pub(crate) fn new(flag: &Arc<Flag>) -> Self {
        Self {
            flag: flag.clone(),
            told: DROPPED,
        }
    }

    pub(crate) fn tell(mut self, result: Result<(), wgpu::BufferAsyncError>) {
        self.told = match result {
            Ok(()) => MAPPED,
            Err(_) => REFUSED,
        };
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        self.flag.state.store(self.told, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callback_that_is_dropped_says_so() {
        let flag = Arc::new(Flag::default());
        assert_eq!(flag.read(), Mapping::Waiting);
        drop(Teller::new(&flag));
        assert_eq!(flag.read(), Mapping::Dropped);
        flag.rearm();
        Teller::new(&flag).tell(Ok(()));
        assert_eq!(flag.read(), Mapping::Mapped);
        flag.rearm();
        Teller::new(&flag).tell(Err(wgpu::BufferAsyncError));
        assert_eq!(flag.read(), Mapping::Refused);
    }
}
