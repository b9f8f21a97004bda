//! The id as an integer; where a mesh's faces share no vertex, object and face in one id.

use crate::backend::Caps;
use crate::error::PickError;
use crate::plan::{Aspect, Channel, Plan, StrategyShader, TargetFormat};
use crate::samples::{Samples, Texels};
use crate::strategy::{Strategy, draw_all};

/// Integer-ID: id and depth bits in one rg32uint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IntegerId;

impl Strategy for IntegerId {
    fn name(&self) -> &str {
        "integer_id"
    }

    fn shader(&self, _surface: bool) -> StrategyShader {
        StrategyShader::IntegerId { faces: true }
    }

    fn plan(&self, _caps: &Caps, plan: &mut Plan) -> Result<(), PickError> {
        let id = plan.add_target(TargetFormat::Rg32Uint, Channel::IdDepth);
        let depth = plan.add_target(TargetFormat::Depth32Float, Channel::Depth);
        draw_all(plan, [Some(id), None], depth, None);
        plan.read_back(id, Aspect::Color);
        Ok(())
    }

    fn decode(&self, texels: &Texels<'_>, samples: &mut Samples) {
        for [id, depth_bits] in texels.words::<2>(Channel::IdDepth) {
            samples.ids.push(id);
            samples.depths.push(f32::from_bits(depth_bits));
        }
    }
}
