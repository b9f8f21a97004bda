//! Answers: what was hit, and the request it answers.

use glam::{DVec2, DVec3};

use crate::contributor::ContributorId;
use crate::cull::CullReport;
use crate::error::PickError;
use crate::found::{AreaHits, DrillHits, NearHit};
use crate::frozen::Frozen;
use crate::rect::PixelRect;
use crate::registry::ObjectKey;
use crate::request::{AnyRequest, SurfaceSource};
use crate::samples::Samples;
use crate::view::PickRay;

/// Why a part of an answer is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Withheld {
    /// The strategy does not give it.
    Strategy,
    /// The object is not instanced.
    NotInstanced,
    /// The three vertices cannot be read on the CPU.
    NoCpuGeometry,
    /// The mesh has no vertex normals there.
    NoNormals,
    /// The mesh has no texture coordinates there.
    NoUvs,
    /// The mesh has no face groups.
    NoFaces,
    /// The object was found as a whole.
    WholeObject,
    /// The device cannot read the depth back.
    DepthUnreadable,
    /// The triangle is too thin, the normals cancel out, or the texture coordinates are no numbers.
    Degenerate,
    /// The thing hit is not made of this library's triangles.
    NotTriangles,
}

/// A part of an answer, or why it is not given.
pub type Given<T> = Result<T, Withheld>;

/// The nearest thing at a pixel.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// Who offered it.
    pub contributor: ContributorId,
    /// The object; `None` for contributors without such keys.
    pub object: Option<ObjectKey>,
    /// The object was removed between the request and its answer.
    pub removed: bool,
    /// The user's own word.
    pub tag: u64,
    /// Which part of the mesh, or which of a foreign contributor's ids.
    pub part: u32,
    /// Original index in the instance set.
    pub instance: Given<u32>,
    /// The triangle's number in the part.
    pub primitive: Given<u32>,
    /// The face group.
    pub face: Given<u32>,
    /// The fragment's depth, 0..1 by the view's convention.
    pub depth: Given<f32>,
    /// World space.
    pub point: Given<DVec3>,
    /// World units from the ray's origin to the point.
    pub distance: Given<f64>,
    /// The ray met the side from which the local winding is counter-clockwise.
    pub front_facing: Given<bool>,
    /// The surface at the point.
    pub surface: Surface,
    /// The ray through the pixel's centre.
    pub ray: PickRay,
}

/// The surface at a hit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Surface {
    /// Weights of the triangle's vertices 0, 1, 2 in the caller's order; each in 0..=1, sum 1.
    pub barycentric: Given<[f64; 3]>,
    /// Unit, world space, to the side from which the local winding is counter-clockwise, also under
    /// mirroring transforms.
    pub face_normal: Given<DVec3>,
    /// Unit, world space: the vertex normals interpolated, by the inverse transpose.
    pub normal: Given<DVec3>,
    /// Interpolated texture coordinates.
    pub uv: Given<[f64; 2]>,
}

impl Surface {
    /// Nothing is given, for one and the same reason.
    pub(crate) fn withheld(why: Withheld) -> Self {
        Self {
            barycentric: Err(why),
            face_normal: Err(why),
            normal: Err(why),
            uv: Err(why),
        }
    }
}

/// An answer with its request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer<A> {
    /// The answer itself. A miss is an answer: `None` of a point.
    pub result: A,
    /// What was asked, with the camera as it was then.
    pub request: AnyRequest,
    /// Counts the picker's requests from 1, in the order they were made.
    pub sequence: u64,
    /// How many polls found it not ready.
    pub late_polls: u32,
    /// What it took.
    pub report: Report,
}

/// What a pick took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Draws and foreign recordings.
    pub items: usize,
    /// Passes over them: more than one for stencil planes and bands.
    pub passes: u32,
    /// Bytes read back.
    pub bytes_read_back: u64,
    /// Stencil planes; 0 but for stencil-ID.
    pub stencil_planes: u32,
    /// Kernels made the answer of all pixels on the device, and only that was read back.
    pub reduced_on_device: bool,
    /// What culling looked at and left.
    pub culling: CullReport,
}

/// What kinds of answer there are.
pub trait Outcome: Sized + Send + 'static {
    /// The nearest hit, if the answer has one.
    fn nearest(&self) -> Option<&Hit>;

    /// The id image, if the answer is one.
    fn id_image(&self) -> Option<&IdImage>;

    #[doc(hidden)]
    fn from_any(any: AnyOutcome) -> Option<Self>;
}

/// An answer of any kind, on its way to its ticket. Hits are not boxed: a point's answer must not allocate.
#[doc(hidden)]
#[derive(Debug)]
pub enum AnyOutcome {
    /// Of a point.
    Point(Option<Hit>),
    /// Of a batch.
    Points(Vec<Option<Hit>>),
    /// Of a disc.
    Near(Option<NearHit>),
    /// Of a rectangle or a lasso.
    Area(AreaHits),
    /// Of a drill.
    Drill(DrillHits),
    /// Of an id image.
    IdImage(Box<IdImage>),
}

/// The nearest thing at every pixel of a region.
#[derive(Clone, Debug)]
pub struct IdImage {
    pub(crate) region: PixelRect,
    pub(crate) samples: Samples,
    pub(crate) frozen: Frozen,
    pub(crate) surface: SurfaceSource,
}

impl IdImage {
    /// The pixels, in target pixels.
    pub fn region(&self) -> PixelRect {
        self.region
    }

    /// Raw texel values in row order. Ids mean nothing outside this image.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// The hit at a column and row of the region; `None` where there is nothing, and outside.
    ///
    /// # Errors
    /// `UnknownId` and `UnknownPrimitive` for texels that this pick cannot have drawn.
    pub fn hit(&self, column: u32, row: u32) -> Result<Option<Hit>, PickError> {
        if column >= self.region.width || row >= self.region.height {
            return Ok(None);
        }
        let index = row as usize * self.region.width as usize + column as usize;
        let Some(sample) = self.samples.get(index) else {
            return Ok(None);
        };
        let center: DVec2 = self.region.pixel_center(column, row);
        self.frozen.resolve(&sample, center, self.surface)
    }
}

impl Outcome for IdImage {
    /// None: every pixel has its own.
    fn nearest(&self) -> Option<&Hit> {
        None
    }

    fn id_image(&self) -> Option<&IdImage> {
        Some(self)
    }

    fn from_any(any: AnyOutcome) -> Option<Self> {
        match any {
            AnyOutcome::IdImage(image) => Some(*image),
            _ => None,
        }
    }
}
