//! The attempts: messages and pieces of lessons, one JSON object a line.

use std::fs;

use serde::{Deserialize, de::DeserializeOwned};
use turnwise_proto::tutor::v1::{StudentInput, TakeTurnRequest, Thread};
use turnwise_tests::{
    process::repository,
    student::{saying, writing},
};

/// A message.
#[derive(Debug, Clone, Deserialize)]
pub struct Message {
    /// What it is after.
    pub kind: String,
    /// Its words.
    pub text: String,
    /// Whether it is sent as LaTeX.
    #[serde(default)]
    pub latex: bool,
}

impl Message {
    /// The turn that says it.
    pub fn turn(&self, thread: &Thread) -> TakeTurnRequest {
        if self.latex {
            writing(thread, &self.text)
        } else {
            saying(thread, &self.text)
        }
    }
}

/// A piece of a lesson.
#[derive(Debug, Clone, Deserialize)]
pub struct Chunk {
    /// Its words.
    pub text: String,
}

/// An answer, wrong to every exercise that the tests set.
#[derive(Debug, Clone, Deserialize)]
pub struct Answer {
    /// Its words.
    pub text: String,
    /// Whether it is sent as LaTeX.
    #[serde(default)]
    pub latex: bool,
}

impl Answer {
    /// It, as a client sends it.
    pub fn input(&self) -> StudentInput {
        let mut input = StudentInput::default();
        *if self.latex {
            &mut input.latex
        } else {
            &mut input.text
        } = self.text.clone();
        input
    }
}

/// The 200 messages.
pub fn messages() -> Vec<Message> {
    let messages = lines("messages.jsonl");
    assert_eq!(messages.len(), 200);
    messages
}

/// The 50 pieces of lessons.
pub fn chunks() -> Vec<Chunk> {
    let chunks = lines("chunks.jsonl");
    assert_eq!(chunks.len(), 50);
    chunks
}

/// The answers.
pub fn answers() -> Vec<Answer> {
    lines("answers.jsonl")
}

fn lines<T: DeserializeOwned>(file: &str) -> Vec<T> {
    let path = repository().join("tests/data/adversarial").join(file);
    let text = fs::read_to_string(&path).unwrap();
    let line = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{file}: {line}: {e}"));
    text.lines().map(line).collect()
}
