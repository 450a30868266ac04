//! The queue that replicas share through Redis.
//!
//! Redis keeps the queue and the slots, in one script (`queue.lua` and its parts), where the order of starts is the same as
//! in [`crate::order`]. Each process keeps what it needs to go on without Redis: its waiters with their places, its calls, and
//! what it knows of its own slots.
//!
//! | module | is about |
//! | --- | --- |
//! | `script` | calls of the script, its replies and notices |
//! | `admission` | a request enters, or is refused |
//! | `state` | what a process knows: its waiters, its calls, its own slots |
//! | `clock` | Redis' clock as a process knows it |
//! | `own_slots` | its own slots: who has them |
//! | `ordinals` | the lease of the process's ordinal, which says what its own slots are, unless that is set |
//! | `detached` | the queue of a process that Redis is out of reach for |
//! | `maintenance` | the task of a queue: heartbeats, leases, notices |
//! | `join` | a process joins the others and claims what it has |
//! | `reconcile` | what a heartbeat corrects: leases, own slots, entries |
//! | `snapshot` | the whole queue as Redis keeps it |
//! | `announce` | the task that announces places while somebody follows one |
//!
//! **Never more calls than slots.** A slot is given out by the script alone, as a lease with a fence, or by the replica
//! that it belongs to while that is detached. The script gives out a slot only while its home takes part, so that it hears of
//! it, or is certainly dead. Whoever was detached tells which calls it runs before it takes part again, and so does everybody
//! once Redis may have lost something. Which slots are whose changes only after all have agreed (`membership`). There are two
//! exceptions: a stopped process may finish a call past its lease, and a replica that alone is detached may use its own slots
//! beside those who still see Redis.

mod admission;
mod announce;
mod clock;
mod detached;
mod join;
mod maintenance;
mod ordinals;
mod own_slots;
mod reconcile;
mod script;
mod snapshot;
mod state;

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

pub use self::ordinals::Ordinals;
use self::{
    clock::{Clock, micros},
    detached::DetachCause,
    script::{Reply, ScriptClient, Status},
    snapshot::QueueSnapshot,
    state::{FollowUp, Mode, State},
};
use crate::{
    membership::{Holding, Share},
    options::QueueOptions,
    order::EntryId,
    request::{Place, PlaceWatch},
    ticket::TicketKey,
    view::QueueView,
    waiter::{self, Grant, Outcome},
};

/// A process's end of a shared queue.
pub(crate) struct SharedQueue {
    /// Itself, for what goes on when a caller has gone.
    me: Weak<Self>,
    state: Mutex<State>,
    client: ScriptClient,
    /// The last snapshot and when it was asked for; held while one is fetched.
    snapshot: tokio::sync::Mutex<Option<(Instant, Arc<QueueSnapshot>)>>,
    /// Wakes the queue's task.
    wake: Arc<Notify>,
    /// Somebody new follows a place.
    newcomers: Arc<Notify>,
    changes: watch::Sender<()>,
    /// Whom to tell that it has ended.
    ended: Option<Arc<Notify>>,
    tasks: TaskTracker,
    runtime: Handle,
}

impl std::fmt::Debug for SharedQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedQueue")
            .field("process", &self.client.process)
            .finish_non_exhaustive()
    }
}

impl SharedQueue {
    /// The queue of this name. Its task runs until the kit has served its calls and the last has ended. Which slots are its own is
    /// leased, or else set in the options.
    pub(crate) fn open(
        mut options: QueueOptions,
        redis: Redis,
        name: &str,
        kit: &Kit,
        ordinals: Option<&Ordinals>,
    ) -> Arc<Self> {
        let Some(ordinals) = ordinals else {
            let share = Share {
                replicas: options.replicas,
                ordinal: options.replica_index,
            };
            return Self::start(options, Holding::fixed(share), redis, name, kit, None);
        };
        options.replica_index = ordinals.number();
        let ended = Some(ordinals.ended());
        ordinals.register(|holding| Self::start(options, holding, redis, name, kit, ended))
    }

    fn start(
        options: QueueOptions,
        holding: Holding,
        redis: Redis,
        name: &str,
        kit: &Kit,
        ended: Option<Arc<Notify>>,
    ) -> Arc<Self> {
        let now = Instant::now();
        let unix = u64::try_from(kit.clock.now().as_microsecond()).unwrap_or(0);
        let client = ScriptClient::new(redis, name, options.replica_index);
        let key = TicketKey::random_bytes();
        let shared = Arc::new_cyclic(|me| Self {
            me: Weak::clone(me),
            state: Mutex::new(State::new(
                options,
                holding,
                key,
                Clock::new(now, unix),
                now,
            )),
            client,
            snapshot: tokio::sync::Mutex::default(),
            wake: Arc::default(),
            newcomers: Arc::default(),
            changes: watch::Sender::new(()),
            ended,
            tasks: kit.tasks.clone(),
            runtime: Handle::current(),
        });
        kit.tasks.spawn(maintenance::run(
            Arc::downgrade(&shared),
            kit.served.clone(),
        ));
        shared
    }

    /// Takes a waiter out who has gone, with the slot that it may have been given meanwhile.
    pub(crate) fn leave(&self, id: EntryId, answer: &mut waiter::OutcomeReceiver) {
        let mut state = self.state();
        match answer.try_recv() {
            Ok(Outcome::Granted(grant)) => {
                drop(state);
                return self.release(&grant, None);
            }
            Ok(Outcome::Refused(_)) => return,
            Err(_) => {}
        }
        state.forget(id);
        let clock = state.clock.micros(Instant::now());
        let inside = match &mut state.mode {
            Mode::Joined { .. } => true,
            Mode::Detached(detached) => {
                detached.remove(id, clock);
                false
            }
            Mode::Left => false,
        };
        drop(state);
        if inside {
            self.send(FollowUp::Leave(id));
        }
        self.changed();
    }

    /// Has a waiter refused whose time is over. The refusal, or a slot that came before it, comes as its answer.
    pub(crate) fn give_up(&self, id: EntryId, allowed: Duration) {
        self.spawn(|queue| async move {
            let estimate = queue.estimate_one(id).await;
            queue.refuse(id, estimate, allowed).await;
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
        let inside = matches!(state.mode, Mode::Joined { .. });
        if !inside {
            if let Some(service_time) = service_time {
                state.times.record(service_time);
            }
            state.dispatch(now);
        }
        drop(state);
        if inside {
            self.send(FollowUp::Release {
                slot,
                fence,
                service_time,
            });
        } else {
            self.wake.notify_one();
        }
        self.changed();
    }

    /// Gives up the own slots that are not held any more, before others may own them. Not while it is detached, as it may run
    /// calls there: then it answers that it has not.
    fn give_up_slots(&self, holding: &Holding, now: Instant) -> bool {
        self.state().give_up_slots(holding, now)
    }

    /// Holds this from now on.
    fn hold(&self, holding: &Holding, now: Instant) {
        self.state().hold(holding.clone(), now);
        self.wake.notify_one();
    }

    /// Whether the process has left the queue for good.
    fn has_left(&self) -> bool {
        matches!(self.state().mode, Mode::Left)
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

    /// The queue as it is now.
    pub(crate) async fn view(&self, max: usize) -> QueueView {
        let aging = self.state().options.aging;
        match self.snapshot(Instant::now()).await {
            Some(snapshot) => snapshot.view(max, aging),
            None => self.state().view_detached(max, Instant::now()),
        }
    }

    /// Changes whenever the queue does.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    fn changed(&self) {
        if self.changes.receiver_count() > 0 {
            self.changes.send_replace(());
        }
    }

    /// Whether somebody wants to see how the queue changes.
    fn is_watched(&self) -> bool {
        self.changes.receiver_count() > 0 || self.state().announcing
    }

    /// A snapshot of the queue that is not older than this; none while Redis is out of reach.
    async fn snapshot(&self, not_before: Instant) -> Option<Arc<QueueSnapshot>> {
        let mut last = self.snapshot.lock().await;
        if let Some((asked, snapshot)) = &*last
            && *asked >= not_before
        {
            return Some(Arc::clone(snapshot));
        }
        self.state().epoch()?;
        let asked = Instant::now();
        let reply = self.call("snapshot", Vec::new()).await?;
        let Some(snapshot) = QueueSnapshot::read(&reply) else {
            script::unreadable();
            return None;
        };
        let snapshot = Arc::new(snapshot);
        self.state().times = snapshot.times;
        *last = Some((asked, Arc::clone(&snapshot)));
        Some(snapshot)
    }

    /// As [`Self::call`]; the call goes on even if nobody waits for it any more, as the reply may be about others as well.
    async fn call_to_the_end(&self, what: &'static str, arguments: Vec<String>) -> Option<Reply> {
        let queue = self.me.upgrade()?;
        let call = async move { queue.call(what, arguments).await };
        self.tasks
            .spawn_on(call, &self.runtime)
            .await
            .ok()
            .flatten()
    }

    /// Calls the script as one who takes part, and applies its reply; none if it was not done.
    async fn call(&self, what: &str, arguments: Vec<String>) -> Option<Reply> {
        let sent = Instant::now();
        let (epoch, not_after) = {
            let state = self.state();
            (
                state.epoch()?,
                state.clock.micros(sent) + micros(script::TIMEOUT),
            )
        };
        let answered = self.client.call(what, epoch, not_after, arguments).await;
        self.apply(answered, sent, epoch)
    }

    /// Applies a reply to what was sent at `sent`, in this epoch.
    fn apply(&self, answered: Result<Reply, Failure>, sent: Instant, epoch: u64) -> Option<Reply> {
        let now = Instant::now();
        let mut state = self.state();
        if state.epoch() != Some(epoch) {
            // The process has joined again since, or is by itself, and this reply is void.
            return None;
        }
        let cause = match &answered {
            Ok(reply) if reply.status == Status::Ok => None,
            Ok(_) | Err(_) => Some(DetachCause::Sudden),
        };
        if let Some(cause) = cause {
            state.detach(cause, now);
            drop(state);
            self.wake.notify_one();
            return None;
        }
        let reply = answered.ok()?;
        let before = state.changes;
        let follow_up = state.apply(&reply, sent, now);
        drop(state);
        for follow_up in follow_up {
            self.send(follow_up);
        }
        if before != reply.changes {
            self.changed();
        }
        Some(reply)
    }

    /// Sends what nobody waits for.
    fn send(&self, follow_up: FollowUp) {
        self.spawn(|queue| async move {
            match follow_up {
                FollowUp::Leave(id) => queue.call("leave", vec![id.to_string()]).await,
                FollowUp::Release {
                    slot,
                    fence,
                    service_time,
                } => {
                    let took = service_time.map_or(String::new(), |took| micros(took).to_string());
                    queue
                        .call("release", vec![slot.to_string(), fence.to_string(), took])
                        .await
                }
            };
        });
    }

    /// Does something that goes on when its caller has gone.
    fn spawn<F>(&self, what: impl FnOnce(Arc<Self>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        if let Some(queue) = self.me.upgrade() {
            self.tasks.spawn_on(what(queue), &self.runtime);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SharedQueue {
    fn drop(&mut self) {
        self.wake.notify_one();
    }
}
