//! The built-in mesh contributor: retained objects with stable keys.

use std::sync::Arc;

use glam::{DMat4, DVec4};

use crate::backend::Backend;
use crate::contributor::{Contributor, DrawOffer};
use crate::error::{ErrorKind, InputError, PickError};
use crate::id::Band;
use crate::mesh::{InstanceSource, MeshSource};
use crate::offer::Offers;
use crate::registry::{InstancesKey, MeshKey, ObjectKey, OwnerId, Registry};
use crate::scene::{InstanceAsset, MeshAsset};
use crate::view::MAX_ENTRY;

/// Something that is drawn and can be picked: a mesh at a place, once or instanced.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Its triangles; each part of the mesh is a draw of its own.
    pub mesh: MeshKey,
    /// Copies of the mesh, placed by the set's transforms before the object's.
    pub instances: Option<InstancesKey>,
    /// Affine and finite.
    pub world_from_object: DMat4,
    /// It is drawn. What is not drawn is not picked, unless `pick_when_hidden`.
    pub visible: bool,
    /// It takes part in picks. What does not is as if it were not there.
    pub pickable: bool,
    /// It takes part also while not visible (enlarged colliders of gizmo handles).
    pub pick_when_hidden: bool,
    /// Which layers it is on; a pick sees objects that share a bit with its mask.
    pub layers: u32,
    /// The user's own word, returned with every hit.
    pub tag: u64,
}

impl Object {
    /// A visible, pickable object at the origin, on every layer, with tag 0.
    pub fn new(mesh: MeshKey) -> Self {
        Self {
            mesh,
            instances: None,
            world_from_object: DMat4::IDENTITY,
            visible: true,
            pickable: true,
            pick_when_hidden: false,
            layers: u32::MAX,
            tag: 0,
        }
    }

    /// Places it.
    pub fn at(mut self, world_from_object: DMat4) -> Self {
        self.world_from_object = world_from_object;
        self
    }

    /// Gives it copies.
    pub fn instanced(mut self, instances: InstancesKey) -> Self {
        self.instances = Some(instances);
        self
    }

    /// Gives it the user's own word.
    pub fn tagged(mut self, tag: u64) -> Self {
        self.tag = tag;
        self
    }

    fn takes_part(&self, layers: u32) -> bool {
        self.pickable && (self.visible || self.pick_when_hidden) && self.layers & layers != 0
    }
}

/// Objects made of triangle meshes, offered in the order they were inserted.
#[derive(Debug)]
pub struct MeshContributor {
    meshes: Registry<MeshKey, Entry<MeshAsset>>,
    instances: Registry<InstancesKey, Entry<InstanceAsset>>,
    objects: Registry<ObjectKey, Object>,
    /// Insertion order; removed objects leave holes until half are holes.
    order: Vec<ObjectKey>,
}

/// An asset and how many objects use it.
#[derive(Debug)]
struct Entry<T> {
    asset: Arc<T>,
    users: usize,
}

impl MeshContributor {
    pub(super) fn new(owner: OwnerId) -> Self {
        Self {
            meshes: Registry::new(owner),
            instances: Registry::new(owner),
            objects: Registry::new(owner),
            order: Vec::new(),
        }
    }

    /// Gives a mesh to the backend. Objects made of it are picked on that backend only.
    ///
    /// # Errors
    /// Whatever [`MeshAsset::create`] refuses.
    pub fn add_mesh<B: Backend>(
        &mut self,
        backend: &mut B,
        source: impl Into<MeshSource>,
    ) -> Result<MeshKey, PickError> {
        let asset = Arc::new(MeshAsset::create(backend, source.into())?);
        Ok(self.meshes.insert(Entry { asset, users: 0 }))
    }

    /// Takes a mesh back from the backend. Picks in flight are not disturbed.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key, and while an object uses the mesh.
    pub fn remove_mesh<B: Backend>(
        &mut self,
        backend: &mut B,
        key: MeshKey,
    ) -> Result<(), PickError> {
        let entry = self.meshes.get(key)?;
        unused(entry.users, "mesh")?;
        backend.destroy_mesh(entry.asset.id())?;
        self.meshes.remove(key).map(drop)
    }

    /// Gives an instance set to the backend.
    ///
    /// # Errors
    /// Whatever [`InstanceAsset::create`] refuses.
    pub fn add_instances<B: Backend>(
        &mut self,
        backend: &mut B,
        source: InstanceSource,
    ) -> Result<InstancesKey, PickError> {
        let asset = Arc::new(InstanceAsset::create(backend, source)?);
        Ok(self.instances.insert(Entry { asset, users: 0 }))
    }

    /// Replaces an instance set's transforms. Picks in flight keep the old ones.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key; whatever [`InstanceAsset::updated`] refuses.
    pub fn update_instances<B: Backend>(
        &mut self,
        backend: &mut B,
        key: InstancesKey,
        source: InstanceSource,
    ) -> Result<(), PickError> {
        let entry = self.instances.get_mut(key)?;
        entry.asset = Arc::new(entry.asset.updated(backend, source)?);
        Ok(())
    }

    /// Takes an instance set back from the backend. Picks in flight are not disturbed.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key, and while an object uses the set.
    pub fn remove_instances<B: Backend>(
        &mut self,
        backend: &mut B,
        key: InstancesKey,
    ) -> Result<(), PickError> {
        let entry = self.instances.get(key)?;
        unused(entry.users, "instance set")?;
        backend.destroy_instances(entry.asset.id())?;
        self.instances.remove(key).map(drop)
    }

    /// Adds an object. Its key stays good until removal and never names another.
    ///
    /// # Errors
    /// Input errors for foreign or removed keys and a transform that is not affine and finite.
    pub fn insert(&mut self, object: Object) -> Result<ObjectKey, PickError> {
        check_transform(&object.world_from_object)?;
        if let Some(instances) = object.instances {
            self.instances.get(instances)?;
        }
        self.meshes.get_mut(object.mesh)?.users += 1;
        if let Some(instances) = object.instances {
            self.instances.get_mut(instances)?.users += 1;
        }
        let key = self.objects.insert(object);
        self.order.push(key);
        Ok(key)
    }

    /// Removes an object and gives it back. Picks in flight may still name it, marked as removed.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key.
    pub fn remove(&mut self, key: ObjectKey) -> Result<Object, PickError> {
        let object = self.objects.remove(key)?;
        self.meshes.get_mut(object.mesh)?.users -= 1;
        if let Some(instances) = object.instances {
            self.instances.get_mut(instances)?.users -= 1;
        }
        if self.order.len() > 2 * self.objects.len() {
            self.order.retain(|&key| self.objects.contains(key));
        }
        Ok(object)
    }

    /// An object as it stands.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key.
    pub fn get(&self, key: ObjectKey) -> Result<&Object, PickError> {
        self.objects.get(key)
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// True without objects.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Moves an object.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key and a transform that is not affine and finite.
    pub fn set_transform(
        &mut self,
        key: ObjectKey,
        world_from_object: DMat4,
    ) -> Result<(), PickError> {
        check_transform(&world_from_object)?;
        self.objects.get_mut(key)?.world_from_object = world_from_object;
        Ok(())
    }

    /// Shows or hides an object.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key.
    pub fn set_visible(&mut self, key: ObjectKey, visible: bool) -> Result<(), PickError> {
        self.objects.get_mut(key)?.visible = visible;
        Ok(())
    }

    /// Lets an object take part in picks, or not.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key.
    pub fn set_pickable(&mut self, key: ObjectKey, pickable: bool) -> Result<(), PickError> {
        self.objects.get_mut(key)?.pickable = pickable;
        Ok(())
    }

    /// Lets an object take part while hidden, or not.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key.
    pub fn set_pick_when_hidden(&mut self, key: ObjectKey, picked: bool) -> Result<(), PickError> {
        self.objects.get_mut(key)?.pick_when_hidden = picked;
        Ok(())
    }

    /// Puts an object on layers.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key.
    pub fn set_layers(&mut self, key: ObjectKey, layers: u32) -> Result<(), PickError> {
        self.objects.get_mut(key)?.layers = layers;
        Ok(())
    }

    /// Changes the user's own word.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key.
    pub fn set_tag(&mut self, key: ObjectKey, tag: u64) -> Result<(), PickError> {
        self.objects.get_mut(key)?.tag = tag;
        Ok(())
    }
}

impl MeshContributor {
    /// Removes everything, here and on the backend. Picks in flight are not disturbed.
    ///
    /// # Errors
    /// `ForeignKey` for another backend than the one that holds the meshes.
    pub fn clear<B: Backend>(&mut self, backend: &mut B) -> Result<(), PickError> {
        for entry in self.meshes.values() {
            backend.destroy_mesh(entry.asset.id())?;
        }
        for entry in self.instances.values() {
            backend.destroy_instances(entry.asset.id())?;
        }
        self.objects.clear();
        self.order.clear();
        self.meshes.clear();
        self.instances.clear();
        Ok(())
    }
}

impl Contributor for MeshContributor {
    fn name(&self) -> &str {
        "meshes"
    }

    fn offer(&mut self, offers: &mut Offers<'_>) -> Result<(), PickError> {
        for &key in &self.order {
            let Ok(object) = self.objects.get(key) else {
                continue; // a hole
            };
            if !object.takes_part(offers.layers()) {
                continue;
            }
            let mesh = &self.meshes.get(object.mesh)?.asset;
            let instances = match object.instances {
                Some(set) => Some(&self.instances.get(set)?.asset),
                None => None,
            };
            for submesh in 0..mesh.submeshes().len() as u32 {
                offers.draw(DrawOffer {
                    mesh,
                    submesh,
                    instances,
                    world_from_object: object.world_from_object,
                    object: Some(key),
                    tag: object.tag,
                    band: Band::SCENE,
                })?;
            }
        }
        Ok(())
    }

    /// Keys of another scene are none of ours to call removed.
    fn is_alive(&self, object: ObjectKey) -> bool {
        let removed = self.objects.get(object).is_err_and(|error| {
            matches!(
                error.kind(),
                ErrorKind::Input(InputError::RemovedKey { .. })
            )
        });
        !removed
    }
}

/// Affine and finite, and small enough for products of such matrices.
pub(crate) fn check_transform(matrix: &DMat4) -> Result<(), PickError> {
    let bad = |fault| {
        Err(InputError::BadTransform {
            what: "object",
            fault,
        }
        .into())
    };
    if !matrix.is_finite() {
        return bad("not finite");
    }
    if !matrix.abs_diff_eq(DMat4::ZERO, MAX_ENTRY) {
        return bad("too large: entries may be 1e18 at most");
    }
    if matrix.row(3) != DVec4::W {
        return bad("not affine: its last row must be 0 0 0 1");
    }
    Ok(())
}

fn unused(users: usize, what: &'static str) -> Result<(), PickError> {
    if users == 0 {
        return Ok(());
    }
    Err(InputError::BadMesh {
        what,
        fault: format!("{users} objects still use it: remove them first").into(),
    }
    .into())
}
