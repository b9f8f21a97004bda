//! How a draw's vertices reach the shader, by what the device and the mesh have.

use super::Offers;
use crate::backend::PrimitiveIndex;
use crate::contributor::DrawOffer;
use crate::error::{Capability, PickError};
use crate::plan::VertexFetch;
use crate::request::PrimitiveSource;

impl Offers<'_> {
    /// How the draw's vertices reach the shader.
    pub(super) fn fetch(&mut self, offer: &DrawOffer<'_>) -> Result<VertexFetch, PickError> {
        if self.sees_whole {
            return match offer.mesh.created().pulled {
                true => Ok(VertexFetch::Pulled),
                false => Err(not_pulled()),
            };
        }
        if !self.options.strategy.get().shader(false).needs_primitive() {
            return Ok(VertexFetch::Indexed);
        }
        let created = offer.mesh.created();
        let builtin = self.caps.primitive_index;
        match self.options.primitive_source {
            PrimitiveSource::Builtin => forced_builtin(builtin),
            PrimitiveSource::Pulled if created.pulled => Ok(VertexFetch::Pulled),
            PrimitiveSource::Pulled => Err(not_pulled()),
            PrimitiveSource::Expanded if created.expanded => Ok(VertexFetch::Expanded),
            PrimitiveSource::Expanded => Err(PickError::unsupported(
                Capability::ExpandedGeometry,
                "a de-indexed copy needs the geometry on the CPU: give the host mesh its CPU copy",
            )),
            PrimitiveSource::Auto if builtin == PrimitiveIndex::Trusted => Ok(VertexFetch::Indexed),
            PrimitiveSource::Auto if created.pulled => Ok(VertexFetch::Pulled),
            PrimitiveSource::Auto if created.expanded => Ok(VertexFetch::Expanded),
            PrimitiveSource::Auto => {
                let only_builtin = PickError::unsupported(
                    Capability::PrimitiveIndex,
                    "the device cannot be asked for the triangle, and this mesh can be neither \
                     pulled (storage usage) nor expanded (CPU copy)",
                );
                if builtin != PrimitiveIndex::Untested {
                    return Err(only_builtin);
                }
                self.untrusted.get_or_insert(only_builtin);
                Ok(VertexFetch::Indexed)
            }
        }
    }
}

fn not_pulled() -> PickError {
    PickError::unsupported(
        Capability::VertexPulling,
        "the device has no storage buffers in the vertex stage, or the host's buffers lack storage usage",
    )
}

fn forced_builtin(builtin: PrimitiveIndex) -> Result<VertexFetch, PickError> {
    let lacks = |why| Err(PickError::unsupported(Capability::PrimitiveIndex, why));
    match builtin {
        PrimitiveIndex::Trusted | PrimitiveIndex::Untested => Ok(VertexFetch::Indexed),
        PrimitiveIndex::Missing => lacks("the device was made without it"),
        PrimitiveIndex::Failed => lacks("this driver's builtin failed the self-test"),
    }
}
