//! What a model server has seen: calls, how many at once, and how busy that kept it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::Fault;

/// What a server has seen since it started, or since its statistics were reset.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Completions.
    pub completions: Load,
    /// Embeddings.
    pub embeddings: Load,
    /// How many calls were made to fail, by the fault's word.
    pub faults: BTreeMap<String, u64>,
}

/// Calls of one kind.
///
/// A call runs from the last byte of its request until the last byte of its answer is handed to the system, or until the
/// server sees that the caller is gone. So a caller that waits for the end of one call before it begins the next is never
/// seen with two.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Calls that run now.
    pub in_flight: usize,
    /// The most that ever ran at once.
    pub max_in_flight: usize,
    /// Calls that have begun.
    pub begun: u64,
    /// Calls whose answer, good or bad, was sent.
    pub ended: u64,
    /// Calls whose caller went away before.
    pub cancelled: u64,
    /// For each number of calls, how long so many ran at once: seconds, from none upwards, up to the latest begin or end.
    pub seconds_at: Vec<f64>,
    /// From the first begin to the latest one, seconds. While a line is never empty, this is how long it was there.
    pub begins_seconds: f64,
    /// How many calls ran in that time, integrated over it: call-seconds.
    pub begins_call_seconds: f64,
}

impl Load {
    /// The share of `slots` that was taken on average between the first begin and the latest; `None` before the second.
    pub fn busy_between_begins(&self, slots: usize) -> Option<f64> {
        let whole = self.begins_seconds * slots as f64;
        (whole > 0.0).then(|| self.begins_call_seconds / whole)
    }

    /// How long so many calls or more ran at once, seconds.
    pub fn seconds_with(&self, calls: usize) -> f64 {
        self.seconds_at.iter().skip(calls).sum()
    }
}

/// What the calls are for: slots for both are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Completion,
    Embedding,
}

/// Counts calls.
#[derive(Debug, Default)]
pub(super) struct Counter {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    completions: Track,
    embeddings: Track,
    faults: BTreeMap<Fault, u64>,
}

#[derive(Debug, Default)]
struct Track {
    load: Load,
    /// When `seconds_at` was last brought up to date.
    latest: Option<Instant>,
    /// Since the first begin.
    seconds: f64,
    call_seconds: f64,
}

impl Counter {
    /// Counts a call from now until the value ends or is dropped.
    pub(super) fn begin(self: &Arc<Self>, kind: Kind, fault: Fault) -> Running {
        let mut state = self.state();
        if fault != Fault::None {
            *state.faults.entry(fault).or_default() += 1;
        }
        state.of(kind).begin();
        Running {
            counter: Arc::clone(self),
            kind,
            ended: false,
        }
    }

    pub(super) fn statistics(&self) -> Statistics {
        let state = self.state();
        Statistics {
            completions: state.completions.load.clone(),
            embeddings: state.embeddings.load.clone(),
            faults: state
                .faults
                .iter()
                .map(|(fault, count)| (fault.to_string(), *count))
                .collect(),
        }
    }

    pub(super) fn reset(&self) {
        let mut state = self.state();
        state.faults.clear();
        for kind in [Kind::Completion, Kind::Embedding] {
            let track = state.of(kind);
            let in_flight = track.load.in_flight;
            *track = Track {
                load: Load {
                    in_flight,
                    max_in_flight: in_flight,
                    ..Load::default()
                },
                ..Track::default()
            };
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves counts that are still counts.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn of(&mut self, kind: Kind) -> &mut Track {
        match kind {
            Kind::Completion => &mut self.completions,
            Kind::Embedding => &mut self.embeddings,
        }
    }
}

impl Track {
    fn begin(&mut self) {
        self.up_to_now();
        let load = &mut self.load;
        load.begun += 1;
        load.in_flight += 1;
        load.max_in_flight = load.max_in_flight.max(load.in_flight);
        load.begins_seconds = self.seconds;
        load.begins_call_seconds = self.call_seconds;
    }

    fn end(&mut self, ended: bool) {
        self.up_to_now();
        let load = &mut self.load;
        // Nothing ends that has not begun.
        load.in_flight = load.in_flight.saturating_sub(1);
        if ended {
            load.ended += 1;
        } else {
            load.cancelled += 1;
        }
    }

    fn up_to_now(&mut self) {
        let now = Instant::now();
        if let Some(latest) = self.latest.replace(now) {
            let passed = (now - latest).as_secs_f64();
            let running = self.load.in_flight;
            if self.load.seconds_at.len() <= running {
                self.load.seconds_at.resize(running + 1, 0.0);
            }
            self.load.seconds_at[running] += passed;
            self.seconds += passed;
            self.call_seconds += passed * running as f64;
        }
    }
}

/// A call that runs.
#[derive(Debug)]
pub(super) struct Running {
    counter: Arc<Counter>,
    kind: Kind,
    ended: bool,
}

impl Running {
    /// Its answer is sent.
    pub(super) fn end(mut self) {
        self.ended = true;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.counter.state().of(self.kind).end(self.ended);
    }
}
