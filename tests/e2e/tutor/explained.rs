//! What staff see of a turn: the chain and the reasons. Nobody else sees it, and its words go when the student's do.

use tonic::Code;
use turnwise_proto::{
    common::v1::ErrorReason, school::v1::EraseStudentRequest, tutor::v1::TutorAction,
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    refusal::check_refusal,
    staff::{Staff, explain_turn},
    student::{Student, fresh_key},
    teacher::Teacher,
    token,
};

use super::{
    always_right::Knows,
    answers::Answers,
    simulated_student::{Came, SimulatedStudent},
};

in_both_deployments!(
    staff_see_the_chain_and_the_reasons,
    nobody_else_does,
    words_go_and_facts_stay,
);

async fn staff_see_the_chain_and_the_reasons(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let mut simulated = SimulatedStudent::start(&suite, "ada").await;
    let Came::Message(answer) = simulated
        .press_labelled("next_unit", &mut Knows(&answers))
        .await
    else {
        panic!("no message");
    };
    let explained = staff.explain_turn("ada", &answer.turn_id).await.unwrap();
    let record = explained.record.unwrap();
    let (facts, texts) = (record.facts.unwrap(), record.texts.unwrap());
    assert_eq!(facts.format, 2);
    assert_eq!(facts.turn_id, answer.turn_id);
    assert_eq!(facts.thread_id, answer.thread_id);
    assert_eq!(
        (facts.student_id.as_str(), facts.class_id.as_str()),
        ("ada", Student::CLASS)
    );
    assert_eq!(facts.event, answer.messages[0].event);
    assert!(!facts.incomplete && facts.guardrail.is_empty());
    let policy = facts.policy.as_ref().unwrap();
    assert_eq!(
        policy.allowed_actions().collect::<Vec<_>>(),
        [TutorAction::DrillCard]
    );
    assert_eq!(facts.model_call.as_ref().unwrap().model, "mock");
    assert_eq!(
        facts.verdict.as_ref().unwrap().action(),
        TutorAction::DrillCard
    );
    assert_eq!(facts.prompt.as_ref().unwrap().hash.len(), 64);
    assert!(facts.turn_state.is_some());
    // The first of a schema: the decision came with the plan, and once more with the schema's words.
    let phases: Vec<_> = facts.times.iter().map(|time| time.phase.as_str()).collect();
    assert_eq!(
        phases,
        [
            "map", "plan", "gather", "decide", "prompt", "model", "resolve"
        ]
    );
    assert_eq!(texts.reply.unwrap().text, answer.messages[1].text);
    assert!(!texts.completion.is_empty());
    assert_eq!(texts.recent_messages.len(), 2);
    // What was found is named; the words are the course's.
    assert!(!facts.chunks.is_empty() && texts.chunks.is_empty());
    assert!(texts.anchors.iter().all(|unit| unit.title.is_empty()));

    let explanation = explained.explanation.expect("reasons");
    for action in &explanation.actions {
        let allowed = policy.allowed_actions.contains(&action.action);
        assert_eq!(action.allowed, allowed);
        assert!(!action.reasons.is_empty() && !action.text.trim().is_empty());
    }
    assert_eq!(explanation.actions.len(), 4);
    assert_eq!(explanation.focus.unwrap().unit_id, simulated.focus());
    suite.stop();
}

async fn nobody_else_does(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let mut simulated = SimulatedStudent::start(&suite, "ada").await;
    let turn_id = simulated.say("Hello?").await.turn_id;
    for role in ["student", "teacher"] {
        let token = token::with_role(&suite.data_dir, "ada", Student::CLASS, role);
        let refused = explain_turn(suite.channel(), &token, "ada", &turn_id).await;
        check_refusal(
            &refused.unwrap_err(),
            Code::PermissionDenied,
            ErrorReason::PermissionDenied,
            "",
        );
    }
    let unknown = [
        (
            Staff::of_tenant(&suite, "elsewhere"),
            "ada",
            turn_id.as_str(),
        ),
        (Staff::of(&suite), "ben", &turn_id),
        (Staff::of(&suite), "ada", &fresh_key()),
    ];
    for (staff, student, turn) in unknown {
        let refused = staff.explain_turn(student, turn).await.unwrap_err();
        check_refusal(
            &refused,
            Code::NotFound,
            ErrorReason::UnknownTurn,
            "turn_id",
        );
    }
    let nameless = Staff::of(&suite).explain_turn("", &turn_id).await;
    check_refusal(
        &nameless.unwrap_err(),
        Code::InvalidArgument,
        ErrorReason::InvalidArgument,
        "student_id",
    );
    suite.stop();
}

async fn words_go_and_facts_stay(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let mut simulated = SimulatedStudent::start(&suite, "ada").await;
    let turn_id = simulated
        .say("My secret is that I like fractions")
        .await
        .turn_id;
    let before = Staff::of(&suite).record("ada", &turn_id).await;
    assert!(format!("{:?}", before.texts).contains("secret"));

    let reset = Teacher::of(&suite).reset(&fresh_key()).await;
    assert_eq!(reset.threads, 1);
    let explained = Staff::of(&suite)
        .explain_turn("ada", &turn_id)
        .await
        .unwrap();
    let after = explained.record.unwrap();
    assert_eq!(after.texts, None);
    assert_eq!(after.facts, before.facts);
    assert!(!format!("{after:?}").contains("secret"));
    assert!(explained.explanation.is_some(), "the reasons need no words");

    let staff = Teacher::with_role(&suite, "principal", "staff", Student::CLASS);
    let erase = staff.request(EraseStudentRequest {
        student_id: "ada".to_owned(),
        ..EraseStudentRequest::default()
    });
    let done = staff.records().erase_student(erase).await;
    assert_eq!(done.unwrap().into_inner().threads, 1);
    let gone = Staff::of(&suite).explain_turn("ada", &turn_id).await;
    check_refusal(
        &gone.unwrap_err(),
        Code::NotFound,
        ErrorReason::UnknownTurn,
        "turn_id",
    );
    suite.stop();
}
