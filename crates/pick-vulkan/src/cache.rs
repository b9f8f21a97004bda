//! A bounded map whose values are found again by position.
//!
//! Recording looks values up by position, so that a pick hashes a key once a run of equal draws and not
//! once a draw; whatever a pick has looked up stays where it is until the next pick begins. A crate for
//! least-recently-used maps would give the bound but not the positions.

use std::collections::HashMap;
use std::hash::Hash;

/// Keys, values, and when each was last asked for.
pub(crate) struct Cache<K, V> {
    positions: HashMap<K, usize>,
    entries: Vec<Option<Entry<K, V>>>,
    free: Vec<usize>,
    tick: u64,
    bound: usize,
}

struct Entry<K, V> {
    key: K,
    value: V,
    used: u64,
}

impl<K: Clone + Eq + Hash, V> Cache<K, V> {
    /// A cache of at most `bound` values; more only while one pick needs more.
    pub(crate) fn new(bound: usize) -> Self {
        Self {
            positions: HashMap::new(),
            entries: Vec::new(),
            free: Vec::new(),
            tick: 0,
            bound,
        }
    }

    /// A pick begins: what it does not ask for may go.
    pub(crate) fn begin(&mut self) {
        self.tick += 1;
    }

    /// Where the value of `key` is.
    pub(crate) fn find(&mut self, key: &K) -> Option<usize> {
        let at = *self.positions.get(key)?;
        if let Some(entry) = &mut self.entries[at] {
            entry.used = self.tick;
        }
        Some(at)
    }

    /// The value at a position that [`Cache::find`] or [`Cache::insert`] gave in this pick.
    pub(crate) fn at(&self, position: usize) -> Option<&V> {
        let entry = self.entries.get(position)?.as_ref()?;
        Some(&entry.value)
    }

    /// Takes a value in, and lets go of the one that was not asked for longest where it is full.
    pub(crate) fn insert(&mut self, key: K, value: V) -> usize {
        if self.positions.len() >= self.bound {
            self.evict();
        }
        let entry = Some(Entry {
            key: key.clone(),
            value,
            used: self.tick,
        });
        let at = match self.free.pop() {
            Some(at) => {
                self.entries[at] = entry;
                at
            }
            None => {
                self.entries.push(entry);
                self.entries.len() - 1
            }
        };
        self.positions.insert(key, at);
        at
    }

    fn evict(&mut self) {
        let entries = self.entries.iter().flatten();
        let unused = entries.filter(|entry| entry.used < self.tick);
        let oldest = unused.min_by_key(|entry| entry.used);
        if let Some(key) = oldest.map(|entry| entry.key.clone()) {
            self.remove_if(|candidate, _| *candidate == key);
        }
    }

    /// Lets go of every value that `gone` names.
    pub(crate) fn remove_if(&mut self, mut gone: impl FnMut(&K, &V) -> bool) {
        for (at, slot) in self.entries.iter_mut().enumerate() {
            let leaves = slot.as_ref().is_some_and(|e| gone(&e.key, &e.value));
            if leaves && let Some(entry) = slot.take() {
                self.positions.remove(&entry.key);
                self.free.push(at);
            }
        }
    }

    /// All values.
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().flatten().map(|entry| &entry.value)
    }

    /// Lets go of the values that were not asked for longest until at most `most` of those that the
    /// current pick does not use are left, as `cost` counts them.
    pub(crate) fn shrink(&mut self, most: u64, cost: impl Fn(&V) -> u64) {
        loop {
            let entries = self.entries.iter().flatten();
            let unused = entries.filter(|entry| entry.used < self.tick);
            if unused.map(|entry| cost(&entry.value)).sum::<u64>() <= most {
                return;
            }
            self.evict();
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
        let a = cache.insert("a", 1);
        cache.begin();
        let b = cache.insert("b", 2);
        cache.begin();
        assert_eq!(cache.find(&"a"), Some(a));
        let c = cache.insert("c", 3);
        assert_eq!((cache.find(&"b"), cache.at(c)), (None, Some(&3)));
        assert_eq!((b, cache.at(a)), (c, Some(&1)));
    }

    #[test]
    fn a_pick_may_need_more_than_the_bound() {
        let mut cache = Cache::new(1);
        cache.begin();
        let positions = [cache.insert("a", 1), cache.insert("b", 2)];
        assert_eq!(positions.map(|at| cache.at(at)), [Some(&1), Some(&2)]);
        cache.begin();
        cache.shrink(2, |value| *value);
        assert_eq!(cache.values().collect::<Vec<_>>(), [&2]);
    }
}
