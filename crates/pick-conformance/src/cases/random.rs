//! Scenes by chance: everything that can differ does.

use pick_core::{Backend, PrimitiveSource};

use crate::bench::Fault;
use crate::case::{
    Asking, Camera, CaseMesh, CaseObject, CasePart, CaseScene, CaseView, Cull, Depths, Rows, boxed,
    quad, sphere,
};
use crate::cases::{Case, Modes, Shot, case};
use crate::mode::Mode;
use crate::oracle::math::{IDENTITY, M4, V3, add, product, scale, unit};

/// A small random number generator of our own, so that a seed means the same scene for ever.
///
/// The xorshift64* generator (Vigna 2016).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Seeds it.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// From `low` up to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        (self.bits() >> 16) % end
    }

    /// True once in `of` times.
    pub fn once_in(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }

    /// A point of a cube around the origin.
    pub fn point(&mut self, half: f64) -> V3 {
        [0; 3].map(|_| self.between(-half, half))
    }

    /// A rotation about a random axis (Rodrigues' formula).
    pub fn rotation(&mut self) -> M4 {
        let axis = unit(add(self.point(1.0), [0.01, 0.02, 0.03]));
        let (sin, cos) = self.between(0.0, std::f64::consts::TAU).sin_cos();
        let [x, y, z] = axis;
        let entry = |r: usize, c: usize| {
            let skew = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]][r][c];
            let identity = if r == c { cos } else { 0.0 };
            identity + sin * skew + (1.0 - cos) * axis[r] * axis[c]
        };
        let mut m = IDENTITY;
        for (c, column) in m.iter_mut().enumerate().take(3) {
            for (r, value) in column.iter_mut().enumerate().take(3) {
                *value = entry(r, c);
            }
        }
        m
    }
}

/// Scenes in a quick run, scenes in a full run.
const QUICK: u64 = 12;
const FULL: u64 = 10_000;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    // In batches, so that a trial's name tells where a wrong scene is.
    (0..4)
        .map(|batch| {
            case(&format!("random/batch_{batch}"), Modes::All, move |bench| {
                let count = if bench.full { FULL } else { QUICK } / 4;
                for seed in batch * count..(batch + 1) * count {
                    shot(&bench.mode, seed, 16)
                        .run(bench)
                        .map_err(|fault| match fault {
                            Fault::Wrong(why) => Fault::Wrong(format!("seed {seed}: {why}")),
                            refused => refused,
                        })?;
                }
                Ok(())
            })
        })
        .collect()
}

/// The random frame of a seed, as a mode can show it.
pub(super) fn shot(mode: &Mode, seed: u64, side: u32) -> Shot {
    let mut dice = Dice::new(seed + 1);
    // Everything about a common size and place, so that f32 is strained but not broken.
    let size = [1.0, 1.0, 1.0, 1e3, 1e-3, 1e6][dice.below(6) as usize];
    // What is tiny stays near the origin: world space has no more than f64's digits either.
    let place = match dice.below(5) {
        0 if size >= 1.0 => scale(dice.point(1.0), 1e6),
        _ => dice.point(2.0),
    };
    let mut scene = CaseScene::default();
    for _ in 0..1 + dice.below(3) {
        scene.meshes.push(mesh(&mut dice));
    }
    for _ in 0..dice.below(3) {
        let set = (0..dice.below(6)).map(|_| rows(&mut dice)).collect();
        scene.instances.push(set);
    }
    for _ in 0..1 + dice.below(5) {
        let object = object(&mut dice, &scene, size, place);
        scene.add(object);
    }
    let view = view(&mut dice, side, size, place);
    // What the CPU forgot may have no de-indexed copy: a case of its own.
    if mode.primitive == PrimitiveSource::Expanded {
        scene.meshes.iter_mut().for_each(|m| m.forgotten = false);
    }
    let asking = Asking {
        cull: [
            Cull::None,
            Cull::None,
            Cull::Back,
            Cull::Front,
            Cull::Material,
        ][dice.below(5) as usize],
        layers: if dice.once_in(3) { 0b01 } else { u32::MAX },
    };
    // A bound all the same: one scene may show many small triangles.
    Shot::new(scene, view).asking(asking).ambiguous(0.9)
}

fn mesh(dice: &mut Dice) -> CaseMesh {
    let mut mesh = match dice.below(4) {
        0 => boxed(dice.between(0.4, 1.2)),
        1 => sphere(dice.between(0.5, 1.3), 3 + dice.below(3) as u32),
        2 => {
            let (x, y) = (dice.between(0.3, 3.0), dice.between(0.3, 3.0));
            quad(-x..=x, -y..=y, dice.between(-0.5, 0.5))
        }
        _ => soup(dice),
    };
    if dice.once_in(4) {
        mesh.normals = None;
    }
    if dice.once_in(4) {
        mesh.uvs = None;
    }
    if dice.once_in(4) && mesh.element_count() >= 6 {
        let end = mesh.element_count();
        let middle = 3 * (1 + dice.below(u64::from(end / 3) - 1) as u32);
        let mut second = CasePart::new(middle..end);
        second.normals = !dice.once_in(2);
        second.uvs = !dice.once_in(2);
        second.double_sided = !dice.once_in(2);
        mesh.parts = vec![CasePart::new(0..middle).single_sided(), second];
    }
    mesh.narrow = dice.once_in(3);
    mesh.forgotten = dice.once_in(4);
    mesh
}

/// Triangles in any order, some of them listed twice.
fn soup(dice: &mut Dice) -> CaseMesh {
    let vertices = 6 + dice.below(10);
    let positions = (0..vertices).map(|_| dice.point(1.5).map(|c| c as f32));
    let mut mesh = CaseMesh {
        positions: positions.collect(),
        ..CaseMesh::default()
    };
    let mut indices: Vec<u32> = Vec::new();
    for _ in 0..3 + dice.below(8) {
        if dice.once_in(5) && indices.len() >= 3 {
            let again = indices[..3].to_vec();
            indices.extend(again);
        } else {
            indices.extend([0; 3].map(|_| dice.below(vertices) as u32));
        }
    }
    mesh.indices = Some(indices);
    mesh
}

fn placed(dice: &mut Dice, half: f64) -> M4 {
    let mut m = dice.rotation();
    let sizes = [0; 3].map(|_| {
        let size = dice.between(0.5, 1.5);
        if dice.once_in(4) { -size } else { size }
    });
    for axis in 0..3 {
        m[axis] = m[axis].map(|c| c * sizes[axis]);
    }
    let [x, y, z] = dice.point(half);
    m[3] = [x, y, z, 1.0];
    m
}

fn rows(dice: &mut Dice) -> Rows {
    let m = placed(dice, 2.0);
    std::array::from_fn(|r| std::array::from_fn(|c| m[c][r] as f32))
}

fn object(dice: &mut Dice, scene: &CaseScene, size: f64, place: V3) -> CaseObject {
    let mut object = CaseObject::new(dice.below(scene.meshes.len() as u64) as usize);
    if !scene.instances.is_empty() && dice.once_in(3) {
        object.instances = Some(dice.below(scene.instances.len() as u64) as usize);
    }
    let mut outer = IDENTITY;
    for (axis, column) in outer.iter_mut().enumerate().take(3) {
        column[axis] = size;
    }
    outer[3] = [place[0], place[1], place[2], 1.0];
    object.world_from_object = product(&outer, &placed(dice, 1.5));
    object.visible = !dice.once_in(8);
    object.pickable = !dice.once_in(8);
    object.pick_when_hidden = dice.once_in(2);
    if dice.once_in(4) {
        object.layers = 0b10;
    }
    object
}

fn view(dice: &mut Dice, side: u32, size: f64, place: V3) -> CaseView {
    let away = add(
        scale(unit(dice.point(1.0)), dice.between(3.0, 6.0)),
        [0.1; 3],
    );
    let reversed = dice.once_in(2);
    let camera = Camera {
        eye: add(place, scale(away, size)),
        target: add(place, scale(dice.point(0.5), size)),
        up: add(unit(dice.point(1.0)), [0.0, 0.1, 0.0]),
        viewport: [
            dice.below(100) as u32,
            dice.below(100) as u32,
            side + dice.below(3) as u32,
            side,
        ],
        depths: Depths {
            near: 0.1 * size,
            far: 50.0 * size,
            reversed,
        },
    };
    let mut open = camera;
    open.depths.far = f64::INFINITY;
    match dice.below(4) {
        0 => camera.orthographic(dice.between(1.5, 4.0) * size),
        1 => {
            let near = 0.1 * size;
            let edge = |dice: &mut Dice| dice.between(0.2, 0.9) * near;
            camera.frustum([-edge(dice), edge(dice), -edge(dice), edge(dice)])
        }
        2 => open.perspective(dice.between(20.0, 90.0)),
        _ => camera.perspective(dice.between(20.0, 90.0)),
    }
}
