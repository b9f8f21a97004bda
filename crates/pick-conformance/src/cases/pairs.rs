//! Copies of large meshes: what culling leaves out of each copy must not be missed. Every question is asked
//! culled and brute (see [`Bench::ask`]).

use pick_core::{Backend, PixelRect, Request};

use crate::bench::{Bench, Outcome, expect};
use crate::case::{
    Camera, CaseMesh, CaseObject, CasePart, CaseScene, Rows, grid, rows_at, scaled, sphere,
};
use crate::cases::{Case, Dice, Modes, Shot, case};
use crate::oracle::math::product;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("cull/large_copies", Modes::Strategies, |bench| {
            large_copies(bench.side()).run(bench)
        }),
        case("cull/faces_of_large_copies", Modes::Strategies, |bench| {
            faces(bench.side()).run(bench)
        }),
        case("cull/ties_of_large_copies", Modes::Strategies, ties),
        case("cull/more_pairs_than_fit", Modes::Once, more_than_fit),
    ]
}

/// A turned, stretched and sometimes mirrored copy in view.
fn scattered(dice: &mut Dice) -> Rows {
    let mirror = if dice.once_in(3) { -1.0 } else { 1.0 };
    let [sx, sy, sz] = [0; 3].map(|_| dice.between(0.3, 1.3));
    let turned = product(&dice.rotation(), &scaled([sx * mirror, sy, sz], [0.0; 3]));
    let at = [0; 3].map(|_| dice.between(-4.0, 4.0));
    [0, 1, 2].map(|row| {
        let entry = |column: usize| turned[column][row] as f32;
        [entry(0), entry(1), entry(2), at[row] as f32]
    })
}

/// A large part that starts amid the mesh, and whose last run of triangles is a shorter one.
fn large_copies(side: u32) -> Shot {
    let mut mesh = sphere(1.6, 34);
    let cut = 3 * 300;
    let parts = [0..cut, cut..mesh.element_count()];
    mesh.parts = parts.map(CasePart::new).to_vec();
    let mut dice = Dice::new(31);
    let mut scene = CaseScene::default();
    scene.meshes.push(mesh);
    scene
        .instances
        .push((0..6).map(|_| scattered(&mut dice)).collect());
    let base = scaled([1.0, -0.8, 1.2], [0.3, 0.1, -0.4]);
    scene.add(CaseObject::new(0).instanced(0).at(base));
    Shot::new(scene, Camera::field(side).perspective(70.0)).ambiguous(0.9)
}

/// Faces that ids can name, since no two share a vertex, and vertices in another order than the elements.
fn faces(side: u32) -> Shot {
    const QUADS: u32 = 48;
    let mut mesh = CaseMesh::default();
    let (mut indices, mut of_triangle) = (Vec::new(), Vec::new());
    let at = |k: u32| k as f32 / 6.0 - 4.0;
    for quad in (0..QUADS * QUADS).rev() {
        let (x, y) = (quad % QUADS, quad / QUADS);
        for (x, y) in [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)] {
            mesh.positions.push([at(x), at(y), 0.0]);
        }
    }
    for quad in 0..QUADS * QUADS {
        let first = 4 * (QUADS * QUADS - 1 - quad);
        indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        of_triangle.extend([quad / 5; 2]);
    }
    let cut = 6 * 50;
    let parts = [0..cut, cut..indices.len() as u32];
    mesh.parts = parts.map(CasePart::new).to_vec();
    mesh.indices = Some(indices);
    mesh.faces = Some(of_triangle);
    mesh.faces_unshared = true;
    let mut scene = CaseScene::default();
    scene.meshes.push(mesh);
    let copies = [[0.0, 0.0, -3.0], [1.5, 0.5, -1.0], [-1.0, -2.0, -2.0]];
    scene.instances.push(copies.map(rows_at).to_vec());
    scene.add(CaseObject::new(0).instanced(0));
    Shot::new(scene, Camera::field(side).perspective(70.0)).ambiguous(0.9)
}

/// Of copies at one place the first wins.
fn ties<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::default();
    scene.meshes.push(grid(48));
    let columns = [-8.0, 0.0, 8.0];
    let copies = (0..12).map(|k: usize| rows_at([columns[(k / 3) % 3], 0.0, 0.0]));
    scene.instances.push(copies.collect());
    scene.add(CaseObject::new(0).instanced(0));
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    for pixel in [[20, 31], [31, 40]] {
        let hit = bench.hits(&mut stage, &view, pixel, 0)?;
        if bench.gives_instances() {
            expect("the copy", hit.instance, Ok(3))?;
        }
    }
    bench.strike(stage)
}

/// More runs of triangles than the list has room for: whole copies are drawn, which is told.
fn more_than_fit<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::default();
    scene.meshes.push(grid(48));
    let copies = (0..240).map(|k| rows_at([0.0, 0.0, -0.01 * k as f32]));
    scene.instances.push(copies.collect());
    scene.add(CaseObject::new(0).instanced(0));
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    let told = bench.backend.caps().instance_culling;
    for (side, overflows) in [(1, 0), (64, u64::from(told))] {
        let request = Request::id_image(&view, PixelRect::new(0, 0, side, side))?;
        let answer = bench.ask(&mut stage.scene, request)?;
        expect("overflowed", answer.report.culling.overflowed, overflows)?;
        for (column, row) in [(0, 0), (side / 2, side / 3)] {
            let hit = answer.result.hit(column, row)?;
            let copy = hit.map(|hit| hit.instance);
            expect("the copy", copy.is_none_or(|copy| copy == Ok(0)), true)?;
        }
    }
    bench.strike(stage)
}
