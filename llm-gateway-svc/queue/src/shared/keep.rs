//! The task of a shared line: it follows the news, keeps the process and its leases alive, and joins again after it was cut
//! off.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};
use turnwise_kit::CancellationToken;
use turnwise_redis::{Event, News};

use super::{
    Shared,
    join::{self, enter_again},
    learn::{learn_ids, learn_leases, learn_own},
    out::Cause,
    script::{self, Caller, Told, number, texts},
    state::{Mode, State},
};

/// How often a process shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How often the same warning is told.
const WARN_EVERY: Duration = Duration::from_secs(10);

/// Keeps a line until it is dropped, or the process shuts down and the last call has ended.
pub(super) async fn run(line: Weak<Shared>, shutdown: CancellationToken) {
    let Some((caller, wake)) = line
        .upgrade()
        .map(|line| (line.caller.clone(), Arc::clone(&line.wake)))
    else {
        return;
    };
    let mut news = caller.redis().follow([caller.channel()]);
    let mut keeper = Keeper {
        line,
        wake,
        is_new: true,
        is_listening: false,
        ticked: None,
        must_tick: false,
        warned: None,
        epoch: None,
    };
    keeper.keep(&mut news, &shutdown).await;
    keeper.end(&caller).await;
}

struct Keeper {
    line: Weak<Shared>,
    wake: Arc<Notify>,
    /// Whether the process has never joined.
    is_new: bool,
    /// Whether all messages arrive.
    is_listening: bool,
    /// When the last tick was sent.
    ticked: Option<Instant>,
    must_tick: bool,
    /// When it was last warned of another process with the same index.
    warned: Option<Instant>,
    /// The epoch that was joined last.
    epoch: Option<u64>,
}

impl Keeper {
    async fn keep(&mut self, news: &mut News, shutdown: &CancellationToken) {
        let mut ending = false;
        loop {
            let wake_at = {
                let Some(line) = self.line.upgrade() else {
                    return;
                };
                let watched = line.is_watched();
                let state = line.state();
                if ending && state.calls.is_empty() && state.waiters.is_empty() {
                    return;
                }
                self.next_step(&state, watched, Instant::now())
            };
            tokio::select! {
                event = news.next() => self.hear(event).await,
                () = sleep_until(wake_at) => {}
                () = self.wake.notified() => {}
                () = shutdown.cancelled(), if !ending => ending = true,
            }
            let Some(line) = self.line.upgrade() else {
                return;
            };
            self.step(&line).await;
        }
    }

    /// When something is to be done, if nothing happens before.
    fn next_step(&self, state: &State, watched: bool, now: Instant) -> Instant {
        let next = match &state.mode {
            Mode::In { .. } if self.must_tick => now,
            Mode::In { .. } => self.next_tick(state, watched),
            Mode::Out(_) | Mode::Gone => state
                .next_step_out(now, self.is_listening)
                .unwrap_or(now + HEARTBEAT),
        };
        state.next_lease_end().map_or(next, |end| end.min(next))
    }

    fn next_tick(&self, state: &State, watched: bool) -> Instant {
        let Some(ticked) = self.ticked else {
            return Instant::now();
        };
        let heartbeat = ticked + HEARTBEAT.min(state.options.slot_ttl / 3);
        if state.waiters.is_empty() && !watched {
            return heartbeat;
        }
        heartbeat.min(ticked.max(state.heard) + state.options.poll)
    }

    /// Takes in what came on the channel.
    async fn hear(&mut self, event: Event) {
        let Some(line) = self.line.upgrade() else {
            return;
        };
        let now = Instant::now();
        match event {
            Event::Listening => {
                self.is_listening = true;
                self.must_tick = true;
                if let Mode::Out(out) = &mut line.state().mode {
                    out.next_try = now;
                }
            }
            Event::Missed => self.must_tick = true,
            Event::Lost => {
                self.is_listening = false;
                // Redis must not lend out slots of a home that does not hear of it.
                if let Some(answer) = line.call("away", Vec::new()).await {
                    let mut state = line.state();
                    if let [own] = answer.returned.as_slice() {
                        learn_own(&mut state, own, &line.caller.process, &answer, now);
                    }
                    state.cut_off(Cause::Apart, now);
                } else {
                    line.state().closed(Instant::now());
                }
            }
            Event::Message { payload, .. } => {
                let Some(told) = Told::read(&payload) else {
                    return;
                };
                let to_do = line.state().hear(told, now);
                if let Some(to_do) = to_do {
                    line.send(to_do);
                }
                line.changed();
            }
        }
    }

    /// Does what is due.
    async fn step(&mut self, line: &Shared) {
        let now = Instant::now();
        let watched = line.is_watched();
        let (tick, join) = {
            let mut state = line.state();
            state.end_leases(now);
            match &state.mode {
                Mode::In { .. } => (
                    self.must_tick || self.next_tick(&state, watched) <= now,
                    false,
                ),
                Mode::Out(out) => {
                    let due = self.is_listening && out.next_try <= now;
                    state.step_out(now);
                    (false, due)
                }
                Mode::Gone => (false, false),
            }
        };
        if join {
            let Some(epoch) = join::join(line, self.is_new).await else {
                if let Mode::Out(out) = &mut line.state().mode {
                    out.try_later(Instant::now());
                }
                return;
            };
            self.is_new = false;
            self.epoch = Some(epoch);
        }
        if tick || join {
            self.must_tick = false;
            self.ticked = Some(Instant::now());
            self.tick(line).await;
        }
    }

    /// Shows that the process is alive, renews its leases, and makes good for messages that were lost.
    async fn tick(&mut self, line: &Shared) -> Option<()> {
        let sent = Instant::now();
        let in_line = line.state().waiters.len();
        let answer = line.call("tick", vec![in_line.to_string()]).await?;
        let [leases, own, ids, twin] = answer.returned.as_slice() else {
            script::unreadable();
            return None;
        };
        let (to_do, missing) = {
            let mut state = line.state();
            let now = Instant::now();
            learn_own(&mut state, own, &line.caller.process, &answer, now);
            let mut to_do = learn_leases(&mut state, leases, &answer, sent, now)?;
            let missing = match texts(ids) {
                Some(ids) => learn_ids(&state, &ids, sent, &mut to_do),
                None => Vec::new(),
            };
            state.expire_held(answer.now);
            (to_do, missing)
        };
        for to_do in to_do {
            line.send(to_do);
        }
        if number(twin) == Some(1) {
            self.warn_of_twin(line);
        }
        enter_again(line, missing).await
    }

    fn warn_of_twin(&mut self, line: &Shared) {
        let now = Instant::now();
        if self.warned.is_none_or(|warned| now - warned >= WARN_EVERY) {
            self.warned = Some(now);
            tracing::error!(
                replica_index = line.state().options.replica_index,
                "another process has the same QUEUE_REPLICA_INDEX; give each replica its own, or both use the same slots when Redis is away"
            );
        }
    }

    /// The line ends here: its slots are for the others now.
    async fn end(&mut self, caller: &Caller) {
        let epoch = match self.line.upgrade() {
            Some(line) => {
                let mut state = line.state();
                let epoch = state.epoch();
                state.mode = Mode::Gone;
                epoch
            }
            None => self.epoch,
        };
        let Some(epoch) = epoch else { return };
        loop {
            match caller.call("gone", epoch, 0, Vec::new()).await {
                Ok(answer) if answer.returned.first().and_then(number) == Some(1) => {}
                // If Redis is away, the others find out by themselves.
                _ => return,
            }
        }
    }
}
