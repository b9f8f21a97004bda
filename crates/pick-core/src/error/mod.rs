//! One opaque error whose kind tells "your input" from "not supported here", "broken" and "lost".

mod input;

pub use input::InputError;

use std::borrow::Cow;
use std::fmt;

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
    /// Storage buffers that the fragment stage writes.
    FragmentStorage,
    /// Compute shaders that read what was drawn.
    Kernels,
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
            Self::FragmentStorage => "storage writes in the fragment stage",
            Self::Kernels => "compute kernels",
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

impl std::error::Error for PickError {}

impl From<InputError> for PickError {
    fn from(input: InputError) -> Self {
        Self::new(ErrorKind::Input(input))
    }
}
