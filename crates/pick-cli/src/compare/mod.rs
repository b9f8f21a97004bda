//! `pick compare`: every backend, driver and strategy that is here, against the CPU.

mod cell;
mod judge;
mod lone;
mod print;
mod truth;

use indicatif::ProgressBar;
use pick_bench::device::Device;
use pick_bench::session::Session;
use pick_bench::{floor, with_backend};
use pick_core::{Backend, PickOptions, View};
use pick_scenes::SceneData;

use crate::args::{CompareArgs, StrategyName};
use crate::backends;
use crate::camera;
use crate::exit::{Failure, Status};
use crate::progress;
use crate::scene;
use cell::{Bench, Cell};
use judge::Judge;
use print::{Printer, Row};
use truth::Truth;

/// What all cells share.
struct Comparison<'a> {
    args: &'a CompareArgs,
    data: &'a SceneData,
    view: View,
    /// How the CPU was asked.
    options: PickOptions,
    truths: Vec<Truth>,
}

/// Runs the command.
pub fn run(args: &CompareArgs) -> Result<Status, Failure> {
    let (spec, data) = scene::load(&args.scene)?;
    let view = camera::view(&args.camera, &spec, &data)?;
    let devices = backends::all(&args.device)?;
    let spinner = progress::spinner("asking the CPU what is right");
    let options = StrategyName::Detailed.options(args.cull);
    let truths = truth::find(&data, &view, &options)?;
    drop(spinner);
    let comparison = Comparison {
        args,
        data: &data,
        view,
        options,
        truths,
    };
    let mut printer = Printer::new(args.format);
    for device in &devices {
        comparison.device(device, &mut printer)?;
    }
    printer.finish()
}

impl Comparison<'_> {
    fn device(&self, device: &Device, printer: &mut Printer) -> Result<(), Failure> {
        let spinner = progress::spinner(format!("opening {}", device.names()[1]));
        let opened = device.open();
        drop(spinner);
        match opened {
            Ok(mut backend) => {
                with_backend!(&mut backend, b => self.strategies(device, b.as_mut(), printer))
            }
            Err(failure) => {
                let cell = Cell {
                    unsupported: Some(failure.to_string()),
                    ..Cell::default()
                };
                printer.add(Row::new(device, None, &cell, None))
            }
        }
    }

    fn strategies<B: Backend>(
        &self,
        device: &Device,
        backend: &mut B,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        let floor = floor::measure(backend, &self.view);
        let session = Session::new(backend, self.data);
        let mut session = match session {
            Ok(session) => session,
            Err(error) => return printer.add(Row::new(device, None, &Cell::refused(&error), None)),
        };
        for strategy in StrategyName::ALL {
            let bar = progress::bar(3 * self.truths.len(), strategy.name(), false);
            let cell = match &floor {
                Ok(_) => self.cell(strategy, &mut session, &bar),
                Err(error) => Cell::refused(error),
            };
            bar.finish_and_clear();
            let floor = floor.as_ref().ok().copied();
            printer.add(Row::new(device, Some(strategy), &cell, floor))?;
        }
        Ok(())
    }

    fn cell<B: Backend>(
        &self,
        strategy: StrategyName,
        session: &mut Session<'_, B>,
        bar: &ProgressBar,
    ) -> Cell {
        let options: PickOptions = strategy.options(self.args.cull);
        let bench = Bench {
            view: &self.view,
            options,
            truths: &self.truths,
            judge: Judge {
                data: self.data,
                view: &self.view,
                options: &self.options,
            },
        };
        bench.measure(session, &|| bar.inc(1))
    }
}
