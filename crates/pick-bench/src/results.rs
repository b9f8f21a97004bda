//! What a measurement writes down: plain data, the same on every machine, as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::quantile::quantile;

/// Readers refuse other numbers.
pub const SCHEMA: u32 = 1;

/// Everything that one start of the measuring program found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The version of pick.
    pub version: String,
    /// `quick`, `medium` or `full`.
    pub sizes: String,
    /// Where it ran.
    pub machine: Machine,
    /// How long it took.
    pub seconds: f64,
    /// The devices, in the order they were measured.
    pub devices: Vec<DeviceFacts>,
    /// What was measured.
    pub runs: Vec<Run>,
    /// What was not measured at all, and why.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What Criterion found in runs of its own, where it ran too.
    #[serde(default)]
    pub criterion: Vec<CriterionEstimate>,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// Threads that this process may use.
    pub threads: usize,
    /// Operating system and architecture.
    pub system: String,
    /// Variables that change what drivers do, where they are set.
    pub variables: BTreeMap<String, String>,
}

/// A device, by the name that runs know it by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceFacts {
    /// Such as `wgpu-lavapipe`.
    pub label: String,
    /// `cpu`, `wgpu` or `vulkan`.
    pub backend: String,
    /// What the driver calls it.
    pub device: String,
    /// The driver's name and version.
    pub driver: String,
    /// The API beneath.
    pub api: String,
    /// It rasterises on the CPU.
    pub software: bool,
    /// Kernels cull instances there; where not, all are drawn.
    pub instance_culling: bool,
}

/// Things timed in turns, so that whatever disturbs the machine disturbs all of them. Only what is in
/// the same run is ever divided by each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// `query/backend/strategy/scene`.
    pub id: String,
    /// Which table it belongs to.
    pub group: Group,
    /// The device's label.
    pub device: String,
    /// How it is picked.
    pub strategy: String,
    /// Which curve of the group.
    pub series: String,
    /// Where on the curve: instances, objects or triangles.
    pub size: u64,
    /// How answers are waited for: `block` or `spin`.
    pub wait: String,
    /// What was timed.
    pub times: Vec<Times>,
    /// What is no time: bytes, survivors, and what was timed once.
    pub told: BTreeMap<String, f64>,
    /// What was not measured, and why.
    pub notes: Vec<String>,
}

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// Every strategy, beside its empty pass and the floor.
    Strategies,
    /// Copies of one cube.
    Instances,
    /// Copies that all change before each pick.
    Changed,
    /// Separate objects.
    Objects,
    /// One mesh.
    Triangles,
    /// Objects that all move before each pick.
    Moving,
    /// Picks sent while a frame is in flight.
    Hover,
    /// Questions about more than what is nearest at a pixel.
    Queries,
    /// Two backends on one device.
    Versus,
}

impl Group {
    /// All, in the order of the tables.
    pub const ALL: [Self; 9] = [
        Self::Strategies,
        Self::Instances,
        Self::Changed,
        Self::Objects,
        Self::Triangles,
        Self::Moving,
        Self::Hover,
        Self::Queries,
        Self::Versus,
    ];

    /// As the results and the command line spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strategies => "strategies",
            Self::Instances => "instances",
            Self::Changed => "changed",
            Self::Objects => "objects",
            Self::Triangles => "triangles",
            Self::Moving => "moving",
            Self::Hover => "hover",
            Self::Queries => "queries",
            Self::Versus => "versus",
        }
    }

    /// The group of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }
}

/// One thing that was timed over and over, in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// What.
    pub name: String,
    /// How often.
    pub samples: usize,
    /// The least of all samples.
    pub least: f64,
    /// The median of all samples.
    pub median: f64,
    /// What 95 of 100 samples do not exceed.
    pub p95: f64,
    /// The median of each round.
    pub rounds: Vec<f64>,
}

/// How often one thing's time goes into another's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The median over the rounds.
    pub median: f64,
    /// A quarter of the rounds are lower.
    pub low: f64,
    /// A quarter are higher.
    pub high: f64,
}

impl DeviceFacts {
    /// True of Mesa's software Vulkan.
    pub fn is_lavapipe(&self) -> bool {
        self.software && self.api == "Vulkan" && self.device.contains("llvmpipe")
    }

    /// True of hardware that draws.
    pub fn is_gpu(&self) -> bool {
        !self.software && self.backend != "cpu"
    }
}

impl Run {
    /// The last part of the id.
    pub fn scene(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or_default()
    }

    /// What was timed under a name.
    pub fn times(&self, name: &str) -> Option<&Times> {
        self.times.iter().find(|times| times.name == name)
    }

    /// One thing's time as a multiple of another's, round by round. Both are of this run: there is no
    /// other way to a ratio.
    pub fn ratio(&self, of: &str, to: &str) -> Option<Ratio> {
        let (of, to) = (self.times(of)?, self.times(to)?);
        let rounds = of.rounds.iter().zip(&to.rounds);
        let mut ratios: Vec<f64> = rounds
            .filter(|(_, to)| **to > 0.0)
            .map(|(of, to)| of / to)
            .collect();
        ratios.sort_by(f64::total_cmp);
        Some(Ratio {
            median: quantile(&ratios, 0.5)?,
            low: quantile(&ratios, 0.25)?,
            high: quantile(&ratios, 0.75)?,
        })
    }
}

/// What Criterion estimates of one of its benchmarks, in microseconds: a run of its own, so its numbers
/// are divided by nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriterionEstimate {
    /// `query/backend/strategy/scene`.
    pub id: String,
    /// The median.
    pub median: f64,
    /// The lower end of its confidence interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Results {
    /// Reads what [`Results::to_json`] wrote.
    ///
    /// # Errors
    /// What is wrong with it; another schema is told as such.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        match value.get("schema").and_then(serde_json::Value::as_u64) {
            Some(schema) if schema == u64::from(SCHEMA) => {}
            Some(schema) => return Err(format!("schema {schema}, but this reads {SCHEMA}")),
            None => return Err("no schema: these are no results".to_owned()),
        }
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    /// As JSON.
    ///
    /// # Errors
    /// None that these types can meet; the library's own signature has one.
    pub fn to_json(&self) -> Result<String, String> {
        serde_json::to_string_pretty(self).map_err(|error| error.to_string())
    }

    /// A device by label.
    pub fn device(&self, label: &str) -> Option<&DeviceFacts> {
        self.devices.iter().find(|device| device.label == label)
    }

    /// The runs of a table, in the order they were measured.
    pub fn of(&self, group: Group) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(move |run| run.group == group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(name: &str, rounds: &[f64]) -> Times {
        Times {
            name: name.to_owned(),
            samples: rounds.len(),
            least: 1.0,
            median: 2.0,
            p95: 3.0,
            rounds: rounds.to_vec(),
        }
    }

    fn run(times: Vec<Times>) -> Run {
        Run {
            id: "point/wgpu-lavapipe/detailed/cubes-1000".to_owned(),
            group: Group::Instances,
            device: "wgpu-lavapipe".to_owned(),
            strategy: "detailed".to_owned(),
            series: "16 bytes, grid order".to_owned(),
            size: 1000,
            wait: "block".to_owned(),
            times,
            told: BTreeMap::from([("survivors".to_owned(), 12.0)]),
            notes: vec!["brute: cut off".to_owned()],
        }
    }

    fn results() -> Results {
        Results {
            schema: SCHEMA,
            version: "0.1.0".to_owned(),
            sizes: "quick".to_owned(),
            machine: Machine {
                cpu: "a processor".to_owned(),
                threads: 2,
                system: "linux x86_64".to_owned(),
                variables: BTreeMap::new(),
            },
            seconds: 1.5,
            devices: vec![DeviceFacts {
                label: "wgpu-lavapipe".to_owned(),
                backend: "wgpu".to_owned(),
                device: "llvmpipe".to_owned(),
                driver: "Mesa".to_owned(),
                api: "Vulkan".to_owned(),
                software: true,
                instance_culling: true,
            }],
            runs: vec![run(vec![times("pick", &[1.0 / 3.0, 0.1])])],
            notes: Vec::new(),
            criterion: vec![CriterionEstimate {
                id: "floor/wgpu-lavapipe".to_owned(),
                median: 1.0,
                low: 0.5,
                high: 2.0,
            }],
        }
    }

    #[test]
    fn what_is_written_is_read_bit_by_bit() {
        let text = results().to_json().unwrap();
        assert_eq!(Results::from_json(&text).unwrap(), results());
    }

    #[test]
    fn results_of_another_schema_and_other_files_are_refused() {
        let mut other = results();
        other.schema += 1;
        let error = Results::from_json(&other.to_json().unwrap()).unwrap_err();
        assert!(error.contains("schema 2"), "{error}");
        assert!(Results::from_json("{}").is_err() && Results::from_json("").is_err());
    }

    /// A machine that halves its speed midway halves both sides; medians of all would not see that.
    #[test]
    fn ratios_pair_the_rounds() {
        let pick = times("pick", &[30.0, 60.0, 33.0, 66.0]);
        let empty = times("empty", &[10.0, 20.0, 10.0, 20.0]);
        let ratio = run(vec![pick, empty]).ratio("pick", "empty").unwrap();
        assert_eq!((ratio.low, ratio.median, ratio.high), (3.0, 3.0, 3.3));
    }

    #[test]
    fn what_was_timed_less_often_is_paired_as_far_as_it_goes() {
        let brute = times("brute", &[100.0, 300.0]);
        let pick = times("pick", &[1.0, 1.0, 50.0, 50.0]);
        let ratio = run(vec![brute, pick]).ratio("brute", "pick").unwrap();
        assert_eq!((ratio.median, ratio.high), (100.0, 300.0));
    }

    #[test]
    fn there_is_no_ratio_to_what_another_run_timed() {
        let run = run(vec![times("pick", &[1.0])]);
        assert_eq!(run.ratio("pick", "empty"), None);
        assert_eq!(run.ratio("empty", "pick"), None);
    }

    #[test]
    fn nothing_is_divided_by_nothing() {
        let run = run(vec![times("pick", &[1.0]), times("floor", &[0.0])]);
        assert_eq!(run.ratio("pick", "floor"), None);
    }
}
