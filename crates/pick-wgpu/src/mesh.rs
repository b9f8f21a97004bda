//! Meshes and instance sets, as the core keeps them, of wgpu's buffers.

use pick_core::kit;

use crate::device::Gpu;

pub(crate) type Stream = kit::Stream<Gpu>;
pub(crate) type Vertices = kit::Vertices<Gpu>;
pub(crate) type Indices = kit::Indices<Gpu>;
pub(crate) type Mesh = kit::Mesh<Gpu>;
pub(crate) type Instances = kit::Instances<Gpu>;
