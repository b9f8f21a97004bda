//! An engine with a Vulkan device of its own: it draws frames, two of them in flight, and in the same
//! command buffers picks what is under the cursor, out of the vertex buffer that it draws with. Its own
//! timeline tells when a frame, and the pick in it, has run.
//!
//! Run it with `cargo run --example host_vulkan --features vulkan`.
#![expect(
    unsafe_code,
    reason = "an engine on raw Vulkan is unsafe; each block argues its case"
)]

use std::error::Error;

use glam::{DMat4, DVec3, Vec3};
use pick::projection::{DepthRange, look_at, perspective};
use pick::vulkan::ash::vk;
use pick::vulkan::{HostCommands, VulkanBackend};
use pick::{
    Aabb, Backend, DepthConvention, HostMesh, Object, PickPoint, Picker, PixelRect, Request, Scene,
    VertexStream, View,
};

#[path = "host_vulkan/engine.rs"]
mod engine;

use engine::{Draw, Engine, SIZE};

fn main() -> Result<(), Box<dyn Error>> {
    let engine = Engine::open()?;
    println!("{}", engine.device_name());
    let view = camera()?;
    let draws = draws(&view);

    // SAFETY: the engine's handles are alive, belong together and outlive the backend, which is declared
    // after them; the engine has enabled what it tells, and uses its queue on this thread only.
    let mut backend = unsafe { VulkanBackend::adopt(engine.for_pick()) }?;
    // SAFETY: the buffer is what it says; it is never written again, and outlives the backend.
    let buffer = unsafe { backend.adopt_buffer(engine.vertices()) };
    let mut scene = Scene::new();
    let positions = VertexStream {
        buffer,
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

    // Frames: the engine draws, the pick rides along, the engine submits. Answers come some frames later.
    let mut tickets = Vec::new();
    for (cursor, right) in CURSORS.into_iter().cycle().take(9) {
        let frame = engine.begin_frame()?;
        engine.draw(&frame, &draws, cursor);
        let request = Request::point(&view, PickPoint::target_pixels(cursor[0], cursor[1]))?;
        // SAFETY: the command buffer is recording, outside of rendering, and is submitted once, below,
        // with this value; the timeline outlives the backend.
        let commands = unsafe { HostCommands::new(frame.commands, engine.timeline(), frame.value) };
        let ticket = picker.record(&mut backend, &mut scene, request, commands)?;
        tickets.push((ticket, cursor, right));
        engine.submit(&frame)?;

        // An engine polls once a frame and takes what is there.
        picker.poll(&mut backend, &mut scene);
        let (ready, waiting) = tickets.into_iter().partition(|(t, ..)| t.is_ready());
        tickets = waiting;
        tell(ready)?;
    }
    // The last frames: nothing else is to do, so wait for them.
    backend.wait(None, 10_000)?;
    picker.poll(&mut backend, &mut scene);
    tell(tickets)?;

    // What was picked is what was drawn: the last frame's pixel under the cursor.
    let ([x, y], right) = CURSORS[2];
    let color = engine.pixel_of_the_last_frame()?;
    assert_eq!(
        color,
        right.map_or([0; 4], |tag| draws[tag as usize].color),
        "({x}, {y})"
    );
    Ok(())
}

type Asked = (pick::Ticket<Option<pick::Hit>>, [f64; 2], Option<u64>);

/// Prints answers, and holds them against what is right.
fn tell(ready: Vec<Asked>) -> Result<(), Box<dyn Error>> {
    for (mut ticket, [x, y], right) in ready {
        let answer = ticket.try_take().ok_or("an answer that never came")??;
        match &answer.result {
            None => println!("({x}, {y}): nothing, {} polls late", answer.late_polls),
            Some(hit) => println!(
                "({x}, {y}): triangle {} of object {}, {:.3} away, {} polls late",
                hit.primitive.map_or(-1, i64::from),
                hit.tag,
                hit.distance.unwrap_or(f64::NAN),
                answer.late_polls,
            ),
        }
        assert_eq!(answer.result.as_ref().map(|hit| hit.tag), right);
        assert!(answer.result.is_none_or(|hit| hit.primitive == Ok(0)));
    }
    Ok(())
}

/// Where the cursor goes, and the object that is there.
const CURSORS: [([f64; 2], Option<u64>); 3] = [
    ([2.0, 2.0], None),
    ([20.0, 16.0], Some(0)),
    ([44.0, 16.0], Some(1)),
];
const BOUNDS: Aabb = Aabb {
    min: Vec3::new(-1.0, -1.0, 0.0),
    max: Vec3::new(1.0, 1.0, 0.0),
};
const PLACES: [DVec3; 2] = [DVec3::new(-1.5, 0.0, 0.0), DVec3::new(1.5, 0.0, 0.5)];
const COLORS: [[u8; 4]; 2] = [[255, 0, 0, 255], [0, 255, 0, 255]];

fn camera() -> Result<View, Box<dyn Error>> {
    let depth = DepthConvention::Reversed;
    let view_from_world = look_at(DVec3::new(0.0, 0.0, 4.0), DVec3::ZERO, DVec3::Y)?;
    let vk::Extent2D { width, height } = SIZE;
    let aspect = f64::from(width) / f64::from(height);
    let projection = perspective(0.9, aspect, DepthRange::from(0.1), depth)?;
    let whole = PixelRect::new(0, 0, width, height);
    Ok(View::new(view_from_world, projection, whole, depth)?)
}

/// What the engine draws.
fn draws(view: &View) -> Vec<Draw> {
    let clip_from_world = view.clip_from_world();
    let draw = |(place, color)| Draw {
        clip_from_object: (clip_from_world * DMat4::from_translation(place)).as_mat4(),
        color,
    };
    PLACES.into_iter().zip(COLORS).map(draw).collect()
}

#[cfg(test)]
mod tests {
    /// Where a driver is; where one is demanded, it must be.
    #[test]
    fn picks_ride_along_with_frames() {
        let here = pick::vulkan::adapters().unwrap_or_default();
        if here.iter().all(|adapter| adapter.lacking.is_some()) {
            let demanded = std::env::var("PICK_REQUIRE_DRIVERS").unwrap_or_default();
            assert!(!demanded.contains("lavapipe"), "{demanded} are demanded");
            return eprintln!("skipped: no Vulkan driver is here");
        }
        super::main().unwrap();
    }
}
