//! A planted fault: a run in which the validation layers speak must be red.

use std::process::Command;
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use pick_conformance::case::{Camera, CaseScene, Stage, quad};
use pick_conformance::driver::Driver;
use pick_conformance::suite;
use pick_core::{
    AnyStrategy, Aspect, Caps, Channel, CustomShader, PickError, PickPoint, Picker, Plan, Request,
    Samples, Strategy, StrategyShader, TargetFormat, Texels, draw_all,
};

/// Set in the run that commits the fault.
const MARK: &str = "PICK_PLANT_FAULT";

/// True in the run that commits the fault.
pub fn is_planted() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Runs this program again with the fault in it. The trial of that run passes; the run must not.
pub fn proof(driver: Driver) -> Trial {
    Trial::test(name(&driver), move || {
        let this = std::env::current_exe()?;
        let run = Command::new(this).env(MARK, driver.name).output()?;
        let said = String::from_utf8_lossy(&run.stderr);
        match !run.status.success() && said.contains("the validation layers said") {
            true => Ok(()),
            false => Err(format!("{}, having said: {said}", run.status).into()),
        }
    })
}

/// Commits the fault, if this run is for this driver.
pub fn trial(driver: Driver) -> Option<Trial> {
    let asked = std::env::var(MARK).is_ok_and(|name| name == driver.name);
    let commits = move || commit(&driver).map_err(Failed::from);
    asked.then(|| suite::trial(name(&driver), commits))
}

fn name(driver: &Driver) -> String {
    format!(
        "{}/{}/validation/planted_fault",
        driver.backend, driver.name
    )
}

fn commit(driver: &Driver) -> Result<(), PickError> {
    let mut backend = super::vulkan(driver)?;
    let scene = CaseScene::of([quad(-1.0..=1.0, -1.0..=1.0, 0.0)]);
    let mut stage = Stage::build(&mut backend, &scene)?;
    let view = Camera::cam_p().build()?;
    let request = Request::point(&view, PickPoint::target_pixels(31.0, 31.0))?;
    let request = request.strategy(AnyStrategy::Custom(Arc::new(FloatsIntoIntegers)));
    Picker::new()
        .pick(&mut backend, &mut stage.scene, request)
        .map(drop)
}

/// Writes floats into a target of integers: no harm to the driver, and invalid.
struct FloatsIntoIntegers;

const WGSL: &str = "
struct PickOutput {
    @location(0) id: vec4f,
}

fn pick_output(in: PickFragment) -> PickOutput {
    return PickOutput(vec4f(f32(in.id)));
}
";

impl Strategy for FloatsIntoIntegers {
    fn name(&self) -> &str {
        "floats into integers"
    }

    fn shader(&self, _surface: bool) -> StrategyShader {
        StrategyShader::Custom(CustomShader {
            key: Arc::from("floats into integers"),
            wgsl: Arc::from(WGSL),
            needs_primitive: false,
        })
    }

    fn plan(&self, _caps: &Caps, plan: &mut Plan) -> Result<(), PickError> {
        let id = plan.add_target(TargetFormat::R32Uint, Channel::Custom);
        let depth = plan.add_target(TargetFormat::Depth32Float, Channel::Depth);
        draw_all(plan, [Some(id), None], depth, None);
        plan.read_back(id, Aspect::Color);
        Ok(())
    }

    /// Nothing: what such a fragment writes is undefined.
    fn decode(&self, texels: &Texels<'_>, samples: &mut Samples) {
        let words = texels.words::<1>(Channel::Custom);
        samples.ids.extend(words.map(|_| 0));
    }
}
