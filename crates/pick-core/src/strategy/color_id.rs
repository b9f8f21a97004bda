//! The id in the four bytes of an `rgba8unorm` texel; needs no integer targets anywhere.

use crate::backend::Caps;
use crate::error::PickError;
use crate::plan::{Aspect, Channel, Plan, StrategyShader, TargetFormat};
use crate::samples::{Samples, Texels};
use crate::strategy::{Strategy, draw_all};

/// Colour-ID: id in rgba8unorm, depth bits beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ColorId;

impl Strategy for ColorId {
    fn name(&self) -> &str {
        "color_id"
    }

    fn shader(&self, _surface: bool) -> StrategyShader {
        StrategyShader::ColorId
    }

    fn plan(&self, _caps: &Caps, plan: &mut Plan) -> Result<(), PickError> {
        let id = plan.add_target(TargetFormat::Rgba8Unorm, Channel::IdBytes);
        let bits = plan.add_target(TargetFormat::R32Uint, Channel::DepthBits);
        let depth = plan.add_target(TargetFormat::Depth32Float, Channel::Depth);
        draw_all(plan, [Some(id), Some(bits)], depth, None);
        plan.read_back(id, Aspect::Color);
        plan.read_back(bits, Aspect::Color);
        Ok(())
    }

    fn decode(&self, texels: &Texels<'_>, samples: &mut Samples) {
        // Little-endian words put red, the least significant byte, first.
        samples
            .ids
            .extend(texels.words::<1>(Channel::IdBytes).map(|[id]| id));
        let depths = texels.words::<1>(Channel::DepthBits);
        samples
            .depths
            .extend(depths.map(|[bits]| f32::from_bits(bits)));
    }
}
