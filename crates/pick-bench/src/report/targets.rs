//! What a pick may cost: every number that is aimed at, and what a measurement says to it.

use crate::names::{
    BRUTE, CHANGED, DRILL, EMPTY, EMPTY_SEND, MOVED_CPU, PICK, POINT_OF_BATCH, SEND, VULKAN, WALK,
    WGPU,
};
use crate::report::table::{Cell, Table};
use crate::report::text::number;
use crate::results::{DeviceFacts, Group, Ratio, Results, Run};

/// What is asked of a ratio on one kind of device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asked {
    /// No more than this.
    AtMost(f64),
    /// No less than this.
    AtLeast(f64),
    /// To be told, whatever it is.
    Told,
    /// Not on this kind.
    Nothing,
}

use Asked::{AtLeast, AtMost, Nothing, Told};

/// A ratio of one run that is aimed at.
pub struct Target {
    /// For a person.
    pub what: &'static str,
    /// Which table its run is in.
    pub group: Group,
    /// The last part of the run's id.
    pub scene: &'static str,
    /// Which time, as a multiple of which other.
    pub ratio: [&'static str; 2],
    /// On Mesa's software Vulkan.
    pub lavapipe: Asked,
    /// On hardware.
    pub gpu: Asked,
}

/// All of them. Detailed picks that block.
pub const TARGETS: &[Target] = &[
    Target {
        what: "1 M copies in grid order, unchanged",
        group: Group::Instances,
        scene: "cubes-grid-16-bytes-1000000",
        ratio: [PICK, EMPTY],
        lavapipe: AtMost(12.0),
        gpu: AtMost(1.3),
    },
    Target {
        what: "1 M copies shuffled, unchanged",
        group: Group::Instances,
        scene: "cubes-shuffled-16-bytes-1000000",
        ratio: [PICK, EMPTY],
        lavapipe: Told,
        gpu: AtMost(1.5),
    },
    Target {
        what: "1 M copies in grid order, drawn whole against culled",
        group: Group::Instances,
        scene: "cubes-grid-16-bytes-1000000",
        ratio: [BRUTE, PICK],
        lavapipe: AtLeast(200.0),
        gpu: Told,
    },
    Target {
        what: "10 M copies of 16 bytes, unchanged",
        group: Group::Instances,
        scene: "cubes-grid-16-bytes-10000000",
        ratio: [PICK, EMPTY],
        lavapipe: Nothing,
        gpu: AtMost(1.5),
    },
    Target {
        what: "10 M copies of 16 bytes, all changed",
        group: Group::Changed,
        scene: "cubes-changed-16-bytes-10000000",
        ratio: [CHANGED, EMPTY],
        lavapipe: Nothing,
        gpu: AtMost(2.5),
    },
    Target {
        what: "100 k objects",
        group: Group::Objects,
        scene: "objects-100000",
        ratio: [PICK, EMPTY],
        lavapipe: AtMost(2.0),
        gpu: AtMost(1.3),
    },
    Target {
        what: "a mesh of 2 M triangles",
        group: Group::Triangles,
        scene: "triangles-2000000",
        ratio: [PICK, EMPTY],
        lavapipe: AtMost(4.0),
        gpu: AtMost(1.3),
    },
    Target {
        what: "1 M copies in grid order, wgpu against raw Vulkan",
        group: Group::Versus,
        scene: "cubes-grid-16-bytes-1000000",
        ratio: [WGPU, VULKAN],
        lavapipe: Told,
        gpu: AtMost(1.5),
    },
    Target {
        what: "100 k objects all moved, then a pick: CPU time against one walk over their transforms",
        group: Group::Moving,
        scene: "objects-moving-100000",
        ratio: [MOVED_CPU, WALK],
        lavapipe: AtMost(8.0),
        gpu: Told,
    },
    Target {
        what: "sending a pick while a frame is in flight, against sending a pick of nothing",
        group: Group::Hover,
        scene: "cubes-hover",
        ratio: [SEND, EMPTY_SEND],
        lavapipe: Told,
        gpu: Told,
    },
    Target {
        what: "a single pick over 100 k copies, against a pixel of a batch of 4,096",
        group: Group::Queries,
        scene: "batch-of-4096-over-100000-copies",
        ratio: [PICK, POINT_OF_BATCH],
        lavapipe: AtLeast(3.0),
        gpu: AtLeast(80.0),
    },
    Target {
        what: "a drill through 64 layers, against a pick",
        group: Group::Queries,
        scene: "drill-through-64-layers",
        ratio: [DRILL, PICK],
        lavapipe: AtMost(3.0),
        gpu: AtMost(1.5),
    },
];

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As asked.
    Met,
    /// Not as asked.
    Missed,
    /// Nothing was asked.
    Told,
    /// There is no such ratio in these results.
    NotMeasured,
}

impl Asked {
    fn judge(self, ratio: Option<Ratio>) -> Verdict {
        let met = match (self, ratio) {
            (_, None) => return Verdict::NotMeasured,
            (Told | Nothing, Some(_)) => return Verdict::Told,
            (AtMost(most), Some(ratio)) => ratio.median <= most,
            (AtLeast(least), Some(ratio)) => ratio.median >= least,
        };
        match met {
            true => Verdict::Met,
            false => Verdict::Missed,
        }
    }

    fn words(self) -> String {
        match self {
            AtMost(most) => format!("at most {}", number(most)),
            AtLeast(least) => format!("at least {}", number(least)),
            Told | Nothing => "told".to_owned(),
        }
    }
}

impl Verdict {
    fn cell(self) -> Cell {
        match self {
            Self::Met => Cell::Judged("met", "met"),
            Self::Missed => Cell::Judged("missed", "missed"),
            Self::Told => Cell::Judged("told", "told"),
            Self::NotMeasured => Cell::Judged("told", "not measured here"),
        }
    }
}

/// A target on a device, or on a kind of device that is not here.
pub struct Finding {
    /// Which target.
    pub target: &'static Target,
    /// The device's label, or the kind's name.
    pub device: String,
    /// What is asked there.
    pub asked: Asked,
    /// What was found.
    pub ratio: Option<Ratio>,
    /// How it went.
    pub verdict: Verdict,
    /// Why nothing was found, where the run says so.
    pub why: String,
}

/// Kinds of devices: a name, which devices are of it, and what a target asks of them.
type Kind = (&'static str, fn(&DeviceFacts) -> bool, fn(&Target) -> Asked);
const KINDS: [Kind; 2] = [
    ("lavapipe", DeviceFacts::is_lavapipe, |target| {
        target.lavapipe
    }),
    ("a GPU", DeviceFacts::is_gpu, |target| target.gpu),
];

/// Every target on every device that it is for; at least one finding a target and kind.
pub fn findings(results: &Results) -> Vec<Finding> {
    let mut findings = Vec::new();
    for target in TARGETS {
        for (kind, is_of_kind, asked) in KINDS {
            let asked = asked(target);
            if asked == Nothing {
                continue;
            }
            let devices = results.devices.iter().filter(|device| is_of_kind(device));
            let before = findings.len();
            for device in devices {
                findings.extend(finding(target, asked, device, results));
            }
            if findings.len() == before {
                findings.push(Finding {
                    target,
                    device: kind.to_owned(),
                    asked,
                    ratio: None,
                    verdict: Verdict::NotMeasured,
                    why: String::new(),
                });
            }
        }
    }
    findings
}

/// `None` where the device has no such run.
fn finding(
    target: &'static Target,
    asked: Asked,
    device: &DeviceFacts,
    results: &Results,
) -> Option<Finding> {
    let is_it = |run: &&Run| run.device == device.label && run.scene() == target.scene;
    let run = results.of(target.group).find(is_it)?;
    let [of, to] = target.ratio;
    let ratio = run.ratio(of, to);
    Some(Finding {
        target,
        device: device.label.clone(),
        asked,
        ratio,
        verdict: asked.judge(ratio),
        why: match ratio {
            Some(_) => String::new(),
            None => run.notes.join("; "),
        },
    })
}

/// The findings as a table.
pub fn table(results: &Results) -> Table {
    let mut table = Table::new([
        "target", "ratio", "device", "asked", "found", "verdict", "why",
    ]);
    for finding in findings(results) {
        let [of, to] = finding.target.ratio;
        table.rows.push(vec![
            Cell::text(finding.target.what),
            Cell::text(format!("{of} / {to}")),
            Cell::text(finding.device),
            Cell::text(finding.asked.words()),
            Cell::Ratio(finding.ratio),
            finding.verdict.cell(),
            Cell::text(finding.why),
        ]);
    }
    table
}
