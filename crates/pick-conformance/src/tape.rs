//! What a backend reads back, kept: to hold two backends on one driver against each other.

use std::collections::HashMap;

use pick_core::{
    Backend, Capability, Caps, CreatedMesh, ForeignDraw, ForeignId, InstanceSource, InstancesId,
    MemoryReport, MeshId, MeshSource, PickError, Plan, Readback, SlotId, SlotState,
};

/// A backend that keeps what it reads back while somebody asks for it.
pub struct Tape<B> {
    inner: B,
    running: bool,
    reels: Vec<Reel>,
    /// Which reel each use of a slot fills.
    places: HashMap<(usize, u64), usize>,
}

/// What one plan read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reel {
    /// How the bytes are laid out.
    pub readbacks: Vec<Readback>,
    /// How many pixels each block has.
    pub pixels: usize,
    /// `None`: nobody asked for them.
    pub bytes: Option<Vec<u8>>,
}

impl<B> Tape<B> {
    /// Wraps a backend.
    pub fn new(inner: B) -> Self {
        Self {
            inner,
            running: false,
            reels: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// Keeps what is read back from now on.
    pub fn start(&mut self) {
        self.running = true;
    }

    /// What was read back since the start, in the order in which it was asked for.
    pub fn stop(&mut self) -> Vec<Reel> {
        self.running = false;
        self.places.clear();
        std::mem::take(&mut self.reels)
    }
}

impl<B: Backend> Backend for Tape<B> {
    type Pass<'p> = B::Pass<'p>;
    type Host<'h> = B::Host<'h>;

    fn caps(&self) -> &Caps {
        self.inner.caps()
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
        self.inner.create_instances(source)
    }

    fn update_instances(
        &mut self,
        set: InstancesId,
        source: &InstanceSource,
    ) -> Result<(), PickError> {
        self.inner.update_instances(set, source)
    }

    fn destroy_instances(&mut self, set: InstancesId) -> Result<(), PickError> {
        self.inner.destroy_instances(set)
    }

    /// Drawers are made for the backend itself; no case has one.
    fn register_foreign(
        &mut self,
        _drawer: Box<dyn ForeignDraw<Self>>,
    ) -> Result<ForeignId, PickError> {
        Err(PickError::unsupported(
            Capability::ForeignDraw,
            "a tape takes no foreign drawers",
        ))
    }

    fn start_self_test(&mut self, timeout_ms: u64) -> Result<SlotId, PickError> {
        self.inner.start_self_test(timeout_ms)
    }

    fn prepare(&mut self, plan: &Plan) -> Result<(), PickError> {
        self.inner.prepare(plan)
    }

    fn execute(&mut self, plan: &Plan, host: Option<Self::Host<'_>>) -> Result<SlotId, PickError> {
        let slot = self.inner.execute(plan, host)?;
        if self.running {
            self.places
                .insert((slot.index(), slot.generation()), self.reels.len());
            self.reels.push(Reel {
                readbacks: plan.readbacks.clone(),
                pixels: plan.pixels_read() as usize,
                bytes: None,
            });
        }
        Ok(slot)
    }

    fn drive(&mut self) {
        self.inner.drive();
    }

    fn poll(&mut self, slot: &SlotId) -> SlotState<'_> {
        let state = self.inner.poll(slot);
        if self.running
            && let SlotState::Ready(bytes) = &state
            && let Some(place) = self.places.get(&(slot.index(), slot.generation()))
            && let Some(reel) = self.reels.get_mut(*place)
        {
            reel.bytes.get_or_insert_with(|| bytes.to_vec());
        }
        state
    }

    fn wait(&mut self, slot: Option<&SlotId>, timeout_ms: u64) -> Result<(), PickError> {
        self.inner.wait(slot, timeout_ms)
    }

    fn memory(&self) -> MemoryReport {
        self.inner.memory()
    }
}
