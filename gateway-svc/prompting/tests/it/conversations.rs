//! Turns in the middle of a conversation: what the record says of each.

use turnwise_proto::{
    exam::v1::QuestionState,
    session::v1::GradedDrill,
    tutor::v1::{
        ClientEvent, ClientEventKind, DrillCard, DrillResult, ExamCard, ExamOption, ExamResult,
        MasteryTier, Role, StudentInput, TutorCard, TutorMessage, tutor_card::Content,
    },
};

use crate::fixture::{Turn, Work, said, turn};

fn drill_card() -> TutorCard {
    TutorCard {
        unit_id: "ALG-09".to_owned(),
        content: Some(Content::Drill(DrillCard {
            prompt: "Solve the equation.".to_owned(),
            question_latex: "2x + 3 = 11".to_owned(),
            drill_token: "a-token-of-the-card".to_owned(),
        })),
        buttons: Vec::new(),
    }
}

fn showed(text: &str, card: TutorCard) -> TutorMessage {
    TutorMessage {
        card: Some(card),
        ..said(Role::Assistant, text)
    }
}

fn pressed(kind: ClientEventKind) -> ClientEvent {
    ClientEvent {
        kind: kind.into(),
        unit_id: "ALG-09".to_owned(),
        ..ClientEvent::default()
    }
}

fn message_of(event: ClientEvent) -> TutorMessage {
    TutorMessage {
        role: Role::User.into(),
        event: Some(event),
        ..TutorMessage::default()
    }
}

/// An answer to the drill that counted.
fn graded(answer: &str, result: DrillResult) -> GradedDrill {
    GradedDrill {
        unit_id: "ALG-09".to_owned(),
        prompt: "Solve the equation.".to_owned(),
        question_latex: "2x + 3 = 11".to_owned(),
        answer: answer.to_owned(),
        result: result.into(),
        ..GradedDrill::default()
    }
}

/// `I'm stuck` on a drill, the second time.
pub fn stuck_on_drill() -> Turn {
    let hint = pressed(ClientEventKind::StuckHint);
    Turn {
        recent: vec![
            message_of(pressed(ClientEventKind::RequestDrill)),
            showed("Here is one.", drill_card()),
            message_of(hint.clone()),
            said(Role::Assistant, "What was done to x last?"),
        ],
        input: StudentInput::default(),
        event: Some(ClientEvent {
            card_token: "a-token-of-the-card".to_owned(),
            ..hint
        }),
        work: Work {
            open_card: Some(drill_card()),
            hints_given: 1,
            ..Work::default()
        },
        ..turn()
    }
}

/// Going on after a right answer, of which the client says that it was wrong.
pub fn right_and_continue() -> Turn {
    Turn {
        recent: vec![showed("Here is one.", drill_card())],
        input: StudentInput::default(),
        event: Some(ClientEvent {
            drill_result: DrillResult::Incorrect.into(),
            ..pressed(ClientEventKind::DrillContinue)
        }),
        work: Work {
            last_answer: Some(graded("x = 4", DrillResult::Correct)),
            ..Work::default()
        },
        ..turn()
    }
}

/// A question after a wrong answer whose mistake is known.
pub fn wrong_with_tag() -> Turn {
    Turn {
        recent: vec![showed("Here is one.", drill_card())],
        input: StudentInput {
            text: "why is 7 wrong?".to_owned(),
            ..StudentInput::default()
        },
        work: Work {
            last_answer: Some(GradedDrill {
                mistake_tag: "undone-in-order".to_owned(),
                mistake_meaning: "Undoes the operations in the order in which they were done."
                    .to_owned(),
                ..graded("x = 7", DrillResult::Incorrect)
            }),
            ..Work::default()
        },
        ..turn()
    }
}

/// Back after a day, with a drill that is still open.
pub fn back_after_a_day() -> Turn {
    Turn {
        recent: vec![showed("Here is one.", drill_card())],
        input: StudentInput {
            text: "hi again".to_owned(),
            ..StudentInput::default()
        },
        work: Work {
            open_card: Some(drill_card()),
            days_away: 1,
            ..Work::default()
        },
        ..turn()
    }
}

/// A message while an exam question is open, whose words are not for the model.
pub fn open_exam() -> Turn {
    let card = TutorCard {
        unit_id: "ALG-09".to_owned(),
        content: Some(Content::Exam(ExamCard {
            question_id: "ALG-09-B1".to_owned(),
            tier: MasteryTier::Bronze.into(),
            prompt: "Which equation undoes it?".to_owned(),
            question_latex: "5x - 1 = 14".to_owned(),
            options: vec![ExamOption {
                option_id: "a".to_owned(),
                text: "x equals three".to_owned(),
            }],
            offer_token: "a-token-of-the-offer".to_owned(),
            ..ExamCard::default()
        })),
        buttons: Vec::new(),
    };
    Turn {
        recent: vec![showed("Here is a question.", card.clone())],
        input: StudentInput {
            text: "can you help me with it?".to_owned(),
            ..StudentInput::default()
        },
        work: Work {
            open_card: Some(card),
            ..Work::default()
        },
        ..turn()
    }
}

/// Going on after an exam question that is locked now, of which the client says that it was passed.
pub fn locked_and_continue() -> Turn {
    Turn {
        input: StudentInput::default(),
        event: Some(ClientEvent {
            question_id: "ALG-09-B1".to_owned(),
            exam_result: ExamResult::Passed.into(),
            ..pressed(ClientEventKind::ExamContinue)
        }),
        work: Work {
            exam_state: QuestionState::Locked,
            ..Work::default()
        },
        ..turn()
    }
}
