//! What a caller may have wrong.

use std::borrow::Cow;
use std::fmt;

use crate::depth::DepthConvention;
use crate::rect::Viewport;

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
    /// A drill asks for no hit, or for too many.
    DrillCount {
        /// How many.
        count: u32,
        /// How many are given at most.
        limit: u32,
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
            Self::DrillCount { count, limit } => {
                write!(f, "a drill of {count} hits: from 1 to {limit} are given")
            }
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
