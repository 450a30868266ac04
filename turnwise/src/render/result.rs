//! Results: a graded drill, an answered exam question, help that was looked at. A word says what happened; colour only
//! repeats it.

use std::fmt::Write;

use jiff::Timestamp;
use turnwise_proto::{
    common::v1::ErrorReason,
    tutor::v1::{
        DegradedReason, DrillResult, ExamResult, GradeDrillResponse, GradedBy, MasteryTier,
        RecordSupportViewResponse, SubmitExamAnswerResponse,
    },
};

use super::{
    buttons::{Choice, Place, row},
    ink::{Ink, WIDTH, below, line, wrap},
    latex::shown_in_text,
    standing::{available, badge, time},
};
use crate::edge::lower;

/// A graded drill.
pub fn graded(graded: &GradeDrillResponse, choices: &[Choice], ink: Ink) -> String {
    let mut out = String::new();
    let pill = match graded.result() {
        DrillResult::Correct => ink.good("[✓ Correct]"),
        DrillResult::Incorrect => ink.bad("[✗ Incorrect]"),
        DrillResult::Unspecified => ink.care("[? Not checked]"),
    };
    paragraph(&mut out, &pill, &graded.feedback_text);
    if !graded.common_mistake_tag.is_empty() {
        let tag = line(&graded.common_mistake_tag).replace('_', " ");
        let _ = writeln!(out, "        a common slip: {tag}");
    }
    for notice in notices(graded.notices(), &graded.notice_texts) {
        indented(&mut out, &notice);
    }
    let counts = graded.evidence_recorded || graded.result() == DrillResult::Unspecified;
    if !counts && graded.notices.is_empty() {
        out.push_str("        This one does not count towards your badge.\n");
    }
    if graded.graded_by() == GradedBy::Llm {
        out.push_str("        (checked by a model, which may be wrong)\n");
    }
    if graded.needs_review {
        let _ = writeln!(
            out,
            "        You keep your {}; a little practice would do it good.",
            badge(graded.mastery_tier())
        );
    }
    end(&mut out, graded.degraded_reasons(), choices, ink);
    out
}

/// An answered exam question.
pub fn submitted(
    submitted: &SubmitExamAnswerResponse,
    choices: &[Choice],
    now: Timestamp,
    ink: Ink,
) -> String {
    let mut out = String::new();
    let until = submitted.locked_until.as_ref().and_then(time);
    let guarded = submitted
        .degraded_reasons()
        .any(|reason| reason == DegradedReason::Guardrail);
    let (pill, words) = match (submitted.result(), submitted.recorded) {
        _ if guarded => (ink.care("[!]"), submitted.text.clone()),
        (ExamResult::Passed, true) => (ink.good("[✓ Passed]"), "Well done.".to_owned()),
        (ExamResult::Passed, false) => (
            ink.good("[✓ Passed]"),
            "You had passed this one before; the answer was not looked at.".to_owned(),
        ),
        (ExamResult::Locked, true) => (
            ink.bad("[✗ Locked]"),
            format!("Not this time. {}.", available(until, now)),
        ),
        (ExamResult::Locked, false) => (
            ink.care("[Locked]"),
            format!(
                "It was locked already, and the answer was not looked at. {}.",
                available(until, now)
            ),
        ),
        (ExamResult::Unspecified, _) => (
            ink.care("[? Not known]"),
            "The exam system has not said how it went.".to_owned(),
        ),
    };
    paragraph(&mut out, &pill, &words);
    let (before, after) = (submitted.mastery_tier_before(), submitted.mastery_tier());
    if i32::from(after) > i32::from(before).max(MasteryTier::None.into()) {
        let _ = writeln!(
            out,
            "        {}",
            ink.good(&format!("★ New: {}", badge(after)))
        );
    }
    for notice in notices(submitted.notices(), &submitted.notice_texts) {
        indented(&mut out, &notice);
    }
    end(&mut out, submitted.degraded_reasons(), choices, ink);
    out
}

/// Help that was looked at.
pub fn viewed(
    viewed: &RecordSupportViewResponse,
    choices: &[Choice],
    now: Timestamp,
    ink: Ink,
) -> String {
    let mut out = String::new();
    let title = if viewed.url.is_empty() {
        "[Memo]"
    } else {
        "[Video]"
    };
    paragraph(&mut out, &ink.strong(title), &viewed.text);
    if !viewed.url.is_empty() {
        let _ = writeln!(out, "        {}", line(&viewed.url));
    }
    if viewed.locked {
        let until = viewed.locked_until.as_ref().and_then(time);
        let _ = writeln!(out, "  {} {}", ink.care("[Locked]"), available(until, now));
    }
    end(&mut out, viewed.degraded_reasons(), choices, ink);
    out
}

/// What every result ends with.
fn end(
    out: &mut String,
    degraded: impl Iterator<Item = DegradedReason>,
    choices: &[Choice],
    ink: Ink,
) {
    out.push_str(&simpler(degraded, ink));
    // While a card is open, Enter belongs to that.
    let enter = !choices.iter().any(|choice| choice.place == Place::Card);
    let buttons = row(choices, Place::Result, false, ink, enter);
    if !buttons.is_empty() {
        let _ = writeln!(out, "        {buttons}");
    }
}

/// Why an answer is less than it could be; empty if it is not. A guardrail's text is no simpler answer: it is the whole
/// one.
pub(crate) fn simpler(reasons: impl Iterator<Item = DegradedReason>, ink: Ink) -> String {
    let reasons: Vec<String> = reasons
        .filter(|reason| *reason != DegradedReason::Guardrail)
        .map(|reason| lower(reason.as_str_name(), "DEGRADED_REASON_"))
        .collect();
    if reasons.is_empty() {
        return String::new();
    }
    below(
        &format!("(a simpler answer than usual: {})", reasons.join(", ")),
        ink,
    )
}

/// Notices in the words that came with them, or in those of this client where none did.
pub(super) fn notices(notices: impl Iterator<Item = ErrorReason>, texts: &[String]) -> Vec<String> {
    match texts {
        [] => notices.map(notice_words).collect(),
        said => said.iter().map(|text| line(text)).collect(),
    }
}

/// What a notice means for the student.
fn notice_words(notice: ErrorReason) -> String {
    match notice {
        ErrorReason::DrillTokenInvalid => {
            "This drill can no longer be proved ours, so it does not count: ask for a new one."
                .to_owned()
        }
        ErrorReason::DrillAlreadyGraded => {
            "This drill was graded before; its first verdict holds.".to_owned()
        }
        ErrorReason::ExerciseRepeated => {
            "This very exercise counted before, so it counts no second time: ask for another."
                .to_owned()
        }
        ErrorReason::ResultMismatch => {
            "What this program thought of the result was wrong; the record holds.".to_owned()
        }
        other => format!("notice: {}", other.wire_name()),
    }
}

/// A pill and a text beside it, indented as one.
fn paragraph(out: &mut String, pill: &str, text: &str) {
    let _ = writeln!(out, "  {pill}");
    indented(out, &shown_in_text(text));
}

fn indented(out: &mut String, text: &str) {
    for text in wrap(text, WIDTH - 8) {
        let _ = writeln!(out, "        {text}");
    }
}
