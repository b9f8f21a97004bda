//! Backends that are wrong on purpose: a suite that lets one through proves nothing.
//!
//! A mutant wraps a backend that is right and corrupts what goes in (the plan) or what comes out (the
//! texels). Each names a trial that must turn red.

mod composite;
mod kinds;
mod plans;
mod survivors;
mod texels;

pub use kinds::{ALL, Kind, Mutation, ON_DEVICES};

use std::collections::HashMap;

use pick_core::{
    Backend, Capability, Caps, CreatedMesh, ForeignDraw, ForeignId, InstanceSource, InstancesId,
    MemoryReport, MeshId, MeshSource, PickError, Plan, PrimitiveIndex, SlotId, SlotState,
};

/// A backend with a fault.
pub struct Mutant<B> {
    inner: B,
    kind: Kind,
    /// What it claims instead of what it has.
    lies: Option<Caps>,
    /// What each use of a slot was asked.
    plans: HashMap<(usize, u64), Plan>,
    /// Answers made here and not by the wrapped backend.
    composed: HashMap<(usize, u64), Vec<u8>>,
    last_plan: Option<Plan>,
    last_bytes: Vec<u8>,
    newest: Vec<u8>,
    out: Vec<u8>,
    shuffled: survivors::Shuffled,
}

impl<B: Backend> Mutant<B> {
    /// Breaks a backend.
    pub fn new(inner: B, kind: Kind) -> Self {
        let mut mutant = Self {
            inner,
            kind,
            lies: None,
            plans: HashMap::new(),
            composed: HashMap::new(),
            last_plan: None,
            last_bytes: Vec::new(),
            newest: Vec::new(),
            out: Vec::new(),
            shuffled: survivors::Shuffled::default(),
        };
        mutant.turn(kind);
        mutant
    }

    /// Gives it another fault: devices are expensive.
    pub fn turn(&mut self, kind: Kind) {
        self.kind = kind;
        self.lies = (kind == Kind::SelfTestLies).then(|| {
            let mut caps = self.inner.caps().clone();
            caps.primitive_index = PrimitiveIndex::Trusted;
            caps
        });
        self.plans.clear();
        self.composed.clear();
        self.last_plan = None;
        self.last_bytes.clear();
        self.newest.clear();
    }

    /// Runs one plan to its end and gives its bytes.
    fn run(&mut self, plan: &Plan) -> Result<Vec<u8>, PickError> {
        let slot = self.inner.execute(plan, None)?;
        for _ in 0..10_000 {
            self.inner.drive();
            match self.inner.poll(&slot) {
                SlotState::Ready(bytes) => return Ok(bytes.to_vec()),
                SlotState::Failed(error) => return Err(error),
                SlotState::Pending => {}
            }
            self.inner.wait(Some(&slot), 10_000)?;
        }
        Err(PickError::broken("the wrapped backend never answered"))
    }
}

impl<B: Backend> Backend for Mutant<B> {
    type Pass<'p> = B::Pass<'p>;
    type Host<'h> = B::Host<'h>;

    fn caps(&self) -> &Caps {
        self.lies.as_ref().unwrap_or_else(|| self.inner.caps())
    }

    fn create_mesh(&mut self, source: &MeshSource) -> Result<CreatedMesh, PickError> {
        self.inner.create_mesh(source)
    }

    fn bound_clusters(&mut self, mesh: MeshId, boxes: &[[f32; 4]]) -> Result<(), PickError> {
        self.inner.bound_clusters(mesh, boxes)
    }

    fn destroy_mesh(&mut self, mesh: MeshId) -> Result<(), PickError> {
        self.inner.destroy_mesh(mesh)
    }

    fn create_instances(&mut self, source: &InstanceSource) -> Result<InstancesId, PickError> {
        let set = self.inner.create_instances(source)?;
        let (kind, inner) = (self.kind, &mut self.inner);
        self.shuffled.create(kind, inner, set, source)?;
        Ok(set)
    }

    fn update_instances(
        &mut self,
        set: InstancesId,
        source: &InstanceSource,
    ) -> Result<(), PickError> {
        match self.kind {
            Kind::StaleInstances => Ok(()),
            kind => {
                self.inner.update_instances(set, source)?;
                self.shuffled.update(kind, &mut self.inner, set, source)
            }
        }
    }

    fn destroy_instances(&mut self, set: InstancesId) -> Result<(), PickError> {
        self.shuffled.destroy(&mut self.inner, set)?;
        self.inner.destroy_instances(set)
    }

    fn register_foreign(
        &mut self,
        _drawer: Box<dyn ForeignDraw<Self>>,
    ) -> Result<ForeignId, PickError> {
        Err(PickError::unsupported(
            Capability::ForeignDraw,
            "a mutant takes no foreign drawers",
        ))
    }

    fn start_self_test(&mut self, timeout_ms: u64) -> Result<SlotId, PickError> {
        self.inner.start_self_test(timeout_ms)
    }

    fn prepare(&mut self, plan: &Plan) -> Result<(), PickError> {
        self.inner.prepare(plan)
    }

    fn execute(&mut self, plan: &Plan, _host: Option<Self::Host<'_>>) -> Result<SlotId, PickError> {
        let mut asked = plan.clone();
        plans::corrupt(self.kind, &mut asked, self.last_plan.as_ref());
        self.shuffled.corrupt(&mut asked);
        self.last_plan = Some(plan.clone());
        let composed = composite::compose(self, &asked)?;
        let slot = self.inner.execute(&asked, None)?;
        let name = (slot.index(), slot.generation());
        self.plans.insert(name, plan.clone());
        if let Some(bytes) = composed {
            self.composed.insert(name, bytes);
        }
        if self.kind == Kind::OneSlotForAll {
            self.newest = self.run(plan)?;
        }
        Ok(slot)
    }

    fn drive(&mut self) {
        self.inner.drive();
    }

    fn poll(&mut self, slot: &SlotId) -> SlotState<'_> {
        let bytes = match self.inner.poll(slot) {
            SlotState::Ready(bytes) => bytes,
            other => return other,
        };
        let name = (slot.index(), slot.generation());
        let Some(plan) = self.plans.get(&name) else {
            return SlotState::Ready(bytes);
        };
        self.out.clear();
        match self.composed.get(&name) {
            Some(composed) => self.out.extend_from_slice(composed),
            None => self.out.extend_from_slice(bytes),
        }
        let told = self.out.clone();
        match self.kind {
            Kind::LastFramesTexels if self.last_bytes.len() == told.len() => {
                self.out.clone_from(&self.last_bytes);
            }
            Kind::OneSlotForAll if self.newest.len() == told.len() => {
                self.out.clone_from(&self.newest);
            }
            kind => texels::corrupt(kind, plan, &mut self.out),
        }
        self.last_bytes = told;
        SlotState::Ready(&self.out)
    }

    fn wait(&mut self, slot: Option<&SlotId>, timeout_ms: u64) -> Result<(), PickError> {
        self.inner.wait(slot, timeout_ms)
    }

    fn memory(&self) -> MemoryReport {
        self.inner.memory()
    }
}
