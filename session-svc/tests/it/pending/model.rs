//! Any sequence of steps does what a small model says, and each interaction ends once.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use turnwise_proto::session::v1::{
    ContextRequest, ContextRequestChange as Change, ContextRequestState as State, WorkKind,
    pending_change::Step,
};
use turnwise_session_svc::pending::{Interactions, PendingError, Stepped, change, supply};

use super::{
    answer, answer_request, at, cancel, clarification, context_request, correct, request, skip,
    start, supplied, take,
};

/// Something that is done to a thread.
#[derive(Debug, Clone)]
enum Op {
    Wait(i64),
    Start {
        document: u8,
        questions: usize,
    },
    Answer,
    Correct(i32),
    Skip,
    Cancel,
    Request {
        optional: Vec<bool>,
    },
    AnswerRequest(usize),
    Supply {
        which: usize,
        slot: i32,
        fault: Fault,
    },
    Change {
        which: usize,
        change: Change,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    Supplier,
    Type,
    Size,
}

fn any_op() -> impl Strategy<Value = Op> {
    // Mostly the latest request, now and then an older or an unknown one.
    let which = || prop_oneof![8 => Just(0_usize), 1 => 1..4_usize];
    let changes = [
        Change::Cancel,
        Change::Force,
        Change::Skip,
        Change::Remind,
        Change::Expire,
        Change::Unspecified,
    ];
    let faults = [
        Fault::None,
        Fault::None,
        Fault::None,
        Fault::Supplier,
        Fault::Type,
        Fault::Size,
    ];
    prop_oneof![
        2 => prop_oneof![1..200_i64, Just(3600)].prop_map(Op::Wait),
        3 => (0..3_u8, 0..4_usize).prop_map(|(document, questions)| Op::Start { document, questions }),
        5 => Just(Op::Answer),
        2 => (-1..3_i32).prop_map(Op::Correct),
        1 => Just(Op::Skip),
        1 => Just(Op::Cancel),
        3 => prop::collection::vec(any::<bool>(), 0..4).prop_map(|optional| Op::Request { optional }),
        3 => which().prop_map(Op::AnswerRequest),
        4 => (which(), -1..4_i32, prop::sample::select(faults.to_vec()))
            .prop_map(|(which, slot, fault)| Op::Supply { which, slot, fault }),
        3 => (which(), prop::sample::select(changes.to_vec()))
            .prop_map(|(which, change)| Op::Change { which, change }),
    ]
}

/// What the model says of a step.
#[derive(Debug, PartialEq)]
enum Says {
    Same,
    Changed,
    Busy,
    Nothing,
    Closed,
    Invalid,
    WrongType,
    WrongSupplier,
    TooLarge,
}

fn said(result: &Result<Option<Stepped>, PendingError>) -> Says {
    match result {
        Ok(None) => Says::Same,
        Ok(Some(_)) => Says::Changed,
        Err(PendingError::Busy) => Says::Busy,
        Err(PendingError::NothingPending) => Says::Nothing,
        Err(PendingError::ContextRequestClosed { .. }) => Says::Closed,
        Err(PendingError::Invalid { .. } | PendingError::NotYet { .. }) => Says::Invalid,
        Err(PendingError::UnsupportedPayload { .. }) => Says::WrongType,
        Err(PendingError::OtherSupplier { .. }) => Says::WrongSupplier,
        Err(PendingError::PayloadTooLarge { .. }) => Says::TooLarge,
    }
}

/// A thread in as few words as possible.
#[derive(Debug, Default)]
struct Model {
    now: i64,
    asks: Option<Asks>,
    needs: Option<usize>,
    requests: Vec<Needs>,
    clarified: BTreeSet<u8>,
}

#[derive(Debug)]
struct Asks {
    document: u8,
    questions: usize,
    left: usize,
    until: i64,
}

#[derive(Debug)]
struct Needs {
    missing: BTreeSet<i32>,
    slots: i32,
    end: i64,
    reminded: bool,
    /// How it ended.
    ended: Option<Ended>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Ended {
    Satisfied,
    By(Change),
}

impl Model {
    fn wait(&mut self, seconds: i64) {
        self.now += seconds;
        if self
            .asks
            .as_ref()
            .is_some_and(|asks| asks.until <= self.now)
        {
            self.asks = None;
        }
    }

    fn idle(&self) -> bool {
        self.asks.is_none() && self.needs.is_none()
    }

    fn start(&mut self, document: u8, questions: usize) -> Says {
        if questions == 0 || self.clarified.contains(&document) {
            return Says::Same;
        }
        if !self.idle() {
            return Says::Busy;
        }
        self.asks = Some(Asks {
            document,
            questions,
            left: questions,
            until: self.now + 3600,
        });
        Says::Changed
    }

    fn answer(&mut self) -> Says {
        let Some(asks) = &mut self.asks else {
            return Says::Nothing;
        };
        asks.left -= 1;
        if asks.left == 0 {
            return self.end_asking(true);
        }
        Says::Changed
    }

    fn correct(&mut self, index: i32) -> Says {
        let Some(asks) = &mut self.asks else {
            return Says::Nothing;
        };
        match usize::try_from(index) {
            Ok(kept) if kept < asks.questions - asks.left => {
                asks.left = asks.questions - kept;
                Says::Changed
            }
            _ => Says::Invalid,
        }
    }

    fn end_asking(&mut self, counts: bool) -> Says {
        let Some(asks) = self.asks.take() else {
            return Says::Nothing;
        };
        if counts {
            self.clarified.insert(asks.document);
        }
        Says::Changed
    }

    fn request(&mut self, optional: &[bool]) -> Says {
        if !self.idle() {
            return Says::Busy;
        }
        // Where nothing is required, all of it is.
        let requires = optional.iter().any(|optional| !optional);
        let missing: BTreeSet<i32> = (0..)
            .zip(optional)
            .filter(|(_, optional)| !requires || !**optional)
            .map(|(n, _)| n)
            .collect();
        self.needs = Some(self.requests.len());
        self.requests.push(Needs {
            // What asks for nothing waits for its answer alone.
            ended: optional.is_empty().then_some(Ended::Satisfied),
            missing,
            slots: optional.len() as i32,
            end: self.now + 300,
            reminded: false,
        });
        Says::Changed
    }

    fn answer_request(&mut self, which: Option<usize>) -> Says {
        let needed = self.needs.filter(|n| Some(*n) == which);
        if needed.is_none_or(|n| self.requests[n].ended.is_none()) {
            return Says::Closed;
        }
        self.needs = None;
        Says::Changed
    }

    fn supply(&mut self, which: Option<usize>, slot: i32, fault: Fault) -> Says {
        let Some(needed) = self.needs.filter(|n| Some(*n) == which) else {
            return Says::Nothing;
        };
        let needs = &mut self.requests[needed];
        if needs.ended.is_some() {
            return Says::Closed;
        }
        if !(0..needs.slots).contains(&slot) {
            return Says::Invalid;
        }
        match fault {
            Fault::Supplier => return Says::WrongSupplier,
            Fault::Type => return Says::WrongType,
            Fault::Size => return Says::TooLarge,
            Fault::None => {}
        }
        needs.missing.remove(&slot);
        if needs.missing.is_empty() {
            needs.ended = Some(Ended::Satisfied);
        }
        Says::Changed
    }

    fn change(&mut self, which: Option<usize>, change: Change) -> Says {
        if change == Change::Unspecified {
            return Says::Invalid;
        }
        let Some(needs) = which.and_then(|n| self.requests.get_mut(n)) else {
            return Says::Closed;
        };
        let before = match change {
            Change::Remind => needs.reminded,
            change => needs.ended == Some(Ended::By(change)),
        };
        if before {
            return Says::Same;
        }
        if needs.ended.is_some() {
            return Says::Closed;
        }
        match change {
            Change::Remind => needs.reminded = true,
            Change::Expire if self.now < needs.end => return Says::Invalid,
            change => needs.ended = Some(Ended::By(change)),
        }
        if change == Change::Cancel {
            self.needs = None;
        }
        Says::Changed
    }
}

/// The thread as a caller stores it, and what happened to its interactions.
#[derive(Default)]
struct Thread {
    state: Interactions,
    stored: BTreeMap<usize, ContextRequest>,
    resumed: BTreeMap<String, u32>,
    closed: BTreeMap<String, u32>,
}

impl Thread {
    fn id(which: Option<usize>) -> String {
        which.map_or_else(|| "unknown".to_owned(), |n| format!("r{n}"))
    }

    fn act(
        &self,
        op: &Op,
        which: Option<usize>,
        now: i64,
    ) -> Result<Option<Stepped>, PendingError> {
        let (state, now) = (&self.state, at(now));
        let id = Self::id(which);
        match op {
            Op::Wait(_) => Ok(None),
            Op::Start {
                document,
                questions,
            } => {
                let questions = ["a?", "b?", "c?"].get(..*questions).unwrap();
                take(state, start(&format!("doc-{document}"), questions), now, "")
            }
            Op::Answer => take(state, answer("yes"), now, ""),
            Op::Correct(index) => take(state, correct(*index), now, ""),
            Op::Skip => take(state, skip(), now, ""),
            Op::Cancel => take(state, cancel(), now, ""),
            Op::Request { optional } => {
                let slots: Vec<_> = optional.iter().map(|optional| ("log", *optional)).collect();
                let id = Self::id(Some(self.stored.len()));
                let mut asked = request(&slots);
                for slot in &mut asked.slots {
                    slot.suppliers = vec!["teacher".to_owned()];
                }
                take(state, Step::RequestContext(asked), now, &id)
            }
            Op::AnswerRequest(_) => take(state, answer_request(&id), now, ""),
            Op::Supply { slot, fault, .. } => {
                let kind = if *fault == Fault::Type { "json" } else { "log" };
                let content = if *fault == Fault::Size {
                    "123456789"
                } else {
                    "12345678"
                };
                let mut supplied = supplied(*slot, kind, content);
                if *fault == Fault::Supplier {
                    supplied.supplier_role = "student".to_owned();
                }
                supply(state, &id, &supplied, now)
            }
            Op::Change { change: wanted, .. } => {
                let stored = which.and_then(|n| self.stored.get(&n));
                change(state, stored, &id, *wanted, now)
            }
        }
    }

    fn store(&mut self, stepped: Stepped) {
        if let Some(request) = stepped.request {
            let id = request.request_id.clone();
            let which: usize = id[1..].parse().unwrap();
            if matches!(request.state(), State::Cancelled | State::Answered) {
                *self.closed.entry(id.clone()).or_default() += 1;
            }
            for schedule in &stepped.schedules {
                let kind = schedule.kind;
                if matches!(kind, WorkKind::ContextResume | WorkKind::DeferredTurn) {
                    *self.resumed.entry(id.clone()).or_default() += 1;
                }
            }
            self.stored.insert(which, request);
        }
        self.state = stepped.after;
    }
}

/// Runs the steps on both and compares.
fn run(ops: &[Op]) -> Result<(), TestCaseError> {
    let mut model = Model::default();
    let mut thread = Thread::default();
    for op in ops {
        // 0 is the latest request, 1 the one before it; there may be none.
        let which = match op {
            Op::AnswerRequest(back)
            | Op::Supply { which: back, .. }
            | Op::Change { which: back, .. } => model.requests.len().checked_sub(back + 1),
            _ => None,
        };
        let expected = match op {
            Op::Wait(seconds) => {
                model.wait(*seconds);
                Says::Same
            }
            Op::Start {
                document,
                questions,
            } => model.start(*document, *questions),
            Op::Answer => model.answer(),
            Op::Correct(index) => model.correct(*index),
            Op::Skip => model.end_asking(true),
            Op::Cancel => model.end_asking(false),
            Op::Request { optional } => model.request(optional),
            Op::AnswerRequest(_) => model.answer_request(which),
            Op::Supply { slot, fault, .. } => model.supply(which, *slot, *fault),
            Op::Change { change, .. } => model.change(which, *change),
        };
        let result = thread.act(op, which, model.now);
        prop_assert_eq!(said(&result), expected, "{:?} in {:?}", op, model);
        if let Ok(Some(stepped)) = result {
            prop_assert_eq!(stepped.after.version, thread.state.version + 1);
            if let Some(pending) = &stepped.after.pending {
                prop_assert_eq!(pending.version, stepped.after.version);
            }
            thread.store(stepped);
        }
        compare(&model, &thread)?;
    }
    Ok(())
}

fn compare(model: &Model, thread: &Thread) -> Result<(), TestCaseError> {
    let state = thread.state.clone().at(at(model.now));
    let asks = clarification(&state);
    prop_assert_eq!(
        asks.map(|asks| asks.questions.len() - asks.answers.len()),
        model.asks.as_ref().map(|asks| asks.left)
    );
    if let Some(asks) = asks {
        for (index, answer) in (0..).zip(&asks.answers) {
            prop_assert_eq!(answer.index, index);
            prop_assert_eq!(&answer.question, &asks.questions[index as usize]);
        }
    }
    let needs = context_request(&state);
    prop_assert_eq!(
        needs.map(|needs| needs.request_id.clone()),
        model.needs.map(|n| Thread::id(Some(n)))
    );
    if let (Some(needs), Some(stored)) = (needs, model.needs) {
        prop_assert_eq!(Some(needs), thread.stored.get(&stored));
        prop_assert_eq!(
            needs.state() == State::Open,
            model.requests[stored].ended.is_none()
        );
    }
    let clarified: BTreeSet<String> = model.clarified.iter().map(|d| format!("doc-{d}")).collect();
    prop_assert_eq!(state.clarified_documents.len(), clarified.len());
    prop_assert!(
        state
            .clarified_documents
            .iter()
            .all(|d| clarified.contains(d))
    );
    for (which, needs) in model.requests.iter().enumerate() {
        let id = Thread::id(Some(which));
        let resumes = needs
            .ended
            .is_some_and(|ended| ended != Ended::By(Change::Cancel));
        prop_assert_eq!(
            thread.resumed.get(&id).copied().unwrap_or(0),
            u32::from(resumes)
        );
        let closed = needs.ended.is_some() && model.needs != Some(which);
        prop_assert_eq!(
            thread.closed.get(&id).copied().unwrap_or(0),
            u32::from(closed)
        );
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_sequence_of_steps_does_what_the_model_says(
        ops in prop::collection::vec(any_op(), 1..60),
    ) {
        run(&ops)?;
    }
}
