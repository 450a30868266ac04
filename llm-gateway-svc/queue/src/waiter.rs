//! A request that waits, and the channels to its caller: one for the outcome, one for its places in the queue.

use tokio::{
    sync::{oneshot, watch},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use crate::request::{Place, PlaceWatch, Refusal};

/// How a wait ends.
#[derive(Debug)]
pub enum Outcome {
    /// A slot.
    Granted(Grant),
    /// No slot.
    Refused(Refusal),
}

/// A slot that is given out.
#[derive(Debug)]
pub struct Grant {
    /// The slot.
    pub slot: usize,
    /// Grows with each grant: tells this one from later ones of the same slot.
    pub fence: u64,
    /// Cancelled when the slot's lease cannot be renewed any more.
    pub lost: CancellationToken,
}

/// The queue's end of the channels.
#[derive(Debug)]
pub struct Waiter {
    outcome: oneshot::Sender<Outcome>,
    /// The bytes that its request holds.
    pub bytes: usize,
    places: Option<watch::Sender<Option<Place>>>,
}

/// The caller's end of the outcome's channel.
pub type OutcomeReceiver = oneshot::Receiver<Outcome>;

impl Waiter {
    /// A waiter whose request holds so many bytes, and its caller's end.
    pub fn new(bytes: usize) -> (Self, OutcomeReceiver) {
        let (outcome, receiver) = oneshot::channel();
        let waiter = Self {
            outcome,
            bytes,
            places: None,
        };
        (waiter, receiver)
    }

    /// Ends the wait. The lock of the queue is held, so that a waiter who leaves is either told before that or not at all:
    /// whoever finds its end gone has taken it out of the queue before.
    pub fn end(self, outcome: Outcome) {
        // A waiter takes itself out of the queue before it drops its end.
        drop(self.outcome.send(outcome));
    }

    /// Follows its place, of which `first` is what is known now.
    pub fn watch(&mut self, first: Option<Place>) -> PlaceWatch {
        self.places
            .get_or_insert_with(|| watch::channel(first).0)
            .subscribe()
    }

    /// Whether anybody follows its place.
    pub fn is_watched(&self) -> bool {
        self.places
            .as_ref()
            .is_some_and(|places| places.receiver_count() > 0)
    }

    /// Announces a place, if it is news; returns the start that was estimated in the last announcement.
    pub fn announce(&self, place: Place) -> Option<Instant> {
        let places = self
            .places
            .as_ref()
            .filter(|places| places.receiver_count() > 0)?;
        places.send_if_modified(|last| {
            let news = last.is_none_or(|last| is_news(&last, &place));
            if news {
                *last = Some(place);
            }
            news
        });
        let announced = *places.borrow();
        announced.map(|place| place.at + place.wait)
    }
}

/// From this position on every step is announced.
const NEAR: usize = 2;

/// Whether a place is worth announcing after the last one, since when the one who waits has counted down: a
/// start that has moved by more than a fifth of the wait, or should have been by now; a step near the front; or half of
/// those gone who were before it. Each news wakes somebody, and three hundred may wait.
fn is_news(last: &Place, now: &Place) -> bool {
    let fifth = now.wait / 5;
    let (announced, start) = (last.at + last.wait, now.at + now.wait);
    let moved = start > announced + fifth || announced > start + fifth;
    let step = last.position != now.position
        && (now.position <= NEAR || now.position * 2 <= last.position);
    announced <= now.at || moved || step
}
