//! Whether an answer is right, ambiguous or wrong.
//!
//! Right is what the CPU backend says at the pixel's centre. Ambiguous is what it says a sub-pixel step
//! beside it, since a rasteriser may see a vertex that far from where it is, and a surface whose depth
//! is that of the right one within the tolerance. But of surfaces that are the same bit by bit the first
//! one offered is right, always.

use glam::DMat4;
use pick_core::{DepthConvention, Given, Hit, Withheld};
use pick_scenes::{SceneData, SceneObject};

use crate::compare::truth::Truth;

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
    /// Which way depth runs.
    pub depth: DepthConvention,
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
        let level = |(told, right): (&Hit, &Hit)| {
            let depths = told.depth.ok().zip(right.depth.ok());
            depths.is_some_and(|(a, b)| self.near(f64::from(a), [f64::from(b); 2]))
        };
        match told.zip(center).is_some_and(level) {
            true => Verdict::Ambiguous,
            false => self.wrong(truth, told, "something else is there"),
        }
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
        let from_far = |depth: f64| match self.depth {
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
