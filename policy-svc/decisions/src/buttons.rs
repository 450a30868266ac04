//! What the student may press: below a reply, on a card, with a result.

use turnwise_messages::{Key, keys};

use crate::{
    course::{Course, ExamQuestion, UnitIndex},
    evidence::EvidenceEvent,
    plan::Plan,
    standing::RevisitEntry,
    words::{Action, Availability, Event, EventKind, SupportKind, Tier},
};

/// What a button is for, and what a client may look its wording up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// Take the exam question of the focus.
    TakeExam,
    /// Take the exam question of the prerequisite that blocks.
    CheckPrerequisite,
    /// Go on with another unit.
    NextUnit,
    /// Say that it is about this unit.
    ChooseUnit,
    /// Take a drill.
    TryDrill,
    /// Ask for a hint.
    AskHint,
    /// Ask something about an explanation.
    AskFollowUp,
    /// Have the answer to a drill graded.
    CheckAnswer,
    /// Have a message graded that reads as the answer to the open drill.
    CheckTyped,
    /// Send the answer to an exam question.
    SubmitAnswer,
    /// Look at an exam question's memo.
    ViewMemo,
    /// Look at an exam question's video.
    ViewVideo,
    /// Go on after a result.
    Continue,
    /// Take another drill.
    TryAnother,
}

impl Label {
    /// The key.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TakeExam => "take_exam",
            Self::CheckPrerequisite => "check_prerequisite",
            Self::NextUnit => "next_unit",
            Self::ChooseUnit => "choose_unit",
            Self::TryDrill => "try_drill",
            Self::AskHint => "ask_hint",
            Self::AskFollowUp => "ask_follow_up",
            Self::CheckAnswer => "check_answer",
            Self::CheckTyped => "check_typed",
            Self::SubmitAnswer => "submit_answer",
            Self::ViewMemo => "view_memo",
            Self::ViewVideo => "view_video",
            Self::Continue => "continue",
            Self::TryAnother => "try_another",
        }
    }

    /// What the button says: on a card, or elsewhere.
    #[must_use]
    pub fn message(self, on_card: bool) -> Key {
        match self {
            Self::TakeExam => keys::BUTTON_TAKE_EXAM,
            Self::CheckPrerequisite => keys::BUTTON_CHECK_PREREQUISITE,
            Self::NextUnit => keys::BUTTON_NEXT_UNIT,
            Self::ChooseUnit => keys::BUTTON_CHOOSE_UNIT,
            Self::TryDrill => keys::BUTTON_TRY_DRILL,
            Self::AskHint if on_card => keys::BUTTON_ASK_HINT_ON_CARD,
            Self::AskHint => keys::BUTTON_ASK_HINT,
            Self::AskFollowUp => keys::BUTTON_ASK_FOLLOW_UP,
            Self::CheckAnswer => keys::BUTTON_CHECK_ANSWER,
            Self::CheckTyped => keys::BUTTON_CHECK_TYPED,
            Self::SubmitAnswer => keys::BUTTON_SUBMIT_ANSWER,
            Self::ViewMemo => keys::BUTTON_VIEW_MEMO,
            Self::ViewVideo => keys::BUTTON_VIEW_VIDEO,
            Self::Continue => keys::BUTTON_CONTINUE,
            Self::TryAnother => keys::BUTTON_TRY_ANOTHER,
        }
    }
}

/// What a press does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// Takes a turn with this event.
    Turn(Event),
    /// Grades the card's drill.
    GradeDrill,
    /// Sends the answer to the card's exam question.
    SubmitExam,
    /// Shows the exam question's help of this kind.
    ViewSupport(SupportKind),
    /// Nothing: the student goes on typing.
    Compose,
}

/// An action that the student may take now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    /// What it is called.
    pub label: Label,
    /// What a press does.
    pub call: Call,
    /// True for the first button only.
    pub primary: bool,
}

impl Button {
    /// The event that a press sends with the next turn; `None` where it takes no turn.
    #[must_use]
    pub fn event(&self) -> Option<&Event> {
        match &self.call {
            Call::Turn(event) => Some(event),
            Call::GradeDrill | Call::SubmitExam | Call::ViewSupport(_) | Call::Compose => None,
        }
    }
}

/// The buttons for what is possible now, whatever the event narrowed this one reply to: the units to choose from, exams,
/// then the next unit, then drill and hint. On a gold unit, and where it leads on to what was asked for, the next one comes
/// before the exams. The first button is primary. While a drill on the focus is open, the hint comes before another drill.
///
/// The next unit is offered where it leads on, and where the focus has nothing more to give: no badge can be earned there,
/// it is gold, or the student is ready and no question can be taken. Before the first badge only a lock counts for that.
pub(crate) fn buttons(
    course: &Course,
    focus: UnitIndex,
    plan: &Plan,
    choice_unit_ids: &[String],
    possible: &[Action],
    availability: Availability,
    open_drill_unit_id: &str,
) -> Vec<Button> {
    let on_focus = |label, kind| Some((label, turn(kind, &plan.focus_unit_id)));
    let can = |action| possible.contains(&action);
    let next_first = plan.focus_tier == Tier::Gold || plan.next_leads_to_target;
    let take_exam = can(Action::ExamBlock)
        .then(|| on_focus(Label::TakeExam, EventKind::RequestExam))
        .flatten();
    let check = plan
        .prereq_blocking_unit_id
        .as_deref()
        .filter(|_| plan.prereq_check_open)
        .map(|unit| (Label::CheckPrerequisite, turn(EventKind::RequestExam, unit)));
    let badge = plan.focus_tier > Tier::None;
    let closed = availability == Availability::Locked || (badge && take_exam.is_none());
    let waits = plan.exam_ready && closed;
    let next = plan
        .next_unit_id
        .as_deref()
        .filter(|_| !course.unit(focus).assessable || next_first || waits)
        .map(|unit| (Label::NextUnit, turn(EventKind::RequestDrill, unit)));
    let drill = can(Action::DrillCard)
        .then(|| on_focus(Label::TryDrill, EventKind::RequestDrill))
        .flatten();
    let hint = on_focus(Label::AskHint, EventKind::StuckHint);

    let exams_and_next = if next_first {
        [next, take_exam, check]
    } else {
        [take_exam, check, next]
    };
    let choices = choice_unit_ids
        .iter()
        .map(|unit| (Label::ChooseUnit, turn(EventKind::ChooseUnit, unit)));
    let practice = if open_drill_unit_id == plan.focus_unit_id {
        [hint, drill]
    } else {
        [drill, hint]
    };
    let others = exams_and_next.into_iter().chain(practice).flatten();
    in_order(choices.chain(others))
}

/// The buttons on an exam question before it is answered: the answer, and the help that the course has for it.
#[must_use]
pub fn on_question(question: &ExamQuestion) -> Vec<Button> {
    let help = [
        (Label::ViewMemo, SupportKind::Memo),
        (Label::ViewVideo, SupportKind::Video),
    ];
    let help = help
        .into_iter()
        .filter(|(_, kind)| question.support.contains(kind))
        .map(|(label, kind)| (label, Call::ViewSupport(kind)));
    in_order(
        [(Label::SubmitAnswer, Call::SubmitExam)]
            .into_iter()
            .chain(help),
    )
}

/// The button that opens an exam question to come back to. It stands beside an answer, so that it is never the primary one.
#[must_use]
pub fn on_revisit(entry: &RevisitEntry) -> Button {
    Button {
        label: Label::TakeExam,
        call: about(
            EventKind::RequestExam,
            &entry.unit.unit_id,
            &entry.question_id,
        ),
        primary: false,
    }
}

/// The buttons with the result of an event; none with a teacher's mark, which no student sees.
#[must_use]
pub fn after(event: &EvidenceEvent) -> Vec<Button> {
    match event {
        EvidenceEvent::DrillGraded { unit_id, .. } => in_order([
            (Label::Continue, turn(EventKind::DrillContinue, unit_id)),
            (Label::TryAnother, turn(EventKind::RequestDrill, unit_id)),
        ]),
        EvidenceEvent::ExamResult { question, .. }
        | EvidenceEvent::SupportViewed { question, .. } => {
            let (unit, id) = (&question.unit_id, &question.question_id);
            in_order([(Label::Continue, about(EventKind::ExamContinue, unit, id))])
        }
        EvidenceEvent::PrerequisiteMarked { .. } => Vec::new(),
    }
}

pub(crate) fn turn(kind: EventKind, unit_id: &str) -> Call {
    about(kind, unit_id, "")
}

fn about(kind: EventKind, unit_id: &str, question_id: &str) -> Call {
    Call::Turn(Event {
        kind,
        unit_id: unit_id.to_owned(),
        question_id: question_id.to_owned(),
    })
}

pub(crate) fn in_order(buttons: impl IntoIterator<Item = (Label, Call)>) -> Vec<Button> {
    buttons
        .into_iter()
        .enumerate()
        .map(|(i, (label, call))| Button {
            label,
            call,
            primary: i == 0,
        })
        .collect()
}
