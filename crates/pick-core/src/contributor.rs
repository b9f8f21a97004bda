//! Contributors: who has things to pick. Each offers draws; the pick gives each an id range.

use std::any::Any;
use std::sync::Arc;

use glam::DMat4;

use crate::error::PickError;
use crate::id::Band;
use crate::mesh::{Aabb, SubMesh};
use crate::offer::Offers;
use crate::registry::{ForeignId, ObjectKey};
use crate::scene::{InstanceAsset, MeshAsset};

/// Something that has things to pick.
///
/// The answer is resolved from what was offered, frozen with the request: nothing of a contributor is
/// asked again when the texels arrive, so nothing it does meanwhile can change the answer.
pub trait Contributor: Any + Send + Sync {
    /// Names it in errors and debug prints.
    fn name(&self) -> &str;

    /// Offers everything that may be under the pick, in the order it is drawn.
    ///
    /// # Errors
    /// Whatever [`Offers::draw`] and [`Offers::foreign`] refuse, passed on; the pick fails with it.
    fn offer(&mut self, offers: &mut Offers<'_>) -> Result<(), PickError>;

    /// Makes ready what makes offers quick; may take its time. Called by [`crate::Picker::prepare`].
    fn prepare(&mut self) {}

    /// True when what `object` names is still there; asked for contributors that name objects.
    fn is_alive(&self, object: ObjectKey) -> bool {
        let _ = object;
        true
    }
}

/// Position of a contributor in its scene: 0 is the built-in mesh contributor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContributorId(pub u32);

/// A draw that a contributor offers: one part of a mesh, once or instanced.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DrawOffer<'a> {
    /// Whose triangles.
    pub mesh: &'a Arc<MeshAsset>,
    /// Which part of the mesh.
    pub submesh: u32,
    /// Copies; each gets an id of its own.
    pub instances: Option<&'a Arc<InstanceAsset>>,
    /// Affine; object space is the mesh's local space, or that of the instance transforms.
    pub world_from_object: DMat4,
    /// The object it belongs to, if the contributor has such keys.
    pub object: Option<ObjectKey>,
    /// The user's own word, returned with the answer.
    pub tag: u64,
    /// The priority band.
    pub band: Band,
    /// What it stays within, so that picks which cannot see it leave it out.
    pub bounds: OfferBounds,
}

/// What a draw stays within.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum OfferBounds {
    /// The part of the mesh as it is at rest.
    #[default]
    OfMesh,
    /// A box in object space, or in that of each instance. It must hold, else the draw is missed.
    Local(Aabb),
    /// Nothing that is known: it is always drawn.
    Unbounded,
}

impl<'a> DrawOffer<'a> {
    /// The first part of a mesh, once, where it is in its own space; nobody's object.
    pub fn new(mesh: &'a Arc<MeshAsset>) -> Self {
        Self {
            mesh,
            submesh: 0,
            instances: None,
            world_from_object: DMat4::IDENTITY,
            object: None,
            tag: 0,
            band: Band::SCENE,
            bounds: OfferBounds::OfMesh,
        }
    }

    /// This part of the mesh.
    pub fn submesh(mut self, submesh: u32) -> Self {
        self.submesh = submesh;
        self
    }

    /// Copies of it.
    pub fn instances(mut self, instances: Option<&'a Arc<InstanceAsset>>) -> Self {
        self.instances = instances;
        self
    }

    /// Places it.
    pub fn world_from_object(mut self, world_from_object: DMat4) -> Self {
        self.world_from_object = world_from_object;
        self
    }

    /// The object it belongs to.
    pub fn object(mut self, object: ObjectKey) -> Self {
        self.object = Some(object);
        self
    }

    /// The user's own word.
    pub fn tag(mut self, tag: u64) -> Self {
        self.tag = tag;
        self
    }

    /// The priority band.
    pub fn band(mut self, band: Band) -> Self {
        self.band = band;
        self
    }

    /// What it stays within.
    pub fn bounds(mut self, bounds: OfferBounds) -> Self {
        self.bounds = bounds;
        self
    }

    /// The part's description; `None` for a part that the mesh does not have.
    pub fn part(&self) -> Option<&SubMesh> {
        self.mesh.submeshes().get(self.submesh as usize)
    }
}

/// A recording of its own that a contributor offers.
#[derive(Clone, Copy, Debug)]
pub struct ForeignOffer {
    /// Who records, as registered with the backend.
    pub drawer: ForeignId,
    /// The contributor's word to its drawer.
    pub token: u64,
    /// How many ids the recording may write; above 0.
    pub id_count: u32,
    /// The user's own word, returned with the answer.
    pub tag: u64,
    /// The priority band.
    pub band: Band,
}
