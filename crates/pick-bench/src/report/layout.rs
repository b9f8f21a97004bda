//! Which columns the table of each group has.

use crate::names::{
    BRUTE, CHANGED, COMPOSE_WALK, DRILL, EMPTY, EMPTY_SEND, FLOOR, FRAME, IMAGE, MOVED, MOVED_CPU,
    NEAR, PICK, POINT_OF_BATCH, RECT, SEND, SET, SYNC, TOUCH, UPDATE, VULKAN, WALK, WGPU,
};
use crate::report::table::{Cell, Table};
use crate::results::{Group, Results, Run};

/// What a table says.
pub struct Layout {
    /// Its heading.
    pub title: &'static str,
    /// What was done.
    pub about: &'static str,
    /// What sizes count.
    pub unit: &'static str,
    times: &'static [&'static str],
    ratios: &'static [[&'static str; 2]],
    told: &'static [Told],
}

/// A number that a run tells, in a unit of its own.
struct Told {
    head: &'static str,
    key: &'static str,
    unit: f64,
}

impl Told {
    const fn count(head: &'static str, key: &'static str) -> Self {
        let unit = 1.0;
        Self { head, key, unit }
    }

    fn cell(&self, run: &Run) -> Cell {
        let value = run.told.get(self.key).map(|value| value / self.unit);
        match self.unit == 1.0 {
            true => Cell::Count(value),
            false => Cell::Number(value),
        }
    }
}

const BUILD: Told = Told {
    head: "build, ms",
    key: "build_micros",
    unit: 1e3,
};
const PREPARE: Told = Told {
    head: "prepare, ms",
    key: "prepare_micros",
    unit: 1e3,
};
const GEOMETRY: Told = Told {
    head: "geometry, KiB",
    key: "geometry_bytes",
    unit: 1024.0,
};
const BOUNDS: Told = Told {
    head: "bounds, KiB",
    key: "bounds_bytes",
    unit: 1024.0,
};
const LISTS: Told = Told {
    head: "lists, KiB",
    key: "list_bytes",
    unit: 1024.0,
};
const CPU_CULLING: Told = Told {
    head: "culling on the CPU, KiB",
    key: "cpu_culling_bytes",
    unit: 1024.0,
};
const TARGETS: Told = Told::count("targets, bytes", "target_bytes");

const HOVERING: [Told; 4] = [
    Told::count("sends", "sends"),
    Told::count("sends longer than half a frame", "long_sends"),
    Told::count("most frames later", "most_frames_later"),
    TARGETS,
];

const QUERIED: [Told; 2] = [
    Told::count("bytes of the rectangle's answer", "answer_bytes"),
    Told::count("bytes of the id image", "image_bytes"),
];

const PICKS: &[&str] = &[FLOOR, EMPTY, PICK, BRUTE, SEND];
const PICK_RATIOS: &[[&str; 2]] = &[[PICK, EMPTY], [PICK, FLOOR], [BRUTE, PICK]];

impl Layout {
    /// The table of a group.
    pub fn of(group: Group) -> Self {
        match group {
            Group::Strategies => Self {
                title: "Strategies",
                about: "Every strategy by every way to wait, on one draw of 1,000 triangles and on 1,000 draws of 12.",
                unit: "objects",
                times: &[FLOOR, EMPTY, PICK, SEND],
                ratios: &[[PICK, EMPTY], [PICK, FLOOR]],
                told: &[TARGETS],
            },
            Group::Instances => Self {
                title: "Copies",
                about: "Copies of one cube in a lattice, in a buffer of the host's: in the lattice's order or shuffled, \
                        16 or 64 bytes each.",
                unit: "copies",
                times: PICKS,
                ratios: PICK_RATIOS,
                told: &[BUILD, BOUNDS, LISTS],
            },
            Group::Changed => Self {
                title: "Copies that change",
                about: "All copies are elsewhere in a second buffer, and then one pick (changed); telling the library \
                        of it is a part of that (update).",
                unit: "copies",
                times: &[FLOOR, EMPTY, PICK, UPDATE, CHANGED],
                ratios: &[[PICK, EMPTY], [CHANGED, EMPTY]],
                told: &[BUILD, BOUNDS, LISTS],
            },
            Group::Objects => Self {
                title: "Objects",
                about: "Separate objects of one mesh, each a draw of its own.",
                unit: "objects",
                times: PICKS,
                ratios: PICK_RATIOS,
                told: &[BUILD, CPU_CULLING],
            },
            Group::Triangles => Self {
                title: "Triangles",
                about: "One mesh of more and more triangles, and 50 copies of one, the triangles of all of them counted.",
                unit: "triangles",
                times: PICKS,
                ratios: PICK_RATIOS,
                told: &[BUILD, GEOMETRY, CPU_CULLING],
            },
            Group::Moving => Self {
                title: "Objects that move",
                about: "All objects are moved, and then one pick (moved). Beside it what the host itself would spend: \
                        reading every transform once (walk), composing every one with its camera (compose walk).",
                unit: "objects",
                times: &[FLOOR, EMPTY, WALK, COMPOSE_WALK, SET, MOVED_CPU, MOVED],
                ratios: &[[MOVED_CPU, WALK], [MOVED_CPU, COMPOSE_WALK], [MOVED, EMPTY]],
                told: &[BUILD, CPU_CULLING],
            },
            Group::Hover => Self {
                title: "Hovering while frames are drawn",
                about: "A frame that keeps the device busy is sent, then a pick without waiting (send), frame after \
                        frame; sending a pick of nothing to an idle device is its measure (empty send). Beside it a \
                        pick that waits behind a frame (sync), and the frame alone.",
                unit: "copies in a frame",
                times: &[EMPTY_SEND, SEND, FRAME, SYNC],
                ratios: &[[SEND, EMPTY_SEND], [SEND, FRAME], [SYNC, FRAME]],
                told: &HOVERING,
            },
            Group::Queries => Self {
                title: "Other questions",
                about: "A batch of 4,096 pixels all over the view (the time of each) and a disc of 16 pixels over \
                        copies; all of the view reduced to its objects (rect), with what is hidden (touch), and read \
                        back whole (id image); everything under a pixel, through 64 layers (drill).",
                unit: "copies, objects, layers",
                times: &[EMPTY, PICK, POINT_OF_BATCH, NEAR, RECT, TOUCH, IMAGE, DRILL],
                ratios: &[
                    [PICK, POINT_OF_BATCH],
                    [NEAR, PICK],
                    [IMAGE, RECT],
                    [DRILL, PICK],
                ],
                told: &QUERIED,
            },
            Group::Versus => Self {
                title: "wgpu and raw Vulkan",
                about: "The same pick through both, in turns.",
                unit: "copies",
                times: &[VULKAN, WGPU],
                ratios: &[[WGPU, VULKAN]],
                told: &[],
            },
        }
    }

    /// The rows of the group.
    pub fn table(&self, group: Group, results: &Results) -> Table {
        let ratios = self.ratios.iter().map(|[of, to]| format!("{of} / {to}"));
        let mut head = vec!["id".to_owned(), "wait".to_owned(), self.unit.to_owned()];
        head.extend(self.times.iter().map(|name| (*name).to_owned()));
        head.extend(ratios);
        head.extend(self.told.iter().map(|told| told.head.to_owned()));
        head.push("notes".to_owned());
        Table {
            head,
            rows: results.of(group).map(|run| self.row(run)).collect(),
        }
    }

    fn row(&self, run: &Run) -> Vec<Cell> {
        let time = |name: &&str| Cell::Number(run.times(name).map(|times| times.median));
        let ratio = |[of, to]: &[&str; 2]| Cell::Ratio(run.ratio(of, to));
        let mut row = vec![
            Cell::Code(run.id.clone()),
            Cell::text(&run.wait),
            Cell::Count(Some(run.size as f64)),
        ];
        row.extend(self.times.iter().map(time));
        row.extend(self.ratios.iter().map(ratio));
        row.extend(self.told.iter().map(|told| told.cell(run)));
        row.push(Cell::text(run.notes.join("; ")));
        row
    }
}

/// What casting rays on the CPU costs, with making its trees and making them anew.
pub fn ray_casting(results: &Results) -> Table {
    let mut table = Table::new([
        "scene",
        "build, ms",
        "tree of objects and first pick, ms",
        "pick, us",
        "all changed or moved, then a pick, us",
        "of that, telling the scene, us",
    ]);
    let cast = |run: &&Run| {
        let grows = run.group != Group::Strategies;
        let device = results.device(&run.device);
        grows && device.is_some_and(|device| device.backend == "cpu")
    };
    for run in results.runs.iter().filter(cast) {
        let time = |names: [&str; 2]| {
            let times = names.into_iter().find_map(|name| run.times(name));
            Cell::Number(times.map(|times| times.median))
        };
        table.rows.push(vec![
            Cell::text(format!("{} ({})", run.scene(), run.strategy)),
            BUILD.cell(run),
            PREPARE.cell(run),
            time([PICK; 2]),
            time([CHANGED, MOVED]),
            time([UPDATE, SET]),
        ]);
    }
    table
}
