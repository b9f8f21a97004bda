//! Id, triangle and, where only the GPU has the geometry, the surface too.

use crate::backend::Caps;
use crate::error::PickError;
use crate::plan::{Aspect, Channel, Plan, StrategyShader, TargetFormat};
use crate::samples::{Samples, Texels};
use crate::strategy::{Strategy, draw_all};

/// Detailed: id, depth bits, primitive with the facing, view distance in one rgba32uint; the GPU's own
/// surface in a second one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Detailed;

impl Strategy for Detailed {
    fn name(&self) -> &str {
        "detailed"
    }

    fn shader(&self, surface: bool) -> StrategyShader {
        StrategyShader::Detailed { surface }
    }

    fn plan(&self, _caps: &Caps, plan: &mut Plan) -> Result<(), PickError> {
        let id = plan.add_target(TargetFormat::Rgba32Uint, Channel::Detailed);
        let surface = plan
            .shader
            .needs_surface()
            .then(|| plan.add_target(TargetFormat::Rgba32Uint, Channel::Surface));
        let depth = plan.add_target(TargetFormat::Depth32Float, Channel::Depth);
        draw_all(plan, [Some(id), surface], depth, None);
        plan.read_back(id, Aspect::Color);
        if let Some(surface) = surface {
            plan.read_back(surface, Aspect::Color);
        }
        Ok(())
    }

    fn decode(&self, texels: &Texels<'_>, samples: &mut Samples) {
        for [id, depth_bits, primitive, distance_bits] in texels.words::<4>(Channel::Detailed) {
            samples.ids.push(id);
            samples.depths.push(f32::from_bits(depth_bits));
            samples.primitives.push(primitive);
            samples.view_distances.push(f32::from_bits(distance_bits));
        }
        samples.surfaces.extend(texels.words::<4>(Channel::Surface));
    }
}
