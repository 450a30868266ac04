//! The commands of a transaction as they are sent, and what Redis says to each.
//!
//! What checks or writes is one call of the script, and short reads are part of it. Long ones, and reads alone, are commands
//! of their own, between `MULTI` and `EXEC`: whatever Lua reads is copied several times. But a full Redis refuses `MULTI`,
//! and then they are part of the script, too.

use std::{iter, vec::IntoIter};

use turnwise_redis::{Failure, Script, Step, Value};

use super::{durable::Durable, packed, read, transact};
use crate::{Partition, Read, Transaction};

/// Commands that are one step: the call of the script if there is anything to check or write, and the reads that are none
/// of its own. A wait for replicas may follow.
pub(super) struct Request<'a> {
    step: Step<'a>,
    scripted: bool,
}

/// What Redis said.
pub(super) struct Replies {
    /// What the script returned, if it was called.
    pub(super) returned: Option<Vec<Value>>,
    /// What each read found.
    pub(super) found: IntoIter<Value>,
    /// What the wait for replicas said, if there was one.
    pub(super) waited: Option<Value>,
}

impl<'a> Request<'a> {
    /// A transaction on a partition, by this script, which is told all names as keys or not; it is waited for replicas if
    /// they are to have it.
    pub(super) fn new(
        (script, declared): (&'a Script, bool),
        partition: &Partition,
        transaction: &Transaction,
        durable: Option<&Durable>,
        script_reads: bool,
    ) -> Self {
        let Transaction {
            checks,
            writes,
            reads,
        } = transaction;
        let scripted = script_reads || reads.is_empty() || !checks.is_empty() || !writes.is_empty();
        let in_script = match (script_reads, scripted) {
            (true, _) => reads.len(),
            (_, true) => reads.iter().take_while(|read| is_short(read)).count(),
            (_, false) => 0,
        };
        let (in_script, reads) = reads.split_at(in_script);
        let reads = read::read_commands(partition, reads);
        let mut step = if scripted {
            let (hash, durable) = (script.hash(), durable.is_some());
            let call = transact::call(hash, partition, transaction, in_script, declared, durable);
            Step::calling(script, iter::once(call).chain(reads).collect())
        } else {
            Step::new(reads.collect())
        };
        if let Some(durable) = durable {
            durable.wait_after(&mut step);
        }
        Self { step, scripted }
    }

    /// Whether Redis may take it as one script, after it took no `MULTI`.
    pub(super) fn is_in_parts(&self) -> bool {
        self.step.is_in_parts()
    }

    /// The commands.
    pub(super) fn step(&self) -> &Step<'a> {
        &self.step
    }

    /// Sorts what Redis said.
    ///
    /// # Errors
    ///
    /// If the script returned what it never does.
    pub(super) fn read(&self, replies: turnwise_redis::Replies) -> Result<Replies, Failure> {
        let mut found = replies.done.into_iter();
        let mut returned = None;
        if self.scripted {
            let Some(Value::BulkString(packed)) = found.next() else {
                return Err(Failure::Unreadable);
            };
            let Some(Value::Array(mut all)) = packed::read(&mut &packed[..]) else {
                return Err(Failure::Unreadable);
            };
            let refused = matches!(all.first(), Some(Value::Int(place)) if *place > 0);
            if !refused && all.len() >= 2 {
                let in_script = all.split_off(2).into_iter();
                found = in_script.chain(found).collect::<Vec<_>>().into_iter();
            }
            returned = Some(all);
        }
        Ok(Replies {
            returned,
            found,
            waited: replies.after.into_iter().next(),
        })
    }
}

/// Whether a read is cheap for Lua, and takes no more than it can.
fn is_short(read: &Read) -> bool {
    match read {
        Read::Fields { fields, .. } => fields.len() <= transact::AT_ONCE,
        Read::Record { .. } => true,
        _ => false,
    }
}
