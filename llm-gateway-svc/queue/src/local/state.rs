//! The state of a queue of one process, and what happens to it.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::slots::Slots;
use crate::{
    forecast::{self, ServiceTimes, WaitEstimate},
    options::QueueOptions,
    order::{Entry, EntryId, Micros, Order},
    queue::Entered,
    request::{HeldPlace, Owner, Place, PlaceWatch, Refusal, RetryHint, SlotRequest},
    snapshot::OrderSnapshot,
    ticket::TicketKey,
    view::{self, QueueView, Scope},
    waiter::{Grant, Outcome, Waiter},
};

/// No retry hint is shorter than this.
const RETRY_AFTER_MIN: Duration = Duration::from_millis(10);

/// The state of a queue.
#[derive(Debug)]
pub(super) struct State {
    options: QueueOptions,
    /// The zero of the queue's clock.
    origin: Instant,
    order: Order,
    slots: Slots,
    waiters: HashMap<EntryId, Waiter>,
    /// What the waiting requests hold.
    bytes: usize,
    times: ServiceTimes,
    key: TicketKey,
    last_id: EntryId,
    /// Never cancelled: a slot of this process cannot be lost.
    never: CancellationToken,
    /// Whether there is a task that announces places.
    announcing: bool,
}

/// That places were announced.
pub(super) struct Announced {
    /// When they are to be announced again even if nothing happens before: a held place has expired, or a start is overdue by
    /// what was announced.
    pub(super) again_at: Option<Instant>,
}

impl State {
    /// An empty queue.
    pub(super) fn new(options: QueueOptions, now: Instant) -> Self {
        Self {
            origin: now,
            order: Order::new(micros(options.aging)),
            slots: Slots::new((0..options.slots).filter(|slot| options.owns(*slot))),
            waiters: HashMap::new(),
            bytes: 0,
            times: ServiceTimes::prior(options.service_time),
            key: TicketKey::new(&TicketKey::random_bytes()),
            last_id: 0,
            never: CancellationToken::new(),
            announcing: false,
            options,
        }
    }

    /// Joins the queue, until the given time at the latest.
    pub(super) fn enter(
        &mut self,
        ask: SlotRequest,
        now: Instant,
        until: Instant,
    ) -> Result<Entered, Refusal> {
        let clock = self.micros(now);
        let owner = Arc::new(ask.owner);
        if self.order.is_empty() && self.slots.any_free() {
            // Nobody is in the queue, so there is nothing that the order would have to remember.
            if let Some(grant) = self.grant(owner, clock) {
                return Ok(Entered::Granted(grant));
            }
            return Err(self.full());
        }
        if self.slots.is_empty() {
            return Err(Refusal::NoSlot {
                retry_after: self.options.slot_ttl,
            });
        }
        self.order.expire(clock);
        let ticket = ask.ticket.as_deref();
        let has_ticket = ticket.is_some_and(|t| self.key.verify(t, &owner, clock));
        let older = self.order.of(&owner).map(|entry| entry.id);
        let starts = self.slots.any_free() && self.order.present() == 0;
        if !starts && !self.has_room(older, ask.bytes) {
            return Err(self.full());
        }
        self.last_id += 1;
        let id = self.last_id;
        let (waiter, mut answer) = Waiter::new(ask.bytes);
        let entry = Entry {
            id,
            weight: self.options.weight(&owner.class),
            owner,
            band: ask.band,
            since: clock,
            replica: self.options.replica_index,
            held_until: None,
        };
        self.insert(older, entry, clock);
        self.bytes += waiter.bytes;
        self.waiters.insert(id, waiter);
        self.dispatch(clock);
        if let Ok(Outcome::Granted(grant)) = answer.try_recv() {
            return Ok(Entered::Granted(grant));
        }
        let estimate = self.estimate_one(id, clock);
        let allowed = until.saturating_duration_since(now);
        if estimate.is_some_and(|estimate| estimate.is_too_long(allowed, has_ticket)) {
            return Err(self.refuse(id, estimate, allowed, clock));
        }
        Ok(Entered::Queued {
            id,
            answer,
            place: estimate.map(|estimate| place(&estimate, now)),
        })
    }

    /// Takes a waiter out who has gone.
    pub(super) fn leave(&mut self, id: EntryId, now: Instant) {
        let clock = self.micros(now);
        self.forget(id);
        self.order.remove(id, clock);
    }

    /// Refuses a waiter whose time is over, unless its wait has ended by now.
    pub(super) fn give_up(&mut self, id: EntryId, allowed: Duration, now: Instant) {
        let clock = self.micros(now);
        let estimate = self.estimate_one(id, clock);
        if let Some(waiter) = self.forget(id) {
            let refusal = self.refuse(id, estimate, allowed, clock);
            waiter.end(Outcome::Refused(refusal));
        }
    }

    /// Frees a slot, and gives it to who is next.
    pub(super) fn release(&mut self, grant: &Grant, service_time: Option<Duration>, now: Instant) {
        if let Some(service_time) = service_time {
            self.times.record(service_time);
        }
        self.slots.free(grant.slot, grant.fence);
        if !self.order.is_empty() {
            let clock = self.micros(now);
            self.order.expire(clock);
            self.dispatch(clock);
        }
    }

    /// Follows a waiter's place, and whether the task that announces places is to be started.
    pub(super) fn watch(&mut self, id: EntryId, first: Option<Place>) -> (PlaceWatch, bool) {
        let Some(waiter) = self.waiters.get_mut(&id) else {
            // Its wait is over.
            return (tokio::sync::watch::channel(first).1, false);
        };
        let start = !std::mem::replace(&mut self.announcing, true);
        (waiter.watch(first), start)
    }

    /// Tells those who follow their places; none if nobody does.
    pub(super) fn announce(&mut self, now: Instant) -> Option<Announced> {
        if !self.waiters.values().any(Waiter::is_watched) {
            self.announcing = false;
            return None;
        }
        let clock = self.micros(now);
        self.order.expire(clock);
        let mut again_at = self
            .order
            .next_expiry()
            .map(|at| self.origin + Duration::from_micros(at + 1));
        for estimate in self.estimate_waits(&self.order.snapshot(), clock) {
            let waiter = self.waiters.get(&estimate.id);
            if let Some(start) = waiter.and_then(|waiter| waiter.announce(place(&estimate, now))) {
                again_at = Some(again_at.map_or(start, |at| at.min(start)));
            }
        }
        Some(Announced { again_at })
    }

    /// The queue as it is shown.
    pub(super) fn view(&mut self, max: usize, now: Instant) -> QueueView {
        let clock = self.micros(now);
        self.order.expire(clock);
        let snapshot = self.order.snapshot();
        let estimate = self.estimate_waits(&snapshot, clock);
        view::build(view::ViewInput {
            scope: Scope::Process,
            slots: self.slots.view(self.options.replica_index, clock),
            snapshot: &snapshot,
            estimates: &estimate,
            times: &self.times,
            max,
            now: clock,
        })
    }

    /// Whether a newcomer finds room, be it in the place of an older entry.
    fn has_room(&self, older: Option<EntryId>, bytes: usize) -> bool {
        let freed = older
            .and_then(|id| self.waiters.get(&id))
            .map_or(0, |waiter| waiter.bytes);
        (older.is_some() || self.order.len() < self.options.max_entries)
            && (self.bytes - freed).saturating_add(bytes) <= self.options.max_bytes
    }

    /// The refusal for want of room. There will be some when an eighth of the queue has started.
    fn full(&self) -> Refusal {
        let starts = self.order.len() / 8 + 1;
        let each = self.times.mean() / u32::try_from(self.slots.len()).unwrap_or(u32::MAX).max(1);
        Refusal::Full {
            retry_after: each * u32::try_from(starts).unwrap_or(u32::MAX),
        }
    }

    /// Puts an entry into the order, in the place of an older one if it is of the same band.
    fn insert(&mut self, older: Option<EntryId>, entry: Entry, clock: Micros) {
        let Some(older) = older else {
            return self.order.add(entry, clock);
        };
        if self
            .order
            .get(older)
            .is_some_and(|older| older.band == entry.band)
        {
            self.order.take_over(older, entry, clock);
        } else {
            self.order.remove(older, clock);
            self.order.add(entry, clock);
        }
        if let Some(waiter) = self.forget(older) {
            waiter.end(Outcome::Refused(Refusal::Superseded));
        }
    }

    /// Gives free slots to those who are next.
    fn dispatch(&mut self, clock: Micros) {
        while self.slots.any_free()
            && let Some(entry) = self.order.start(clock)
        {
            let Some(waiter) = self.forget(entry.id) else {
                continue;
            };
            if let Some(grant) = self.grant(entry.owner, clock) {
                waiter.end(Outcome::Granted(grant));
            }
        }
    }

    fn grant(&mut self, owner: Arc<Owner>, clock: Micros) -> Option<Grant> {
        let (slot, fence) = self.slots.take(owner, clock)?;
        Some(Grant {
            slot,
            fence,
            lost: self.never.clone(),
        })
    }

    /// Refuses an entry that cannot start in time. Its place is held if it is somebody's.
    ///
    /// Its hint is to return when half of the wait that it allows is left, so that it waits about that long then.
    fn refuse(
        &mut self,
        id: EntryId,
        estimate: Option<WaitEstimate>,
        allowed: Duration,
        clock: Micros,
    ) -> Refusal {
        self.forget(id);
        let expected = estimate.map_or(self.times.mean(), |estimate| estimate.expected);
        let least = (self.times.mean() / 4).max(RETRY_AFTER_MIN);
        let after = expected.saturating_sub(allowed / 2).max(least);
        let until = clock
            .saturating_add(micros(after))
            .saturating_add(micros(self.options.place_grace));
        let owner = self.order.get(id).map(|entry| Arc::clone(&entry.owner));
        let held = match (owner, estimate) {
            (Some(owner), Some(estimate)) if !owner.student.is_empty() => {
                self.order.hold(id, until, clock);
                Some(HeldPlace {
                    ticket: self.key.issue(id, until, &owner),
                    position: estimate.position,
                    wait: estimate.bound,
                })
            }
            _ => {
                self.order.remove(id, clock);
                None
            }
        };
        Refusal::TooLong(RetryHint { after, held })
    }

    /// Forgets a waiter, whose wait ends without an outcome unless the caller gives it one.
    fn forget(&mut self, id: EntryId) -> Option<Waiter> {
        let waiter = self.waiters.remove(&id)?;
        self.bytes -= waiter.bytes;
        Some(waiter)
    }

    fn estimate_one(&self, id: EntryId, clock: Micros) -> Option<WaitEstimate> {
        self.estimate_waits(&self.order.snapshot(), clock)
            .into_iter()
            .find(|estimate| estimate.id == id)
    }

    fn estimate_waits(&self, snapshot: &OrderSnapshot, clock: Micros) -> Vec<WaitEstimate> {
        forecast::estimate_waits(
            snapshot,
            &self.slots.busy(),
            &self.times,
            self.options.aging,
            clock,
        )
    }

    /// A time on the queue's clock.
    fn micros(&self, at: Instant) -> Micros {
        micros(at.saturating_duration_since(self.origin))
    }
}

/// A place as it is announced.
fn place(estimate: &WaitEstimate, at: Instant) -> Place {
    Place {
        position: estimate.position,
        wait: estimate.bound,
        at,
    }
}

/// A span in microseconds; one that is too long for it is for ever.
fn micros(span: Duration) -> Micros {
    Micros::try_from(span.as_micros()).unwrap_or(Micros::MAX)
}
