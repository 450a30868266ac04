//! What an exam system says of an answer or of a look at help, and what that means for a question's record.

use std::time::Duration;

use jiff::Timestamp;
use turnwise_kit::time;
use turnwise_proto::{
    exam::v1::{QuestionState, QuestionStatus},
    session::v1::QuestionRecord,
};

/// An exam system's ruling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// A platform's. It stands, whatever is in our store.
    Platform {
        /// The question's status now: passed or locked.
        status: QuestionStatus,
        /// Whether the platform took this answer.
        recorded: bool,
    },
    /// The built-in system compared the answer.
    Compared {
        /// Whether it is right.
        correct: bool,
        /// For how long a wrong one locks.
        lock: Duration,
    },
    /// The built-in system did not look at the answer, because the question was locked or passed.
    NotTaken,
    /// Help was looked at in the built-in system, which locks for so long.
    Viewed {
        /// For how long it locks.
        lock: Duration,
    },
}

/// What a ruling means for a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// The question's status now.
    pub status: QuestionStatus,
    /// Whether the answer counts; of help, whether the question is locked now.
    pub counts: bool,
    /// What the built-in system's records should say; absent: as before.
    pub record: Option<QuestionRecord>,
}

impl Ruling {
    /// What this ruling means, given the records of the built-in system at the moment of writing. An answer to a question
    /// that is locked or passed does not count. Help locks unless the question is passed, and never shortens a lock; looked
    /// at again during a lock, it changes nothing.
    #[must_use]
    pub fn effect(&self, question_id: &str, records: &[QuestionRecord], now: Timestamp) -> Effect {
        let record = record_of(question_id, records);
        let before = status(question_id, record, now);
        let viewed = before.state() == QuestionState::Locked
            && record.is_some_and(|record| record.support_viewed);
        let as_before = |status: QuestionStatus| Effect {
            counts: false,
            record: None,
            status,
        };
        match *self {
            Self::Platform {
                ref status,
                recorded,
            } => Effect {
                status: status.clone(),
                counts: recorded,
                record: None,
            },
            Self::NotTaken => as_before(before),
            Self::Compared { .. } if before.state() != QuestionState::Available => {
                as_before(before)
            }
            Self::Compared { correct: true, .. } => {
                written(question_id, QuestionState::Passed, None, false)
            }
            Self::Viewed { .. } if viewed || before.state() == QuestionState::Passed => {
                as_before(before)
            }
            Self::Compared {
                correct: false,
                lock,
            }
            | Self::Viewed { lock } => {
                let end = later(now, lock);
                let end = match before.locked_until.as_ref().and_then(time::from_proto) {
                    Some(known) => end.max(known),
                    None => end,
                };
                let viewed = matches!(self, Self::Viewed { .. });
                written(question_id, QuestionState::Locked, Some(end), viewed)
            }
        }
    }
}

/// The record of a question.
fn record_of<'a>(question_id: &str, records: &'a [QuestionRecord]) -> Option<&'a QuestionRecord> {
    records
        .iter()
        .find(|record| record.question_id == question_id)
}

fn written(
    question_id: &str,
    state: QuestionState,
    end: Option<Timestamp>,
    support_viewed: bool,
) -> Effect {
    let locked_until = end.map(time::to_proto);
    Effect {
        status: QuestionStatus {
            question_id: question_id.to_owned(),
            state: state.into(),
            locked_until,
        },
        counts: true,
        record: Some(QuestionRecord {
            question_id: question_id.to_owned(),
            state: state.into(),
            locked_until,
            support_viewed,
        }),
    }
}

fn later(now: Timestamp, by: Duration) -> Timestamp {
    now.checked_add(by).unwrap_or(Timestamp::MAX)
}

/// The built-in system's status of a question at `now`. Lock ends are compared as instants; a lock without an end is a
/// lock, and so is a state that is not known.
#[must_use]
pub fn status(
    question_id: &str,
    record: Option<&QuestionRecord>,
    now: Timestamp,
) -> QuestionStatus {
    let state = record.map_or(QuestionState::Available, QuestionRecord::state);
    let (state, locked_until) = match state {
        QuestionState::Available | QuestionState::Passed => (state, None),
        QuestionState::Locked | QuestionState::Unspecified => {
            let end = record
                .and_then(|record| record.locked_until)
                .and_then(|end| Some((end, time::from_proto(&end)?)));
            match end {
                Some((_, instant)) if instant <= now => (QuestionState::Available, None),
                Some((end, _)) => (QuestionState::Locked, Some(end)),
                None => (QuestionState::Locked, None),
            }
        }
    };
    QuestionStatus {
        question_id: question_id.to_owned(),
        state: state.into(),
        locked_until,
    }
}
