//! Tests of the guard through the crate's face.

// A test that cannot go on ends by panicking.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod answers;
mod course;
mod disguises;
mod exams;
mod forms;
mod mathematics;
mod meanings;
mod plain;
mod prompts;
mod verdicts;

use std::sync::LazyLock;

use turnwise_fingerprint::RunSet;
use turnwise_reply_guard::{Context, Form, Guard, Reason, Spoken, Text};

pub static GUARD: LazyLock<Guard> = LazyLock::new(|| Guard::built_in().unwrap());
static NOTHING: LazyLock<RunSet> = LazyLock::new(RunSet::default);

/// A context in which nothing is known.
pub fn nothing_known() -> Context<'static> {
    Context {
        turn_id: "",
        prompt: &NOTHING,
        exams: &[],
        blocked_terms: &NOTHING,
        open_drill: None,
        said: &[],
    }
}

/// What a text is withheld for.
pub fn withheld(text: &str, form: Form, context: &Context<'_>) -> Option<Reason> {
    let texts = [Text { text, form }];
    let spoken = Spoken {
        texts: &texts,
        exercise: None,
        example: None,
    };
    GUARD.judge(&spoken, context).withheld
}

/// What words alone are withheld for.
pub fn said(text: &str) -> Option<Reason> {
    withheld(text, Form::Prose, &nothing_known())
}
