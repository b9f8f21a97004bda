//! Decoded texels: one array per channel that the strategy gives.

use crate::plan::{Aspect, Channel, Readback};

/// A plan's read-back with its layout.
#[derive(Clone, Copy, Debug)]
pub struct Texels<'a> {
    bytes: &'a [u8],
    readbacks: &'a [Readback],
    pixel_count: usize,
}

impl<'a> Texels<'a> {
    /// `None` when the bytes are fewer than the layout says.
    pub fn new(bytes: &'a [u8], readbacks: &'a [Readback], pixel_count: usize) -> Option<Self> {
        let needed: u64 = readbacks.iter().map(|r| r.bytes(pixel_count as u64)).sum();
        (bytes.len() as u64 >= needed).then_some(Self {
            bytes,
            readbacks,
            pixel_count,
        })
    }

    /// How many pixels each block has.
    pub fn pixel_count(&self) -> usize {
        self.pixel_count
    }

    /// The tight bytes of the first block with this channel and aspect; empty when there is none.
    pub fn block(&self, channel: Channel, aspect: Aspect) -> &'a [u8] {
        self.blocks(channel, aspect).next().unwrap_or_default()
    }

    /// The tight bytes of every block with this channel and aspect, in the plan's order.
    pub fn blocks(
        &self,
        channel: Channel,
        aspect: Aspect,
    ) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (mut rest, pixels) = (self.bytes, self.pixel_count as u64);
        self.readbacks.iter().filter_map(move |readback| {
            let (block, later) = rest.split_at(readback.bytes(pixels) as usize);
            rest = later;
            (readback.channel == channel && readback.aspect == aspect).then_some(block)
        })
    }

    /// The block as pixels of `N` little-endian words.
    pub fn words<const N: usize>(&self, channel: Channel) -> impl Iterator<Item = [u32; N]> + 'a {
        words(self.block(channel, Aspect::Color))
    }

    /// The f32 depths of a depth-stencil channel.
    pub fn depths(&self, channel: Channel) -> impl Iterator<Item = f32> + 'a {
        words::<1>(self.block(channel, Aspect::Depth)).map(|[bits]| f32::from_bits(bits))
    }
}

fn words<const N: usize>(block: &[u8]) -> impl Iterator<Item = [u32; N]> + '_ {
    block.chunks_exact(N * 4).map(|pixel| {
        let mut out = [0; N];
        for (word, bytes) in out.iter_mut().zip(pixel.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        out
    })
}

/// Decoded pixels in row order. A channel that the strategy does not give is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Ids, or draw numbers where the strategy says so; 0 is nothing.
    pub ids: Vec<u32>,
    /// Fragment depths.
    pub depths: Vec<f32>,
    /// Primitive words: the number, and the facing in bit 31 (set: front).
    pub primitives: Vec<u32>,
    /// View distances.
    pub view_distances: Vec<f32>,
    /// Packed face normal, packed vertex normal, u and v as f32 bits.
    pub surfaces: Vec<[u32; 4]>,
}

impl Samples {
    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.depths.clear();
        self.primitives.clear();
        self.view_distances.clear();
        self.surfaces.clear();
    }

    /// The pixel at `index`; `None` beyond the last.
    pub fn get(&self, index: usize) -> Option<Sample> {
        Some(Sample {
            id: *self.ids.get(index)?,
            depth: self.depths.get(index).copied(),
            primitive: self.primitives.get(index).copied(),
            view_distance: self.view_distances.get(index).copied(),
            surface: self.surfaces.get(index).copied(),
        })
    }
}

/// One decoded pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The id or draw number; 0 is nothing.
    pub id: u32,
    /// The fragment's depth.
    pub depth: Option<f32>,
    /// The primitive word.
    pub primitive: Option<u32>,
    /// The view distance.
    pub view_distance: Option<f32>,
    /// The surface texel.
    pub surface: Option<[u32; 4]>,
}
