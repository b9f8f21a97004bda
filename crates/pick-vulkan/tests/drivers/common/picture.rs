//! What an engine draws by itself: a picture, in two passes.

use ash::vk;
use pick_vulkan::ash;

use super::host::{Frame, Host};

const SIDE: u32 = 16;
const BYTES: u64 = (SIDE * SIDE * 4) as u64;

/// A target of the host's, and where it is read.
pub struct Picture<'h> {
    host: &'h Host,
    image: vk::Image,
    view: vk::ImageView,
    memory: vk::DeviceMemory,
    read: vk::Buffer,
}

impl Host {
    /// A picture that is drawn by [`Host::two_passes`].
    pub fn picture(&self) -> Picture<'_> {
        let extent = vk::Extent3D {
            width: SIDE,
            height: SIDE,
            depth: 1,
        };
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .extent(extent)
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
        let zeros = [0; BYTES as usize];
        let read = self.buffer(&zeros, vk::BufferUsageFlags::TRANSFER_DST);
        // SAFETY: everything is the device's, and is destroyed with the picture.
        unsafe {
            let image = self.device.create_image(&info, None).unwrap();
            let needs = self.device.get_image_memory_requirements(image);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size.max(2 << 20))
                .memory_type_index(needs.memory_type_bits.trailing_zeros());
            let memory = self.device.allocate_memory(&info, None).unwrap();
            self.device.bind_image_memory(image, memory, 0).unwrap();
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(vk::Format::R8G8B8A8_UNORM)
                .subresource_range(color());
            Picture {
                host: self,
                image,
                view: self.device.create_image_view(&info, None).unwrap(),
                memory,
                read: read.buffer,
            }
        }
    }

    /// Clears a picture, draws on in a second pass, and reads it; `between` records between the passes.
    pub fn two_passes(&self, picture: &Picture<'_>, between: impl FnOnce(&Frame<'_>)) -> Vec<u8> {
        use vk::{AccessFlags2 as Access, ImageLayout, PipelineStageFlags2 as Stage};
        let frame = self.begin();
        let drawn = (
            Stage::COLOR_ATTACHMENT_OUTPUT,
            Access::COLOR_ATTACHMENT_WRITE,
        );
        picture.barrier(
            frame.commands,
            [(Stage::ALL_TRANSFER, Access::NONE), drawn],
            [
                ImageLayout::UNDEFINED,
                ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            ],
        );
        picture.pass(frame.commands, vk::AttachmentLoadOp::CLEAR, 0);
        between(&frame);
        picture.barrier(
            frame.commands,
            [drawn, (drawn.0, drawn.1 | Access::COLOR_ATTACHMENT_READ)],
            [ImageLayout::COLOR_ATTACHMENT_OPTIMAL; 2],
        );
        picture.pass(frame.commands, vk::AttachmentLoadOp::LOAD, 5);
        picture.barrier(
            frame.commands,
            [drawn, (Stage::ALL_TRANSFER, Access::TRANSFER_READ)],
            [
                ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
                ImageLayout::TRANSFER_SRC_OPTIMAL,
            ],
        );
        let region = vk::BufferImageCopy::default()
            .image_subresource(
                vk::ImageSubresourceLayers::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .layer_count(1),
            )
            .image_extent(vk::Extent3D {
                width: SIDE,
                height: SIDE,
                depth: 1,
            });
        let seen = [vk::MemoryBarrier2::default()
            .src_stage_mask(Stage::ALL_TRANSFER)
            .src_access_mask(Access::TRANSFER_WRITE)
            .dst_stage_mask(Stage::HOST)
            .dst_access_mask(Access::HOST_READ)];
        // SAFETY: the buffer is recording; the whole picture fits.
        unsafe {
            self.device.cmd_copy_image_to_buffer(
                frame.commands,
                picture.image,
                ImageLayout::TRANSFER_SRC_OPTIMAL,
                picture.read,
                &[region],
            );
            let info = vk::DependencyInfo::default().memory_barriers(&seen);
            self.device.cmd_pipeline_barrier2(frame.commands, &info);
        }
        self.wait(frame.submit());
        self.contents(picture.read, BYTES as usize)
    }
}

impl Picture<'_> {
    /// Clears everything, or a square at a corner.
    fn pass(&self, commands: vk::CommandBuffer, load_op: vk::AttachmentLoadOp, corner: i32) {
        let value = |float32| vk::ClearValue {
            color: vk::ClearColorValue { float32 },
        };
        let colors = [vk::RenderingAttachmentInfo::default()
            .image_view(self.view)
            .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(load_op)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(value([0.2, 0.4, 0.6, 1.0]))];
        let side = vk::Extent2D {
            width: SIDE,
            height: SIDE,
        };
        let info = vk::RenderingInfo::default()
            .render_area(side.into())
            .layer_count(1)
            .color_attachments(&colors);
        // SAFETY: the buffer is recording, outside of rendering; the square is inside.
        unsafe {
            let device = &self.host.device;
            device.cmd_begin_rendering(commands, &info);
            if load_op == vk::AttachmentLoadOp::LOAD {
                let clear = vk::ClearAttachment::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .clear_value(value([1.0, 0.0, 0.0, 1.0]));
                let square = vk::ClearRect::default()
                    .rect(vk::Rect2D {
                        offset: vk::Offset2D {
                            x: corner,
                            y: corner,
                        },
                        extent: vk::Extent2D {
                            width: 4,
                            height: 4,
                        },
                    })
                    .layer_count(1);
                device.cmd_clear_attachments(commands, &[clear], &[square]);
            }
            device.cmd_end_rendering(commands);
        }
    }

    fn barrier(
        &self,
        commands: vk::CommandBuffer,
        uses: [(vk::PipelineStageFlags2, vk::AccessFlags2); 2],
        layouts: [vk::ImageLayout; 2],
    ) {
        let barriers = [vk::ImageMemoryBarrier2::default()
            .image(self.image)
            .subresource_range(color())
            .src_stage_mask(uses[0].0)
            .src_access_mask(uses[0].1)
            .dst_stage_mask(uses[1].0)
            .dst_access_mask(uses[1].1)
            .old_layout(layouts[0])
            .new_layout(layouts[1])];
        let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
        // SAFETY: the buffer is recording, outside of rendering.
        unsafe { self.host.device.cmd_pipeline_barrier2(commands, &info) };
    }
}

impl Drop for Picture<'_> {
    fn drop(&mut self) {
        // SAFETY: every frame was waited for, and each is destroyed once.
        unsafe {
            self.host.device.destroy_image_view(self.view, None);
            self.host.device.destroy_image(self.image, None);
            self.host.device.free_memory(self.memory, None);
        }
    }
}

fn color() -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .level_count(1)
        .layer_count(1)
}
