//! What can be picked: the built-in mesh contributor and the user's own.

mod asset;
mod meshes;

pub(crate) use asset::ToldClusters;
pub use asset::{InstanceAsset, MeshAsset};
pub(crate) use meshes::check_transform;
pub use meshes::{MeshContributor, Object};

use std::any::Any;

use crate::contributor::{Contributor, ContributorId};
use crate::error::{InputError, PickError};
use crate::offer::Offers;
use crate::registry::{ObjectKey, OwnerId};

/// Everything that can be picked, in the order it is drawn: meshes first, then the contributors in the
/// order they were added.
///
/// Meshes live on a backend: [`MeshContributor::clear`] gives them back; dropping a scene without it
/// leaves them there until the backend is dropped.
pub struct Scene {
    id: OwnerId,
    /// Objects made of triangle meshes.
    pub meshes: MeshContributor,
    contributors: Vec<Box<dyn Contributor>>,
}

impl Default for Scene {
    fn default() -> Self {
        Self::new()
    }
}

impl Scene {
    /// An empty scene.
    pub fn new() -> Self {
        let id = OwnerId::unique();
        Self {
            id,
            meshes: MeshContributor::new(id),
            contributors: Vec::new(),
        }
    }

    /// Adds a user's own contributor.
    pub fn add_contributor<C: Contributor>(&mut self, contributor: C) -> ContributorKey<C> {
        self.contributors.push(Box::new(contributor));
        ContributorKey {
            scene: self.id,
            id: ContributorId(self.contributors.len() as u32),
            kind: std::marker::PhantomData,
        }
    }

    /// A user's own contributor, to change.
    ///
    /// # Errors
    /// [`InputError::ForeignKey`] for a key of another scene.
    pub fn contributor_mut<C: Contributor>(
        &mut self,
        key: ContributorKey<C>,
    ) -> Result<&mut C, PickError> {
        let foreign = InputError::ForeignKey {
            what: "contributor key",
        };
        if key.scene != self.id {
            return Err(foreign.into());
        }
        let found = self.contributors.get_mut(key.id.0 as usize - 1);
        let any = found.map(|c| c.as_mut() as &mut dyn Any);
        any.and_then(|any| any.downcast_mut()).ok_or(foreign.into())
    }

    /// The name of a contributor, for messages.
    pub fn contributor_name(&self, id: ContributorId) -> &str {
        match (id.0 as usize).checked_sub(1) {
            None => self.meshes.name(),
            Some(index) => self.contributors.get(index).map_or("unknown", |c| c.name()),
        }
    }

    pub(crate) fn offer(&mut self, offers: &mut Offers<'_>) -> Result<(), PickError> {
        offers.begin(ContributorId(0));
        self.meshes.offer(offers)?;
        for (index, contributor) in self.contributors.iter_mut().enumerate() {
            offers.begin(ContributorId(index as u32 + 1));
            contributor.offer(offers)?;
        }
        Ok(())
    }

    pub(crate) fn prepare(&mut self) {
        self.meshes.prepare();
        for contributor in &mut self.contributors {
            contributor.prepare();
        }
    }

    pub(crate) fn is_alive(&self, contributor: ContributorId, object: ObjectKey) -> bool {
        match (contributor.0 as usize).checked_sub(1) {
            None => self.meshes.is_alive(object),
            Some(index) => self
                .contributors
                .get(index)
                .is_some_and(|c| c.is_alive(object)),
        }
    }
}

/// The name of a user's own contributor in its scene.
#[derive(Debug)]
pub struct ContributorKey<C> {
    scene: OwnerId,
    id: ContributorId,
    kind: std::marker::PhantomData<fn() -> C>,
}

impl<C> ContributorKey<C> {
    /// What answers name it by.
    pub fn id(self) -> ContributorId {
        self.id
    }
}

impl<C> Clone for ContributorKey<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for ContributorKey<C> {}
