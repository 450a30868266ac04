//! Where in a procedure a student is, by what was observed last: pure, driven by the times of the observations.
//!
//! The step is the first, in the procedure's order, whose completion gate does not hold; it is active if its entry gate
//! holds, else pending. A completion gate counts as holding, or as no longer holding, once it has been so for the step's
//! `settle_ms`: a value that flaps around a bound does not move the step back and forth. Until the next observation, a
//! value counts as unchanged.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use turnwise_course_pack::gates::{Unmet, Vars};
use turnwise_course_pack::{Procedure, ProcedureStep};

/// What was observed so far in one student's run of one version of a procedure. New, nothing was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunState {
    /// One for each step.
    steps: Vec<Settling>,
    /// The time of the last observation, in milliseconds.
    last_ms: i64,
    /// The number of the furthest step that was inferred; that of all steps once the procedure was finished.
    furthest: usize,
}

/// Whether a completion gate holds, once it has settled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Settling {
    /// Whether it counts as holding.
    settled: bool,
    /// Since when it has been otherwise, in milliseconds.
    changing_since: Option<i64>,
}

impl RunState {
    /// The number of the first step that is not complete, or that of all steps.
    fn step(&self) -> usize {
        let open = self.steps.iter().position(|settling| !settling.settled);
        open.unwrap_or(self.steps.len())
    }

    /// Lets what is due by `now_ms` settle, in the order in which it is due.
    fn settle(&mut self, steps: &[ProcedureStep], now_ms: i64) {
        let due = |(settling, step): (&Settling, &ProcedureStep)| {
            let since = settling.changing_since?;
            Some(since.saturating_add(i64::from(step.settle_ms)))
        };
        loop {
            let all_due: Vec<Option<i64>> = self.steps.iter().zip(steps).map(due).collect();
            let next = all_due.iter().flatten().min();
            let Some(next) = next.filter(|next| **next <= now_ms) else {
                return;
            };
            for (settling, due) in self.steps.iter_mut().zip(&all_due) {
                if due.as_ref() == Some(next) {
                    settling.settled = !settling.settled;
                    settling.changing_since = None;
                }
            }
            self.furthest = self.furthest.max(self.step());
        }
    }
}

/// How far the step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It can be done.
    Active,
    /// Its entry gate does not hold yet.
    Pending,
    /// Every step is complete.
    Finished,
}

/// Where a student is.
#[derive(Debug, Clone, PartialEq)]
pub struct Inference<'p> {
    /// The step; none once the procedure is finished.
    pub step: Option<&'p ProcedureStep>,
    /// The step behind it, if there is one.
    pub next: Option<&'p ProcedureStep>,
    /// How far the step is.
    pub status: Status,
    /// The first condition that does not hold: of the entry gate while the step is pending, else of the completion gate.
    /// None once the procedure is finished, and while a completion gate holds and has not settled.
    pub blocked_by: Option<Unmet>,
    /// The furthest step that the run was at, if it is behind this one: the student has undone something. The last step if
    /// the procedure was finished.
    pub stepped_back_from: Option<&'p ProcedureStep>,
}

/// Infers the step from the latest values at `now_ms`, in milliseconds of the clock that the observations have (the
/// simulator's or page's). Call it at every observation, and when help is wanted: a call with unchanged values changes
/// nothing that a later call tells. A time before the last one counts as the last one.
///
/// A state belongs to one version of a procedure. With another number of steps than it knows, the run begins anew.
pub fn infer<'p>(
    procedure: &'p Procedure,
    state: &mut RunState,
    vars: &Vars,
    now_ms: i64,
) -> Inference<'p> {
    infer_since(procedure, state, vars, &BTreeMap::new(), now_ms)
}

/// The same for who does not call it at every observation. `since` are the times since when the variables have had their
/// values; one that is not in it has it since now. A gate counts as it is since the latest of its variables' times; what came
/// and went since the call before is not seen.
pub fn infer_since<'p>(
    procedure: &'p Procedure,
    state: &mut RunState,
    vars: &Vars,
    since: &BTreeMap<String, i64>,
    now_ms: i64,
) -> Inference<'p> {
    let steps = procedure.steps.as_slice();
    if state.steps.len() != steps.len() {
        *state = RunState {
            steps: vec![Settling::default(); steps.len()],
            last_ms: i64::MIN,
            ..RunState::default()
        };
    }
    let now_ms = now_ms.max(state.last_ms);
    let changed = steps.iter().map(|step| {
        let of_vars = step.completion.vars().iter();
        let latest = of_vars.map(|var| since.get(&var.name).copied().unwrap_or(now_ms));
        latest.max().unwrap_or(now_ms).clamp(state.last_ms, now_ms)
    });
    let changed: Vec<i64> = changed.collect();
    state.last_ms = now_ms;
    for time in BTreeSet::from_iter(&changed) {
        state.settle(steps, *time);
        for ((settling, step), changed) in state.steps.iter_mut().zip(steps).zip(&changed) {
            if changed != time {
                continue;
            }
            if step.completion.holds(vars) == settling.settled {
                settling.changing_since = None;
            } else {
                settling.changing_since.get_or_insert(*time);
            }
        }
    }
    state.settle(steps, now_ms);

    let number = state.step();
    let step = steps.get(number);
    let (status, blocked_by) = match step {
        None => (Status::Finished, None),
        Some(step) => match step.entry.as_ref().map_or(Ok(()), |gate| gate.check(vars)) {
            Ok(()) => (Status::Active, step.completion.check(vars).err()),
            Err(unmet) => (Status::Pending, Some(unmet)),
        },
    };
    let furthest = steps.get(state.furthest).or(steps.last());
    Inference {
        step,
        next: steps.get(number + 1),
        status,
        blocked_by,
        stepped_back_from: furthest.filter(|_| number < state.furthest),
    }
}
