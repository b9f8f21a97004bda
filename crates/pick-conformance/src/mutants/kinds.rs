//! The faults, and which trial each must turn red.

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names and the table below say it")]
pub enum Kind {
    None,
    RecomposedFaithfully,
    IdPlusOne,
    IdOf24Bits,
    IdThroughSrgb,
    BackgroundIsTheFirstObject,
    FlippedRows,
    FlippedPixel,
    LastFramesTexels,
    OneSlotForAll,
    RowPaddingKept,
    FarthestWins,
    LastDrawnWins,
    LastOfATieWins,
    InstanceOffByOne,
    StaleInstances,
    BaseTransformForgotten,
    FaceOffByOne,
    PrimitiveOffByOne,
    PrimitiveAlwaysZero,
    PrimitiveOfTheWholeMesh,
    SelfTestLies,
    HalfPixelShift,
    ViewportForgotten,
    StaleView,
    MatricesInF32,
    DepthOfTheOtherConvention,
    DepthOfANeighbour,
    DistanceAlongTheRay,
    CullIgnored,
    CullSwapped,
    FacingFlipped,
    MirrorForgotten,
    NormalsByTheMatrixItself,
    FaceNormalFlipped,
    TextureCoordinatesSwapped,
    SecondPlaneForgotten,
    BandsMerged,
    OverlayClearsTheScene,
    BoxesTooSmall,
    ItemsReversed,
    SurvivorsReversed,
    SurvivorsShuffled,
    OverflowDropsTheRest,
    BlocksTooSmall,
    CopiesTooSmall,
    RunsOfCopiesCutShort,
}

/// A fault and the trial that must catch it.
#[derive(Clone, Copy, Debug)]
pub struct Mutation {
    /// The fault.
    pub kind: Kind,
    /// Its name in trials.
    pub name: &'static str,
    /// The mode of the trial that must turn red; of a control: stay green.
    pub mode: &'static str,
    /// The case of that trial.
    pub case: &'static str,
}

const fn mutation(
    kind: Kind,
    name: &'static str,
    mode: &'static str,
    case: &'static str,
) -> Mutation {
    Mutation {
        kind,
        name,
        mode,
        case,
    }
}

impl Kind {
    /// Whether a backend can have it. Raw Vulkan refuses plans whose kernels are told different things.
    pub fn is_possible(self, backend: &str) -> bool {
        self != Self::OverflowDropsTheRest || backend == "wgpu"
    }
}

/// Faults of culling on a device.
pub const ON_DEVICES: &[Mutation] = &[
    mutation(
        Kind::SurvivorsReversed,
        "survivors_reversed",
        "integer_id",
        "cull/ties_of_instances",
    ),
    mutation(
        Kind::SurvivorsShuffled,
        "survivors_shuffled",
        "color_id",
        "cull/ties_of_instances",
    ),
    mutation(
        Kind::OverflowDropsTheRest,
        "overflow_drops_the_rest",
        "integer_id",
        "cull/more_than_fit",
    ),
    mutation(
        Kind::BlocksTooSmall,
        "bounds_of_blocks_too_small",
        "integer_id",
        "cull/edge_of_a_copy",
    ),
    mutation(
        Kind::CopiesTooSmall,
        "bounds_of_copies_too_small",
        "stencil_id",
        "cull/edge_of_a_copy",
    ),
    mutation(
        Kind::RunsOfCopiesCutShort,
        "runs_of_copies_cut_short",
        "detailed",
        "cull/large_copies",
    ),
];

/// Every fault that the CPU backend can have.
pub const ALL: &[Mutation] = &[
    mutation(Kind::IdPlusOne, "id_plus_one", "integer_id", "builtin/grid"),
    mutation(
        Kind::IdOf24Bits,
        "id_of_24_bits",
        "color_id",
        "id/past_24_bits_and_at_the_end",
    ),
    mutation(
        Kind::IdThroughSrgb,
        "id_through_srgb",
        "color_id",
        "id/bytes_that_srgb_would_change",
    ),
    mutation(
        Kind::BackgroundIsTheFirstObject,
        "background_is_the_first_object",
        "integer_id",
        "id/background",
    ),
    mutation(
        Kind::FlippedRows,
        "flipped_rows",
        "detailed",
        "view/perspective",
    ),
    mutation(
        Kind::FlippedPixel,
        "flipped_pixel",
        "integer_id",
        "pixel/first_and_last_row",
    ),
    mutation(
        Kind::LastFramesTexels,
        "last_frames_texels",
        "detailed",
        "pixel/row_of_a_quad",
    ),
    mutation(
        Kind::OneSlotForAll,
        "one_slot_for_all",
        "integer_id",
        "request/answers_in_order",
    ),
    mutation(
        Kind::RowPaddingKept,
        "row_padding_kept",
        "color_id",
        "view/perspective",
    ),
    mutation(
        Kind::FarthestWins,
        "farthest_wins",
        "detailed",
        "builtin/shells",
    ),
    mutation(
        Kind::LastDrawnWins,
        "last_drawn_wins",
        "integer_id",
        "view/perspective",
    ),
    mutation(
        Kind::LastOfATieWins,
        "last_of_a_tie_wins",
        "integer_id",
        "builtin/ties",
    ),
    mutation(
        Kind::InstanceOffByOne,
        "instance_off_by_one",
        "integer_id",
        "builtin/instances",
    ),
    mutation(
        Kind::StaleInstances,
        "stale_instances",
        "color_id",
        "instance/moved",
    ),
    mutation(
        Kind::BaseTransformForgotten,
        "base_transform_forgotten",
        "detailed",
        "instance/base_transform",
    ),
    mutation(
        Kind::FaceOffByOne,
        "face_off_by_one",
        "integer_id",
        "id/faces_in_ids",
    ),
    mutation(
        Kind::PrimitiveOffByOne,
        "primitive_off_by_one",
        "detailed",
        "surface/grid_of_32_triangles",
    ),
    mutation(
        Kind::PrimitiveAlwaysZero,
        "primitive_always_zero",
        "detailed",
        "surface/both_triangles_of_a_quad",
    ),
    mutation(
        Kind::PrimitiveOfTheWholeMesh,
        "primitive_of_the_whole_mesh",
        "detailed",
        "mesh/parts_that_overlap",
    ),
    mutation(
        Kind::SelfTestLies,
        "self_test_lies",
        "detailed",
        "surface/weights_in_order",
    ),
    mutation(
        Kind::HalfPixelShift,
        "half_pixel_shift",
        "detailed",
        "view/perspective",
    ),
    mutation(
        Kind::ViewportForgotten,
        "viewport_forgotten",
        "integer_id",
        "view/viewport_offset",
    ),
    mutation(
        Kind::StaleView,
        "stale_view",
        "integer_id",
        "space/projection_changes_in_flight",
    ),
    mutation(
        Kind::MatricesInF32,
        "matrices_in_f32",
        "integer_id",
        "transform/a_million_away",
    ),
    mutation(
        Kind::DepthOfTheOtherConvention,
        "depth_of_the_other_convention",
        "integer_id",
        "space/reversed_depth",
    ),
    mutation(
        Kind::DepthOfANeighbour,
        "depth_of_a_neighbour",
        "color_id",
        "space/id_and_depth_of_one_fragment",
    ),
    mutation(
        Kind::DistanceAlongTheRay,
        "distance_along_the_ray",
        "detailed",
        "mesh/uploaded_and_forgotten",
    ),
    mutation(
        Kind::CullIgnored,
        "cull_ignored",
        "integer_id",
        "side/cull_back",
    ),
    mutation(
        Kind::CullSwapped,
        "cull_swapped",
        "integer_id",
        "side/cull_material",
    ),
    mutation(
        Kind::FacingFlipped,
        "facing_flipped",
        "detailed",
        "side/inside_a_box",
    ),
    mutation(
        Kind::MirrorForgotten,
        "mirror_forgotten",
        "detailed",
        "side/cull_none",
    ),
    mutation(
        Kind::NormalsByTheMatrixItself,
        "normals_by_the_matrix_itself",
        "detailed+gpu",
        "surface/normal_under_uneven_scale",
    ),
    mutation(
        Kind::FaceNormalFlipped,
        "face_normal_flipped",
        "detailed+gpu",
        "mesh/indexed",
    ),
    mutation(
        Kind::TextureCoordinatesSwapped,
        "texture_coordinates_swapped",
        "detailed+gpu",
        "mesh/indexed",
    ),
    mutation(
        Kind::SecondPlaneForgotten,
        "second_plane_forgotten",
        "stencil_id",
        "id/more_than_255_draws",
    ),
    mutation(
        Kind::BandsMerged,
        "bands_merged",
        "integer_id",
        "handle/overlay_band",
    ),
    mutation(
        Kind::OverlayClearsTheScene,
        "overlay_clears_the_scene",
        "integer_id",
        "handle/overlay_band",
    ),
    mutation(
        Kind::BoxesTooSmall,
        "boxes_of_objects_too_small",
        "integer_id",
        "cull/edge_of_an_object",
    ),
    mutation(
        Kind::BoxesTooSmall,
        "boxes_of_clusters_too_small",
        "integer_id",
        "cull/edge_of_a_large_mesh",
    ),
    mutation(
        Kind::ItemsReversed,
        "items_reversed",
        "integer_id",
        "cull/ties_of_objects",
    ),
];
