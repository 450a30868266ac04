//! Messages to units.

use turnwise_proto::session::v1::MappedUnit;
use turnwise_retrieval_relevance::CONTEXT_ONLY_MAX;

use crate::fixture::{client, message, tiny_course};

/// The confidence from which a policy locks its target.
const LOCK: f64 = 0.55;

async fn map(text: &str, recent: &[&str]) -> Vec<MappedUnit> {
    client([tiny_course()])
        .await
        .map_message(message(text, recent))
        .await
        .unwrap()
        .into_inner()
        .mapped_units
}

#[tokio::test]
async fn a_message_maps_to_what_it_is_about() {
    for (text, unit) in [
        ("how do I find the slope of a line?", "slope"),
        ("I need to factor x²+5x+6", "factor"),
        (
            "what is \\frac{1}{2}+\\frac{1}{3} with a common denominator",
            "fraction",
        ),
    ] {
        let mapped = map(text, &[]).await;
        assert_eq!(mapped[0].unit_id, unit, "{text}");
        assert!(mapped[0].confidence >= LOCK, "{text}: {mapped:?}");
    }
}

#[tokio::test]
async fn a_message_that_says_too_little_maps_to_nothing() {
    for text in [
        "",
        " ",
        "ok",
        "Yes!",
        "no",
        "idk",
        "4 m",
        "42",
        "-3",
        "3/4",
        "x=4",
        "5?",
        "🙂",
        "???",
        "I don't get it",
        "help me please",
        "lol",
        "hmm okay thanks",
    ] {
        assert_eq!(map(text, &[]).await, [], "{text}");
    }
}

#[tokio::test]
async fn such_a_message_leans_on_what_was_said_before_and_is_never_sure() {
    for text in ["ok", "idk", "x=4", "42", ""] {
        let mapped = map(text, &["What is the slope of this line?", "ok"]).await;
        assert_eq!(mapped[0].unit_id, "slope", "{text}");
        assert!(mapped[0].confidence <= CONTEXT_ONLY_MAX, "{text}");
    }
}

#[tokio::test]
async fn a_change_of_topic_does_not_drown_in_what_was_said_before() {
    let before = [
        "What is the slope of this line?",
        "How steep is the line?",
        "rise over run",
    ];
    let mapped = map("now I want to factor the quadratic x^2+5x+6", &before).await;
    assert_eq!(mapped[0].unit_id, "factor");
    assert!(mapped[0].confidence >= LOCK, "{mapped:?}");
}

#[tokio::test]
async fn later_messages_count_more_than_earlier_ones() {
    let mapped = map("ok", &["the slope of a line", "factor a quadratic"]).await;
    assert_eq!(mapped[0].unit_id, "factor");
}

#[tokio::test]
async fn only_the_last_eight_messages_count() {
    let mut recent = vec!["factor the quadratic"];
    recent.extend(["ok"; 8]);
    assert_eq!(map("yes", &recent).await, []);
    assert_ne!(map("yes", &recent[..8]).await, []);
}

#[tokio::test]
async fn an_entry_unit_that_only_greets_is_no_topic() {
    let mapped = map("I am lost and need assistance", &[]).await;
    assert!(mapped.iter().all(|m| m.unit_id != "start"), "{mapped:?}");
}

#[tokio::test]
async fn a_shared_question_speaks_for_both_units() {
    let mapped = map("a slope that is a fraction", &[]).await;
    let units: Vec<_> = mapped.iter().map(|m| m.unit_id.as_str()).collect();
    assert!(units.contains(&"slope") && units.contains(&"fraction"));
}

#[tokio::test]
async fn at_most_six_units_come_back_the_surest_first() {
    let mut pack = tiny_course();
    for number in 0..10 {
        let id = format!("more-{number}");
        pack.units.push(crate::fixture::unit(&id, "Geometry"));
    }
    let mapped = client([pack])
        .await
        .map_message(message("geometry", &[]))
        .await
        .unwrap()
        .into_inner()
        .mapped_units;
    assert_eq!(mapped.len(), 6);
    let ids: Vec<_> = mapped.iter().map(|m| m.unit_id.as_str()).collect();
    assert_eq!(
        ids,
        ["more-0", "more-1", "more-2", "more-3", "more-4", "more-5"],
        "equals go by id"
    );
}
