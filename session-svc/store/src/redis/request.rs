//! The commands of a transaction as they are sent, and what Redis says to each.
//!
//! Reads are commands of their own, between `MULTI` and `EXEC` with the call of the script: whatever Lua reads is copied
//! several times. But a full Redis refuses `MULTI`, and then they are part of the script.

use std::vec::IntoIter;

use turnwise_redis::{Failure, Script, Step, Value};

use super::{durable::Durable, read, transact};
use crate::{Partition, Read, Transaction};

/// Commands that are one step: the call of the script if there is anything to check or write, and the reads. A wait for
/// replicas may follow.
pub(super) struct Request<'a> {
    step: Step<'a>,
    scripted: bool,
    /// Whether the script reads.
    script_reads: bool,
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
    /// A transaction on a partition, by this script; it is waited for replicas if they are to have it.
    pub(super) fn new(
        script: &'a Script,
        partition: &Partition,
        transaction: &Transaction,
        durable: Option<&Durable>,
        script_reads: bool,
    ) -> Self {
        let all = transaction.reads.as_slice();
        let (in_script, reads): (&[Read], &[Read]) =
            if script_reads { (all, &[]) } else { (&[], all) };
        let scripted =
            reads.is_empty() || !transaction.checks.is_empty() || !transaction.writes.is_empty();
        let mut commands = Vec::with_capacity(usize::from(scripted) + reads.len());
        if scripted {
            let durable = durable.is_some();
            let call = transact::call(script.hash(), partition, transaction, in_script, durable);
            commands.push(call);
        }
        commands.extend(read::read_commands(partition, reads));
        let mut step = if scripted {
            Step::calling(script, commands)
        } else {
            Step::new(commands)
        };
        if let Some(durable) = durable {
            durable.wait_after(&mut step);
        }
        Self {
            step,
            scripted,
            script_reads,
        }
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
            let Some(Value::Array(mut all)) = found.next() else {
                return Err(Failure::Unreadable);
            };
            let refused = matches!(all.first(), Some(Value::Int(place)) if *place > 0);
            if self.script_reads && !refused && all.len() >= 2 {
                found = all.split_off(2).into_iter();
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
