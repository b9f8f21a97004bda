//! The world boxes of a contributor's objects: a tree of what stays where it is, and a list of what
//! moves.
//!
//! Inserting, moving and removing cost one step each, whatever the scene: a slot gets its new box. A pick
//! tests each listed box, and lets those that kept still for some picks into the tree, a bounded number at
//! a time. So what moves every frame is tested box by box, which is cheaper than keeping a tree of it, and
//! what stands is found in the tree. Measured with 100,000 boxes on one core: building the tree 24 ms,
//! taking a box in 0.7 to 1.9 us, testing one some 5 ns.

use glam::{DVec3, Vec3A};
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;

use crate::cull::tree::{build_bvh, visit};
use crate::cull::{PickVolume, PlacedBox};

/// Coordinates beyond this are tested one by one: areas of such boxes overflow f32.
const LARGEST_IN_TREE: f32 = 1e15;

/// Boxes that a pick takes into the tree at most, beside a share of those that wait: taking them in costs
/// about as much as testing the others.
const TAKEN_AT_LEAST: usize = 256;
const TAKEN_SHARE: usize = 256;

/// Picks that a box which went on moving must have kept still for, at most.
const MOST_PATIENCE: u8 = 64;

/// How many objects a pick looked at and offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CullReport {
    /// Objects that there are.
    pub objects: u64,
    /// Boxes that were tested one by one, since they moved or came lately.
    pub tested_singly: u64,
    /// Objects whose box the pick's pixels may see.
    pub survivors: u64,
    /// Instances in the sets of these.
    pub instances: u64,
    /// Of these, instances that were drawn without asking: few, of unknown bounds, or on a device that
    /// cannot cull them.
    pub instances_untested: u64,
    /// Draws whose surviving instances found no room, so that the device drew all of them.
    pub overflowed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// No object has this slot.
    Absent,
    /// The tree has its box.
    Settled,
    /// Listed.
    Listed,
    /// Listed; it cannot be bounded.
    Everywhere,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    place: Place,
    /// It stands in `listed`, once.
    listed: bool,
    /// The tree has a leaf for it, true or not.
    leaf: bool,
    /// Picks that it must keep still for: twice as many each time that the tree had it too early, so that two
    /// picks a frame do not take all that moves for still.
    patience: u8,
    /// How many picks there were when it came to its box.
    since: u32,
}

const EMPTY: Slot = Slot {
    place: Place::Absent,
    listed: false,
    leaf: false,
    patience: 1,
    since: 0,
};

const NOTHING: Aabb = Aabb {
    min: Vec3A::ZERO,
    max: Vec3A::ZERO,
};

/// Boxes by slot number. Slots are small numbers that the owner uses again after removal.
#[derive(Default)]
pub(crate) struct ObjectBoxes {
    slots: Vec<Slot>,
    /// Of each slot, where it is known.
    boxes: Vec<Aabb>,
    listed: Vec<u32>,
    tree: Bvh2,
    /// Slots whose box the tree has.
    settled: usize,
    /// How many queries there were; goes round.
    queries: u32,
    stack: Vec<u32>,
    tested_singly: u64,
}

impl std::fmt::Debug for ObjectBoxes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObjectBoxes")
            .field("slots", &self.slots.len())
            .field("listed", &self.listed.len())
            .finish_non_exhaustive()
    }
}

impl ObjectBoxes {
    /// The slot's box is a new one; `None` is a box around everything.
    pub(crate) fn touch(&mut self, slot: u32, bounds: Option<PlacedBox>) {
        let at = slot as usize;
        if at >= self.slots.len() {
            self.slots.resize(at + 1, EMPTY);
            self.boxes.resize(at + 1, NOTHING);
        }
        let state = &mut self.slots[at];
        if state.place == Place::Settled {
            self.settled -= 1;
            state.patience = state.patience.saturating_mul(2).min(MOST_PATIENCE);
        }
        (state.place, self.boxes[at]) = placed(bounds);
        state.since = self.queries;
        if !state.listed {
            state.listed = true;
            self.listed.push(slot);
        }
    }

    /// Nobody has the slot any more.
    pub(crate) fn remove(&mut self, slot: u32) {
        let Some(state) = self.slots.get_mut(slot as usize) else {
            return;
        };
        self.settled -= usize::from(state.place == Place::Settled);
        state.place = Place::Absent;
        state.patience = EMPTY.patience;
        if std::mem::take(&mut state.leaf) {
            match self.tree.nodes.len() {
                1 => self.tree = Bvh2::default(),
                _ => self.tree.remove_primitive(slot),
            }
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.slots.as_slice())
            + size_of_val(self.boxes.as_slice())
            + size_of_val(self.listed.as_slice())
            + size_of_val(self.tree.nodes.as_slice())
            + 4 * (self.tree.primitive_indices.len()
                + self.tree.primitives_to_nodes.len()
                + self.tree.parents.len())
    }

    /// How many boxes the last query tested one by one.
    pub(crate) fn tested_singly(&self) -> u64 {
        self.tested_singly
    }

    /// Calls `found` with every slot whose box `volume` may touch, in no order.
    pub(crate) fn query(&mut self, volume: &PickVolume, mut found: impl FnMut(u32)) {
        let touched = |bounds: &Aabb| volume.may_touch_corners(bounds.min, bounds.max);
        if self.settled > 0 {
            visit(&self.tree.nodes, &mut self.stack, touched, |first| {
                let slot = self.tree.primitive_indices[first as usize];
                if self.slots[slot as usize].place == Place::Settled {
                    found(slot);
                }
            });
        }
        let mut takes = TAKEN_AT_LEAST + self.listed.len() / TAKEN_SHARE;
        let mut kept = 0;
        self.tested_singly = self.listed.len() as u64;
        for at in 0..self.listed.len() {
            let slot = self.listed[at];
            let state = &mut self.slots[slot as usize];
            let bounds = &self.boxes[slot as usize];
            let touched = match state.place {
                Place::Everywhere => true,
                Place::Listed => touched(bounds),
                Place::Absent | Place::Settled => false,
            };
            if touched {
                found(slot);
            }
            let still = self.queries.wrapping_sub(state.since) >= u32::from(state.patience);
            let takes_in = still && takes > 0 && state.place == Place::Listed && fits_tree(bounds);
            if state.place == Place::Absent || takes_in {
                state.listed = false;
                if takes_in {
                    takes -= 1;
                    self.take_in(slot);
                }
            } else {
                self.listed[kept] = slot;
                kept += 1;
            }
        }
        self.listed.truncate(kept);
        self.queries = self.queries.wrapping_add(1);
    }

    /// Builds the tree anew with everything in it, where much is listed. Costs as much as a sort of all
    /// objects.
    pub(crate) fn rebuild(&mut self) {
        let has_new = self.listed.len() > self.slots.len() / 16;
        if !has_new && self.settled > 0 {
            return;
        }
        self.listed.clear();
        let (mut members, mut boxes) = (Vec::new(), Vec::new());
        for ((slot, state), bounds) in (0..).zip(&mut self.slots).zip(&self.boxes) {
            let known = matches!(state.place, Place::Settled | Place::Listed);
            state.leaf = known && fits_tree(bounds);
            state.listed = state.place != Place::Absent && !state.leaf;
            if state.listed {
                self.listed.push(slot);
            }
            if state.leaf {
                state.place = Place::Settled;
                members.push(slot);
                boxes.push(*bounds);
            }
        }
        self.settled = members.len();
        self.tree = match boxes.is_empty() {
            true => Bvh2::default(),
            false => build_bvh(boxes, 1),
        };
        for index in &mut self.tree.primitive_indices {
            *index = members[*index as usize];
        }
        let nodes = &mut self.tree.primitives_to_nodes;
        nodes.clear();
        nodes.resize(self.slots.len(), u32::MAX);
        for (at, node) in (0..).zip(&self.tree.nodes) {
            if node.is_leaf() {
                nodes[self.tree.primitive_indices[node.first_index as usize] as usize] = at;
            }
        }
        self.tree.update_parents();
    }

    fn take_in(&mut self, slot: u32) {
        let state = &mut self.slots[slot as usize];
        let bounds = self.boxes[slot as usize];
        state.place = Place::Settled;
        self.settled += 1;
        match std::mem::replace(&mut state.leaf, true) {
            true => self.tree.move_primitive(bounds, slot),
            false => self.tree.insert_primitive(bounds, slot),
        };
    }
}

fn fits_tree(bounds: &Aabb) -> bool {
    bounds.min.abs().max(bounds.max.abs()).max_element() < LARGEST_IN_TREE
}

/// The box in f32, rounded outward.
#[inline]
fn placed(bounds: Option<PlacedBox>) -> (Place, Aabb) {
    let Some(placed) = bounds else {
        return (Place::Everywhere, NOTHING);
    };
    let half = placed.half + placed.slack;
    let (low, high) = (placed.center - half, placed.center + half);
    let rounded = Aabb {
        min: (low - outward(low)).as_vec3a(),
        max: (high + outward(high)).as_vec3a(),
    };
    // What is not a number, or beyond f32, shows in the corners.
    match rounded.min.is_finite() && rounded.max.is_finite() {
        true => (Place::Listed, rounded),
        false => (Place::Everywhere, NOTHING),
    }
}

/// More than what rounding to f32 takes off.
fn outward(corner: DVec3) -> DVec3 {
    corner.abs() * f64::from(f32::EPSILON) + f64::from(f32::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::depth::DepthConvention;
    use crate::projection::{DepthRange, look_at, perspective};
    use crate::rect::PixelRect;
    use crate::view::View;

    fn volume(x: u32, y: u32) -> PickVolume {
        let depth = DepthConvention::Reversed;
        let view = View::new(
            look_at(DVec3::Z * 60.0, DVec3::ZERO, DVec3::Y).unwrap(),
            perspective(1.0, 1.0, DepthRange::from(0.1), depth).unwrap(),
            PixelRect::new(0, 0, 64, 64),
            depth,
        );
        PickVolume::new(&view.unwrap(), PixelRect::new(x, y, 1, 1), 0.0)
    }

    struct Random(u64);

    impl Random {
        fn next(&mut self, below: u32) -> u32 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            ((self.0 >> 33) % u64::from(below)) as u32
        }

        fn place(&mut self) -> DVec3 {
            let mut axis = || f64::from(self.next(4000)) / 100.0 - 20.0;
            DVec3::new(axis(), axis(), axis())
        }
    }

    fn bounds(center: DVec3) -> PlacedBox {
        PlacedBox {
            center,
            half: DVec3::splat(0.7),
            slack: 0.0,
        }
    }

    /// Random insertions, moves, removals and rebuilds; each query must find what testing every
    /// box finds.
    #[test]
    fn a_query_finds_what_testing_every_box_finds() {
        let mut random = Random(7);
        let mut truth: Vec<Option<DVec3>> = Vec::new();
        let mut boxes = ObjectBoxes::default();
        let (mut hits, mut settled) = (0, 0);
        for round in 0..400 {
            for _ in 0..random.next(60) {
                let slot = random.next(1500);
                truth.resize(truth.len().max(slot as usize + 1), None);
                if random.next(5) == 0 {
                    truth[slot as usize] = None;
                    boxes.remove(slot);
                } else {
                    let place = random.place();
                    truth[slot as usize] = Some(place);
                    boxes.touch(slot, Some(bounds(place)));
                }
            }
            if round % 97 == 96 {
                boxes.rebuild();
            }
            let volume = volume(random.next(64), random.next(64));
            let mut found = Vec::new();
            boxes.query(&volume, |slot| found.push(slot));
            found.sort_unstable();
            for (slot, place) in (0..).zip(&truth) {
                let own = place.map(|place| placed(Some(bounds(place))).1);
                let may = own.is_some_and(|b| volume.may_touch_corners(b.min, b.max));
                let was = found.binary_search(&slot).is_ok();
                assert!(was || !may, "round {round}: {slot} is lost");
                assert!(!was || place.is_some(), "round {round}: {slot} is gone");
            }
            assert!(
                found.windows(2).all(|pair| pair[0] < pair[1]),
                "found twice"
            );
            hits += found.len();
            settled = boxes
                .slots
                .iter()
                .filter(|s| s.place == Place::Settled)
                .count();
        }
        assert!(hits > 1000 && settled > 500, "{hits} {settled}");
    }

    #[test]
    fn what_stands_still_is_not_tested_singly_and_what_moves_is() {
        let mut boxes = ObjectBoxes::default();
        let touch = |boxes: &mut ObjectBoxes, slots: std::ops::Range<u32>| {
            for slot in slots {
                boxes.touch(slot, Some(bounds(DVec3::X * f64::from(slot))));
            }
        };
        let query = |boxes: &mut ObjectBoxes| {
            boxes.query(&volume(32, 32), |_| {});
            boxes.tested_singly()
        };
        touch(&mut boxes, 0..1000);
        boxes.rebuild();
        assert_eq!(query(&mut boxes), 0);
        for _ in 0..3 {
            touch(&mut boxes, 0..10);
            assert_eq!(query(&mut boxes), 10);
        }
        // Some picks later they are in the tree again.
        assert_eq!([(); 3].map(|()| query(&mut boxes)), [10, 10, 0]);
        // However many picks there are a frame, what moves each frame is soon left where it is.
        for _ in 0..20 {
            touch(&mut boxes, 0..10);
            (0..5).for_each(|_| assert!(query(&mut boxes) <= 10));
        }
        assert_eq!(query(&mut boxes), 10);
    }

    #[test]
    fn what_is_removed_leaves_the_tree() {
        let mut boxes = ObjectBoxes::default();
        for round in 0..3 {
            for slot in 0..500 {
                boxes.touch(slot, Some(bounds(DVec3::X * f64::from(slot))));
            }
            if round > 0 {
                boxes.rebuild();
            }
            (0..9).for_each(|_| boxes.query(&volume(32, 32), |_| {}));
            assert_eq!((boxes.settled, boxes.listed.len()), (500, 0));
            assert_eq!(boxes.tree.nodes.len(), 999);
            for slot in 0..500 {
                boxes.remove(slot);
                boxes.remove(slot);
            }
            assert_eq!((boxes.settled, boxes.tree.nodes.len()), (0, 0));
        }
    }

    #[test]
    fn what_cannot_be_bounded_is_always_found() {
        let mut boxes = ObjectBoxes::default();
        let huge = PlacedBox {
            half: DVec3::splat(1e300),
            ..bounds(DVec3::ZERO)
        };
        let of = [None, Some(huge), Some(bounds(DVec3::X * 1e4))];
        (0..3).for_each(|slot| boxes.touch(slot, of[slot as usize]));
        for round in 0..3 {
            let mut found = Vec::new();
            boxes.query(&volume(0, 0), |slot| found.push(slot));
            assert_eq!(found, [0, 1], "{round}");
            boxes.rebuild();
        }
    }
}
