//! A bounded map whose values are found again by position.
//!
//! Recording looks values up by position, so that a pick hashes a key once a run of equal draws and not
//! once a draw; whatever a pick has looked up stays where it is until the next pick begins. A crate for
//! least-recently-used maps would give the bound but not the positions.

use std::collections::HashMap;
use std::hash::Hash;

/// Keys, values, and when each was last asked for. Every operation but [`Cache::values`] and
/// [`Cache::shrink`] takes the same time however many there are.
#[derive(Debug)]
pub struct Cache<K, V> {
    positions: HashMap<K, usize>,
    entries: Vec<Entry<K, V>>,
    /// Positions without a value.
    free: Vec<usize>,
    /// Ends of the list of values by last use, the one not asked for longest first.
    ends: [usize; 2],
    tick: u64,
    bound: usize,
}

#[derive(Debug)]
struct Entry<K, V> {
    /// `None` in a free position.
    held: Option<(K, V)>,
    used: u64,
    /// Positions before and after in the list by last use.
    beside: [usize; 2],
}

/// No position.
const NONE: usize = usize::MAX;
const OLDER: usize = 0;
const NEWER: usize = 1;

impl<K: Clone + Eq + Hash, V> Cache<K, V> {
    /// A cache of at most `bound` values; more only while one pick needs more.
    pub fn new(bound: usize) -> Self {
        Self {
            positions: HashMap::new(),
            entries: Vec::new(),
            free: Vec::new(),
            ends: [NONE; 2],
            tick: 0,
            bound,
        }
    }

    /// A pick begins: what it does not ask for may go.
    pub fn begin(&mut self) {
        self.tick += 1;
    }

    /// Where the value of `key` is.
    pub fn find(&mut self, key: &K) -> Option<usize> {
        let at = *self.positions.get(key)?;
        if self.entries[at].used != self.tick {
            self.unlink(at);
            self.link(at);
        }
        Some(at)
    }

    /// The value at a position that [`Cache::find`] or [`Cache::insert`] gave in this pick.
    pub fn at(&self, position: usize) -> Option<&V> {
        let held = self.entries.get(position)?.held.as_ref();
        held.map(|(_, value)| value)
    }

    /// Takes a value in, whose key it does not have yet. Where it is full, the value that was not asked
    /// for longest leaves; its key is given back.
    pub fn insert(&mut self, key: K, value: V) -> (usize, Option<K>) {
        let evicted = match self.positions.len() >= self.bound {
            true => self.evict().map(|(key, _)| key),
            false => None,
        };
        let at = self.free.pop().unwrap_or_else(|| {
            self.entries.push(Entry {
                held: None,
                used: 0,
                beside: [NONE; 2],
            });
            self.entries.len() - 1
        });
        self.entries[at].held = Some((key.clone(), value));
        self.positions.insert(key, at);
        self.link(at);
        (at, evicted)
    }

    /// Lets go of a value.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let at = self.positions.remove(key)?;
        self.unlink(at);
        self.free.push(at);
        self.entries[at].held.take().map(|(_, value)| value)
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        let held = self.entries.iter().filter_map(|entry| entry.held.as_ref());
        held.map(|(_, value)| value)
    }

    /// Lets go of the values that were not asked for longest until at most `most` of those that the
    /// current pick does not use are left, as `cost` counts them.
    pub fn shrink(&mut self, most: u64, cost: impl Fn(&V) -> u64) {
        let unused = self.entries.iter().filter(|entry| entry.used < self.tick);
        let costs = unused.filter_map(|entry| entry.held.as_ref().map(|(_, value)| cost(value)));
        let mut left: u64 = costs.sum();
        while left > most
            && let Some((_, value)) = self.evict()
        {
            left -= cost(&value);
        }
    }

    /// The value that was not asked for longest leaves, unless the current pick uses it.
    fn evict(&mut self) -> Option<(K, V)> {
        let oldest = self.entries.get(self.ends[OLDER])?;
        if oldest.used >= self.tick {
            return None;
        }
        let key = oldest.held.as_ref()?.0.clone();
        let value = self.remove(&key)?;
        Some((key, value))
    }

    /// Puts a position at the newer end.
    fn link(&mut self, at: usize) {
        let newest = self.ends[NEWER];
        self.entries[at].used = self.tick;
        self.entries[at].beside = [newest, NONE];
        match self.entries.get_mut(newest) {
            Some(entry) => entry.beside[NEWER] = at,
            None => self.ends[OLDER] = at,
        }
        self.ends[NEWER] = at;
    }

    fn unlink(&mut self, at: usize) {
        let beside = self.entries[at].beside;
        for side in [OLDER, NEWER] {
            let other = 1 - side;
            match self.entries.get_mut(beside[side]) {
                Some(entry) => entry.beside[other] = beside[other],
                None => self.ends[side] = beside[other],
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_not_asked_for_longest_goes_and_positions_stay() {
        let mut cache = Cache::new(2);
        cache.begin();
        let (a, _) = cache.insert("a", 1);
        cache.begin();
        let (b, _) = cache.insert("b", 2);
        cache.begin();
        assert_eq!(cache.find(&"a"), Some(a));
        let (c, evicted) = cache.insert("c", 3);
        assert_eq!((evicted, cache.find(&"b")), (Some("b"), None));
        assert_eq!((b, cache.at(c), cache.at(a)), (c, Some(&3), Some(&1)));
    }

    #[test]
    fn a_pick_may_need_more_than_the_bound() {
        let mut cache = Cache::new(1);
        cache.begin();
        let positions = [cache.insert("a", 1), cache.insert("b", 2)];
        assert_eq!(positions.map(|(at, _)| cache.at(at)), [Some(&1), Some(&2)]);
        cache.begin();
        cache.shrink(2, |value| *value);
        assert_eq!(cache.values().collect::<Vec<_>>(), [&2]);
    }

    /// Against a list that is searched.
    #[test]
    fn it_holds_what_was_asked_for_last() {
        let mut cache = Cache::new(8);
        let mut model: Vec<u32> = Vec::new();
        let mut state = 1u32;
        for _ in 0..4000 {
            cache.begin();
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = state >> 16 & 15;
            if state >> 20 & 7 == 0 {
                assert_eq!(cache.remove(&key).is_some(), model.contains(&key));
                model.retain(|held| *held != key);
                continue;
            }
            let held = model.contains(&key);
            assert_eq!(cache.find(&key).is_some(), held);
            model.retain(|held| *held != key);
            if !held {
                let (at, evicted) = cache.insert(key, key);
                assert_eq!(cache.at(at), Some(&key));
                let oldest = (model.len() == 8).then(|| model.remove(0));
                assert_eq!(evicted, oldest);
            }
            model.push(key);
        }
    }
}
