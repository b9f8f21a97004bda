//! Ten thousand requests in random order over a backend of random timing: none is lost, none comes twice, none
//! is another's; and a cursor that is followed.

use std::collections::HashMap;

use pick_conformance::case::{Camera, CaseScene, Stage, quad};
use pick_conformance::cases::Dice;
use pick_conformance::forge::{Fake, Fate};
use pick_core::{
    Culling, ErrorKind, Follow, Hit, IntegerId, PickError, PickPoint, Picker, Query, Request,
    Ticket, View,
};

/// The integer-ID texel of the quad, after so many drives.
fn object_one(after: u32) -> Fate {
    let mut bytes = vec![1, 0, 0, 0];
    bytes.extend(0.5_f32.to_bits().to_le_bytes());
    Fate::Ready { bytes, after }
}

fn failed(after: u32) -> Fate {
    let kind = ErrorKind::Broken {
        detail: "as planned".into(),
    };
    Fate::Failed { kind, after }
}

/// What is known of a ticket that is held.
struct Held {
    ticket: Ticket<Option<Hit>>,
    pixel: [u32; 2],
    is_click: bool,
    polls: u32,
}

struct Model {
    fake: Fake,
    stage: Stage,
    view: View,
    picker: Picker,
    dice: Dice,
    held: HashMap<u32, Held>,
    sent: u32,
    ended: u32,
    cancelled: u32,
    refused: u32,
    last_click: u64,
}

const FLIGHTS: usize = 4;
/// Drives that a plan takes at most.
const SLOWEST: u64 = 6;

impl Model {
    fn new() -> Result<Self, PickError> {
        let mut fake = Fake::default();
        let scene = CaseScene::of([quad(-1.0..=1.0, -1.0..=1.0, 0.0)]);
        Ok(Self {
            stage: Stage::build(&mut fake, &scene)?,
            fake,
            view: Camera::cam_p().build()?,
            picker: Picker::with_capacity(FLIGHTS),
            dice: Dice::new(77),
            held: HashMap::new(),
            sent: 0,
            ended: 0,
            cancelled: 0,
            refused: 0,
            last_click: 0,
        })
    }

    fn fate(&mut self) -> Fate {
        let after = self.dice.below(SLOWEST) as u32;
        match self.dice.once_in(20) {
            true => failed(after),
            false => object_one(after),
        }
    }

    fn send(&mut self) -> Result<(), PickError> {
        let number = self.sent;
        self.sent += 1;
        let pixel = [number % 64, number / 64 % 64];
        let [x, y] = pixel.map(f64::from);
        let at = PickPoint::target_pixels(x, y);
        let request = Request::point(&self.view, at)?.strategy(IntegerId);
        let request = request.culling(Culling::Off);
        // A hover that waits is sent by a later poll: fates stand ready for that too.
        while self.fake.fates.len() < FLIGHTS {
            let fate = self.fate();
            self.fake.fates.push_back(fate);
        }
        let is_click = self.dice.once_in(3);
        let scene = &mut self.stage.scene;
        let sent = match is_click {
            true => self.picker.click(&mut self.fake, scene, request),
            false => self.picker.hover(&mut self.fake, scene, request),
        };
        match sent {
            Ok(ticket) => {
                let held = Held {
                    ticket,
                    pixel,
                    is_click,
                    polls: 0,
                };
                self.held.insert(number, held);
            }
            Err(error) => {
                assert_eq!(*error.kind(), ErrorKind::Busy { in_flight: FLIGHTS });
                assert!(is_click, "a hover is never refused");
                self.refused += 1;
            }
        }
        Ok(())
    }

    fn cancel(&mut self) {
        let numbers: Vec<u32> = self.held.keys().copied().collect();
        if !numbers.is_empty() {
            let which = numbers[self.dice.below(numbers.len() as u64) as usize];
            self.held.remove(&which);
            self.cancelled += 1;
        }
    }

    fn poll(&mut self) {
        self.picker.poll(&mut self.fake, &mut self.stage.scene);
        let mut numbers: Vec<u32> = self.held.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let Some(held) = self.held.get_mut(&number) else {
                continue;
            };
            held.polls += 1;
            let Some(told) = held.ticket.try_take() else {
                // Whatever stands before it ends within so many polls each.
                let most = (SLOWEST as u32 + 1) * (FLIGHTS as u32 + 2);
                assert!(held.polls < most, "{number} never ends");
                continue;
            };
            match told {
                Ok(answer) => {
                    let asked = Query::Point { pixel: held.pixel };
                    assert_eq!(answer.request.query, asked, "another's answer");
                    assert!(answer.result.is_some());
                    if held.is_click {
                        self.last_click = self.last_click.max(answer.sequence);
                    }
                }
                Err(error) => match error.kind() {
                    ErrorKind::Superseded => assert!(!held.is_click, "a click was superseded"),
                    ErrorKind::Broken { detail } => assert_eq!(detail, "as planned"),
                    other => panic!("{other:?}"),
                },
            }
            assert!(held.ticket.try_take().is_none(), "twice");
            self.held.remove(&number);
            self.ended += 1;
        }
    }
}

#[test]
fn no_request_is_lost_or_doubled_or_anothers() -> Result<(), PickError> {
    let mut model = Model::new()?;
    while model.sent < 10_000 {
        match model.dice.below(8) {
            0..4 => model.send()?,
            4 => model.cancel(),
            _ => model.poll(),
        }
        assert!(model.picker.in_flight() <= FLIGHTS);
    }
    for _ in 0..100 {
        model.poll();
    }
    assert!(model.held.is_empty());
    assert_eq!(model.picker.in_flight(), 0);
    assert_eq!(model.sent, model.ended + model.cancelled + model.refused);
    assert!(
        model.cancelled > 500 && model.refused > 100,
        "all kinds came"
    );
    assert!(model.last_click > 0);
    // What was cancelled keeps its slot until its plan has run: slots do not pile up.
    assert!(
        model.fake.idle_slots() <= 4 * FLIGHTS,
        "{}",
        model.fake.idle_slots()
    );
    Ok(())
}

#[test]
fn a_cursor_is_followed_by_one_call_a_frame() -> Result<(), PickError> {
    let mut model = Model::new()?;
    let mut follow = Follow::new();
    let mut newest = None;
    for frame in 0..200u32 {
        while model.fake.fates.len() < FLIGHTS {
            model.fake.fates.push_back(object_one(2));
        }
        let at = PickPoint::target_pixels(f64::from(frame % 64), 3.0);
        let request = Request::point(&model.view, at)?.strategy(IntegerId);
        let request = Some(request.culling(Culling::Off)).filter(|_| frame < 150);
        let scene = &mut model.stage.scene;
        let told = follow.frame(&mut model.picker, &mut model.fake, scene, request)?;
        if let Some(answer) = told {
            let answer = answer?;
            assert!(
                newest.is_none_or(|newest| answer.sequence > newest),
                "older"
            );
            newest = Some(answer.sequence);
        }
        assert!(follow.under_way() <= FLIGHTS + 1);
    }
    // The last that was asked is answered.
    assert_eq!((newest, follow.under_way()), (Some(150), 0));
    Ok(())
}
