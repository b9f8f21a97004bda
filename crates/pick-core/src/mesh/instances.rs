//! Static instance sets: affine transforms, uploaded or in a host's buffer.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3};

use crate::error::PickError;
use crate::layout::flags;
use crate::mesh::Aabb;
use crate::mesh::build::bad;
use crate::registry::BufferId;

/// How one instance's object-from-instance transform lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InstanceFormat {
    /// Three rows of four f32: the affine 3x4 matrix, row-major; 48 bytes.
    Rows3x4,
    /// Four columns of four f32, column-major; 64 bytes. The w lanes are not read.
    Columns4x4,
    /// A position and a scale, four f32; 16 bytes. Nothing is turned: for particles, not for turned parts.
    PositionScale,
}

impl InstanceFormat {
    /// Its bit of [`flags`]; 0 for rows.
    pub fn flag(self) -> u32 {
        match self {
            Self::Rows3x4 => 0,
            Self::Columns4x4 => flags::INSTANCE_COLUMNS,
            Self::PositionScale => flags::INSTANCE_POSITION_SCALE,
        }
    }

    /// Bytes an instance takes.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Rows3x4 => 48,
            Self::Columns4x4 => 64,
            Self::PositionScale => 16,
        }
    }
}

impl From<HostInstances> for InstanceSource {
    fn from(host: HostInstances) -> Self {
        Self::Host(host)
    }
}

/// The transforms of an instance set.
#[derive(Clone, Debug)]
pub enum InstanceSource {
    /// Row-major 3x4 affine matrices that the backend uploads. An instance whose matrix has an entry
    /// that is not finite is never hit; one that is flattened is hit flat, as it is drawn.
    Cpu(Arc<[[[f32; 4]; 3]]>),
    /// In a host's buffer.
    Host(HostInstances),
}

/// Instance transforms in a host's buffer, one behind the other without gaps: transforms that lie among other data
/// of an instance need a buffer of their own.
///
/// Copies of a mesh whose box is known are culled on the device, one by one; what is told below serves the set as
/// a whole.
///
/// Whoever changes what lies there, one copy or all, tells so by [`crate::MeshContributor::update_instances`], after the
/// work that writes was submitted or recorded ahead of the pick: picks find instances by bounds that
/// are built when the contents changed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HostInstances {
    /// Where.
    pub buffer: BufferId,
    /// Byte offset of instance 0; a multiple of 256.
    pub offset: u64,
    /// How one lies in memory.
    pub format: InstanceFormat,
    /// How many.
    pub count: u32,
    /// The box around all translations, if known. With it, sets far from their object's origin
    /// keep their precision.
    pub translation_bounds: Option<Aabb>,
    /// The most that any copy enlarges a length, if known: 1 where copies are only turned and moved.
    /// With it and the box around the translations, a set that a pick cannot see costs it nothing.
    pub max_scale: Option<f32>,
}

impl HostInstances {
    /// The first `count` transforms of a buffer, of which nothing more is known.
    pub fn new(buffer: BufferId, format: InstanceFormat, count: u32) -> Self {
        Self {
            buffer,
            offset: 0,
            format,
            count,
            translation_bounds: None,
            max_scale: None,
        }
    }

    /// Instance 0 lies so many bytes into the buffer; a multiple of 256.
    pub fn offset(mut self, offset: u64) -> Self {
        self.offset = offset;
        self
    }

    /// All translations lie in this box. It must hold, else instances are missed.
    pub fn translation_bounds(mut self, bounds: Aabb) -> Self {
        self.translation_bounds = Some(bounds);
        self
    }

    /// No copy enlarges a length by more than this. It must hold, else instances are missed.
    pub fn max_scale(mut self, max_scale: f32) -> Self {
        self.max_scale = Some(max_scale);
        self
    }

    fn check(&self) -> Result<(), PickError> {
        if !self.offset.is_multiple_of(256) {
            return bad("instances", "the offset must be a multiple of 256");
        }
        if self.offset > 1 << 40 {
            return bad("instances", "the offset must stay below 2^40");
        }
        if self.count > i32::MAX as u32 {
            return bad("instances", "at most 2^31 - 1");
        }
        if !self.translation_bounds.as_ref().is_none_or(Aabb::is_sound) {
            let fault = "they must be finite, and min at most max";
            return bad("translation bounds", fault);
        }
        if !self
            .max_scale
            .is_none_or(|scale| scale.is_finite() && scale >= 0.0)
        {
            return bad("largest scale", "it must be finite and not negative");
        }
        Ok(())
    }
}

impl InstanceSource {
    /// How many instances.
    pub fn count(&self) -> u32 {
        match self {
            Self::Cpu(rows) => rows.len() as u32,
            Self::Host(host) => host.count,
        }
    }

    /// How one instance lies in memory.
    pub fn format(&self) -> InstanceFormat {
        match self {
            Self::Cpu(_) => InstanceFormat::Rows3x4,
            Self::Host(host) => host.format,
        }
    }

    /// The transforms where they are readable on the CPU.
    pub fn cpu_rows(&self) -> Option<&Arc<[[[f32; 4]; 3]]>> {
        match self {
            Self::Cpu(rows) => Some(rows),
            Self::Host(_) => None,
        }
    }

    /// The same set for drawing: matrices that are not finite become all zero, which covers nothing on
    /// any driver, and every other keeps its number.
    pub(crate) fn drawable(self) -> Self {
        let finite = |rows: &[[f32; 4]; 3]| rows.iter().flatten().all(|v| v.is_finite());
        match self {
            Self::Cpu(rows) if !rows.iter().all(finite) => {
                let kept = |rows: &[[f32; 4]; 3]| if finite(rows) { *rows } else { [[0.0; 4]; 3] };
                Self::Cpu(rows.iter().map(kept).collect())
            }
            source => source,
        }
    }

    /// The box around all translations.
    pub fn translation_bounds(&self) -> Option<Aabb> {
        let rows = match self {
            Self::Cpu(rows) => rows,
            Self::Host(host) => return host.translation_bounds,
        };
        Aabb::around(rows.iter().map(|r| [r[0][3], r[1][3], r[2][3]]))
    }

    /// Checks what can be checked without the device.
    ///
    /// # Errors
    /// [`crate::InputError::BadMesh`] for more than 2^31 - 1 instances, an offset that cannot be bound,
    /// and bounds that are no numbers or inside out.
    pub fn check(&self) -> Result<(), PickError> {
        match self {
            Self::Cpu(rows) if rows.len() > i32::MAX as usize => {
                bad("instances", "at most 2^31 - 1")
            }
            Self::Cpu(_) => Ok(()),
            Self::Host(host) => host.check(),
        }
    }
}

/// A row-major 3x4 f32 matrix as an f64 transform.
pub fn affine_from_rows(rows: &[[f32; 4]; 3]) -> DAffine3 {
    let at = |row: usize, column: usize| f64::from(rows[row][column]);
    let column = |c| DVec3::new(at(0, c), at(1, c), at(2, c));
    DAffine3 {
        matrix3: DMat3::from_cols(column(0), column(1), column(2)),
        translation: column(3),
    }
}
