//! Messages and cards for a terminal.

use std::fmt::Write;

use turnwise_proto::tutor::v1::{
    SnapshotLite, TakeTurnResponse, TutorCard, TutorMessage, tutor_card,
};

use crate::edge::{lower, retry_after, tier};

/// How wide a card is drawn, in characters.
const WIDTH: usize = 72;

/// The tutor's part of an answer, with its card, its buttons and where the student stands.
pub fn answer(answer: &TakeTurnResponse) -> String {
    let mut out = String::new();
    if let Some(message) = answer.messages.last() {
        out.push_str(&message_text("tutor", message));
    }
    if let Some(standing) = &answer.snapshot_lite {
        let _ = writeln!(out, "  {}", standing_line(standing));
    }
    if !answer.degraded_reasons.is_empty() {
        let reasons: Vec<String> = answer
            .degraded_reasons()
            .map(|r| lower(r.as_str_name(), "DEGRADED_REASON_"))
            .collect();
        let _ = writeln!(
            out,
            "  (a simpler answer than usual: {})",
            reasons.join(", ")
        );
    }
    if let Some(after) = retry_after(answer) {
        let _ = writeln!(
            out,
            "  (the model is busy; the same message will find it free in {:.1} s)",
            after.as_secs_f64()
        );
    }
    if answer.model == "mock" {
        out.push_str("  (model: mock — a stand-in that is no language model)\n");
    }
    out
}

fn message_text(who: &str, message: &TutorMessage) -> String {
    let mut out = String::new();
    for (i, line) in wrap(&message.text, WIDTH - 8).into_iter().enumerate() {
        let head = if i == 0 { who } else { "" };
        let _ = writeln!(out, "{head:>6}  {line}");
    }
    if let Some(card) = &message.card {
        out.push_str(&card_box(card));
    }
    for (i, button) in message.buttons.iter().enumerate() {
        let star = if button.primary { "*" } else { " " };
        let unit = button.event.as_ref().map_or("", |e| e.unit_id.as_str());
        let _ = writeln!(
            out,
            "       {star}[{}] {} ({unit})",
            i + 1,
            label(&button.label_key)
        );
    }
    out
}

/// What a button says.
fn label(key: &str) -> &str {
    match key {
        "try_drill" => "Try a drill",
        "take_exam" => "Take the exam question",
        "ask_hint" => "Give me a hint",
        "check_prerequisite" => "Check this first",
        "next_unit" => "Go on with the next unit",
        key => key,
    }
}

fn card_box(card: &TutorCard) -> String {
    let mut lines = Vec::new();
    let title = match &card.content {
        Some(tutor_card::Content::Concept(concept)) => {
            lines.extend(concept.key_ideas.iter().map(|idea| format!("• {idea}")));
            if let Some(example) = &concept.worked_example {
                lines.push(String::new());
                lines.push(format!("Example: {}", example.problem_latex));
                lines.extend(example.steps_latex.iter().map(|step| format!("   {step}")));
                lines.push(format!("Answer: {}", example.final_answer_latex));
            }
            "Key idea".to_owned()
        }
        Some(tutor_card::Content::Drill(drill)) => {
            lines.push(drill.prompt.clone());
            lines.push(format!("   {}", drill.question_latex));
            "Drill".to_owned()
        }
        Some(tutor_card::Content::Exam(exam)) => {
            lines.push(exam.prompt.clone());
            if !exam.question_latex.is_empty() {
                lines.push(format!("   {}", exam.question_latex));
            }
            for option in &exam.options {
                lines.push(format!("   {}) {}", option.option_id, option.text));
            }
            format!("Exam question · {}", tier(exam.tier()))
        }
        None => return String::new(),
    };
    let inner = WIDTH - 4;
    let title = format!(" {title} · {} ", card.unit_id);
    let mut out = format!("  ┌{title:─<inner$}┐\n");
    for line in lines.iter().flat_map(|line| wrap(line, inner - 2)) {
        let _ = writeln!(out, "  │ {line:<width$} │", width = inner - 2);
    }
    let _ = writeln!(out, "  └{:─<inner$}┘", "");
    out
}

/// Where the student stands, in one line.
pub fn standing_line(standing: &SnapshotLite) -> String {
    let mut parts = Vec::new();
    if let Some(focus) = &standing.focus {
        let badge = tier(focus.mastery_tier());
        parts.push(format!(
            "{} ({}, badge: {badge})",
            focus.title, focus.unit_id
        ));
    }
    if let Some(nudge) = &standing.prereq_nudge {
        parts.push(format!("first: {}", nudge.title));
    }
    if let Some(p) = &standing.progress {
        parts.push(format!(
            "{} bronze, {} silver, {} gold of {}",
            p.bronze, p.silver, p.gold, p.total
        ));
    }
    parts.join(" · ")
}

/// Breaks a text into lines of at most `width` characters, at spaces where there are any.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let indent: String = paragraph.chars().take_while(|c| *c == ' ').collect();
        let mut line = indent.clone();
        for word in paragraph.split_whitespace() {
            let long = line.chars().count() + 1 + word.chars().count() > width;
            if long && line.trim() != "" {
                lines.push(std::mem::replace(&mut line, indent.clone()));
            }
            if line.trim() != "" {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}
