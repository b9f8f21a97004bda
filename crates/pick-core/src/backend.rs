//! The contract of a backend: hold geometry, execute plans, give back texels. Policy stays out.

use crate::error::PickError;
use crate::kit::ring::SlotId;
use crate::mesh::{InstanceSource, MeshSource};
use crate::plan::{ForeignItem, PassStep, Plan};
use crate::registry::{ForeignId, InstancesId, MeshId};

/// Executes plans on a device.
///
/// # What each method costs
/// `create_*`, `update_*` and `prepare` may compile, allocate and upload. `execute`, `drive` and
/// `poll` never wait, and allocate nothing once their shapes have been seen. `wait` blocks.
///
/// # Order
/// Plans of one backend complete in the order they were executed. A backend may hold as many plans in
/// flight as it likes; pickers bound how many they send.
pub trait Backend {
    /// What a foreign draw records into.
    type Pass<'p>;
    /// A host's own command stream: an encoder, or a command buffer with what completes it.
    type Host<'h>;

    /// What the device can do. The verdict on the primitive-index builtin may change with
    /// [`Backend::drive`].
    fn caps(&self) -> &Caps;

    /// Uploads or adopts a mesh.
    ///
    /// # Errors
    /// Input errors for buffers that are foreign, lack a usage or are too small; `Unsupported` where
    /// the backend cannot use the source at all.
    fn create_mesh(&mut self, source: &MeshSource) -> Result<CreatedMesh, PickError>;

    /// Takes in the boxes of a mesh's clusters, for kernels that find those of many instances: two
    /// vectors each. Only asked of backends with [`Caps::instance_culling`].
    ///
    /// # Errors
    /// As [`Backend::create_mesh`].
    fn bound_clusters(&mut self, mesh: MeshId, boxes: &[[f32; 4]]) -> Result<(), PickError>;

    /// Forgets a mesh. Plans in flight keep what they use.
    ///
    /// # Errors
    /// Input errors for a foreign or removed id.
    fn destroy_mesh(&mut self, mesh: MeshId) -> Result<(), PickError>;

    /// Uploads or adopts an instance set.
    ///
    /// # Errors
    /// As [`Backend::create_mesh`].
    fn create_instances(&mut self, source: &InstanceSource) -> Result<InstancesId, PickError>;

    /// Replaces the contents of an instance set. Plans already executed keep the old ones.
    ///
    /// # Errors
    /// As [`Backend::create_mesh`], and input errors for a foreign or removed id.
    fn update_instances(
        &mut self,
        set: InstancesId,
        source: &InstanceSource,
    ) -> Result<(), PickError>;

    /// Forgets an instance set. Plans in flight keep what they use.
    ///
    /// # Errors
    /// Input errors for a foreign or removed id.
    fn destroy_instances(&mut self, set: InstancesId) -> Result<(), PickError>;

    /// Takes a user contributor's recorder in.
    ///
    /// # Errors
    /// `Unsupported` where the backend records nothing.
    fn register_foreign(
        &mut self,
        drawer: Box<dyn ForeignDraw<Self>>,
    ) -> Result<ForeignId, PickError>;

    /// Submits the self-test of the primitive-index builtin where it has not been read and no submission
    /// of it is under way. Gives a slot that is ready, without bytes, as soon as the verdict shows in
    /// [`Backend::caps`], and that is late after `timeout_ms`. Never waits.
    ///
    /// # Errors
    /// `DeviceLost`.
    fn start_self_test(&mut self, timeout_ms: u64) -> Result<SlotId, PickError>;

    /// Compiles whatever `plan` needs and starts the self-test.
    ///
    /// # Errors
    /// As [`Backend::execute`].
    fn prepare(&mut self, plan: &Plan) -> Result<(), PickError>;

    /// Records a plan, and submits it unless a host's command stream is given. Never waits.
    ///
    /// # Errors
    /// `Unsupported` for what the device lacks, `DeviceLost`, and input errors for ids that are
    /// foreign or removed. After an error nothing of the plan runs.
    fn execute(&mut self, plan: &Plan, host: Option<Self::Host<'_>>) -> Result<SlotId, PickError>;

    /// Lets the device make progress and takes in what has arrived. Never waits.
    fn drive(&mut self);

    /// The state of an executed plan. Meaningful after [`Backend::drive`]. Never waits.
    fn poll(&mut self, slot: &SlotId) -> SlotState<'_>;

    /// Blocks until the slot (or, without one, everything submitted) is done or the time is over.
    ///
    /// # Errors
    /// `TimedOut`, `DeviceLost`; `Unsupported` in a browser.
    fn wait(&mut self, slot: Option<&SlotId>, timeout_ms: u64) -> Result<(), PickError>;

    /// What the backend holds.
    fn memory(&self) -> MemoryReport;
}

/// A user contributor's own recording.
pub trait ForeignDraw<B: Backend + ?Sized>: Send + Sync {
    /// Draws into the pass, writing only ids of `at.item.ids`. State of the pass that it sets is set
    /// anew by whatever is drawn after it.
    ///
    /// # Errors
    /// Whatever it meets; the whole pick then fails with it.
    fn record(&mut self, pass: &mut B::Pass<'_>, at: &ForeignContext<'_>) -> Result<(), PickError>;
}

/// What a foreign draw is told.
#[derive(Clone, Copy, Debug)]
pub struct ForeignContext<'a> {
    /// The pick: view, region, targets and their formats, the strategy.
    pub plan: &'a Plan,
    /// The pass that is open.
    pub pass: &'a PassStep,
    /// The contributor's token, its ids and its draw number.
    pub item: &'a ForeignItem,
}

/// A mesh that a backend took in.
#[derive(Clone, Copy, Debug)]
pub struct CreatedMesh {
    /// Its name.
    pub id: MeshId,
    /// Its vertices can be pulled from storage buffers.
    pub pulled: bool,
    /// A de-indexed copy can be made.
    pub expanded: bool,
}

/// How far an executed plan is.
#[derive(Debug)]
pub enum SlotState<'a> {
    /// Not done.
    Pending,
    /// The read-backs of the plan, tight, one after the other.
    Ready(&'a [u8]),
    /// Ended without an answer.
    Failed(PickError),
}

/// Bytes that a backend holds on its device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryReport {
    /// Geometry and instances uploaded, de-indexed copies, CPU acceleration structures.
    pub geometry_bytes: u64,
    /// Render targets.
    pub target_bytes: u64,
    /// Bounds of blocks of instances.
    pub bounds_bytes: u64,
    /// Lists of what culling left.
    pub culling_bytes: u64,
    /// Readback and upload buffers of the slots.
    pub slot_bytes: u64,
}

impl MemoryReport {
    /// All of it.
    pub fn total_bytes(&self) -> u64 {
        [
            self.geometry_bytes,
            self.target_bytes,
            self.bounds_bytes,
            self.culling_bytes,
            self.slot_bytes,
        ]
        .into_iter()
        .sum()
    }
}

/// What a device can do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Caps {
    /// `cpu`, `wgpu` or `vulkan`.
    pub backend: &'static str,
    /// The adapter's name.
    pub device: String,
    /// The driver's name and version.
    pub driver: String,
    /// The graphics API beneath, such as `Vulkan` or `GL`.
    pub api: String,
    /// The fragment stage's primitive-index builtin.
    pub primitive_index: PrimitiveIndex,
    /// How a stencil is read back.
    pub stencil_read: StencilRead,
    /// The depth of a depth-stencil target can be copied back as f32.
    pub stencil_depth_read: bool,
    /// f32 depth beside a stencil exists.
    pub depth32_stencil8: bool,
    /// Reversed depth loses its precision in this API's clip-space conversion, so that the fragment
    /// must write its depth itself.
    pub reversed_depth_in_fragment: bool,
    /// Kernels can find the instances under a pick: compute shaders that write storage, and draws and
    /// dispatches whose counts are on the device.
    pub instance_culling: bool,
    /// Kernels can reduce what was drawn to what is asked for: compute shaders that read targets.
    pub reductions: bool,
    /// Fragments can be told to a buffer: storage that the fragment stage writes.
    pub fragment_lists: bool,
    /// Pixels are found by rays: [`Plan::places`](crate::Plan::places) are read by themselves, and what kernels
    /// would make of fragments is told without them.
    pub casts_rays: bool,
    /// The largest side of a target, in pixels.
    pub max_target_side: u32,
    /// The largest storage binding, in bytes.
    pub max_storage_binding_bytes: u64,
}

impl Caps {
    /// A device that can do the least: nothing optional, and WebGPU's default limits.
    pub fn least(backend: &'static str) -> Self {
        Self {
            backend,
            device: String::new(),
            driver: String::new(),
            api: String::new(),
            primitive_index: PrimitiveIndex::Missing,
            stencil_read: StencilRead::BitDraws,
            stencil_depth_read: false,
            depth32_stencil8: false,
            reversed_depth_in_fragment: false,
            instance_culling: false,
            reductions: false,
            fragment_lists: false,
            casts_rays: false,
            max_target_side: 8192,
            max_storage_binding_bytes: 1 << 27,
        }
    }
}

/// What is known of the fragment stage's primitive-index builtin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrimitiveIndex {
    /// The device lacks it.
    Missing,
    /// It is there; the self-test has not been read yet.
    Untested,
    /// It is there and told the truth.
    Trusted,
    /// It is there and lied.
    Failed,
}

/// How a stencil is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StencilRead {
    /// Its aspect is copied.
    Copy,
    /// Eight stencil-tested draws turn it into a colour first.
    BitDraws,
}
