//! A request enters the queue, or is refused.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{
    SharedQueue,
    clock::micros,
    script::{self, Reply},
    state::Mode,
};
use crate::{
    forecast::WaitEstimate,
    order::{Entry, EntryId},
    queue::Entered,
    request::{Refusal, RetryHint, SlotRequest},
    waiter::{self, Outcome, Waiter},
};

impl SharedQueue {
    /// Enters a request, until the given time at the latest.
    pub(crate) async fn enter(
        &self,
        ask: SlotRequest,
        now: Instant,
        until: Instant,
    ) -> Result<Entered, Refusal> {
        let allowed = until.saturating_duration_since(now);
        let owner = Arc::new(ask.owner);
        let (waiter, answer) = Waiter::new(ask.bytes);
        let mut entering = Entering {
            queue: self,
            id: new_id(),
            answer: Some(answer),
        };
        let id = entering.id;
        let mut has_ticket = false;
        let sent = {
            let mut state = self.state();
            if let Some(ticket) = &ask.ticket {
                let clock = state.clock.micros(now);
                has_ticket = state.key.verify(ticket, &owner, clock);
            }
            let entry = Entry {
                id,
                weight: state.options.weight(&owner.class),
                band: ask.band,
                since: state.clock.micros(now),
                replica: state.options.replica_index,
                held_until: None,
                owner: Arc::clone(&owner),
            };
            let room = state.has_room(&owner, ask.bytes);
            match &state.mode {
                Mode::Joined { .. } => {
                    let arguments = script::entry(&entry, None, room).to_vec();
                    state.add(entry, waiter);
                    Some(arguments)
                }
                Mode::Detached(_) => {
                    state.enter_detached(entry, waiter, room, (allowed, has_ticket), now)?;
                    None
                }
                Mode::Left => {
                    return Err(Refusal::NoSlot {
                        retry_after: Duration::from_secs(1),
                    });
                }
            }
        };
        match sent {
            None => self.changed(),
            Some(arguments) => {
                let answered = self.call_to_the_end("enter", arguments).await;
                if let Some(entered) = entering.ended() {
                    return entered;
                }
                if let Some(answer) = answered
                    && !self.is_soon(&answer, allowed)
                {
                    self.refuse_if_late(id, allowed, has_ticket).await;
                }
            }
        }
        match entering.ended() {
            Some(entered) => entered,
            None => entering.queued(),
        }
    }

    /// Estimates the wait of one who waits; none while that cannot be known.
    pub(super) async fn estimate_one(&self, id: EntryId) -> Option<WaitEstimate> {
        let snapshot = self.snapshot(Instant::now()).await?;
        let aging = self.state().options.aging;
        snapshot
            .estimate_waits(aging)
            .into_iter()
            .find(|estimate| estimate.id == id)
    }

    /// Refuses one who waits if it cannot start in the time that it allows.
    async fn refuse_if_late(&self, id: EntryId, allowed: Duration, has_ticket: bool) {
        let estimate = self.estimate_one(id).await;
        if estimate.is_some_and(|estimate| estimate.is_too_long(allowed, has_ticket)) {
            self.refuse(id, estimate, allowed).await;
        }
    }

    /// Refuses one who waits, unless its wait has ended before. Its place is held if it is somebody's.
    pub(super) async fn refuse(
        &self,
        id: EntryId,
        estimate: Option<WaitEstimate>,
        allowed: Duration,
    ) {
        let hold = {
            let mut state = self.state();
            let pending_refusal = state.pending_refusal(estimate, allowed);
            let span =
                micros(pending_refusal.after).saturating_add(micros(state.options.place_grace));
            let Some(queued) = state.waiters.get_mut(&id) else {
                return;
            };
            queued.pending_refusal = Some(pending_refusal);
            let nobody = queued.entry.owner.student.is_empty() || estimate.is_none();
            match (&state.mode, nobody) {
                (Mode::Detached(_), _) => {
                    let now = Instant::now();
                    let estimate = state.estimate_one(id, now);
                    state.refuse_detached(id, estimate, allowed, now);
                    return;
                }
                (_, true) => {
                    let after = pending_refusal.after;
                    state.end(id, Refusal::TooLong(RetryHint { after, held: None }));
                    None
                }
                (_, false) => Some(vec![id.to_string(), span.to_string()]),
            }
        };
        match hold {
            None => {
                self.call("leave", vec![id.to_string()]).await;
            }
            Some(hold) => {
                self.call("hold", hold).await;
                // Redis did not hold it: it does not know it, or is out of reach since.
                let mut state = self.state();
                if let Some(queued) = state.waiters.get(&id) {
                    let after = queued
                        .pending_refusal
                        .map_or(Duration::ZERO, |pending_refusal| pending_refusal.after);
                    state.end(id, Refusal::TooLong(RetryHint { after, held: None }));
                }
            }
        }
    }

    /// Whether an entry starts within the time allowed even if all others in the queue start before it.
    fn is_soon(&self, answer: &Reply, allowed: Duration) -> bool {
        let [queued, mean] = answer.returned.as_slice() else {
            return false;
        };
        let mean = script::text(mean).and_then(|mean| mean.parse::<f64>().ok());
        let (Some(queued), Some(mean)) = (script::number(queued), mean) else {
            return false;
        };
        let slots = self.state().options.slots as u64;
        let at_most = Duration::from_micros(mean as u64)
            * u32::try_from(queued / slots + 2).unwrap_or(u32::MAX);
        at_most <= allowed
    }
}

/// A request that enters. If its caller goes before the outcome is known, it leaves the queue.
struct Entering<'a> {
    queue: &'a SharedQueue,
    id: EntryId,
    answer: Option<waiter::OutcomeReceiver>,
}

impl Entering<'_> {
    /// The outcome, once there is one.
    fn ended(&mut self) -> Option<Result<Entered, Refusal>> {
        let outcome = self.answer.as_mut()?.try_recv().ok()?;
        self.answer = None;
        Some(match outcome {
            Outcome::Granted(grant) => Ok(Entered::Granted(grant)),
            Outcome::Refused(refusal) => Err(refusal),
        })
    }

    /// It waits.
    fn queued(mut self) -> Result<Entered, Refusal> {
        let answer = self.answer.take().ok_or(Refusal::Superseded)?;
        Ok(Entered::Queued {
            id: self.id,
            answer,
            place: None,
        })
    }
}

impl Drop for Entering<'_> {
    fn drop(&mut self) {
        if let Some(answer) = &mut self.answer {
            self.queue.leave(self.id, answer);
        }
    }
}

/// An id that no other entry has in any process.
fn new_id() -> EntryId {
    let (_, id) = uuid::Uuid::new_v4().as_u64_pair();
    id
}
