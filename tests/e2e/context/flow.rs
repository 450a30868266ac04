//! How requests go: supplied, skipped, forced, expired, and answered without being made.

use tonic::Code;
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    context::v1::{
        CancelContextRequest, ContextRequestState, ForceRunRequest, ListArtifactsRequest,
        PutArtifactRequest, watch_thread_response::Event,
    },
    explain::v1::TurnRecord,
    session::v1::ContextRequestState as Stored,
    tutor::v1::{DialogState, Role},
};
use turnwise_tests::{
    admin,
    answer::tutor,
    deployment::Deployment,
    eventually::eventually,
    options::{Kind, Options},
    refusal::check_refusal,
    staff::Staff,
    student::DEMO_COURSE,
    teacher::Teacher,
};

use crate::tutor::changed_records::Tools;

use super::{
    BUDGET, CHECK, SOON, check, client, in_phase, of_student, replies, requests, skip, supplied,
    supply, watch,
};

in_both_deployments!(
    a_message_waits_for_what_is_supplied,
    a_skipped_request_is_answered_or_excused,
    a_teacher_forces_an_answer,
    a_cancelled_message_gets_no_answer,
    a_request_ends_by_itself,
    what_is_kept_needs_no_request,
    what_was_redacted_is_still_used,
    nothing_is_asked_for_with_the_hand_off_off,
);

async fn a_message_waits_for_what_is_supplied(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let required = check(&ada, &thread).await;
    let slot = &required.required[0];
    assert_eq!(slot.artifact_type, "trip-budget");
    assert_eq!(slot.key_path, "costs");
    assert!(!slot.optional && slot.urgency == "must_have");
    assert!(!slot.title.is_empty() && !slot.why.is_empty());
    assert_eq!(slot.suppliers, ["student", "teacher"]);

    // The thread can be used meanwhile, and asks for nothing more.
    let other = ada
        .turn(in_phase(&thread, "budget", "Please check it, is it right?"))
        .await
        .unwrap();
    assert_eq!(other.dialog_state(), DialogState::AnswerProvided);
    assert!(
        tutor(&other)
            .text
            .contains("I answered without: The budget")
    );

    let teacher = Teacher::of(&suite);
    let mut by_teacher = supply(&thread, &required.request_id, BUDGET);
    by_teacher.student_id.clone_from(&ada.id);
    let now = supplied(&ada.channel, of_student(&teacher, by_teacher))
        .await
        .unwrap();
    assert_eq!(now.state(), ContextRequestState::Satisfied);
    assert_eq!(now.supplied[0].supplier_role, "teacher");

    let answers = replies(&ada, &thread, 2).await;
    assert!(!answers[1].text.is_empty());
    let listed = requests(&ada, &thread).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert!(listed[0].answered, "{listed:?}");
    assert_eq!(listed[0].state(), ContextRequestState::Satisfied);

    // Everything once, in order, from the beginning and from any event on.
    let mut events = Vec::new();
    let mut stream = watch(&ada, &thread, 0).await.unwrap();
    let mut said = Vec::new();
    let mut delta = String::new();
    while said.len() < 4 {
        let next = stream.message().await.unwrap().unwrap();
        match next.event.clone().unwrap() {
            Event::Delta(piece) => delta.push_str(&piece.text),
            Event::Message(message) => {
                if message.role() == Role::Assistant {
                    assert_eq!(delta, message.text, "the pieces are the message");
                }
                delta.clear();
                said.push(message.id);
                events.push(next);
            }
            _ => events.push(next),
        }
    }
    let ids: Vec<i64> = events.iter().map(|event| event.event_id).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    assert_eq!(said, [1, 2, 3, 4]);
    // Nobody has an event that there is not yet.
    let refused = watch(&ada, &thread, i64::MAX).await.err().unwrap();
    let (code, why) = (Code::InvalidArgument, Why::InvalidArgument);
    check_refusal(&refused, code, why, "after_event_id");
    let kinds: Vec<&str> = events
        .iter()
        .map(|event| match event.event.as_ref().unwrap() {
            Event::Message(_) => "message",
            Event::Delta(_) => "delta",
            Event::Stage(_) => "stage",
            Event::ContextRequest(_) => "request",
            Event::Reminder(_) => "reminder",
            Event::Update(_) => "update",
            Event::Resolved(_) => "resolved",
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "message", "request", "message", "message", "update", "resolved", "stage", "message"
        ]
    );

    // What was supplied has a line to find it by, without a word of it.
    let logs = suite.logs();
    let mut lines = logs.iter();
    let line = lines.find(|line| line.contains("an artifact was supplied"));
    let line = line.unwrap();
    assert!(
        line.contains("trip-budget")
            && line.contains("sha256")
            && line.contains(&required.request_id)
    );
    assert!(!line.contains("museum"), "{line}");

    // The record shows what the answer was made with.
    let record = Staff::of(&suite).record(&ada.id, &listed[0].turn_id).await;
    Tools::new().await.insist(&record).await;
    let with = record.texts.unwrap().context.unwrap();
    assert!(with.attachments[0].body.contains("museum"), "{with:?}");
    assert!(!with.attachments[0].body.contains("24"), "only the part");
    assert_eq!(with.attachments[0].message_id, required.user_message_id);
    let context = record.facts.unwrap().context.unwrap();
    assert_eq!(context.state(), Stored::Satisfied);
    suite.nothing_panicked();
}

async fn a_skipped_request_is_answered_or_excused(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let required = check(&ada, &thread).await;
    skip(&ada, &thread, &required.request_id).await.unwrap();
    skip(&ada, &thread, &required.request_id).await.unwrap();
    let answers = replies(&ada, &thread, 1).await;
    assert!(
        answers[0].text.contains("can't answer this well without"),
        "{answers:?}"
    );

    // What is nice to have is done without, and the answer says so.
    let other = ada.open(DEMO_COURSE).await;
    let asked = ada
        .turn(in_phase(
            &other,
            "plan",
            "Make a plan for the day: what comes first?",
        ))
        .await
        .unwrap();
    let required = super::waits(&asked);
    assert!(required.required.iter().all(|slot| slot.optional));
    skip(&ada, &other, &required.request_id).await.unwrap();
    let answers = replies(&ada, &other, 1).await;
    assert!(
        answers[0].text.contains("I answered without"),
        "{answers:?}"
    );
    suite.nothing_panicked();
}

async fn a_teacher_forces_an_answer(kind: Kind) {
    let suite = Deployment::start(kind, Options::new().env("ADMIN_LISTEN", "127.0.0.1:0")).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let required = check(&ada, &thread).await;
    let teacher = Teacher::of(&suite);
    let force = ForceRunRequest {
        student_id: ada.id.clone(),
        thread_id: thread.thread_id.clone(),
        request_id: required.request_id.clone(),
    };
    let forced = client(&ada.channel)
        .force_run(teacher.request(force))
        .await
        .unwrap();
    let forced = forced.into_inner().context_request.unwrap();
    assert_eq!(forced.state(), ContextRequestState::Forced);
    let answers = replies(&ada, &thread, 1).await;
    assert!(
        answers[0].text.contains("I answered without"),
        "{answers:?}"
    );
    let at = suite.at(suite.public_service()).admin.unwrap();
    eventually("the request is counted", SOON, || async {
        let (_, metrics) = admin::get(at, "/metrics").await;
        let counted = [
            r#"turnwise_gateway_context_requests_total{outcome="opened"} 1"#,
            r#"turnwise_gateway_context_requests_total{outcome="forced"} 1"#,
            r#"turnwise_gateway_context_request_seconds_count{outcome="forced"} 1"#,
        ];
        counted
            .iter()
            .all(|line| metrics.contains(line))
            .then_some(())
    })
    .await;
    suite.nothing_panicked();
}

async fn a_cancelled_message_gets_no_answer(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let required = check(&ada, &thread).await;
    let cancel = ada.request(CancelContextRequest {
        thread_id: thread.thread_id.clone(),
        request_id: required.request_id.clone(),
    });
    client(&ada.channel).cancel_context(cancel).await.unwrap();
    // The next message is answered, and stands alone.
    ada.say(&thread, "Why does minus a minus make a plus?")
        .await;
    assert_eq!(replies(&ada, &thread, 1).await.len(), 1);
    let listed = requests(&ada, &thread).await.unwrap();
    assert_eq!(listed[0].state(), ContextRequestState::Cancelled);
    assert!(!listed[0].answered);
    suite.nothing_panicked();
}

async fn a_request_ends_by_itself(kind: Kind) {
    let options = Options::new().env("CONTEXT_SLA_SECONDS", "10");
    let suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let required = check(&ada, &thread).await;
    let mut stream = watch(&ada, &thread, 0).await.unwrap();
    let (mut reminded, mut resolved) = (0, None);
    loop {
        let next = stream.message().await.unwrap().unwrap();
        match next.event.unwrap() {
            Event::Reminder(reminder) => {
                assert_eq!(reminder.request_id, required.request_id);
                reminded += 1;
            }
            Event::Resolved(end) => resolved = Some(end.state()),
            Event::Message(message) if message.role() == Role::Assistant => {
                assert!(message.text.contains("can't answer this well without"));
                break;
            }
            _ => {}
        }
    }
    assert_eq!(
        (reminded, resolved),
        (1, Some(ContextRequestState::Expired))
    );
    suite.nothing_panicked();
}

async fn what_is_kept_needs_no_request(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let first = ada.open(DEMO_COURSE).await;
    let put = ada.request(PutArtifactRequest {
        thread_id: first.thread_id.clone(),
        course_id: DEMO_COURSE.to_owned(),
        batch_id: "trip".to_owned(),
        artifact_type: "trip-budget".to_owned(),
        content: BUDGET.to_owned(),
        ..PutArtifactRequest::default()
    });
    client(&ada.channel).put_artifact(put).await.unwrap();
    // A new thread of the same batch has it.
    let thread = ada.open(DEMO_COURSE).await;
    let mut asked = in_phase(&thread, "budget", CHECK);
    asked.project.as_mut().unwrap().batch_id = "trip".to_owned();
    let answer = ada.turn(asked).await.unwrap();
    assert_eq!(answer.dialog_state(), DialogState::AnswerProvided);
    let record = Staff::of(&suite).record(&ada.id, &answer.turn_id).await;
    let with = record.texts.unwrap().context.unwrap();
    assert!(with.attachments[0].body.contains("museum"), "{with:?}");
    assert!(!with.attachments[0].body.contains("24"), "only the part");
    assert!(!tutor(&answer).text.contains("without"));

    let list = ada.request(ListArtifactsRequest {
        thread_id: thread.thread_id.clone(),
        batch_id: "trip".to_owned(),
        ..ListArtifactsRequest::default()
    });
    let listed = client(&ada.channel).list_artifacts(list).await.unwrap();
    let listed = listed.into_inner().artifacts;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].artifact_type, "trip-budget");
    suite.nothing_panicked();
}

async fn what_was_redacted_is_still_used(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    for amount in ["4915112345678", "4111111111111111"] {
        let thread = ada.open(DEMO_COURSE).await;
        let costs =
            format!(r#"{{"students": 24, "costs": [{{"name": "bus", "amount": {amount}}}]}}"#);
        let put = ada.request(PutArtifactRequest {
            thread_id: thread.thread_id.clone(),
            course_id: DEMO_COURSE.to_owned(),
            artifact_type: "trip-budget".to_owned(),
            content: costs,
            ..PutArtifactRequest::default()
        });
        client(&ada.channel).put_artifact(put).await.unwrap();
        let answer = ada.turn(in_phase(&thread, "budget", CHECK)).await.unwrap();
        let record = Staff::of(&suite).record(&ada.id, &answer.turn_id).await;
        let with = record.texts.unwrap().context.unwrap();
        assert!(with.attachments[0].body.contains("bus"), "{with:?}");
    }
    suite.nothing_panicked();
}

async fn nothing_is_asked_for_with_the_hand_off_off(kind: Kind) {
    let options = Options::new().env("CONTEXT_HANDOFF_ENABLED", "0");
    let suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let answer = ada.turn(in_phase(&thread, "budget", CHECK)).await.unwrap();
    assert_eq!(answer.dialog_state(), DialogState::AnswerProvided);
    assert!(answer.context_required.is_none());
    // But for ids and times the turn is that of a message without a project, to the last byte.
    let bob = suite.student("bob");
    let plain = bob.open(DEMO_COURSE).await;
    let plain = bob.say(&plain, CHECK).await;
    let staff = Staff::of(&suite);
    let with = made(staff.record(&ada.id, &answer.turn_id).await);
    let without = made(staff.record(&bob.id, &plain.turn_id).await);
    let mut lines = with.lines().zip(without.lines());
    let other = lines.find(|(with, without)| with != without);
    assert_eq!((other, with.len()), (None, without.len()));
    suite.nothing_panicked();
}

/// What a turn was made of and came to, without its ids and times: its prompt is made of this alone.
fn made(record: TurnRecord) -> String {
    let mut facts = record.facts.unwrap();
    let turn_id = std::mem::take(&mut facts.turn_id);
    facts.thread_id.clear();
    facts.student_id.clear();
    facts.times.clear();
    facts.planned_at = None;
    facts.snapshot = None;
    facts.turn_state = None;
    let call = facts.model_call.as_mut().unwrap();
    (call.queue_wait, call.total) = (None, None);
    let policy = facts.policy.as_mut().unwrap();
    assert_eq!(std::mem::take(&mut policy.turn_id), turn_id);
    format!("{facts:#?}\n{:#?}", record.texts)
}
