//! What a process knows of a shared line: its waiters, its calls, its own slots, and whether Redis is within reach.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    out::Out,
    own::OwnSlots,
    script::{Answer, Told},
};
use crate::{
    ask::{ComeBack, Held, Owner, Place, PlaceWatch, Refusal},
    forecast::{Foreseen, ServiceTimes},
    options::LineOptions,
    order::{Entry, EntryId, Micros},
    ticket::TicketKey,
    waiter::{Grant, Told as Ending, Waiter},
};

/// Who is told to come back is never told a time shorter than this.
const LEAST_AFTER: Duration = Duration::from_millis(10);

/// What a process knows of a shared line.
#[derive(Debug)]
pub(super) struct State {
    pub(super) options: LineOptions,
    pub(super) mode: Mode,
    pub(super) clock: Clock,
    pub(super) waiters: HashMap<EntryId, InLine>,
    /// The places that are held for those whom this process refused.
    pub(super) held: HashMap<EntryId, (Entry, Option<(u64, u64)>)>,
    /// What the waiting requests hold.
    bytes: usize,
    /// The calls that run, by their slots.
    pub(super) calls: HashMap<usize, Call>,
    pub(super) own: OwnSlots,
    pub(super) times: ServiceTimes,
    pub(super) key: TicketKey,
    pub(super) key_bytes: [u8; TicketKey::BYTES],
    /// The highest fence and tick that are known.
    pub(super) last_fence: u64,
    pub(super) last_tick: u64,
    /// When something was heard last.
    pub(super) heard: Instant,
    /// What Redis told of before this is over, as this process has joined again since.
    pub(super) joined_at: Micros,
    pub(super) version: watch::Sender<u64>,
    pub(super) changes: u64,
    pub(super) announcing: bool,
}

/// Whether Redis is within reach.
#[derive(Debug)]
pub(super) enum Mode {
    /// It is, and the process has joined this epoch.
    In { epoch: u64 },
    /// It is not, and the process goes on by itself.
    Out(Box<Out>),
    /// The process has left for good.
    Gone,
}

/// Redis' clock as this process knows it: at `at` it showed `micros` at the latest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    at: Instant,
    micros: Micros,
}

/// One who waits.
#[derive(Debug)]
pub(super) struct InLine {
    pub(super) entry: Entry,
    /// Its place and arrival, once they are known.
    pub(super) spot: Option<(u64, u64)>,
    /// Since when it is known to be in Redis.
    pub(super) confirmed: Option<Instant>,
    pub(super) waiter: Waiter,
    /// What it is told once its place is held.
    pub(super) refusing: Option<Refusing>,
}

/// What is told to who is refused: when to come back, and its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refusing {
    pub(super) after: Duration,
    pub(super) foreseen: Option<Foreseen>,
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

/// What is to be sent to Redis after the state was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ToDo {
    /// A slot that nobody here wants.
    Release {
        slot: usize,
        fence: u64,
        service_time: Option<Duration>,
    },
    /// An entry that nobody here waits for.
    Leave(EntryId),
}

impl Clock {
    /// It shows this now.
    pub(super) fn new(at: Instant, micros: Micros) -> Self {
        Self { at, micros }
    }

    /// What it shows at a time, or a moment less.
    pub(super) fn micros(&self, at: Instant) -> Micros {
        match at.checked_duration_since(self.at) {
            Some(since) => self.micros.saturating_add(micros(since)),
            None => self.micros.saturating_sub(micros(self.at - at)),
        }
    }

    /// When it shows this, or a moment before.
    pub(super) fn instant(&self, time: Micros) -> Instant {
        match time.checked_sub(self.micros) {
            Some(after) => self.at + Duration::from_micros(after),
            None => {
                let before = Duration::from_micros(self.micros - time);
                self.at.checked_sub(before).unwrap_or(self.at)
            }
        }
    }
}

impl State {
    /// A process that has not joined yet.
    pub(super) fn new(
        options: LineOptions,
        key_bytes: [u8; TicketKey::BYTES],
        clock: Clock,
        now: Instant,
    ) -> Self {
        let owned = (0..options.slots).filter(|slot| options.owns(*slot));
        Self {
            mode: Mode::Out(Box::new(Out::new(&options, now, now))),
            own: OwnSlots::unknown(owned, now + options.slot_ttl),
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

    /// The epoch that the process has joined.
    pub(super) fn epoch(&self) -> Option<u64> {
        match self.mode {
            Mode::In { epoch } => Some(epoch),
            Mode::Out(_) | Mode::Gone => None,
        }
    }

    /// Whether there is room for a request of so many bytes, be it in the place of an older one of the same owner.
    pub(super) fn has_room(&self, owner: &Owner, bytes: usize) -> bool {
        let mut freed = 0;
        if self.bytes.saturating_add(bytes) > self.options.max_bytes && !owner.pupil.is_empty() {
            let older = self
                .waiters
                .values()
                .find(|in_line| *in_line.entry.owner == *owner);
            freed = older.map_or(0, |in_line| in_line.waiter.bytes);
        }
        (self.bytes - freed).saturating_add(bytes) <= self.options.max_bytes
    }

    /// Notes one who waits.
    pub(super) fn add(&mut self, entry: Entry, waiter: Waiter) {
        self.bytes = self.bytes.saturating_add(waiter.bytes);
        let in_line = InLine {
            entry,
            spot: None,
            confirmed: None,
            waiter,
            refusing: None,
        };
        self.waiters.insert(in_line.entry.id, in_line);
    }

    /// Forgets one who waits, who is told nothing more.
    pub(super) fn forget(&mut self, id: EntryId) -> Option<InLine> {
        let in_line = self.waiters.remove(&id)?;
        self.bytes = self.bytes.saturating_sub(in_line.waiter.bytes);
        Some(in_line)
    }

    /// The refusal for want of room. There will be some when an eighth of the line has started.
    pub(super) fn full(&self, in_line: usize) -> Refusal {
        let starts = u32::try_from(in_line / 8 + 1).unwrap_or(u32::MAX);
        let slots = u32::try_from(self.options.slots).unwrap_or(u32::MAX).max(1);
        Refusal::Full {
            retry_after: self.times.mean() / slots * starts,
        }
    }

    /// Takes in what the script answered to what was sent at `sent`.
    pub(super) fn absorb(&mut self, answer: &Answer, sent: Instant, now: Instant) -> Vec<ToDo> {
        self.clock = Clock::new(sent, answer.now);
        self.heard = now;
        self.changes = answer.changes;
        self.version.send_if_modified(|version| {
            let other = *version != answer.version;
            *version = answer.version;
            other
        });
        answer
            .told
            .iter()
            .filter_map(|told| self.hear(told.clone(), now))
            .collect()
    }

    /// Takes in what was told.
    pub(super) fn hear(&mut self, told: Told, now: Instant) -> Option<ToDo> {
        self.heard = now;
        match told {
            Told::Run {
                id,
                slot,
                fence,
                at,
            } => return self.run(id, slot, fence, at, now),
            Told::Waiting { id, place, arrival } => {
                self.last_tick = self.last_tick.max(place).max(arrival);
                let Some(in_line) = self.waiters.get_mut(&id) else {
                    // A leave is on its way, but perhaps it came before the entry. One that runs has had its turn since.
                    let runs = self.calls.values().any(|call| call.id == id);
                    return (!runs).then_some(ToDo::Leave(id));
                };
                in_line.spot = Some((place, arrival));
                in_line.confirmed = Some(now);
            }
            Told::Superseded(id) => self.end(id, Refusal::Superseded),
            Told::Full { id, in_line } => {
                let full = self.full(in_line);
                self.end(id, full);
            }
            Told::Forget(id) => {
                self.held.remove(&id);
                if let Some(in_line) = self.waiters.get_mut(&id) {
                    // It is to be entered again.
                    in_line.confirmed = None;
                }
            }
            Told::Held { id, until } => self.held(id, until),
            Told::Lent {
                slot,
                fence,
                process,
                at,
            } => {
                self.last_fence = self.last_fence.max(fence);
                let until = self.clock.instant(at) + self.options.slot_ttl;
                self.own.lent(slot, process, fence, at, until.max(now));
            }
            Told::Back { slot, fence, at } => {
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
    ) -> Option<ToDo> {
        self.last_fence = self.last_fence.max(fence);
        if self
            .calls
            .get(&slot)
            .is_some_and(|call| call.fence == fence)
        {
            return None;
        }
        let release = Some(ToDo::Release {
            slot,
            fence,
            service_time: None,
        });
        let expires = self.clock.instant(at) + self.options.slot_ttl;
        let usable = match &self.mode {
            Mode::In { .. } => at >= self.joined_at,
            // A join tells which calls run, and ends the others.
            Mode::Out(out) => {
                // Besides, the slot may have been given to another one here meanwhile.
                let taken = self.calls.contains_key(&slot);
                at >= self.joined_at && !out.is_joining(now) && !taken
            }
            Mode::Gone => false,
        };
        if !usable || expires <= now {
            return release;
        }
        let Some(in_line) = self.forget(id) else {
            return release;
        };
        if let Mode::Out(out) = &mut self.mode {
            out.remove(id, at);
        }
        if self.own.has(slot) {
            self.own.back(slot, at);
        }
        self.moved_back(&in_line.entry, at);
        let grant = self.occupy(in_line.entry, slot, fence, at, expires, now);
        in_line.waiter.tell(Ending::Granted(grant));
        None
    }

    /// A pupil's others have a new place once one has started.
    fn moved_back(&mut self, started: &Entry, at: Micros) {
        if started.owner.pupil.is_empty() {
            return;
        }
        for in_line in self.waiters.values_mut() {
            let (one, other) = (&in_line.entry, started);
            if one.band == other.band
                && one.owner.pupil == other.owner.pupil
                && one.owner.class == other.owner.class
                && let Some((place, _)) = &mut in_line.spot
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
        if let Some(in_line) = self.forget(id) {
            if let Mode::Out(out) = &mut self.mode {
                out.remove(id, self.clock.micros(Instant::now()));
            }
            in_line.waiter.tell(Ending::Refused(refusal));
        }
    }

    /// What is told to who cannot start in time. It is to come back when half of the wait that it allows is left, so that it
    /// waits about that long then.
    pub(super) fn refusing(&self, foreseen: Option<Foreseen>, allowed: Duration) -> Refusing {
        let mean = self.times.mean();
        let expected = foreseen.map_or(mean, |foreseen| foreseen.expected);
        let least = (mean / 4).max(LEAST_AFTER);
        Refusing {
            after: expected.saturating_sub(allowed / 2).max(least),
            foreseen,
        }
    }

    /// The place of one who waits is held, and it is refused.
    pub(super) fn held(&mut self, id: EntryId, until: Micros) {
        let Some(mut in_line) = self.forget(id) else {
            return;
        };
        let after = in_line
            .refusing
            .map_or(LEAST_AFTER, |refusing| refusing.after);
        let foreseen = in_line.refusing.and_then(|refusing| refusing.foreseen);
        in_line.entry.held_until = Some(until);
        let ticket = self.key.issue(id, until, &in_line.entry.owner);
        self.held.insert(id, (in_line.entry, in_line.spot));
        in_line
            .waiter
            .tell(Ending::Refused(Refusal::TooLong(ComeBack {
                after,
                held: foreseen.map(|foreseen| Held {
                    ticket,
                    position: foreseen.position,
                    wait: foreseen.bound,
                }),
            })));
    }

    /// Ends the calls whose leases are over. One in an own slot goes on while the process is by itself.
    pub(super) fn end_leases(&mut self, now: Instant) {
        let out = matches!(self.mode, Mode::Out(_));
        for (slot, call) in &self.calls {
            if call.expires <= now && !(out && self.own.has(*slot)) {
                call.lost.cancel();
            }
        }
    }

    /// When the next of those leases is over.
    pub(super) fn next_lease_end(&self) -> Option<Instant> {
        let out = matches!(self.mode, Mode::Out(_));
        let calls = self.calls.iter();
        calls
            .filter(|(slot, call)| !(call.lost.is_cancelled() || out && self.own.has(**slot)))
            .map(|(_, call)| call.expires)
            .min()
    }

    /// Follows a waiter's place, and whether the task that announces places is to be started.
    pub(super) fn watch(&mut self, id: EntryId, first: Option<Place>) -> (PlaceWatch, bool) {
        let Some(in_line) = self.waiters.get_mut(&id) else {
            // It has been told already.
            return (watch::channel(first).1, false);
        };
        let start = !std::mem::replace(&mut self.announcing, true);
        (in_line.waiter.watch(first), start)
    }

    /// Forgets the held places that are over.
    pub(super) fn expire_held(&mut self, now: Micros) {
        self.held
            .retain(|_, (entry, _)| entry.held_until.is_some_and(|until| until >= now));
    }
}

/// A span in microseconds; one that is too long for it is for ever.
pub(super) fn micros(span: Duration) -> Micros {
    Micros::try_from(span.as_micros()).unwrap_or(Micros::MAX)
}
