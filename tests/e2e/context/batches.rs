//! Threads of one project: what was supplied in one counts in all, and answers are written as the project wants.

use tonic::Code;
use turnwise_proto::{
    common::v1::ErrorReason,
    tutor::v1::{DialogState, Project, TakeTurnRequest, Thread},
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    refusal::check_refusal,
    staff::Staff,
    student::DEMO_COURSE,
};

use super::{BUDGET, CHECK, in_phase, replies, skip, supplied, supply, waits};
use crate::tutor::changed_records::Tools;

in_both_deployments!(
    what_was_supplied_counts_in_the_whole_batch,
    a_style_is_of_the_prompt_sheets,
);

fn of_trip(thread: &Thread, text: &str) -> TakeTurnRequest {
    let mut turn = in_phase(thread, "budget", text);
    turn.project.as_mut().unwrap().batch_id = "trip".to_owned();
    turn
}

async fn what_was_supplied_counts_in_the_whole_batch(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let first = ada.open(DEMO_COURSE).await;
    let required = waits(&ada.turn(of_trip(&first, CHECK)).await.unwrap());
    let supply = supply(&first, &required.request_id, BUDGET);
    supplied(&ada.channel, ada.request(supply)).await.unwrap();
    replies(&ada, &first, 1).await;

    // A new thread of the batch has it, and asks for nothing.
    let second = ada.open(DEMO_COURSE).await;
    let answer = ada.turn(of_trip(&second, CHECK)).await.unwrap();
    assert_eq!(answer.dialog_state(), DialogState::AnswerProvided);
    let record = Staff::of(&suite).record(&ada.id, &answer.turn_id).await;
    Tools::new().await.insist(&record).await;
    let with = record.texts.unwrap().context.unwrap();
    assert!(with.attachments[0].body.contains("museum"), "{with:?}");
    assert_eq!(with.attachments[0].message_id, 0, "of another thread");

    // Another batch has not; and a refusal there is none here.
    let third = ada.open(DEMO_COURSE).await;
    let mut other = of_trip(&third, CHECK);
    other.project.as_mut().unwrap().batch_id = "other".to_owned();
    let required = waits(&ada.turn(other).await.unwrap());
    skip(&ada, &third, &required.request_id).await.unwrap();
    suite.nothing_panicked();
}

async fn a_style_is_of_the_prompt_sheets(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let asking = |style: &str| TakeTurnRequest {
        project: Some(Project {
            goal: "Ask ada@example.org for a price".to_owned(),
            writing_style: style.to_owned(),
            ..Project::default()
        }),
        ..in_phase(&thread, "", "Why does minus a minus make a plus?")
    };
    let refused = ada.turn(asking("rhymed")).await.unwrap_err();
    let reason = ErrorReason::InvalidArgument;
    check_refusal(
        &refused,
        Code::InvalidArgument,
        reason,
        "project.writing_style",
    );

    let answer = ada.turn(asking("formal")).await.unwrap();
    let record = Staff::of(&suite).record(&ada.id, &answer.turn_id).await;
    let project = record.texts.clone().unwrap().context.unwrap().project;
    let project = project.unwrap();
    assert_eq!(project.writing_style, "formal");
    assert!(!project.goal.contains("ada@"), "{}", project.goal);
    Tools::new().await.insist(&record).await;
    suite.nothing_panicked();
}
