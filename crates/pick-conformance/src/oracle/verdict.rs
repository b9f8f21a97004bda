//! Is an answer right?

use pick_core::{ContributorId, Given, Hit, ObjectKey, Withheld};

use crate::oracle::Oracle;
use crate::oracle::given::Gives;
use crate::oracle::math::{V3, blend, cross, dot, length, sub, unit};
use crate::oracle::pixel::{EPS32, Met, Pixel};
use crate::oracle::triangle::Triangle;

/// What is found about one answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// As it must be. Ambiguous when another answer would have been right too.
    Right {
        /// Several answers are right.
        ambiguous: bool,
    },
    /// Not so, and why.
    Wrong(String),
}

/// Judges answers of one case by one mode.
#[derive(Debug)]
pub struct Judge<'a> {
    /// The truth.
    pub oracle: &'a Oracle,
    /// By position in the case.
    pub objects: &'a [ObjectKey],
    /// By position in the case.
    pub tags: &'a [u64],
    /// What the strategy gives.
    pub gives: Gives,
}

impl Judge<'_> {
    /// Judges the answer of a target pixel.
    pub fn judge(&self, pixel: [u32; 2], hit: Option<&Hit>) -> Verdict {
        let truth = self.oracle.pixel(pixel);
        let ambiguous = self.answers(&truth) > 1;
        let right = Verdict::Right { ambiguous };
        let Some(hit) = hit else {
            return match truth.may_miss {
                true => right,
                false => Verdict::Wrong(format!("a miss, but {}", self.describe(&truth))),
            };
        };
        let named: Vec<_> = truth
            .candidates
            .iter()
            .filter(|met| self.is_named(met.triangle, hit))
            .collect();
        if named.is_empty() {
            return Verdict::Wrong(format!(
                "{}, but {}",
                self.describe_hit(hit),
                self.describe(&truth)
            ));
        }
        let mut faults = Vec::new();
        for met in named {
            match self.faults(met, &truth, hit) {
                None => return right,
                Some(fault) => faults.push(fault),
            }
        }
        faults.dedup();
        let what = self.describe_hit(hit);
        Verdict::Wrong(format!("{what}: {}", faults.join("; or ")))
    }

    /// How many different answers are right.
    fn answers(&self, truth: &Pixel<'_>) -> usize {
        let mut seen: Vec<_> = truth
            .candidates
            .iter()
            .map(|met| {
                let t = met.triangle;
                let instance = t.instance.filter(|_| self.gives.instance);
                let primitive = Some(t.primitive).filter(|_| self.gives.primitive);
                let face = t.face.filter(|_| self.gives.faces_in_id);
                (t.object, t.part, instance, primitive, face)
            })
            .collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len() + usize::from(truth.may_miss)
    }

    /// The answer names this triangle, as far as it names anything.
    fn is_named(&self, triangle: &Triangle, hit: &Hit) -> bool {
        hit.object == Some(self.objects[triangle.object])
            && hit.part == triangle.part as u32
            && hit
                .instance
                .is_ok_and(|index| Some(index) == triangle.instance)
                .max(hit.instance.is_err())
            && hit.primitive.map_or(true, |p| p == triangle.primitive)
    }

    fn faults(&self, met: &Met<'_>, truth: &Pixel<'_>, hit: &Hit) -> Option<String> {
        let checks = [
            self.identity(met.triangle, hit),
            self.ray(truth, hit),
            self.depth(met, hit),
            self.point(met, truth, hit),
            self.facing(met, hit),
            self.surface(met, truth, hit),
        ];
        checks.into_iter().find_map(Result::err)
    }

    fn identity(&self, triangle: &Triangle, hit: &Hit) -> Result<(), String> {
        let why = |ok: bool| if ok { Ok(()) } else { Err(Withheld::Strategy) };
        let instance = match triangle.instance {
            None => Err(Withheld::NotInstanced),
            Some(index) => why(self.gives.instance).map(|()| index),
        };
        let face = match triangle.face {
            _ if !self.gives.primitive && !self.gives.faces_in_id => Err(Withheld::Strategy),
            Some(face) if self.gives.primitive || triangle.faces_unshared => Ok(face),
            None if self.gives.primitive => Err(Withheld::NoFaces),
            _ => Err(Withheld::Strategy),
        };
        same("instance", &hit.instance, &instance)?;
        same(
            "primitive",
            &hit.primitive,
            &why(self.gives.primitive).map(|()| triangle.primitive),
        )?;
        same("face", &hit.face, &face)?;
        same("tag", &hit.tag, &self.tags[triangle.object])?;
        same("removed", &hit.removed, &false)?;
        same("contributor", &hit.contributor, &ContributorId(0))
    }

    fn ray(&self, truth: &Pixel<'_>, hit: &Hit) -> Result<(), String> {
        let (ours, theirs) = (&truth.ray, &hit.ray);
        let size = length(ours.origin).max(1.0);
        near(
            "ray origin",
            theirs.origin.to_array(),
            ours.origin,
            1e-9 * size,
        )?;
        near(
            "ray direction",
            theirs.direction.to_array(),
            ours.direction,
            1e-9,
        )?;
        number(
            "near end of the ray",
            theirs.t_near,
            ours.near,
            1e-8 * size.max(ours.near),
        )?;
        if ours.far.is_infinite() && theirs.t_far.is_infinite() {
            return Ok(());
        }
        number(
            "far end of the ray",
            theirs.t_far,
            ours.far,
            1e-6 * ours.far.max(size),
        )
    }

    fn depth(&self, met: &Met<'_>, hit: &Hit) -> Result<(), String> {
        let depth = match (hit.depth, self.gives.depth) {
            (Ok(depth), Ok(())) => f64::from(depth),
            (Err(told), Err(why)) if told == why => return Ok(()),
            (told, _) => return Err(format!("depth is {told:?}")),
        };
        let [low, high] = met.depths;
        let fits = depth >= low && depth <= high;
        fits.then_some(())
            .ok_or_else(|| format!("depth {depth:e} is not in {low:e}..={high:e}"))
    }

    fn point(&self, met: &Met<'_>, truth: &Pixel<'_>, hit: &Hit) -> Result<(), String> {
        let point = match (hit.point, self.gives.depth) {
            (Ok(point), Ok(())) => point.to_array(),
            (Err(told), Err(why)) if told == why => {
                return same("distance", &hit.distance, &Err(why));
            }
            (told, _) => return Err(format!("point is {told:?}")),
        };
        let away = sub(point, truth.ray.origin);
        let distance = dot(away, truth.ray.direction);
        let rounding = 1e-9 * (length(point) + length(truth.ray.origin) + distance.abs());
        number(
            "distance",
            hit.distance.unwrap_or(f64::NAN),
            length(away),
            rounding,
        )?;
        // Off the ray only where the answer is cut off at the triangle's edge.
        let off = length(cross(away, truth.ray.direction));
        let [a, b, c] = met.triangle.corners;
        let longest = length(sub(b, a)).max(length(sub(c, a)));
        // Weights that are cut off and scaled to sum 1 move along the edge too.
        let along = looseness(met, truth, true).min(1.0) * longest;
        let sideways = self.pixel_size(truth, distance) * met.step * 2.0 / met.slant.abs() + along;
        if off.is_nan() || off > rounding + sideways {
            return Err(format!(
                "the point {point:?} is {off:e} off the ray, {sideways:e} at most"
            ));
        }
        let [a, b] = met.distances;
        let slack = rounding + sideways + 4.0 * EPS32 * distance.abs();
        let (low, high) = (a.min(b) - slack, a.max(b) + slack);
        // Beyond the far plane of an infinite view the ends may change sides.
        if distance >= low && distance <= high || (a < 0.0) != (b < 0.0) {
            return Ok(());
        }
        Err(format!(
            "the point {point:?} is {distance} away, not {low}..={high}"
        ))
    }

    /// World units in a pixel at a distance.
    fn pixel_size(&self, truth: &Pixel<'_>, distance: f64) -> f64 {
        let camera = &self.oracle.camera;
        let here = camera.target(camera.clip(truth.ray.at(distance)));
        let beside = camera.ray([here[0] + 1.0, here[1]]);
        let at = beside.at(distance);
        length(sub(at, truth.ray.at(distance))) * 1.5
    }

    fn facing(&self, met: &Met<'_>, hit: &Hit) -> Result<(), String> {
        match (hit.front_facing, self.gives.primitive) {
            (Err(Withheld::Strategy), false) => Ok(()),
            (Ok(front), true) if front == met.triangle.front => Ok(()),
            // Snapping may turn it over.
            (Ok(_), true) if is_turnable(met) => Ok(()),
            (told, _) => Err(format!("front_facing is {told:?}")),
        }
    }

    fn surface(&self, met: &Met<'_>, truth: &Pixel<'_>, hit: &Hit) -> Result<(), String> {
        let surface = &hit.surface;
        if !self.gives.primitive {
            let why = Withheld::Strategy;
            same("barycentric", &surface.barycentric, &Err(why))?;
            same("face_normal", &surface.face_normal, &Err(why))?;
            same("normal", &surface.normal, &Err(why))?;
            return same("uv", &surface.uv, &Err(why));
        }
        let triangle = met.triangle;
        let on_cpu = triangle.kept && !self.gives.surface_from_gpu;
        let flat = self.oracle.tolerance.packed_normal;
        let (normal_slack, uv_slack) = match on_cpu {
            true => (1e-6, 1e-6),
            false => (flat, self.oracle.tolerance.gpu_uv),
        };
        let Some(weights) = weights(met, truth) else {
            return Ok(());
        };
        let loose = looseness(met, truth, on_cpu);
        if on_cpu {
            let told = surface.barycentric;
            let told = told.map_err(|why| format!("barycentric is {why:?}"))?;
            near("barycentric", told, weights, 1e-6 + loose)?;
            number("sum of barycentrics", told.iter().sum(), 1.0, 1e-9)?;
        } else {
            let why = Err(Withheld::NoCpuGeometry);
            same("barycentric", &surface.barycentric, &why)?;
        }
        let flat_normal = unit(triangle.normal);
        // Derivatives of a nearly edge-on surface lose what the ray's slant divides by.
        let slanted = normal_slack / met.slant.abs().max(1e-3);
        let told_normal = surface.face_normal.map(|told| {
            let over = told.to_array();
            let turned = !on_cpu && is_turnable(met) && dot(over, flat_normal) < 0.0;
            if turned { -told } else { told }
        });
        vector(
            "face_normal",
            &told_normal,
            Some(flat_normal),
            slanted + if on_cpu { 0.0 } else { loose.min(0.5) },
        )?;
        let smooth = triangle.normals.map(|normals| {
            let blended = blend(normals, weights);
            let largest = normals.map(length).into_iter().fold(0.0, f64::max);
            (unit(blended), length(blended) / largest)
        });
        let opposed = smooth.is_some_and(|(_, kept)| kept < 0.05);
        if !opposed {
            vector(
                "normal",
                &surface.normal,
                smooth.map(|(normal, _)| normal),
                normal_slack + loose * 4.0,
            )?;
        }
        match (surface.uv, triangle.uvs) {
            (Err(Withheld::NoUvs), None) => Ok(()),
            (Ok(uv), Some(uvs)) => {
                let all = blend(uvs.map(|[u, v]| [u, v, 0.0]), weights);
                let span = uvs.iter().flatten().fold(1.0_f64, |a, c| a.max(c.abs()));
                near("uv", [uv[0], uv[1], 0.0], all, (uv_slack + loose) * span)
            }
            (told, _) => Err(format!("uv is {told:?}")),
        }
    }

    fn describe(&self, truth: &Pixel<'_>) -> String {
        let mut right: Vec<_> = truth
            .candidates
            .iter()
            .map(|met| {
                let t = met.triangle;
                let copy = t.instance.map(|i| format!("[{i}]")).unwrap_or_default();
                format!("{}{copy}.{}/{}", t.object, t.part, t.primitive)
            })
            .collect();
        if truth.may_miss {
            right.push("a miss".to_owned());
        }
        format!("right is {}", right.join(" or "))
    }

    fn describe_hit(&self, hit: &Hit) -> String {
        let object = self
            .objects
            .iter()
            .position(|&key| Some(key) == hit.object)
            .map_or("unknown".to_owned(), |k| k.to_string());
        format!(
            "object {object} part {} instance {:?} primitive {:?}",
            hit.part, hit.instance, hit.primitive
        )
    }
}

/// So thin on the screen that snapping may turn it over.
fn is_turnable(met: &Met<'_>) -> bool {
    met.triangle.height <= 2.0 * met.step
}

/// How far a weight may be off: what a step on the screen does to it.
fn looseness(met: &Met<'_>, truth: &Pixel<'_>, on_cpu: bool) -> f64 {
    if on_cpu && met.inside {
        return 0.0;
    }
    let here = met.point(&truth.ray).map(|at| raw_weights(met, at));
    let beside = met.beside.iter().map(|at| {
        let there = at.map(|at| raw_weights(met, at));
        here.zip(there).map_or(1.0, |(a, b)| length(sub(a, b)))
    });
    let moved: f64 = beside.sum();
    2.0 * moved + 4.0 * met.step / met.triangle.height.max(1e-12)
}

/// The weights of the corners at a place of the plane.
fn raw_weights(met: &Met<'_>, point: V3) -> [f64; 3] {
    let [a, b, c] = met.triangle.corners;
    let winding = cross(sub(b, a), sub(c, a));
    let part = |p: V3, q: V3| dot(cross(sub(p, point), sub(q, point)), winding);
    let total = dot(winding, winding);
    [part(b, c), part(c, a), part(a, b)].map(|w| w / total)
}

/// The weights of the corners where the centre's ray meets the plane, cut off at the edges.
fn weights(met: &Met<'_>, truth: &Pixel<'_>) -> Option<[f64; 3]> {
    let cut = raw_weights(met, met.point(&truth.ray)?).map(|w| w.clamp(0.0, 1.0));
    let sum: f64 = cut.iter().sum();
    (sum.is_finite() && sum > 0.0).then(|| cut.map(|w| w / sum))
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, told: &T, right: &T) -> Result<(), String> {
    (told == right)
        .then_some(())
        .ok_or_else(|| format!("{what} is {told:?}, not {right:?}"))
}

fn number(what: &str, told: f64, right: f64, within: f64) -> Result<(), String> {
    ((told - right).abs() <= within)
        .then_some(())
        .ok_or_else(|| format!("{what} is {told}, not {right} within {within:e}"))
}

fn near(what: &str, told: V3, right: V3, within: f64) -> Result<(), String> {
    let off = length(sub(told, right));
    (off <= within)
        .then_some(())
        .ok_or_else(|| format!("{what} is {told:?}, not {right:?} within {within:e} ({off:e})"))
}

fn vector(
    what: &str,
    told: &Given<glam::DVec3>,
    right: Option<V3>,
    within: f64,
) -> Result<(), String> {
    match (told, right) {
        (Ok(told), Some(right)) => near(what, told.to_array(), right, within),
        (Err(Withheld::NoNormals), None) => Ok(()),
        (told, _) => Err(format!("{what} is {told:?}")),
    }
}
