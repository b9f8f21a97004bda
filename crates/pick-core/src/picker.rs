//! The picker: turns requests into plans, keeps them in flight, turns texels into answers.

mod answer;
mod flight;
mod follow;

use std::sync::Arc;

use crate::backend::{Backend, PrimitiveIndex, SlotState};
use crate::error::{ErrorKind, PickError};
use crate::hit::{Answer, Outcome};
pub(crate) use crate::picker::flight::{Flight, Sees};
pub use crate::picker::follow::Follow;
use crate::request::{AnyRequest, Request};
use crate::scene::Scene;
use crate::ticket::{Share, Ticket};

/// Requests of one view, in flight and waiting.
///
/// Two streams share its flights: clicks are answered in order and refused with `Busy` when every
/// flight is taken; of hovers only the newest waits, and an older waiting one ends as `Superseded`.
/// One flight is kept free of hovers, so that a click always finds one after a poll.
///
/// A picker belongs to one backend and one scene: polled with another backend, its tickets end with an
/// error; polled with another scene, answers do not tell what was removed.
///
/// Nothing here blocks but [`Picker::pick`], and nothing makes progress unless [`Picker::poll`] is
/// called. The view is part of each request, so resizing changes nothing in flight.
#[derive(Debug)]
pub struct Picker {
    /// Under way, oldest first.
    #[expect(
        clippy::vec_box,
        reason = "a flight is some kilobytes and changes lists twice a pick"
    )]
    flights: Vec<Box<Flight>>,
    /// Finished ones, kept for their memory.
    #[expect(clippy::vec_box, reason = "as above")]
    spare_flights: Vec<Box<Flight>>,
    spare_shares: Vec<Arc<Share>>,
    capacity: usize,
    waiting_hover: Option<(Waiting, u64)>,
    sequence: u64,
}

#[derive(Debug)]
struct Waiting {
    request: AnyRequest,
    share: Arc<Share>,
}

impl Default for Picker {
    fn default() -> Self {
        Self::new()
    }
}

impl Picker {
    /// A picker with four flights.
    pub fn new() -> Self {
        Self::with_capacity(4)
    }

    /// A picker with so many flights (at least 2: one each for clicks and hovers).
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            flights: Vec::new(),
            spare_flights: Vec::new(),
            spare_shares: Vec::new(),
            capacity: capacity.max(2),
            waiting_hover: None,
            sequence: 0,
        }
    }

    /// How many requests are in flight.
    pub fn in_flight(&self) -> usize {
        self.flights.len()
    }

    /// Sends a request whose answer must not be lost. Never waits.
    ///
    /// # Errors
    /// `Busy` when every flight is taken, and whatever planning and executing refuse.
    pub fn click<B: Backend, A: Outcome>(
        &mut self,
        backend: &mut B,
        scene: &mut Scene,
        request: Request<A>,
    ) -> Result<Ticket<A>, PickError> {
        self.send(backend, scene, request, None)
    }

    /// Like [`Picker::click`], but records into the host's own command stream. The answer comes after
    /// the host has submitted it; dropping it instead ends the ticket as `Cancelled`. Nothing is
    /// submitted here or later.
    ///
    /// # Errors
    /// As [`Picker::click`]; `NotPrepared` for triangles that only the primitive-index builtin can name
    /// while its self-test has not been read: call [`Picker::prepare`] once.
    pub fn record<B: Backend, A: Outcome>(
        &mut self,
        backend: &mut B,
        scene: &mut Scene,
        request: Request<A>,
        host: B::Host<'_>,
    ) -> Result<Ticket<A>, PickError> {
        self.send(backend, scene, request, Some(host))
    }

    /// How many picks that were recorded into a host's commands must run again in later ones: drills that found
    /// more than their first run had room for. They wait for [`Picker::resume`].
    pub fn waiting_for_host(&self) -> usize {
        self.flights.iter().filter(|f| f.is_parked()).count()
    }

    /// Records the oldest pick that waits for it into the host's own command stream. Without one nothing is
    /// recorded. Nothing is submitted here or later.
    ///
    /// # Errors
    /// As [`Picker::click`]; the pick's ticket ends with the error.
    pub fn resume<B: Backend>(
        &mut self,
        backend: &mut B,
        host: B::Host<'_>,
    ) -> Result<(), PickError> {
        let Some(index) = self.flights.iter().position(|f| f.is_parked()) else {
            return Ok(());
        };
        let resumed = self.flights[index].resume(backend, host);
        if let Err(error) = &resumed {
            let mut flight = self.flights.remove(index);
            if let Some(share) = flight.end() {
                self.finish(share, Err(error.clone()));
            }
            self.keep(flight);
        }
        resumed
    }

    /// Asks what is under a moving cursor. Sent at once while a flight is free; else it waits for the
    /// next [`Picker::poll`], and a newer hover takes its place. What waits sees the scene as it is
    /// when it is sent. Never blocks.
    ///
    /// # Errors
    /// Whatever planning and executing refuse, when it is sent at once.
    pub fn hover<B: Backend, A: Outcome>(
        &mut self,
        backend: &mut B,
        scene: &mut Scene,
        request: Request<A>,
    ) -> Result<Ticket<A>, PickError> {
        if self.flights.len() + 1 < self.capacity && self.waiting_hover.is_none() {
            return self.send(backend, scene, request, None);
        }
        let share = self.take_share();
        self.sequence += 1;
        let waiting = Waiting {
            request: request.any,
            share: share.clone(),
        };
        if let Some((older, _)) = self.waiting_hover.replace((waiting, self.sequence)) {
            self.finish(older.share, Err(PickError::new(ErrorKind::Superseded)));
        }
        Ok(Ticket::new(share))
    }

    /// Takes in what has arrived, ends what timed out, and sends a waiting hover. Never waits. Gives
    /// the number of tickets that ended.
    pub fn poll<B: Backend>(&mut self, backend: &mut B, scene: &mut Scene) -> usize {
        backend.drive();
        self.drop_cancelled();
        let mut ended = 0;
        let mut index = 0;
        while index < self.flights.len() {
            if self.poll_flight(backend, scene, index) {
                ended += 1;
            } else {
                index += 1;
            }
        }
        ended + self.send_waiting_hover(backend, scene)
    }

    /// Sends a request and waits for its answer: a thin cover over [`Picker::click`], the backend's
    /// wait and [`Picker::poll`]. Other tickets make progress meanwhile.
    ///
    /// # Errors
    /// As [`Picker::click`]; `TimedOut`; `Unsupported` in a browser, where nothing can wait.
    pub fn pick<B: Backend, A: Outcome>(
        &mut self,
        backend: &mut B,
        scene: &mut Scene,
        request: Request<A>,
    ) -> Result<Answer<A>, PickError> {
        let timeout_ms = request.any.options.timeout_ms;
        let mut ticket = self.click(backend, scene, request)?;
        let sequence = self.sequence;
        loop {
            let flight = self.flights.iter().find(|f| f.sequence == sequence);
            let waited = backend.wait(flight.and_then(|flight| flight.slot()), timeout_ms);
            self.poll(backend, scene);
            if let Some(answer) = ticket.try_take() {
                return answer;
            }
            waited?;
        }
    }

    /// Compiles what `request` would need, so that its first pick does not, and builds the scene's
    /// culling tree where much was added or moved. May wait.
    ///
    /// # Errors
    /// As [`Picker::click`], but for `Busy`.
    pub fn prepare<B: Backend, A: Outcome>(
        &mut self,
        backend: &mut B,
        scene: &mut Scene,
        request: &Request<A>,
    ) -> Result<(), PickError> {
        scene.prepare();
        self.read_self_test(backend, request)?;
        let mut flight = self.take_flight(&request.any);
        let planned = flight.plan(backend.caps(), scene, Sees::Everything);
        let prepared = planned.and_then(|_| backend.prepare(flight.plan_ref()));
        self.keep(flight);
        prepared
    }

    /// The verdict decides which shader a detailed pick takes, so it comes first. Where nothing can
    /// wait it comes with a later poll, and `auto` changes its shader then.
    fn read_self_test<B: Backend, A>(
        &mut self,
        backend: &mut B,
        request: &Request<A>,
    ) -> Result<(), PickError> {
        let options = &request.any.options;
        let asks = options.strategy.get().shader(false).needs_primitive();
        if !asks || backend.caps().primitive_index != PrimitiveIndex::Untested {
            return Ok(());
        }
        let verdict = backend.start_self_test(options.timeout_ms)?;
        match backend.wait(Some(&verdict), options.timeout_ms) {
            Err(error) if !error.is_unsupported() => return Err(error),
            _ => backend.drive(),
        }
        Ok(())
    }

    fn send<B: Backend, A: Outcome>(
        &mut self,
        backend: &mut B,
        scene: &mut Scene,
        request: Request<A>,
        host: Option<B::Host<'_>>,
    ) -> Result<Ticket<A>, PickError> {
        self.drop_cancelled();
        if self.flights.len() >= self.capacity {
            let in_flight = self.flights.len();
            return Err(PickError::new(ErrorKind::Busy { in_flight }));
        }
        let share = self.take_share();
        self.sequence += 1;
        let waiting = Waiting {
            request: request.any,
            share: share.clone(),
        };
        match self.launch(backend, scene, waiting, self.sequence, host) {
            Ok(()) => Ok(Ticket::new(share)),
            Err(error) => {
                self.spare_shares.push(share);
                Err(error)
            }
        }
    }

    fn launch<B: Backend>(
        &mut self,
        backend: &mut B,
        scene: &mut Scene,
        waiting: Waiting,
        sequence: u64,
        host: Option<B::Host<'_>>,
    ) -> Result<(), PickError> {
        let mut flight = self.take_flight(&waiting.request);
        let launched = match host {
            Some(host) => flight.record(backend, scene, host),
            None => flight.launch(backend, scene),
        };
        match launched {
            Ok(()) => {
                flight.begin(waiting.share, sequence);
                self.flights.push(flight);
                Ok(())
            }
            Err(error) => {
                self.keep(flight);
                Err(error)
            }
        }
    }

    /// True when the flight at `index` ended.
    fn poll_flight<B: Backend>(
        &mut self,
        backend: &mut B,
        scene: &mut Scene,
        index: usize,
    ) -> bool {
        let flight = &mut self.flights[index];
        let state = match flight.slot() {
            Some(slot) => backend.poll(slot),
            None if flight.is_parked() => SlotState::Pending,
            None => SlotState::Failed(PickError::broken("a flight without a slot")), // not reached
        };
        let outcome = match state {
            SlotState::Pending => None,
            SlotState::Failed(error) => Some(Err(error)),
            SlotState::Ready(_) if flight.awaits_verdict() => {
                flight.launch_planned(backend).err().map(Err)
            }
            SlotState::Ready(bytes) => match flight.overflow(bytes) {
                None => Some(flight.answer(bytes, scene)),
                Some(found) => flight.again(backend, found).err().map(Err),
            },
        };
        let Some(outcome) = outcome else {
            flight.late_polls += 1;
            return false;
        };
        let mut flight = self.flights.remove(index);
        if let Some(share) = flight.end() {
            self.finish(share, outcome);
        }
        self.keep(flight);
        true
    }

    /// A dropped ticket cancels its pick; its slot is given back.
    fn drop_cancelled(&mut self) {
        for index in (0..self.flights.len()).rev() {
            if self.flights[index].is_cancelled() {
                self.drop_flight(index);
            }
        }
    }

    fn drop_flight(&mut self, index: usize) {
        let mut flight = self.flights.remove(index);
        self.spare_shares.extend(flight.end());
        self.keep(flight);
    }

    fn send_waiting_hover<B: Backend>(&mut self, backend: &mut B, scene: &mut Scene) -> usize {
        if self.flights.len() + 1 >= self.capacity {
            return 0;
        }
        let Some((waiting, sequence)) = self.waiting_hover.take() else {
            return 0;
        };
        if Arc::strong_count(&waiting.share) == 1 {
            self.spare_shares.push(waiting.share);
            return 0;
        }
        let share = waiting.share.clone();
        match self.launch(backend, scene, waiting, sequence, None) {
            Ok(()) => 0,
            Err(error) => {
                self.finish(share, Err(error));
                1
            }
        }
    }

    fn finish(&mut self, share: Arc<Share>, outcome: flight::Outcome) {
        share.finish(outcome);
        self.spare_shares.push(share);
    }

    /// A share that no ticket holds any more, or a new one.
    fn take_share(&mut self) -> Arc<Share> {
        let free = |share: &Arc<Share>| Arc::strong_count(share) == 1;
        match self.spare_shares.iter().position(free) {
            Some(index) => {
                let share = self.spare_shares.swap_remove(index);
                share.reset();
                share
            }
            None => Arc::default(),
        }
    }

    fn take_flight(&mut self, request: &AnyRequest) -> Box<Flight> {
        match self.spare_flights.pop() {
            Some(mut flight) => {
                flight.request.clone_from(request);
                flight
            }
            None => Box::new(Flight::new(request.clone())),
        }
    }

    fn keep(&mut self, mut flight: Box<Flight>) {
        flight.clear();
        self.spare_flights.push(flight);
    }
}

impl Drop for Picker {
    fn drop(&mut self) {
        let waiting = self.waiting_hover.take().map(|(waiting, _)| waiting.share);
        let flying = self.flights.iter_mut().filter_map(|flight| flight.end());
        for share in flying.chain(waiting) {
            share.finish(Err(PickError::new(ErrorKind::PickerDropped)));
        }
    }
}
