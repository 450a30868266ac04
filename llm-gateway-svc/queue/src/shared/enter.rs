//! Getting into line, and being refused.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{
    Shared,
    script::{self, Answer},
    state::{Mode, micros},
};
use crate::{
    ask::{Ask, ComeBack, Refusal},
    forecast::Foreseen,
    line::Entered,
    order::{Entry, EntryId},
    waiter::{self, Told, Waiter},
};

impl Shared {
    /// Gets into line, until the given time at the latest.
    pub(crate) async fn enter(
        &self,
        ask: Ask,
        now: Instant,
        until: Instant,
    ) -> Result<Entered, Refusal> {
        let allowed = until.saturating_duration_since(now);
        let owner = Arc::new(ask.owner);
        let (waiter, answer) = Waiter::new(ask.bytes);
        let mut entering = Entering {
            line: self,
            id: new_id(),
            answer: Some(answer),
        };
        let id = entering.id;
        let mut came_back = false;
        let sent = {
            let mut state = self.state();
            if let Some(ticket) = &ask.ticket {
                let clock = state.clock.micros(now);
                came_back = state.key.verify(ticket, &owner, clock);
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
                Mode::In { .. } => {
                    let arguments = script::entry(&entry, None, room).to_vec();
                    state.add(entry, waiter);
                    Some(arguments)
                }
                Mode::Out(_) => {
                    state.enter_out(entry, waiter, room, (allowed, came_back), now)?;
                    None
                }
                Mode::Gone => {
                    return Err(Refusal::NoSlot {
                        retry_after: Duration::from_secs(1),
                    });
                }
            }
        };
        match sent {
            None => self.changed(),
            Some(arguments) => {
                let answered = self.tell("enter", arguments).await;
                if let Some(entered) = entering.ended() {
                    return entered;
                }
                if let Some(answer) = answered
                    && !self.is_soon(&answer, allowed)
                {
                    self.refuse_if_late(id, allowed, came_back).await;
                }
            }
        }
        match entering.ended() {
            Some(entered) => entered,
            None => entering.in_line(),
        }
    }

    /// Foresees the start of one who waits; none while that cannot be told.
    pub(super) async fn foresee(&self, id: EntryId) -> Option<Foreseen> {
        let picture = self.picture(Instant::now()).await?;
        let aging = self.state().options.aging;
        picture
            .foresee(aging)
            .into_iter()
            .find(|foreseen| foreseen.id == id)
    }

    /// Refuses one who waits if it cannot start in the time that it allows.
    async fn refuse_if_late(&self, id: EntryId, allowed: Duration, came_back: bool) {
        let foreseen = self.foresee(id).await;
        if foreseen.is_some_and(|foreseen| foreseen.is_too_long(allowed, came_back)) {
            self.refuse(id, foreseen, allowed).await;
        }
    }

    /// Refuses one who waits, unless it is told something else before. Its place is held if it is somebody's.
    pub(super) async fn refuse(&self, id: EntryId, foreseen: Option<Foreseen>, allowed: Duration) {
        let hold = {
            let mut state = self.state();
            let refusing = state.refusing(foreseen, allowed);
            let span = micros(refusing.after).saturating_add(micros(state.options.place_grace));
            let Some(in_line) = state.waiters.get_mut(&id) else {
                return;
            };
            in_line.refusing = Some(refusing);
            let nobody = in_line.entry.owner.pupil.is_empty() || foreseen.is_none();
            match (&state.mode, nobody) {
                (Mode::Out(_), _) => {
                    let now = Instant::now();
                    let foreseen = state.foresee_one(id, now);
                    state.refuse_out(id, foreseen, allowed, now);
                    return;
                }
                (_, true) => {
                    let after = refusing.after;
                    state.end(id, Refusal::TooLong(ComeBack { after, held: None }));
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
                if let Some(in_line) = state.waiters.get(&id) {
                    let after = in_line
                        .refusing
                        .map_or(Duration::ZERO, |refusing| refusing.after);
                    state.end(id, Refusal::TooLong(ComeBack { after, held: None }));
                }
            }
        }
    }

    /// Whether an entry starts within the time allowed even if all others in line start before it.
    fn is_soon(&self, answer: &Answer, allowed: Duration) -> bool {
        let [in_line, mean] = answer.returned.as_slice() else {
            return false;
        };
        let mean = script::text(mean).and_then(|mean| mean.parse::<f64>().ok());
        let (Some(in_line), Some(mean)) = (script::number(in_line), mean) else {
            return false;
        };
        let slots = self.state().options.slots as u64;
        let at_most = Duration::from_micros(mean as u64)
            * u32::try_from(in_line / slots + 2).unwrap_or(u32::MAX);
        at_most <= allowed
    }
}

/// One who enters. If it goes before it knows what came of it, it leaves the line.
struct Entering<'a> {
    line: &'a Shared,
    id: EntryId,
    answer: Option<waiter::Answer>,
}

impl Entering<'_> {
    /// What came of it, if something did.
    fn ended(&mut self) -> Option<Result<Entered, Refusal>> {
        let told = self.answer.as_mut()?.try_recv().ok()?;
        self.answer = None;
        Some(match told {
            Told::Granted(grant) => Ok(Entered::Granted(grant)),
            Told::Refused(refusal) => Err(refusal),
        })
    }

    /// It waits.
    fn in_line(mut self) -> Result<Entered, Refusal> {
        let answer = self.answer.take().ok_or(Refusal::Superseded)?;
        Ok(Entered::InLine {
            id: self.id,
            answer,
            place: None,
        })
    }
}

impl Drop for Entering<'_> {
    fn drop(&mut self) {
        if let Some(answer) = &mut self.answer {
            self.line.leave(self.id, answer);
        }
    }
}

/// A name that no other entry has in any process.
fn new_id() -> EntryId {
    let (_, id) = uuid::Uuid::new_v4().as_u64_pair();
    id
}
