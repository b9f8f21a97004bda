//! What the engine has without pick: a device, two command buffers, targets, a pipeline. Small, and
//! therefore not how a real one manages its memory or its errors.

use std::cell::Cell;
use std::error::Error;
use std::ffi::CString;

use glam::Mat4;
use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use pick::vulkan::ash::{self, vk};
use pick::vulkan::{HostBuffer, HostDevice, HostFeatures};

/// How large the engine's frames are.
pub const SIZE: vk::Extent2D = vk::Extent2D {
    width: 64,
    height: 32,
};
const IN_FLIGHT: u64 = 2;
const COLOR: vk::Format = vk::Format::R8G8B8A8_UNORM;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT;
const TRIANGLE: [[f32; 3]; 3] = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];

const SHADER: &str = "
struct Draw {
    clip_from_object: mat4x4f,
    color: vec4f,
}

var<immediate> draw: Draw;

@vertex
fn vs_main(@location(0) position: vec3f) -> @builtin(position) vec4f {
    return draw.clip_from_object * vec4f(position, 1.0);
}

@fragment
fn fs_main() -> @location(0) vec4f {
    return draw.color;
}
";

/// A triangle to draw.
pub struct Draw {
    pub clip_from_object: Mat4,
    pub color: [u8; 4],
}

/// A command buffer that is recording.
pub struct Frame {
    pub commands: vk::CommandBuffer,
    /// What the timeline reaches when it has run.
    pub value: u64,
}

pub struct Engine {
    device: ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    commands: Vec<vk::CommandBuffer>,
    timeline: vk::Semaphore,
    frames: Cell<u64>,
    vertices: (vk::Buffer, vk::DeviceMemory),
    /// A pixel of each frame in flight.
    pixels: (vk::Buffer, vk::DeviceMemory),
    color: Target,
    depth: Target,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    family: u32,
    geometry_shader: bool,
    physical: vk::PhysicalDevice,
    instance: ash::Instance,
    _entry: ash::Entry,
}

struct Target {
    image: vk::Image,
    view: vk::ImageView,
    memory: vk::DeviceMemory,
    aspect: vk::ImageAspectFlags,
}

impl Engine {
    /// Opens the best device: hardware first.
    pub fn open() -> Result<Self, Box<dyn Error>> {
        // SAFETY: everything is used as the specification says; what infos point to lives until the call
        // returns. An engine that fails to open leaks, and the program ends.
        unsafe {
            let entry = ash::Entry::load()?;
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let info = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&info, None)?;
            let rank = |&physical: &vk::PhysicalDevice| {
                let properties = instance.get_physical_device_properties(physical);
                let rank = match properties.device_type {
                    vk::PhysicalDeviceType::DISCRETE_GPU => 0,
                    vk::PhysicalDeviceType::CPU => 2,
                    _ => 1,
                };
                (properties.api_version >= vk::API_VERSION_1_3).then_some(rank)
            };
            let all = instance.enumerate_physical_devices()?.into_iter();
            let physical = all.filter(|p| rank(p).is_some()).min_by_key(rank);
            let physical = physical.ok_or("no device has Vulkan 1.3")?;
            let families = instance.get_physical_device_queue_family_properties(physical);
            let draws =
                |f: &vk::QueueFamilyProperties| f.queue_flags.contains(vk::QueueFlags::GRAPHICS);
            let family = families.iter().position(draws).ok_or("nothing draws")? as u32;

            // The engine asks for what it needs itself; what pick can use is added.
            let offered = instance.get_physical_device_features(physical);
            let features = vk::PhysicalDeviceFeatures {
                geometry_shader: offered.geometry_shader,
                ..Default::default()
            };
            let mut v12 = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
            let mut v13 = vk::PhysicalDeviceVulkan13Features::default()
                .dynamic_rendering(true)
                .synchronization2(true);
            let queues = [vk::DeviceQueueCreateInfo::default()
                .queue_family_index(family)
                .queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_features(&features)
                .push_next(&mut v12)
                .push_next(&mut v13);
            let device = instance.create_device(physical, &info, None)?;
            let queue = device.get_device_queue(family, 0);
            let info = vk::CommandPoolCreateInfo::default()
                .queue_family_index(family)
                .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
            let pool = device.create_command_pool(&info, None)?;
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(pool)
                .command_buffer_count(IN_FLIGHT as u32);
            let commands = device.allocate_command_buffers(&info)?;
            let mut kind =
                vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
            let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
            let timeline = device.create_semaphore(&info, None)?;

            let maker = Maker {
                device: &device,
                memory: instance.get_physical_device_memory_properties(physical),
            };
            let bytes: Vec<u8> = TRIANGLE
                .as_flattened()
                .iter()
                .flat_map(|v| v.to_le_bytes())
                .collect();
            // Storage usage lets pick read the vertices itself where the device lacks the builtin.
            let drawn = vk::BufferUsageFlags::VERTEX_BUFFER | vk::BufferUsageFlags::STORAGE_BUFFER;
            let vertices = maker.buffer(&bytes, drawn)?;
            let pixels = maker.buffer(
                &[0; 4 * IN_FLIGHT as usize],
                vk::BufferUsageFlags::TRANSFER_DST,
            )?;
            let read = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
            let color = maker.target(COLOR, read, vk::ImageAspectFlags::COLOR)?;
            let tested = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
            let depth = maker.target(DEPTH, tested, vk::ImageAspectFlags::DEPTH)?;
            let (layout, pipeline) = maker.pipeline()?;
            Ok(Self {
                device,
                queue,
                pool,
                commands,
                timeline,
                frames: Cell::new(0),
                vertices,
                pixels,
                color,
                depth,
                layout,
                pipeline,
                family,
                geometry_shader: offered.geometry_shader == vk::TRUE,
                physical,
                instance,
                _entry: entry,
            })
        }
    }

    pub fn device_name(&self) -> String {
        // SAFETY: the instance lives.
        let properties = unsafe { self.instance.get_physical_device_properties(self.physical) };
        let name = properties.device_name_as_c_str().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// What pick must know of the device, since Vulkan cannot be asked.
    pub fn for_pick(&self) -> HostDevice {
        HostDevice {
            instance: self.instance.clone(),
            physical_device: self.physical,
            device: self.device.clone(),
            queue: self.queue,
            queue_family: self.family,
            features: HostFeatures {
                api_version: vk::API_VERSION_1_3,
                extensions: Vec::<CString>::new(),
                dynamic_rendering: true,
                synchronization2: true,
                timeline_semaphore: true,
                geometry_shader: self.geometry_shader,
                full_draw_index_uint32: false,
                fragment_stores_and_atomics: false,
            },
            // One thread uses the queue.
            queue_lock: None,
        }
    }

    pub fn vertices(&self) -> HostBuffer {
        HostBuffer {
            buffer: self.vertices.0,
            size: size_of_val(&TRIANGLE) as u64,
            usage: vk::BufferUsageFlags::VERTEX_BUFFER | vk::BufferUsageFlags::STORAGE_BUFFER,
        }
    }

    pub fn timeline(&self) -> vk::Semaphore {
        self.timeline
    }

    /// Begins a frame, once the one that used the same command buffer has run.
    pub fn begin_frame(&self) -> Result<Frame, vk::Result> {
        let number = self.frames.get();
        self.frames.set(number + 1);
        self.wait(number.saturating_sub(IN_FLIGHT - 1))?;
        let commands = self.commands[(number % IN_FLIGHT) as usize];
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the buffer has run.
        unsafe { self.device.begin_command_buffer(commands, &info)? };
        Ok(Frame {
            commands,
            value: number + 1,
        })
    }

    /// Draws triangles, and notes the pixel under the cursor.
    pub fn draw(&self, frame: &Frame, draws: &[Draw], cursor: [f64; 2]) {
        use vk::{AccessFlags2 as Access, ImageLayout, PipelineStageFlags2 as Stage};
        let commands = frame.commands;
        let device = &self.device;
        self.barrier(
            commands,
            &self.color,
            [Stage::ALL_TRANSFER, Stage::COLOR_ATTACHMENT_OUTPUT],
            [Access::NONE, Access::COLOR_ATTACHMENT_WRITE],
            [
                ImageLayout::UNDEFINED,
                ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            ],
        );
        let tests = Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS;
        let writes = Access::DEPTH_STENCIL_ATTACHMENT_WRITE;
        self.barrier(
            commands,
            &self.depth,
            [tests; 2],
            [writes, writes | Access::DEPTH_STENCIL_ATTACHMENT_READ],
            [
                ImageLayout::UNDEFINED,
                ImageLayout::DEPTH_ATTACHMENT_OPTIMAL,
            ],
        );
        let attachment = vk::RenderingAttachmentInfo::default()
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE);
        // The default clear value: black, and the far end of reversed depth.
        let colors = [attachment
            .image_view(self.color.view)
            .image_layout(ImageLayout::COLOR_ATTACHMENT_OPTIMAL)];
        let depth = attachment
            .image_view(self.depth.view)
            .image_layout(ImageLayout::DEPTH_ATTACHMENT_OPTIMAL);
        let info = vk::RenderingInfo::default()
            .render_area(SIZE.into())
            .layer_count(1)
            .color_attachments(&colors)
            .depth_attachment(&depth);
        // Upside down: y points up in clip space and down in the target.
        let viewport = vk::Viewport {
            y: SIZE.height as f32,
            width: SIZE.width as f32,
            height: -(SIZE.height as f32),
            max_depth: 1.0,
            ..Default::default()
        };
        let stages = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
        // SAFETY: the buffer is recording, and everything lives until it has run.
        unsafe {
            device.cmd_begin_rendering(commands, &info);
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, self.pipeline);
            device.cmd_set_viewport(commands, 0, &[viewport]);
            device.cmd_set_scissor(commands, 0, &[SIZE.into()]);
            device.cmd_bind_vertex_buffers(commands, 0, &[self.vertices.0], &[0]);
            for draw in draws {
                let color = draw.color.map(|c| f32::from(c) / 255.0);
                let floats = draw
                    .clip_from_object
                    .to_cols_array()
                    .into_iter()
                    .chain(color);
                let bytes: Vec<u8> = floats.flat_map(f32::to_ne_bytes).collect();
                device.cmd_push_constants(commands, self.layout, stages, 0, &bytes);
                device.cmd_draw(commands, 3, 1, 0, 0);
            }
            device.cmd_end_rendering(commands);
        }
        self.barrier(
            commands,
            &self.color,
            [Stage::COLOR_ATTACHMENT_OUTPUT, Stage::ALL_TRANSFER],
            [Access::COLOR_ATTACHMENT_WRITE, Access::TRANSFER_READ],
            [
                ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
                ImageLayout::TRANSFER_SRC_OPTIMAL,
            ],
        );
        let pixel = vk::BufferImageCopy::default()
            .buffer_offset((frame.value - 1) % IN_FLIGHT * 4)
            .image_subresource(
                vk::ImageSubresourceLayers::default()
                    .aspect_mask(self.color.aspect)
                    .layer_count(1),
            )
            .image_offset(vk::Offset3D {
                x: cursor[0] as i32,
                y: cursor[1] as i32,
                z: 0,
            })
            .image_extent(vk::Extent3D {
                width: 1,
                height: 1,
                depth: 1,
            });
        let seen = [vk::MemoryBarrier2::default()
            .src_stage_mask(Stage::ALL_TRANSFER)
            .src_access_mask(Access::TRANSFER_WRITE)
            .dst_stage_mask(Stage::HOST)
            .dst_access_mask(Access::HOST_READ)];
        // SAFETY: as above; the pixel is inside.
        unsafe {
            device.cmd_copy_image_to_buffer(
                commands,
                self.color.image,
                ImageLayout::TRANSFER_SRC_OPTIMAL,
                self.pixels.0,
                &[pixel],
            );
            let info = vk::DependencyInfo::default().memory_barriers(&seen);
            device.cmd_pipeline_barrier2(commands, &info);
        }
    }

    /// Submits a frame; the timeline reaches its value when it has run.
    pub fn submit(&self, frame: &Frame) -> Result<(), vk::Result> {
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(frame.commands)];
        let signals = [vk::SemaphoreSubmitInfo::default()
            .semaphore(self.timeline)
            .value(frame.value)
            .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)];
        let submits = [vk::SubmitInfo2::default()
            .command_buffer_infos(&buffers)
            .signal_semaphore_infos(&signals)];
        // SAFETY: the buffer was recorded, and this thread has the queue.
        unsafe {
            self.device.end_command_buffer(frame.commands)?;
            self.device
                .queue_submit2(self.queue, &submits, vk::Fence::null())
        }
    }

    /// The colour that was under the cursor, once the last frame has run.
    pub fn pixel_of_the_last_frame(&self) -> Result<[u8; 4], vk::Result> {
        let value = self.frames.get();
        self.wait(value)?;
        let offset = (value - 1) % IN_FLIGHT * 4;
        let flags = vk::MemoryMapFlags::empty();
        // SAFETY: the memory is coherent, not mapped, and no frame writes it any more.
        unsafe {
            let at = self.device.map_memory(self.pixels.1, offset, 4, flags)?;
            let color = at.cast::<[u8; 4]>().read();
            self.device.unmap_memory(self.pixels.1);
            Ok(color)
        }
    }

    fn wait(&self, value: u64) -> Result<(), vk::Result> {
        let (semaphores, values) = ([self.timeline], [value]);
        let info = vk::SemaphoreWaitInfo::default()
            .semaphores(&semaphores)
            .values(&values);
        // SAFETY: the semaphore lives.
        unsafe { self.device.wait_semaphores(&info, u64::MAX) }
    }

    fn barrier(
        &self,
        commands: vk::CommandBuffer,
        target: &Target,
        stages: [vk::PipelineStageFlags2; 2],
        accesses: [vk::AccessFlags2; 2],
        layouts: [vk::ImageLayout; 2],
    ) {
        let barriers = [vk::ImageMemoryBarrier2::default()
            .image(target.image)
            .subresource_range(whole(target.aspect))
            .src_stage_mask(stages[0])
            .dst_stage_mask(stages[1])
            .src_access_mask(accesses[0])
            .dst_access_mask(accesses[1])
            .old_layout(layouts[0])
            .new_layout(layouts[1])];
        let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
        // SAFETY: the buffer is recording, outside of rendering.
        unsafe { self.device.cmd_pipeline_barrier2(commands, &info) };
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let device = &self.device;
        // SAFETY: pick is gone, everything has run, and each is destroyed once.
        unsafe {
            let _ = device.device_wait_idle();
            for (buffer, memory) in [self.vertices, self.pixels] {
                device.destroy_buffer(buffer, None);
                device.free_memory(memory, None);
            }
            for target in [&self.color, &self.depth] {
                device.destroy_image_view(target.view, None);
                device.destroy_image(target.image, None);
                device.free_memory(target.memory, None);
            }
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_semaphore(self.timeline, None);
            device.destroy_command_pool(self.pool, None);
            device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// Makes what lives as long as the engine.
struct Maker<'d> {
    device: &'d ash::Device,
    memory: vk::PhysicalDeviceMemoryProperties,
}

impl Maker<'_> {
    /// # Safety
    /// The device lives.
    unsafe fn allocate(
        &self,
        needs: vk::MemoryRequirements,
        flags: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory, Box<dyn Error>> {
        let kinds = self.memory.memory_types_as_slice();
        let fits = |index: &usize| {
            needs.memory_type_bits & 1 << index != 0 && kinds[*index].property_flags.contains(flags)
        };
        let index = (0..kinds.len()).find(fits).ok_or("no memory fits")?;
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(index as u32);
        // SAFETY: by the caller.
        Ok(unsafe { self.device.allocate_memory(&info, None)? })
    }

    /// # Safety
    /// The device lives.
    unsafe fn buffer(
        &self,
        contents: &[u8],
        usage: vk::BufferUsageFlags,
    ) -> Result<(vk::Buffer, vk::DeviceMemory), Box<dyn Error>> {
        let info = vk::BufferCreateInfo::default()
            .size(contents.len() as u64)
            .usage(usage);
        let seen = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: by the caller; the range that is written is mapped.
        unsafe {
            let buffer = self.device.create_buffer(&info, None)?;
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let memory = self.allocate(needs, seen)?;
            self.device.bind_buffer_memory(buffer, memory, 0)?;
            let flags = vk::MemoryMapFlags::empty();
            let mapped = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags)?;
            std::ptr::copy_nonoverlapping(contents.as_ptr(), mapped.cast(), contents.len());
            self.device.unmap_memory(memory);
            Ok((buffer, memory))
        }
    }

    /// # Safety
    /// The device lives.
    unsafe fn target(
        &self,
        format: vk::Format,
        usage: vk::ImageUsageFlags,
        aspect: vk::ImageAspectFlags,
    ) -> Result<Target, Box<dyn Error>> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(SIZE.into())
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
        // SAFETY: by the caller.
        unsafe {
            let image = self.device.create_image(&info, None)?;
            let needs = self.device.get_image_memory_requirements(image);
            let memory = self.allocate(needs, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
            self.device.bind_image_memory(image, memory, 0)?;
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(format)
                .subresource_range(whole(aspect));
            let view = self.device.create_image_view(&info, None)?;
            Ok(Target {
                image,
                view,
                memory,
                aspect,
            })
        }
    }

    /// # Safety
    /// The device lives.
    unsafe fn pipeline(&self) -> Result<(vk::PipelineLayout, vk::Pipeline), Box<dyn Error>> {
        let stages = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
        let pushed = [vk::PushConstantRange::default()
            .stage_flags(stages)
            .size(80)];
        let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&pushed);
        let code = [spirv("vs_main")?, spirv("fs_main")?];
        // SAFETY: by the caller; naga has validated the shaders.
        unsafe {
            let layout = self.device.create_pipeline_layout(&info, None)?;
            let modules = code.map(|words| {
                let info = vk::ShaderModuleCreateInfo::default().code(&words);
                self.device.create_shader_module(&info, None)
            });
            let [vs, fs] = modules;
            let (vs, fs) = (vs?, fs?);
            let stage = |module, stage, name| {
                vk::PipelineShaderStageCreateInfo::default()
                    .module(module)
                    .stage(stage)
                    .name(name)
            };
            let stages = [
                stage(vs, vk::ShaderStageFlags::VERTEX, c"vs_main"),
                stage(fs, vk::ShaderStageFlags::FRAGMENT, c"fs_main"),
            ];
            let bindings = [vk::VertexInputBindingDescription::default().stride(12)];
            let attributes =
                [vk::VertexInputAttributeDescription::default()
                    .format(vk::Format::R32G32B32_SFLOAT)];
            let input = vk::PipelineVertexInputStateCreateInfo::default()
                .vertex_binding_descriptions(&bindings)
                .vertex_attribute_descriptions(&attributes);
            let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
                .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
            let viewport = vk::PipelineViewportStateCreateInfo::default()
                .viewport_count(1)
                .scissor_count(1);
            let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
            let samples = vk::PipelineMultisampleStateCreateInfo::default()
                .rasterization_samples(vk::SampleCountFlags::TYPE_1);
            let depth = vk::PipelineDepthStencilStateCreateInfo::default()
                .depth_test_enable(true)
                .depth_write_enable(true)
                .depth_compare_op(vk::CompareOp::GREATER);
            let blends = [vk::PipelineColorBlendAttachmentState::default()
                .color_write_mask(vk::ColorComponentFlags::RGBA)];
            let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
            let moving = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
            let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&moving);
            let colors = [COLOR];
            let mut rendering = vk::PipelineRenderingCreateInfo::default()
                .color_attachment_formats(&colors)
                .depth_attachment_format(DEPTH);
            let info = vk::GraphicsPipelineCreateInfo::default()
                .stages(&stages)
                .vertex_input_state(&input)
                .input_assembly_state(&assembly)
                .viewport_state(&viewport)
                .rasterization_state(&raster)
                .multisample_state(&samples)
                .depth_stencil_state(&depth)
                .color_blend_state(&blend)
                .dynamic_state(&dynamic)
                .layout(layout)
                .push_next(&mut rendering);
            let cache = vk::PipelineCache::null();
            let made = self.device.create_graphics_pipelines(cache, &[info], None);
            let made = made.map_err(|(_, result)| result)?;
            for module in [vs, fs] {
                self.device.destroy_shader_module(module, None);
            }
            Ok((layout, made[0]))
        }
    }
}

fn whole(aspect: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(aspect)
        .level_count(1)
        .layer_count(1)
}

fn spirv(entry: &str) -> Result<Vec<u32>, Box<dyn Error>> {
    let module = naga::front::wgsl::parse_str(SHADER)?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::IMMEDIATES);
    let info = validator.validate(&module)?;
    let options = spv::Options {
        // The viewport turns y around, not the shader.
        flags: spv::WriterFlags::empty(),
        ..Default::default()
    };
    let stage = module.entry_points.iter().find(|e| e.name == entry);
    let pipeline = spv::PipelineOptions {
        shader_stage: stage.ok_or("no such entry point")?.stage,
        entry_point: entry.to_owned(),
    };
    Ok(spv::write_vec(&module, &info, &options, Some(&pipeline))?)
}
