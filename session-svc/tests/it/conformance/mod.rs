//! What the service must do on every kind of store. Every case runs on an embedded store and on a Redis server of its
//! own, and many together on sets of sentinels and on clusters.

mod alerts;
mod artifacts;
mod audit;
mod concurrent;
mod context_events;
mod damaged;
mod due;
mod erase;
mod erase_beside_calls;
mod events;
mod evidence;
mod evidence_begun;
mod export;
mod help_sessions;
mod interactions;
mod leases;
mod memory;
mod newer_fields;
mod outbox;
mod outbox_kept;
mod payloads;
mod placements;
mod recovery;
mod redaction;
mod reset;
mod reset_archives;
mod reset_words;
mod resets;
mod threads;
mod topologies;
mod turn_logs;
mod turns;
mod watch;

use crate::bench::Case;

/// All cases, by module.
const SUITE: &[(&str, &[Case])] = &[
    ("alerts", alerts::CASES),
    ("audit", audit::CASES),
    ("artifacts", artifacts::CASES),
    ("context_events", context_events::CASES),
    ("concurrent", concurrent::CASES),
    ("damaged", damaged::CASES),
    ("due", due::CASES),
    ("erase", erase::CASES),
    ("erase_beside_calls", erase_beside_calls::CASES),
    ("events", events::CASES),
    ("evidence", evidence::CASES),
    ("evidence_begun", evidence_begun::CASES),
    ("export", export::CASES),
    ("help_sessions", help_sessions::CASES),
    ("interactions", interactions::CASES),
    ("leases", leases::CASES),
    ("memory", memory::CASES),
    ("newer_fields", newer_fields::CASES),
    ("outbox", outbox::CASES),
    ("payloads", payloads::CASES),
    ("placements", placements::CASES),
    ("outbox_kept", outbox_kept::CASES),
    ("recovery", recovery::CASES),
    ("redaction", redaction::CASES),
    ("reset", reset::CASES),
    ("reset_archives", reset_archives::CASES),
    ("reset_words", reset_words::CASES),
    ("resets", resets::CASES),
    ("threads", threads::CASES),
    ("turn_logs", turn_logs::CASES),
    ("turns", turns::CASES),
    ("watch", watch::CASES),
];
