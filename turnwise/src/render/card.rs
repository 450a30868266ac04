//! Cards in boxes: an explanation, a drill, an exam question.

use std::fmt::Write;

use jiff::Timestamp;
use turnwise_proto::{
    exam::v1::QuestionState,
    tutor::v1::{ConceptCard, DrillCard, ExamCard, TutorCard, WorkedExample, tutor_card},
};

use super::{
    buttons::{Choice, Place, is_closed, row},
    ink::{Ink, WIDTH, line, wrap},
    latex::{shown, shown_in_text},
    standing::{available, time},
};
use crate::edge::tier;

/// Columns between the borders.
const INNER: usize = WIDTH - 4;

/// A card with its buttons; empty for a card that holds nothing.
pub fn card(card: &TutorCard, choices: &[Choice], now: Timestamp, ink: Ink) -> String {
    let mut lines = Vec::new();
    let mut closed = false;
    let title = match &card.content {
        Some(tutor_card::Content::Concept(concept)) => {
            explanation(&mut lines, concept);
            "Key idea".to_owned()
        }
        Some(tutor_card::Content::Drill(DrillCard {
            prompt,
            question_latex,
            drill_token: _,
        })) => {
            lines.push(shown_in_text(prompt));
            lines.push(format!("   {}", shown(question_latex)));
            "Drill".to_owned()
        }
        Some(tutor_card::Content::Exam(exam)) => {
            question(&mut lines, exam, now);
            closed = is_closed(exam);
            format!("Exam question · {}", tier(exam.tier()))
        }
        None => return String::new(),
    };
    let title: String = format!("{title} · {}", line(&card.unit_id))
        .chars()
        .take(INNER - 4)
        .collect();
    let mut out = String::new();
    let rule = "─".repeat(INNER - 3 - title.chars().count());
    let _ = writeln!(
        out,
        "  {} {} {}",
        ink.faint("┌─"),
        ink.strong(&title),
        ink.faint(&format!("{rule}┐"))
    );
    let side = ink.faint("│");
    for text in lines.iter().flat_map(|text| wrap(text, INNER - 2)) {
        let _ = writeln!(out, "  {side} {text:<width$} {side}", width = INNER - 2);
    }
    let foot = |ink| row(choices, Place::Card, closed, ink, false);
    let plain = foot(Ink::PLAIN);
    let length = plain.chars().count();
    if length > INNER - 2 {
        for text in wrap(&plain, INNER - 2) {
            let _ = writeln!(out, "  {side} {text:<width$} {side}", width = INNER - 2);
        }
    } else if length > 0 {
        let pad = " ".repeat(INNER - 2 - length);
        let _ = writeln!(out, "  {side} {pad}{} {side}", foot(ink));
    }
    let _ = writeln!(out, "  {}", ink.faint(&format!("└{}┘", "─".repeat(INNER))));
    out
}

fn explanation(lines: &mut Vec<String>, concept: &ConceptCard) {
    let ConceptCard {
        key_ideas,
        worked_example,
    } = concept;
    let idea = |idea: &String| format!("• {}", shown_in_text(idea));
    lines.extend(key_ideas.iter().map(idea));
    if let Some(WorkedExample {
        problem_latex,
        final_answer_latex,
        steps_latex,
    }) = worked_example
    {
        lines.push(" ".to_owned());
        lines.push(format!("Example: {}", shown(problem_latex)));
        let step = |step: &String| format!("   {}", shown(step));
        lines.extend(steps_latex.iter().map(step));
        lines.push(format!("Answer: {}", shown(final_answer_latex)));
    }
}

fn question(lines: &mut Vec<String>, exam: &ExamCard, now: Timestamp) {
    lines.push(shown_in_text(&exam.prompt));
    if !exam.question_latex.is_empty() {
        lines.push(format!("   {}", shown(&exam.question_latex)));
    }
    if !exam.options.is_empty() {
        lines.push(" ".to_owned());
    }
    for option in &exam.options {
        lines.push(format!(
            "   {}) {}",
            line(&option.option_id),
            option_text(&option.text)
        ));
    }
    match exam.state() {
        QuestionState::Available => {}
        QuestionState::Passed => {
            lines.push(" ".to_owned());
            lines.push("[✓ Passed] You have answered this one.".to_owned());
        }
        QuestionState::Locked | QuestionState::Unspecified => {
            let until = exam.locked_until.as_ref().and_then(time);
            lines.push(" ".to_owned());
            lines.push(format!("[Locked] {}", available(until, now)));
        }
    }
}

/// An option's text, which may be a formula without a mark that it is one.
fn option_text(text: &str) -> String {
    if text.contains('$') || text.contains("\\(") {
        shown_in_text(text)
    } else if text.contains('\\') || text.contains('^') {
        shown(text)
    } else {
        line(text)
    }
}
