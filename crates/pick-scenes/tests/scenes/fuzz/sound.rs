//! What must hold of every scene that is handed out.

use std::time::{Duration, Instant};

use pick_scenes::SceneData;

/// Loads bytes and checks that the scene holds together, whatever it is.
pub fn check(bytes: &[u8]) -> Result<bool, String> {
    let start = Instant::now();
    let answer = pick_scenes::gltf::load_bytes("mutated.glb", bytes, None);
    let took = start.elapsed();
    if took > Duration::from_secs(5) {
        return Err(format!("it took {took:?}"));
    }
    match answer {
        Err(error) if error.field().is_empty() || error.fix().is_empty() => {
            Err(format!("the error names no field or fix: {error}"))
        }
        Err(error) if error.to_string().len() > 2000 => Err("the error is too long".to_owned()),
        Err(_) => Ok(false),
        Ok(scene) => sound(&scene).map(|()| true),
    }
}

/// Everything that users of a scene may rely on.
fn sound(scene: &SceneData) -> Result<(), String> {
    let ensure = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_owned()) };
    for mesh in &scene.meshes {
        let vertices = mesh.positions.len();
        let elements = mesh.indices.as_ref().map_or(vertices, Vec::len);
        ensure(
            mesh.positions.as_flattened().iter().all(|x| x.is_finite()),
            "positions are finite",
        )?;
        let in_range = |i: &u32| (*i as usize) < vertices;
        ensure(
            mesh.indices.iter().flatten().all(in_range),
            "indices are in range",
        )?;
        let lengths = [
            mesh.normals.as_ref().map(Vec::len),
            mesh.uvs.as_ref().map(Vec::len),
            mesh.uvs1.as_ref().map(Vec::len),
            mesh.tangents.as_ref().map(Vec::len),
            mesh.colors.as_ref().map(Vec::len),
        ];
        ensure(
            lengths.iter().flatten().all(|l| *l == vertices),
            "attributes are as long as positions",
        )?;
        let joints = mesh
            .joints
            .iter()
            .map(Vec::len)
            .chain(mesh.weights.iter().map(Vec::len));
        ensure(
            joints.into_iter().all(|l| l == vertices),
            "joints are as long as positions",
        )?;
        for target in &mesh.morph_targets {
            let lists = [&target.positions, &target.normals, &target.tangents];
            let full = lists.into_iter().flatten().all(|l| l.len() == vertices);
            ensure(full, "targets are as long as positions")?;
        }
        ensure(
            mesh.morph_weights.len() == mesh.morph_targets.len(),
            "one weight a target",
        )?;
        for submesh in &mesh.submeshes {
            let range = &submesh.elements;
            ensure(
                range.start <= range.end && range.end as usize <= elements,
                "elements are there",
            )?;
            ensure(
                (range.end - range.start) % 3 == 0,
                "elements are whole triangles",
            )?;
            let material = submesh
                .material
                .is_none_or(|m| (m as usize) < scene.materials.len());
            ensure(material, "the material is there")?;
            ensure(
                !submesh.has_normals || mesh.normals.is_some(),
                "normals are there",
            )?;
            ensure(
                !submesh.has_uvs || mesh.uvs.is_some(),
                "texture coordinates are there",
            )?;
        }
    }
    for object in &scene.objects {
        ensure(object.mesh < scene.meshes.len(), "the mesh is there")?;
        ensure(
            object.instances.is_none_or(|i| i < scene.instances.len()),
            "the instances are there",
        )?;
        ensure(
            object.skin.is_none_or(|s| s < scene.skins.len()),
            "the skin is there",
        )?;
        ensure(
            object.world_from_object.is_finite(),
            "the transform is finite",
        )?;
    }
    let rows = scene
        .instances
        .iter()
        .flat_map(|i| i.rows.as_flattened().as_flattened());
    ensure(
        rows.into_iter().all(|x| x.is_finite()),
        "instances are finite",
    )?;
    if let Some(bounds) = scene.world_bounds() {
        ensure(
            bounds.min.is_finite() && bounds.max.is_finite(),
            "bounds are finite",
        )?;
        ensure(
            bounds.radius().is_finite() && bounds.min.cmple(bounds.max).all(),
            "bounds are a box",
        )?;
    }
    for node in &scene.nodes {
        ensure(
            node.parent.is_none_or(|p| (p as usize) < scene.nodes.len()),
            "the parent is there",
        )?;
    }
    for animation in &scene.animations {
        for channel in &animation.channels {
            ensure(
                (channel.sampler as usize) < animation.samplers.len(),
                "the sampler is there",
            )?;
            ensure(
                (channel.node as usize) < scene.nodes.len(),
                "the node is there",
            )?;
        }
    }
    let _ = scene.drawn_triangles();
    Ok(())
}
