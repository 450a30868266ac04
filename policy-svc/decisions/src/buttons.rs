//! What the student may press after a reply.

use crate::{
    course::{Course, UnitIndex},
    plan::Plan,
    words::{Action, Event, EventKind, Tier},
};

/// What a client looks a button's wording up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// Take the exam question of the focus.
    TakeExam,
    /// Take the exam question of the prerequisite that blocks.
    CheckPrerequisite,
    /// Go on with another unit.
    NextUnit,
    /// Take a drill.
    TryDrill,
    /// Ask for a hint.
    AskHint,
}

impl Label {
    /// The key.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TakeExam => "take_exam",
            Self::CheckPrerequisite => "check_prerequisite",
            Self::NextUnit => "next_unit",
            Self::TryDrill => "try_drill",
            Self::AskHint => "ask_hint",
        }
    }
}

/// An action that the student may take now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    /// What it is called.
    pub label: Label,
    /// What a press sends.
    pub event: Event,
    /// True for the first button only, and never for a hint.
    pub primary: bool,
}

/// The buttons for what is possible now, whatever the event narrowed this one reply to: exams, then the next unit, then
/// drill and hint. The first is primary unless it is the hint.
///
/// The next unit is offered where the focus has nothing more to give: no badge can be earned there, it is gold, or it has
/// a badge and no question of the next tier can be taken.
pub(crate) fn buttons(
    course: &Course,
    focus: UnitIndex,
    plan: &Plan,
    possible: &[Action],
) -> Vec<Button> {
    let on_focus = |label, kind| Some((label, kind, plan.focus_unit_id.as_str()));
    let can = |action| possible.contains(&action);
    let exhausted = !course.unit(focus).assessable
        || plan.focus_tier == Tier::Gold
        || (plan.focus_tier >= Tier::Bronze && plan.exam_ready);

    let take_exam = can(Action::ExamBlock)
        .then(|| on_focus(Label::TakeExam, EventKind::RequestExam))
        .flatten();
    let check = plan
        .prereq_blocking_unit_id
        .as_deref()
        .filter(|_| plan.prereq_check_open)
        .map(|unit| (Label::CheckPrerequisite, EventKind::RequestExam, unit));
    let next = plan
        .next_unit_id
        .as_deref()
        .filter(|_| exhausted && take_exam.is_none())
        .map(|unit| (Label::NextUnit, EventKind::RequestDrill, unit));
    let drill = can(Action::DrillCard)
        .then(|| on_focus(Label::TryDrill, EventKind::RequestDrill))
        .flatten();
    let hint = on_focus(Label::AskHint, EventKind::StuckHint);

    [take_exam, check, next, drill, hint]
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(i, (label, kind, unit_id))| Button {
            label,
            event: Event {
                kind,
                unit_id: unit_id.to_owned(),
            },
            primary: i == 0 && label != Label::AskHint,
        })
        .collect()
}
