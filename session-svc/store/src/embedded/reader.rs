//! Runs transactions that write nothing to disk: checks, reads, and changes of leases.

use std::sync::Arc;

use turnwise_kit::Clock;

use super::{
    file::{Failure, StoreFile},
    leases::Leases,
    rows::{Name, ROWS},
    sealed::definition,
    view::{Last, View},
};
use crate::{Applied, Outcome, Partition, Transaction};

/// A transaction that writes nothing to disk.
pub(super) struct Asked {
    pub(super) partition: Partition,
    pub(super) transaction: Transaction,
    /// The leases that it looks at or changes.
    pub(super) names: Vec<Name>,
}

/// What such a transaction runs on.
pub(super) struct Reader {
    pub(super) file: Arc<StoreFile>,
    pub(super) leases: Arc<Leases>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Reader {
    /// Runs a transaction; nothing if one of its leases is pinned.
    pub(super) fn run(&self, asked: &Asked) -> Result<Option<Outcome>, Failure> {
        if asked.names.is_empty() {
            self.look(asked).map(Some)
        } else {
            self.change_leases(asked)
        }
    }

    fn look(&self, asked: &Asked) -> Result<Outcome, Failure> {
        self.file.read(|reading| {
            let rows = reading.open_table(definition(ROWS))?;
            let last = Last::default();
            let view = self.view(&rows, &asked.partition, &last);
            Ok(match view.refusal(&asked.transaction.checks, |_| None)? {
                Some(refused) => Outcome::Refused(refused),
                None => Outcome::Applied(Applied {
                    token: None,
                    found: view.find(&asked.transaction.reads)?,
                }),
            })
        })
    }

    /// Nothing if one of the leases is pinned. While nobody else can look at the leases, the state that the transaction
    /// sees is fixed: so it sees all that was written by whoever has given them back.
    fn change_leases(&self, asked: &Asked) -> Result<Option<Outcome>, Failure> {
        let Asked {
            partition,
            transaction,
            names,
        } = asked;
        let mut slots = self.leases.lock();
        if names.iter().any(|name| slots.is_pinned(name)) {
            return Ok(None);
        }
        self.file.read(move |reading| {
            let rows = reading.open_table(definition(ROWS))?;
            let last = Last::default();
            let view = self.view(&rows, partition, &last);
            if let Some(refused) = view.refusal(&transaction.checks, |name| slots.holder(name))? {
                return Ok(Some(Outcome::Refused(refused)));
            }
            let mut token = None;
            for write in &transaction.writes {
                token = slots.change(&self.leases, partition, write).or(token);
            }
            drop(slots);
            match view.find(&transaction.reads) {
                Ok(found) => Ok(Some(Outcome::Applied(Applied { token, found }))),
                Err(failure) => {
                    // Nobody will know the token: the lease would be lost until its end.
                    if let Some(token) = token {
                        let mut slots = self.leases.lock();
                        for name in names {
                            slots.give_back(name, token);
                        }
                    }
                    Err(failure)
                }
            }
        })
    }

    fn view<'v, T>(&self, rows: &'v T, partition: &'v Partition, last: &'v Last) -> View<'v, T> {
        View {
            rows,
            partition,
            now: self.clock.now().as_millisecond(),
            last,
        }
    }
}
