//! What each kind of question comes to: the lines of its answer.

use glam::DVec2;
use pick_bench::session::Session;
use pick_core::{AreaHits, Backend, Outcome, PickError, PickRect, Request, Through};
use serde_json::Value;

use super::Questions;
use crate::answer::{Found, Line};
use crate::args::{KindArgs, ThroughName};
use crate::exit::{Failure, Status};
use crate::json;
use crate::pixels::Asked;

/// What is asked.
pub enum Kind {
    /// What is nearest at each pixel.
    Point,
    /// The same in one submission.
    Batch,
    /// What is nearest to each pixel.
    Near { radius_px: f64 },
    /// Everything under each pixel.
    Drill { most: u32 },
    /// Everything in an area.
    Area(Box<Request<AreaHits>>),
}

/// What a lasso's file must look like.
const SHAPE: &str = "a list of points: [[x,y],[x,y],[x,y]]";

impl Questions<'_> {
    /// What the arguments ask.
    ///
    /// # Errors
    /// Areas that enclose nothing, and options that belong to other questions.
    pub(super) fn kind(&self) -> Result<Kind, Failure> {
        let KindArgs {
            batch,
            radius,
            rect,
            lasso,
            through,
            capacity,
            drill,
        } = &self.args.kind;
        let area = match (rect, lasso) {
            (Some([x, y, width, height]), _) => {
                let rect = PickRect::target_pixels(*x, *y, *width, *height);
                let request = Request::rect(&self.view, rect);
                Some(request.map_err(|error| Failure::from(error).about("--rect"))?)
            }
            (None, Some(path)) => {
                let text = json::read(path)?;
                let points: Vec<[f64; 2]> = json::parse(path, &text, SHAPE)?;
                let points: Vec<_> = points.into_iter().map(DVec2::from).collect();
                let request = Request::lasso(&self.view, &points);
                Some(request.map_err(|error| Failure::from(error).about(path.display()))?)
            }
            (None, None) => None,
        };
        let alone = [
            (through.is_some(), "--through"),
            (capacity.is_some(), "--capacity"),
        ];
        if area.is_none()
            && let Some((_, option)) = alone.into_iter().find(|(given, _)| *given)
        {
            let fix = "give --rect or --lasso too";
            return Err(Failure::input(
                option,
                "it",
                "says how an area is asked about",
                fix,
            ));
        }
        Ok(match (area, radius, drill) {
            (Some(request), ..) => {
                let mut request = request.with(self.options());
                if let Some(capacity) = capacity {
                    request = request.capacity(*capacity);
                }
                request = match through {
                    None => request,
                    Some(ThroughName::Touch) => request.through(Through::Touched),
                    Some(ThroughName::Contain) => request.through(Through::Contained),
                };
                Kind::Area(Box::new(request))
            }
            (None, Some(radius_px), _) => Kind::Near {
                radius_px: *radius_px,
            },
            (None, None, Some(most)) => Kind::Drill { most: *most },
            (None, None, None) if *batch => Kind::Batch,
            (None, None, None) => Kind::Point,
        })
    }

    /// The answer of one pixel: a line, or one for each thing under it.
    pub(super) fn answer<B: Backend>(
        &self,
        session: &mut Session<'_, B>,
        kind: &Kind,
        asked: &Asked,
    ) -> (Vec<Line>, Status) {
        let pixel = &asked.given;
        let told = match kind {
            Kind::Near { radius_px } => asked.place.clone().and_then(|place| {
                let request = Request::near(&self.view, place, *radius_px);
                self.perform(session, request, |near, micros| {
                    let Some(near) = near else {
                        return vec![self.miss(pixel)];
                    };
                    let found = Found {
                        near_pixel: Some(near.pixel),
                        pixel_distance: Some(near.pixel_distance),
                        ..Found::default()
                    };
                    vec![Line::hit(
                        pixel.clone(),
                        &near.hit,
                        micros,
                        self.data,
                        found,
                    )]
                })
            }),
            Kind::Drill { most } => asked.place.clone().and_then(|place| {
                let request = Request::drill(&self.view, place, *most);
                self.perform(session, request, |drilled, micros| {
                    let line = |(rank, hit)| {
                        let found = Found {
                            rank: Some(rank),
                            beyond: Some(drilled.beyond),
                            ..Found::default()
                        };
                        Line::hit(pixel.clone(), hit, micros, self.data, found)
                    };
                    match drilled.hits.is_empty() {
                        true => vec![self.miss(pixel)],
                        false => (0..).zip(&drilled.hits).map(line).collect(),
                    }
                })
            }),
            Kind::Point | Kind::Batch | Kind::Area(_) => self.request(asked).and_then(|request| {
                self.perform(session, Ok(request), |hit, micros| {
                    vec![Line::of(pixel, hit.as_ref(), micros, self.data)]
                })
            }),
        };
        match told {
            Ok(Ok(lines)) => (lines, Status::Answered),
            Ok(Err(error)) => (
                vec![self.failed(pixel, error.to_string())],
                Status::of(&error),
            ),
            Err(problem) => (vec![self.failed(pixel, problem)], Status::BadInput),
        }
    }

    /// The answers of all pixels, by one request.
    pub(super) fn batch<B: Backend>(&self, session: &mut Session<'_, B>) -> (Vec<Line>, Status) {
        let good: Vec<_> = self
            .asked
            .iter()
            .map(|asked| {
                let place = asked.place.clone()?;
                let request = Request::point(&self.view, place).map_err(|error| error.to_string());
                request.map(|_| place)
            })
            .collect();
        let places = good.iter().filter_map(|place| place.as_ref().ok().copied());
        let mut status = Status::Answered;
        let answered = match good.iter().any(Result::is_ok) {
            true => {
                let request = Request::points(&self.view, places);
                self.perform(session, request, |hits, micros| {
                    hits.into_iter().map(|hit| (hit, micros)).collect()
                })
            }
            false => Ok(Ok(Vec::new())),
        };
        let mut hits = match answered {
            Ok(Ok(hits)) => Ok(hits.into_iter()),
            Ok(Err(error)) => {
                status = Status::of(&error);
                Err(error.to_string())
            }
            Err(problem) => {
                status = Status::BadInput;
                Err(problem)
            }
        };
        let lines = self.asked.iter().zip(good).map(|(asked, place)| {
            let hit = match (place, &mut hits) {
                (Err(problem), _) => {
                    status = status.and(Status::BadInput);
                    return self.failed(&asked.given, problem);
                }
                (Ok(_), Err(problem)) => return self.failed(&asked.given, problem.clone()),
                (Ok(_), Ok(hits)) => hits.next(),
            };
            let (hit, micros) = hit.unwrap_or((None, 0.0)); // there are as many
            Line::of(&asked.given, hit.as_ref(), micros, self.data)
        });
        let lines = lines.collect();
        (lines, status)
    }

    /// Everything in an area.
    pub(super) fn area<B: Backend>(
        &self,
        session: &mut Session<'_, B>,
        request: &Request<AreaHits>,
    ) -> (Vec<Line>, Status) {
        let nowhere = Value::Null;
        let told = self.perform(session, Ok(request.clone()), |hits, micros| {
            let line = |hit| Line::of_area(hit, hits.beyond, micros, self.data);
            match hits.found.is_empty() {
                true => vec![self.miss(&nowhere)],
                false => hits.found.iter().map(line).collect(),
            }
        });
        match told {
            Ok(Ok(lines)) => (lines, Status::Answered),
            Ok(Err(error)) => (
                vec![self.failed(&nowhere, error.to_string())],
                Status::of(&error),
            ),
            Err(problem) => (vec![self.failed(&nowhere, problem)], Status::BadInput),
        }
    }

    /// Asks; an error of the request is a problem, one of the pick is told with its kind.
    fn perform<B: Backend, A: Outcome + Clone, L>(
        &self,
        session: &mut Session<'_, B>,
        request: Result<Request<A>, PickError>,
        lines: impl FnOnce(A, f64) -> Vec<L>,
    ) -> Result<Result<Vec<L>, PickError>, String> {
        let request = request.map_err(|error| error.to_string())?;
        let request = request.with(self.options());
        let prepared = session.prepare(&request);
        let answer = prepared.and_then(|()| session.timed(request));
        Ok(answer.map(|(answer, micros)| lines(answer.result, micros)))
    }

    fn miss(&self, pixel: &Value) -> Line {
        Line::Miss {
            pixel: pixel.clone(),
            hit: false,
        }
    }

    fn failed(&self, pixel: &Value, error: String) -> Line {
        Line::Failed {
            pixel: pixel.clone(),
            error,
        }
    }
}
