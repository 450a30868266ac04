//! The card that a student works on, and what else a model is told of the conversation.

use prost_types::Timestamp;
use sha2::{Digest, Sha256};
use turnwise_gateway_svc::record::{plan_request, resolve_request, turn_prompt};
use turnwise_prompts::Conversation;
use turnwise_proto::{
    exam::v1::{QuestionState, QuestionStatus},
    explain::v1::{ClarificationFacts, ModelCall, TurnFacts, TurnTexts},
    policy::v1::{KnownTexts, PlacementQuestion, Plan, Policy, SnapshotSummary, WaitingCard},
    session::v1::{Evidence, GradedDrill, RevisitEntry, StudentSnapshot, UnitProgress},
    tutor::v1::{
        ClientEvent, ClientEventKind, DrillCard, ExamCard, Role, StudentInput, TutorCard,
        TutorMessage, tutor_card::Content,
    },
};

fn at(seconds: i64) -> Option<Timestamp> {
    Some(Timestamp { seconds, nanos: 0 })
}

fn drill(unit: &str, token: &str) -> TutorCard {
    TutorCard {
        unit_id: unit.to_owned(),
        content: Some(Content::Drill(DrillCard {
            prompt: format!("The drill {token}."),
            question_latex: "x + 3 = 7".to_owned(),
            drill_token: token.to_owned(),
        })),
        buttons: Vec::new(),
    }
}

fn shows(seconds: i64, card: TutorCard) -> TutorMessage {
    TutorMessage {
        role: Role::Assistant.into(),
        card: Some(card),
        create_time: at(seconds),
        ..TutorMessage::default()
    }
}

fn presses(seconds: i64, kind: ClientEventKind) -> TutorMessage {
    TutorMessage {
        role: Role::User.into(),
        event: Some(event(kind, "U")),
        create_time: at(seconds),
        ..TutorMessage::default()
    }
}

fn event(kind: ClientEventKind, unit: &str) -> ClientEvent {
    ClientEvent {
        kind: kind.into(),
        unit_id: unit.to_owned(),
        ..ClientEvent::default()
    }
}

/// Two drills, and a hint on each.
fn turn() -> (TurnFacts, TurnTexts) {
    let facts = TurnFacts {
        policy: Some(Policy {
            scoped_unit_ids: vec!["U".to_owned()],
            ..Policy::default()
        }),
        summary: Some(SnapshotSummary::default()),
        model_call: Some(ModelCall::default()),
        planned_at: at(100),
        ..TurnFacts::default()
    };
    let texts = TurnTexts {
        input: Some(StudentInput {
            text: "x = 4".to_owned(),
            ..StudentInput::default()
        }),
        recent_messages: vec![
            shows(1, drill("U", "first")),
            presses(2, ClientEventKind::StuckHint),
            shows(3, drill("U", "second")),
            presses(4, ClientEventKind::StuckHint),
            presses(5, ClientEventKind::DrillContinue),
        ],
        ..TurnTexts::default()
    };
    (facts, texts)
}

fn told(facts: &TurnFacts, texts: &TurnTexts, check: impl FnOnce(Conversation<'_>)) {
    let no_input = StudentInput::default();
    check(turn_prompt(facts, texts, &no_input).unwrap().conversation);
}

/// The token of the open card, and how many hints there were.
fn open(facts: &TurnFacts, texts: &TurnTexts) -> (String, usize) {
    let mut open = (String::new(), 0);
    told(facts, texts, |said| {
        if let Some(Content::Drill(drill)) = said.open_card.and_then(|card| card.content.as_ref()) {
            open = (drill.drill_token.clone(), said.hints_given);
        }
    });
    open
}

#[test]
fn the_open_card_is_the_one_of_the_button_and_else_the_last() {
    let (mut facts, mut texts) = turn();
    assert_eq!(open(&facts, &texts), ("second".to_owned(), 1));
    for (unit, card_token, token, hints) in [
        ("U", "first", "first", 1),
        ("U", "second", "second", 1),
        // Neither another thread's token nor another unit's card.
        ("U", "forged", "second", 1),
        ("V", "first", "second", 1),
    ] {
        facts.event = Some(event(ClientEventKind::StuckHint, unit));
        texts.card_token = card_token.to_owned();
        assert_eq!(open(&facts, &texts), (token.to_owned(), hints));
    }
    texts.recent_messages.clear();
    assert_eq!(open(&facts, &texts), (String::new(), 0));
}

fn asks_on(seconds: i64, card_token: &str) -> TutorMessage {
    TutorMessage {
        event: Some(ClientEvent {
            card_token: card_token.to_owned(),
            ..event(ClientEventKind::StuckHint, "U")
        }),
        ..presses(seconds, ClientEventKind::StuckHint)
    }
}

#[test]
fn after_a_hint_the_card_is_the_one_that_it_was_asked_on() {
    let (facts, mut texts) = turn();
    let mut after = |message: TutorMessage, token: &str, hints: usize| {
        texts.recent_messages.push(message);
        assert_eq!(open(&facts, &texts), (token.to_owned(), hints));
    };
    after(asks_on(6, "first"), "first", 2);
    after(asks_on(7, "first"), "first", 3);
    // One that names no card is on the same.
    after(presses(8, ClientEventKind::StuckHint), "first", 4);
    // One that names a card that was not read is on none of these.
    after(asks_on(9, "forged"), "first", 4);
    after(asks_on(10, "second"), "second", 2);
    after(asks_on(11, "first"), "first", 5);
    let typed = resolve_request(&facts, &texts, KnownTexts::default()).unwrap();
    assert_eq!(typed.open_drill.unwrap().prompt, "The drill first.");
    assert_eq!(typed.hints_given, 5);
    // When it is graded, the last card is left, and when a card is set, that one.
    let mut graded = texts.clone();
    graded.graded = Some(Box::new(GradedDrill {
        card_token: "first".to_owned(),
        ..GradedDrill::default()
    }));
    assert_eq!(open(&facts, &graded), ("second".to_owned(), 2));
    texts.recent_messages.push(shows(12, drill("U", "third")));
    assert_eq!(open(&facts, &texts), ("third".to_owned(), 0));
}

/// The plan reads a message for an exercise where nothing waits for it as an answer.
#[test]
fn the_plan_is_told_the_card_that_waits_and_no_answer_to_a_document() {
    let (mut facts, mut texts) = turn();
    let message = |facts: &TurnFacts, texts: &TurnTexts| plan_request(facts, texts, "").message;
    let waits = |facts: &TurnFacts, texts: &TurnTexts| plan_request(facts, texts, "").card;
    assert_eq!(message(&facts, &texts), "x = 4");
    let open = WaitingCard {
        prompt: "The drill second.".to_owned(),
        question_latex: "x + 3 = 7".to_owned(),
    };
    assert_eq!(waits(&facts, &texts), Some(open));
    texts.graded = Some(Box::new(GradedDrill {
        card_token: "second".to_owned(),
        ..GradedDrill::default()
    }));
    assert_eq!(waits(&facts, &texts), None, "it was graded");
    texts.recent_messages.clear();
    assert_eq!(message(&facts, &texts), "x = 4");
    facts.event = Some(event(ClientEventKind::StuckHint, "U"));
    assert_eq!(message(&facts, &texts), "", "a button");
    facts.event = None;
    // The answer to a question of a document; what is planned for is what the questions were asked about.
    texts.query = Some(StudentInput::default());
    assert_eq!(message(&facts, &texts), "");
}

/// What was shown of the unit last, seconds after the epoch.
fn touched(seconds: i64) -> Option<StudentSnapshot> {
    Some(StudentSnapshot {
        evidence: Some(Evidence {
            unit_progress: vec![UnitProgress {
                unit_id: "U".to_owned(),
                last_touched_at: at(seconds),
                ..UnitProgress::default()
            }],
            ..Evidence::default()
        }),
        ..StudentSnapshot::default()
    })
}

#[test]
fn a_drill_is_open_until_the_thread_has_graded_it() {
    let (mut facts, mut texts) = turn();
    // Evidence of another thread, or of a look at help, answers no drill.
    facts.snapshot = touched(50);
    assert_eq!(open(&facts, &texts).0, "second");
    for (graded, is_open) in [("first", true), ("second", false)] {
        texts.graded = Some(Box::new(GradedDrill {
            unit_id: "U".to_owned(),
            card_token: graded.to_owned(),
            ..GradedDrill::default()
        }));
        assert_eq!(!open(&facts, &texts).0.is_empty(), is_open, "{graded}");
        let typed = resolve_request(&facts, &texts, KnownTexts::default()).unwrap();
        assert_eq!(typed.open_drill.is_some(), is_open, "{graded}");
    }
}

/// As a thread keeps the token of a drill that was graded before the latest.
pub fn token_hash(token: &str) -> u64 {
    let digest = Sha256::digest(token);
    u64::from_be_bytes(*digest.first_chunk::<8>().unwrap())
}

#[test]
fn a_drill_that_was_graded_stays_done_whichever_was_graded_since() {
    let (facts, mut texts) = turn();
    for (before, is_open) in [
        // As an earlier version stored it.
        (vec![], true),
        (vec!["other"], true),
        (vec!["second"], false),
        (vec!["second", "other"], false),
    ] {
        texts.graded = Some(Box::new(GradedDrill {
            unit_id: "U".to_owned(),
            card_token: "first".to_owned(),
            graded_before: before.iter().map(|token| token_hash(token)).collect(),
            ..GradedDrill::default()
        }));
        assert_eq!(!open(&facts, &texts).0.is_empty(), is_open, "{before:?}");
        let typed = resolve_request(&facts, &texts, KnownTexts::default()).unwrap();
        assert_eq!(typed.open_drill.is_some(), is_open, "{before:?}");
        let card = plan_request(&facts, &texts, "").card;
        assert_eq!(card.is_some(), is_open, "{before:?}");
    }
}

#[test]
fn the_other_drills_that_wait_go_with_the_reply() {
    let (facts, mut texts) = turn();
    let others = |texts: &TurnTexts| -> Vec<String> {
        let request = resolve_request(&facts, texts, KnownTexts::default()).unwrap();
        let drills = request.other_drills.into_iter();
        drills.map(|drill| drill.prompt).collect()
    };
    assert_eq!(others(&texts), ["The drill first."]);
    texts.recent_messages.push(asks_on(6, "first"));
    assert_eq!(others(&texts), ["The drill second."]);
    texts.graded = Some(Box::new(GradedDrill {
        card_token: "first".to_owned(),
        graded_before: vec![token_hash("second")],
        ..GradedDrill::default()
    }));
    assert!(others(&texts).is_empty());
    let cards = ["third", "fourth", "fifth", "sixth", "seventh"].into_iter();
    let cards = cards.map(|token| shows(7, drill("U", token)));
    texts.recent_messages.extend(cards);
    let waiting = ["The drill sixth.", "The drill fifth.", "The drill fourth."];
    assert_eq!(others(&texts), waiting);
}

/// What the record says of exam questions: those with a result or a lock, and those that wait.
fn record(touched: &[&str], waiting: &[&str]) -> StudentSnapshot {
    let entry = |id: &&str| RevisitEntry {
        question_id: (*id).to_owned(),
        ..RevisitEntry::default()
    };
    StudentSnapshot {
        evidence: Some(Evidence {
            exam_touched: touched.iter().map(|id| (*id).to_owned()).collect(),
            revisit_queue: waiting.iter().map(entry).collect(),
            ..Evidence::default()
        }),
        ..StudentSnapshot::default()
    }
}

fn status(question_id: &str, state: QuestionState) -> QuestionStatus {
    QuestionStatus {
        question_id: question_id.to_owned(),
        state: state.into(),
        ..QuestionStatus::default()
    }
}

#[test]
fn an_exam_question_is_open_until_it_is_passed_or_locked() {
    let (mut facts, mut texts) = turn();
    texts.recent_messages.push(shows(
        6,
        TutorCard {
            unit_id: "U".to_owned(),
            content: Some(Content::Exam(ExamCard {
                question_id: "Q".to_owned(),
                ..ExamCard::default()
            })),
            buttons: Vec::new(),
        },
    ));
    let (available, locked, passed) = (
        QuestionState::Available,
        QuestionState::Locked,
        QuestionState::Passed,
    );
    for (name, snapshot, statuses, is_open) in [
        ("nothing is known", None, vec![], true),
        // A drill of the unit that was graded since, and a look at help with it.
        ("evidence on its unit", touched(7), vec![], true),
        (
            "others are done",
            Some(record(&["R"], &["S"])),
            vec![status("R", passed), status("S", locked)],
            true,
        ),
        ("passed", None, vec![status("Q", passed)], false),
        ("locked", None, vec![status("Q", locked)], false),
        ("touched", Some(record(&["Q"], &[])), vec![], false),
        ("waits", Some(record(&["Q"], &["Q"])), vec![], false),
        ("only waits", Some(record(&[], &["Q"])), vec![], false),
        // The exam system knows better: its lock has ended, and it was offered again.
        (
            "available again",
            Some(record(&["Q"], &["Q"])),
            vec![status("Q", available)],
            true,
        ),
        (
            "passed elsewhere",
            Some(record(&[], &[])),
            vec![status("R", available), status("Q", passed)],
            false,
        ),
    ] {
        facts.snapshot = snapshot;
        facts.statuses = statuses;
        told(&facts, &texts, |said| {
            assert_eq!(said.open_card.is_some(), is_open, "{name}");
        });
        assert_eq!(own_exercises(&facts, &texts), !is_open, "{name}");
        let card = plan_request(&facts, &texts, "").card;
        assert_eq!(card.is_none(), name == "touched", "{name}");
    }
    // It waits still when a drill was set since, and graded.
    texts.recent_messages.push(shows(8, drill("U", "third")));
    texts.graded = Some(Box::new(GradedDrill {
        card_token: "third".to_owned(),
        ..GradedDrill::default()
    }));
    for (state, waits) in [(available, true), (passed, false)] {
        facts.statuses = vec![status("Q", state)];
        assert_eq!(own_exercises(&facts, &texts), !waits, "{state:?}");
        let request = resolve_request(&facts, &texts, KnownTexts::default());
        let question = request.unwrap().exam_question;
        assert_eq!(question.is_some(), waits, "{state:?}");
    }
}

fn own_exercises(facts: &TurnFacts, texts: &TurnTexts) -> bool {
    let request = resolve_request(facts, texts, KnownTexts::default());
    request.unwrap().own_exercises
}

#[test]
fn the_record_says_how_it_went() {
    let (mut facts, mut texts) = turn();
    let graded = |unit: &str| {
        Some(Box::new(GradedDrill {
            unit_id: unit.to_owned(),
            ..GradedDrill::default()
        }))
    };
    for (unit, is_told) in [("U", true), ("V", false)] {
        texts.graded = graded(unit);
        told(&facts, &texts, |said| {
            assert_eq!(said.last_answer.is_some(), is_told, "{unit}");
            assert_eq!(said.days_away, 0);
            assert_eq!(said.exam_state, QuestionState::Unspecified);
        });
    }
    facts.planned_at = at(2 * 86_400 + 5);
    facts.event = Some(ClientEvent {
        question_id: "Q".to_owned(),
        ..event(ClientEventKind::ExamContinue, "U")
    });
    facts.statuses = vec![status("Q", QuestionState::Locked)];
    told(&facts, &texts, |said| {
        assert_eq!(said.days_away, 2);
        assert_eq!(said.exam_state, QuestionState::Locked);
    });
}

/// With a platform's exam system a turn that decides nothing about exams has no statuses.
#[test]
fn without_statuses_the_result_behind_a_button_is_the_records() {
    let (mut facts, texts) = turn();
    let record = |touched: &[&str], waiting: &[&str]| Some(record(touched, waiting));
    for (snapshot, kind, state) in [
        (
            record(&["Q"], &[]),
            ClientEventKind::ExamContinue,
            QuestionState::Passed,
        ),
        (
            record(&["Q"], &["Q"]),
            ClientEventKind::ExamContinue,
            QuestionState::Locked,
        ),
        (
            record(&["Q"], &["Q"]),
            ClientEventKind::RequestExam,
            QuestionState::Unspecified,
        ),
        (
            record(&["R"], &["R"]),
            ClientEventKind::ExamContinue,
            QuestionState::Unspecified,
        ),
        (
            None,
            ClientEventKind::ExamContinue,
            QuestionState::Unspecified,
        ),
    ] {
        facts.snapshot = snapshot;
        facts.event = Some(ClientEvent {
            question_id: "Q".to_owned(),
            ..event(kind, "U")
        });
        told(&facts, &texts, |said| assert_eq!(said.exam_state, state));
    }
}

#[test]
fn what_was_typed_may_be_an_answer_if_it_is_short_and_answers_no_question() {
    let (mut facts, mut texts) = turn();
    let typed = |facts: &TurnFacts, texts: &TurnTexts| {
        let request = resolve_request(facts, texts, KnownTexts::default()).unwrap();
        request.typed.map(|typed| typed.text)
    };
    assert_eq!(typed(&facts, &texts).as_deref(), Some("x = 4"));
    facts.clarification = Some(ClarificationFacts::default());
    assert_eq!(typed(&facts, &texts), None);
    facts.clarification = None;
    texts.input.as_mut().unwrap().text = "x".repeat(401);
    assert_eq!(typed(&facts, &texts), None);
    texts.input = None;
    assert_eq!(typed(&facts, &texts), None);
}

#[test]
fn the_question_of_a_placement_goes_with_what_the_student_said() {
    let (mut facts, texts) = turn();
    let resolve = |facts: &TurnFacts| {
        let request = resolve_request(facts, &texts, KnownTexts::default()).unwrap();
        request.placement_question
    };
    facts.plan = Some(Plan::default());
    assert_eq!(resolve(&facts), None);
    facts.plan.as_mut().unwrap().placement_question = Some(PlacementQuestion {
        unit_id: "V".to_owned(),
        drill_id: "V-D1".to_owned(),
        prompt: "Solve.".to_owned(),
        question_latex: "2x = 8".to_owned(),
    });
    let question = resolve(&facts).unwrap();
    assert_eq!(question.question_latex, "2x = 8");
    assert!(question.said.contains("x = 4"), "{question:?}");
}
