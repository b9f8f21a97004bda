//! What is picked from, and where.

use std::sync::Arc;

use glam::{DMat4, DVec3};
use pick_core::projection::{DepthRange, look_at, perspective};
use pick_core::{
    Aabb, Backend, BufferId, DepthConvention, Hit, HostInstances, InstanceFormat, InstanceSource,
    InstancesKey, MeshData, Object, ObjectKey, PickError, PickPoint, Request, Scene, View,
    Viewport,
};
use pick_scenes::{SceneData, load};

/// From the middle to the eye: three sides of a box show.
const TOWARD_EYE: DVec3 = DVec3::new(0.45, 0.35, 1.0);
const FOV: f64 = std::f64::consts::FRAC_PI_4;
const FRAME: [u32; 2] = [1920, 1080];
/// Pixels that picks go through in turn, so that no pick finds what the one before left in a cache.
const PIXELS: u32 = 16;

/// A view of everything within a sphere around the origin.
///
/// # Errors
/// None for a radius above 0.
pub fn view(radius: f64) -> Result<View, PickError> {
    let depth = DepthConvention::Reversed;
    let away = radius / (FOV * 0.5).sin() * 1.05;
    let camera = look_at(TOWARD_EYE.normalize() * away, DVec3::ZERO, DVec3::Y)?;
    let [width, height] = FRAME;
    let aspect = f64::from(width) / f64::from(height);
    let lens = perspective(FOV, aspect, DepthRange::from(away * 1e-3), depth)?;
    View::new(camera, lens, Viewport::new(0, 0, width, height), depth)
}

/// Requests spread evenly over the middle of a view, one a pixel.
///
/// # Errors
/// None: the pixels are inside.
pub fn requests(view: &View) -> Result<Vec<Request<Option<Hit>>>, PickError> {
    let one = |k: u32| {
        // The plastic number's powers: any run of these points is spread evenly.
        let spread = |step: f64| 0.5 + 0.3 * ((f64::from(k) + 1.0) * step).fract() - 0.15;
        let at = PickPoint::normalized(spread(0.754_877_666), spread(0.569_840_291));
        Ok(Request::point(view, at)?.timeout_ms(120_000))
    };
    (0..PIXELS).map(one).collect()
}

/// A built-in scene, by its string.
///
/// # Errors
/// None that a string of ours can meet.
pub fn builtin(scene: &str) -> Result<SceneData, PickError> {
    load(scene).map_err(|error| PickError::broken(error.to_string()))
}

/// The mesh of a scene that has one.
///
/// # Errors
/// None that a built-in scene can meet.
pub fn mesh(data: &SceneData) -> Result<MeshData, PickError> {
    match data.meshes.first() {
        Some(mesh) => mesh.to_core(),
        None => Err(PickError::broken("a scene without a mesh")),
    }
}

/// How far a scene reaches from the origin.
pub fn radius(data: &SceneData) -> f64 {
    data.world_bounds().map_or(1.0, |bounds| {
        bounds.min.abs().max(bounds.max.abs()).length()
    })
}

/// Objects that all have one mesh.
pub struct Objects {
    /// What is picked from.
    pub scene: Scene,
    /// Where each object is.
    pub places: Vec<DMat4>,
    /// Its key.
    pub keys: Vec<ObjectKey>,
}

impl Objects {
    /// Gives a scene's objects to a backend, all made of its first mesh.
    ///
    /// # Errors
    /// What the backend refuses.
    pub fn build<B: Backend>(backend: &mut B, data: &SceneData) -> Result<Self, PickError> {
        let mut scene = Scene::new();
        let mesh = scene.meshes.add_mesh(backend, mesh(data)?)?;
        let places: Vec<DMat4> = data.objects.iter().map(|o| o.world_from_object).collect();
        let insert = |(tag, place): (u64, &DMat4)| {
            let object = Object::new(mesh).at(*place).tagged(tag);
            scene.meshes.insert(object)
        };
        let keys: Result<_, PickError> = (0..).zip(&places).map(insert).collect();
        Ok(Self {
            keys: keys?,
            scene,
            places,
        })
    }
}

/// How copies lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A position and a scale in a buffer of the host's.
    PositionScale,
    /// Four columns in a buffer of the host's.
    Columns4x4,
    /// Rows that the CPU has; where a backend knows no buffers.
    Rows,
}

impl Layout {
    /// For a person.
    pub fn name(self) -> &'static str {
        match self {
            Self::PositionScale => "16 bytes",
            Self::Columns4x4 => "64 bytes",
            Self::Rows => "48 bytes",
        }
    }

    fn format(self) -> InstanceFormat {
        match self {
            Self::PositionScale => InstanceFormat::PositionScale,
            Self::Columns4x4 => InstanceFormat::Columns4x4,
            Self::Rows => InstanceFormat::Rows3x4,
        }
    }
}

/// Copies of one cube in a lattice.
pub struct Cubes {
    data: SceneData,
    layout: Layout,
}

/// How far the copies of a changed set are from where they were.
const SHIFT: f32 = 0.125;

impl Cubes {
    /// So many copies, in the lattice's order or shuffled.
    ///
    /// # Errors
    /// None for counts that the built-in scene has.
    pub fn new(count: u32, layout: Layout, shuffled: bool) -> Result<Self, PickError> {
        let shuffle = u8::from(shuffled);
        let data = builtin(&format!(
            "builtin:instances?count={count}&shuffle={shuffle}"
        ))?;
        Ok(Self { data, layout })
    }

    /// How many.
    pub fn count(&self) -> u32 {
        self.rows().len() as u32
    }

    /// One object that draws the cube at all places of a set.
    ///
    /// # Errors
    /// What the backend refuses.
    pub fn stage<B: Backend>(
        &self,
        backend: &mut B,
        source: InstanceSource,
    ) -> Result<(Scene, InstancesKey), PickError> {
        let mut scene = Scene::new();
        let mesh = scene.meshes.add_mesh(backend, mesh(&self.data)?)?;
        let set = scene.meshes.add_instances(backend, source)?;
        scene.meshes.insert(Object::new(mesh).instanced(set))?;
        Ok((scene, set))
    }

    /// A view of all.
    ///
    /// # Errors
    /// None.
    pub fn view(&self) -> Result<View, PickError> {
        let side = f64::from(self.count()).cbrt().ceil();
        view(side * 3f64.sqrt())
    }

    /// What a host's buffer holds of them; `changed`: each is elsewhere.
    pub fn contents(&self, changed: bool) -> Vec<u8> {
        let shift = if changed { SHIFT } else { 0.0 };
        let mut words = Vec::new();
        for rows in self.rows() {
            let [x, y, z] = rows.map(|row| row[3]);
            let place = [x + shift, y, z, 1.0];
            if self.layout == Layout::Columns4x4 {
                words.extend([1.0, 0.0, 0.0, 0.0]);
                words.extend([0.0, 1.0, 0.0, 0.0]);
                words.extend([0.0, 0.0, 1.0, 0.0]);
            }
            words.extend(place);
        }
        words.into_iter().flat_map(f32::to_le_bytes).collect()
    }

    /// The set in a host's buffer.
    pub fn in_buffer(&self, buffer: BufferId) -> InstanceSource {
        let side = f64::from(self.count()).cbrt().ceil() as f32;
        let reach = glam::Vec3::splat(side + SHIFT);
        HostInstances::new(buffer, self.layout.format(), self.count())
            .translation_bounds(Aabb {
                min: -reach,
                max: reach,
            })
            .into()
    }

    /// The set on the CPU; `changed`: each is elsewhere.
    pub fn on_cpu(&self, changed: bool) -> InstanceSource {
        let shift = if changed { SHIFT } else { 0.0 };
        let moved = |rows: &[[f32; 4]; 3]| {
            let mut rows = *rows;
            rows[0][3] += shift;
            rows
        };
        InstanceSource::Cpu(self.rows().iter().map(moved).collect::<Arc<[_]>>())
    }

    fn rows(&self) -> &[[[f32; 4]; 3]] {
        self.data.instances.first().map_or(&[], |set| &set.rows)
    }
}
