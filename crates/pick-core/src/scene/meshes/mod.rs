//! The built-in mesh contributor: retained objects with stable keys.

mod object;

pub use object::Object;
pub(crate) use object::check_transform;

use std::sync::Arc;

use glam::DMat4;

use crate::backend::Backend;
use crate::contributor::{Contributor, DrawOffer};
use crate::cull::{CullReport, ObjectBoxes};
use crate::error::{ErrorKind, InputError, PickError};
use crate::mesh::{InstanceSource, MeshSource};
use crate::offer::Offers;
use crate::registry::{InstancesKey, MeshKey, Named as _, ObjectKey, OwnerId, Registry};
use crate::scene::{InstanceAsset, MeshAsset};
use object::{Placed, bounds_of};

/// Objects made of triangle meshes, offered in the order they were inserted.
#[derive(Debug)]
pub struct MeshContributor {
    meshes: Registry<MeshKey, MeshEntry>,
    instances: Registry<InstancesKey, InstancesEntry>,
    objects: Registry<ObjectKey, Placed>,
    /// Insertion order; removed objects leave holes until half are holes.
    order: Vec<ObjectKey>,
    /// How many objects were ever inserted.
    inserted: u64,
    boxes: ObjectBoxes,
    /// By slot.
    keys: Vec<ObjectKey>,
    /// What the last pick found; kept for its memory.
    survivors: Vec<(u64, ObjectKey)>,
}

#[derive(Debug)]
struct MeshEntry {
    asset: Arc<MeshAsset>,
    /// How many objects use it.
    users: usize,
}

#[derive(Debug)]
struct InstancesEntry {
    asset: Arc<InstanceAsset>,
    /// Which objects use it, in no order: their bounds change with its contents.
    users: Vec<ObjectKey>,
}

impl MeshContributor {
    pub(super) fn new(owner: OwnerId) -> Self {
        Self {
            meshes: Registry::new(owner),
            instances: Registry::new(owner),
            objects: Registry::new(owner),
            order: Vec::new(),
            inserted: 0,
            boxes: ObjectBoxes::default(),
            keys: Vec::new(),
            survivors: Vec::new(),
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
        Ok(self.meshes.insert(MeshEntry { asset, users: 0 }))
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
        source: impl Into<InstanceSource>,
    ) -> Result<InstancesKey, PickError> {
        let asset = Arc::new(InstanceAsset::create(backend, source.into())?);
        let users = Vec::new();
        Ok(self.instances.insert(InstancesEntry { asset, users }))
    }

    /// Replaces an instance set's transforms, or tells that a host's buffer has new contents: then after
    /// the work that writes them was submitted, or ahead of the pick in the same commands. Picks in
    /// flight keep the old ones where they lie in buffers of their own.
    ///
    /// The buffer may be another one, and the count another: a set may grow. Of a host's set all bounds are built
    /// anew with the next pick, however few copies changed; two or three buffers in turn keep theirs. The vertices of
    /// a host's mesh may change within its box without a word; with another box or buffer it is another mesh.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key; whatever [`InstanceAsset::updated`] refuses.
    pub fn update_instances<B: Backend>(
        &mut self,
        backend: &mut B,
        key: InstancesKey,
        source: impl Into<InstanceSource>,
    ) -> Result<(), PickError> {
        let entry = self.instances.get_mut(key)?;
        entry.asset = Arc::new(entry.asset.updated(backend, source.into())?);
        for &user in &entry.users {
            let placed = self.objects.get_mut(user)?;
            let mesh = &self.meshes.get(placed.object.mesh)?.asset;
            placed.bounds = bounds_of(mesh, Some(&entry.asset));
            self.boxes.touch(user.slot(), placed.world_box());
        }
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
        unused(entry.users.len(), "instance set")?;
        backend.destroy_instances(entry.asset.id())?;
        self.instances.remove(key).map(drop)
    }

    /// Adds an object. Its key stays good until removal and never names another.
    ///
    /// A pick looks at each object that came since the pick before, and sorts a bounded number of them: after
    /// adding very many, [`crate::Picker::prepare`] sorts all of them at once.
    ///
    /// # Errors
    /// Input errors for foreign or removed keys and a transform that is not affine and finite.
    pub fn insert(&mut self, object: Object) -> Result<ObjectKey, PickError> {
        check_transform(&object.world_from_object)?;
        let set = match object.instances {
            Some(set) => Some(self.instances.get_mut(set)?),
            None => None,
        };
        let mesh = self.meshes.get_mut(object.mesh)?;
        mesh.users += 1;
        let placed = Placed {
            bounds: bounds_of(&mesh.asset, set.as_ref().map(|set| &set.asset)),
            user: set.as_ref().map_or(0, |set| set.users.len()),
            sequence: self.inserted,
            object,
        };
        let world_box = placed.world_box();
        let key = self.objects.insert(placed);
        if let Some(set) = set {
            set.users.push(key);
        }
        self.inserted += 1;
        self.order.push(key);
        let slot = key.slot() as usize;
        if slot >= self.keys.len() {
            self.keys.resize(slot + 1, key);
        }
        self.keys[slot] = key;
        self.boxes.touch(key.slot(), world_box);
        Ok(key)
    }

    /// Removes an object and gives it back. Picks in flight may still name it, marked as removed.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key.
    pub fn remove(&mut self, key: ObjectKey) -> Result<Object, PickError> {
        let Placed { object, user, .. } = self.objects.remove(key)?;
        self.boxes.remove(key.slot());
        self.meshes.get_mut(object.mesh)?.users -= 1;
        if let Some(instances) = object.instances {
            let users = &mut self.instances.get_mut(instances)?.users;
            users.swap_remove(user);
            if let Some(&moved) = users.get(user) {
                self.objects.get_mut(moved)?.user = user;
            }
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
        self.objects.get(key).map(|placed| &placed.object)
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
        let placed = self.objects.get_mut(key)?;
        placed.object.world_from_object = world_from_object;
        self.boxes.touch(key.slot(), placed.world_box());
        Ok(())
    }

    /// Shows or hides an object.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key.
    pub fn set_visible(&mut self, key: ObjectKey, visible: bool) -> Result<(), PickError> {
        self.object_mut(key)?.visible = visible;
        Ok(())
    }

    /// Lets an object take part in picks, or not.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key.
    pub fn set_pickable(&mut self, key: ObjectKey, pickable: bool) -> Result<(), PickError> {
        self.object_mut(key)?.pickable = pickable;
        Ok(())
    }

    /// Lets an object take part while hidden, or not.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key.
    pub fn set_pick_when_hidden(&mut self, key: ObjectKey, picked: bool) -> Result<(), PickError> {
        self.object_mut(key)?.pick_when_hidden = picked;
        Ok(())
    }

    /// Puts an object on layers.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key.
    pub fn set_layers(&mut self, key: ObjectKey, layers: u32) -> Result<(), PickError> {
        self.object_mut(key)?.layers = layers;
        Ok(())
    }

    /// Changes the user's own word.
    ///
    /// # Errors
    /// Input errors for a foreign or removed key.
    pub fn set_tag(&mut self, key: ObjectKey, tag: u64) -> Result<(), PickError> {
        self.object_mut(key)?.tag = tag;
        Ok(())
    }

    /// Bytes that culling holds on the CPU: a box for each object, and clusters of large meshes.
    pub fn culling_bytes(&self) -> usize {
        let clusters = self.meshes.values().map(|mesh| mesh.asset.cluster_bytes());
        self.boxes.bytes() + clusters.sum::<usize>()
    }

    fn object_mut(&mut self, key: ObjectKey) -> Result<&mut Object, PickError> {
        self.objects.get_mut(key).map(|placed| &mut placed.object)
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
        self.boxes.clear();
        self.keys.clear();
        self.meshes.clear();
        self.instances.clear();
        Ok(())
    }
}

impl MeshContributor {
    fn draw(
        &self,
        key: ObjectKey,
        placed: &Placed,
        offers: &mut Offers<'_>,
    ) -> Result<(), PickError> {
        let object = &placed.object;
        if !object.takes_part(offers.layers()) {
            return Ok(());
        }
        let mesh = &self.meshes.get(object.mesh)?.asset;
        let instances = match object.instances {
            Some(set) => Some(&self.instances.get(set)?.asset),
            None => None,
        };
        let offer = DrawOffer::new(mesh)
            .instances(instances)
            .world_from_object(object.world_from_object)
            .object(key)
            .tag(object.tag);
        offers.draw_parts(&offer)
    }
}

impl Contributor for MeshContributor {
    fn name(&self) -> &str {
        "meshes"
    }

    fn offer(&mut self, offers: &mut Offers<'_>) -> Result<(), PickError> {
        if !offers.culls() {
            for &key in &self.order {
                if let Ok(placed) = self.objects.get(key) {
                    self.draw(key, placed, offers)?;
                } // else a hole
            }
            return Ok(());
        }
        let (objects, keys, survivors) = (&self.objects, &self.keys, &mut self.survivors);
        let placed = |slot: u32| {
            keys.get(slot as usize)
                .and_then(|key| objects.get(*key).ok())
        };
        survivors.clear();
        self.boxes.query(offers.volume(), |slot| {
            if let Some(placed) = placed(slot) {
                survivors.push((placed.sequence, keys[slot as usize]));
            }
        });
        // The order of insertion, so that ties fall as if everything were drawn.
        survivors.sort_unstable_by_key(|(sequence, _)| *sequence);
        offers.tell_culled(CullReport {
            objects: objects.len() as u64,
            tested_singly: self.boxes.tested_singly(),
            survivors: survivors.len() as u64,
            ..CullReport::default()
        });
        for &(_, key) in &self.survivors {
            self.draw(key, self.objects.get(key)?, offers)?;
        }
        Ok(())
    }

    fn prepare(&mut self) {
        self.boxes.rebuild();
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
