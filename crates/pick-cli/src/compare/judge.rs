//! Whether an answer is right, ambiguous or wrong.
//!
//! Right is what the CPU backend says at the pixel's centre. Ambiguous is what it says a sub-pixel step
//! beside it, since a rasteriser may see a vertex that far from where it is, and a surface that is met
//! there at the right one's depth within the tolerance. But of surfaces that are the same bit by bit the
//! first one offered is right, always.

use glam::DMat4;
use pick_core::{DepthConvention, Given, Hit, PickOptions, View, Withheld};
use pick_scenes::{SceneData, SceneObject};

use crate::compare::lone;
use crate::compare::truth::{self, Truth};

/// Share of what separates a depth from the far plane's that a driver may be off; SwiftShader was
/// measured at 4.5e-4.
const DEPTH_SHARE: f64 = 1e-3;
/// f32's rounding at 1, four times.
const DEPTH_ROUNDING: f64 = 2.4e-7;

/// What an answer is.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// What the CPU says.
    Right,
    /// As good as what the CPU says.
    Ambiguous,
    /// Neither, and why.
    Wrong(String),
}

/// Judges answers about one scene.
#[derive(Clone, Copy, Debug)]
pub struct Judge<'a> {
    /// What is drawn.
    pub data: &'a SceneData,
    /// The camera.
    pub view: &'a View,
    /// How the CPU was asked.
    pub options: &'a PickOptions,
}

impl Judge<'_> {
    /// Judges an answer.
    pub fn judge(&self, truth: &Truth, told: Option<&Hit>) -> Verdict {
        let center = truth.center.as_ref();
        let all = || std::iter::once(center).chain(truth.ring.iter().map(Option::as_ref));
        if agree(told, center) {
            return match told.is_none_or(|told| self.depth_fits(told, all())) {
                true => Verdict::Right,
                false => self.wrong(truth, told, "its depth is off"),
            };
        }
        if told.is_some_and(|told| all().flatten().any(|right| self.is_later_twin(told, right))) {
            return self.wrong(truth, told, "of equal surfaces the first one offered wins");
        }
        if all().any(|right| agree(told, right)) {
            return match told.is_none_or(|told| self.depth_fits(told, all())) {
                true => Verdict::Ambiguous,
                false => self.wrong(truth, told, "its depth is off"),
            };
        }
        match told
            .zip(center)
            .is_some_and(|(told, right)| self.is_level(truth, told, right))
        {
            true => Verdict::Ambiguous,
            false => self.wrong(truth, told, "something else is there"),
        }
    }

    /// True when the surface that `told` names is met around the pixel's centre, at the depth that it
    /// tells and at that of `right`.
    fn is_level(&self, truth: &Truth, told: &Hit, right: &Hit) -> bool {
        let Some(lone) = lone::scene(self.data, told) else {
            return false;
        };
        // What the CPU refuses is not there.
        let met = truth::around(&lone, self.view, truth.pixel, self.options).unwrap_or_default();
        let met = met.iter().flatten();
        let sides = met.filter(|hit| same(&told.front_facing, &hit.front_facing));
        let depths = sides.filter_map(|hit| hit.depth.ok());
        depths.map(f64::from).any(|there| {
            let fits = |depth: Given<f32>| depth.is_ok_and(|d| self.near(f64::from(d), [there; 2]));
            fits(right.depth) && (told.depth.is_err() || fits(told.depth))
        })
    }

    /// True when the depth is one that the same surface has around the pixel's centre.
    fn depth_fits<'h>(&self, told: &Hit, all: impl Iterator<Item = Option<&'h Hit>>) -> bool {
        let Ok(depth) = told.depth else {
            return true;
        };
        let depths = all
            .filter(|right| agree(Some(told), *right))
            .filter_map(|right| right?.depth.ok())
            .map(f64::from);
        let [low, high] = depths.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], d| {
            [low.min(d), high.max(d)]
        });
        self.near(f64::from(depth), [low, high])
    }

    fn near(&self, depth: f64, [low, high]: [f64; 2]) -> bool {
        let from_far = |depth: f64| match self.view.depth() {
            DepthConvention::Reversed => depth,
            DepthConvention::Standard => 1.0 - depth,
        };
        let slack = DEPTH_SHARE * from_far(low).max(from_far(high)).abs() + DEPTH_ROUNDING;
        depth >= low - slack && depth <= high + slack
    }

    /// True when both are the same surface bit by bit, listed twice, and `told` is not `right`.
    fn is_later_twin(&self, told: &Hit, right: &Hit) -> bool {
        let objects = self.object(told).zip(self.object(right));
        let twins = objects.is_some_and(|(a, b)| {
            a.mesh == b.mesh
                && same_bits(&a.world_from_object, &b.world_from_object)
                && (a.instances == b.instances && told.instance == right.instance)
        });
        twins && !agree(Some(told), Some(right)) && self.same_corners(told, right)
    }

    fn same_corners(&self, a: &Hit, b: &Hit) -> bool {
        match (self.corners(a), self.corners(b)) {
            (Some(a), Some(b)) => a == b,
            _ => a.part == b.part,
        }
    }

    /// Bits of the triangle's vertices, where the strategy told which triangle.
    fn corners(&self, hit: &Hit) -> Option<[[u32; 3]; 3]> {
        let mesh = self.data.meshes.get(self.object(hit)?.mesh)?;
        let part = mesh.submeshes.get(hit.part as usize)?;
        let first = hit.primitive.ok()?.checked_mul(3)?;
        let vertices = mesh.triangle(part.elements.start.checked_add(first)?)?;
        let mut corners = [[0; 3]; 3];
        for (corner, vertex) in corners.iter_mut().zip(vertices) {
            *corner = mesh.positions.get(vertex as usize)?.map(f32::to_bits);
        }
        Some(corners)
    }

    fn object(&self, hit: &Hit) -> Option<&SceneObject> {
        self.data.objects.get(hit.tag as usize)
    }

    fn wrong(&self, truth: &Truth, told: Option<&Hit>, why: &str) -> Verdict {
        let [x, y] = truth.pixel;
        let told = self.describe(told);
        let right = self.describe(truth.center.as_ref());
        Verdict::Wrong(format!(
            "pixel [{x},{y}]: {why}: it says {told}; right is {right}"
        ))
    }

    fn describe(&self, hit: Option<&Hit>) -> String {
        let Some(hit) = hit else {
            return "nothing".to_owned();
        };
        let mut text = match self.object(hit) {
            Some(SceneObject {
                name: Some(name), ..
            }) => name.clone(),
            _ => format!("object {}", hit.tag),
        };
        let parts = [
            ("instance", hit.instance.ok()),
            ("sub-mesh", Some(hit.part)),
            ("primitive", hit.primitive.ok()),
            ("face", hit.face.ok()),
        ];
        for (name, number) in parts {
            if let Some(number) = number {
                text += &format!(" {name} {number}");
            }
        }
        if let Ok(depth) = hit.depth {
            text += &format!(" depth {depth}");
        }
        text
    }
}

/// True when everything that `told` gives of which surface it is, is so.
fn agree(told: Option<&Hit>, right: Option<&Hit>) -> bool {
    match (told, right) {
        (None, None) => true,
        (Some(told), Some(right)) => {
            told.tag == right.tag
                && told.part == right.part
                && same(&told.instance, &right.instance)
                && same(&told.primitive, &right.primitive)
                && same(&told.face, &right.face)
                && same(&told.front_facing, &right.front_facing)
        }
        _ => false,
    }
}

/// A strategy may be silent, but not about something else.
fn same<T: PartialEq>(told: &Given<T>, right: &Given<T>) -> bool {
    matches!(told, Err(Withheld::Strategy)) || told == right
}

fn same_bits(a: &DMat4, b: &DMat4) -> bool {
    a.to_cols_array().map(f64::to_bits) == b.to_cols_array().map(f64::to_bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{CameraArgs, CullName, StrategyName};
    use crate::camera;
    use pick_scenes::SceneSpec;

    /// A scene, what is right in it, and how that was asked.
    struct Setup {
        data: SceneData,
        view: View,
        options: PickOptions,
        truths: Vec<Truth>,
    }

    impl Setup {
        fn of(scene: &str) -> Self {
            let spec = SceneSpec::parse(scene).expect("a scene string");
            let data = spec.load().expect("a built-in scene");
            let args = CameraArgs {
                size: Some([64, 48]),
                ..CameraArgs::default()
            };
            let view = camera::view(&args, &spec, &data).expect("a camera");
            let options = StrategyName::Detailed.options(CullName::None);
            let truths = truth::find(&data, &view, &options).expect("the CPU answers");
            Self {
                data,
                view,
                options,
                truths,
            }
        }

        fn judge(&self) -> Judge<'_> {
            Judge {
                data: &self.data,
                view: &self.view,
                options: &self.options,
            }
        }
    }

    fn is_wrong(verdict: &Verdict) -> bool {
        matches!(verdict, Verdict::Wrong(_))
    }

    #[test]
    fn what_the_cpu_says_is_right_and_nothing_else() {
        let setup = Setup::of("builtin:grid?count=20");
        let (judge, truths) = (setup.judge(), &setup.truths);
        let mut hits = 0;
        for truth in truths {
            let told = truth.center.as_ref();
            assert_eq!(judge.judge(truth, told), Verdict::Right);
            let Some(hit) = told else { continue };
            hits += 1;
            let mut mutants = vec![hit.clone(); 6];
            mutants[0].tag = (hit.tag + 1) % 20;
            mutants[1].depth = hit.depth.map(|depth| depth * 0.5);
            mutants[2].primitive = hit.primitive.map(|primitive| primitive ^ 6);
            mutants[3].instance = Ok(3);
            mutants[4].face = hit.face.map(|face| (face + 1) % 6);
            mutants[5].front_facing = hit.front_facing.map(|front| !front);
            for (mutant, told) in mutants.iter().enumerate() {
                let verdict = judge.judge(truth, Some(told));
                assert!(
                    is_wrong(&verdict),
                    "mutant {mutant}: {verdict:?} of {hit:?}"
                );
            }
            if truth.ring.iter().all(Option::is_some) {
                assert!(is_wrong(&judge.judge(truth, None)));
            }
        }
        assert!(hits >= truth::PICKS / 2, "{hits} picks lie on objects");
    }

    #[test]
    fn what_is_a_step_beside_is_ambiguous() {
        let setup = Setup::of("builtin:grid?count=20");
        let (judge, truths) = (setup.judge(), &setup.truths);
        let truth = &truths[0];
        let edge = Truth {
            center: None,
            ..truth.clone()
        };
        let beside = truth.ring[0].as_ref();
        assert_eq!(judge.judge(&edge, beside), Verdict::Ambiguous);
        let mut deep = truth
            .center
            .clone()
            .expect("the first pick lies on an object");
        deep.tag += 1;
        deep.depth = deep.depth.map(|depth| depth * 0.5);
        assert!(is_wrong(&judge.judge(truth, Some(&deep))));
    }

    #[test]
    fn what_is_really_there_at_the_same_depth_is_ambiguous() {
        let mut setup = Setup::of("builtin:ties?count=1&repeats=1&seed=0");
        let mut other = setup.data.objects[0].clone();
        // Behind the first by less than the tolerance.
        other.world_from_object.w_axis.z -= 1e-4;
        setup.data.objects.push(other);
        let judge = setup.judge();
        for truth in setup.truths.iter().filter(|truth| truth.center.is_some()) {
            let mut told = truth.center.clone().expect("filtered");
            told.tag = 1;
            assert_eq!(judge.judge(truth, Some(&told)), Verdict::Ambiguous);
            told.primitive = told.primitive.map(|primitive| 1 - primitive);
            let beside = truth
                .ring
                .iter()
                .flatten()
                .any(|hit| hit.primitive == told.primitive);
            assert_eq!(is_wrong(&judge.judge(truth, Some(&told))), !beside);
        }
    }

    #[test]
    fn of_equal_surfaces_only_the_first_is_right() {
        let setup = Setup::of("builtin:ties?count=3&repeats=2&seed=0");
        let (judge, truths) = (setup.judge(), &setup.truths);
        for truth in truths.iter().filter(|truth| truth.center.is_some()) {
            let mut later = truth.center.clone().expect("filtered");
            later.tag = 2;
            assert!(
                is_wrong(&judge.judge(truth, Some(&later))),
                "a later object"
            );
            let mut later = truth.center.clone().expect("filtered");
            later.primitive = later.primitive.map(|primitive| primitive + 2);
            assert!(
                is_wrong(&judge.judge(truth, Some(&later))),
                "a later triangle"
            );
        }
    }
}
