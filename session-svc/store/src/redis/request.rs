//! The commands of a transaction as they are sent, and what Redis says to each.
//!
//! Reads are commands of their own, between `MULTI` and `EXEC` with the call of the script: whatever Lua reads is copied
//! several times. But a full Redis refuses `MULTI`, and then they are part of the script.

use std::vec::IntoIter;

use redis::{Cmd, Pipeline, Value};

use super::{durable::Durable, failure::Failure, read, transact};
use crate::{Partition, Read, Transaction};

/// Commands that are one step: the call of the script if there is anything to check or write, and the reads. More than
/// one of them stand between `MULTI` and `EXEC`. A wait for replicas may follow.
pub(super) struct Request {
    commands: Pipeline,
    /// How many commands the step has.
    step: usize,
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

impl Request {
    /// A transaction on a partition, by the script with this hash; it is waited for replicas if they are to have it.
    pub(super) fn new(
        hash: &str,
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
        let step = usize::from(scripted) + reads.len();
        let mut commands = Pipeline::with_capacity(step + 3);
        if step > 1 {
            commands.cmd("MULTI");
        }
        if scripted {
            let call = transact::call(hash, partition, transaction, in_script, durable.is_some());
            commands.add_command(call);
        }
        for read in read::read_commands(partition, reads) {
            commands.add_command(read);
        }
        if step > 1 {
            commands.cmd("EXEC");
        }
        if let Some(durable) = durable {
            durable.wait_after(&mut commands);
        }
        Self {
            commands,
            step,
            scripted,
            script_reads,
        }
    }

    /// Whether Redis may take it as one script, after it took no `MULTI`.
    pub(super) fn is_in_parts(&self) -> bool {
        self.step > 1
    }

    /// The commands.
    pub(super) fn commands(&self) -> &Pipeline {
        &self.commands
    }

    /// The commands after others that make them possible.
    pub(super) fn commands_after(&self, first: impl IntoIterator<Item = Cmd>) -> Pipeline {
        let mut commands = Pipeline::with_capacity(self.commands.len() + 2);
        for command in first {
            commands.add_command(command);
        }
        for command in self.commands.cmd_iter() {
            commands.add_command(command.clone());
        }
        commands
    }

    /// Sorts what Redis said to the commands; to what came before them it may have said anything.
    ///
    /// # Errors
    ///
    /// If Redis refused a command before the step was done, or the script.
    pub(super) fn replies(&self, mut values: Vec<Value>) -> Result<Replies, Failure> {
        let before = values.len().checked_sub(self.commands.len());
        let mut values = values.drain(before.ok_or(Failure::Unreadable)?..);
        let mut next = || values.next().ok_or(Failure::Unreadable);
        let mut step = if self.step > 1 {
            for _ in 0..=self.step {
                accepted(next()?)?;
            }
            match accepted(next()?)? {
                Value::Array(values) => values,
                _ => return Err(Failure::Unreadable),
            }
        } else {
            vec![next()?]
        }
        .into_iter();
        let mut returned = None;
        if self.scripted {
            let Value::Array(mut all) = accepted(step.next().ok_or(Failure::Unreadable)?)? else {
                return Err(Failure::Unreadable);
            };
            let refused = matches!(all.first(), Some(Value::Int(place)) if *place > 0);
            if self.script_reads && !refused && all.len() >= 2 {
                step = all.split_off(2).into_iter();
            }
            returned = Some(all);
        }
        Ok(Replies {
            returned,
            found: step,
            waited: values.next(),
        })
    }
}

fn accepted(value: Value) -> Result<Value, Failure> {
    match value {
        Value::ServerError(said) => Err(Failure::Said(said)),
        value => Ok(value),
    }
}
