//! The contract holds for what is still to come: compile-only shapes of a raw-Vulkan backend, of
//! recording into hosts' own command streams, of foreign draws on both, and of ids scoped to a frame.
//!
//! What runs here only shows that public types cross threads; the rest is checked by being compiled.

use ash::vk;
use pick::wgpu::WgpuBackend;
use pick::{
    Answer, Backend, Caps, CreatedMesh, ForeignContext, ForeignDraw, ForeignId, Hit, IdAllocator,
    IdImage, IdRange, InstanceSource, InstancesId, MemoryReport, MeshId, MeshSource, PickError,
    Picker, Plan, Request, Scene, SlotId, SlotState, Ticket,
};

/// A command buffer of the host's, and the timeline value that tells when it is done.
struct VulkanHost<'h> {
    commands: vk::CommandBuffer,
    timeline: vk::Semaphore,
    done_at: u64,
    host: std::marker::PhantomData<&'h mut ()>,
}

struct VulkanShape {
    caps: Caps,
    recorded: Vec<(vk::CommandBuffer, vk::Semaphore, u64)>,
    drawers: Vec<Box<dyn ForeignDraw<Self>>>,
}

impl Backend for VulkanShape {
    type Pass<'p> = vk::CommandBuffer;
    type Host<'h> = VulkanHost<'h>;

    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn create_mesh(&mut self, _: &MeshSource) -> Result<CreatedMesh, PickError> {
        Err(PickError::broken("a shape"))
    }

    fn bound_clusters(&mut self, _: MeshId, _: &[[f32; 4]]) -> Result<(), PickError> {
        Ok(())
    }

    fn destroy_mesh(&mut self, _: MeshId) -> Result<(), PickError> {
        Ok(())
    }

    fn create_instances(&mut self, _: &InstanceSource) -> Result<InstancesId, PickError> {
        Err(PickError::broken("a shape"))
    }

    fn update_instances(&mut self, _: InstancesId, _: &InstanceSource) -> Result<(), PickError> {
        Ok(())
    }

    fn destroy_instances(&mut self, _: InstancesId) -> Result<(), PickError> {
        Ok(())
    }

    fn register_foreign(
        &mut self,
        drawer: Box<dyn ForeignDraw<Self>>,
    ) -> Result<ForeignId, PickError> {
        self.drawers.push(drawer);
        Err(PickError::broken("a shape"))
    }

    fn start_self_test(&mut self, _: u64) -> Result<SlotId, PickError> {
        Err(PickError::broken("a shape"))
    }

    fn prepare(&mut self, _: &Plan) -> Result<(), PickError> {
        Ok(())
    }

    fn execute(&mut self, plan: &Plan, host: Option<Self::Host<'_>>) -> Result<SlotId, PickError> {
        let pass = plan.steps.iter().find_map(|step| match step {
            pick::Step::Pass(pass) => Some(pass),
            _ => None,
        });
        if let Some(mut host) = host {
            for item in &plan.items {
                if let (pick::Item::Foreign(item), Some(pass)) = (item, pass) {
                    let at = ForeignContext { plan, pass, item };
                    for drawer in &mut self.drawers {
                        drawer.record(&mut host.commands, &at)?;
                    }
                }
            }
            self.recorded
                .push((host.commands, host.timeline, host.done_at));
        }
        Err(PickError::broken("a shape"))
    }

    fn drive(&mut self) {}

    fn poll(&mut self, _: &SlotId) -> SlotState<'_> {
        SlotState::Pending
    }

    fn wait(&mut self, _: Option<&SlotId>, _: u64) -> Result<(), PickError> {
        Ok(())
    }

    fn memory(&self) -> MemoryReport {
        MemoryReport::default()
    }
}

/// One drawer for both backends: what differs is the pass only.
struct Heightfield;

impl ForeignDraw<WgpuBackend> for Heightfield {
    fn record(
        &mut self,
        pass: &mut wgpu::RenderPass<'_>,
        at: &ForeignContext<'_>,
    ) -> Result<(), PickError> {
        pass.draw(0..3, 0..at.item.ids.count);
        Ok(())
    }
}

impl ForeignDraw<VulkanShape> for Heightfield {
    fn record(
        &mut self,
        commands: &mut vk::CommandBuffer,
        at: &ForeignContext<'_>,
    ) -> Result<(), PickError> {
        let _ = (commands, at.plan.zoom());
        Ok(())
    }
}

/// A pick recorded into each host's own command stream.
#[expect(dead_code, reason = "compiled, not run")]
fn record_into_hosts(
    picker: &mut Picker,
    scene: &mut Scene,
    request: &Request<Option<Hit>>,
    (wgpu_backend, encoder): (&mut WgpuBackend, &mut wgpu::CommandEncoder),
    (vulkan, host): (&mut VulkanShape, VulkanHost<'_>),
) -> Result<[Ticket<Option<Hit>>; 2], PickError> {
    wgpu_backend.register_foreign(Box::new(Heightfield))?;
    vulkan.register_foreign(Box::new(Heightfield))?;
    Ok([
        picker.record(wgpu_backend, scene, request.clone(), encoder)?,
        picker.record(vulkan, scene, request.clone(), host)?,
    ])
}

/// A compute step as plan data: what it runs, what it reads and writes, how many groups. Both backends
/// can record it between the passes of a plan.
struct ComputeShape {
    shader: pick::CustomShader,
    reads: pick::TargetIndex,
    writes: pick::Readback,
    groups: [u32; 3],
}

#[expect(dead_code, reason = "compiled, not run")]
fn dispatch(
    step: &ComputeShape,
    encoder: &mut wgpu::CommandEncoder,
    (device, commands): (&ash::Device, vk::CommandBuffer),
) {
    let label = Some(&*step.shader.key);
    let [x, y, z] = step.groups;
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
        label,
        timestamp_writes: None,
    });
    if step.reads.0 == 0 && step.writes.bytes(1) > 0 {
        pass.dispatch_workgroups(x, y, z);
        // SAFETY: never run; a backend's own `vk` module will argue its case.
        #[expect(unsafe_code, reason = "compiled, not run")]
        unsafe {
            device.cmd_dispatch(commands, x, y, z);
        }
    }
}

/// Ids of pictures that the host draws itself live as long as its frame; a pick's live as long as the
/// pick. They are two allocators, so one can never be taken for the other.
#[test]
fn ids_of_a_frame_are_a_scope_of_their_own() {
    let mut frame = IdAllocator::new(1, u32::MAX);
    let mut pick = IdAllocator::new(1, u32::MAX);
    let drawn = frame.allocate(3).unwrap();
    assert_eq!(drawn, IdRange { first: 1, count: 3 });
    assert_eq!(pick.allocate(1).unwrap().first, 1);
    assert_eq!(frame.allocate(1).unwrap().first, 4);
}

#[test]
fn public_types_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<PickError>();
    crosses::<Plan>();
    crosses::<Scene>();
    crosses::<Picker>();
    crosses::<Request<Option<Hit>>>();
    crosses::<Ticket<Option<Hit>>>();
    crosses::<Ticket<IdImage>>();
    crosses::<Answer<IdImage>>();
    crosses::<pick::cpu::CpuBackend>();
    crosses::<WgpuBackend>();
}
