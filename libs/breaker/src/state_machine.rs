//! The breaker as a state machine: pure, with the time passed in. `breaker.lua` does the same.
//!
//! Times are durations since any moment, the same one in all calls of one machine.

use std::time::Duration;

/// When a breaker opens, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// How many failures in a row open it; 0 counts as 1.
    pub failures: u32,
    /// How long it stays open, and for how long a failure counts unless another one follows.
    pub ttl: Duration,
    /// How long a probe is waited for whose caller gives no sign of life. Callers give one every third of it.
    pub probe_lease: Duration,
}

/// What a call was admitted with. It tells whether the call's end still matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// The generation in which the call began.
    pub generation: u64,
    /// The probe's number, if the call is one.
    pub probe: Option<u64>,
}

/// Whether calls are admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// They are.
    Closed {
        /// How many failures in a row count now.
        failures: u32,
    },
    /// None is for a while.
    Open {
        /// How long.
        retry_after: Duration,
    },
    /// One is, to find out whether it works again.
    HalfOpen {
        /// How long that one is waited for at the least; `None` if it is yet to come.
        probing: Option<Duration>,
    },
}

/// What a look at a machine says of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// It may go on.
    Admitted(Ticket),
    /// It may not, for so long.
    Refused(Duration),
    /// It may be the probe, if it gets hold of it: [`Machine::probe`].
    ProbeDue,
}

/// A machine's state in a form that can travel: times are what is left of them, zero for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// Rises with every change.
    pub version: u64,
    /// The version in which it last opened or closed.
    pub generation: u64,
    /// The failures in a row.
    pub failures: u32,
    /// For how long they still count.
    pub failures_for: Duration,
    /// Whether it is open or half-open.
    pub tripped: bool,
    /// For how long it is open.
    pub open_for: Duration,
    /// The latest probe's number, 0 for none.
    pub probe: u64,
    /// For how long that one is waited for.
    pub probe_for: Duration,
}

/// One breaker.
#[derive(Debug, Clone)]
pub struct Machine {
    rules: Rules,
    version: u64,
    generation: u64,
    failures: u32,
    failures_until: Duration,
    /// Until when it is open; then it is half-open. `None` while it is closed.
    open_until: Option<Duration>,
    /// The running probe, and until when it is waited for.
    probe: Option<(u64, Duration)>,
}

impl Machine {
    /// A closed breaker.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            version: 0,
            generation: 0,
            failures: 0,
            failures_until: Duration::ZERO,
            open_until: None,
            probe: None,
        }
    }

    /// Its version: it rises with every change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The generation of calls that are admitted now.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether calls are admitted now.
    pub fn state(&self, now: Duration) -> State {
        match self.open_until {
            None => State::Closed {
                failures: self.failures(now),
            },
            Some(until) if now < until => State::Open {
                retry_after: until - now,
            },
            Some(_) => State::HalfOpen {
                probing: self.probing(now),
            },
        }
    }

    /// Whether a call may go on. Nothing changes.
    pub fn look(&self, now: Duration) -> Look {
        match self.state(now) {
            State::Closed { .. } => Look::Admitted(Ticket {
                generation: self.generation,
                probe: None,
            }),
            State::Open { retry_after } => Look::Refused(retry_after),
            State::HalfOpen {
                probing: Some(rest),
            } => Look::Refused(rest),
            State::HalfOpen { probing: None } => Look::ProbeDue,
        }
    }

    /// Whether a call may go on; it is the probe where one is due.
    ///
    /// # Errors
    ///
    /// If it may not: how long until the next look.
    pub fn probe(&mut self, now: Duration) -> Result<Ticket, Duration> {
        match self.look(now) {
            Look::Admitted(ticket) => Ok(ticket),
            Look::Refused(rest) => Err(rest),
            Look::ProbeDue => {
                self.version += 1;
                let number = self.version;
                self.probe = Some((number, now + self.rules.probe_lease));
                Ok(Ticket {
                    generation: self.generation,
                    probe: Some(number),
                })
            }
        }
    }

    /// A sign of life of the probe. Returns whether it still is the probe.
    pub fn renew(&mut self, ticket: Ticket, now: Duration) -> bool {
        let own = self.is_probe(ticket);
        if own && let Some((_, until)) = &mut self.probe {
            self.version += 1;
            *until = now + self.rules.probe_lease;
        }
        own
    }

    /// A call succeeded.
    pub fn succeeded(&mut self, ticket: Ticket, now: Duration) {
        if self.is_probe(ticket) {
            self.turn(None);
        } else if self.counts(ticket) && self.failures(now) > 0 {
            self.version += 1;
            self.failures = 0;
        }
    }

    /// A call failed.
    pub fn failed(&mut self, ticket: Ticket, now: Duration) {
        if self.is_probe(ticket) {
            self.turn(Some(now + self.rules.ttl));
        } else if self.counts(ticket) {
            let failures = self.failures(now).saturating_add(1);
            if failures >= self.rules.failures {
                self.turn(Some(now + self.rules.ttl));
            } else {
                self.version += 1;
                self.failures = failures;
                self.failures_until = now + self.rules.ttl;
            }
        }
    }

    /// A call ended in a way that says nothing. If it was the probe, the next call may be that.
    pub fn released(&mut self, ticket: Ticket) {
        if self.is_probe(ticket) {
            self.version += 1;
            self.probe = None;
        }
    }

    /// Its state, for others.
    pub fn snapshot(&self, now: Duration) -> Snapshot {
        let left = |until: Duration| until.saturating_sub(now);
        let (probe, probe_until) = self.probe.unwrap_or_default();
        Snapshot {
            version: self.version,
            generation: self.generation,
            failures: self.failures(now),
            failures_for: left(self.failures_until),
            tripped: self.open_until.is_some(),
            open_for: left(self.open_until.unwrap_or_default()),
            probe,
            probe_for: left(probe_until),
        }
    }

    /// Becomes what another one was when it made this snapshot just now.
    pub fn adopt(&mut self, snapshot: &Snapshot, now: Duration) {
        self.version = snapshot.version;
        self.generation = snapshot.generation;
        self.failures = snapshot.failures;
        self.failures_until = now + snapshot.failures_for;
        self.open_until = snapshot.tripped.then(|| now + snapshot.open_for);
        self.probe = (snapshot.probe != 0).then(|| (snapshot.probe, now + snapshot.probe_for));
    }

    /// Opens until then, or closes. Calls that are running do not count any more.
    fn turn(&mut self, open_until: Option<Duration>) {
        self.version += 1;
        self.generation = self.version;
        self.failures = 0;
        self.open_until = open_until;
        self.probe = None;
    }

    fn is_probe(&self, ticket: Ticket) -> bool {
        matches!((ticket.probe, self.probe), (Some(own), Some((number, _))) if own == number)
    }

    /// Whether the end of a call that is no probe counts.
    fn counts(&self, ticket: Ticket) -> bool {
        self.open_until.is_none() && ticket.probe.is_none() && ticket.generation == self.generation
    }

    fn failures(&self, now: Duration) -> u32 {
        if now < self.failures_until {
            self.failures
        } else {
            0
        }
    }

    fn probing(&self, now: Duration) -> Option<Duration> {
        let (_, until) = self.probe?;
        (now < until).then(|| until - now)
    }
}
