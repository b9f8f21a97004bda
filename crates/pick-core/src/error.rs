//! One opaque error whose kind tells "your input" from "not supported here", "broken" and "lost".

use std::borrow::Cow;
use std::fmt;

use crate::depth::DepthConvention;
use crate::rect::Viewport;

/// What went wrong with a pick, a mesh or a device.
///
/// Opaque so that it can carry more later; match on [`PickError::kind`].
#[derive(Clone, Debug, PartialEq)]
pub struct PickError {
    kind: ErrorKind,
}

impl PickError {
    /// Wraps a kind. Backends and contributors make their errors this way.
    pub fn new(kind: ErrorKind) -> Self {
        Self { kind }
    }

    /// What went wrong, with the numbers.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// A capability that this device, driver or backend lacks.
    pub fn unsupported(capability: Capability, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Unsupported {
            capability,
            detail: detail.into(),
        })
    }

    /// Something that should work and did not.
    pub fn broken(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Broken {
            detail: detail.into(),
        })
    }

    /// True when the caller's input is at fault and asking again unchanged cannot help.
    pub fn is_input(&self) -> bool {
        matches!(self.kind, ErrorKind::Input(_))
    }

    /// True when this device, driver or backend lacks something by nature.
    pub fn is_unsupported(&self) -> bool {
        matches!(self.kind, ErrorKind::Unsupported { .. })
    }
}

/// The kinds of [`PickError`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller's input cannot be answered; the numbers say why.
    Input(InputError),
    /// This device, driver or backend lacks a capability.
    Unsupported {
        /// What is lacking.
        capability: Capability,
        /// Who lacks it and what to use instead.
        detail: Cow<'static, str>,
    },
    /// Every readback slot is in flight; poll, then ask again.
    Busy {
        /// How many requests are in flight.
        in_flight: usize,
    },
    /// The answer did not arrive in the request's time.
    TimedOut {
        /// The time it was given, in milliseconds.
        timeout_ms: u64,
    },
    /// The triangle can be named only by the primitive-index builtin, whose self-test has not been read;
    /// prepare the request once, then record it.
    NotPrepared,
    /// A newer hover took this one's place before it was sent.
    Superseded,
    /// The recording that held this pick was dropped before it was submitted.
    Cancelled,
    /// The picker was dropped while this pick was under way.
    PickerDropped,
    /// The device is lost; make a new one.
    DeviceLost {
        /// What the driver or the host said.
        reason: Cow<'static, str>,
    },
    /// A texel names an id that this pick never handed out.
    UnknownId {
        /// The id read back.
        id: u32,
        /// How many ids the pick had handed out.
        handed_out: u64,
    },
    /// A texel names a triangle that the mesh does not have.
    UnknownPrimitive {
        /// The triangle number read back.
        primitive: u32,
        /// How many triangles the drawn part has.
        count: u32,
    },
    /// Something that should work and did not: a driver, or this library.
    Broken {
        /// What happened.
        detail: Cow<'static, str>,
    },
}

/// Inputs that cannot be answered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputError {
    /// A coordinate of the picked point is not a number or is infinite.
    PointNotFinite {
        /// As given.
        x: f64,
        /// As given.
        y: f64,
    },
    /// The picked point lies outside the viewport.
    PointOutside {
        /// In target pixels.
        x: f64,
        /// In target pixels.
        y: f64,
        /// The view's viewport, in target pixels.
        viewport: Viewport,
    },
    /// A scale from logical to target pixels must be finite and above zero.
    BadScale {
        /// As given.
        scale: f64,
    },
    /// The viewport has no pixels.
    EmptyViewport {
        /// In target pixels.
        width: u32,
        /// In target pixels.
        height: u32,
    },
    /// The viewport's far corner is beyond what a target can have.
    ViewportTooLarge {
        /// As given.
        viewport: Viewport,
    },
    /// A camera matrix has an entry that is not finite, or cannot be inverted.
    BadMatrix {
        /// Which one, such as `clip_from_view`.
        which: &'static str,
        /// `not finite`, `singular`, or too large.
        fault: &'static str,
    },
    /// The projection's depth runs against the view's depth convention.
    DepthMismatch {
        /// The convention the view states.
        stated: DepthConvention,
    },
    /// A projection parameter is out of its range.
    BadProjection {
        /// Which one.
        which: &'static str,
        /// As given.
        value: f64,
        /// The range it must be in.
        range: &'static str,
    },
    /// A region has no pixels inside the viewport.
    EmptyRegion,
    /// A region is larger than one target of this device can be.
    RegionTooLarge {
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
        /// The device's limit for a side, in pixels.
        limit: u32,
    },
    /// A key or id that another scene or device made.
    ForeignKey {
        /// What it names.
        what: &'static str,
    },
    /// A key whose thing was removed.
    RemovedKey {
        /// What it named.
        what: &'static str,
    },
    /// An object's or instance's transform is not affine and finite.
    BadTransform {
        /// What carries it.
        what: &'static str,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// A mesh's or instance set's description does not hold together.
    BadMesh {
        /// Which part.
        what: &'static str,
        /// What is wrong and what it must be.
        fault: Cow<'static, str>,
    },
    /// An index points beyond the vertices.
    IndexOutOfRange {
        /// Position in the index list.
        element: u64,
        /// The index there.
        index: u32,
        /// How many vertices there are.
        vertex_count: u64,
    },
    /// A host buffer lacks a usage or a size.
    BadBuffer {
        /// Which stream.
        what: &'static str,
        /// What it lacks.
        fault: Cow<'static, str>,
    },
    /// The pick would need more ids than its strategy can tell apart.
    IdsExhausted {
        /// How many this offer asked for.
        asked: u64,
        /// How many were left.
        left: u64,
    },
    /// A timeout of the request is out of range.
    BadTimeout,
    /// A batch asks about no pixel, or about too many.
    PointCount {
        /// How many.
        count: usize,
        /// How many are answered at most.
        limit: usize,
    },
    /// A radius is no number, negative, or beyond the limit.
    BadRadius {
        /// As given, in pixels.
        radius_px: f64,
        /// In pixels.
        limit: f64,
    },
    /// A rectangle's width or height is below zero.
    InvertedRect {
        /// In target pixels.
        width: f64,
        /// In target pixels.
        height: f64,
    },
    /// A lasso needs three points to enclose anything.
    LassoPoints {
        /// How many it has.
        count: usize,
    },
    /// A lasso's point is no number, or further away than 2^30 pixels.
    LassoPoint {
        /// Position among the points.
        index: usize,
        /// As given.
        x: f64,
        /// As given.
        y: f64,
    },
}

/// What a device, driver or backend may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// The fragment stage's primitive-index builtin.
    PrimitiveIndex,
    /// Storage buffers in the vertex stage, or storage usage on the host's buffers.
    VertexPulling,
    /// A de-indexed copy of the geometry, which needs the geometry on the CPU.
    ExpandedGeometry,
    /// Geometry on the CPU.
    CpuGeometry,
    /// A render target format that can be copied back.
    TargetFormat,
    /// Reading a stencil back.
    StencilRead,
    /// Shaders: the CPU backend runs none.
    Shaders,
    /// Foreign draws: the CPU backend runs none.
    ForeignDraw,
    /// Recording into a host's own command stream.
    HostRecording,
    /// A buffer binding of the size asked for.
    BufferSize,
    /// No device or driver of this kind is here.
    Device,
    /// Waiting: a browser cannot.
    Waiting,
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PrimitiveIndex => "primitive-index builtin",
            Self::VertexPulling => "vertex pulling",
            Self::ExpandedGeometry => "expanded geometry",
            Self::CpuGeometry => "geometry on the CPU",
            Self::TargetFormat => "target format",
            Self::StencilRead => "stencil read-back",
            Self::Shaders => "shaders",
            Self::ForeignDraw => "foreign draws",
            Self::HostRecording => "host recording",
            Self::BufferSize => "buffer size",
            Self::Device => "device",
            Self::Waiting => "blocking wait",
        })
    }
}

impl fmt::Display for PickError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::Input(input) => input.fmt(f),
            ErrorKind::Unsupported { capability, detail } => {
                write!(f, "not supported here: {capability}: {detail}")
            }
            ErrorKind::Busy { in_flight } => write!(
                f,
                "all {in_flight} readback slots are in flight: poll the picker, then ask again"
            ),
            ErrorKind::TimedOut { timeout_ms } => {
                write!(f, "no answer within {timeout_ms} ms")
            }
            ErrorKind::NotPrepared => f.write_str(
                "only the primitive-index builtin can name these triangles, and its self-test has not \
                 been read: call Picker::prepare once before recording into a host's commands",
            ),
            ErrorKind::Superseded => f.write_str("a newer hover took this one's place"),
            ErrorKind::Cancelled => {
                f.write_str("the recording that held this pick was dropped before it was submitted")
            }
            ErrorKind::PickerDropped => f.write_str("the picker was dropped"),
            ErrorKind::DeviceLost { reason } => {
                write!(f, "the device is lost ({reason}): make a new one")
            }
            ErrorKind::UnknownId { id, handed_out } => write!(
                f,
                "the read-back names id {id}, but this pick handed out {handed_out} ids"
            ),
            ErrorKind::UnknownPrimitive { primitive, count } => write!(
                f,
                "the read-back names triangle {primitive} of a part with {count} triangles"
            ),
            ErrorKind::Broken { detail } => write!(f, "broken: {detail}"),
        }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PointNotFinite { x, y } => write!(f, "the point ({x}, {y}) is not finite"),
            Self::PointOutside { x, y, viewport } => write!(
                f,
                "the point ({x}, {y}) lies outside the viewport {viewport}"
            ),
            Self::BadScale { scale } => {
                write!(f, "the pixel scale {scale} must be finite and above 0")
            }
            Self::EmptyViewport { width, height } => {
                write!(f, "a viewport of {width}x{height} has no pixels")
            }
            Self::ViewportTooLarge { viewport } => {
                write!(f, "the viewport {viewport} ends beyond 2^24 pixels")
            }
            Self::BadMatrix { which, fault } => write!(f, "the matrix {which} is {fault}"),
            Self::DepthMismatch { stated } => write!(
                f,
                "the view states {stated} depth, but the projection's depth runs the other way"
            ),
            Self::BadProjection {
                which,
                value,
                range,
            } => write!(f, "the projection's {which} is {value}; it must be {range}"),
            Self::EmptyRegion => f.write_str("the region has no pixel inside the viewport"),
            Self::RegionTooLarge {
                width,
                height,
                limit,
            } => write!(
                f,
                "a region of {width}x{height} is larger than this device's targets ({limit} a side)"
            ),
            Self::ForeignKey { what } => {
                write!(f, "this {what} belongs to another scene or device")
            }
            Self::RemovedKey { what } => write!(f, "this {what} was removed"),
            Self::BadTransform { what, fault } => {
                write!(f, "the transform of the {what} is {fault}")
            }
            Self::BadMesh { what, fault } => write!(f, "bad {what}: {fault}"),
            Self::IndexOutOfRange {
                element,
                index,
                vertex_count,
            } => write!(
                f,
                "index {index} at position {element} points beyond the {vertex_count} vertices"
            ),
            Self::BadBuffer { what, fault } => write!(f, "the buffer for {what} {fault}"),
            Self::IdsExhausted { asked, left } => write!(
                f,
                "{asked} more ids are needed, but the strategy has {left} left"
            ),
            Self::BadTimeout => f.write_str("a timeout must be above 0 ms"),
            Self::PointCount { count, limit } => {
                write!(
                    f,
                    "a batch of {count} points: from 1 to {limit} are answered"
                )
            }
            Self::BadRadius { radius_px, limit } => {
                write!(f, "the radius is {radius_px} px; it must be in 0..={limit}")
            }
            Self::InvertedRect { width, height } => write!(
                f,
                "the rectangle is {width} by {height} px: its right and bottom edges come first"
            ),
            Self::LassoPoints { count } => {
                write!(f, "a lasso of {count} points encloses nothing; it needs 3")
            }
            Self::LassoPoint { index, x, y } => write!(
                f,
                "point {index} of the lasso, ({x}, {y}), is not within 2^30 pixels"
            ),
        }
    }
}

impl std::error::Error for PickError {}

impl From<InputError> for PickError {
    fn from(input: InputError) -> Self {
        Self::new(ErrorKind::Input(input))
    }
}
