//! Who takes part, and under which handle: scenes, layers, visibility, other contributors.

use std::sync::Arc;

use pick_core::{
    Aabb, Backend, Band, Contributor, ContributorId, DrawOffer, InputError, MeshAsset, MeshSource,
    Object, OfferBounds, Offers, PickError, Picker, Scene,
};

use crate::bench::{Bench, Fault, Outcome, expect, wrong};
use crate::case::{Asking, Camera, CaseScene, quad};
use crate::cases::{Case, Modes, case};
use crate::probe::{named, refused};

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("handle/two_scenes", Modes::Strategies, two_scenes),
        case(
            "handle/not_pickable_in_front",
            Modes::Strategies,
            see_through,
        ),
        case("handle/hidden_and_removed", Modes::Strategies, hidden),
        case("handle/layers", Modes::Strategies, layers),
        case("handle/keys_are_never_used_again", Modes::Once, keys),
        case("handle/two_contributors", Modes::Strategies, contributors),
        case("handle/overlay_band", Modes::Strategies, overlay),
        case("handle/offered_bounds", Modes::Once, offered_bounds),
    ]
}

/// A front quad at z = 0 and one behind at z = -1.
fn front_and_back() -> CaseScene {
    CaseScene::of([
        quad(-4.0..=4.0, -4.0..=4.0, 0.0),
        quad(-4.0..=4.0, -4.0..=4.0, -1.0),
    ])
}

/// Field case 34
fn two_scenes<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut left = bench.stage(&CaseScene::of([quad(-4.0..=0.0, -4.0..=4.0, 0.0)]))?;
    let mut right = bench.stage(&CaseScene::of([quad(0.0..=4.0, -4.0..=4.0, 0.0)]))?;
    let view = Camera::cam_p().build()?;
    bench.hits(&mut left, &view, [20, 30], 0)?;
    bench.names(&mut left, &view, [40, 30], None)?;
    bench.hits(&mut right, &view, [40, 30], 0)?;
    bench.names(&mut right, &view, [20, 30], None)?;
    expect("two keys", left.objects[0] == right.objects[0], false)?;
    let is_foreign = |input: &InputError| matches!(input, InputError::ForeignKey { .. });
    let (object, mesh) = (left.objects[0], left.meshes[0]);
    let meshes = &mut right.scene.meshes;
    refused("get", meshes.get(object).map(drop), is_foreign)?;
    refused("remove", meshes.remove(object).map(drop), is_foreign)?;
    refused("hide", meshes.set_visible(object, false), is_foreign)?;
    refused("insert", meshes.insert(Object::new(mesh)), is_foreign)?;
    let taken = meshes.remove_mesh(bench.backend, mesh);
    refused("remove_mesh", taken, is_foreign)?;
    bench.hits(&mut left, &view, [20, 30], 0)?;
    bench.strike(left)?;
    bench.strike(right)
}

/// Field case 71: what is not pickable is seen through.
fn see_through<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = front_and_back();
    scene.objects[0].pickable = false;
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    bench.hits(&mut stage, &view, [32, 32], 1)?;
    stage.scene.meshes.set_pickable(stage.objects[0], true)?;
    bench.hits(&mut stage, &view, [32, 32], 0)?;
    bench.strike(stage)
}

/// Field case 72
fn hidden<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&front_and_back())?;
    let view = Camera::cam_p().build()?;
    bench.hits(&mut stage, &view, [32, 32], 0)?;
    let front = stage.objects[0];
    stage.scene.meshes.set_visible(front, false)?;
    bench.hits(&mut stage, &view, [32, 32], 1)?;
    stage.scene.meshes.set_pick_when_hidden(front, true)?;
    bench.hits(&mut stage, &view, [32, 32], 0)?;
    stage.scene.meshes.set_pickable(front, false)?;
    bench.hits(&mut stage, &view, [32, 32], 1)?;
    stage.scene.meshes.set_pickable(front, true)?;
    stage.scene.meshes.set_visible(front, true)?;
    bench.hits(&mut stage, &view, [32, 32], 0)?;
    stage.scene.meshes.remove(front)?;
    bench.hits(&mut stage, &view, [32, 32], 1)?;
    bench.strike(stage)
}

fn layers<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = front_and_back();
    scene.objects[0].layers = 0b01;
    scene.objects[1].layers = 0b110;
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    for (layers, right) in [
        (0b01, Some(0)),
        (0b10, Some(1)),
        (0b11, Some(0)),
        (0b1000, None),
        (0, None),
        (u32::MAX, Some(0)),
    ] {
        let asking = Asking {
            layers,
            ..Asking::default()
        };
        let request = bench.point(&view, 32, 32)?.with(bench.options(&asking));
        let hit = bench.ask(&mut stage.scene, request)?.result;
        named(&stage, &hit, right).map_err(Fault::Wrong)?;
    }
    bench.strike(stage)
}

/// Removal leaves holes; keys, order and the rest stay.
fn keys<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&front_and_back())?;
    let view = Camera::cam_p().build()?;
    let is_removed = |input: &InputError| matches!(input, InputError::RemovedKey { .. });
    let mut seen = stage.objects.clone();
    for _ in 0..40 {
        let key = stage.scene.meshes.insert(Object::new(stage.meshes[0]))?;
        expect("a new key", seen.contains(&key), false)?;
        seen.push(key);
        stage.scene.meshes.remove(key)?;
        let again = stage.scene.meshes.remove(key).map(drop);
        refused("remove twice", again, is_removed)?;
        refused(
            "show",
            stage.scene.meshes.set_visible(key, true),
            is_removed,
        )?;
    }
    expect("objects", stage.scene.meshes.len(), 2)?;
    bench.hits(&mut stage, &view, [32, 32], 0)?;
    let used = stage
        .scene
        .meshes
        .remove_mesh(bench.backend, stage.meshes[0]);
    refused("a mesh in use", used, |input| {
        matches!(input, InputError::BadMesh { .. })
    })?;
    bench.strike(stage)
}

/// A contributor of a host's own that draws a mesh in a band.
pub(super) struct Own {
    pub(super) mesh: Arc<MeshAsset>,
    pub(super) place: glam::DMat4,
    pub(super) band: Band,
    pub(super) bounds: OfferBounds,
}

impl Contributor for Own {
    fn name(&self) -> &str {
        "own"
    }

    fn offer(&mut self, offers: &mut Offers<'_>) -> Result<(), PickError> {
        let offer = DrawOffer::new(&self.mesh)
            .world_from_object(self.place)
            .tag(77)
            .band(self.band)
            .bounds(self.bounds);
        offers.draw(offer)
    }
}

/// Object 0 of the scene, a contributor's quad, and who answers at the middle.
fn merged<B: Backend>(bench: &mut Bench<'_, B>, z: f64, band: Band, wins: bool) -> Outcome {
    let mut stage = bench.stage(&CaseScene::of([quad(-4.0..=4.0, -4.0..=4.0, 0.0)]))?;
    let source = MeshSource::from(quad(-1.0..=1.0, -1.0..=1.0, 0.0).data()?);
    let mesh = Arc::new(MeshAsset::create(bench.backend, source)?);
    let id = mesh.id();
    stage.scene.add_contributor(Own {
        mesh,
        place: glam::DMat4::from_translation(glam::DVec3::Z * z),
        band,
        bounds: OfferBounds::OfMesh,
    });
    let view = Camera::cam_p().build()?;
    let hit = bench.pick(&mut stage.scene, &view, 32, 32)?;
    let Some(hit) = hit else {
        return wrong("a miss");
    };
    let told = (hit.contributor, hit.object, hit.tag);
    let right = match wins {
        true => (ContributorId(1), None, 77),
        false => (ContributorId(0), Some(stage.objects[0]), 0),
    };
    expect("who answers", told, right)?;
    // Off the small quad the scene's object answers, with its own depth, whatever the band.
    let beside = bench.hits(&mut stage, &view, [12, 12], 0)?;
    if let Ok(point) = beside.point {
        expect("its own depth", point.z.abs() < 1e-2, true)?;
    }
    bench.strike(stage)?;
    Ok(bench.backend.destroy_mesh(id)?)
}

/// Field case 76: of merged sources the nearer wins, and the first of equals.
fn contributors<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    merged(bench, 1.0, Band::SCENE, true)?;
    merged(bench, -1.0, Band::SCENE, false)
}

/// Field case 73, for bands that contributors offer.
fn overlay<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    // Stencil-ID gives no depth under two bands, and says so.
    merged(bench, -2.0, Band(1), true)?;
    merged(bench, -2.0, Band::SCENE, false)
}

/// What a contributor says of its draws' bounds is believed, and without them they are always drawn.
fn offered_bounds<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let at = |x: f32| Aabb {
        min: glam::Vec3::new(x - 1.0, -1.0, -1.0),
        max: glam::Vec3::new(x + 1.0, 1.0, 1.0),
    };
    let view = Camera::cam_p().build()?;
    // The corner pixel sees the quad at none of these; the middle one sees it.
    for (bounds, middle, corner) in [
        (OfferBounds::OfMesh, 1, 0),
        (OfferBounds::Local(at(0.0)), 1, 0),
        (OfferBounds::Local(at(50.0)), 0, 0),
        (OfferBounds::Unbounded, 1, 1),
    ] {
        let mut scene = Scene::new();
        let source = MeshSource::from(quad(-1.0..=1.0, -1.0..=1.0, 0.0).data()?);
        let mesh = Arc::new(MeshAsset::create(bench.backend, source)?);
        let id = mesh.id();
        scene.add_contributor(Own {
            mesh,
            place: glam::DMat4::IDENTITY,
            band: Band::SCENE,
            bounds,
        });
        for (pixel, items) in [(32, middle), (1, corner)] {
            let request = bench.point(&view, pixel, pixel)?;
            let answer = Picker::new().pick(bench.backend, &mut scene, request)?;
            expect("draws", (bounds, answer.report.items), (bounds, items))?;
        }
        bench.backend.destroy_mesh(id)?;
    }
    Ok(())
}
