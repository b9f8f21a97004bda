//! An object: a mesh at a place, and the box around what it draws.

use std::sync::Arc;

use glam::{DMat4, DVec4};

use crate::cull::PlacedBox;
use crate::error::{InputError, PickError};
use crate::mesh::Aabb;
use crate::registry::{InstancesKey, MeshKey};
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

    pub(super) fn takes_part(&self, layers: u32) -> bool {
        self.pickable && (self.visible || self.pick_when_hidden) && self.layers & layers != 0
    }
}

/// An object, and what culling keeps of it.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) object: Object,
    /// Its place in the order of insertion.
    pub(super) sequence: u64,
    /// Around what it draws, in object space, and the largest coordinate that goes into that.
    pub(super) bounds: Option<(Aabb, f32)>,
    /// Position among the users of its instance set.
    pub(super) user: usize,
}

impl Placed {
    pub(super) fn world_box(&self) -> Option<PlacedBox> {
        let (bounds, reach) = self.bounds.as_ref()?;
        Some(PlacedBox::new(
            bounds,
            *reach,
            &self.object.world_from_object,
        ))
    }
}

/// The box around what an object of this mesh and set draws, and the largest coordinate that goes into
/// it; `None` where nothing is known.
pub(super) fn bounds_of(mesh: &MeshAsset, set: Option<&Arc<InstanceAsset>>) -> Option<(Aabb, f32)> {
    let local = mesh.bounds()?;
    match set {
        Some(set) => set.bounds_of(&local),
        None => Some((local, local.reach())),
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
    let most = DVec4::splat(MAX_ENTRY);
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis];
    // False of what is not a number.
    let fits = |column: DVec4| column.abs().cmple(most).all();
    if !(fits(columns[0]) & fits(columns[1]) & fits(columns[2]) & fits(columns[3])) {
        return match matrix.is_finite() {
            true => bad("too large: entries may be 1e18 at most"),
            false => bad("not finite"),
        };
    }
    if columns.map(|column| column.w) != [0.0, 0.0, 0.0, 1.0] {
        return bad("not affine: its last row must be 0 0 0 1");
    }
    Ok(())
}
