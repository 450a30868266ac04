//! A replica's copy of a breaker that it shares with others: pure, with the time passed in.

use std::time::Duration;

use crate::state_machine::{Look, Machine, Rules, Snapshot, State};

/// A copy of a shared breaker. Calls look at the copy; what they change, they change where the breaker is kept, and the
/// copy learns of it. Where that cannot be reached, the copy goes on alone.
#[derive(Debug, Clone)]
pub struct Replica {
    machine: Machine,
    /// Whether it changed alone, so that whatever it learns counts for more.
    alone: bool,
    /// Whether it has learnt all there was to learn.
    known: bool,
}

impl Replica {
    /// A copy of a breaker that it knows nothing of.
    pub fn new(rules: Rules) -> Self {
        Self {
            machine: Machine::new(rules),
            alone: false,
            known: false,
        }
    }

    /// Whether a call may go on, as far as the copy knows.
    pub fn look(&self, now: Duration) -> Look {
        self.machine.look(now)
    }

    /// Whether calls are admitted, as far as the copy knows.
    pub fn state(&self, now: Duration) -> State {
        self.machine.state(now)
    }

    /// The generation of calls that it admits now.
    pub fn generation(&self) -> u64 {
        self.machine.generation()
    }

    /// Whether there is nothing that it should have learnt.
    pub fn is_known(&self) -> bool {
        self.known
    }

    /// It may have missed something.
    pub fn doubt(&mut self) {
        self.known = false;
    }

    /// Learns what the breaker is now. News that are not newer than what it knows are ignored, unless it went on alone.
    pub fn learn(&mut self, news: &Snapshot, now: Duration) {
        // The same news once more would only be late, and with them the times that are left.
        if self.alone || news.version > self.machine.version() {
            self.machine.adopt(news, now);
            self.alone = false;
        }
        self.known |= news.version >= self.machine.version();
    }

    /// Does by itself what the breaker should have done.
    pub fn alone<T>(&mut self, change: impl FnOnce(&mut Machine) -> T) -> T {
        let before = self.machine.version();
        let result = change(&mut self.machine);
        self.alone |= self.machine.version() != before;
        result
    }
}
