//! The data and rules of picking: what is drawn at this pixel, whoever draws it.
//!
//! This crate knows no graphics API. It turns a [`Request`] and a [`Scene`] into a [`Plan`] (plain
//! data), a [`Backend`] executes the plan and gives texels back, and the texels become an [`Answer`].
//! So every strategy, query and rule is written once, and no backend can differ in policy.
//!
//! # Design choices, and what each costs
//! * **A pick is a plan.** Planning walks the scene once per pick; backends stay small and alike.
//! * **The answer is frozen with the request.** The id table, the view and references to the geometry
//!   travel with the flight, so nothing that happens meanwhile can change the answer.
//! * **Matrices are composed in f64 per draw** and rounded once, so cameras far from the origin work.
//! * **The caller owns everything**: device, scene and picker are three values that no lock ties
//!   together; each call takes what it needs. Several pickers share a device and a scene.
//! * **Nothing blocks** but [`Picker::pick`] and [`Backend::wait`].

mod backend;
mod contributor;
pub mod cull;
mod depth;
mod error;
mod found;
mod frozen;
mod hit;
mod id;
pub mod kit;
pub mod layout;
mod mesh;
mod offer;
mod picker;
mod plan;
mod point;
pub mod projection;
mod query;
mod rect;
mod reduce;
mod registry;
mod request;
mod samples;
mod scene;
mod self_test;
mod strategy;
mod surface;
mod ticket;
mod triangle;
mod view;

pub use backend::{
    Backend, Caps, CreatedMesh, ForeignContext, ForeignDraw, MemoryReport, PrimitiveIndex,
    SlotState, StencilRead,
};
pub use contributor::{Contributor, ContributorId, DrawOffer, ForeignOffer, OfferBounds};
pub use depth::DepthConvention;
pub use error::{Capability, ErrorKind, InputError, PickError};
pub use found::{AreaHit, AreaHits, DrillHits, NearHit};
pub use hit::{Answer, Given, Hit, IdImage, Outcome, Report, Surface, Withheld};
pub use id::{Band, IdAllocator, IdRange};
pub use kit::ring::SlotId;
pub use mesh::{
    Aabb, FaceGroups, HostInstances, HostMesh, IndexFormat, IndexStream, InstanceFormat,
    InstanceSource, MeshBuilder, MeshCluster, MeshData, MeshSource, SubMesh, VertexStream,
    affine_from_rows,
};
pub use offer::Offers;
pub use picker::{Follow, Picker};
pub use plan::{
    Access, Aspect, BufferIndex, COMPUTE_BINDINGS, Channel, ComputeBinding, ComputeStep,
    CopySource, CopyStep, CullMode, CustomShader, Draw, ForeignItem, IdTexels, InstanceRun, Item,
    Keeps, Kernel, KernelParams, Mask, PassStep, Plan, Readback, ReadbackSize, Scratch,
    ScratchRole, Step, StrategyShader, Target, TargetFormat, TargetIndex, Texel, VertexFetch,
};
pub use point::PickPoint;
pub use query::{
    Area, Disc, MOST_DRILLED, MOST_POINTS, MOST_RADIUS_PX, PickRect, Points, Query, Through,
};
pub use rect::{PixelRect, Viewport};
pub use registry::{
    BufferId, ForeignId, InstancesId, InstancesKey, MeshId, MeshKey, Named, ObjectKey, OwnerId,
    Registry, ResourceId,
};
pub use request::{
    AnyRequest, CullPolicy, Culling, PickOptions, PrimitiveSource, Reduce, Request, SurfaceSource,
};
pub use samples::{Sample, Samples, Texels};
pub use scene::{ContributorKey, InstanceAsset, MeshAsset, MeshContributor, Object, Scene};
pub use self_test::SelfTest;
pub use strategy::{
    AnyStrategy, BuiltinStrategy, ColorId, Detailed, IntegerId, StencilId, Strategy, draw_all,
};
pub use ticket::Ticket;
pub use triangle::PlacedTriangle;
pub use view::{PickRay, View};
