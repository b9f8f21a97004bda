//! Faults of what is read: the texels are corrupted on their way back.

use glam::{DMat3, DVec3};
use pick_core::layout::{FRONT_BIT, pack_normal, unpack_normal};
use pick_core::{Aspect, Channel, DepthConvention, Draw, Item, Plan, ReadbackSize, VertexFetch};

use crate::mutants::{Kind, survivors};

/// A read-back as pixels of words.
struct Block<'a> {
    channel: Channel,
    aspect: Aspect,
    bytes_per_pixel: usize,
    bytes: &'a mut [u8],
}

/// Corrupts a plan's read-backs.
pub(super) fn corrupt(kind: Kind, plan: &Plan, bytes: &mut [u8]) {
    let ids = ids(plan, bytes);
    let mut rest = bytes;
    for readback in &plan.readbacks {
        let size = readback.bytes(plan.pixels_read()) as usize;
        let (block, after) = rest.split_at_mut(size);
        rest = after;
        let ReadbackSize::PerPixel(bytes_per_pixel) = readback.size else {
            continue;
        };
        corrupt_block(
            kind,
            plan,
            &ids,
            &mut Block {
                channel: readback.channel,
                aspect: readback.aspect,
                bytes_per_pixel: bytes_per_pixel as usize,
                bytes: block,
            },
        );
    }
}

/// The id of every pixel, of strategies that write ids.
fn ids(plan: &Plan, bytes: &[u8]) -> Vec<u32> {
    let first = plan.readbacks.first();
    let carries = first.is_some_and(|r| {
        matches!(
            r.channel,
            Channel::IdBytes | Channel::IdDepth | Channel::Detailed
        )
    });
    let step = first.map_or(1, |r| r.bytes(1) as usize);
    let pixels = plan.pixels_read() as usize;
    (0..pixels)
        .map(|k| if carries { word(bytes, k * step) } else { 0 })
        .collect()
}

fn corrupt_block(kind: Kind, plan: &Plan, ids: &[u32], block: &mut Block<'_>) {
    match kind {
        Kind::FlippedRows => block.flip_rows(plan.region.width as usize),
        Kind::RowPaddingKept => block.pad_rows(plan.region.width as usize),
        Kind::SecondPlaneForgotten
            if matches!(block.channel, Channel::StencilByte { plane: 1 }) =>
        {
            block.bytes.fill(0);
        }
        Kind::DepthOfANeighbour => block.shift_depths(),
        _ => {
            for (k, id) in ids.iter().enumerate() {
                block.pixel(k, |pixel| corrupt_pixel(kind, plan, *id, pixel));
            }
        }
    }
}

/// One pixel's words and what they mean.
struct Pixel<'a> {
    channel: Channel,
    words: &'a mut [u32],
}

fn corrupt_pixel(kind: Kind, plan: &Plan, id: u32, pixel: Pixel<'_>) {
    let Pixel { channel, words } = pixel;
    let draw = draw_of(plan, id);
    let carries_id = matches!(
        channel,
        Channel::IdBytes | Channel::IdDepth | Channel::Detailed
    );
    if carries_id {
        words[0] = corrupt_id(kind, plan, id, draw);
    }
    let depth = match channel {
        Channel::DepthBits => words.first_mut(),
        Channel::IdDepth | Channel::Detailed => words.get_mut(1),
        _ => None,
    };
    let mixed = kind == Kind::DepthOfTheOtherConvention
        && plan.view.depth() == DepthConvention::Reversed
        && id != 0;
    if let Some(depth) = depth.filter(|_| mixed) {
        *depth = (1.0 - f32::from_bits(*depth)).to_bits();
    }
    let Some(draw) = draw else { return };
    match channel {
        Channel::Detailed => corrupt_detailed(kind, plan, draw, words),
        Channel::Surface => corrupt_surface(kind, draw, words),
        _ => {}
    }
}

fn corrupt_id(kind: Kind, plan: &Plan, id: u32, draw: Option<&Draw>) -> u32 {
    let within = |draw: &Draw, step: u32, count: u32| {
        let index = id - draw.ids.first;
        let (outer, inner) = (index / (step * count), index % (step * count));
        draw.ids.first + outer * step * count + (inner + step) % (step * count)
    };
    let faces = draw.map_or(1, |draw| draw.record.ids_per_instance);
    match (kind, draw) {
        (Kind::IdPlusOne, Some(_)) => {
            let last = plan.draws().map(|d| d.ids.first + (d.ids.count - 1)).max();
            if Some(id) == last { id } else { id + 1 }
        }
        (Kind::IdOf24Bits, _) => id & 0x00FF_FFFF,
        (Kind::IdThroughSrgb, _) => u32::from_le_bytes(id.to_le_bytes().map(srgb)),
        (Kind::BackgroundIsTheFirstObject, None) => plan.draws().next().map_or(0, |d| d.ids.first),
        (Kind::InstanceOffByOne, Some(draw)) if draw.instances.is_some() => {
            within(draw, faces, draw.ids.count / faces)
        }
        (Kind::FaceOffByOne, Some(draw)) if faces > 1 => within(draw, 1, faces),
        (_, Some(draw)) => survivors::told(kind, draw, id),
        (_, None) => id,
    }
}

fn corrupt_detailed(kind: Kind, plan: &Plan, draw: &Draw, words: &mut [u32]) {
    let (front, primitive) = (words[2] & FRONT_BIT, words[2] & !FRONT_BIT);
    let count = (draw.elements.end - draw.elements.start) / 3;
    words[2] = match kind {
        Kind::PrimitiveOffByOne => front | ((primitive + 1) % count),
        Kind::PrimitiveAlwaysZero => front,
        Kind::PrimitiveOfTheWholeMesh => front | (primitive + draw.elements.start / 3),
        Kind::SelfTestLies if draw.fetch == VertexFetch::Indexed => front,
        Kind::FacingFlipped => (front ^ FRONT_BIT) | primitive,
        Kind::MirrorForgotten if draw.world_from_object.determinant() < 0.0 => {
            (front ^ FRONT_BIT) | primitive
        }
        _ => words[2],
    };
    if kind == Kind::DistanceAlongTheRay {
        // Off the centre a ray is longer than its share along the view direction.
        let center = plan.region.pixel_center(0, 0);
        let ray = plan.view.ray(center);
        let along = ray.direction.dot(plan.view.forward());
        let distance = f64::from(f32::from_bits(words[3])) / along;
        words[3] = (distance as f32).to_bits();
    }
}

fn corrupt_surface(kind: Kind, draw: &Draw, words: &mut [u32]) {
    let linear = DMat3::from_mat4(draw.world_from_object);
    let edited = |packed: u32, edit: &dyn Fn(DVec3) -> DVec3| {
        let normal = unpack_normal(packed).map(edit);
        normal
            .and_then(DVec3::try_normalize)
            .map_or(packed, pack_normal)
    };
    match kind {
        // Undoes the inverse transpose, then multiplies by the matrix.
        Kind::NormalsByTheMatrixItself => {
            words[1] = edited(words[1], &|normal| linear * (linear.transpose() * normal));
        }
        Kind::FaceNormalFlipped => words[0] = edited(words[0], &|normal| -normal),
        Kind::TextureCoordinatesSwapped => words.swap(2, 3),
        _ => {}
    }
}

fn draw_of(plan: &Plan, id: u32) -> Option<&Draw> {
    plan.items.iter().find_map(|item| match item {
        Item::Draw(draw) => draw.ids.index_of(id).map(|_| draw),
        Item::Foreign(_) => None,
    })
}

fn srgb(byte: u8) -> u8 {
    let linear = f64::from(byte) / 255.0;
    let coded = match linear <= 0.003_130_8 {
        true => linear * 12.92,
        false => 1.055 * linear.powf(1.0 / 2.4) - 0.055,
    };
    (coded * 255.0).round() as u8
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..at + 4)
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, u32::from_le_bytes)
}

impl Block<'_> {
    fn pixel(&mut self, index: usize, edit: impl FnOnce(Pixel<'_>)) {
        if self.aspect != Aspect::Color || !self.bytes_per_pixel.is_multiple_of(4) {
            return;
        }
        let start = index * self.bytes_per_pixel;
        let count = self.bytes_per_pixel / 4;
        let mut words: Vec<u32> = (0..count)
            .map(|k| word(self.bytes, start + k * 4))
            .collect();
        edit(Pixel {
            channel: self.channel,
            words: &mut words,
        });
        for (k, word) in words.iter().enumerate() {
            self.bytes[start + k * 4..start + k * 4 + 4].copy_from_slice(&word.to_le_bytes());
        }
    }

    fn flip_rows(&mut self, width: usize) {
        let row = width * self.bytes_per_pixel;
        let rows: Vec<Vec<u8>> = self.bytes.chunks(row).rev().map(<[u8]>::to_vec).collect();
        self.bytes.copy_from_slice(&rows.concat());
    }

    /// Rows of 256 bytes, read as if they were tight.
    fn pad_rows(&mut self, width: usize) {
        let row = width * self.bytes_per_pixel;
        let padded = row.next_multiple_of(256);
        let mut all = Vec::new();
        for line in self.bytes.chunks(row) {
            all.extend_from_slice(line);
            all.resize(all.len().next_multiple_of(padded), 0xAB);
        }
        let tight = self.bytes.len();
        self.bytes.copy_from_slice(&all[..tight]);
    }

    /// Every depth is that of the pixel to the left.
    fn shift_depths(&mut self) {
        let at = match self.channel {
            Channel::DepthBits => 0,
            Channel::IdDepth | Channel::Detailed => 4,
            _ => return,
        };
        let pixels = self.bytes.len() / self.bytes_per_pixel;
        for k in (1..pixels).rev() {
            let (from, to) = (
                (k - 1) * self.bytes_per_pixel + at,
                k * self.bytes_per_pixel + at,
            );
            self.bytes.copy_within(from..from + 4, to);
        }
    }
}
