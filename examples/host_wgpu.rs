//! A host with a wgpu device of its own: it draws a frame, and in the same encoder picks what is under
//! the cursor, out of the vertex buffers that it draws with.
//!
//! Run it with `cargo run --example host_wgpu --features wgpu`.

use std::error::Error;

use glam::{DMat4, DVec3, Mat4, Vec3};
use pick::projection::{DepthRange, look_at, perspective};
use pick::wgpu::WgpuBackend;
use pick::{
    Aabb, Backend, DepthConvention, HostMesh, Object, PickPoint, Picker, PixelRect, Request, Scene,
    VertexStream, View,
};

const WIDTH: u32 = 64;
const HEIGHT: u32 = 32;

fn main() -> Result<(), Box<dyn Error>> {
    // The host opens its device as it always does; what pick can use of the adapter is added.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = pollster::block_on(instance.request_adapter(&Default::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: WgpuBackend::wanted_features(&adapter),
        ..Default::default()
    }))?;
    println!("{}", adapter.get_info().name);
    let view = camera()?;
    let host = Host::new(&device, &queue, &view);

    // pick takes the device, and the host's own vertex buffer.
    let mut backend = WgpuBackend::new(&adapter, device.clone(), queue.clone())?;
    let mut scene = Scene::new();
    let positions = VertexStream {
        buffer: backend.adopt_buffer(&host.vertices),
        offset: 0,
        stride: 12,
    };
    // The box is what picks elsewhere leave the triangle out by.
    let mesh = HostMesh::new(positions, 3).local_bounds(BOUNDS);
    let mesh = scene.meshes.add_mesh(&mut backend, mesh)?;
    for (tag, place) in (0..).zip(PLACES) {
        let place = DMat4::from_translation(place);
        scene
            .meshes
            .insert(Object::new(mesh).at(place).tagged(tag))?;
    }
    let mut picker = Picker::new();

    // A frame: the host draws, the pick rides along, the host submits.
    for (cursor, right) in CURSORS {
        let mut encoder = device.create_command_encoder(&Default::default());
        host.draw(&mut encoder);
        let request = Request::point(&view, PickPoint::target_pixels(cursor[0], cursor[1]))?;
        let mut ticket = picker.record(&mut backend, &mut scene, request, &mut encoder)?;
        queue.submit([encoder.finish()]);

        // A real host polls once a frame and takes the answer when it is there; here we wait for it.
        let answer = loop {
            picker.poll(&mut backend, &mut scene);
            match ticket.try_take() {
                Some(answer) => break answer?,
                None => backend.wait(None, 10_000)?,
            }
        };
        match &answer.result {
            None => println!("({}, {}): nothing", cursor[0], cursor[1]),
            Some(hit) => println!(
                "({}, {}): triangle {} of object {}, {:.3} away",
                cursor[0],
                cursor[1],
                hit.primitive.map_or(-1, i64::from),
                hit.tag,
                hit.distance.unwrap_or(f64::NAN),
            ),
        }
        assert_eq!(answer.result.map(|hit| hit.tag), right);
    }
    Ok(())
}

/// Where the cursor goes, and the object that is there.
const CURSORS: [([f64; 2], Option<u64>); 3] = [
    ([20.0, 16.0], Some(0)),
    ([44.0, 16.0], Some(1)),
    ([2.0, 2.0], None),
];

const BOUNDS: Aabb = Aabb {
    min: Vec3::new(-1.0, -1.0, 0.0),
    max: Vec3::new(1.0, 1.0, 0.0),
};
const PLACES: [DVec3; 2] = [DVec3::new(-1.5, 0.0, 0.0), DVec3::new(1.5, 0.0, 0.5)];
const TRIANGLE: [[f32; 3]; 3] = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];

fn camera() -> Result<View, Box<dyn Error>> {
    let depth = DepthConvention::Reversed;
    let view_from_world = look_at(DVec3::new(0.0, 0.0, 4.0), DVec3::ZERO, DVec3::Y)?;
    let aspect = f64::from(WIDTH) / f64::from(HEIGHT);
    let projection = perspective(0.9, aspect, DepthRange::from(0.1), depth)?;
    let whole = PixelRect::new(0, 0, WIDTH, HEIGHT);
    Ok(View::new(view_from_world, projection, whole, depth)?)
}

/// What the host has without pick.
struct Host {
    vertices: wgpu::Buffer,
    pipeline: wgpu::RenderPipeline,
    objects: Vec<wgpu::BindGroup>,
    color: wgpu::TextureView,
    depth: wgpu::TextureView,
}

const SHADER: &str = "
@group(0) @binding(0) var<uniform> clip_from_object: mat4x4f;

@vertex
fn vs_main(@location(0) position: vec3f) -> @builtin(position) vec4f {
    return clip_from_object * vec4f(position, 1.0);
}

@fragment
fn fs_main() -> @location(0) vec4f {
    return vec4f(0.9, 0.5, 0.2, 1.0);
}
";

impl Host {
    fn new(device: &wgpu::Device, queue: &wgpu::Queue, view: &View) -> Self {
        // Storage usage lets pick read the vertices itself where the device lacks the primitive index.
        let usage = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::STORAGE;
        let vertices = filled(device, queue, TRIANGLE.as_flattened(), usage);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("host"),
            source: wgpu::ShaderSource::Wgsl(SHADER.into()),
        });
        let pipeline = pipeline(device, &module);
        let layout = pipeline.get_bind_group_layout(0);
        let objects = PLACES.map(|place| {
            let clip = view.clip_from_world() * DMat4::from_translation(place);
            let clip: Mat4 = clip.as_mat4();
            let clip = clip.to_cols_array();
            let uniform = filled(device, queue, &clip, wgpu::BufferUsages::UNIFORM);
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("host object"),
                layout: &layout,
                entries: &[wgpu::BindGroupEntry {
                    binding: 0,
                    resource: uniform.as_entire_binding(),
                }],
            })
        });
        Self {
            vertices,
            pipeline,
            objects: objects.into(),
            color: target(device, wgpu::TextureFormat::Rgba8UnormSrgb),
            depth: target(device, wgpu::TextureFormat::Depth32Float),
        }
    }

    fn draw(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("host frame"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.color,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        for object in &self.objects {
            pass.set_bind_group(0, object, &[]);
            pass.draw(0..3, 0..1);
        }
    }
}

fn filled(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    contents: &[f32],
    usage: wgpu::BufferUsages,
) -> wgpu::Buffer {
    let contents: Vec<u8> = contents.iter().flat_map(|v| v.to_le_bytes()).collect();
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("host"),
        size: contents.len() as u64,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, &contents);
    buffer
}

fn target(device: &wgpu::Device, format: wgpu::TextureFormat) -> wgpu::TextureView {
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("host target"),
        size: wgpu::Extent3d {
            width: WIDTH,
            height: HEIGHT,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}

fn pipeline(device: &wgpu::Device, module: &wgpu::ShaderModule) -> wgpu::RenderPipeline {
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("host"),
        layout: None,
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("vs_main"),
            compilation_options: Default::default(),
            buffers: &[Some(wgpu::VertexBufferLayout {
                array_stride: 12,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes: &wgpu::vertex_attr_array![0 => Float32x3],
            })],
        },
        primitive: Default::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: wgpu::TextureFormat::Depth32Float,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Greater),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("fs_main"),
            compilation_options: Default::default(),
            targets: &[Some(wgpu::TextureFormat::Rgba8UnormSrgb.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}

#[cfg(test)]
mod tests {
    /// Where a driver is; where one is demanded, it must be.
    #[test]
    fn picks_ride_along_with_frames() {
        if pick::wgpu::adapters_blocking().is_empty() {
            let demanded = std::env::var("PICK_REQUIRE_DRIVERS").unwrap_or_default();
            assert!(demanded.is_empty(), "{demanded} are demanded");
            return eprintln!("skipped: no driver is here");
        }
        super::main().unwrap();
    }
}
