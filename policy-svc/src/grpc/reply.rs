//! Replies as they travel: what a reply does, what it says and its card. No pattern in here leaves a field of a card out:
//! one that a card gets has to be sent, or it does not compile.

use turnwise_decisions as decisions;
use turnwise_messages::Texts;
use turnwise_proto::{policy::v1 as policy, session::v1 as session, tutor::v1 as tutor};

use super::{words, write};

/// An action; `None` if it is unspecified or not known.
pub(super) fn action(value: i32) -> Option<decisions::Action> {
    let mut all = decisions::Action::ALL.into_iter();
    all.find(|action| action_to_proto(*action) == value)
}

pub(super) fn action_to_proto(action: decisions::Action) -> i32 {
    let action = match action {
        decisions::Action::SocraticQuestion => tutor::TutorAction::SocraticQuestion,
        decisions::Action::ConceptCard => tutor::TutorAction::ConceptCard,
        decisions::Action::DrillCard => tutor::TutorAction::DrillCard,
        decisions::Action::ExamBlock => tutor::TutorAction::ExamBlock,
    };
    action.into()
}

pub(super) fn resolution(
    texts: &Texts,
    resolution: decisions::Resolution,
) -> policy::ResolveReplyResponse {
    let unit_id = resolution.target_unit_id.clone();
    policy::ResolveReplyResponse {
        fallback_reason: words::fallback_reason_to_proto(resolution.fallback_reason),
        violation: resolution.violation.unwrap_or_default(),
        met: None,
        check_typed: None,
        prompt_runs_known: false,
        is_on_own_exercise: false,
        analysis: resolution.analysis.map(|analysis| session::TurnAnalysis {
            mapped_units: write::mapped_units(analysis.mapped_units),
            student_intent: words::intent_to_proto(analysis.student_intent),
            understanding_signal: words::signal_to_proto(analysis.understanding_signal),
            suggested_prereq_units: analysis.suggested_prereq_units,
        }),
        observations: resolution
            .observations
            .iter()
            .map(|observation| observation.as_str().to_owned())
            .collect(),
        reply: Some(policy::Reply {
            action: action_to_proto(resolution.action),
            target_unit_id: resolution.target_unit_id,
            text: resolution.text,
            card: resolution.card.map(|content| tutor::TutorCard {
                unit_id,
                content: Some(card(content)),
                buttons: write::on_card(texts, resolution.card_buttons),
            }),
            drill_id: resolution.drill_id.unwrap_or_default(),
        }),
    }
}

fn card(card: decisions::reply::Card) -> tutor::tutor_card::Content {
    use decisions::reply::{Card, LlmConceptCard, LlmDrillCard, LlmWorkedExample};
    use tutor::tutor_card::Content;
    match card {
        Card::Concept(LlmConceptCard {
            key_ideas,
            worked_example,
        }) => Content::Concept(tutor::ConceptCard {
            key_ideas,
            worked_example: worked_example.map(
                |LlmWorkedExample {
                     problem_latex,
                     final_answer_latex,
                     steps_latex,
                 }| tutor::WorkedExample {
                    problem_latex,
                    final_answer_latex,
                    steps_latex,
                },
            ),
        }),
        Card::Drill(LlmDrillCard {
            prompt,
            question_latex,
        }) => Content::Drill(tutor::DrillCard {
            prompt,
            question_latex,
            drill_token: String::new(),
        }),
        Card::Exam(question) => Content::Exam(exam_card(question)),
    }
}

/// A question as a client draws it. Its state is the exam system's to say, its token the gateway's.
pub(super) fn exam_card(question: decisions::ExamQuestion) -> tutor::ExamCard {
    let decisions::ExamQuestion {
        id,
        units: _,
        tier,
        prompt,
        question_latex,
        options,
        support: _,
    } = question;
    let option = |decisions::ExamOption { id, text }| tutor::ExamOption {
        option_id: id,
        text,
    };
    tutor::ExamCard {
        question_id: id,
        tier: words::tier_to_proto(tier),
        prompt,
        question_latex,
        options: options.into_iter().map(option).collect(),
        ..tutor::ExamCard::default()
    }
}
