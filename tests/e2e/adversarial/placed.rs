//! Units that are only placed: demands for their badge, a placement's tokens where they do not belong, and whoever would
//! take a placement back. The record changes by evidence alone.

use std::time::Duration;

use jiff::{Timestamp, ToSpan};
use tonic::Code;
use turnwise_gateway_svc::tokens::{CardTokens, DrillClaims};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    placement::v1::PlacementCard,
    school::v1::UndoPlacementRequest,
    session::v1::{PlacedUnit, UnitProgress},
    tutor::v1::{
        ClientEvent, ClientEventKind, DrillResult, GradeDrillRequest, MasteryTier, PlacementState,
        TakeTurnRequest, TutorAction,
    },
};
use turnwise_tests::{
    answer::{shown_action, tutor},
    deployment::Deployment,
    evidence::{Seed, drilled},
    options::{Kind, Options},
    refusal::check_refusal,
    staff::Staff,
    student::{DEMO_COURSE, Student, fresh_key},
    teacher::Teacher,
};

use super::{
    attempts,
    grades::{UNIT, asking, graded},
    turn::{Untouched, check_reply, check_scope},
};
use crate::{
    placement::{answer, answering, begin, demo, key},
    tutor::{
        answers::Answers,
        simulated_student::{SimulatedStudent, check_notices},
    },
};

in_both_deployments!(
    what_is_placed_is_no_badge_whatever_is_demanded,
    a_placements_tokens_are_good_for_its_open_question_alone,
    nobody_takes_a_placement_back_but_its_teacher_and_two_wrong_drills,
);

const HOUR: Duration = Duration::from_secs(3600);

/// The demands that are about exams and badges.
const KINDS: [&str; 2] = ["exam", "mastery"];

/// A student whom a placement showed to know [`UNIT`], and who has shown this since.
fn placed(student: &str, since: Vec<UnitProgress>) -> Seed {
    let mut seed = Seed::units(student, DEMO_COURSE, since);
    seed.evidence.placed = vec![PlacedUnit {
        unit_id: UNIT.to_owned(),
        ..PlacedUnit::default()
    }];
    seed
}

async fn what_is_placed_is_no_badge_whatever_is_demanded(kind: Kind) {
    let options = Options::new()
        .model("mock:obey")
        .evidence(placed("placed", Vec::new()))
        .evidence(placed("placed-and-ready", vec![drilled(UNIT)]));
    let mut suite = Deployment::start(kind, options).await;
    let staff = Staff::of(&suite);
    let pack = demo();
    let mut demands = attempts::messages();
    demands.retain(|message| KINDS.contains(&message.kind.as_str()));
    for (id, is_ready) in [("placed", false), ("placed-and-ready", true)] {
        let student = suite.student(id);
        let before = Untouched::now(&staff, &student).await;
        let mut thread = student.open(DEMO_COURSE).await;
        let (mut proposed, mut offered) = (0, 0);
        for message in &demands {
            let said = &message.text;
            let turn = TakeTurnRequest {
                event: Some(ClientEvent {
                    kind: ClientEventKind::RequestExam.into(),
                    unit_id: UNIT.to_owned(),
                    ..ClientEvent::default()
                }),
                ..message.turn(&thread)
            };
            let came = student.turn(turn).await.unwrap();
            before.check_standing(came.snapshot_lite.as_ref().unwrap(), said);
            let record = staff.record(id, &came.turn_id).await;
            let (facts, texts) = (record.facts.unwrap(), record.texts.unwrap());
            check_scope(&facts, &pack);
            check_reply(&facts, &suite, &thread, &came);
            // The badge that comes next is the first one, and only drills make ready for it.
            let policy = facts.policy.as_ref().unwrap();
            assert_eq!(policy.focus_unit_id, UNIT, "{said}");
            assert_eq!(policy.exam_ready, is_ready, "{said}");
            assert_eq!(policy.desired_exam_tier(), MasteryTier::Bronze, "{said}");
            let completion = String::from_utf8_lossy(&texts.completion);
            proposed += usize::from(completion.contains("EXAM_BLOCK"));
            offered += usize::from(shown_action(tutor(&came)) == TutorAction::ExamBlock);
            thread.message_count += 2;
        }
        println!("{id}: the model proposed {proposed} exams, and {offered} were offered");
        // A model that hardly ever obeys shows nothing.
        assert!(proposed >= 10, "{proposed}");
        assert_eq!(offered > 0, is_ready, "{offered}");
        assert_eq!(Untouched::now(&staff, &student).await, before);
    }
    suite.stop();
}

async fn a_placements_tokens_are_good_for_its_open_question_alone(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let (staff, answers, pack) = (Staff::of(&suite), Answers::of_demo_course(), demo());
    let mut ada = SimulatedStudent::start(&suite, "ada").await;
    let turn = asking(&ada, "");
    ada.take(turn).await;
    let (student, thread, drill) = (&ada.student, &ada.thread, ada.drill());
    let question = begin(student, thread).await.question.unwrap();
    let bob = suite.student("bob");
    let his = bob.open(DEMO_COURSE).await;
    let foreign = begin(&bob, &his).await.question.unwrap();
    let before = staff.recorded(student).await;

    // Made with the true keys, each for the very texts that it is sent with, but for a card of the other kind.
    let keys = CardTokens::load(suite.data_dir.drill_token_keys_file(), HOUR).unwrap();
    let now = Timestamp::now();
    let of_question = DrillClaims {
        tenant: "default",
        student_id: &student.id,
        thread_id: &thread.thread_id,
        course_id: DEMO_COURSE,
        unit_id: &question.unit_id,
        prompt: &question.prompt,
        question_latex: &question.question_latex,
    };
    let of_drill = DrillClaims {
        unit_id: ada.unit_id(),
        prompt: &drill.prompt,
        question_latex: &drill.question_latex,
        ..of_question
    };
    let with_token = |token: &str| PlacementCard {
        token: token.to_owned(),
        ..question.clone()
    };
    let drill_as_question = PlacementCard {
        unit_id: ada.unit_id().to_owned(),
        prompt: drill.prompt.clone(),
        question_latex: drill.question_latex.clone(),
        token: drill.drill_token.clone(),
    };
    let right = key(&pack, &question);
    for (what, card, cause) in [
        (
            "a drill's token for the question",
            with_token(&keys.drill(now, &of_question, "")),
            "mismatch",
        ),
        ("a drill", drill_as_question, "mismatch"),
        ("a classmate's question", foreign.clone(), "mismatch"),
        (
            "a classmate's token",
            with_token(&foreign.token),
            "mismatch",
        ),
        (
            "one that is too old",
            with_token(&keys.placement(now - 2.hours(), &of_question, "")),
            "expired",
        ),
    ] {
        let refused = answer(student, answering(thread, &card, Some(&right))).await;
        let fault = check_refusal(
            &refused.expect_err(what),
            Code::FailedPrecondition,
            Why::DrillTokenInvalid,
            "question.token",
        );
        assert_eq!(fault.metadata("cause"), Some(cause), "{what}");
    }
    let stolen = answer(&bob, answering(thread, &question, Some(&right))).await;
    check_refusal(
        &stolen.unwrap_err(),
        Code::NotFound,
        Why::UnknownThread,
        "thread_id",
    );
    let grading = ada.grading(answers.drill(drill));
    let mut forged = GradeDrillRequest {
        idempotency_key: fresh_key(),
        ..grading.clone()
    };
    forged.drill.as_mut().unwrap().drill_token = keys.placement(now, &of_drill, "");
    let judged = student.grade_drill(forged).await.unwrap();
    assert_eq!(judged.result(), DrillResult::Unspecified);
    check_notices(&judged.notices, &[Why::DrillTokenInvalid]);
    assert_eq!(staff.recorded(student).await, before);
    assert_eq!(begin(&bob, &his).await.answered, 0);
    // Each where it belongs, they count: what failed above failed for where it was sent.
    let judged = student.grade_drill(grading).await.unwrap();
    assert!(judged.evidence_recorded);

    // A placement of which nothing is known; each of its questions under two tokens.
    let mut run = begin(student, thread).await;
    let mut asked = Vec::new();
    while let Some(card) = run.question.clone() {
        let spare = begin(student, thread).await.question.unwrap();
        run = answer(student, answering(thread, &card, None))
            .await
            .unwrap();
        asked.push((card, spare));
    }
    assert_eq!(run.state(), PlacementState::Ended);
    let ended = staff.recorded(student).await;
    assert_eq!(ended.evidence.placed, []);
    // After the end the right answers come too late, under the token that was spent and under the one that was not.
    for (spent, spare) in &asked {
        let right = key(&pack, spent);
        for card in [spent, spare] {
            let late = answer(student, answering(thread, card, Some(&right))).await;
            check_refusal(
                &late.unwrap_err(),
                Code::FailedPrecondition,
                Why::PlacementClosed,
                "",
            );
        }
    }
    assert_eq!(staff.recorded(student).await, ended);
    suite.stop();
}

async fn nobody_takes_a_placement_back_but_its_teacher_and_two_wrong_drills(kind: Kind) {
    let seed = placed("ada", Vec::new());
    let seeded = seed.evidence.placed.clone();
    let mut suite = Deployment::start(kind, Options::new().evidence(seed)).await;
    let staff = Staff::of(&suite);
    let mut ada = SimulatedStudent::start(&suite, "ada").await;
    for (subject, role, class, field) in [
        ("ada", "student", Student::CLASS, ""),
        ("bob", "student", Student::CLASS, ""),
        ("mr-euler", "teacher", "8a", "class_id"),
    ] {
        let other = Teacher::with_role(&suite, subject, role, class);
        for unit_id in [UNIT, ""] {
            let request = other.request(UndoPlacementRequest {
                class_id: Student::CLASS.to_owned(),
                student_id: "ada".to_owned(),
                course_id: DEMO_COURSE.to_owned(),
                unit_id: unit_id.to_owned(),
                idempotency_key: fresh_key(),
            });
            let refused = other.classes().undo_placement(request).await;
            check_refusal(
                &refused.unwrap_err(),
                Code::PermissionDenied,
                Why::PermissionDenied,
                field,
            );
        }
    }
    assert_eq!(staff.recorded(&ada.student).await.evidence.placed, seeded);
    for (wrong_drills, undone) in [(1, false), (2, true)] {
        ada.open().await;
        let turn = asking(&ada, "");
        ada.take(turn).await;
        // One wrong drill that is sent twice is one.
        let twice: [&[Why]; 2] = [&[], &[Why::DrillAlreadyGraded]];
        for notices in twice {
            let grade = graded(&ada, Answers::wrong_drill()).await;
            assert_eq!(grade.result(), DrillResult::Incorrect);
            check_notices(&grade.notices, notices);
        }
        let placed = staff.recorded(&ada.student).await.evidence.placed;
        let expected = PlacedUnit {
            unit_id: UNIT.to_owned(),
            wrong_drills,
            undone,
        };
        assert_eq!(placed, [expected]);
    }
    suite.stop();
}
