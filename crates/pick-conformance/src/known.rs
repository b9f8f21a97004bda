//! Known failures, each with its reason. One that starts to pass is red until its line is removed.

/// Trials that fail and are known to.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// `backend/driver/`, where the failure is.
    pub driver: &'static str,
    /// The case; in every mode that is not refused.
    pub case: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// All of them.
pub const KNOWN: &[Known] = &[Known {
    driver: "wgpu/swiftshader/",
    case: "/view/through_the_near_plane",
    reason: "SwiftShader's depth plane of a floor that reaches behind the eye is off by up to an \
             eighth of a pixel, twice what its vertices are; the ids are right",
}];

/// The reason for which a trial `backend/driver/mode/case` is known to fail.
pub fn reason(trial: &str) -> Option<&'static str> {
    let is = |known: &&Known| trial.starts_with(known.driver) && trial.ends_with(known.case);
    KNOWN.iter().find(is).map(|known| known.reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_and_a_case_name_a_failure_in_every_mode() {
        let trial = "wgpu/swiftshader/color_id/view/through_the_near_plane";
        assert!(reason(trial).is_some());
        assert!(reason("wgpu/gl/color_id/view/through_the_near_plane").is_none());
        assert!(reason("wgpu/swiftshader/color_id/view/perspective").is_none());
    }
}
