//! Ids: within a pick every draw gets a contiguous range, 0 is nothing.

use crate::error::{InputError, PickError};

/// A contiguous run of ids. Id `first + i` is original index `i`, also after culling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IdRange {
    /// The first id; never 0.
    pub first: u32,
    /// How many ids; never 0.
    pub count: u32,
}

impl IdRange {
    /// The index of `id` within the range.
    pub fn index_of(self, id: u32) -> Option<u32> {
        let index = id.checked_sub(self.first)?;
        (index < self.count).then_some(index)
    }
}

/// A priority band: a higher band is drawn after, on top of the lower ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Band(pub u8);

impl Band {
    /// Where a scene's ordinary objects are.
    pub const SCENE: Self = Self(0);
}

/// Hands out ranges in the order asked. One lives as long as a pick; another, for pictures that the
/// host draws itself, as long as the host's frame: ids of one mean nothing in the other.
#[derive(Clone, Debug)]
pub struct IdAllocator {
    next: u64,
    last: u64,
    handed_out: u64,
}

impl IdAllocator {
    /// Ids from `base` to `capacity`, both included. `base` is 1 but for tests at the limits.
    pub fn new(base: u32, capacity: u32) -> Self {
        Self {
            next: u64::from(base.max(1)),
            last: u64::from(capacity),
            handed_out: 0,
        }
    }

    /// The next `count` ids.
    ///
    /// # Errors
    /// [`InputError::IdsExhausted`]; nothing is handed out then.
    pub fn allocate(&mut self, count: u64) -> Result<IdRange, PickError> {
        let left = (self.last + 1).saturating_sub(self.next);
        if count == 0 || count > left {
            return Err(InputError::IdsExhausted { asked: count, left }.into());
        }
        let range = IdRange {
            // Both fit: next <= last <= u32::MAX and count <= last.
            first: self.next as u32,
            count: count as u32,
        };
        self.next += count;
        self.handed_out += count;
        Ok(range)
    }

    /// How many ids were handed out.
    pub fn handed_out(&self) -> u64 {
        self.handed_out
    }
}
