//! Known failures, each with its reason. One that starts to pass is red until its line is removed.

/// Trials that fail and are known to.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// `backend/driver/`, where the failure is.
    pub driver: &'static str,
    /// The case; in every mode that is not refused.
    pub case: &'static str,
    /// Only at full size.
    pub full: bool,
    /// Why.
    pub reason: &'static str,
}

/// All of them.
pub const KNOWN: &[Known] = &[
    Known {
        driver: "wgpu/swiftshader/",
        ..CUT_FLOOR
    },
    Known {
        driver: "vulkan/swiftshader/",
        ..CUT_FLOOR
    },
];

const CUT_FLOOR: Known = Known {
    driver: "",
    case: "/view/through_the_near_plane",
    full: true,
    reason: "SwiftShader cuts the floor at the near plane into a triangle whose depths are off by up to \
             what a third of a pixel changes; its ids are right, and the same plan is right on Mesa",
};

/// The reason for which a trial `backend/driver/mode/case` is known to fail.
pub fn reason(trial: &str, full: bool) -> Option<&'static str> {
    reason_in(KNOWN, trial, full)
}

fn reason_in(all: &[Known], trial: &str, full: bool) -> Option<&'static str> {
    let is = |known: &&Known| {
        let named = trial.starts_with(known.driver) && trial.ends_with(known.case);
        named && (full || !known.full)
    };
    all.iter().find(is).map(|known| known.reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_and_a_case_name_a_failure_in_every_mode() {
        let known = [Known {
            driver: "wgpu/gl/",
            case: "/view/perspective",
            full: false,
            reason: "a bug of theirs",
        }];
        for mode in ["color_id", "detailed+gpu"] {
            let trial = format!("wgpu/gl/{mode}/view/perspective");
            assert!(reason_in(&known, &trial, true).is_some());
        }
        assert!(reason_in(&known, "wgpu/lavapipe/color_id/view/perspective", false).is_none());
        assert!(reason_in(&known, "wgpu/gl/color_id/view/orthographic", true).is_none());
    }
}
