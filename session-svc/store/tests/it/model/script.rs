//! Random scripts: transactions over few partitions, keys, fields and values, so that they meet.

use std::time::Duration;

use bytes::Bytes;
use proptest::{collection::vec, option, prelude::*, sample::select};
use turnwise_session_store::{Check, Key, Read, Transaction, Write};

use crate::bench::LONG;

/// How many transactions a script has at most.
const STEPS: usize = 30;

/// Stands for the token that the key's lease was last taken under, or that its fence holds; see `Model::resolve`.
pub const CURRENT: i64 = -1;
/// Stands for the token that was minted last.
pub const LATEST: i64 = -2;

/// One step of a script.
#[derive(Debug, Clone)]
pub enum Step {
    /// Time goes by.
    Pass(Duration),
    /// A transaction on the first or the second partition.
    Run(usize, Transaction),
}

/// Scripts; those with a clock that can be moved see things expire.
pub fn scripts(expiring: bool) -> impl Strategy<Value = Vec<Step>> {
    let run = (0..2_usize, transaction(expiring)).prop_map(|(p, t)| Step::Run(p, t));
    let step = if expiring {
        let pass = (1..60_u64).prop_map(|ms| Step::Pass(Duration::from_millis(ms)));
        prop_oneof![4 => run, 1 => pass].boxed()
    } else {
        run.boxed()
    };
    vec(step, 1..STEPS)
}

fn transaction(expiring: bool) -> impl Strategy<Value = Transaction> {
    (
        prop_oneof![2 => vec(check(), 0..1), 1 => vec(check(), 1..4)],
        prop_oneof![
            3 => vec(write(expiring), 0..5),
            1 => vec(lease_write(), 0..2),
        ],
        vec(read(), 0..4),
    )
        .prop_map(|(checks, mut writes, reads)| {
            // A transaction may mint one token.
            let mut minted = false;
            writes.retain(|write| {
                let mints = matches!(write, Write::TakeLease { .. } | Write::Fence { .. });
                let keep = !(mints && minted);
                minted |= mints;
                keep
            });
            Transaction {
                checks,
                writes,
                reads,
            }
        })
}

fn key(kind: char) -> impl Strategy<Value = Key> {
    (0..2_u8).prop_map(move |number| Key::new(format!("{kind}{number}")))
}

fn any_key() -> impl Strategy<Value = Key> {
    select(vec!['r', 'l', 'k']).prop_flat_map(key)
}

fn field() -> impl Strategy<Value = &'static str> {
    select(vec!["a", "b", "c"])
}

fn value() -> impl Strategy<Value = Bytes> {
    prop_oneof![
        select(vec!["", "1", "2", "3"]).prop_map(Bytes::from),
        vec(any::<u8>(), 0..4).prop_map(Bytes::from),
    ]
}

fn member() -> impl Strategy<Value = String> {
    select(vec!["", "m", "mm", "n", "é"]).prop_map(str::to_owned)
}

fn score() -> impl Strategy<Value = i64> {
    prop_oneof![4 => -3..4_i64, 1 => select(vec![1 << 53, -(1 << 53)])]
}

fn limit() -> impl Strategy<Value = usize> {
    select(vec![0, 1, 2, 3, 100])
}

fn check() -> impl Strategy<Value = Check> {
    let tell = || vec(field(), 0..3);
    let token = || select(vec![CURRENT, CURRENT, LATEST, 1, i64::MAX]);
    prop_oneof![
        (key('r'), tell()).prop_map(|(key, tell)| Check::Absent { key, tell }),
        key('r').prop_map(|key| Check::Present { key }),
        (key('r'), field(), option::of(value()), tell()).prop_map(|(key, field, value, tell)| {
            Check::FieldIs {
                key,
                field,
                value,
                tell,
            }
        }),
        (key('f'), token()).prop_map(|(key, token)| Check::FenceBelow {
            key,
            field: "fence",
            token,
        }),
        (key('e'), prop_oneof![2 => Just(Bytes::new()), 1 => value()])
            .prop_map(|(key, or_of)| Check::LeaseFree { key, or_of }),
        (key('e'), token()).prop_map(|(key, token)| Check::LeaseHeld { key, token }),
    ]
}

fn lease_write() -> BoxedStrategy<Write> {
    prop_oneof![
        (key('e'), value()).prop_map(|(key, holder)| Write::TakeLease {
            key,
            ttl: LONG,
            holder,
        }),
        key('e').prop_map(|key| Write::RenewLease { key, ttl: LONG }),
        key('e').prop_map(|key| Write::ReleaseLease { key }),
    ]
    .boxed()
}

fn write(expiring: bool) -> BoxedStrategy<Write> {
    let after = if expiring {
        (1..50_u64).prop_map(Duration::from_millis).boxed()
    } else {
        Just(LONG).boxed()
    };
    let put = (key('r'), vec((field(), value()), 1..4)).prop_map(|(key, fields)| Write::Put {
        key,
        fields: fields
            .into_iter()
            .map(|(field, value)| (field.into(), value))
            .collect(),
    });
    let add =
        (key('r'), vec((field(), -3..1_000_i64), 1..4)).prop_map(|(key, fields)| Write::Add {
            key,
            fields: fields
                .into_iter()
                .map(|(field, by)| (field.into(), by))
                .collect(),
        });
    let unset = (key('r'), vec(field(), 1..3)).prop_map(|(key, fields)| Write::Unset {
        key,
        fields: fields.into_iter().map(Into::into).collect(),
    });
    let append =
        (key('l'), vec(value(), 1..4)).prop_map(|(key, entries)| Write::Append { key, entries });
    let trim = (key('l'), 0..5_usize).prop_map(|(key, keep)| Write::Trim { key, keep });
    let rank = (key('k'), member(), score()).prop_map(|(key, member, score)| Write::Rank {
        key,
        member,
        score,
    });
    let unrank =
        (key('k'), vec(member(), 1..3)).prop_map(|(key, members)| Write::Unrank { key, members });
    let unrank_at = (key('k'), vec((member(), score()), 1..4))
        .prop_map(|(key, members)| Write::UnrankAt { key, members });
    prop_oneof![
        4 => put,
        2 => add,
        2 => unset,
        2 => any_key().prop_map(|key| Write::Remove { key }),
        3 => (any_key(), after).prop_map(|(key, after)| Write::Expire { key, after }),
        // No script lasts so long.
        2 => any_key().prop_map(|key| Write::Keep { key, after: LONG }),
        4 => append,
        2 => trim,
        5 => rank,
        1 => unrank,
        1 => unrank_at,
        1 => (key('k'), score()).prop_map(|(key, score)| Write::UnrankUpTo { key, score }),
        1 => key('f').prop_map(|key| Write::Fence { key, field: "fence" }),
        3 => lease_write(),
    ]
    .boxed()
}

fn read() -> impl Strategy<Value = Read> {
    let id = || prop_oneof![3 => -1..12_i64, 1 => Just(i64::MAX)];
    let fields = (key('r'), vec(field(), 0..4)).prop_map(|(key, fields)| Read::Fields {
        key,
        fields: fields.into_iter().map(Into::into).collect(),
    });
    prop_oneof![
        fields,
        key('r').prop_map(|key| Read::Record { key }),
        (key('l'), id(), limit()).prop_map(|(key, after, limit)| Read::LogAfter {
            key,
            after,
            limit,
        }),
        (key('l'), id(), limit()).prop_map(|(key, before, limit)| Read::LogBefore {
            key,
            before,
            limit,
        }),
        (key('k'), score(), score(), limit()).prop_map(|(key, from, to, limit)| Read::Lowest {
            key,
            from,
            to,
            limit,
        }),
        (key('k'), score(), score(), limit()).prop_map(|(key, from, to, limit)| Read::Highest {
            key,
            from,
            to,
            limit,
        }),
    ]
}
