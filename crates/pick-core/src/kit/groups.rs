//! Groups of geometry buffers, kept by what they hold.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::kit::cache::Cache;
use crate::kit::scratch::ScratchKey;
use crate::plan::InstanceRun;
use crate::registry::{InstancesId, MeshId};

/// What a geometry group holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupKey<U> {
    /// Which bindings are used.
    pub used: U,
    /// `None` where no buffer of a mesh is among the bindings.
    pub mesh: Option<MeshId>,
    /// `None` where nothing is instanced.
    pub instances: Option<InstanceRun>,
    /// `None` where every instance is drawn.
    pub survivors: Option<ScratchKey>,
}

/// Groups by what they hold. Forgetting a mesh takes the time of the groups that hold it.
#[derive(Debug)]
pub struct Groups<U, G> {
    cache: Cache<GroupKey<U>, G>,
    of_mesh: Holders<MeshId, U>,
    of_instances: Holders<InstancesId, U>,
}

type Holders<K, U> = HashMap<K, HashSet<GroupKey<U>>>;

/// A scene has one for each of its instance sets, and pulled meshes one each.
const MOST_GROUPS: usize = 1 << 16;

impl<U: Copy + Eq + Hash, G> Default for Groups<U, G> {
    fn default() -> Self {
        Self {
            cache: Cache::new(MOST_GROUPS),
            of_mesh: HashMap::new(),
            of_instances: HashMap::new(),
        }
    }
}

impl<U: Copy + Eq + Hash, G> Groups<U, G> {
    /// A pick begins: what it does not ask for may go.
    pub fn begin(&mut self) {
        self.cache.begin();
    }

    /// Where the group of these buffers is.
    pub fn find(&mut self, key: &GroupKey<U>) -> Option<usize> {
        self.cache.find(key)
    }

    /// Takes a group in, and says where it is.
    pub fn insert(&mut self, key: GroupKey<U>, group: G) -> usize {
        if let Some(mesh) = key.mesh {
            self.of_mesh.entry(mesh).or_default().insert(key);
        }
        if let Some(run) = key.instances {
            self.of_instances.entry(run.set).or_default().insert(key);
        }
        let (at, evicted) = self.cache.insert(key, group);
        if let Some(key) = evicted {
            self.let_go(&key);
        }
        at
    }

    /// The group at a position that [`Groups::find`] or [`Groups::insert`] gave in this pick.
    pub fn at(&self, position: usize) -> Option<&G> {
        self.cache.at(position)
    }

    /// Lets go of a mesh that is gone.
    pub fn forget_mesh(&mut self, mesh: MeshId) {
        for key in self.of_mesh.remove(&mesh).into_iter().flatten() {
            self.cache.remove(&key);
            self.let_go(&key);
        }
    }

    /// Lets go of an instance set that is gone or has other contents now.
    pub fn forget_instances(&mut self, set: InstancesId) {
        for key in self.of_instances.remove(&set).into_iter().flatten() {
            self.cache.remove(&key);
            self.let_go(&key);
        }
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.cache.values().count()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn let_go(&mut self, key: &GroupKey<U>) {
        let holders = (key.mesh, key.instances);
        if let Some(mesh) = holders.0 {
            let_go(&mut self.of_mesh, mesh, key);
        }
        if let Some(run) = holders.1 {
            let_go(&mut self.of_instances, run.set, key);
        }
    }
}

fn let_go<K: Copy + Eq + Hash, U: Copy + Eq + Hash>(
    holders: &mut Holders<K, U>,
    of: K,
    key: &GroupKey<U>,
) {
    if let Some(keys) = holders.get_mut(&of) {
        keys.remove(key);
        if keys.is_empty() {
            holders.remove(&of);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{OwnerId, Registry};

    #[test]
    fn what_a_mesh_or_a_set_leaves_is_gone_everywhere() {
        let owner = OwnerId::unique();
        let (mut meshes, mut sets) = (Registry::new(owner), Registry::new(owner));
        let [a, b]: [MeshId; 2] = [meshes.insert(()), meshes.insert(())];
        let [s, t]: [InstancesId; 2] = [sets.insert(()), sets.insert(())];
        let mut groups = Groups::default();
        groups.begin();
        for mesh in [a, b] {
            for set in [None, Some(s), Some(t)] {
                let instances = set.map(|set| InstanceRun {
                    set,
                    first: 0,
                    count: 1,
                });
                let key = GroupKey {
                    used: 0u8,
                    mesh: Some(mesh),
                    instances,
                    survivors: None,
                };
                groups.insert(key, ());
            }
        }
        groups.forget_mesh(a);
        assert_eq!(groups.len(), 3);
        groups.forget_instances(s);
        assert_eq!(groups.len(), 2);
        assert_eq!((groups.of_mesh.len(), groups.of_instances.len()), (1, 1));
        groups.forget_mesh(b);
        assert!(groups.is_empty() && groups.of_mesh.is_empty() && groups.of_instances.is_empty());
    }
}
