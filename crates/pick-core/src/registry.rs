//! Names for a device's resources: generational, and told apart from another device's.

use std::sync::atomic::{AtomicU32, Ordering};

use slotmap::{DefaultKey, Key as _, KeyData, SlotMap};

use crate::error::{InputError, PickError};

/// A device or scene number, unique in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OwnerId(u32);

impl OwnerId {
    /// A number that nobody else has.
    pub fn unique() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The name of a resource: who made it, and a generational key there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId {
    owner: OwnerId,
    key: u64,
}

macro_rules! resource_id {
    ($(#[$doc:meta] $name:ident, $what:literal;)*) => {$(
        #[$doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(ResourceId);

        impl Named for $name {
            const WHAT: &'static str = $what;
            fn wrap(id: ResourceId) -> Self {
                Self(id)
            }
            fn id(self) -> ResourceId {
                self.0
            }
        }
    )*};
}

/// What a [`Registry`] needs of its key type.
pub trait Named: Copy {
    /// What the key names, for error messages.
    const WHAT: &'static str;
    /// Makes the key from its parts.
    fn wrap(id: ResourceId) -> Self;
    /// The key's parts.
    fn id(self) -> ResourceId;

    /// A small number that no two things of one arena have at a time; used again after removal.
    fn slot(self) -> u32 {
        self.id().key as u32
    }
}

resource_id! {
    /// A mesh that a backend holds.
    MeshId, "mesh id";
    /// An instance set that a backend holds.
    InstancesId, "instances id";
    /// A host buffer that a backend was told about, by its own `adopt_buffer`.
    BufferId, "buffer id";
    /// A foreign drawer that a backend was given.
    ForeignId, "foreign draw id";
    /// A mesh of a scene.
    MeshKey, "mesh key";
    /// An instance set of a scene.
    InstancesKey, "instances key";
    /// An object of a scene; never used again after removal.
    ObjectKey, "object key";
}

/// An arena whose keys are refused by any other arena, and after removal by this one.
#[derive(Debug)]
pub struct Registry<K, T> {
    owner: OwnerId,
    things: SlotMap<DefaultKey, T>,
    key: std::marker::PhantomData<fn() -> K>,
}

impl<K: Named, T> Registry<K, T> {
    /// An empty arena of `owner`.
    pub fn new(owner: OwnerId) -> Self {
        Self {
            owner,
            things: SlotMap::new(),
            key: std::marker::PhantomData,
        }
    }

    /// Takes a thing in.
    pub fn insert(&mut self, thing: T) -> K {
        let key = self.things.insert(thing).data().as_ffi();
        K::wrap(ResourceId {
            owner: self.owner,
            key,
        })
    }

    /// Takes a thing out.
    ///
    /// # Errors
    /// [`InputError::ForeignKey`] and [`InputError::RemovedKey`].
    pub fn remove(&mut self, key: K) -> Result<T, PickError> {
        let key = self.own(key)?;
        self.things.remove(key).ok_or_else(removed::<K>)
    }

    /// The thing that `key` names.
    ///
    /// # Errors
    /// [`InputError::ForeignKey`] and [`InputError::RemovedKey`].
    pub fn get(&self, key: K) -> Result<&T, PickError> {
        let key = self.own(key)?;
        self.things.get(key).ok_or_else(removed::<K>)
    }

    /// The thing that `key` names, to change.
    ///
    /// # Errors
    /// [`InputError::ForeignKey`] and [`InputError::RemovedKey`].
    pub fn get_mut(&mut self, key: K) -> Result<&mut T, PickError> {
        let key = self.own(key)?;
        self.things.get_mut(key).ok_or_else(removed::<K>)
    }

    /// True while `key` names something here.
    pub fn contains(&self, key: K) -> bool {
        self.get(key).is_ok()
    }

    /// How many things there are.
    pub fn len(&self) -> usize {
        self.things.len()
    }

    /// Takes everything out.
    pub fn clear(&mut self) {
        self.things.clear();
    }

    /// True when there is nothing.
    pub fn is_empty(&self) -> bool {
        self.things.is_empty()
    }

    /// All things, in no promised order.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.things.values()
    }

    /// All things in no promised order, to change.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.things.values_mut()
    }

    fn own(&self, key: K) -> Result<DefaultKey, PickError> {
        let ResourceId { owner, key } = key.id();
        if owner != self.owner {
            return Err(InputError::ForeignKey { what: K::WHAT }.into());
        }
        Ok(KeyData::from_ffi(key).into())
    }
}

fn removed<K: Named>() -> PickError {
    InputError::RemovedKey { what: K::WHAT }.into()
}
