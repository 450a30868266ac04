//! Joining: a process tells what it knows, and enters those who wait in it again.

use std::collections::HashMap;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use tokio::time::Instant;
use turnwise_redis::Value;

use super::{
    Shared,
    script::{self, AT_ONCE, Answer, Caller, Status, TIMEOUT, number, text, texts},
    state::{Clock, Mode, State, micros},
};
use crate::{
    lineup::Lineup,
    order::{Entry, EntryId},
    ticket::TicketKey,
};

/// An entry, and its place and arrival.
pub(super) type Spotted = (Entry, Option<(u64, u64)>);

/// Joins, tells what is known, and enters who waits again. Returns the epoch; none if it did not come to that.
pub(super) async fn join(line: &Shared, is_new: bool) -> Option<u64> {
    let caller = &line.caller;
    let asked = Instant::now();
    let hello = caller.call("hello", 0, 0, Vec::new()).await.ok()?;
    let answer = loop {
        let sent = Instant::now();
        let (not_after, arguments) = {
            let mut state = line.state();
            let clock = Clock::new(asked, hello.now);
            let not_after = clock.micros(sent) + micros(TIMEOUT);
            let arguments = claims(&state, caller, is_new, sent);
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
    enter_again(line, entries).await?;
    Some(answer.epoch)
}

/// The arguments of a join: settings, the calls that run, and what is known of others' calls in own slots.
fn claims(state: &State, caller: &Caller, is_new: bool, now: Instant) -> Vec<String> {
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
        u8::from(is_new).to_string(),
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

/// Takes in the answer to a join, and returns whether there is more to be forgotten first; none if it cannot be read.
fn joined(state: &mut State, answer: &Answer, sent: Instant) -> Option<bool> {
    let [more, lost, key, before] = answer.returned.as_slice() else {
        script::unreadable();
        return None;
    };
    state.joined_at = answer.now;
    state.absorb(answer, sent, Instant::now());
    for slot in match lost {
        Value::Array(lost) => lost.iter().filter_map(number),
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
fn spots(lineup: &Lineup) -> HashMap<EntryId, (u64, u64)> {
    let entries = lineup.entries.iter();
    entries
        .map(|entry| (entry.id, (entry.place, entry.arrival)))
        .collect()
}

/// Enters entries, with their places if they have been in line before. None if Redis is out of reach again.
pub(super) async fn enter_again(line: &Shared, mut entries: Vec<Spotted>) -> Option<()> {
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
