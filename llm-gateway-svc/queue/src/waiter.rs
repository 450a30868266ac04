//! One who waits: how it is told of its slot and of its place.

use tokio::{
    sync::{oneshot, watch},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use crate::ask::{Place, PlaceWatch, Refusal};

/// What ends a wait.
#[derive(Debug)]
pub enum Told {
    /// A slot.
    Granted(Grant),
    /// There will be none.
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

/// The line's end of a wait.
#[derive(Debug)]
pub struct Waiter {
    told: oneshot::Sender<Told>,
    /// The bytes that its request holds.
    pub bytes: usize,
    places: Option<watch::Sender<Option<Place>>>,
}

/// The waiter's end of a wait.
pub type Answer = oneshot::Receiver<Told>;

impl Waiter {
    /// One whose request holds so many bytes, and its other end.
    pub fn new(bytes: usize) -> (Self, Answer) {
        let (told, answer) = oneshot::channel();
        let waiter = Self {
            told,
            bytes,
            places: None,
        };
        (waiter, answer)
    }

    /// Ends the wait. The lock of the line is held, so that a waiter who leaves is either told before or not at all:
    /// whoever finds its end gone has taken it out of the line before.
    pub fn tell(self, told: Told) {
        // A waiter takes itself out of the line before it drops its end.
        drop(self.told.send(told));
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

    /// Tells of a place, if it is news; returns when the start was foreseen that was last told.
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
        let told = *places.borrow();
        told.map(|told| told.at + told.wait)
    }
}

/// Who is so near to the front is told of every step.
const NEAR: usize = 2;

/// Whether a place is worth telling after the one that was last told, since when the one who waits has counted down: a
/// start that has moved by more than a fifth of the wait, or should have been by now; a step near the front; or half of
/// those gone who were before it. Each news wakes somebody, and three hundred may wait.
fn is_news(last: &Place, now: &Place) -> bool {
    let fifth = now.wait / 5;
    let (told, start) = (last.at + last.wait, now.at + now.wait);
    let moved = start > told + fifth || told > start + fifth;
    let step = last.position != now.position
        && (now.position <= NEAR || now.position * 2 <= last.position);
    told <= now.at || moved || step
}
