//! Trying a host's buffers once, so that one of another device is refused when a mesh is made of it and
//! not when somebody picks.

use pick_core::{InputError, PickError};

use crate::conv;
use crate::device::Gpu;
use crate::mesh::{Indices, Vertices};
use crate::scope::Catch;

/// Records a pass that binds everything and draws nothing; it is never submitted.
///
/// # Errors
/// [`InputError::BadBuffer`] with what wgpu says.
pub(crate) fn vertices(
    gpu: &Gpu,
    vertices: &Vertices,
    indices: Option<&Indices>,
) -> Result<(), PickError> {
    let bound = gpu.checked(Catch::Validation, "binding", |device| {
        let target = device
            .create_texture(&TARGET)
            .create_view(&Default::default());
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations::default(),
            })],
            ..Default::default()
        });
        let streams = vertices.slots().into_iter().flatten();
        for (slot, stream) in (0..).zip(streams) {
            if stream.offset < stream.buffer.size() {
                pass.set_vertex_buffer(slot, stream.buffer.slice(stream.offset..));
            }
        }
        if let Some(indices) = indices.filter(|i| i.offset < i.buffer.size()) {
            let format = conv::index_format(indices.format);
            pass.set_index_buffer(indices.buffer.slice(indices.offset..), format);
        }
        drop(pass);
        drop(encoder.finish());
    });
    bound.map_err(|refused| {
        InputError::BadBuffer {
            what: "mesh",
            fault: format!("is refused by the device: {refused}").into(),
        }
        .into()
    })
}

const TARGET: wgpu::TextureDescriptor<'static> = wgpu::TextureDescriptor {
    label: Some("pick probe"),
    size: wgpu::Extent3d {
        width: 1,
        height: 1,
        depth_or_array_layers: 1,
    },
    mip_level_count: 1,
    sample_count: 1,
    dimension: wgpu::TextureDimension::D2,
    format: wgpu::TextureFormat::R8Unorm,
    usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
    view_formats: &[],
};
