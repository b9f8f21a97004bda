//! A case's scene on a backend.

use std::sync::Arc;

use glam::DMat4;
use pick_core::{
    Backend, FaceGroups, InstanceSource, InstancesKey, MeshData, MeshKey, MeshSource, Object,
    ObjectKey, PickError, Scene, SubMesh,
};

use crate::case::{CaseMesh, CaseObject, CaseScene};

/// A case's scene as the library holds it, with the keys by position.
pub struct Stage {
    /// The library's scene.
    pub scene: Scene,
    /// By position in [`CaseScene::meshes`].
    pub meshes: Vec<MeshKey>,
    /// By position in [`CaseScene::instances`].
    pub instances: Vec<InstancesKey>,
    /// By position in [`CaseScene::objects`].
    pub objects: Vec<ObjectKey>,
}

impl Stage {
    /// Uploads everything.
    ///
    /// # Errors
    /// Whatever the library or the backend refuses.
    pub fn build<B: Backend>(backend: &mut B, case: &CaseScene) -> Result<Self, PickError> {
        let mut stage = Self {
            scene: Scene::new(),
            meshes: Vec::new(),
            instances: Vec::new(),
            objects: Vec::new(),
        };
        for mesh in &case.meshes {
            stage.add_mesh(backend, mesh)?;
        }
        for rows in &case.instances {
            let source = InstanceSource::Cpu(rows.clone().into());
            let key = stage.scene.meshes.add_instances(backend, source)?;
            stage.instances.push(key);
        }
        for object in &case.objects {
            stage.add_object(object)?;
        }
        Ok(stage)
    }

    /// Uploads one more mesh.
    ///
    /// # Errors
    /// Whatever the library or the backend refuses.
    pub fn add_mesh<B: Backend>(
        &mut self,
        backend: &mut B,
        mesh: &CaseMesh,
    ) -> Result<MeshKey, PickError> {
        let data = Arc::new(mesh.data()?);
        let source = if mesh.forgotten {
            MeshSource::Upload(data)
        } else {
            MeshSource::Cpu(data)
        };
        let key = self.scene.meshes.add_mesh(backend, source)?;
        self.meshes.push(key);
        Ok(key)
    }

    /// Adds one more object.
    ///
    /// # Errors
    /// Whatever the library refuses.
    pub fn add_object(&mut self, object: &CaseObject) -> Result<ObjectKey, PickError> {
        let mut made = Object::new(self.meshes[object.mesh])
            .at(DMat4::from_cols_array_2d(&object.world_from_object))
            .tagged(object.tag);
        made.instances = object.instances.map(|set| self.instances[set]);
        made.visible = object.visible;
        made.pickable = object.pickable;
        made.pick_when_hidden = object.pick_when_hidden;
        made.layers = object.layers;
        let key = self.scene.meshes.insert(made)?;
        self.objects.push(key);
        Ok(key)
    }

    /// Takes everything back from the backend.
    ///
    /// # Errors
    /// Whatever the library or the backend refuses.
    pub fn strike<B: Backend>(mut self, backend: &mut B) -> Result<(), PickError> {
        for key in self.objects {
            if self.scene.meshes.get(key).is_ok() {
                self.scene.meshes.remove(key)?;
            }
        }
        for key in self.meshes {
            self.scene.meshes.remove_mesh(backend, key)?;
        }
        for key in self.instances {
            self.scene.meshes.remove_instances(backend, key)?;
        }
        Ok(())
    }
}

impl CaseMesh {
    /// The library's mesh.
    ///
    /// # Errors
    /// Whatever the library refuses.
    pub fn data(&self) -> Result<MeshData, PickError> {
        let mut builder = MeshData::builder(self.positions.clone());
        if let Some(normals) = &self.normals {
            builder = builder.normals(normals.clone());
        }
        if let Some(uvs) = &self.uvs {
            builder = builder.uvs(uvs.clone());
        }
        builder = match &self.indices {
            None => builder,
            Some(indices) if self.narrow => {
                let narrow: Vec<u16> = indices.iter().map(|&i| i as u16).collect();
                builder.indices_u16(&narrow)
            }
            Some(indices) => builder.indices(indices.clone()),
        };
        for part in &self.parts {
            let mut made = SubMesh::new(part.elements.clone());
            made.double_sided = part.double_sided;
            made.has_normals = part.normals;
            made.has_uvs = part.uvs;
            builder = builder.submesh(made);
        }
        if let Some(faces) = &self.faces {
            builder = builder.faces(FaceGroups {
                face_of_triangle: faces.clone(),
                unshared_vertices: self.faces_unshared,
            });
        }
        builder.build()
    }
}
