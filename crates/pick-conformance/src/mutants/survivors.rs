//! Faults of the order in which survivors are listed. A set is kept a second time with its copies in
//! another order; culled draws draw that, and what they tell is turned back. So they draw the right copies
//! in the wrong order, as they would from a list that is not sorted.

use std::collections::HashMap;

use pick_core::layout::cull::BLOCK;
use pick_core::{
    Backend, ComputeBinding, Draw, InstanceSource, InstancesId, Item, PickError, Plan, Step,
};

use crate::mutants::Kind;

/// Sets by the name of the one in the right order.
#[derive(Default)]
pub(super) struct Shuffled(HashMap<InstancesId, InstancesId>);

/// Which copy stands in a place; its own inverse. `None` for faults of other kinds.
fn standing(kind: Kind, place: u32, count: u32) -> Option<u32> {
    let within_block = place ^ (BLOCK - 1);
    match kind {
        Kind::SurvivorsReversed => Some(count - 1 - place),
        Kind::SurvivorsShuffled if (place | (BLOCK - 1)) < count => Some(within_block),
        Kind::SurvivorsShuffled => Some(place),
        _ => None,
    }
}

/// The copies in another order.
fn shuffled(kind: Kind, source: &InstanceSource) -> Option<InstanceSource> {
    let InstanceSource::Cpu(rows) = source else {
        return None;
    };
    let count = rows.len() as u32;
    let places = (0..count).map(|place| Some(rows[standing(kind, place, count)? as usize]));
    Some(InstanceSource::Cpu(places.collect::<Option<_>>()?))
}

impl Shuffled {
    pub(super) fn create<B: Backend>(
        &mut self,
        kind: Kind,
        backend: &mut B,
        set: InstancesId,
        source: &InstanceSource,
    ) -> Result<(), PickError> {
        if let Some(source) = shuffled(kind, source) {
            self.0.insert(set, backend.create_instances(&source)?);
        }
        Ok(())
    }

    pub(super) fn update<B: Backend>(
        &self,
        kind: Kind,
        backend: &mut B,
        set: InstancesId,
        source: &InstanceSource,
    ) -> Result<(), PickError> {
        match (self.0.get(&set), shuffled(kind, source)) {
            (Some(&other), Some(source)) => backend.update_instances(other, &source),
            _ => Ok(()),
        }
    }

    pub(super) fn destroy<B: Backend>(
        &mut self,
        backend: &mut B,
        set: InstancesId,
    ) -> Result<(), PickError> {
        match self.0.remove(&set) {
            Some(other) => backend.destroy_instances(other),
            None => Ok(()),
        }
    }

    /// Culled draws, and the kernels before them, take the other order.
    pub(super) fn corrupt(&self, plan: &mut Plan) {
        let other = |set: &mut InstancesId| {
            if let Some(&shuffled) = self.0.get(set) {
                *set = shuffled;
            }
        };
        for step in &mut plan.steps {
            let Step::Compute(step) = step else { continue };
            for binding in &mut step.bindings {
                match binding {
                    ComputeBinding::Instances(run) => other(&mut run.set),
                    ComputeBinding::Blocks(set) => other(set),
                    ComputeBinding::None
                    | ComputeBinding::Clusters(_)
                    | ComputeBinding::Scratch(_)
                    | ComputeBinding::Target(_) => {}
                }
            }
        }
        for item in &mut plan.items {
            if let Item::Draw(draw) = item
                && draw.survivors.is_some()
                && let Some(run) = &mut draw.instances
            {
                other(&mut run.set);
            }
        }
    }
}

/// The id of the copy that was drawn, of the id of its place.
pub(super) fn told(kind: Kind, draw: &Draw, id: u32) -> u32 {
    let each = draw.record.ids_per_instance.max(1);
    let index = id - draw.ids.first;
    let copy = match draw.survivors {
        Some(_) => standing(kind, index / each, draw.ids.count / each),
        None => None,
    };
    copy.map_or(id, |copy| draw.ids.first + copy * each + index % each)
}
