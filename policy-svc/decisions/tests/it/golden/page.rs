//! How a golden file shows values: a line for each, lists on one line; and what a turn was given.

use std::fmt::{self, Display, Write as _};

use jiff::Timestamp;
use turnwise_decisions::{
    Event, EventKind, MappedUnit, Progress, QuestionState, Tier, score::ScoreParts,
};

use super::story::Story;
use crate::fixtures::Turn;

/// The text of a golden file.
#[derive(Default)]
pub struct Page(String);

impl Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim_end())
    }
}

impl Page {
    /// Several pages in one file, each under its own heading.
    pub fn chapters(pages: impl IntoIterator<Item = (&'static str, Self)>) -> Self {
        let mut whole = Self::default();
        for (heading, page) in pages {
            if !whole.0.is_empty() {
                whole.0.push('\n');
            }
            writeln!(whole.0, "==== {heading}\n\n{page}").unwrap();
        }
        whole
    }

    pub fn section(&mut self, title: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        writeln!(self.0, "{title}:").unwrap();
    }

    pub fn line(&mut self, key: &str, value: impl Display) {
        writeln!(self.0, "  {key}: {value}").unwrap();
    }

    /// A line for a value that is there, none for one that is not.
    pub(super) fn some(&mut self, key: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.line(key, value);
        }
    }

    pub fn item(&mut self, value: impl Display) {
        writeln!(self.0, "  - {value}").unwrap();
    }

    pub fn given(&mut self, story: &Story<'_>) {
        let Turn {
            snapshot,
            mapped_units,
            event,
            target_locked,
            now,
        } = &story.turn;
        let ago = |time: Timestamp| format!("{} h ago", hours(*now, time));
        self.section("given");
        let last_turn = snapshot.last_turn_at.map(ago);
        let last_turn = last_turn.map_or_else(String::new, |ago| format!(", {ago}"));
        self.line(
            "latest turn",
            format!("{}{last_turn}", snapshot.focus_unit_id),
        );
        let asked_for = &snapshot.target_unit_id;
        self.some("asked for", (!asked_for.is_empty()).then_some(asked_for));
        for (id, progress) in &snapshot.progress {
            let touched = progress.last_touched_at.map(ago);
            let touched = touched.map_or_else(String::new, |ago| format!(", {ago}"));
            self.line(
                &format!("record of {id}"),
                format!("{}{touched}", shown(progress)),
            );
        }
        let some = |ids: &[String]| (!ids.is_empty()).then(|| list(ids));
        self.some("in progress", some(&snapshot.units_in_progress));
        self.some("revisit queue", some(&snapshot.revisit_question_ids));
        let overrides = &snapshot.prerequisite_overrides;
        let overrides: Vec<_> = overrides.iter().cloned().collect();
        self.some("marked as met", some(&overrides));
        let placed: Vec<_> = snapshot.placed.iter().cloned().collect();
        self.some("placed", some(&placed));
        let unplaced: Vec<_> = snapshot.unplaced.iter().cloned().collect();
        self.some("placed once, undone", some(&unplaced));
        let seen = &snapshot.last_mapped_units;
        self.some(
            "seen in the latest turn",
            (!seen.is_empty()).then(|| mapped(seen)),
        );
        self.line("message", mapped(mapped_units));
        self.some("button", event.as_ref().map(pressed));
        self.line(
            "thread",
            if *target_locked {
                "about a unit for certain"
            } else {
                "open"
            },
        );
        self.some(
            "exam questions found",
            (!story.found.is_empty()).then(|| list(&story.found)),
        );
        match &story.exams {
            None => self.line("exam system", "does not answer"),
            Some(answers) if answers.is_empty() => {}
            Some(answers) => {
                let answers = answers.iter().map(|(id, state, until)| {
                    let until = until.map_or_else(String::new, |until| format!(" until {until}"));
                    format!("{id} {}{until}", state_name(*state))
                });
                self.line("exam system", list(answers));
            }
        }
    }
}

fn hours(now: Timestamp, then: Timestamp) -> String {
    number(now.duration_since(then).as_secs_f64() / 3600.0)
}

/// At most four decimals, without zeros at the end.
pub fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub fn maybe(value: Option<impl Display>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

pub fn list(items: impl IntoIterator<Item = impl Display>) -> String {
    let items: Vec<_> = items.into_iter().map(|item| item.to_string()).collect();
    if items.is_empty() {
        "-".to_owned()
    } else {
        items.join(", ")
    }
}

pub fn mapped(units: &[MappedUnit]) -> String {
    list(
        units
            .iter()
            .map(|unit| format!("{} {}", unit.unit_id, number(unit.confidence))),
    )
}

fn shown(progress: &Progress) -> String {
    let Progress {
        tier,
        last_touched_at: _,
        attempts,
        streak_correct,
        streak_wrong,
    } = progress;
    let badge = match tier {
        Tier::None => "no badge",
        tier => tier.as_str(),
    };
    format!(
        "{badge}, drills {attempts}, {streak_correct} right in a row, {streak_wrong} wrong in a row"
    )
}

pub fn pressed(event: &Event) -> String {
    let kind = match event.kind {
        EventKind::RequestDrill => "REQUEST_DRILL",
        EventKind::RequestExam => "REQUEST_EXAM",
        EventKind::DrillContinue => "DRILL_CONTINUE",
        EventKind::ExamContinue => "EXAM_CONTINUE",
        EventKind::StuckHint => "STUCK_HINT",
        EventKind::ChooseUnit => "CHOOSE_UNIT",
    };
    format!("{kind} on {}", event.unit_id)
}

fn state_name(state: QuestionState) -> &'static str {
    match state {
        QuestionState::Available => "available",
        QuestionState::Locked => "locked",
        QuestionState::Passed => "passed",
    }
}

pub fn scored(unit_id: &str, parts: &ScoreParts) -> String {
    let ScoreParts {
        intent,
        recency,
        in_progress,
        tier_need,
        drill_evidence,
    } = *parts;
    format!(
        "{unit_id} {}: intent {}, recency {}, in progress {}, need {}, drills {}",
        number(parts.total()),
        number(intent),
        number(recency),
        number(in_progress),
        number(tier_need),
        number(drill_evidence)
    )
}
