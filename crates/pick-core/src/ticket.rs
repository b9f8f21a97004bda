//! A ticket is the caller's share of a pick: a future that also answers when asked.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::error::PickError;
use crate::hit::{Answer, AnyOutcome, Outcome};

/// The caller's share of a pick under way. Dropping it cancels the pick.
///
/// It makes no progress by itself: somebody must call [`crate::Picker::poll`]. As a future it is woken
/// by the poll that brings its answer.
#[derive(Debug)]
#[must_use = "dropping a ticket cancels its pick"]
pub struct Ticket<A> {
    share: Arc<Share>,
    answer: PhantomData<fn() -> A>,
}

/// What ticket and picker have in common. The picker keeps shares for further tickets.
#[derive(Debug, Default)]
pub(crate) struct Share {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    outcome: Option<Result<Answer<AnyOutcome>, PickError>>,
    waker: Option<Waker>,
}

impl Share {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves the state whole: every change to it is one assignment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn reset(&self) {
        *self.lock() = State::default();
    }

    pub(crate) fn finish(&self, outcome: Result<Answer<AnyOutcome>, PickError>) {
        let waker = {
            let mut state = self.lock();
            state.outcome = Some(outcome);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<A: Outcome> Ticket<A> {
    pub(crate) fn new(share: Arc<Share>) -> Self {
        Self {
            share,
            answer: PhantomData,
        }
    }

    /// The answer, once; `None` while it is under way and after it was taken.
    pub fn try_take(&mut self) -> Option<Result<Answer<A>, PickError>> {
        let outcome = self.share.lock().outcome.take()?;
        Some(outcome.and_then(typed))
    }

    /// True when [`Ticket::try_take`] would give an answer.
    pub fn is_ready(&self) -> bool {
        self.share.lock().outcome.is_some()
    }
}

/// An answer that nobody takes is let go at once: it may hold a whole image.
impl<A> Drop for Ticket<A> {
    fn drop(&mut self) {
        *self.share.lock() = State::default();
    }
}

fn typed<A: Outcome>(answer: Answer<AnyOutcome>) -> Result<Answer<A>, PickError> {
    let result = A::from_any(answer.result)
        .ok_or_else(|| PickError::broken("an answer of another kind than its request"))?;
    Ok(Answer {
        result,
        request: answer.request,
        sequence: answer.sequence,
        late_polls: answer.late_polls,
        report: answer.report,
    })
}

impl<A: Outcome> Future for Ticket<A> {
    type Output = Result<Answer<A>, PickError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.share.lock();
        match state.outcome.take() {
            Some(outcome) => Poll::Ready(outcome.and_then(typed)),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
