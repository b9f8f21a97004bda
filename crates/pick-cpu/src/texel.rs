//! What a hit writes into each channel of a plan's read-back.

use glam::DVec3;
use pick_core::layout::{FRONT_BIT, NO_NORMAL, pack_normal};
use pick_core::{Aspect, Channel, PlacedTriangle, Readback, View};

/// A hit as the fragment stage of a GPU would know it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragment {
    pub id: u32,
    /// The draw's number.
    pub number: u32,
    pub depth: f32,
    /// Counted within the part.
    pub primitive: u32,
    pub front: bool,
    pub view_distance: f32,
    /// Packed face normal, packed vertex normal, u and v bits.
    pub surface: [u32; 4],
}

/// Appends one pixel of a read-back block; `None` is a pixel that nothing covers.
///
/// `false` when a block asks for what only a shader can know.
pub(crate) fn write(
    out: &mut Vec<u8>,
    readback: &Readback,
    fragment: Option<&Fragment>,
    view: &View,
) -> bool {
    let mut words = |words: &[u32]| {
        for word in words {
            out.extend_from_slice(&word.to_le_bytes());
        }
    };
    let id = fragment.map_or(0, |f| f.id);
    let depth_bits = fragment.map_or(0, |f| f.depth.to_bits());
    match (readback.channel, readback.aspect) {
        (Channel::IdBytes, Aspect::Color) => words(&[id]),
        (Channel::DepthBits, Aspect::Color) => words(&[depth_bits]),
        (Channel::IdDepth, Aspect::Color) => words(&[id, depth_bits]),
        (Channel::Detailed, Aspect::Color) => {
            let primitive =
                fragment.map_or(0, |f| f.primitive | if f.front { FRONT_BIT } else { 0 });
            let distance = fragment.map_or(0, |f| f.view_distance.to_bits());
            words(&[id, depth_bits, primitive, distance]);
        }
        (Channel::Surface, Aspect::Color) => words(&fragment.map_or([0; 4], |f| f.surface)),
        (Channel::Depth | Channel::StencilByte { .. }, Aspect::Depth) => {
            let depth = fragment.map_or(view.depth().clear_depth(), |f| f.depth);
            words(&[depth.to_bits()]);
        }
        (Channel::StencilByte { plane }, Aspect::Stencil) => {
            let number = fragment.map_or(0, |f| f.number);
            out.push((number >> (8 * u32::from(plane))) as u8);
        }
        _ => return false,
    }
    true
}

/// The surface texel at a point of a triangle.
pub(crate) fn surface(triangle: &PlacedTriangle<'_>, point: DVec3) -> [u32; 4] {
    let packed = |normal: Option<DVec3>| normal.map_or(NO_NORMAL, pack_normal);
    let weights = triangle.weights_at(point);
    let normal = weights.and_then(|weights| triangle.normal(weights));
    let uv = weights.and_then(|weights| triangle.uv(weights));
    let [u, v] = uv.unwrap_or_default().map(|value| (value as f32).to_bits());
    [packed(triangle.face_normal()), packed(normal), u, v]
}
