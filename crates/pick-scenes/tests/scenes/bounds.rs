//! How far scenes reach.

use glam::{DMat4, DVec3};
use pick_scenes::{SceneData, SceneInstances, SceneMesh, SceneObject, SceneSubMesh, SceneTopology};

fn scene() -> SceneData {
    let mesh = SceneMesh {
        positions: vec![[0., 0., 0.], [2., 0., 0.], [0., 1., 0.]],
        submeshes: vec![SceneSubMesh {
            elements: 0..3,
            primitive: 0,
            material: None,
            double_sided: false,
            has_normals: false,
            has_uvs: false,
            topology: SceneTopology::List,
        }],
        ..SceneMesh::default()
    };
    SceneData {
        meshes: vec![mesh],
        ..SceneData::default()
    }
}

#[test]
fn nothing_visible_has_no_bounds() {
    let mut scene = scene();
    assert_eq!(scene.world_bounds(), None);
    scene.objects.push(SceneObject::new(0, 0, DMat4::IDENTITY));
    scene.objects[0].visible = false;
    assert_eq!(scene.world_bounds(), None);
    assert_eq!(
        (
            scene.drawn_triangles(),
            scene.drawn_copies(),
            scene.stored_triangles()
        ),
        (0, 0, 1)
    );
    scene.objects[0].visible = true;
    scene.objects[0].instances = Some(0);
    scene.instances.push(SceneInstances::default());
    assert_eq!((scene.world_bounds(), scene.drawn_triangles()), (None, 0));
}

#[test]
fn far_places_keep_their_precision() {
    let mut scene = scene();
    let far = DVec3::new(6_378_137.123, 0.0, -1.0e9);
    scene
        .objects
        .push(SceneObject::new(0, 0, DMat4::from_translation(far)));
    let bounds = scene.world_bounds().expect("there is an object");
    assert_eq!(
        (bounds.min, bounds.max),
        (far, far + DVec3::new(2.0, 1.0, 0.0))
    );
}

#[test]
fn turned_instances_are_held() {
    let mut scene = scene();
    // A quarter turn about z, then five to the right.
    let row = [[0., -1., 0., 5.], [1., 0., 0., 0.], [0., 0., 1., 0.]];
    scene.instances.push(SceneInstances { rows: vec![row] });
    let mut object = SceneObject::new(0, 0, DMat4::from_scale(DVec3::splat(2.0)));
    object.instances = Some(0);
    scene.objects.push(object);
    let bounds = scene.world_bounds().expect("there is an instance");
    assert_eq!(
        (bounds.min, bounds.max),
        (DVec3::new(8., 0., 0.), DVec3::new(10., 4., 0.))
    );
    assert_eq!(
        (bounds.center(), bounds.radius()),
        (DVec3::new(9., 2., 0.), 5.0_f64.sqrt())
    );
}
