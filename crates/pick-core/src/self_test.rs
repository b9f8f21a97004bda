//! The self-test of the primitive-index builtin: drivers are known to get it wrong.
//!
//! A picture whose every triangle number is known is drawn through the ordinary path: one triangle a
//! pixel, two parts of which the second starts in the middle of the index list, two copies of each.
//! The builtin must restart at every draw and every copy, and count from the draw's first index.

use std::sync::Arc;

use glam::{DMat4, DVec3};

use crate::backend::{Backend, PrimitiveIndex};
use crate::depth::DepthConvention;
use crate::error::PickError;
use crate::layout::{FRONT_BIT, NO_ID};
use crate::mesh::{InstanceSource, MeshData, SubMesh};
use crate::picker::{Flight, Sees};
use crate::plan::{Channel, Plan};
use crate::projection::{DepthRange, look_at, orthographic};
use crate::rect::PixelRect;
use crate::request::{PrimitiveSource, Request};
use crate::samples::Texels;
use crate::scene::{Object, Scene};
use crate::view::View;

const COLUMNS: u32 = 8;
const ROWS: u32 = 4;
const COPIES: u32 = 2;
/// Triangles of the first part.
const SPLIT: u32 = 13;

/// A plan whose read-back tells whether the builtin can be trusted.
pub struct SelfTest {
    flight: Flight,
    scene: Scene,
}

impl std::fmt::Debug for SelfTest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SelfTest")
            .field("plan", self.plan())
            .finish_non_exhaustive()
    }
}

impl SelfTest {
    /// Uploads the picture and plans it. For backends, in [`Backend::start_self_test`].
    ///
    /// # Errors
    /// Whatever the backend refuses; nothing stays on the device then.
    pub fn create<B: Backend>(backend: &mut B) -> Result<Self, PickError> {
        let mut scene = Scene::new();
        match Self::plan_in(&mut scene, backend) {
            Ok(flight) => Ok(Self { flight, scene }),
            Err(error) => {
                scene.meshes.clear(backend)?;
                Err(error)
            }
        }
    }

    fn plan_in<B: Backend>(scene: &mut Scene, backend: &mut B) -> Result<Flight, PickError> {
        let mesh = scene.meshes.add_mesh(backend, picture()?)?;
        let copies = scene.meshes.add_instances(backend, copies())?;
        scene.meshes.insert(Object::new(mesh).instanced(copies))?;
        let region = PixelRect::new(0, 0, COLUMNS * COPIES, ROWS);
        let request = Request::id_image(&view(region)?, region)?
            .primitive_source(PrimitiveSource::Builtin)
            .label("pick self-test");
        let mut flight = Flight::new(request.any);
        flight.plan(backend.caps(), scene, Sees::Region)?;
        Ok(flight)
    }

    /// Takes the picture off the device. A plan of it that is under way keeps what it uses.
    ///
    /// # Errors
    /// `ForeignKey` for another backend than the one that made it.
    pub fn forget<B: Backend>(mut self, backend: &mut B) -> Result<(), PickError> {
        self.scene.meshes.clear(backend)
    }

    /// What to execute.
    pub fn plan(&self) -> &Plan {
        self.flight.plan_ref()
    }

    /// The verdict that the plan's read-back gives.
    pub fn verdict(&self, bytes: &[u8]) -> PrimitiveIndex {
        let plan = self.plan();
        let pixels = plan.region.pixel_count() as usize;
        let told = Texels::new(bytes, &plan.readbacks, pixels).is_some_and(|texels| {
            let words = texels.words::<4>(Channel::Detailed);
            words.enumerate().all(|(pixel, [id, _, primitive, _])| {
                id != NO_ID && primitive & !FRONT_BIT == expected(pixel as u32)
            })
        });
        match told {
            true => PrimitiveIndex::Trusted,
            false => PrimitiveIndex::Failed,
        }
    }
}

/// The triangle under a pixel, counted within its part.
fn expected(pixel: u32) -> u32 {
    let (column, row) = (pixel % (COLUMNS * COPIES), pixel / (COLUMNS * COPIES));
    let triangle = row * COLUMNS + column % COLUMNS;
    match triangle < SPLIT {
        true => triangle,
        false => triangle - SPLIT,
    }
}

/// World x runs with the columns and world y against the rows, one unit a pixel.
fn view(region: PixelRect) -> Result<View, PickError> {
    let (width, height) = (f64::from(region.width), f64::from(region.height));
    let center = DVec3::new(width * 0.5, -height * 0.5, 0.0);
    let view_from_world: DMat4 = look_at(center + DVec3::Z, center, DVec3::Y)?;
    let depth = DepthConvention::Standard;
    let range = DepthRange::new(0.5, 2.0);
    let projection = orthographic(height * 0.5, width / height, range, depth)?;
    View::new(view_from_world, projection, region, depth)
}

/// A small triangle around the centre of every pixel.
fn picture() -> Result<MeshData, PickError> {
    let mut positions = Vec::new();
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let (x, y) = (column as f32 + 0.5, -(row as f32) - 0.5);
            positions.extend([
                [x - 0.4, y - 0.3, 0.0],
                [x + 0.4, y - 0.3, 0.0],
                [x, y + 0.4, 0.0],
            ]);
        }
    }
    let elements = positions.len() as u32;
    MeshData::builder(positions)
        .indices((0..elements).collect())
        .submesh(SubMesh::new(0..SPLIT * 3))
        .submesh(SubMesh::new(SPLIT * 3..elements))
        .build()
}

fn copies() -> InstanceSource {
    let shifted = |copy: u32| {
        let x = (copy * COLUMNS) as f32;
        [
            [1.0, 0.0, 0.0, x],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
        ]
    };
    InstanceSource::Cpu(Arc::from_iter((0..COPIES).map(shifted)))
}
