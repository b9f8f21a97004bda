//! A page made of results that no machine measured.

use std::collections::BTreeMap;

use super::curve::figures;
use super::layout::ray_casting;
use super::targets::{Asked, TARGETS, Verdict, findings};
use super::{markdown, page, plot, write};
use crate::names;
use crate::results::{CriterionEstimate, DeviceFacts, Group, Machine, Results, Run, SCHEMA, Times};

/// Tears a page apart unless it is escaped, where it is said, within quotes too.
const NASTY: &str = "<&\">'</svg>";

fn times(name: &str, rounds: &[f64]) -> Times {
    Times {
        name: name.to_owned(),
        samples: rounds.len(),
        least: rounds.iter().copied().fold(f64::INFINITY, f64::min),
        median: rounds[rounds.len() / 2],
        p95: rounds.iter().copied().fold(0.0, f64::max),
        rounds: rounds.to_vec(),
    }
}

fn device(label: &str, backend: &str, name: &str, software: bool) -> DeviceFacts {
    DeviceFacts {
        label: label.to_owned(),
        backend: backend.to_owned(),
        device: name.to_owned(),
        driver: NASTY.to_owned(),
        api: "Vulkan".to_owned(),
        software,
        instance_culling: software,
    }
}

fn run(group: Group, device: &str, scene: &str, size: u64, timed: &[(&str, f64)]) -> Run {
    Run {
        id: format!("point/{device}/detailed/{scene}"),
        group,
        device: device.to_owned(),
        strategy: "detailed".to_owned(),
        series: format!("a series {NASTY}"),
        size,
        wait: "block".to_owned(),
        times: timed
            .iter()
            .map(|(name, time)| times(name, &[*time; 4]))
            .collect(),
        told: BTreeMap::from([("build_micros".to_owned(), 1500.0)]),
        notes: Vec::new(),
    }
}

/// Runs of every group on three devices, one of them with a name that hurts; brute force that was cut off,
/// a run that was refused, an empty pass that took no time at all.
fn results() -> Results {
    let mut runs = Vec::new();
    for label in ["cpu", "vulkan-lavapipe", NASTY] {
        for group in Group::ALL {
            for size in [1_000, 1_000_000] {
                let scene = format!("{}-{size}", group.name());
                let timed = [
                    (names::FLOOR, 10.0),
                    (names::EMPTY, 20.0),
                    (names::PICK, 30.0),
                    (names::BRUTE, 9e6),
                    (names::CHANGED, 50.0),
                    (names::MOVED, 60.0),
                ];
                runs.push(run(group, label, &scene, size, &timed));
            }
        }
        let mut cut = run(
            Group::Instances,
            label,
            "cubes-grid-16-bytes-1000000",
            1_000_000,
            &[(names::EMPTY, 20.0), (names::PICK, 230.0)],
        );
        cut.notes.push(format!("brute: cut off {NASTY}"));
        runs.push(cut);
        let mut refused = run(Group::Triangles, label, "triangles-2000000", 2_000_000, &[]);
        refused.notes.push("refused: too much".to_owned());
        runs.push(refused);
        let no_time = [(names::EMPTY, 0.0), (names::PICK, 30.0)];
        runs.push(run(
            Group::Objects,
            label,
            "objects-100000",
            100_000,
            &no_time,
        ));
    }
    Results {
        schema: SCHEMA,
        version: "0.1.0".to_owned(),
        sizes: "quick".to_owned(),
        machine: Machine {
            cpu: NASTY.to_owned(),
            threads: 2,
            system: NASTY.to_owned(),
            variables: BTreeMap::from([("A".to_owned(), NASTY.to_owned())]),
        },
        seconds: 1.5,
        devices: vec![
            device("cpu", "cpu", "rays", false),
            device("vulkan-lavapipe", "vulkan", "llvmpipe (LLVM)", true),
            device(NASTY, "wgpu", NASTY, false),
        ],
        runs,
        notes: vec![format!("wgpu-gl: {NASTY}")],
        criterion: vec![CriterionEstimate {
            id: NASTY.to_owned(),
            median: 2.0,
            low: 1.0,
            high: 3.0,
        }],
    }
}

/// A page is XML too, so that a parser can vouch for it.
fn parsed<R>(text: &str, look: impl FnOnce(&roxmltree::Document) -> R) -> R {
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..Default::default()
    };
    match roxmltree::Document::parse_with_options(text, options) {
        Ok(document) => look(&document),
        Err(error) => panic!("{error}:\n{text}"),
    }
}

#[test]
fn the_page_is_whole_and_needs_nothing_else() {
    let page = page::page(&results()).unwrap();
    assert!(!page.contains("http") && !page.contains("<script") && !page.contains("url("));
    for word in ["NaN", "inf<", "inf ", ">inf"] {
        assert!(!page.contains(word), "{word}");
    }
    parsed(&page, |document| {
        let count = |name: &str| {
            let nodes = document.descendants();
            nodes.filter(|node| node.has_tag_name(name)).count()
        };
        // Targets, Criterion, rays, and the groups.
        assert_eq!(count("h2"), 4 + Group::ALL.len());
        // Groups that grow, by devices.
        assert_eq!(count("svg"), 5 * 3);
        assert_eq!(count("figcaption"), 5 * 3);
    });
}

#[test]
fn every_run_is_told_once() {
    let results = results();
    let page = page::page(&results).unwrap();
    parsed(&page, |document| {
        let nodes = document.descendants();
        let codes = nodes.filter(|node| node.has_tag_name("code"));
        let mut told: Vec<&str> = codes.filter_map(|node| node.text()).collect();
        let mut ids: Vec<&str> = results.runs.iter().map(|run| run.id.as_str()).collect();
        told.sort_unstable();
        ids.sort_unstable();
        assert_eq!(told, ids);
    });
}

#[test]
fn what_was_not_measured_says_why() {
    let page = page::page(&results()).unwrap();
    for why in [
        "brute: cut off &lt;&amp;",
        "refused: too much",
        "wgpu-gl: &lt;&amp;",
    ] {
        assert!(page.contains(why), "{why}");
    }
}

#[test]
fn every_target_has_a_verdict() {
    let results = results();
    let findings = findings(&results);
    for target in TARGETS {
        let of_target = findings
            .iter()
            .filter(|finding| finding.target.what == target.what);
        let kinds = [target.lavapipe, target.gpu];
        let asked = kinds
            .iter()
            .filter(|asked| **asked != Asked::Nothing)
            .count();
        assert_eq!(of_target.count(), asked, "{}", target.what);
    }
    let verdict = |what: &str, device: &str| {
        let is_it = |f: &&super::targets::Finding| f.target.what == what && f.device == device;
        findings.iter().find(is_it).map(|finding| finding.verdict)
    };
    let copies = "1 M copies in grid order, unchanged";
    assert_eq!(verdict(copies, "vulkan-lavapipe"), Some(Verdict::Met));
    assert_eq!(verdict(copies, NASTY), Some(Verdict::Missed));
    let whole = "1 M copies in grid order, drawn whole against culled";
    assert_eq!(
        verdict(whole, "vulkan-lavapipe"),
        Some(Verdict::NotMeasured)
    );
    assert_eq!(verdict("100 k objects", NASTY), Some(Verdict::NotMeasured));
    assert_eq!(
        verdict("10 M copies of 16 bytes, all changed", "a GPU"),
        Some(Verdict::NotMeasured)
    );
    let page = page::page(&results).unwrap();
    parsed(&page, |document| {
        let judged = document.descendants().filter(|node| {
            let class = node.attribute("class").unwrap_or_default();
            node.has_tag_name("td") && ["met", "missed", "told"].contains(&class)
        });
        assert_eq!(judged.count(), findings.len());
    });
}

/// Both ways to ask: no more than, and no less than.
#[test]
fn a_bound_itself_is_met() {
    let judged = |device: &str, timed: &[(&str, f64)]| {
        let mut results = results();
        let scene = "cubes-grid-16-bytes-1000000";
        results.runs = vec![run(Group::Instances, device, scene, 1_000_000, timed)];
        let found = findings(&results).into_iter();
        let found = found.filter(|finding| finding.device == device && finding.ratio.is_some());
        found.map(|finding| finding.verdict).collect::<Vec<_>>()
    };
    let on_lavapipe = |pick, brute| {
        let timed = [
            (names::EMPTY, 10.0),
            (names::PICK, pick),
            (names::BRUTE, brute),
        ];
        judged("vulkan-lavapipe", &timed)
    };
    assert_eq!(on_lavapipe(120.0, 24_000.0), [Verdict::Met, Verdict::Met]);
    assert_eq!(
        on_lavapipe(121.0, 24_000.0),
        [Verdict::Missed, Verdict::Missed]
    );
}

/// Those of the CPU, but for the strategies, which are all the same to a ray.
#[test]
fn ray_casting_has_a_table_of_its_own() {
    let results = results();
    let is_cast = |run: &&Run| run.device == "cpu" && run.group != Group::Strategies;
    let cast = results.runs.iter().filter(is_cast).count();
    assert_eq!(ray_casting(&results).rows.len(), cast);
}

#[test]
fn plots_are_files_of_their_own() {
    let results = results();
    let mut count = 0;
    for group in Group::ALL {
        for figure in figures(group, &results) {
            let svg = plot::file(&figure).unwrap();
            assert!(svg.len() < 40_000, "{}: {} bytes", figure.name, svg.len());
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            let title = parsed(&svg, |document| {
                let title = document
                    .descendants()
                    .find(|node| node.has_tag_name("title"));
                title.and_then(|node| node.text()).map(str::to_owned)
            });
            assert_eq!(title.as_deref(), Some(figure.title.as_str()));
            count += 1;
        }
    }
    assert_eq!(count, 5 * 3);
}

#[test]
fn one_point_makes_no_plot() {
    let mut results = results();
    results.runs.retain(|run| run.size == 1000);
    let page = page::page(&results).unwrap();
    assert!(!page.contains("<svg") && page.contains("instances-1000"));
}

#[test]
fn results_without_runs_make_a_page_too() {
    let mut results = results();
    (results.runs, results.devices) = (Vec::new(), Vec::new());
    let page = page::page(&results).unwrap();
    parsed(&page, |_| ());
    assert!(page.contains("not measured here"));
}

#[test]
fn everything_is_written_and_what_is_written_is_told() {
    let out = std::env::temp_dir().join(format!("pick-report-{}", std::process::id()));
    let paths = write(&results(), &out, true).unwrap();
    assert_eq!(paths.len(), 3 + 5 * 3);
    assert!(paths[0].ends_with("report.html") && paths.iter().all(|path| path.is_file()));
    let text = std::fs::read_to_string(out.join("results.json")).unwrap();
    assert_eq!(Results::from_json(&text).unwrap(), results());
    std::fs::remove_dir_all(out).unwrap();
}

#[test]
fn markdown_has_the_tables_that_have_rows() {
    let text = markdown::tables(&results());
    let rows = |title: &str| {
        let (_, tail) = text.split_once(&format!("## {title}\n\n")).unwrap();
        tail.lines()
            .take_while(|line| line.starts_with('|'))
            .count()
            - 2
    };
    assert_eq!(rows("Copies"), 9);
    assert_eq!(rows("Devices"), 3);
    let mut none = results();
    none.criterion.clear();
    assert!(!markdown::tables(&none).contains("Criterion"));
}
