//! From plain data to a scene that can be picked.

use std::sync::Arc;

use pick_core::{Backend, FaceGroups, InstanceSource, MeshData, Object, PickError, Scene, SubMesh};

use crate::data::{SceneData, SceneMesh};

impl SceneData {
    /// Gives everything to a backend. Each object's tag is its position in [`SceneData::objects`].
    ///
    /// # Errors
    /// Whatever the core or the backend refuses.
    pub fn build<B: Backend>(&self, backend: &mut B) -> Result<Scene, PickError> {
        let mut scene = Scene::new();
        let mut meshes = Vec::with_capacity(self.meshes.len());
        for mesh in &self.meshes {
            meshes.push(scene.meshes.add_mesh(backend, mesh.to_core()?)?);
        }
        let mut sets = Vec::with_capacity(self.instances.len());
        for set in &self.instances {
            let source = InstanceSource::Cpu(Arc::from(set.rows.as_slice()));
            sets.push(scene.meshes.add_instances(backend, source)?);
        }
        for (tag, object) in self.objects.iter().enumerate() {
            let mut placed = Object::new(meshes[object.mesh])
                .at(object.world_from_object)
                .tagged(tag as u64);
            placed.instances = object.instances.map(|set| sets[set]);
            placed.visible = object.visible;
            scene.meshes.insert(placed)?;
        }
        Ok(scene)
    }
}

impl SceneMesh {
    /// The mesh as the core wants it.
    ///
    /// # Errors
    /// Input errors for data that does not hold together; meshes of the loader and the builtins do.
    pub fn to_core(&self) -> Result<MeshData, PickError> {
        let mut mesh = MeshData::builder(self.positions.clone());
        if let Some(normals) = &self.normals {
            mesh = mesh.normals(normals.clone());
        }
        if let Some(uvs) = &self.uvs {
            mesh = mesh.uvs(uvs.clone());
        }
        if let Some(indices) = &self.indices {
            mesh = mesh.indices(indices.clone());
        }
        for part in &self.submeshes {
            mesh = mesh.submesh(SubMesh {
                elements: part.elements.clone(),
                double_sided: part.double_sided,
                has_normals: part.has_normals,
                has_uvs: part.has_uvs,
            });
        }
        if let Some(faces) = &self.faces {
            mesh = mesh.faces(FaceGroups {
                face_of_triangle: faces.clone(),
                unshared_vertices: self.faces_unshared,
            });
        }
        mesh.build()
    }
}
