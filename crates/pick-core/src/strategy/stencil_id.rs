//! The draw's number in the stencil: no colour target, one reference a draw.
//!
//! A stencil holds one byte, so pass `k` over the same draws writes byte `k` of the number. Each plane
//! is drawn and depth-tested anew, which keeps every plane's answer that of one and the same
//! fragment. Writing several planes in one pass would need write masks per draw and still only has
//! eight bits; a second colour attachment is what the other strategies are.

use crate::backend::{Caps, StencilRead};
use crate::depth::DepthConvention;
use crate::error::{InputError, PickError};
use crate::plan::{Aspect, Channel, Item, Plan, Step, StrategyShader, TargetFormat, TargetIndex};
use crate::samples::{Samples, Texels};
use crate::strategy::{Strategy, draw_all};

/// Stencil-ID: 255 draws a plane, a plane more for every further byte of the draw number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StencilId;

/// Planes that the largest draw number takes.
const MAX_PLANES: u8 = 4;

impl StencilId {
    /// How many planes tell `draws` draws apart from each other and from nothing.
    pub fn planes(draws: usize) -> u8 {
        let significant_bits = usize::BITS - draws.leading_zeros();
        significant_bits.div_ceil(8).max(1) as u8
    }
}

impl Strategy for StencilId {
    fn name(&self) -> &str {
        "stencil_id"
    }

    fn shader(&self, _surface: bool) -> StrategyShader {
        StrategyShader::StencilId
    }

    fn ids_are_draw_numbers(&self) -> bool {
        true
    }

    fn plan(&self, caps: &Caps, plan: &mut Plan) -> Result<(), PickError> {
        let draws = plan.items.iter().map(Item::number).max().unwrap_or(0) as usize;
        let planes = Self::planes(draws);
        if planes > MAX_PLANES {
            return Err(InputError::IdsExhausted {
                asked: draws as u64,
                left: u64::from(u32::MAX),
            }
            .into());
        }
        let format = stencil_format(caps, plan.view.depth())?;
        for plane in 0..planes {
            let target = plan.add_target(format, Channel::StencilByte { plane });
            draw_all(plan, [None, None], target, Some(plane));
            read_plane(caps, plan, target, plane);
        }
        Ok(())
    }

    fn decode(&self, texels: &Texels<'_>, samples: &mut Samples) {
        samples.ids.resize(texels.pixel_count(), 0);
        for plane in 0..MAX_PLANES {
            let copied = texels.block(Channel::StencilByte { plane }, Aspect::Stencil);
            let drawn = texels.block(Channel::StencilBits { plane }, Aspect::Color);
            for (id, byte) in samples.ids.iter_mut().zip(copied.iter().chain(drawn)) {
                *id |= u32::from(*byte) << (8 * plane);
            }
        }
        samples
            .depths
            .extend(texels.depths(Channel::StencilByte { plane: 0 }));
    }
}

/// Reversed depth lives from f32; 24 bits would lose what it is for.
fn stencil_format(caps: &Caps, depth: DepthConvention) -> Result<TargetFormat, PickError> {
    match (caps.depth32_stencil8, depth) {
        (true, _) => Ok(TargetFormat::Depth32FloatStencil8),
        (false, DepthConvention::Standard) => Ok(TargetFormat::Depth24PlusStencil8),
        (false, DepthConvention::Reversed) => Err(PickError::unsupported(
            crate::error::Capability::TargetFormat,
            "stencil-ID under reversed depth needs f32 depth beside a stencil; use standard depth \
             or another strategy",
        )),
    }
}

fn read_plane(caps: &Caps, plan: &mut Plan, target: TargetIndex, plane: u8) {
    match caps.stencil_read {
        StencilRead::Copy => plan.read_back(target, Aspect::Stencil),
        StencilRead::BitDraws => {
            let bits = plan.add_target(TargetFormat::R8Unorm, Channel::StencilBits { plane });
            plan.steps.push(Step::StencilBits {
                from: target,
                to: bits,
            });
            plan.read_back(bits, Aspect::Color);
        }
    }
    let f32_depth = plan.targets[target.0].format == TargetFormat::Depth32FloatStencil8;
    // A second band clears the depth of what it leaves uncovered.
    let whole_depth = plan.bands.len() <= 1;
    if plane == 0 && f32_depth && whole_depth && caps.stencil_depth_read {
        plan.read_back(target, Aspect::Depth);
    }
}
