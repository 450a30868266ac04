//! What a tick brings to light: leases, own slots and entries that are not as this process thought.

use std::collections::HashSet;

use tokio::time::Instant;
use turnwise_redis::Value;

use super::{
    join::Spotted,
    script::{Answer, Told, texts},
    state::{State, ToDo},
};
use crate::order::EntryId;

/// Takes in who has the own slots.
pub(super) fn learn_own(state: &mut State, own: &Value, me: &str, answer: &Answer, now: Instant) {
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
pub(super) fn learn_leases(
    state: &mut State,
    leases: &Value,
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
pub(super) fn learn_ids(
    state: &State,
    ids: &[&str],
    sent: Instant,
    to_do: &mut Vec<ToDo>,
) -> Vec<Spotted> {
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
