//! What a process knows of a shared queue: its waiters, its calls, its own slots, and whether Redis is within reach.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    clock::Clock,
    detached::Detached,
    own_slots::OwnSlots,
    script::{Notice, Reply},
};
use crate::{
    forecast::{ServiceTimes, WaitEstimate},
    membership::Holding,
    options::QueueOptions,
    order::{Entry, EntryId, Micros},
    request::{HeldPlace, Owner, Place, PlaceWatch, Refusal, RetryHint},
    ticket::TicketKey,
    waiter::{Grant, Outcome, Waiter},
};

/// No retry hint is shorter than this.
const RETRY_AFTER_MIN: Duration = Duration::from_millis(10);

/// What a process knows of a shared queue.
#[derive(Debug)]
pub(super) struct State {
    pub(super) options: QueueOptions,
    pub(super) mode: Mode,
    pub(super) clock: Clock,
    pub(super) waiters: HashMap<EntryId, QueuedEntry>,
    /// The places that are held for those whom this process refused.
    pub(super) held: HashMap<EntryId, (Entry, Option<(u64, u64)>)>,
    /// What the waiting requests hold.
    bytes: usize,
    /// The calls that run, by their slots.
    pub(super) calls: HashMap<usize, Call>,
    /// Which slots are its own, but those of another process with the same index.
    pub(super) holding: Holding,
    pub(super) is_stranger: bool,
    /// Whether it has to join again, as another one of the replicas.
    pub(super) is_renumbered: bool,
    pub(super) own: OwnSlots,
    pub(super) times: ServiceTimes,
    pub(super) key: TicketKey,
    pub(super) key_bytes: [u8; TicketKey::BYTES],
    /// The highest fence and tick that are known.
    pub(super) last_fence: u64,
    pub(super) last_tick: u64,
    /// When the last reply or notice came.
    pub(super) heard: Instant,
    /// Notices of earlier times are void, as this process has joined again since.
    pub(super) joined_at: Micros,
    pub(super) version: watch::Sender<u64>,
    pub(super) changes: u64,
    pub(super) announcing: bool,
}

/// Whether Redis is within reach.
#[derive(Debug)]
pub(super) enum Mode {
    /// It is, and the process has joined this epoch.
    Joined { epoch: u64 },
    /// It is not, and the process goes on by itself.
    Detached(Box<Detached>),
    /// The process has left for good.
    Left,
}

/// A request that waits.
#[derive(Debug)]
pub(super) struct QueuedEntry {
    pub(super) entry: Entry,
    /// Its place and arrival, once they are known.
    pub(super) rank: Option<(u64, u64)>,
    /// Since when it is known to be in Redis.
    pub(super) confirmed: Option<Instant>,
    pub(super) waiter: Waiter,
    /// Its refusal, once its place is held.
    pub(super) pending_refusal: Option<PendingRefusal>,
}

/// The refusal of one who cannot start in time: the retry hint, and the estimate of its wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingRefusal {
    pub(super) after: Duration,
    pub(super) estimate: Option<WaitEstimate>,
}

/// A call that runs.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) fence: u64,
    pub(super) id: EntryId,
    pub(super) owner: Arc<Owner>,
    pub(super) since: Micros,
    /// When its lease ends, unless it is renewed.
    pub(super) expires: Instant,
    pub(super) known_since: Instant,
    pub(super) lost: CancellationToken,
}

/// What is to be sent to Redis after the state has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FollowUp {
    /// A slot that nobody here wants.
    Release {
        slot: usize,
        fence: u64,
        service_time: Option<Duration>,
    },
    /// An entry that nobody here waits for.
    Leave(EntryId),
}

impl State {
    /// A process that has not joined yet.
    pub(super) fn new(
        options: QueueOptions,
        holding: Holding,
        key_bytes: [u8; TicketKey::BYTES],
        clock: Clock,
        now: Instant,
    ) -> Self {
        let owned = (0..options.slots).filter(|slot| holding.owns(*slot));
        Self {
            mode: Mode::Detached(Box::new(Detached::new(&options, now, now))),
            own: OwnSlots::unknown(owned, now + options.slot_ttl),
            holding,
            is_stranger: false,
            is_renumbered: false,
            times: ServiceTimes::prior(options.service_time),
            key: TicketKey::new(&key_bytes),
            key_bytes,
            clock,
            waiters: HashMap::new(),
            held: HashMap::new(),
            bytes: 0,
            calls: HashMap::new(),
            last_fence: 0,
            last_tick: 0,
            heard: now,
            joined_at: 0,
            version: watch::Sender::new(0),
            changes: 0,
            announcing: false,
            options,
        }
    }

    /// Gives up the own slots that are not held any more; false, and nothing is done, while they may be in use unseen. Until
    /// it joins again, nothing is known of the others: replicas that have joined as other ones do not tell this one of them.
    pub(super) fn give_up_slots(&mut self, holding: &Holding, now: Instant) -> bool {
        if matches!(self.mode, Mode::Detached(_)) && !self.own.is_empty() {
            return false;
        }
        self.holding = holding.clone();
        self.own_unknown(now);
        self.own.freeze();
        true
    }

    /// Holds this from now on, and joins again so that the others know.
    pub(super) fn hold(&mut self, holding: Holding, now: Instant) {
        self.holding = holding;
        self.own_unknown(now);
        self.own.freeze();
        self.is_renumbered = matches!(self.mode, Mode::Joined { .. });
    }

    /// Whether another process that takes part has this one's index: then the slots are that one's.
    pub(super) fn be_stranger(&mut self, is_stranger: bool, now: Instant) {
        if self.is_stranger != is_stranger {
            self.is_stranger = is_stranger;
            self.own_unknown(now);
        }
    }

    /// Nothing is known of the own slots, but that whoever has one has it for a lease at most.
    fn own_unknown(&mut self, now: Instant) {
        let (holding, stranger) = (&self.holding, self.is_stranger);
        let owned = (0..self.options.slots).filter(|slot| !stranger && holding.owns(*slot));
        let own = OwnSlots::unknown(owned, now + self.options.slot_ttl);
        let was_frozen = std::mem::replace(&mut self.own, own).is_frozen();
        if was_frozen {
            self.own.freeze();
        }
    }

    /// The epoch that the process has joined.
    pub(super) fn epoch(&self) -> Option<u64> {
        match self.mode {
            Mode::Joined { epoch } => Some(epoch),
            Mode::Detached(_) | Mode::Left => None,
        }
    }

    /// Whether there is room for a request of so many bytes, be it in the place of an older one of the same owner.
    pub(super) fn has_room(&self, owner: &Owner, bytes: usize) -> bool {
        let mut freed = 0;
        if self.bytes.saturating_add(bytes) > self.options.max_bytes && !owner.student.is_empty() {
            let older = self
                .waiters
                .values()
                .find(|queued| *queued.entry.owner == *owner);
            freed = older.map_or(0, |queued| queued.waiter.bytes);
        }
        (self.bytes - freed).saturating_add(bytes) <= self.options.max_bytes
    }

    /// Adds one who waits.
    pub(super) fn add(&mut self, entry: Entry, waiter: Waiter) {
        self.bytes = self.bytes.saturating_add(waiter.bytes);
        let queued = QueuedEntry {
            entry,
            rank: None,
            confirmed: None,
            waiter,
            pending_refusal: None,
        };
        self.waiters.insert(queued.entry.id, queued);
    }

    /// Forgets one who waits, whose wait ends without an outcome unless the caller gives it one.
    pub(super) fn forget(&mut self, id: EntryId) -> Option<QueuedEntry> {
        let queued = self.waiters.remove(&id)?;
        self.bytes = self.bytes.saturating_sub(queued.waiter.bytes);
        Some(queued)
    }

    /// The refusal for want of room. There will be some when an eighth of the queue has started.
    pub(super) fn full(&self, queued: usize) -> Refusal {
        let starts = u32::try_from(queued / 8 + 1).unwrap_or(u32::MAX);
        let slots = u32::try_from(self.options.slots).unwrap_or(u32::MAX).max(1);
        Refusal::Full {
            retry_after: self.times.mean() / slots * starts,
        }
    }

    /// Applies the reply to what was sent at `sent`.
    pub(super) fn apply(&mut self, reply: &Reply, sent: Instant, now: Instant) -> Vec<FollowUp> {
        self.clock = Clock::new(sent, reply.now);
        self.heard = now;
        self.changes = reply.changes;
        self.version.send_if_modified(|version| {
            let other = *version != reply.version;
            *version = reply.version;
            other
        });
        reply
            .notices
            .iter()
            .filter_map(|notice| self.apply_notice(notice.clone(), now))
            .collect()
    }

    /// Applies a notice.
    pub(super) fn apply_notice(&mut self, notice: Notice, now: Instant) -> Option<FollowUp> {
        self.heard = now;
        match notice {
            Notice::Run {
                id,
                slot,
                fence,
                at,
            } => return self.run(id, slot, fence, at, now),
            Notice::Waiting { id, place, arrival } => {
                self.last_tick = self.last_tick.max(place).max(arrival);
                let Some(queued) = self.waiters.get_mut(&id) else {
                    // A leave is on its way, but perhaps it came before the entry. One that runs has started since.
                    let runs = self.calls.values().any(|call| call.id == id);
                    return (!runs).then_some(FollowUp::Leave(id));
                };
                queued.rank = Some((place, arrival));
                queued.confirmed = Some(now);
            }
            Notice::Superseded(id) => self.end(id, Refusal::Superseded),
            Notice::Full { id, queued } => {
                let full = self.full(queued);
                self.end(id, full);
            }
            Notice::Forget(id) => {
                self.held.remove(&id);
                if let Some(queued) = self.waiters.get_mut(&id) {
                    // It is to be entered again.
                    queued.confirmed = None;
                }
            }
            Notice::Held { id, until } => self.held(id, until),
            Notice::Lent {
                slot,
                fence,
                process,
                at,
            } => {
                self.last_fence = self.last_fence.max(fence);
                let until = self.clock.instant(at) + self.options.slot_ttl;
                self.own.lent(slot, process, fence, at, until.max(now));
            }
            Notice::Back { slot, fence, at } => {
                self.last_fence = self.last_fence.max(fence);
                self.own.back(slot, at);
            }
        }
        None
    }

    /// An entry has a slot.
    fn run(
        &mut self,
        id: EntryId,
        slot: usize,
        fence: u64,
        at: Micros,
        now: Instant,
    ) -> Option<FollowUp> {
        self.last_fence = self.last_fence.max(fence);
        if self
            .calls
            .get(&slot)
            .is_some_and(|call| call.fence == fence)
        {
            return None;
        }
        let release = Some(FollowUp::Release {
            slot,
            fence,
            service_time: None,
        });
        let expires = self.clock.instant(at) + self.options.slot_ttl;
        let usable = match &self.mode {
            Mode::Joined { .. } => at >= self.joined_at,
            // A join claims the calls that run, and ends the others.
            Mode::Detached(detached) => {
                // Besides, the slot may have been given to another one here meanwhile.
                let taken = self.calls.contains_key(&slot);
                at >= self.joined_at && !detached.is_joining(now) && !taken
            }
            Mode::Left => false,
        };
        if !usable || expires <= now {
            return release;
        }
        let Some(queued) = self.forget(id) else {
            return release;
        };
        if let Mode::Detached(detached) = &mut self.mode {
            detached.remove(id, at);
        }
        if self.own.has(slot) {
            self.own.back(slot, at);
        }
        self.moved_back(&queued.entry, at);
        let grant = self.occupy(queued.entry, slot, fence, at, expires, now);
        queued.waiter.end(Outcome::Granted(grant));
        None
    }

    /// A student's others have a new place once one has started.
    fn moved_back(&mut self, started: &Entry, at: Micros) {
        if started.owner.student.is_empty() {
            return;
        }
        for queued in self.waiters.values_mut() {
            let (one, other) = (&queued.entry, started);
            if one.band == other.band
                && one.owner.student == other.owner.student
                && one.owner.class == other.owner.class
                && let Some((place, _)) = &mut queued.rank
            {
                *place = (*place).max(at);
            }
        }
    }

    /// Notes a call.
    pub(super) fn occupy(
        &mut self,
        entry: Entry,
        slot: usize,
        fence: u64,
        since: Micros,
        expires: Instant,
        now: Instant,
    ) -> Grant {
        let lost = CancellationToken::new();
        let call = Call {
            fence,
            id: entry.id,
            owner: entry.owner,
            since,
            expires,
            known_since: now,
            lost: lost.clone(),
        };
        self.calls.insert(slot, call);
        Grant { slot, fence, lost }
    }

    /// Refuses one who waits.
    pub(super) fn end(&mut self, id: EntryId, refusal: Refusal) {
        if let Some(queued) = self.forget(id) {
            if let Mode::Detached(detached) = &mut self.mode {
                detached.remove(id, self.clock.micros(Instant::now()));
            }
            queued.waiter.end(Outcome::Refused(refusal));
        }
    }

    /// The refusal of one who cannot start in time. Its hint is to return when half of the wait that it allows is left, so
    /// that it waits about that long then.
    pub(super) fn pending_refusal(
        &self,
        estimate: Option<WaitEstimate>,
        allowed: Duration,
    ) -> PendingRefusal {
        let mean = self.times.mean();
        let expected = estimate.map_or(mean, |estimate| estimate.expected);
        let least = (mean / 4).max(RETRY_AFTER_MIN);
        PendingRefusal {
            after: expected.saturating_sub(allowed / 2).max(least),
            estimate,
        }
    }

    /// The place of one who waits is held, and it is refused.
    pub(super) fn held(&mut self, id: EntryId, until: Micros) {
        let Some(mut queued) = self.forget(id) else {
            return;
        };
        let after = queued
            .pending_refusal
            .map_or(RETRY_AFTER_MIN, |pending_refusal| pending_refusal.after);
        let estimate = queued
            .pending_refusal
            .and_then(|pending_refusal| pending_refusal.estimate);
        queued.entry.held_until = Some(until);
        let ticket = self.key.issue(id, until, &queued.entry.owner);
        self.held.insert(id, (queued.entry, queued.rank));
        queued
            .waiter
            .end(Outcome::Refused(Refusal::TooLong(RetryHint {
                after,
                held: estimate.map(|estimate| HeldPlace {
                    ticket,
                    position: estimate.position,
                    wait: estimate.bound,
                }),
            })));
    }

    /// Ends the calls whose leases are over. One in an own slot goes on while the process is by itself.
    pub(super) fn end_leases(&mut self, now: Instant) {
        let detached = matches!(self.mode, Mode::Detached(_));
        for (slot, call) in &self.calls {
            if call.expires <= now && !(detached && self.own.has(*slot)) {
                call.lost.cancel();
            }
        }
    }

    /// When the next of those leases is over.
    pub(super) fn next_lease_end(&self) -> Option<Instant> {
        let detached = matches!(self.mode, Mode::Detached(_));
        let calls = self.calls.iter();
        calls
            .filter(|(slot, call)| !(call.lost.is_cancelled() || detached && self.own.has(**slot)))
            .map(|(_, call)| call.expires)
            .min()
    }

    /// Follows a waiter's place, and whether the task that announces places is to be started.
    pub(super) fn watch(&mut self, id: EntryId, first: Option<Place>) -> (PlaceWatch, bool) {
        let Some(queued) = self.waiters.get_mut(&id) else {
            // Its wait is over.
            return (watch::channel(first).1, false);
        };
        let start = !std::mem::replace(&mut self.announcing, true);
        (queued.waiter.watch(first), start)
    }

    /// Forgets the held places that are over.
    pub(super) fn expire_held(&mut self, now: Micros) {
        self.held
            .retain(|_, (entry, _)| entry.held_until.is_some_and(|until| until >= now));
    }
}
