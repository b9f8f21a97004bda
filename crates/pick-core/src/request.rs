//! What is asked: a place, a camera, a strategy, and who may answer.

use std::marker::PhantomData;
use std::sync::Arc;

use glam::DVec2;

use crate::error::{InputError, PickError};
use crate::found::{AreaHits, DrillHits, NearHit};
use crate::hit::{Hit, IdImage};
use crate::point::PickPoint;
use crate::query::{Area, Disc, MOST_DRILLED, PickRect, Points, Query, Through};
use crate::rect::PixelRect;
use crate::strategy::{AnyStrategy, Detailed, IntegerId};
use crate::view::View;

/// Where a fragment's triangle number comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PrimitiveSource {
    /// The builtin once it is trusted, else pulled, else expanded vertices; of copies of large meshes pulled
    /// where they can be, so that runs of their triangles can be left out.
    #[default]
    Auto,
    /// The fragment stage's builtin.
    Builtin,
    /// Vertices pulled from storage buffers.
    Pulled,
    /// A de-indexed copy of the vertices.
    Expanded,
}

/// Where the surface of a detailed hit comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SurfaceSource {
    /// The CPU where it has the geometry, else the GPU.
    #[default]
    Auto,
    /// Always the GPU.
    Gpu,
}

/// Which sides can be hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CullPolicy {
    /// Both.
    #[default]
    None,
    /// Fronts only.
    Back,
    /// Backs only.
    Front,
    /// Fronts only, but both sides of double-sided parts.
    Material,
}

/// Whether a pick leaves out what its pixels cannot see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Culling {
    /// It does. The answer is the same, and costs what is under the cursor.
    #[default]
    On,
    /// Everything is drawn: to compare with.
    Off,
    /// It does, by boxes a hundredth too small: tests of culling must notice.
    #[doc(hidden)]
    Short,
}

impl Culling {
    /// By what boxes are multiplied.
    pub(crate) fn box_scale(self) -> f64 {
        match self {
            Self::On | Self::Off => 1.0,
            Self::Short => 0.99,
        }
    }
}

/// Where the pixels of a batch, a disc or an area become an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reduce {
    /// On the device where it runs kernels and they can read the strategy's texels, so that what is read back
    /// grows with the answer; else on the CPU.
    #[default]
    Auto,
    /// On the CPU, of every pixel read back: to compare with. The answer is the same.
    Cpu,
}

/// How a pick is made; the defaults suit most.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PickOptions {
    /// How ids get into texels. Default: detailed.
    pub strategy: AnyStrategy,
    /// Where triangle numbers come from.
    pub primitive_source: PrimitiveSource,
    /// Where the surface comes from.
    pub surface: SurfaceSource,
    /// Which sides can be hit.
    pub cull: CullPolicy,
    /// Objects that share a bit with this mask take part. Default: all.
    pub layers: u32,
    /// Whether what the pixels cannot see is left out. Default: it is.
    pub culling: Culling,
    /// Where pixels become an answer.
    pub reduce: Reduce,
    /// Shows in GPU debuggers.
    pub label: Option<Arc<str>>,
    /// The answer must come within this time after it was sent, in milliseconds; it is looked at when
    /// somebody polls or waits. Default: 10,000.
    pub timeout_ms: u64,
    #[doc(hidden)]
    pub first_id: u32,
}

impl Default for PickOptions {
    fn default() -> Self {
        Self {
            strategy: Detailed.into(),
            primitive_source: PrimitiveSource::Auto,
            surface: SurfaceSource::Auto,
            cull: CullPolicy::None,
            layers: u32::MAX,
            culling: Culling::On,
            reduce: Reduce::Auto,
            label: None,
            timeout_ms: 10_000,
            first_id: 1,
        }
    }
}

/// A question with everything it depends on but the scene. It comes back with its answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AnyRequest {
    /// The camera.
    pub view: View,
    /// The question.
    pub query: Query,
    /// How.
    pub options: PickOptions,
}

/// A question whose answer has type `A`.
#[derive(Debug)]
pub struct Request<A> {
    pub(crate) any: AnyRequest,
    answer: PhantomData<fn() -> A>,
}

impl<A> Clone for Request<A> {
    fn clone(&self) -> Self {
        Self {
            any: self.any.clone(),
            answer: PhantomData,
        }
    }
}

impl Request<Option<Hit>> {
    /// Asks for the nearest thing at a place.
    ///
    /// # Errors
    /// Input errors for a place that is not finite or outside the viewport.
    pub fn point(view: &View, at: PickPoint) -> Result<Self, PickError> {
        let pixel = at.pixel(view)?;
        Ok(Self::new(view, Query::Point { pixel }))
    }
}

impl Request<Vec<Option<Hit>>> {
    /// Asks for the nearest thing at each of some places, in one submission; the answer is in their order.
    ///
    /// # Errors
    /// As [`Request::point`], of the first place that has any; [`InputError::PointCount`] for none, or more
    /// than 2^20.
    pub fn points(
        view: &View,
        places: impl IntoIterator<Item = PickPoint>,
    ) -> Result<Self, PickError> {
        let pixels = places.into_iter().map(|place| place.pixel(view));
        let points = Points::new(pixels.collect::<Result<_, _>>()?)?;
        Ok(Self::new(view, Query::Points(points)))
    }
}

impl Request<Option<NearHit>> {
    /// Asks for the thing at a place or, where there is nothing, around it: among all whose nearest pixel is
    /// within `radius_px` (0 to 64) of the place's, measured between pixel centres, the highest band wins,
    /// then the smallest distance, then what is nearer to the eye.
    ///
    /// # Errors
    /// As [`Request::point`]; [`InputError::BadRadius`].
    pub fn near(view: &View, at: PickPoint, radius_px: f64) -> Result<Self, PickError> {
        let disc = Disc::new(at.pixel(view)?, radius_px, view.viewport())?;
        Ok(Self::new(view, Query::Near(disc)))
    }
}

impl Request<AreaHits> {
    /// Asks for everything that a rectangle shows, each object or instance once. The strategy is integer-ID
    /// unless another is asked for.
    ///
    /// # Errors
    /// [`InputError::InvertedRect`], [`InputError::PointNotFinite`]; [`InputError::EmptyRegion`] where no
    /// pixel's centre is inside.
    pub fn rect(view: &View, rect: impl Into<PickRect>) -> Result<Self, PickError> {
        Ok(Self::area(view, Area::rect(rect.into(), view.viewport())?))
    }

    /// Asks for everything that a polygon shows, each object or instance once: points in target pixels, the
    /// inside by the even-odd rule at pixel centres. The strategy is integer-ID unless another is asked for.
    ///
    /// # Errors
    /// [`InputError::LassoPoints`] for fewer than three points, [`InputError::LassoPoint`] for one that is
    /// no place; [`InputError::EmptyRegion`] where no pixel's centre is inside.
    pub fn lasso(view: &View, points: &[DVec2]) -> Result<Self, PickError> {
        Ok(Self::area(view, Area::lasso(points, view.viewport())?))
    }

    /// Finds this of what is there.
    pub fn through(mut self, through: Through) -> Self {
        if let Query::Area(area) = &mut self.any.query {
            area.set_through(through);
        }
        self
    }

    fn area(view: &View, area: Area) -> Self {
        Self::new(view, Query::Area(area)).strategy(IntegerId)
    }

    /// Names so many things at most (at least 1; default: 65,536); of more, those drawn last are only
    /// counted.
    pub fn capacity(mut self, capacity: u32) -> Self {
        if let Query::Area(area) = &mut self.any.query {
            area.set_capacity(capacity);
        }
        self
    }
}

impl Request<DrillHits> {
    /// Asks for everything under a place, also what is hidden, in the order in which it would be seen if what is
    /// before it were taken away: the nearest `most` (1 to 65,536).
    ///
    /// # Errors
    /// As [`Request::point`]; [`InputError::DrillCount`].
    pub fn drill(view: &View, at: PickPoint, most: u32) -> Result<Self, PickError> {
        if !(1..=MOST_DRILLED).contains(&most) {
            return Err(InputError::DrillCount {
                count: most,
                limit: MOST_DRILLED,
            }
            .into());
        }
        let pixel = at.pixel(view)?;
        Ok(Self::new(view, Query::Drill { pixel, most }))
    }
}

impl Request<IdImage> {
    /// Asks for the nearest thing at every pixel of a rectangle given in target pixels; what
    /// overhangs the viewport is cut off.
    ///
    /// # Errors
    /// [`InputError::EmptyRegion`] when nothing is left.
    pub fn id_image(view: &View, region: PixelRect) -> Result<Self, PickError> {
        let inside = region.intersection(view.viewport());
        let region = inside.ok_or(InputError::EmptyRegion)?;
        Ok(Self::new(view, Query::IdImage { region }))
    }
}

impl<A> Request<A> {
    fn new(view: &View, query: Query) -> Self {
        Self {
            any: AnyRequest {
                view: *view,
                query,
                options: PickOptions::default(),
            },
            answer: PhantomData,
        }
    }

    /// Replaces all options.
    pub fn with(mut self, options: PickOptions) -> Self {
        self.any.options = options;
        self
    }

    /// Picks by this strategy.
    pub fn strategy(mut self, strategy: impl Into<AnyStrategy>) -> Self {
        self.any.options.strategy = strategy.into();
        self
    }

    /// Takes triangle numbers from here.
    pub fn primitive_source(mut self, source: PrimitiveSource) -> Self {
        self.any.options.primitive_source = source;
        self
    }

    /// Takes the surface from here.
    pub fn surface(mut self, source: SurfaceSource) -> Self {
        self.any.options.surface = source;
        self
    }

    /// Leaves these sides out.
    pub fn cull(mut self, cull: CullPolicy) -> Self {
        self.any.options.cull = cull;
        self
    }

    /// Sees these layers.
    pub fn layers(mut self, layers: u32) -> Self {
        self.any.options.layers = layers;
        self
    }

    /// Leaves out what the pixels cannot see, or draws everything.
    pub fn culling(mut self, culling: Culling) -> Self {
        self.any.options.culling = culling;
        self
    }

    /// Makes the answer of pixels here.
    pub fn reduce(mut self, reduce: Reduce) -> Self {
        self.any.options.reduce = reduce;
        self
    }

    /// Shows this label in GPU debuggers.
    pub fn label(mut self, label: impl Into<Arc<str>>) -> Self {
        self.any.options.label = Some(label.into());
        self
    }

    /// Waits so long for the answer.
    pub fn timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.any.options.timeout_ms = timeout_ms;
        self
    }

    /// Starts ids here instead of at 1; for tests at the limits of an encoding.
    #[doc(hidden)]
    pub fn first_id(mut self, first_id: u32) -> Self {
        self.any.options.first_id = first_id;
        self
    }
}
