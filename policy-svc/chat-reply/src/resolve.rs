//! Whatever came of a model to an answer that the decision allows.

use std::cell::LazyCell;
use turnwise_messages::{keys, text};

use turnwise_reply_guard::{Context, Form, Guard, Reason, Spoken, Text};

use crate::{
    citations,
    cut::{cut, cut_to_paragraph},
    hint::{About, hint},
    problem::{Conversation, OwnProblems},
    strict::{code_given, handed_over},
};

/// What came of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome<'a> {
    /// What it wrote: any bytes.
    Completion(&'a [u8]),
    /// No model is to be called.
    Off,
}

/// What an answer may be.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// Whether it must not state the solution of the student's own problem.
    pub strict: bool,
    /// The language of the policy's own texts.
    pub locale: &'a str,
    /// The question that an answer without one ends with, where it is not strict; may be empty.
    pub check_question: &'a str,
    /// Whether the lesson asks for programs.
    pub writes_programs: bool,
    /// How many sources stood in the prompt, numbered from 1.
    pub source_count: i32,
    /// The lesson's reference text; may be empty.
    pub reference: &'a str,
    /// The most characters.
    pub max_chars: usize,
}

/// Why a model's answer was withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withheld {
    /// It gives what the student is to find.
    AnswerGiven,
    /// It says what must not be said to a student.
    UnsafeMessage,
    /// It says what mathematics knows to be false.
    FalseMathematics,
}

/// An answer that the policy allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// What the student reads. Empty only where no model is to be called and nothing else answers.
    pub text: String,
    /// Whether it was cut at the most characters.
    pub truncated: bool,
    /// The sources that it refers to, in the order of the text.
    pub cited: Vec<i32>,
    /// Why the model's own was withheld.
    pub withheld: Option<Withheld>,
    /// What was wrong, for logs; empty if nothing was.
    pub violation: &'static str,
    /// Things worth counting that are no fault.
    pub observations: Vec<&'static str>,
}

/// The answer to the latest message of a conversation.
#[must_use]
pub fn resolve(
    guard: &Guard,
    conversation: &Conversation<'_>,
    outcome: Outcome<'_>,
    limits: &Limits<'_>,
    context: &Context<'_>,
) -> Answer {
    // Reading them takes longer than all the rest, and a light class seldom needs them.
    let own = LazyCell::new(|| OwnProblems::read(conversation));
    let completion = match outcome {
        Outcome::Completion(bytes) => visible(bytes),
        Outcome::Off => return off(&own, limits),
    };
    if completion.is_empty() {
        return instead(About::Problem, &own, limits, None, "empty");
    }
    // A hint helps more than the fixed text of the guard.
    if limits.strict
        && let Some(violation) = fault(&completion, &own, limits)
    {
        return hint_instead(violation, &own, limits);
    }
    let texts = [Text {
        text: &completion,
        form: Form::Prose,
    }];
    let spoken = Spoken {
        texts: &texts,
        exercise: None,
        example: None,
    };
    if let Some(reason) = guard.judge(&spoken, context).withheld {
        if reason == Reason::FalseMathematics {
            let withheld = Some(Withheld::FalseMathematics);
            return instead(About::Problem, &own, limits, withheld, reason.as_str());
        }
        let (text, truncated) = cut(
            &text(limits.locale, keys::CHAT_UNSAFE, &[]),
            limits.max_chars,
        );
        return Answer {
            text,
            truncated,
            withheld: Some(Withheld::UnsafeMessage),
            violation: reason.as_str(),
            ..Answer::default()
        };
    }
    let (known, removed) = citations::without_unknown(&completion, limits.source_count);
    let mut answer = finished(known.trim(), limits);
    if answer.text.is_empty() {
        return instead(About::Problem, &own, limits, None, "empty");
    }
    // What is cut off may have told what is left apart from an answer, and the other way round.
    let left = [known.as_str(), answer.text.as_str()];
    if limits.strict
        && let Some(violation) = left.into_iter().find_map(|text| fault(text, &own, limits))
    {
        return hint_instead(violation, &own, limits);
    }
    if removed {
        answer.observations.insert(0, "citation_removed");
    }
    answer
}

const CODE_GIVEN: &str = "code_given";

/// Bytes as text without characters that only steer a terminal.
fn visible(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let seen = text
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'));
    seen.collect::<String>().trim().to_owned()
}

/// What a strict answer must not hold.
fn fault(text: &str, own: &OwnProblems, limits: &Limits<'_>) -> Option<&'static str> {
    if own.solved_by(text) {
        Some(Reason::AnswerGiven.as_str())
    } else if limits.writes_programs && code_given(text) {
        Some(CODE_GIVEN)
    } else if own.all().is_empty() && handed_over(text) {
        Some("handed_over")
    } else {
        None
    }
}

/// A model's answer within its length, with a question where the decision wants one.
fn finished(known: &str, limits: &Limits<'_>) -> Answer {
    let question = limits.check_question.trim();
    // The answer keeps at least half of the room.
    let adds = !limits.strict
        && !question.is_empty()
        && !known.is_empty()
        && question.chars().count() + 2 <= limits.max_chars / 2;
    let (mut text, mut truncated) = cut(known, limits.max_chars);
    let mut observations = Vec::new();
    if adds && !asks(&text) {
        let room = limits.max_chars - question.chars().count() - 2;
        let (kept, cut) = cut(known, room);
        text = format!("{kept}\n\n{question}");
        truncated = cut;
        observations.push("check_question_added");
    }
    Answer {
        cited: citations::cited(&text, limits.source_count),
        text,
        truncated,
        observations,
        ..Answer::default()
    }
}

/// Whether a text asks something.
fn asks(text: &str) -> bool {
    let spared = citations::formulas(text);
    text.match_indices(['?', '？']).any(|(at, sign)| {
        let before = text[..at].chars().next_back();
        let after = text[at + sign.len()..].chars().next();
        let ends = after.is_none_or(|c| !c.is_alphanumeric());
        let follows = before.is_some_and(|c| !c.is_whitespace() && !"=+-*/(".contains(c));
        ends && follows && !spared.iter().any(|formula| formula.contains(&at))
    })
}

/// A hint instead of an answer that a strict class must not read.
fn hint_instead(violation: &'static str, own: &OwnProblems, limits: &Limits<'_>) -> Answer {
    let about = match violation {
        CODE_GIVEN => About::Program,
        _ => About::Problem,
    };
    instead(about, own, limits, Some(Withheld::AnswerGiven), violation)
}

/// A hint instead of a model's answer.
fn instead(
    about: About,
    own: &OwnProblems,
    limits: &Limits<'_>,
    withheld: Option<Withheld>,
    violation: &'static str,
) -> Answer {
    let (text, truncated) = cut(&hint(limits.locale, about, own), limits.max_chars);
    Answer {
        text,
        truncated,
        withheld,
        violation,
        ..Answer::default()
    }
}

/// What answers where no model is to be called.
fn off(own: &OwnProblems, limits: &Limits<'_>) -> Answer {
    if own.first().is_some() {
        return instead(About::Problem, own, limits, None, "");
    }
    let reference = limits.reference.trim();
    if reference.is_empty() {
        return Answer::default();
    }
    let lead = text(limits.locale, keys::CHAT_REFERENCE, &[]);
    let room = limits.max_chars.saturating_sub(lead.chars().count() + 2);
    let (reference, truncated) = cut_to_paragraph(reference, room);
    Answer {
        text: format!("{lead}\n\n{reference}"),
        truncated,
        ..Answer::default()
    }
}
