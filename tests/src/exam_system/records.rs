//! What a platform's exam system knows of students and keys, in a file.

use std::{collections::BTreeMap, fs, path::Path};

use prost::Message;
use prost_types::Timestamp;
use serde::{Deserialize, Serialize};
use turnwise_proto::exam::v1::{QuestionState, QuestionStatus};

/// Everything that is known.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Records {
    /// By student and question.
    questions: BTreeMap<String, Question>,
    /// The answers to keys, as bytes.
    answers: BTreeMap<String, Vec<u8>>,
}

/// One student's question.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Question {
    passed: bool,
    /// Seconds since 1970.
    locked_until: Option<i64>,
    changes: usize,
}

fn place(student_id: &str, question_id: &str) -> String {
    format!("{student_id}/{question_id}")
}

impl Records {
    /// Those in a file; none if there is no file.
    pub(super) fn read(path: &Path) -> Self {
        match fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap(),
            Err(_) => Self::default(),
        }
    }

    /// Writes them, in one step.
    pub(super) fn write(&self, path: &Path) {
        let written = path.with_extension("new");
        fs::write(&written, serde_json::to_vec(self).unwrap()).unwrap();
        fs::rename(written, path).unwrap();
    }

    /// How often a question's status was changed.
    pub(super) fn changes(&self, student_id: &str, question_id: &str) -> usize {
        let question = self.questions.get(&place(student_id, question_id));
        question.map_or(0, |question| question.changes)
    }

    /// The status of a question.
    pub(super) fn status(&self, student_id: &str, question_id: &str, now: i64) -> QuestionStatus {
        let question = self.questions.get(&place(student_id, question_id));
        let question = question.copied().unwrap_or_default();
        let lock = question.locked_until.filter(|until| *until > now);
        let state = match lock {
            _ if question.passed => QuestionState::Passed,
            Some(_) => QuestionState::Locked,
            None => QuestionState::Available,
        };
        QuestionStatus {
            question_id: question_id.to_owned(),
            state: state.into(),
            locked_until: lock
                .filter(|_| !question.passed)
                .map(|seconds| Timestamp { seconds, nanos: 0 }),
        }
    }

    /// A question is passed, or locked until then.
    pub(super) fn change(&mut self, student_id: &str, question_id: &str, until: Option<i64>) {
        let question = self
            .questions
            .entry(place(student_id, question_id))
            .or_default();
        question.passed |= until.is_none();
        question.locked_until = until;
        question.changes += 1;
    }

    /// The answer that a key had.
    pub(super) fn answer<M: Message + Default>(&self, key: &str) -> Option<M> {
        let bytes = self.answers.get(key)?;
        Some(M::decode(bytes.as_slice()).unwrap())
    }

    /// Keeps an answer to a key.
    pub(super) fn keep(&mut self, key: &str, answer: &impl Message) {
        self.answers.insert(key.to_owned(), answer.encode_to_vec());
    }
}
