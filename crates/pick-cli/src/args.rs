//! The command line. Its names are stable: scripts are written against them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use glam::DVec3;
use pick_core::{BuiltinStrategy, ColorId, CullPolicy, DepthConvention};
use pick_core::{Detailed, IntegerId, PickOptions, PrimitiveSource, StencilId};

use crate::values::{rect, size, vector};

/// What is drawn at this pixel? Picking on a GPU or the CPU, from the command line.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the command can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the devices that are here, and what each strategy needs and gets on them
    Devices(DeviceArgs),
    /// List the built-in scenes and their keys
    Scenes,
    /// Say what is drawn at pixels of a scene
    ///
    /// Exit codes: 0 answered (a miss is an answer), 1 broken driver, 2 bad input (the good pixels are
    /// still answered), 3 backend, driver or strategy not to be had.
    Query(QueryArgs),
    /// Hold every backend, driver and strategy that is here against the CPU, and time them
    ///
    /// Exit codes: 0 no answer is wrong, 1 wrong answers or a broken driver, 2 bad input, 3 backend or
    /// driver not to be had.
    Compare(CompareArgs),
    /// Time a pick beside the shortest way to each GPU that is here and back; software drivers only where
    /// --driver names them
    ///
    /// Exit codes: 0 measured, 1 broken driver, 3 no such backend or driver.
    Latency(LatencyArgs),
    /// Pick in a scene that comes with the command, and draw pictures of it; needs no GPU
    Demo(DemoArgs),
}

/// `pick query`.
#[derive(Debug, Args)]
pub struct QueryArgs {
    /// A .glb or .gltf file, or builtin:NAME?key=value&key=value (see `pick scenes`)
    pub scene: String,
    #[command(flatten)]
    pub camera: CameraArgs,
    /// A pixel to ask about, x right and y down from the top-left corner; repeatable [default: the
    /// centre]
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    pub at: Vec<String>,
    /// A file of pixels to ask about: [[x,y],…]
    #[arg(long, value_name = "FILE.json", conflicts_with = "at")]
    pub pixels: Option<PathBuf>,
    #[command(flatten)]
    pub kind: KindArgs,
    #[command(flatten)]
    pub device: DeviceArgs,
    /// How ids get into texels [default: detailed; of areas integer-id]
    #[arg(long, value_enum)]
    pub strategy: Option<StrategyName>,
    /// Where the detailed strategy's triangle numbers come from
    #[arg(long, value_enum, default_value_t = SourceName::Auto)]
    pub primitive_source: SourceName,
    /// Which sides cannot be hit: none, back sides, or back sides of single-sided materials
    #[arg(long, value_enum, default_value_t = CullName::None)]
    pub cull: CullName,
    /// Draw the id of every pixel into this file: hue by object, shade by primitive
    #[arg(long, value_name = "FILE.png")]
    pub id_image: Option<PathBuf>,
    /// How to print answers; jsonl is one object a pixel
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// What is asked of the pixels; without any of these, what is nearest at each.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Question")]
pub struct KindArgs {
    /// Ask about all pixels in one submission
    #[arg(long, conflicts_with_all = ["radius", "rect", "lasso", "drill"])]
    pub batch: bool,
    /// What is nearest to each pixel, within so many pixels (0 to 64)
    #[arg(long, value_name = "PIXELS", allow_hyphen_values = true, conflicts_with_all = ["rect", "lasso", "drill"])]
    pub radius: Option<f64>,
    /// Everything that a rectangle shows, each object or copy once
    #[arg(long, value_name = "X,Y,W,H", value_parser = rect, allow_hyphen_values = true,
          conflicts_with_all = ["at", "pixels", "lasso", "drill"])]
    pub rect: Option<[f64; 4]>,
    /// Everything that a polygon shows, by the even-odd rule: [[x,y],…]
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["at", "pixels", "drill"])]
    pub lasso: Option<PathBuf>,
    /// Of a rectangle or a lasso also what is hidden: touch finds what has any fragment there, contain what is inside as
    /// a whole
    #[arg(long, value_enum)]
    pub through: Option<ThroughName>,
    /// Of a rectangle or a lasso so many things at most [default: 65536]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub capacity: Option<u32>,
    /// Everything under each pixel, also what is hidden: the nearest so many
    #[arg(long, value_name = "COUNT", num_args = 0..=1, default_missing_value = "64")]
    pub drill: Option<u32>,
}

/// `pick compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// A .glb or .gltf file, or builtin:NAME?key=value&key=value (see `pick scenes`)
    pub scene: String,
    #[command(flatten)]
    pub camera: CameraArgs,
    #[command(flatten)]
    pub device: DeviceArgs,
    /// Which sides cannot be hit: none, back sides, or back sides of single-sided materials
    #[arg(long, value_enum, default_value_t = CullName::None)]
    pub cull: CullName,
    /// How to print results; jsonl is one object a cell
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `pick latency`.
#[derive(Debug, Args)]
pub struct LatencyArgs {
    #[command(flatten)]
    pub device: DeviceArgs,
    /// How many picks a cell is the median of
    #[arg(long, value_name = "COUNT", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub picks: u32,
    /// How to print results; jsonl is one object a row
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `pick demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Where the pictures go [default: pick-demo in the system's folder for temporary files]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// How large the pictures are
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "960x600")]
    pub size: [u32; 2],
    #[command(flatten)]
    pub device: DeviceArgs,
}

/// Which device picks.
#[derive(Clone, Debug, Args)]
pub struct DeviceArgs {
    /// What picks; auto takes a GPU by raw Vulkan, else a GPU by wgpu, else the CPU, and a software
    /// driver only where --driver names it; wgpu and vulkan take the best device that they find
    #[arg(long, value_enum, default_value_t = BackendName::Auto)]
    pub backend: BackendName,
    /// Only devices with these words in their name or their driver's
    #[arg(long, visible_alias = "device", value_name = "NAME-PART")]
    pub driver: Option<String>,
}

/// The camera: a file, or options; what is not given is chosen so that the scene fills the view.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Camera")]
pub struct CameraArgs {
    /// {"viewport":[w,h],"view":[16],"projection":[16],"depth":"standard"|"reversed"}, matrices
    /// column by column, right-handed view, clip z 0..1, y up
    #[arg(long, value_name = "FILE.json", conflicts_with_all = [
        "size", "eye", "target", "up", "fov", "ortho", "near", "far", "depth",
    ])]
    pub camera: Option<PathBuf>,
    /// Viewport in pixels [default: 640x480]
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<[u32; 2]>,
    /// Where the camera stands
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub eye: Option<DVec3>,
    /// Where it looks
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub target: Option<DVec3>,
    /// What is up [default: 0,1,0]
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub up: Option<DVec3>,
    /// Vertical field of view in degrees [default: 45]
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    pub fov: Option<f64>,
    /// Orthographic: world units from the centre of the view to its top
    #[arg(
        long,
        value_name = "HALF-HEIGHT",
        conflicts_with = "fov",
        allow_hyphen_values = true
    )]
    pub ortho: Option<f64>,
    /// Distance of the near plane [default: by the scene]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub near: Option<f64>,
    /// Distance of the far plane [default: inf; orthographic: by the scene]
    #[arg(long, value_name = "N|inf", allow_hyphen_values = true)]
    pub far: Option<f64>,
    /// Which way depth runs [default: reversed]
    #[arg(long, value_enum)]
    pub depth: Option<DepthName>,
}

/// `--backend`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BackendName {
    Auto,
    Cpu,
    Wgpu,
    Vulkan,
}

/// `--strategy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StrategyName {
    ColorId,
    IntegerId,
    StencilId,
    Detailed,
}

/// `--primitive-source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SourceName {
    Auto,
    Builtin,
    Pulled,
    Expanded,
}

/// `--cull`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CullName {
    None,
    Back,
    Material,
}

/// `--through`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ThroughName {
    Touch,
    Contain,
}

/// `--depth`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DepthName {
    Standard,
    Reversed,
}

/// `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Jsonl,
}

impl StrategyName {
    /// All of them, the plainest first.
    pub const ALL: [Self; 4] = [
        Self::ColorId,
        Self::IntegerId,
        Self::StencilId,
        Self::Detailed,
    ];

    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ColorId => "color-id",
            Self::IntegerId => "integer-id",
            Self::StencilId => "stencil-id",
            Self::Detailed => "detailed",
        }
    }

    /// The strategy itself.
    pub fn strategy(self) -> BuiltinStrategy {
        match self {
            Self::ColorId => ColorId.into(),
            Self::IntegerId => IntegerId.into(),
            Self::StencilId => StencilId.into(),
            Self::Detailed => Detailed.into(),
        }
    }

    /// Options for it.
    pub fn options(self, cull: CullName) -> PickOptions {
        let mut options = PickOptions::default();
        options.strategy = self.strategy().into();
        options.cull = cull.into();
        options
    }
}

impl From<SourceName> for PrimitiveSource {
    fn from(name: SourceName) -> Self {
        match name {
            SourceName::Auto => Self::Auto,
            SourceName::Builtin => Self::Builtin,
            SourceName::Pulled => Self::Pulled,
            SourceName::Expanded => Self::Expanded,
        }
    }
}

impl From<CullName> for CullPolicy {
    fn from(name: CullName) -> Self {
        match name {
            CullName::None => Self::None,
            CullName::Back => Self::Back,
            CullName::Material => Self::Material,
        }
    }
}

impl From<DepthName> for DepthConvention {
    fn from(name: DepthName) -> Self {
        match name {
            DepthName::Standard => Self::Standard,
            DepthName::Reversed => Self::Reversed,
        }
    }
}
