//! Tests of the helper's answers through the crate's face.

// A test that cannot go on ends by panicking.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod answers;
mod attacks;
mod hints;
mod leaks;
mod problems;
mod properties;
mod strictness;
mod told;

use std::sync::LazyLock;

use turnwise_chat_reply::{Answer, Conversation, Limits, Outcome, resolve};
use turnwise_fingerprint::RunSet;
use turnwise_reply_guard::{Context, Guard};

static GUARD: LazyLock<Guard> = LazyLock::new(|| Guard::built_in().unwrap());
static NOTHING: LazyLock<RunSet> = LazyLock::new(RunSet::default);

pub const STRICT: Limits<'_> = Limits {
    strict: true,
    locale: "en",
    check_question: "",
    writes_programs: false,
    source_count: 0,
    reference: "",
    max_chars: 2000,
};
pub const LIGHT: Limits<'_> = Limits {
    strict: false,
    check_question: "Can you say why?",
    ..STRICT
};

/// The answer to the last of what a student said.
pub fn answer(said: &[&str], completion: &[u8], limits: &Limits<'_>) -> Answer {
    outcome(said, Outcome::Completion(completion), limits)
}

pub fn outcome(said: &[&str], outcome: Outcome<'_>, limits: &Limits<'_>) -> Answer {
    let (message, before) = said.split_last().unwrap();
    let conversation = Conversation {
        message,
        before,
        summary: "",
    };
    let context = Context {
        turn_id: "",
        prompt: &NOTHING,
        exams: &[],
        blocked_terms: &NOTHING,
        open_drill: None,
        said: &[],
    };
    resolve(&GUARD, &conversation, outcome, limits, &context)
}
