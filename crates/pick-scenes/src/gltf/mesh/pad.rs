//! Lists of vertex attributes, kept as long as the positions.

use super::super::Result;
use super::super::accessor::Accessors;

/// Where a block of vertices goes in a mesh.
pub(super) struct Pad<'a> {
    pub(super) accessors: &'a Accessors<'a>,
    pub(super) base: usize,
    pub(super) total: usize,
    pub(super) field: &'a str,
}

impl Pad<'_> {
    pub(super) fn join<T: Copy + Default, const N: usize>(
        &self,
        all: &mut Option<Vec<[T; N]>>,
        new: Option<Vec<[T; N]>>,
    ) -> Result<()> {
        if all.is_none() && new.is_none() {
            return Ok(());
        }
        let all = all.get_or_insert_default();
        self.fill(all, if new.is_some() { self.base } else { self.total })?;
        all.extend(new.into_iter().flatten());
        Ok(())
    }

    pub(super) fn join_sets<T: Copy + Default, const N: usize>(
        &self,
        all: &mut Vec<Vec<[T; N]>>,
        new: Vec<Vec<[T; N]>>,
    ) -> Result<()> {
        if all.len() < new.len() {
            all.resize_with(new.len(), Vec::new);
        }
        let mut new = new.into_iter();
        for set in all {
            let mut joined = Some(std::mem::take(set));
            self.join(&mut joined, new.next())?;
            *set = joined.unwrap_or_default();
        }
        Ok(())
    }

    fn fill<T: Copy + Default, const N: usize>(
        &self,
        list: &mut Vec<[T; N]>,
        until: usize,
    ) -> Result<()> {
        let missing = until.saturating_sub(list.len());
        self.accessors
            .charge(missing, size_of::<[T; N]>(), || self.field.to_owned())?;
        list.resize(until.max(list.len()), [T::default(); N]);
        Ok(())
    }
}
