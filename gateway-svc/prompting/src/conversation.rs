//! What the record says of the conversation: the card that the student works on, hints, the last answer.

use std::borrow::Cow;

use serde::Serialize;
use turnwise_proto::{
    exam::v1::QuestionState,
    session::v1::GradedDrill,
    tutor::v1::{DrillResult, TutorCard, tutor_card::Content},
};

use crate::words::{non_empty, tier};

/// The most characters of one text that is repeated, such as an exercise or an answer.
const MOST_CHARS: usize = 600;

/// What the record says of the conversation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conversation<'a> {
    /// The drill or exam question that the student works on. Of an exam question a prompt has no words.
    pub open_card: Option<&'a TutorCard>,
    /// How often a hint on it was asked for before this turn.
    pub hints_given: usize,
    /// The latest drill that was graded.
    pub last_answer: Option<&'a GradedDrill>,
    /// The state of the exam question that the student comes from, as the exam system says.
    pub exam_state: QuestionState,
    /// Whole days since the last message.
    pub days_away: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConversationView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    open_card: Option<CardView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hints_given: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_answer: Option<AnswerView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    days_away: Option<u64>,
}

/// A card as a prompt repeats it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CardView<'a> {
    kind: &'static str,
    unit_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question_latex: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difficulty_tier: Option<&'static str>,
}

/// A drill that was graded.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnswerView<'a> {
    unit_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question_latex: Option<Cow<'a, str>>,
    answer: Cow<'a, str>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mistake_tag: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mistake_meaning: Option<Cow<'a, str>>,
}

impl<'a> ConversationView<'a> {
    /// None where the record has nothing to say.
    pub(crate) fn of(said: &Conversation<'a>) -> Option<Self> {
        let open_card = said.open_card.and_then(CardView::of);
        let view = Self {
            hints_given: open_card.as_ref().map(|_| said.hints_given),
            open_card,
            last_answer: said.last_answer.map(AnswerView::of),
            days_away: Some(said.days_away).filter(|days| *days > 0),
        };
        let is_empty =
            view.open_card.is_none() && view.last_answer.is_none() && view.days_away.is_none();
        (!is_empty).then_some(view)
    }
}

impl<'a> CardView<'a> {
    /// None for a card without content.
    pub(crate) fn of(card: &'a TutorCard) -> Option<Self> {
        let empty = Self {
            kind: "",
            unit_id: &card.unit_id,
            prompt: None,
            question_latex: None,
            question_id: None,
            difficulty_tier: None,
        };
        Some(match card.content.as_ref()? {
            Content::Concept(_) => Self {
                kind: "concept",
                ..empty
            },
            Content::Drill(drill) => Self {
                kind: "drill",
                prompt: said(&drill.prompt),
                question_latex: said(&drill.question_latex),
                ..empty
            },
            Content::Exam(exam) => Self {
                kind: "exam_question",
                question_id: Some(&exam.question_id),
                difficulty_tier: Some(tier(exam.tier())),
                ..empty
            },
        })
    }
}

impl<'a> AnswerView<'a> {
    fn of(graded: &'a GradedDrill) -> Self {
        Self {
            unit_id: &graded.unit_id,
            prompt: said(&graded.prompt),
            question_latex: said(&graded.question_latex),
            answer: beginning(&graded.answer),
            verdict: match graded.result() {
                DrillResult::Correct => "correct",
                DrillResult::Incorrect => "incorrect",
                DrillResult::Unspecified => "not_checked",
            },
            mistake_tag: non_empty(&graded.mistake_tag),
            mistake_meaning: said(&graded.mistake_meaning),
        }
    }
}

/// The state of an exam question after an answer to it; none where there is none.
pub(crate) fn exam_result(state: QuestionState) -> Option<&'static str> {
    match state {
        QuestionState::Passed => Some("passed"),
        QuestionState::Locked => Some("locked"),
        QuestionState::Available | QuestionState::Unspecified => None,
    }
}

/// A text's beginning; none where it is empty.
fn said(text: &str) -> Option<Cow<'_, str>> {
    non_empty(text).map(beginning)
}

fn beginning(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{} …", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
