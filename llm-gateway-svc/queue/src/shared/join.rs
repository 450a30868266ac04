//! A process joins the others: it claims the calls that it runs, and enters those who wait in it again.

use std::collections::HashMap;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use tokio::time::Instant;
use turnwise_redis::Value;

use super::{
    SharedQueue,
    clock::{Clock, micros},
    script::{self, AT_ONCE, Reply, ScriptClient, Status, TIMEOUT, number, text, texts},
    state::{Mode, State},
};
use crate::{
    membership::Holding,
    order::{Entry, EntryId},
    snapshot::OrderSnapshot,
    ticket::TicketKey,
};

/// An entry with its rank: its place and arrival.
pub(super) type RankedEntry = (Entry, Option<(u64, u64)>);

/// Joins with what is known, and enters who waits again. Returns the epoch; none if it did not come to that.
pub(super) async fn join(queue: &SharedQueue, is_new: bool) -> Option<u64> {
    let client = &queue.client;
    let asked = Instant::now();
    let asked_time = client.call("time", 0, 0, Vec::new()).await.ok()?;
    let reply = loop {
        let sent = Instant::now();
        let (not_after, arguments, sent_as) = {
            let mut state = queue.state();
            let clock = Clock::new(asked, asked_time.now);
            let not_after = clock.micros(sent) + micros(TIMEOUT);
            let arguments = claims(&state, client, is_new, sent);
            let Mode::Detached(detached) = &mut state.mode else {
                return None;
            };
            // Nothing starts here until it is certain which claims Redis has.
            detached.join_until(sent + TIMEOUT + (sent - asked));
            (not_after, arguments, state.holding.clone())
        };
        let answered = client.call("join", 0, not_after, arguments).await;
        let mut state = queue.state();
        let Mode::Detached(detached) = &mut state.mode else {
            return None;
        };
        match answered {
            Ok(reply) if reply.status == Status::Ok => {
                let more = joined(&mut state, &reply, sent, &sent_as)?;
                if !more {
                    break reply;
                }
            }
            Ok(_) => {
                detached.not_joining();
                return None;
            }
            Err(failure) => {
                if failure.is_certainly_not_done() {
                    detached.not_joining();
                }
                return None;
            }
        }
    };
    let entries = {
        let mut state = queue.state();
        let mode = std::mem::replace(&mut state.mode, Mode::Joined { epoch: reply.epoch });
        let ranks = match mode {
            Mode::Detached(detached) => ranks(&detached.order.snapshot()),
            Mode::Joined { .. } | Mode::Left => HashMap::new(),
        };
        for queued in state.waiters.values_mut() {
            queued.rank = ranks.get(&queued.entry.id).copied().or(queued.rank);
            queued.confirmed = None;
        }
        for (id, (_, rank)) in &mut state.held {
            *rank = ranks.get(id).copied().or(*rank);
        }
        let waiting = state
            .waiters
            .values()
            .map(|queued| (queued.entry.clone(), queued.rank));
        let held = state.held.values().cloned();
        held.chain(waiting).collect()
    };
    queue.changed();
    tracing::info!("the queue is shared with the other replicas");
    enter_again(queue, entries).await?;
    Some(reply.epoch)
}

/// The arguments of a join: settings, the calls that run, and what is known of others' calls in own slots.
fn claims(state: &State, client: &ScriptClient, is_new: bool, now: Instant) -> Vec<String> {
    let options = &state.options;
    // Who has no ordinal takes the replicas as they are.
    let share = state.holding.share();
    let index = share.map_or(String::new(), |share| share.ordinal.to_string());
    let mut arguments = vec![
        index,
        options.slots.to_string(),
        share.map_or(0, |share| share.replicas).to_string(),
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
            client.process.clone(),
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

/// Applies the reply to a join as the holder of this, and returns whether there is more to be forgotten first; none if it
/// cannot be read.
fn joined(state: &mut State, reply: &Reply, sent: Instant, sent_as: &Holding) -> Option<bool> {
    let [more, lost, key, before, stranger] = reply.returned.as_slice() else {
        script::unreadable();
        return None;
    };
    state.joined_at = reply.now;
    state.be_stranger(number(stranger)? == 1, Instant::now());
    state.is_renumbered = state.holding.share() != sent_as.share();
    if !state.is_renumbered && state.holding.is_whole() {
        state.own.thaw();
    }
    state.apply(reply, sent, Instant::now());
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
            "another replica has other settings for this queue; give all the same (lease and aging are in microseconds)"
        );
    }
    Some(number(more)? == 1)
}

/// Where everybody is in an order.
fn ranks(snapshot: &OrderSnapshot) -> HashMap<EntryId, (u64, u64)> {
    let entries = snapshot.entries.iter();
    entries
        .map(|entry| (entry.id, (entry.place, entry.arrival)))
        .collect()
}

/// Enters entries, with their places if they have been in the queue before. None if Redis is out of reach again.
pub(super) async fn enter_again(queue: &SharedQueue, mut entries: Vec<RankedEntry>) -> Option<()> {
    entries.sort_by_key(|(entry, rank)| {
        (
            rank.is_none(),
            rank.map(|(_, arrival)| arrival),
            entry.since,
        )
    });
    for some in entries.chunks(AT_ONCE) {
        let arguments = some
            .iter()
            .flat_map(|(entry, rank)| script::entry(entry, *rank, true));
        queue.call("enter", arguments.collect()).await?;
    }
    Some(())
}
