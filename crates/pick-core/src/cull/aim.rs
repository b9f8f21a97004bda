//! What a pick's pixels see as a beam around one ray. The planes of its sides keep every long box that
//! crosses each of them somewhere, which most blocks of instances in rows do; a beam does not.

use glam::{DMat4, DVec3};

use crate::depth::DepthConvention;

/// The four edges of what a region sees: where each starts, on the near plane, and where it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edges {
    /// From the volume's origin.
    starts: [DVec3; 4],
    directions: [DVec3; 4],
}

/// A ray, and how far around it something is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Aim {
    pub(crate) start: DVec3,
    /// A unit vector; zero in a beam that holds everything.
    pub(crate) direction: DVec3,
    /// In any direction from the ray.
    pub(crate) radius: Width,
    /// Along two unit vectors that stand on the ray.
    pub(crate) sides: [(DVec3, Width); 2],
}

/// A distance from the ray, which grows along it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Width {
    pub(crate) at_start: f64,
    /// By unit along the ray.
    pub(crate) slope: f64,
}

impl Edges {
    /// Where a matrix takes the edges of its clip space.
    pub(crate) fn new(from_clip: &DMat4, depth: DepthConvention) -> Option<Self> {
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let at =
            |depth: f64| corners.map(|(x, y)| from_clip.project_point3(DVec3::new(x, y, depth)));
        let (starts, further) = (at(depth.near_depth()), at(0.5));
        let mut directions = starts;
        for (direction, further) in directions.iter_mut().zip(further) {
            *direction = (further - *direction).try_normalize()?;
        }
        Some(Self { starts, directions })
    }

    /// The beam around them in another space.
    pub(crate) fn aim(&self, origin: DVec3, to_other: &DMat4) -> Aim {
        let starts = self.starts.map(|p| to_other.transform_point3(origin + p));
        let directions = self.directions.map(|d| to_other.transform_vector3(d));
        Aim::around(&starts, directions).unwrap_or(Aim::EVERYTHING)
    }
}

impl Aim {
    /// Everything is inside of it.
    pub(crate) const EVERYTHING: Self = Self {
        start: DVec3::ZERO,
        direction: DVec3::ZERO,
        radius: Width {
            at_start: 1e30,
            slope: 0.0,
        },
        sides: [(
            DVec3::ZERO,
            Width {
                at_start: 1e30,
                slope: 0.0,
            },
        ); 2],
    };

    /// `None` around edges that spread too wide, or that a flattening transform left without a direction.
    fn around(starts: &[DVec3; 4], directions: [DVec3; 4]) -> Option<Self> {
        let mut sum = DVec3::ZERO;
        for edge in directions {
            sum += edge.try_normalize()?;
        }
        let direction = sum.try_normalize()?;
        let middle = starts.iter().sum::<DVec3>() * 0.25;
        // Behind all starts, so that every edge is ahead.
        let along = starts.map(|start| (start - middle).dot(direction));
        let start = middle + direction * along.into_iter().fold(0.0, f64::min);
        // How far each edge is from the ray at the start, and by how much it leaves.
        let mut edges = [(DVec3::ZERO, DVec3::ZERO); 4];
        for ((edge, from), towards) in edges.iter_mut().zip(starts).zip(directions) {
            let forward = towards.dot(direction);
            if forward < 0.05 * towards.length() {
                return None;
            }
            let growth = towards / forward - direction;
            let from = *from - start;
            let along = from.dot(direction);
            *edge = (from - direction * along - growth * along, growth);
        }
        let width = |of: &dyn Fn(DVec3) -> f64| {
            let mut width = Width::default();
            for (aside, growth) in edges {
                width.at_start = width.at_start.max(of(aside));
                width.slope = width.slope.max(of(growth));
            }
            width
        };
        // From edge to edge, where they have left each other.
        let at = |k: usize| edges[k].0 + edges[k].1;
        let across = [at(1) + at(2) - at(0) - at(3), at(2) + at(3) - at(0) - at(1)];
        let side = |k: usize| {
            let side = direction.cross(across[1 - k]).try_normalize()?;
            Some((side, width(&|aside| aside.dot(side).abs())))
        };
        let beam = Self {
            start,
            direction,
            radius: width(&|aside| aside.length()),
            sides: [side(0)?, side(1)?],
        };
        beam.is_finite().then_some(beam)
    }

    fn is_finite(&self) -> bool {
        let widths = [self.radius, self.sides[0].1, self.sides[1].1];
        let finite = |width: &Width| width.at_start.is_finite() && width.slope.is_finite();
        self.start.is_finite() && widths.iter().all(finite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projection::{DepthRange, look_at, orthographic, perspective};

    /// As the kernels ask of a point.
    fn holds(beam: &Aim, point: DVec3) -> bool {
        let from = point - beam.start;
        let along = from.dot(beam.direction);
        let within = |aside: f64, width: &Width| {
            aside <= width.at_start + width.slope * along.max(0.0) + 1e-9
        };
        along >= -1e-9
            && within(from.cross(beam.direction).length(), &beam.radius)
            && beam
                .sides
                .iter()
                .all(|(side, width)| within(from.dot(*side).abs(), width))
    }

    #[test]
    fn a_beam_holds_what_its_pixels_see_and_little_more() {
        let camera = look_at(DVec3::new(3.0, 5.0, 9.0), DVec3::ZERO, DVec3::Y).unwrap();
        let other = DMat4::from_cols_array(&[
            1.0, 0.3, 0.0, 0.0, -0.5, 4.0, 0.1, 0.0, 0.0, 0.2, -0.25, 0.0, 7.0, -3.0, 2.0, 1.0,
        ]);
        for depth in [DepthConvention::Standard, DepthConvention::Reversed] {
            let range = DepthRange::new(0.1, 100.0);
            let lenses = [
                perspective(0.7, 1.3, range, depth),
                perspective(0.01, 1.0, DepthRange::from(0.1), depth),
                orthographic(2.0, 1.0, range, depth),
            ];
            for (lens, other) in lenses
                .into_iter()
                .flat_map(|l| [(l.clone(), other), (l, DMat4::IDENTITY)])
            {
                let from_clip = (lens.unwrap() * camera).inverse();
                let edges = Edges::new(&from_clip, depth).unwrap();
                let beam = edges.aim(DVec3::ZERO, &other);
                assert_ne!(beam, Aim::EVERYTHING);
                let at =
                    |x, y, z| other.transform_point3(from_clip.project_point3(DVec3::new(x, y, z)));
                for k in 0..1000 {
                    let spread = |step: f64| (f64::from(k) * step).fract() * 2.0 - 1.0;
                    let (x, y) = (spread(0.754_877_666), spread(0.569_840_291));
                    let z = spread(0.432_1).abs() * 0.999 + 0.0005;
                    assert!(holds(&beam, at(x, y, z)), "{beam:?} {x} {y} {z}");
                    if other == DMat4::IDENTITY {
                        assert!(!holds(&beam, at(1.1, y, z)), "{beam:?} {y} {z}");
                        assert!(!holds(&beam, at(x, -1.1, z)), "{beam:?} {x} {z}");
                    }
                }
                let behind = camera.inverse().transform_point3(DVec3::new(0.0, 0.0, 5.0));
                assert!(!holds(&beam, other.transform_point3(behind)));
            }
        }
    }

    #[test]
    fn what_has_no_beam_is_everything() {
        let flat = DMat4::from_scale(DVec3::new(1.0, 1.0, 0.0));
        let edges = Edges {
            starts: [DVec3::ZERO; 4],
            directions: [DVec3::Z; 4],
        };
        assert_eq!(edges.aim(DVec3::ZERO, &flat), Aim::EVERYTHING);
    }
}
