//! The task of a shared line: it follows the news, keeps the process and its leases alive, and joins again after it was cut
//! off.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Weak},
    time::Duration,
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};
use turnwise_kit::CancellationToken;
use turnwise_redis::{Event, News};

use super::{
    Shared,
    out::Cause,
    script::{self, AT_ONCE, Answer, Caller, Status, TIMEOUT, Told, number, text, texts},
    state::{Clock, Mode, State, ToDo, micros},
};
use crate::{
    order::{Entry, EntryId},
    ticket::TicketKey,
};

/// How often a process shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How often the same warning is told.
const WARN_EVERY: Duration = Duration::from_secs(10);

/// An entry, and its place and arrival.
type Spotted = (Entry, Option<(u64, u64)>);

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
            // It is woken when it listens.
            Mode::Out(_) if !self.is_listening => now + HEARTBEAT,
            Mode::Out(_) | Mode::Gone => state.next_step_out(now).unwrap_or(now + HEARTBEAT),
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
                    state.cut_off(Cause::NotIn, now);
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
    async fn step(&mut self, line: &Arc<Shared>) {
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
        if join && self.join(line).await.is_none() {
            if let Mode::Out(out) = &mut line.state().mode {
                out.try_later(Instant::now());
            }
            return;
        }
        if tick || join {
            self.must_tick = false;
            self.ticked = Some(Instant::now());
            self.tick(line).await;
        }
    }

    /// Shows that the process is alive, renews its leases, and makes good for messages that were lost.
    async fn tick(&mut self, line: &Arc<Shared>) -> Option<()> {
        let sent = Instant::now();
        let in_line = line.state().waiters.len();
        let answer = line.call("tick", vec![in_line.to_string()]).await?;
        let [leases, own, ids, twin] = answer.returned.as_slice() else {
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

    /// Joins, tells what is known, and enters who waits again. None if it did not come to that.
    async fn join(&mut self, line: &Arc<Shared>) -> Option<()> {
        let caller = &line.caller;
        let asked = Instant::now();
        let hello = caller.call("hello", 0, 0, Vec::new()).await.ok()?;
        let answer = loop {
            let sent = Instant::now();
            let (not_after, arguments) = {
                let mut state = line.state();
                let clock = Clock::new(asked, hello.now);
                let not_after = clock.micros(sent) + micros(TIMEOUT);
                let arguments = self.claims(&state, caller, sent);
                let Mode::Out(out) = &mut state.mode else {
                    return None;
                };
                // Nothing starts here until it is certain what Redis was told.
                out.join_until(sent + TIMEOUT + (sent - asked));
                (not_after, arguments)
            };
            let answered = caller.call("join", 0, not_after, arguments).await;
            let mut state = line.state();
            let Mode::Out(out) = &mut state.mode else {
                return None;
            };
            match answered {
                Ok(answer) if answer.status == Status::Ok => {
                    let more = joined(&mut state, &answer, sent)?;
                    if !more {
                        break answer;
                    }
                }
                Ok(_) => {
                    out.not_joining();
                    return None;
                }
                Err(failure) => {
                    if failure.is_certainly_not_done() {
                        out.not_joining();
                    }
                    return None;
                }
            }
        };
        self.is_new = false;
        self.epoch = Some(answer.epoch);
        let entries = {
            let mut state = line.state();
            let mode = std::mem::replace(
                &mut state.mode,
                Mode::In {
                    epoch: answer.epoch,
                },
            );
            let spots = match mode {
                Mode::Out(out) => spots(&out.order.lineup()),
                Mode::In { .. } | Mode::Gone => HashMap::new(),
            };
            for in_line in state.waiters.values_mut() {
                in_line.spot = spots.get(&in_line.entry.id).copied().or(in_line.spot);
                in_line.confirmed = None;
            }
            for (id, (_, spot)) in &mut state.held {
                *spot = spots.get(id).copied().or(*spot);
            }
            let waiting = state
                .waiters
                .values()
                .map(|in_line| (in_line.entry.clone(), in_line.spot));
            let held = state.held.values().cloned();
            held.chain(waiting).collect()
        };
        line.changed();
        tracing::info!("the line is shared with the other replicas");
        enter_again(line, entries).await
    }

    /// The arguments of a join: settings, the calls that run, and what is known of others' calls in own slots.
    fn claims(&self, state: &State, caller: &Caller, now: Instant) -> Vec<String> {
        let options = &state.options;
        let mut arguments = vec![
            options.replica_index.to_string(),
            options.slots.to_string(),
            options.replicas.to_string(),
            micros(options.slot_ttl).to_string(),
            micros(options.aging).to_string(),
            options.max_entries.to_string(),
            micros(options.service_time).to_string(),
            URL_SAFE_NO_PAD.encode(state.key_bytes),
            state.last_tick.to_string(),
            state.last_fence.to_string(),
            u8::from(self.is_new).to_string(),
        ];
        let lease = micros(options.slot_ttl);
        let running = state
            .calls
            .iter()
            .filter(|(_, call)| !call.lost.is_cancelled());
        let running = running.map(|(slot, call)| {
            [
                slot.to_string(),
                call.fence.to_string(),
                call.since.to_string(),
                caller.process.clone(),
                lease.to_string(),
                call.id.to_string(),
                call.owner.purpose.to_owned(),
                call.owner.class.clone(),
            ]
        });
        let lent = state.own.lent_out(now).map(|lent| {
            [
                lent.slot.to_string(),
                lent.fence.to_string(),
                lent.since.to_string(),
                lent.process,
                micros(lent.left).to_string(),
                format!("lent:{}", lent.slot),
                "-".to_owned(),
                String::new(),
            ]
        });
        let claims: Vec<_> = running.chain(lent).collect();
        arguments.push(claims.len().to_string());
        arguments.extend(claims.into_iter().flatten());
        arguments
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

/// Takes in the answer to a join, and returns whether there is more to be forgotten first; none if it cannot be read.
fn joined(state: &mut State, answer: &Answer, sent: Instant) -> Option<bool> {
    let [more, lost, key, before] = answer.returned.as_slice() else {
        return None;
    };
    state.joined_at = answer.now;
    state.absorb(answer, sent, Instant::now());
    for slot in match lost {
        turnwise_redis::Value::Array(lost) => lost.iter().filter_map(number),
        _ => return None,
    } {
        if let Some(call) = usize::try_from(slot)
            .ok()
            .and_then(|slot| state.calls.get(&slot))
        {
            call.lost.cancel();
        }
    }
    let expires = sent + state.options.slot_ttl;
    for call in state
        .calls
        .values_mut()
        .filter(|call| !call.lost.is_cancelled())
    {
        call.expires = expires;
        call.known_since = sent;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text(key)?).ok();
    if let Some(bytes) = bytes.and_then(|bytes| <[u8; TicketKey::BYTES]>::try_from(bytes).ok())
        && bytes != state.key_bytes
    {
        state.key_bytes = bytes;
        state.key = TicketKey::new(&bytes);
    }
    let before = texts(before)?;
    if !before.is_empty() {
        tracing::warn!(
            other = before.join(", "),
            "another replica has other settings for this line; give all the same (lease and aging are in microseconds)"
        );
    }
    Some(number(more)? == 1)
}

/// Where everybody is in an order.
fn spots(lineup: &crate::lineup::Lineup) -> HashMap<EntryId, (u64, u64)> {
    let entries = lineup.entries.iter();
    entries
        .map(|entry| (entry.id, (entry.place, entry.arrival)))
        .collect()
}

/// Enters entries, with their places if they have been in line before. None if Redis is out of reach again.
async fn enter_again(line: &Arc<Shared>, mut entries: Vec<Spotted>) -> Option<()> {
    entries.sort_by_key(|(entry, spot)| {
        (
            spot.is_none(),
            spot.map(|(_, arrival)| arrival),
            entry.since,
        )
    });
    for some in entries.chunks(AT_ONCE) {
        let arguments = some
            .iter()
            .flat_map(|(entry, spot)| script::entry(entry, *spot, true));
        line.call("enter", arguments.collect()).await?;
    }
    Some(())
}

/// Takes in who has the own slots.
fn learn_own(
    state: &mut State,
    own: &turnwise_redis::Value,
    me: &str,
    answer: &Answer,
    now: Instant,
) {
    for record in texts(own).unwrap_or_default() {
        let mut words = record.split(' ');
        let mut next = || words.next();
        let (Some(slot), Some(fence), Some(process)) = (next(), next(), next()) else {
            continue;
        };
        let (Ok(slot), Ok(fence)) = (slot.parse(), fence.parse()) else {
            continue;
        };
        if fence == 0 || process == me {
            state.own.back(slot, answer.now);
        } else {
            let until = now + state.options.slot_ttl;
            state
                .own
                .lent(slot, process.to_owned(), fence, answer.now, until);
        }
    }
}

/// Takes in which leases the process has: some it may not know yet, and some of those that it knows may be gone.
fn learn_leases(
    state: &mut State,
    leases: &turnwise_redis::Value,
    answer: &Answer,
    sent: Instant,
    now: Instant,
) -> Option<Vec<ToDo>> {
    let mut to_do = Vec::new();
    let mut known = HashSet::new();
    for lease in texts(leases)? {
        let mut words = lease.split(' ');
        let slot: usize = words.next()?.parse().ok()?;
        let fence: u64 = words.next()?.parse().ok()?;
        known.insert((slot, fence));
        // It is renewed as of the answer.
        let id = words.next()?.parse().unwrap_or(0);
        let run = Told::Run {
            id,
            slot,
            fence,
            at: answer.now,
        };
        to_do.extend(state.hear(run, now));
    }
    let lease = state.options.slot_ttl;
    for (slot, call) in &mut state.calls {
        if known.contains(&(*slot, call.fence)) {
            call.expires = sent + lease;
        } else if call.known_since < sent {
            call.lost.cancel();
        }
    }
    Some(to_do)
}

/// Takes in which entries the process has in line; returns those that are missing.
fn learn_ids(state: &State, ids: &[&str], sent: Instant, to_do: &mut Vec<ToDo>) -> Vec<Spotted> {
    let ids: HashSet<EntryId> = ids.iter().filter_map(|id| id.parse().ok()).collect();
    let running: HashSet<EntryId> = state.calls.values().map(|call| call.id).collect();
    let unknown = ids
        .iter()
        .filter(|id| !state.waiters.contains_key(id) && !running.contains(id));
    to_do.extend(unknown.map(|id| ToDo::Leave(*id)));
    let waiting = state.waiters.values();
    let missing = waiting.filter(|in_line| {
        let known = in_line.confirmed.is_none_or(|confirmed| confirmed < sent);
        known && in_line.spot.is_some() && !ids.contains(&in_line.entry.id)
    });
    missing
        .map(|in_line| (in_line.entry.clone(), in_line.spot))
        .collect()
}
