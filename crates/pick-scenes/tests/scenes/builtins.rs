//! The built-in scenes.

use glam::{DVec3, Vec3};
use pick_scenes::{BUILTINS, KeyRange, SceneData, SceneProjection};

fn load(scene: &str) -> SceneData {
    pick_scenes::load(scene).unwrap_or_else(|e| panic!("{scene}: {e}"))
}

#[test]
fn every_scene_builds_with_its_defaults_and_at_its_least() {
    for builtin in BUILTINS {
        let scene = load(&format!("builtin:{}", builtin.name));
        assert!(scene.drawn_triangles() > 0, "{}", builtin.name);
        assert!(
            scene.world_bounds().is_some_and(|b| b.radius() > 0.0),
            "{}",
            builtin.name
        );
        let least: Vec<_> = builtin
            .keys
            .iter()
            .map(|k| match k.range {
                KeyRange::Whole { min, .. } | KeyRange::Even { min, .. } => {
                    format!("{}={min}", k.name)
                }
                _ => format!("{}=false", k.name),
            })
            .collect();
        let scene = load(&format!("builtin:{}?{}", builtin.name, least.join("&")));
        assert!(scene.drawn_triangles() > 0, "{}", builtin.name);
    }
}

#[test]
fn a_scene_is_the_same_each_time_and_another_for_another_seed() {
    for builtin in BUILTINS
        .iter()
        .filter(|b| b.keys.iter().any(|k| k.name == "seed"))
    {
        let shuffled = if builtin.name == "instances" {
            "&shuffle=true"
        } else {
            ""
        };
        let text = |seed| {
            let scene = load(&format!("builtin:{}?seed={seed}{shuffled}", builtin.name));
            format!(
                "{:?} {:?} {:?}",
                scene.meshes, scene.objects, scene.instances
            )
        };
        assert_eq!(text(7), text(7), "{}", builtin.name);
        assert_ne!(text(7), text(8), "{}", builtin.name);
    }
}

#[test]
fn grid_mixes_transforms() {
    let scene = load("builtin:grid?count=100");
    assert_eq!((scene.objects.len(), scene.meshes.len()), (100, 1));
    assert_eq!(scene.drawn_triangles(), 1200);
    let mesh = &scene.meshes[0];
    assert!(mesh.faces_unshared);
    let faces = mesh.faces.as_ref().expect("a box has faces");
    assert_eq!(faces[..], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    let mirrored = scene
        .objects
        .iter()
        .filter(|o| o.world_from_object.determinant() < 0.0);
    assert!((20..=60).contains(&mirrored.count()));
    let uneven = scene.objects.iter().filter(|o| {
        let m = o.world_from_object;
        let lengths = [m.x_axis, m.y_axis, m.z_axis].map(|c| c.truncate().length());
        (lengths[0] - lengths[1]).abs() > 1e-3
    });
    assert_eq!(uneven.count(), 40);
    // No two cubes touch: the largest reaches less than half of what lies between two.
    for (i, a) in scene.objects.iter().enumerate() {
        for b in &scene.objects[..i] {
            let gap = (a.world_from_object.w_axis - b.world_from_object.w_axis).length();
            assert!(gap >= 2.5 - 1e-9);
        }
        let half = DVec3::splat(0.5);
        assert!(a.world_from_object.transform_vector3(half).length() < 1.25);
    }
}

#[test]
fn instances_are_one_object_in_order_or_not() {
    let ordered = load("builtin:instances?count=1000");
    assert_eq!((ordered.objects.len(), ordered.drawn_copies()), (1, 1000));
    assert_eq!(ordered.drawn_triangles(), 12_000);
    let place = |r: &[[f32; 4]; 3]| [r[0][3], r[1][3], r[2][3]].map(|x| x as i32);
    let places: Vec<_> = ordered.instances[0].rows.iter().map(place).collect();
    assert_eq!(places[..2], [[-9, -9, -9], [-7, -9, -9]]);
    assert_eq!(
        (places[10], places[100], places[999]),
        ([-9, -7, -9], [-9, -9, -7], [9, 9, 9])
    );
    let shuffled = load("builtin:instances?count=1000&shuffle=true");
    let mut others: Vec<_> = shuffled.instances[0].rows.iter().map(place).collect();
    assert_ne!(places, others);
    let by_place = |p: &[i32; 3]| [p[2], p[1], p[0]];
    others.sort_by_key(by_place);
    assert_eq!(places, others);
    let bounds = ordered.world_bounds().expect("there are instances");
    assert_eq!(
        (bounds.min, bounds.max),
        (DVec3::splat(-9.5), DVec3::splat(9.5))
    );
}

#[test]
fn shells_lie_inside_each_other() {
    let scene = load("builtin:shells?count=5&triangles=100");
    assert_eq!(scene.objects.len(), 5);
    assert_eq!(scene.drawn_triangles(), 500);
    let mesh = &scene.meshes[0];
    assert!(
        mesh.positions
            .iter()
            .all(|p| (Vec3::from(*p).length() - 1.0).abs() < 1e-6)
    );
    let radius = |i: usize| scene.objects[i].world_from_object.x_axis.x;
    assert_eq!([0, 1, 2, 3, 4].map(radius), [1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn soup_has_no_slivers_and_nothing_but_positions() {
    let scene = load("builtin:soup?triangles=500&seed=9");
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.positions.len(), 1500);
    assert!(mesh.indices.is_none() && mesh.normals.is_none() && mesh.uvs.is_none());
    for corners in mesh.positions.chunks_exact(3) {
        let [a, b, c] = [0, 1, 2].map(|k| DVec3::from(corners[k].map(f64::from)));
        let area = (b - a).cross(c - a).length() * 0.5;
        let longest = (b - a).length().max((c - b).length()).max((a - c).length());
        assert!(
            area > 0.05 * longest * longest,
            "area {area}, longest side {longest}"
        );
    }
}

#[test]
fn ties_are_exact() {
    let scene = load("builtin:ties?count=3&repeats=4");
    assert_eq!(scene.objects.len(), 3);
    assert_eq!(scene.meshes[0].triangle_count(), 8);
    let first = scene.objects[0].world_from_object;
    assert!(
        scene
            .objects
            .iter()
            .all(|o| o.mesh == 0 && o.world_from_object == first)
    );
    assert_eq!(scene.meshes[0].triangle(0), scene.meshes[0].triangle(18));
    // A camera on +z sees the front.
    assert!(first.transform_vector3(DVec3::Z).z > 0.5);
}

#[test]
fn nearfar_spans_seven_decades_in_view_of_its_camera() {
    let scene = load("builtin:nearfar?count=50");
    let distances: Vec<f64> = scene
        .objects
        .iter()
        .map(|o| o.world_from_object.w_axis.truncate().length())
        .collect();
    assert!((distances[0] - 0.01).abs() < 1e-12 && (distances[49] - 1e5).abs() < 1e-6);
    assert!(distances.windows(2).all(|d| d[0] < d[1]));
    let SceneProjection::Perspective {
        yfov, near, far, ..
    } = scene.cameras[0].projection
    else {
        panic!("the camera is perspective")
    };
    assert!(near < 0.008 && far.is_none());
    for object in &scene.objects {
        let p = object.world_from_object.w_axis;
        assert!(p.truncate().truncate().length() / -p.z < (yfov / 2.0).tan());
    }
}

#[test]
fn mesh_has_the_triangles_asked_for_and_normals_outwards() {
    let scene = load("builtin:mesh?triangles=5000");
    let mesh = &scene.meshes[0];
    assert_eq!((scene.objects.len(), mesh.triangle_count()), (1, 5000));
    let normals = mesh.normals.as_ref().expect("it has normals");
    assert!(mesh.submeshes[0].has_normals && mesh.submeshes[0].has_uvs);
    let lengths = mesh.positions.iter().map(|p| Vec3::from(*p).length());
    let (least, most) = lengths.fold((9.0_f32, 0.0_f32), |(a, b), l| (a.min(l), b.max(l)));
    assert!(least < 0.9 && most > 1.1, "radii from {least} to {most}");
    for (normal, position) in normals.iter().zip(&mesh.positions) {
        let (normal, position) = (Vec3::from(*normal), Vec3::from(*position));
        assert!((normal.length() - 1.0).abs() < 1e-5 && normal.dot(position) > 0.0);
    }
}

/// In release, where the full test command runs it, at the size that benchmarks use.
#[test]
fn the_largest_lists_of_instances_build() {
    let count = if cfg!(debug_assertions) {
        100_000
    } else {
        10_000_000
    };
    let scene = load(&format!("builtin:instances?count={count}&shuffle=true"));
    assert_eq!(scene.drawn_copies(), count);
    assert!(scene.world_bounds().is_some());
}
