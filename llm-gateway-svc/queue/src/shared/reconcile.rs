//! What a heartbeat corrects: leases, own slots and entries that are not as this process thought.

use std::collections::HashSet;

use tokio::time::Instant;
use turnwise_redis::Value;

use super::{
    join::RankedEntry,
    script::{Notice, Reply, texts},
    state::{FollowUp, State},
};
use crate::order::EntryId;

/// Takes in who has the own slots.
pub(super) fn reconcile_own_slots(
    state: &mut State,
    own: &Value,
    me: &str,
    reply: &Reply,
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
            state.own.back(slot, reply.now);
        } else {
            let until = now + state.options.slot_ttl;
            state
                .own
                .lent(slot, process.to_owned(), fence, reply.now, until);
        }
    }
}

/// Takes in which leases the process has: some it may not know yet, and some of those that it knows may be gone.
pub(super) fn reconcile_leases(
    state: &mut State,
    leases: &Value,
    reply: &Reply,
    sent: Instant,
    now: Instant,
) -> Option<Vec<FollowUp>> {
    let mut follow_up = Vec::new();
    let mut known = HashSet::new();
    for lease in texts(leases)? {
        let mut words = lease.split(' ');
        let slot: usize = words.next()?.parse().ok()?;
        let fence: u64 = words.next()?.parse().ok()?;
        known.insert((slot, fence));
        // It is renewed as of the reply.
        let id = words.next()?.parse().unwrap_or(0);
        let run = Notice::Run {
            id,
            slot,
            fence,
            at: reply.now,
        };
        follow_up.extend(state.apply_notice(run, now));
    }
    let lease = state.options.slot_ttl;
    for (slot, call) in &mut state.calls {
        if known.contains(&(*slot, call.fence)) {
            call.expires = sent + lease;
        } else if call.known_since < sent {
            call.lost.cancel();
        }
    }
    Some(follow_up)
}

/// Takes in which entries the process has in the queue; returns those that are missing.
pub(super) fn reconcile_entries(
    state: &State,
    ids: &[&str],
    sent: Instant,
    follow_up: &mut Vec<FollowUp>,
) -> Vec<RankedEntry> {
    let ids: HashSet<EntryId> = ids.iter().filter_map(|id| id.parse().ok()).collect();
    let running: HashSet<EntryId> = state.calls.values().map(|call| call.id).collect();
    let unknown = ids
        .iter()
        .filter(|id| !state.waiters.contains_key(id) && !running.contains(id));
    follow_up.extend(unknown.map(|id| FollowUp::Leave(*id)));
    let waiting = state.waiters.values();
    let missing = waiting.filter(|queued| {
        let known = queued.confirmed.is_none_or(|confirmed| confirmed < sent);
        known && queued.rank.is_some() && !ids.contains(&queued.entry.id)
    });
    missing
        .map(|queued| (queued.entry.clone(), queued.rank))
        .collect()
}
