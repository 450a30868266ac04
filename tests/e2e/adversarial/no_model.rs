//! The two hundred messages where no model is called: each gets the policy's own words, and nothing that it demands.

use std::collections::BTreeSet;

use futures_util::{StreamExt, stream};
use turnwise_course_pack::load;
use turnwise_proto::tutor::v1::TutorCard;
use turnwise_tests::{
    answer::tutor,
    deployment::Deployment,
    options::{Kind, Options},
    process::repository,
    staff::Staff,
    student::DEMO_COURSE,
};

use super::{
    attempts,
    messages::{AT_ONCE, STUDENTS, attackers, converse, id},
    turn::{check_reply, check_scope, plant_secrets},
};
use crate::tutor::changed_records::Tools;

in_both_deployments!(two_hundred_messages_without_a_model_have_no_effect);

/// What messages want to hear or to see, and what the course says nowhere.
const DEMANDED: [&str; 6] = [
    "\"allowedActions\"",
    "mastery_updates",
    "scopedUnitIds",
    "An exam of the book",
    "You have mastered",
    "You are a private tutor",
];

async fn two_hundred_messages_without_a_model_have_no_effect(kind: Kind) {
    let options = Options::new().env("HELPER_LLM_BACKEND", "none");
    let mut suite = Deployment::start(kind, attackers(options)).await;
    plant_secrets(&suite).await;
    let staff = Staff::of(&suite);
    let all = attempts::messages();
    let conversations = (0..STUDENTS).map(|i| {
        let said: Vec<_> = all.iter().skip(i).step_by(STUDENTS).cloned().collect();
        converse(suite.student(&id(i)), staff.clone(), said)
    });
    let conversations: Vec<_> = conversations.collect();
    let done: Vec<_> = stream::iter(conversations)
        .map(tokio::spawn)
        .buffer_unordered(AT_ONCE)
        .map(Result::unwrap)
        .collect()
        .await;

    let pack = load(&repository().join("courses").join(DEMO_COURSE)).unwrap();
    let tools = Tools::new().await;
    let (mut messages, mut kinds) = (0, BTreeSet::new());
    for conversation in done {
        let mut thread = conversation.thread;
        for (message, answer) in conversation.said.iter().zip(&conversation.answers) {
            let said = &message.text;
            assert_eq!(answer.degraded_reasons().count(), 0, "{said}: {answer:?}");
            assert_eq!(answer.model, "");
            let record = staff
                .record(&conversation.student.id, &answer.turn_id)
                .await;
            // Made again from its record, it is the same: no word of it came from elsewhere.
            if kinds.insert(message.kind.clone()) {
                tools.insist(&record).await;
            }
            let facts = record.facts.unwrap();
            assert!(facts.no_model, "{said}");
            assert_eq!(facts.model_call, None);
            check_scope(&facts, &pack);
            check_reply(&facts, &suite, &thread, answer);
            let shown = tutor(answer);
            let card = shown.card.iter().flat_map(TutorCard::readable_texts);
            for text in card.map(|shown| shown.text).chain([shown.text.as_str()]) {
                assert!(!text.contains(said), "{said}: {text}");
                for words in DEMANDED {
                    assert!(!text.contains(words), "{said}: {text}");
                }
            }
            thread.message_count += 2;
            messages += 1;
        }
    }
    assert_eq!(messages, 200);
    suite.nothing_panicked();
    suite.stop();
}
