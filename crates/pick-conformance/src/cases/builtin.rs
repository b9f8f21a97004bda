//! The built-in scenes at small sizes.

use pick_core::Backend;
use pick_scenes::{SceneData, SceneMesh};

use crate::bench::Fault;
use crate::case::{Camera, CaseMesh, CaseObject, CasePart, CaseScene, CaseView, Depths};
use crate::cases::{Case, Modes, Shot, case};
use crate::oracle::math::{V3, add, scale, unit};

/// A scene and how it is seen.
struct Seen {
    name: &'static str,
    scene: &'static str,
    /// From the middle of the scene towards the eye.
    from: V3,
    /// The largest share of ambiguous pixels.
    share: f64,
}

const SEEN: &[Seen] = &[
    Seen {
        name: "builtin/grid",
        scene: "builtin:grid?count=27",
        from: [0.5, 0.4, 1.0],
        share: 0.3,
    },
    Seen {
        name: "builtin/instances",
        scene: "builtin:instances?count=27",
        from: [-0.6, 0.3, 1.0],
        share: 0.3,
    },
    Seen {
        name: "builtin/shells",
        scene: "builtin:shells?count=3&triangles=128",
        from: [0.2, 0.9, 0.4],
        share: 0.5,
    },
    Seen {
        name: "builtin/soup",
        scene: "builtin:soup?triangles=60",
        from: [0.3, -0.2, 1.0],
        share: 0.3,
    },
    Seen {
        name: "builtin/ties",
        scene: "builtin:ties?count=4&repeats=3&seed=7",
        from: [0.1, 0.15, 1.0],
        share: 0.2,
    },
    Seen {
        name: "builtin/mesh",
        scene: "builtin:mesh?triangles=320",
        from: [1.0, 0.5, 0.2],
        share: 0.6,
    },
];

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    let bounded = SEEN.iter().map(|seen| {
        case(seen.name, Modes::All, move |bench| {
            let data = load(seen.scene)?;
            let view = look_from(&data, seen.from, bench.side())?;
            let shot = Shot::new(converted(&data), view).ambiguous(seen.share);
            shot.run(bench)
        })
    });
    let mut all: Vec<_> = bounded.collect();
    all.push(case("builtin/nearfar", Modes::All, |bench| {
        near_and_far(bench.side())?.run(bench)
    }));
    all
}

/// Cubes over seven decades of distance, under reversed depth without a far plane.
fn near_and_far(side: u32) -> Result<Shot, Fault> {
    let data = load("builtin:nearfar?count=24")?;
    let camera = Camera {
        eye: [0.0; 3],
        target: [0.0, 0.0, -1.0],
        up: [0.0, 1.0, 0.0],
        viewport: [0, 0, side, side],
        depths: Depths {
            near: 0.001,
            far: f64::INFINITY,
            reversed: true,
        },
    };
    let shot = Shot::new(converted(&data), camera.perspective(60.0));
    Ok(shot.ambiguous(0.35))
}

fn load(scene: &str) -> Result<SceneData, Fault> {
    pick_scenes::load(scene).map_err(|error| Fault::Wrong(error.to_string()))
}

fn look_from(data: &SceneData, from: V3, side: u32) -> Result<CaseView, Fault> {
    let bounds = data.world_bounds();
    let bounds = bounds.ok_or_else(|| Fault::Wrong("the scene is empty".to_owned()))?;
    let (middle, radius) = (bounds.center().to_array(), bounds.radius());
    let camera = Camera {
        eye: add(middle, scale(unit(from), radius * 2.2)),
        target: middle,
        up: [0.0, 1.0, 0.1],
        viewport: [0, 0, side, side],
        depths: Depths {
            near: radius * 0.1,
            far: radius * 5.0,
            reversed: false,
        },
    };
    Ok(camera.perspective(50.0))
}

/// A scene of pick-scenes as a case.
fn converted(data: &SceneData) -> CaseScene {
    let mut scene = CaseScene {
        meshes: data.meshes.iter().map(mesh).collect(),
        instances: data.instances.iter().map(|set| set.rows.clone()).collect(),
        objects: Vec::new(),
    };
    for object in &data.objects {
        let mut made = CaseObject::new(object.mesh).at(object.world_from_object.to_cols_array_2d());
        made.instances = object.instances;
        made.visible = object.visible;
        scene.add(made);
    }
    scene
}

fn mesh(mesh: &SceneMesh) -> CaseMesh {
    let parts = mesh.submeshes.iter().map(|part| CasePart {
        elements: part.elements.clone(),
        double_sided: part.double_sided,
        normals: part.has_normals,
        uvs: part.has_uvs,
    });
    CaseMesh {
        positions: mesh.positions.clone(),
        normals: mesh.normals.clone(),
        uvs: mesh.uvs.clone(),
        indices: mesh.indices.clone(),
        parts: parts.collect(),
        faces: mesh.faces.clone(),
        faces_unshared: mesh.faces_unshared,
        ..CaseMesh::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Outcome;

    #[test]
    fn every_scene_of_the_table_loads() -> Outcome {
        for seen in SEEN {
            let data = load(seen.scene)?;
            assert!(!converted(&data).objects.is_empty(), "{}", seen.name);
            look_from(&data, seen.from, 16)?;
        }
        Ok(())
    }
}
