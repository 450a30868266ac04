//! `course.yaml`: the course itself and what it sets otherwise than the policy's defaults.

use std::path::Path;

use turnwise_messages::has_locale;

use super::reference_key;
use crate::draft::CourseDraft;
use crate::fault::Sink;
use crate::fields::{Fields, shorten};
use crate::model::{
    Course, DrillChoice, LlmGrades, PolicyOverrides, PrereqWalk, StuckRule, tasks_are_read,
};
use crate::yaml;

/// The format this loader reads.
const FORMAT: &str = "1";

pub(super) fn read<'a>(file: &'a Path, text: &str, sink: &mut Sink<'_>) -> Option<CourseDraft<'a>> {
    let mut fields = Fields::open(yaml::parse(text, 1, sink)?, "course", sink)?;
    if let Some(format) = fields.text("format", sink)
        && format.value != FORMAT
    {
        sink.add(
            format.line,
            format!(
                "this pack has format `{}`, which is not known here",
                format.value
            ),
            format!("write `format: {FORMAT}`, or use a newer release that reads this format"),
        );
    }
    let id = fields.id("id", sink);
    let title = fields.text("title", sink);
    let locale = fields.text("locale", sink);
    if let Some(locale) = &locale {
        if !is_language_tag(&locale.value) {
            sink.add(
                locale.line,
                format!("`{}` is not a language tag", locale.value),
                "write a language such as `en`, or language and region such as `de-CH`",
            );
        } else if !has_locale(&locale.value) {
            sink.warn(
                locale.line,
                format!(
                    "there are no texts in the language `{}`: what students read beside the course itself is English",
                    shorten(&locale.value)
                ),
                "word it in texts.yaml (docs/texts.md lists the keys), or have the language added to the catalogue",
            );
        }
    }
    let entry = fields.id("entry_unit", sink);
    let reference = reference_key(&mut fields, sink);
    let policy = fields
        .map("policy", "policy", sink)
        .map(|policy| overrides(policy, locale.as_ref().map(|l| l.value.as_str()), sink))
        .unwrap_or_default();
    fields.finish(sink);
    Some(CourseDraft {
        entry_line: entry.as_ref().map(|e| e.line),
        reference_line: reference.as_ref().map(|r| r.line),
        course: Course {
            id: id.map(|l| l.value).unwrap_or_default(),
            title: title.map(|l| l.value).unwrap_or_default(),
            locale: locale.map(|l| l.value).unwrap_or_default(),
            entry_unit: entry.map(|l| l.value).unwrap_or_default(),
            policy,
            reference: reference.map(|l| l.value).unwrap_or_default(),
        },
        file,
    })
}

fn overrides(mut fields: Fields<'_>, locale: Option<&str>, sink: &mut Sink<'_>) -> PolicyOverrides {
    let grades_line = fields.line_of("llm_grades");
    let stuck_rules = [
        ("attempts_without_streak", StuckRule::AttemptsWithoutStreak),
        ("consecutive_wrong", StuckRule::ConsecutiveWrong),
    ];
    let walks = [
        ("transitive", PrereqWalk::Transitive),
        ("first", PrereqWalk::First),
    ];
    let grades = [
        ("count", LlmGrades::Count),
        ("feedback_only", LlmGrades::FeedbackOnly),
    ];
    let drills = [
        ("checkable", DrillChoice::Checkable),
        ("any", DrillChoice::Any),
    ];
    let mut found = PolicyOverrides {
        stuck_rule: fields
            .choice("stuck_rule", &stuck_rules, sink)
            .unwrap_or_default(),
        prereq_walk: fields
            .choice("prereq_walk", &walks, sink)
            .unwrap_or_default(),
        llm_grades: fields
            .choice("llm_grades", &grades, sink)
            .unwrap_or_default(),
        drills: fields.choice("drills", &drills, sink),
        target_confidence: fields.share("target_confidence", sink),
        recency_window_hours: fields.whole_number("recency_window_hours", 1..=8760, sink),
        max_scoped_units: fields.whole_number("max_scoped_units", 3..=6, sink),
        candidates_mapped: fields.whole_number("candidates_mapped", 0..=50, sink),
        candidates_in_progress: fields.whole_number("candidates_in_progress", 0..=50, sink),
        scope_mapped: fields.whole_number("scope_mapped", 0..=50, sink),
        scope_in_progress: fields.whole_number("scope_in_progress", 0..=50, sink),
        stuck_attempts: fields.whole_number("stuck_attempts", 1..=20, sink),
        ready_streak: fields.whole_number("ready_streak", 1..=20, sink),
        max_concept_words: fields.whole_number("max_concept_words", 20..=1000, sink),
        max_worked_examples: fields.whole_number("max_worked_examples", 0..=1, sink),
        max_key_ideas: fields.whole_number("max_key_ideas", 1..=10, sink),
        drill_max_steps: fields.whole_number("drill_max_steps", 1..=10, sink),
        top_k_anchors: fields.whole_number("top_k_anchors", 1..=100, sink),
        top_k_chunks: fields.whole_number("top_k_chunks", 1..=100, sink),
        top_k_exam_candidates: fields.whole_number("top_k_exam_candidates", 1..=100, sink),
    };
    fields.finish(sink);
    let Some(locale) = locale.filter(|locale| !tasks_are_read(locale)) else {
        return found;
    };
    if found.llm_grades == LlmGrades::Count
        && let Some(line) = grades_line
    {
        // Too little would hold a model's grade against the task.
        found.llm_grades = LlmGrades::FeedbackOnly;
        sink.warn(
            line,
            format!(
                "not all tasks in the language `{}` are read here, so a model's grade does not count: `llm_grades` is \
                 `feedback_only`",
                shorten(locale)
            ),
            "write `llm_grades: feedback_only`, and give the course drills with answers",
        );
    }
    found
}

/// Whether the text has the shape of a BCP 47 tag.
pub(super) fn is_language_tag(text: &str) -> bool {
    let mut parts = text.split('-');
    let language = parts.next().unwrap_or_default();
    (2..=8).contains(&language.len())
        && language.bytes().all(|b| b.is_ascii_alphabetic())
        && parts.all(|part| {
            (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
        })
}
