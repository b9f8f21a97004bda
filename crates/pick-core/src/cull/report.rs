//! What culling did, for whoever asks.

/// How many objects a pick looked at and offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CullReport {
    /// Objects that there are.
    pub objects: u64,
    /// Boxes that were tested one by one, since they moved or came lately.
    pub tested_singly: u64,
    /// Objects whose box the pick's pixels may see.
    pub survivors: u64,
    /// Instances in the sets of these.
    pub instances: u64,
    /// Of these, instances that were drawn without asking: few, of unknown bounds, or on a device that
    /// cannot cull them.
    pub instances_untested: u64,
    /// Draws whose surviving instances found no room, so that the device drew all of them.
    pub overflowed: u64,
}
