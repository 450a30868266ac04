//! The line of a process that is cut off from Redis: it goes on by itself, over its own slots.

use std::time::Duration;

use tokio::time::Instant;

use super::{
    script::TIMEOUT,
    state::{Mode, State, micros},
};
use crate::{
    ask::{ComeBack, Refusal},
    forecast::{self, Busy, Foreseen},
    lineup::Lineup,
    options::LineOptions,
    order::{Entry, EntryId, Micros, Order},
    view::{self, CallView, LineView, Scope, SlotView},
    waiter::{Told, Waiter},
};

/// How long nobody is refused for want of slots: most often Redis is back before.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long Redis takes this process for one that takes part after its last call; `line.lua` says so too.
const FRESH: Duration = Duration::from_secs(3);
/// The shortest and the longest pause before the next try to join.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(500));

/// The line of a process that is cut off.
#[derive(Debug)]
pub(super) struct Out {
    pub(super) order: Order,
    since: Instant,
    /// Since when own slots may be used.
    usable_from: Instant,
    /// Until then a join that was sent may yet be done, and what it told must stay true.
    joining_until: Option<Instant>,
    /// When to try to join.
    pub(super) next_try: Instant,
    pause: Duration,
}

/// Why a process is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// It has told Redis that it takes no part, and was told who has its slots.
    Apart,
    /// Calls fail, or Redis says that it takes no part any more. Its slots may have been lent out, and the news of that may
    /// be on their way.
    Sudden,
}

impl Out {
    pub(super) fn new(options: &LineOptions, now: Instant, usable_from: Instant) -> Self {
        Self {
            order: Order::new(micros(options.aging)),
            since: now,
            usable_from,
            joining_until: None,
            next_try: now,
            pause: PAUSES.0,
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
        self.pause = PAUSES.1.min(self.pause * 2);
    }

    /// Takes an entry out.
    pub(super) fn remove(&mut self, id: EntryId, now: Micros) {
        self.order.remove(id, now);
    }

    /// The channels are closed. Shortly after calls began to fail that means that Redis is gone.
    fn closed(&mut self, now: Instant) {
        if now.duration_since(self.since) < PATIENCE {
            self.usable_from = self.usable_from.min(now);
        }
    }
}

impl State {
    /// Redis is out of reach: the line goes on by itself.
    pub(super) fn cut_off(&mut self, cause: Cause, now: Instant) {
        match &mut self.mode {
            Mode::Gone => return,
            Mode::Out(out) => {
                if cause == Cause::Apart {
                    out.usable_from = out.usable_from.min(now);
                }
                return;
            }
            Mode::In { .. } => {}
        }
        let usable_from = match cause {
            Cause::Apart => now,
            Cause::Sudden => now + TIMEOUT + FRESH,
        };
        let mut out = Out::new(&self.options, now, usable_from);
        self.own.cut_off(now, self.options.slot_ttl);
        let clock = self.clock.micros(now);
        let mut superseded = Vec::new();
        let waiting = self
            .waiters
            .values()
            .map(|in_line| (&in_line.entry, in_line.spot));
        let held = self.held.values().map(|(entry, spot)| (entry, *spot));
        let mut entries: Vec<_> = held.chain(waiting).collect();
        // Held places and those that have been in line go first, so that a newer request takes over what is its owner's.
        entries
            .sort_by_key(|(entry, spot)| (entry.held_until.is_none(), spot.is_none(), entry.since));
        for (entry, spot) in entries {
            let older = out
                .order
                .of(&entry.owner)
                .map(|older| (older.id, older.band));
            match (older, spot) {
                (Some((older, band)), _) => {
                    if band == entry.band {
                        out.order.take_over(older, entry.clone(), clock);
                    } else {
                        out.order.remove(older, clock);
                        out.order.add(entry.clone(), clock);
                    }
                    superseded.push(older);
                }
                (None, Some((place, arrival))) => {
                    out.order.add_at(entry.clone(), place, arrival, clock)
                }
                (None, None) => out.order.add(entry.clone(), clock),
            }
        }
        self.mode = Mode::Out(Box::new(out));
        for id in superseded {
            self.held.remove(&id);
            self.end(id, Refusal::Superseded);
        }
        tracing::warn!(
            owned = self.options.slots / self.options.replicas,
            "the line is cut off from the other replicas and goes on with its own slots"
        );
    }

    /// The channels are closed.
    pub(super) fn closed(&mut self, now: Instant) {
        if let Mode::Out(out) = &mut self.mode {
            out.closed(now);
        }
    }

    /// Adds one who waits to the line of this process alone. Refused if there is no slot to be had in the time allowed.
    pub(super) fn enter_out(
        &mut self,
        entry: Entry,
        waiter: Waiter,
        room: bool,
        (allowed, came_back): (Duration, bool),
        now: Instant,
    ) -> Result<(), Refusal> {
        let clock = self.clock.micros(now);
        let Mode::Out(out) = &mut self.mode else {
            return Ok(());
        };
        out.order.expire(clock);
        let id = entry.id;
        let older = out
            .order
            .of(&entry.owner)
            .map(|older| (older.id, older.band));
        let room = room && (older.is_some() || out.order.len() < self.options.max_entries);
        let starts = out.order.present() == 0 && self.any_free(now);
        if !room && !starts {
            return Err(self.full(self.waiters.len()));
        }
        let Mode::Out(out) = &mut self.mode else {
            return Ok(());
        };
        match older {
            Some((older, band)) if band == entry.band => {
                out.order.take_over(older, entry.clone(), clock);
            }
            Some((older, _)) => {
                out.order.remove(older, clock);
                out.order.add(entry.clone(), clock);
            }
            None => out.order.add(entry.clone(), clock),
        }
        let patient = now.duration_since(out.since) < PATIENCE;
        if let Some((older, _)) = older {
            self.held.remove(&older);
            if let Some(in_line) = self.forget(older) {
                in_line.waiter.tell(Told::Refused(Refusal::Superseded));
            }
        }
        self.add(entry, waiter);
        self.dispatch(now);
        if !patient && self.waiters.contains_key(&id) {
            match self.foresee_one(id, now) {
                Some(foreseen) if foreseen.is_too_long(allowed, came_back) => {
                    self.refuse_out(id, Some(foreseen), allowed, now);
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
        let Mode::Out(out) = &self.mode else {
            return PAUSES.1;
        };
        let back = self
            .own
            .next_back(now)
            .filter(|_| self.own.free(now).next().is_none());
        let at = back.unwrap_or(out.next_try).max(out.usable_from);
        at.saturating_duration_since(now).max(PAUSES.1)
    }

    /// Refuses one who cannot start in time; its place is held if it is somebody's.
    pub(super) fn refuse_out(
        &mut self,
        id: EntryId,
        foreseen: Option<Foreseen>,
        allowed: Duration,
        now: Instant,
    ) {
        let refusing = self.refusing(foreseen, allowed);
        let Some(in_line) = self.waiters.get_mut(&id) else {
            return;
        };
        in_line.refusing = Some(refusing);
        if in_line.entry.owner.pupil.is_empty() || foreseen.is_none() {
            let after = refusing.after;
            return self.end(id, Refusal::TooLong(ComeBack { after, held: None }));
        }
        let clock = self.clock.micros(now);
        let span = micros(refusing.after).saturating_add(micros(self.options.place_grace));
        let until = clock.saturating_add(span);
        if let Mode::Out(out) = &mut self.mode {
            out.order.hold(id, until, clock);
        }
        self.held(id, until);
    }

    /// Whether an own slot may be used now.
    fn any_free(&self, now: Instant) -> bool {
        let usable = |out: &Out| now >= out.usable_from && !out.is_joining(now);
        matches!(&self.mode, Mode::Out(out) if usable(out))
            && self
                .own
                .free(now)
                .any(|slot| !self.calls.contains_key(&slot))
    }

    /// Gives free own slots to those who are next.
    pub(super) fn dispatch(&mut self, now: Instant) {
        let clock = self.clock.micros(now);
        let Mode::Out(out) = &mut self.mode else {
            return;
        };
        out.order.expire(clock);
        if now < out.usable_from || out.is_joining(now) {
            return;
        }
        let free: Vec<usize> = self
            .own
            .free(now)
            .filter(|slot| !self.calls.contains_key(slot))
            .collect();
        for slot in free {
            loop {
                let Mode::Out(out) = &mut self.mode else {
                    return;
                };
                let Some(entry) = out.order.start(clock) else {
                    return;
                };
                let Some(in_line) = self.forget(entry.id) else {
                    continue;
                };
                self.last_fence = clock.max(self.last_fence + 1);
                let expires = now + self.options.slot_ttl;
                let grant = self.occupy(entry, slot, self.last_fence, clock, expires, now);
                in_line.waiter.tell(Told::Granted(grant));
                break;
            }
        }
    }

    /// What is due at `now` while the process is by itself.
    pub(super) fn step_out(&mut self, now: Instant) {
        self.dispatch(now);
        self.expire_held(self.clock.micros(now));
        let Mode::Out(out) = &self.mode else {
            return;
        };
        if self.own.is_empty() && now.duration_since(out.since) >= PATIENCE {
            let retry_after = self.next_slot(now);
            let waiting: Vec<EntryId> = self.waiters.keys().copied().collect();
            for id in waiting {
                self.end(id, Refusal::NoSlot { retry_after });
            }
        }
    }

    /// When something is due while the process is by itself. It joins only if it listens.
    pub(super) fn next_step_out(&self, now: Instant, is_listening: bool) -> Option<Instant> {
        let Mode::Out(out) = &self.mode else {
            return None;
        };
        let later = |at: Instant| (at > now).then_some(at);
        let expiry = out.order.next_expiry().map(|at| self.clock.instant(at + 1));
        [
            is_listening.then_some(out.next_try),
            later(out.usable_from),
            later(out.since + PATIENCE),
            out.joining_until.and_then(later),
            self.own.next_back(now),
            expiry.and_then(later),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Foresees the start of one who waits.
    pub(super) fn foresee_one(&self, id: EntryId, now: Instant) -> Option<Foreseen> {
        let Mode::Out(out) = &self.mode else {
            return None;
        };
        let foreseen = self.foresee_out(&out.order.lineup(), now);
        foreseen.into_iter().find(|foreseen| foreseen.id == id)
    }

    /// Foresees the starts of all who wait in this process.
    pub(super) fn foresee_out(&self, lineup: &Lineup, now: Instant) -> Vec<Foreseen> {
        let slots: Vec<Busy> = self.slots_out(now).map(|(_, busy)| busy).collect();
        let clock = self.clock.micros(now);
        forecast::foresee(lineup, &slots, &self.times, self.options.aging, clock)
    }

    /// The own slots that may be used now, and since when a call runs in each.
    fn slots_out(&self, now: Instant) -> impl Iterator<Item = (usize, Busy)> {
        let usable = match &self.mode {
            Mode::Out(out) => now >= out.usable_from,
            Mode::In { .. } | Mode::Gone => false,
        };
        self.own.free(now).filter_map(move |slot| {
            let since = self.calls.get(&slot).map(|call| call.since);
            (usable || since.is_some()).then_some((slot, since))
        })
    }

    /// The line of this process alone, as it is shown.
    pub(super) fn view_out(&self, max: usize, now: Instant) -> LineView {
        let lineup = match &self.mode {
            Mode::Out(out) => out.order.lineup(),
            Mode::In { .. } | Mode::Gone => Lineup::default(),
        };
        let clock = self.clock.micros(now);
        let slots = self.slots_out(now).map(|(index, _)| SlotView {
            index,
            call: self.calls.get(&index).map(|call| CallView {
                class: call.owner.class.as_str().into(),
                purpose: call.owner.purpose.into(),
                running: Duration::from_micros(clock.saturating_sub(call.since)),
                replica: self.options.replica_index,
            }),
        });
        view::draw(view::Drawn {
            scope: Scope::CutOff,
            slots: slots.collect(),
            foreseen: &self.foresee_out(&lineup, now),
            lineup: &lineup,
            times: &self.times,
            max,
            now: clock,
        })
    }
}
