//! What lies before the pupil: which call a line becomes, and what is still open after its answer.

use turnwise::{
    chat::{
        calls::{Answer, Call},
        desk::{Desk, Step},
        typed::Facing,
    },
    render::buttons::Place,
};
use turnwise_proto::{
    exam::v1::QuestionState,
    tutor::v1::{
        Button, ButtonCall, ClientEventKind, DrillResult, ExamResult, GradeDrillResponse, Role,
        StudentInput, SubmitExamAnswerResponse, TakeTurnResponse, TutorCard, TutorMessage,
        submit_exam_answer_request, tutor_card,
    },
};

use super::scripted_tutor::{self, World};

const THREAD: &str = "thread-1";

fn message(card: Option<TutorCard>) -> TutorMessage {
    TutorMessage {
        role: Role::Assistant.into(),
        text: "Look.".to_owned(),
        card,
        buttons: vec![scripted_tutor::press(
            "ask_hint",
            ClientEventKind::StuckHint,
            false,
        )],
        ..TutorMessage::default()
    }
}

fn desk_with(card: Option<TutorCard>) -> Desk {
    let mut desk = Desk::new(THREAD, "algebra");
    desk.show(&message(card));
    desk
}

fn exam(change: impl FnOnce(&mut turnwise_proto::tutor::v1::ExamCard)) -> TutorCard {
    let mut card = World::default().exam_card(jiff::Timestamp::UNIX_EPOCH);
    if let Some(tutor_card::Content::Exam(exam)) = &mut card.content {
        change(exam);
    }
    card
}

fn sent(step: Step) -> Call {
    match step {
        Step::Send(call) => *call,
        other => panic!("{other:?} is no call"),
    }
}

fn told(step: Step) -> String {
    match step {
        Step::Tell(text) => text,
        other => panic!("{other:?} tells nothing"),
    }
}

/// A turn that brought this message.
fn answered(desk: &mut Desk, call: &Call, message: TutorMessage) {
    let answer = TakeTurnResponse {
        turn_id: "turn-1".to_owned(),
        messages: vec![message],
        ..TakeTurnResponse::default()
    };
    desk.took(call, &Answer::Turn(answer));
}

/// The button that checks what was typed as the answer to the drill of this token.
fn check_typed(card_token: &str) -> Button {
    Button {
        typed_answer: Some(StudentInput {
            text: "x=4".to_owned(),
            ..StudentInput::default()
        }),
        card_token: card_token.to_owned(),
        ..scripted_tutor::call("check_typed", ButtonCall::GradeDrill, true)
    }
}

#[test]
fn what_was_typed_to_the_tutor_is_checked_by_its_button() {
    let drill = scripted_tutor::drill_card();
    let mut other = drill.clone();
    if let Some(tutor_card::Content::Drill(drill)) = &mut other.content {
        drill.drill_token = "proof-of-another".to_owned();
    }
    // The drill is open, or another one has taken its place.
    for card in [None, Some(other)] {
        let mut desk = desk_with(Some(drill.clone()));
        let said = TutorMessage {
            buttons: vec![check_typed("proof-of-the-drill")],
            ..message(card)
        };
        desk.show(&said);
        let at = desk
            .choices()
            .iter()
            .position(|choice| choice.place == Place::Message);
        let Call::Grade(grade) = sent(desk.read(&format!("/{}", at.unwrap() + 1))) else {
            panic!("no grade");
        };
        assert_eq!(grade.drill.unwrap().drill_token, "proof-of-the-drill");
        assert_eq!(grade.answer.unwrap().text, "x=4");
    }
    let mut desk = desk_with(None);
    let said = TutorMessage {
        buttons: vec![check_typed("proof-of-the-drill")],
        ..message(None)
    };
    desk.show(&said);
    assert!(told(desk.read("/1")).contains("put away"));
}

#[test]
fn a_drill_stays_open_through_a_hint() {
    let mut desk = desk_with(Some(scripted_tutor::drill_card()));
    assert_eq!(desk.prompt(), "answer ›");
    let hint = sent(desk.read("/2"));
    let Call::Turn(turn) = &hint else { panic!() };
    assert_eq!(
        turn.event.as_ref().unwrap().kind(),
        ClientEventKind::StuckHint
    );
    answered(&mut desk, &hint, message(None));
    // The tutor has asked something: the next line answers the tutor, not the drill.
    assert!(matches!(desk.facing(), Facing::Tutor { .. }));
    assert_eq!(desk.prompt(), "you ›");
    assert!(matches!(sent(desk.read("take 6 away")), Call::Turn(_)));
    assert!(matches!(sent(desk.read("check 4")), Call::Grade(_)));
    // The card's buttons keep their numbers.
    assert_eq!(told(desk.read("/1")), "Type your answer.");
    assert!(matches!(sent(desk.read("4")), Call::Grade(_)));
}

#[test]
fn another_unit_puts_the_card_away() {
    let mut desk = desk_with(Some(scripted_tutor::drill_card()));
    let mut away = scripted_tutor::press("next_unit", ClientEventKind::RequestDrill, true);
    away.event.as_mut().unwrap().unit_id = "ALG-12".to_owned();
    let mut offered = message(None);
    offered.buttons = vec![away];
    let call = sent(desk.read("/say hello"));
    answered(&mut desk, &call, offered);
    assert!(desk.card().is_some());
    let call = sent(desk.read("/3"));
    answered(&mut desk, &call, message(None));
    assert!(desk.card().is_none());
    assert!(matches!(sent(desk.read("check 4")), Call::Turn(_)));
}

#[test]
fn a_graded_drill_is_done_and_an_unchecked_one_is_not() {
    for (result, open) in [
        (DrillResult::Correct, false),
        (DrillResult::Incorrect, false),
        (DrillResult::Unspecified, true),
    ] {
        let mut desk = desk_with(Some(scripted_tutor::drill_card()));
        let call = sent(desk.read("4"));
        let graded = GradeDrillResponse {
            result: result.into(),
            buttons: vec![
                scripted_tutor::press("try_another", ClientEventKind::RequestDrill, false),
                scripted_tutor::press("continue", ClientEventKind::DrillContinue, true),
            ],
            ..GradeDrillResponse::default()
        };
        desk.took(&call, &Answer::Graded(graded));
        assert_eq!(desk.card().is_some(), open);
        if open {
            assert!(matches!(sent(desk.read("5")), Call::Grade(_)));
            assert_eq!(desk.read(""), Step::Nothing);
        } else {
            // Enter presses the primary one, wherever it stands.
            let Call::Turn(turn) = sent(desk.read("")) else {
                panic!()
            };
            assert_eq!(turn.event.unwrap().kind(), ClientEventKind::DrillContinue);
            assert!(matches!(sent(desk.read("1")), Call::Turn(_)));
        }
    }
}

#[test]
fn an_exam_answer_is_chosen_before_it_is_handed_in() {
    let mut desk = desk_with(Some(exam(|_| {})));
    assert_eq!(told(desk.read("/1")), "Choose a, b, c or d first.");
    assert_eq!(told(desk.read("z")), "Choose a, b, c or d.");
    assert_eq!(desk.read(""), Step::Nothing, "nothing is chosen yet");
    assert_eq!(desk.read("B"), Step::Nothing);
    assert_eq!(desk.prompt(), "hand in b? Enter ›");
    assert_eq!(desk.read("d)"), Step::Nothing);
    for line in ["", "/1", "submit"] {
        let Call::Submit(submit) = sent(desk.clone().read(line)) else {
            panic!()
        };
        assert_eq!(
            submit.answer,
            Some(submit_exam_answer_request::Answer::OptionId("d".to_owned()))
        );
    }
    // A question of the pupil's is no answer, and leaves what was chosen.
    assert!(matches!(sent(desk.read("what is a root?")), Call::Turn(_)));
    assert_eq!(desk.prompt(), "hand in d? Enter ›");
}

#[test]
fn an_exam_answer_may_be_typed() {
    let mut desk = desk_with(Some(exam(|exam| exam.options.clear())));
    assert_eq!(told(desk.read("/1")), "Type your answer first.");
    assert_eq!(desk.read("$ \\frac{1}{2}"), Step::Nothing);
    assert_eq!(desk.prompt(), "hand in “1/2”? Enter ›");
    let Call::Submit(submit) = sent(desk.read("")) else {
        panic!()
    };
    assert_eq!(
        submit.answer,
        Some(submit_exam_answer_request::Answer::AnswerText(
            "\\frac{1}{2}".to_owned()
        ))
    );
}

#[test]
fn a_locked_question_takes_no_answer() {
    for state in [QuestionState::Locked, QuestionState::Unspecified] {
        let mut desk = desk_with(Some(exam(|exam| exam.state = state.into())));
        assert_eq!(desk.prompt(), "you ›");
        assert!(matches!(sent(desk.read("b")), Call::Turn(_)));
        for line in ["/1", "submit b"] {
            assert!(
                told(desk.read(line)).contains("takes no answer now"),
                "{line}"
            );
        }
    }
}

#[test]
fn help_for_a_passed_question_locks_nothing() {
    let mut desk = desk_with(Some(exam(|exam| {
        exam.state = QuestionState::Passed.into();
    })));
    assert!(matches!(sent(desk.read("/2")), Call::View(_)));
}

#[test]
fn a_result_that_is_not_known_leaves_the_question_open() {
    for (result, open) in [
        (ExamResult::Passed, false),
        (ExamResult::Locked, false),
        (ExamResult::Unspecified, true),
    ] {
        let mut desk = desk_with(Some(exam(|_| {})));
        let call = sent(desk.read("submit b"));
        let submitted = SubmitExamAnswerResponse {
            result: result.into(),
            ..SubmitExamAnswerResponse::default()
        };
        desk.took(&call, &Answer::Submitted(submitted));
        assert_eq!(desk.card().is_some(), open);
    }
}

#[test]
fn a_card_for_reading_leaves_the_drill_open() {
    let mut desk = desk_with(Some(scripted_tutor::drill_card()));
    let call = sent(desk.read("/2"));
    answered(
        &mut desk,
        &call,
        message(Some(scripted_tutor::concept_card())),
    );
    assert_eq!(desk.choices().len(), 3);
    assert_eq!(
        desk.help_line(),
        "The drill is still open: `check …` answers it; /card brings it back."
    );
    assert_eq!(told(desk.read("/2")), "Type your question.");
    assert!(matches!(sent(desk.read("why?")), Call::Turn(_)));
    assert!(matches!(sent(desk.read("check 4")), Call::Grade(_)));
}

/// A client holds no rules: a button that it has never heard of is drawn and sent like any other.
#[test]
fn an_unknown_button_is_pressed_like_any_other() {
    let mut desk = Desk::new(THREAD, "algebra");
    let mut unknown = scripted_tutor::press("dance", ClientEventKind::RequestExam, false);
    unknown.call = 99;
    let mut dealt = message(None);
    dealt.buttons = vec![unknown, Button::default()];
    desk.show(&dealt);
    assert!(desk.choices().iter().all(|c| c.place == Place::Message));
    let Call::Turn(turn) = sent(desk.read("/1")) else {
        panic!()
    };
    assert_eq!(turn.event.unwrap().kind(), ClientEventKind::RequestExam);
    assert!(matches!(sent(desk.read("/2")), Call::Turn(_)));
}

/// A message that found the model busy is sent again as a new turn that keeps its place in line.
#[test]
fn a_busy_model_is_asked_again_with_the_ticket() {
    let mut desk = Desk::new(THREAD, "algebra");
    let call = sent(desk.read("hello"));
    let answer = TakeTurnResponse {
        messages: vec![message(None)],
        retry_after: Some(prost_types::Duration {
            seconds: 4,
            nanos: 0,
        }),
        place_ticket: "ticket".to_owned(),
        ..TakeTurnResponse::default()
    };
    desk.took(&call, &Answer::Turn(answer));
    let (Call::Turn(first), Call::Turn(again)) = (call, sent(desk.read("/again"))) else {
        panic!()
    };
    assert_eq!(again.input, first.input);
    assert_eq!(again.place_ticket, "ticket");
    assert_ne!(again.idempotency_key, first.idempotency_key);
}
