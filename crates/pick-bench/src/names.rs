//! What is timed, by the names that results have for it.

/// To the device and back: what no pick can be faster than.
pub const FLOOR: &str = "floor";
/// The same pick with nothing to draw.
pub const EMPTY: &str = "empty";
/// A culled pick.
pub const PICK: &str = "pick";
/// The CPU's share of it until it is sent: planning, recording, submitting.
pub const SEND: &str = "send";
/// The same pick with everything drawn.
pub const BRUTE: &str = "brute";

/// Copies change, and then one pick.
pub const CHANGED: &str = "changed";
/// Telling the library that they did.
pub const UPDATE: &str = "update";

/// The host reads every transform once.
pub const WALK: &str = "walk";
/// The host moves every transform of its own.
pub const MOVE_WALK: &str = "move walk";
/// The host composes every transform with its camera, as a frame does before it draws.
pub const COMPOSE_WALK: &str = "compose walk";
/// All objects are moved, then one pick.
pub const MOVED: &str = "moved";
/// The CPU's share of that: moving them, and sending the pick.
pub const MOVED_CPU: &str = "moved cpu";
/// Telling the scene where they are.
pub const SET: &str = "set";

/// Sending a pick of nothing, with nothing in flight.
pub const EMPTY_SEND: &str = "empty send";
/// A frame of the device's, waited for.
pub const FRAME: &str = "frame";
/// A pick that waits, with a frame in flight before it.
pub const SYNC: &str = "sync";

/// A pixel of a batch: the batch's time shared out.
pub const POINT_OF_BATCH: &str = "point of a batch";
/// What is nearest to a pixel within a disc.
pub const NEAR: &str = "near";
/// Everything that the whole view shows.
pub const RECT: &str = "rect";
/// The same, with what is hidden.
pub const TOUCH: &str = "touch";
/// Every pixel of the view, read back.
pub const IMAGE: &str = "id image";
/// Everything under a pixel.
pub const DRILL: &str = "drill";

/// A pick through wgpu, beside the same on raw Vulkan.
pub const WGPU: &str = "wgpu";
/// A pick on raw Vulkan, beside the same through wgpu.
pub const VULKAN: &str = "vulkan";
