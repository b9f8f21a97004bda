//! Following a cursor: one call a frame, one answer at a time.

use super::Picker;
use crate::backend::Backend;
use crate::error::{ErrorKind, PickError};
use crate::hit::{Answer, Outcome};
use crate::request::Request;
use crate::scene::Scene;
use crate::ticket::Ticket;

/// Asks the same question of wherever the cursor is, frame by frame, over a picker's hovers.
///
/// Each frame hands in what is asked now and gets the newest answer that has arrived since; answers of earlier
/// frames that come with it are let go. An answer says which request it is of.
#[derive(Debug)]
pub struct Follow<A> {
    /// Under way, oldest first.
    tickets: Vec<Ticket<A>>,
}

impl<A> Default for Follow<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A> Follow<A> {
    /// Follows nothing yet.
    pub fn new() -> Self {
        Self {
            tickets: Vec::new(),
        }
    }

    /// How many requests are under way or wait to be sent.
    pub fn under_way(&self) -> usize {
        self.tickets.len()
    }

    /// Lets go of what is under way.
    pub fn clear(&mut self) {
        self.tickets.clear();
    }
}

impl<A: Outcome> Follow<A> {
    /// One frame: polls the picker, gives the newest answer or fault that has arrived, and asks anew; `None` asks
    /// nothing, as when the cursor has left the view. Never waits.
    ///
    /// # Errors
    /// Whatever sending refuses; what has arrived comes with the next frame then.
    pub fn frame<B: Backend>(
        &mut self,
        picker: &mut Picker,
        backend: &mut B,
        scene: &mut Scene,
        request: Option<Request<A>>,
    ) -> Result<Option<Result<Answer<A>, PickError>>, PickError> {
        picker.poll(backend, scene);
        if let Some(request) = request {
            let ticket = picker.hover(backend, scene, request)?;
            self.tickets.push(ticket);
        }
        let mut newest = None;
        self.tickets.retain_mut(|ticket| match ticket.try_take() {
            None => true,
            Some(told) => {
                let passed_over =
                    matches!(&told, Err(error) if *error.kind() == ErrorKind::Superseded);
                if !passed_over {
                    newest = Some(told);
                }
                false
            }
        });
        Ok(newest)
    }
}
