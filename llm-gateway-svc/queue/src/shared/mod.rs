//! The line that replicas share through Redis.
//!
//! Redis keeps the line and the slots, in one script (`line.lua` and its parts), where the order of starts is the same as in
//! [`crate::order`]. Each process keeps what it needs to go on without Redis: its waiters with their places, its calls, and
//! what it knows of its own slots.
//!
//! | module | is about |
//! | --- | --- |
//! | `script` | calls of the script, and what it answers and tells |
//! | `enter` | getting into line, and being refused |
//! | `state` | what a process knows: its waiters, its calls, its own slots |
//! | `own` | its own slots: who has them |
//! | `out` | the line of a process that is cut off from Redis |
//! | `keep` | the task of a line: heartbeats and news |
//! | `join` | joining: telling what is known |
//! | `learn` | what a tick brings to light |
//! | `picture` | the whole line as Redis keeps it |
//! | `announce` | the task that announces places while somebody follows one |
//! | `tokens` | hashes that stand for names in Redis |
//!
//! **Never more calls than slots.** A slot is given out by the script alone, as a lease with a fence, or by the replica
//! that it belongs to while that is cut off. The script gives out a slot only while its home takes part, so that it hears of
//! it, or is certainly dead. Whoever was cut off tells which calls it runs before it takes part again, and so does everybody
//! once Redis may have lost something. There are two exceptions: a stopped process may finish a call past its lease, and a
//! replica that alone is cut off may use its own slots beside those who still see Redis.

mod announce;
mod enter;
mod join;
mod keep;
mod learn;
mod out;
mod own;
mod picture;
mod script;
mod state;
mod tokens;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use tokio::{
    runtime::Handle,
    sync::{Notify, watch},
    time::Instant,
};
use turnwise_kit::{Kit, TaskTracker};
use turnwise_redis::{Failure, Redis};

use self::{
    out::Cause,
    picture::Picture,
    script::{Answer, Caller, Status},
    state::{Clock, Mode, State, ToDo, micros},
};
use crate::{
    ask::{Place, PlaceWatch},
    options::LineOptions,
    order::EntryId,
    ticket::TicketKey,
    view::LineView,
    waiter::{self, Grant, Told},
};

/// A process's end of a shared line.
pub(crate) struct Shared {
    /// Itself, for what goes on when a caller has gone.
    me: Weak<Self>,
    state: Mutex<State>,
    caller: Caller,
    /// The last picture and when it was asked for; held while one is fetched.
    picture: tokio::sync::Mutex<Option<(Instant, Arc<Picture>)>>,
    /// Wakes the line's task.
    wake: Arc<Notify>,
    /// Somebody new follows a place.
    newcomers: Arc<Notify>,
    changes: watch::Sender<()>,
    tasks: TaskTracker,
    runtime: Handle,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("process", &self.caller.process)
            .finish_non_exhaustive()
    }
}

impl Shared {
    /// The line of this name. Its task runs until the kit shuts down and its last call has ended.
    pub(crate) fn open(options: LineOptions, redis: Redis, name: &str, kit: &Kit) -> Arc<Self> {
        let now = Instant::now();
        let unix = u64::try_from(kit.clock.now().as_microsecond()).unwrap_or(0);
        let caller = Caller::new(redis, name, options.replica_index);
        let key = TicketKey::random_bytes();
        let shared = Arc::new_cyclic(|me| Self {
            me: Weak::clone(me),
            state: Mutex::new(State::new(options, key, Clock::new(now, unix), now)),
            caller,
            picture: tokio::sync::Mutex::default(),
            wake: Arc::default(),
            newcomers: Arc::default(),
            changes: watch::Sender::new(()),
            tasks: kit.tasks.clone(),
            runtime: Handle::current(),
        });
        kit.tasks
            .spawn(keep::run(Arc::downgrade(&shared), kit.shutdown.clone()));
        shared
    }

    /// Takes a waiter out who has gone, with the slot that it may have been given meanwhile.
    pub(crate) fn leave(&self, id: EntryId, answer: &mut waiter::Answer) {
        let mut state = self.state();
        match answer.try_recv() {
            Ok(Told::Granted(grant)) => {
                drop(state);
                return self.release(&grant, None);
            }
            Ok(Told::Refused(_)) => return,
            Err(_) => {}
        }
        state.forget(id);
        let clock = state.clock.micros(Instant::now());
        let inside = match &mut state.mode {
            Mode::In { .. } => true,
            Mode::Out(out) => {
                out.remove(id, clock);
                false
            }
            Mode::Gone => false,
        };
        drop(state);
        if inside {
            self.send(ToDo::Leave(id));
        }
        self.changed();
    }

    /// Has a waiter refused whose time is over. The refusal, or a slot that came before it, comes as its answer.
    pub(crate) fn give_up(&self, id: EntryId, allowed: Duration) {
        self.go_on(|line| async move {
            let foreseen = line.foresee(id).await;
            line.refuse(id, foreseen, allowed).await;
        });
    }

    /// Frees a slot.
    pub(crate) fn release(&self, grant: &Grant, service_time: Option<Duration>) {
        let (slot, fence) = (grant.slot, grant.fence);
        let now = Instant::now();
        let mut state = self.state();
        if state
            .calls
            .get(&slot)
            .is_none_or(|call| call.fence != fence)
        {
            return;
        }
        state.calls.remove(&slot);
        let inside = matches!(state.mode, Mode::In { .. });
        if !inside {
            if let Some(service_time) = service_time {
                state.times.record(service_time);
            }
            state.dispatch(now);
        }
        drop(state);
        if inside {
            self.send(ToDo::Release {
                slot,
                fence,
                service_time,
            });
        } else {
            self.wake.notify_one();
        }
        self.changed();
    }

    /// Follows a waiter's place.
    pub(crate) fn watch(&self, id: EntryId, first: Option<Place>) -> PlaceWatch {
        let (places, start) = self.state().watch(id, first);
        if start {
            let announce = announce::run(Weak::clone(&self.me), Arc::clone(&self.newcomers));
            self.tasks.spawn_on(announce, &self.runtime);
        }
        self.newcomers.notify_one();
        places
    }

    /// The line as it is now.
    pub(crate) async fn view(&self, max: usize) -> LineView {
        let aging = self.state().options.aging;
        match self.picture(Instant::now()).await {
            Some(picture) => picture.draw(max, aging),
            None => self.state().view_out(max, Instant::now()),
        }
    }

    /// Changes whenever the line does.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    fn changed(&self) {
        if self.changes.receiver_count() > 0 {
            self.changes.send_replace(());
        }
    }

    /// Whether somebody wants to see how the line changes.
    fn is_watched(&self) -> bool {
        self.changes.receiver_count() > 0 || self.state().announcing
    }

    /// A picture of the line that is not older than this; none while Redis is out of reach.
    async fn picture(&self, not_before: Instant) -> Option<Arc<Picture>> {
        let mut last = self.picture.lock().await;
        if let Some((asked, picture)) = &*last
            && *asked >= not_before
        {
            return Some(Arc::clone(picture));
        }
        self.state().epoch()?;
        let asked = Instant::now();
        let answer = self.call("view", Vec::new()).await?;
        let Some(picture) = Picture::read(&answer) else {
            script::unreadable();
            return None;
        };
        let picture = Arc::new(picture);
        self.state().times = picture.times;
        *last = Some((asked, Arc::clone(&picture)));
        Some(picture)
    }

    /// Calls the script as one who takes part, and takes in what it answers; none if it was not done. The call goes on
    /// even if nobody waits for it any more, as the answer may be about others as well.
    async fn tell(&self, what: &'static str, arguments: Vec<String>) -> Option<Answer> {
        let line = self.me.upgrade()?;
        let call = async move { line.call(what, arguments).await };
        self.tasks
            .spawn_on(call, &self.runtime)
            .await
            .ok()
            .flatten()
    }

    /// Calls the script as one who takes part, and takes in what it answers; none if it was not done.
    async fn call(&self, what: &str, arguments: Vec<String>) -> Option<Answer> {
        let sent = Instant::now();
        let (epoch, not_after) = {
            let state = self.state();
            (
                state.epoch()?,
                state.clock.micros(sent) + micros(script::TIMEOUT),
            )
        };
        let answered = self.caller.call(what, epoch, not_after, arguments).await;
        self.take_in(answered, sent, epoch)
    }

    /// Takes in an answer to what was sent at `sent`, in this epoch.
    fn take_in(
        &self,
        answered: Result<Answer, Failure>,
        sent: Instant,
        epoch: u64,
    ) -> Option<Answer> {
        let now = Instant::now();
        let mut state = self.state();
        if state.epoch() != Some(epoch) {
            // The process has joined again since, or is by itself, and what it was told then is void.
            return None;
        }
        let cause = match &answered {
            Ok(answer) if answer.status == Status::Ok => None,
            Ok(_) | Err(_) => Some(Cause::Sudden),
        };
        if let Some(cause) = cause {
            state.cut_off(cause, now);
            drop(state);
            self.wake.notify_one();
            return None;
        }
        let answer = answered.ok()?;
        let before = state.changes;
        let to_do = state.absorb(&answer, sent, now);
        drop(state);
        for to_do in to_do {
            self.send(to_do);
        }
        if before != answer.changes {
            self.changed();
        }
        Some(answer)
    }

    /// Sends what nobody waits for.
    fn send(&self, to_do: ToDo) {
        self.go_on(|line| async move {
            match to_do {
                ToDo::Leave(id) => line.call("leave", vec![id.to_string()]).await,
                ToDo::Release {
                    slot,
                    fence,
                    service_time,
                } => {
                    let took = service_time.map_or(String::new(), |took| micros(took).to_string());
                    line.call("release", vec![slot.to_string(), fence.to_string(), took])
                        .await
                }
            };
        });
    }

    /// Does something that goes on when its caller has gone.
    fn go_on<F>(&self, what: impl FnOnce(Arc<Self>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        if let Some(line) = self.me.upgrade() {
            self.tasks.spawn_on(what(line), &self.runtime);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.wake.notify_one();
    }
}
