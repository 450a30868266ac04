//! Answers for a terminal: messages, cards, results and where the student stands.
//!
//! | module | is about |
//! | --- | --- |
//! | [`ink`] | colour and widths |
//! | [`latex`] | formulas without a typesetter |
//! | [`buttons`] | what buttons say and how they are pressed |
//! | [`card`], [`result`] | cards; results of drills and exam questions |
//! | [`standing`] | badges, locks and countdowns |
//! | [`table`] | tables |

pub mod buttons;
pub mod card;
pub mod ink;
pub mod latex;
pub mod result;
pub mod standing;
pub mod table;

use std::fmt::Write;

use jiff::Timestamp;
use turnwise_proto::tutor::v1::{
    ClarificationProgress, Role, StudentInput, TakeTurnResponse, TutorMessage,
};

use crate::edge::{retry_after, span};
use buttons::{Choice, Place};
pub use ink::Ink;
pub(crate) use ink::wrap;

/// The tutor's part of an answer, with its card, its buttons and where the student stands.
pub fn answer(answer: &TakeTurnResponse, now: Timestamp, ink: Ink) -> String {
    let last = answer.messages.last();
    let message = last.map_or_else(String::new, |last| message(last, &choices(last), now, ink));
    let standing = answer.snapshot_lite.as_ref();
    let standing = standing.map_or_else(String::new, |s| standing::below(s, now, ink));
    message + &standing + &remarks(answer, ink)
}

/// What is to be known of an answer beside its message.
pub fn remarks(answer: &TakeTurnResponse, ink: Ink) -> String {
    let mut out = String::new();
    if let Some(progress) = &answer.clarification {
        out.push_str(&ink::below(&question_of(progress), ink));
    }
    for notice in result::notices(answer.notices(), &answer.notice_texts) {
        out.push_str(&ink::below(&notice, ink));
    }
    out.push_str(&result::simpler(answer.degraded_reasons(), ink));
    if let Some(after) = retry_after(answer) {
        let text = format!(
            "(no model could answer now; the same message may find one in {})",
            span(after)
        );
        out.push_str(&ink::below(&text, ink));
    }
    if answer.model == "mock" {
        let text = "(model: mock — a stand-in that is no language model)";
        out.push_str(&ink::below(text, ink));
    }
    out
}

/// How far the questions are that an answer needs.
pub fn question_of(progress: &ClarificationProgress) -> String {
    format!(
        "(question {} of {}: {})",
        progress.question_number,
        progress.question_count,
        ink::line(&progress.document_title)
    )
}

/// What can be pressed below a message: the card's buttons, then the message's own.
pub fn choices(message: &TutorMessage) -> Vec<Choice> {
    let card = message.card.as_ref().map_or(&[][..], |card| &card.buttons);
    Choice::all(card, Place::Card)
        .chain(Choice::all(&message.buttons, Place::Message))
        .collect()
}

/// One message of the timeline.
pub fn message(message: &TutorMessage, choices: &[Choice], now: Timestamp, ink: Ink) -> String {
    let mut out = String::new();
    let who = match message.role() {
        Role::Assistant => "tutor",
        Role::User | Role::Unspecified => "you",
    };
    for (i, text) in said(message).into_iter().enumerate() {
        let head = if i == 0 { who } else { "" };
        let head = ink.strong(&format!("{head:>6}"));
        let _ = writeln!(out, "{head}  {text}");
    }
    if let Some(card) = &message.card {
        out.push_str(&card::card(card, choices, now, ink));
    }
    out.push_str(&buttons::column(choices, ink));
    out
}

/// What was said, in lines: words, LaTeX or a button.
fn said(message: &TutorMessage) -> Vec<String> {
    let width = ink::WIDTH - 8;
    if !message.text.is_empty() {
        return wrap(&latex::shown_in_text(&message.text), width);
    }
    if !message.latex.is_empty() {
        return wrap(&latex::shown(&message.latex), width);
    }
    match &message.event {
        Some(event) => vec![format!(
            "[{}] {}",
            crate::edge::lower(event.kind().as_str_name(), "CLIENT_EVENT_KIND_").replace('_', " "),
            ink::line(&event.unit_id)
        )],
        None => Vec::new(),
    }
}

/// What a student said, as it is shown back.
pub fn input(input: &StudentInput) -> String {
    let text = if input.latex.is_empty() {
        ink::line(&input.text)
    } else {
        latex::shown(&input.latex)
    };
    ink::line(&text)
}
