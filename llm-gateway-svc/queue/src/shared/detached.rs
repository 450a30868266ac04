//! The queue of a process that is detached, Redis being out of reach: it goes on by itself, over its own slots.

use std::time::Duration;

use tokio::time::Instant;

use super::{
    clock::micros,
    script::TIMEOUT,
    state::{Mode, State},
};
use crate::{
    forecast::{self, Busy, WaitEstimate},
    options::QueueOptions,
    order::{Entry, EntryId, Micros, Order},
    request::{Refusal, RetryHint},
    snapshot::OrderSnapshot,
    view::{self, CallView, QueueView, Scope, SlotView},
    waiter::{Outcome, Waiter},
};

/// How long nobody is refused for want of slots: most often Redis is back before.
const GRACE: Duration = Duration::from_secs(1);
/// How long Redis takes this process for one that takes part after its last call; `queue.lua` says so too.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(3);
/// The shortest and the longest pause before the next try to join.
const REJOIN_PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(500));

/// The queue of a process that is detached.
#[derive(Debug)]
pub(super) struct Detached {
    pub(super) order: Order,
    since: Instant,
    /// Since when own slots may be used.
    usable_from: Instant,
    /// Until then a join that was sent may yet be done, and what it claimed must stay true.
    joining_until: Option<Instant>,
    /// When to try to join.
    pub(super) next_try: Instant,
    pause: Duration,
}

/// How a process came to be detached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DetachCause {
    /// It has said to Redis that it takes no part, and knows who has its slots.
    Announced,
    /// Calls fail, or Redis says that it takes no part any more. Its slots may have been lent out, and the notices of that
    /// may be on their way.
    Sudden,
    /// It has said to Redis that it takes no part, to join again at once as another one of the replicas.
    Renumbered,
}

impl Detached {
    pub(super) fn new(options: &QueueOptions, now: Instant, usable_from: Instant) -> Self {
        Self {
            order: Order::new(micros(options.aging)),
            since: now,
            usable_from,
            joining_until: None,
            next_try: now,
            pause: REJOIN_PAUSES.0,
        }
    }

    /// Whether a join that was sent may yet be done.
    pub(super) fn is_joining(&self, now: Instant) -> bool {
        self.joining_until.is_some_and(|until| now < until)
    }

    /// A join is sent that is not done later than this.
    pub(super) fn join_until(&mut self, until: Instant) {
        self.joining_until = Some(until);
    }

    /// No join was sent, or it was certainly not done.
    pub(super) fn not_joining(&mut self) {
        self.joining_until = None;
    }

    /// The next try comes after a pause, each time a longer one.
    pub(super) fn try_later(&mut self, now: Instant) {
        self.next_try = now + self.pause;
        self.pause = REJOIN_PAUSES.1.min(self.pause * 2);
    }

    /// Takes an entry out.
    pub(super) fn remove(&mut self, id: EntryId, now: Micros) {
        self.order.remove(id, now);
    }

    /// The channels are closed. Shortly after calls began to fail that means that Redis is gone.
    fn channels_closed(&mut self, now: Instant) {
        if now.duration_since(self.since) < GRACE {
            self.usable_from = self.usable_from.min(now);
        }
    }
}

impl State {
    /// Redis is out of reach: the queue goes on by itself.
    pub(super) fn detach(&mut self, cause: DetachCause, now: Instant) {
        match &mut self.mode {
            Mode::Left => return,
            Mode::Detached(detached) => {
                if cause == DetachCause::Announced {
                    detached.usable_from = detached.usable_from.min(now);
                }
                return;
            }
            Mode::Joined { .. } => {}
        }
        let usable_from = match cause {
            DetachCause::Announced | DetachCause::Renumbered => now,
            DetachCause::Sudden => now + TIMEOUT + HEARTBEAT_TIMEOUT,
        };
        let mut detached = Detached::new(&self.options, now, usable_from);
        self.own.detach(now, self.options.slot_ttl);
        let clock = self.clock.micros(now);
        let mut superseded = Vec::new();
        let waiting = self
            .waiters
            .values()
            .map(|queued| (&queued.entry, queued.rank));
        let held = self.held.values().map(|(entry, rank)| (entry, *rank));
        let mut entries: Vec<_> = held.chain(waiting).collect();
        // Held places and those that have been in the queue go first, so that a newer request takes over what is its owner's.
        entries
            .sort_by_key(|(entry, rank)| (entry.held_until.is_none(), rank.is_none(), entry.since));
        for (entry, rank) in entries {
            let older = detached
                .order
                .of(&entry.owner)
                .map(|older| (older.id, older.band));
            match (older, rank) {
                (Some((older, band)), _) => {
                    if band == entry.band {
                        detached.order.take_over(older, entry.clone(), clock);
                    } else {
                        detached.order.remove(older, clock);
                        detached.order.add(entry.clone(), clock);
                    }
                    superseded.push(older);
                }
                (None, Some((place, arrival))) => {
                    detached.order.add_at(entry.clone(), place, arrival, clock)
                }
                (None, None) => detached.order.add(entry.clone(), clock),
            }
        }
        self.mode = Mode::Detached(Box::new(detached));
        for id in superseded {
            self.held.remove(&id);
            self.end(id, Refusal::Superseded);
        }
        if cause == DetachCause::Renumbered {
            return;
        }
        tracing::warn!(
            owned = self.own.len(),
            "the queue is detached from the other replicas and goes on with its own slots"
        );
    }

    /// The channels are closed.
    pub(super) fn channels_closed(&mut self, now: Instant) {
        if let Mode::Detached(detached) = &mut self.mode {
            detached.channels_closed(now);
        }
    }

    /// Adds one who waits to the queue of this process alone. Refused if there is no slot to be had in the time allowed.
    pub(super) fn enter_detached(
        &mut self,
        entry: Entry,
        waiter: Waiter,
        room: bool,
        (allowed, has_ticket): (Duration, bool),
        now: Instant,
    ) -> Result<(), Refusal> {
        let clock = self.clock.micros(now);
        let Mode::Detached(detached) = &mut self.mode else {
            return Ok(());
        };
        detached.order.expire(clock);
        let id = entry.id;
        let older = detached
            .order
            .of(&entry.owner)
            .map(|older| (older.id, older.band));
        let room = room && (older.is_some() || detached.order.len() < self.options.max_entries);
        let starts = detached.order.present() == 0 && self.any_free(now);
        if !room && !starts {
            return Err(self.full(self.waiters.len()));
        }
        let Mode::Detached(detached) = &mut self.mode else {
            return Ok(());
        };
        match older {
            Some((older, band)) if band == entry.band => {
                detached.order.take_over(older, entry.clone(), clock);
            }
            Some((older, _)) => {
                detached.order.remove(older, clock);
                detached.order.add(entry.clone(), clock);
            }
            None => detached.order.add(entry.clone(), clock),
        }
        let in_grace = now.duration_since(detached.since) < GRACE;
        if let Some((older, _)) = older {
            self.held.remove(&older);
            if let Some(queued) = self.forget(older) {
                queued.waiter.end(Outcome::Refused(Refusal::Superseded));
            }
        }
        self.add(entry, waiter);
        self.dispatch(now);
        if !in_grace && self.waiters.contains_key(&id) {
            match self.estimate_one(id, now) {
                Some(estimate) if estimate.is_too_long(allowed, has_ticket) => {
                    self.refuse_detached(id, Some(estimate), allowed, now);
                }
                Some(_) => {}
                None => {
                    let retry_after = self.next_slot(now);
                    if self.own.is_empty() || retry_after > allowed {
                        self.end(id, Refusal::NoSlot { retry_after });
                    }
                }
            }
        }
        Ok(())
    }

    /// How long it takes until an own slot may be used, or Redis is asked again.
    fn next_slot(&self, now: Instant) -> Duration {
        let Mode::Detached(detached) = &self.mode else {
            return REJOIN_PAUSES.1;
        };
        let back = self
            .own
            .next_back(now)
            .filter(|_| self.own.free(now).next().is_none());
        let at = back.unwrap_or(detached.next_try).max(detached.usable_from);
        at.saturating_duration_since(now).max(REJOIN_PAUSES.1)
    }

    /// Refuses one who cannot start in time; its place is held if it is somebody's.
    pub(super) fn refuse_detached(
        &mut self,
        id: EntryId,
        estimate: Option<WaitEstimate>,
        allowed: Duration,
        now: Instant,
    ) {
        let pending_refusal = self.pending_refusal(estimate, allowed);
        let Some(queued) = self.waiters.get_mut(&id) else {
            return;
        };
        queued.pending_refusal = Some(pending_refusal);
        if queued.entry.owner.student.is_empty() || estimate.is_none() {
            let after = pending_refusal.after;
            return self.end(id, Refusal::TooLong(RetryHint { after, held: None }));
        }
        let clock = self.clock.micros(now);
        let span = micros(pending_refusal.after).saturating_add(micros(self.options.place_grace));
        let until = clock.saturating_add(span);
        if let Mode::Detached(detached) = &mut self.mode {
            detached.order.hold(id, until, clock);
        }
        self.held(id, until);
    }

    /// Whether an own slot may be used now.
    fn any_free(&self, now: Instant) -> bool {
        let usable = |detached: &Detached| now >= detached.usable_from && !detached.is_joining(now);
        matches!(&self.mode, Mode::Detached(detached) if usable(detached))
            && self
                .own
                .free(now)
                .any(|slot| !self.calls.contains_key(&slot))
    }

    /// Gives free own slots to those who are next.
    pub(super) fn dispatch(&mut self, now: Instant) {
        let clock = self.clock.micros(now);
        let Mode::Detached(detached) = &mut self.mode else {
            return;
        };
        detached.order.expire(clock);
        if now < detached.usable_from || detached.is_joining(now) {
            return;
        }
        let free: Vec<usize> = self
            .own
            .free(now)
            .filter(|slot| !self.calls.contains_key(slot))
            .collect();
        for slot in free {
            loop {
                let Mode::Detached(detached) = &mut self.mode else {
                    return;
                };
                let Some(entry) = detached.order.start(clock) else {
                    return;
                };
                let Some(queued) = self.forget(entry.id) else {
                    continue;
                };
                self.last_fence = clock.max(self.last_fence + 1);
                let expires = now + self.options.slot_ttl;
                let grant = self.occupy(entry, slot, self.last_fence, clock, expires, now);
                queued.waiter.end(Outcome::Granted(grant));
                break;
            }
        }
    }

    /// What is due at `now` while the process is by itself.
    pub(super) fn step_detached(&mut self, now: Instant) {
        self.dispatch(now);
        self.expire_held(self.clock.micros(now));
        let Mode::Detached(detached) = &self.mode else {
            return;
        };
        if self.own.is_empty() && now.duration_since(detached.since) >= GRACE {
            let retry_after = self.next_slot(now);
            let waiting: Vec<EntryId> = self.waiters.keys().copied().collect();
            for id in waiting {
                self.end(id, Refusal::NoSlot { retry_after });
            }
        }
    }

    /// When something is due while the process is by itself. It joins only if it listens.
    pub(super) fn next_detached_step(&self, now: Instant, is_listening: bool) -> Option<Instant> {
        let Mode::Detached(detached) = &self.mode else {
            return None;
        };
        let later = |at: Instant| (at > now).then_some(at);
        let expiry = detached
            .order
            .next_expiry()
            .map(|at| self.clock.instant(at + 1));
        [
            is_listening.then_some(detached.next_try),
            later(detached.usable_from),
            later(detached.since + GRACE),
            detached.joining_until.and_then(later),
            self.own.next_back(now),
            expiry.and_then(later),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Estimates the wait of one who waits.
    pub(super) fn estimate_one(&self, id: EntryId, now: Instant) -> Option<WaitEstimate> {
        let Mode::Detached(detached) = &self.mode else {
            return None;
        };
        let estimates = self.estimate_detached(&detached.order.snapshot(), now);
        estimates.into_iter().find(|estimate| estimate.id == id)
    }

    /// Estimates the waits of all who wait in this process.
    pub(super) fn estimate_detached(
        &self,
        snapshot: &OrderSnapshot,
        now: Instant,
    ) -> Vec<WaitEstimate> {
        let slots: Vec<Busy> = self.detached_slots(now).map(|(_, busy)| busy).collect();
        let clock = self.clock.micros(now);
        forecast::estimate_waits(snapshot, &slots, &self.times, self.options.aging, clock)
    }

    /// The own slots that may be used now, and since when a call runs in each.
    fn detached_slots(&self, now: Instant) -> impl Iterator<Item = (usize, Busy)> {
        let usable = match &self.mode {
            Mode::Detached(detached) => now >= detached.usable_from,
            Mode::Joined { .. } | Mode::Left => false,
        };
        self.own.free(now).filter_map(move |slot| {
            let since = self.calls.get(&slot).map(|call| call.since);
            (usable || since.is_some()).then_some((slot, since))
        })
    }

    /// The queue of this process alone, as it is shown.
    pub(super) fn view_detached(&self, max: usize, now: Instant) -> QueueView {
        let snapshot = match &self.mode {
            Mode::Detached(detached) => detached.order.snapshot(),
            Mode::Joined { .. } | Mode::Left => OrderSnapshot::default(),
        };
        let clock = self.clock.micros(now);
        let slots = self.detached_slots(now).map(|(index, _)| SlotView {
            index,
            call: self.calls.get(&index).map(|call| CallView {
                class: call.owner.class.as_str().into(),
                purpose: call.owner.purpose.into(),
                running: Duration::from_micros(clock.saturating_sub(call.since)),
                replica: self.options.replica_index,
            }),
        });
        view::build(view::ViewInput {
            scope: Scope::Detached,
            slots: slots.collect(),
            estimates: &self.estimate_detached(&snapshot, now),
            snapshot: &snapshot,
            times: &self.times,
            max,
            now: clock,
        })
    }
}
