//! Messages as queries, and what they map to.

use std::sync::Arc;

use turnwise_course_pack::Misconception;
use turnwise_retrieval_index::{Namespace, WeightedTerms};
use turnwise_retrieval_relevance::{CONTEXT_ONLY_MAX, Mapping, Turn};

use crate::fixture::{analyser, course, map, mapping, near, question};

#[test]
fn the_latest_message_weighs_most() {
    let mapping = mapping();
    let query = mapping
        .turn("slope", &["fractions", "factor"])
        .query(Namespace::Chunks, None);
    let weight = |term: &str| {
        query
            .terms
            .iter()
            .find(|(held, _)| &**held == term)
            .unwrap()
            .1
    };
    assert!(weight("slope") > weight("factor"));
    assert!(weight("factor") > weight("fraction"));
}

#[test]
fn only_chunks_are_searched_by_meaning() {
    let turn = mapping().turn("slope", &[""; 0]);
    let vector: Arc<[f32]> = [1.0, 0.0].into();
    for namespace in Namespace::ALL {
        let query = turn.query(namespace, Some(Arc::clone(&vector)));
        assert_eq!(query.vector.is_some(), namespace == Namespace::Chunks);
    }
    let nearest = Turn::nearest(vector);
    assert!(nearest.terms.is_empty() && nearest.vector.is_some());
}

#[test]
fn a_turn_is_embedded_as_it_was_said_and_never_without_its_message() {
    let mapping = mapping();
    let turn = mapping.turn("and the slope?", &["one", "two", "three", "four", "five"]);
    assert_eq!(turn.text_to_embed(), "two three four five and the slope?");
    let long = "line ".repeat(500);
    let turn = mapping.turn("and the slope?", &[long.as_str(), "short"]);
    assert_eq!(turn.text_to_embed(), "short and the slope?");
    assert_eq!(mapping.turn("", &[""; 0]).text_to_embed(), "");
}

#[test]
fn what_was_read_before_is_read_the_same() {
    let mapping = mapping();
    // As a message it counts whole, and as one before another its beginning alone.
    let long = format!("factor {} the slope", "x ".repeat(1_500));
    let read = || {
        let message = mapping.turn(&long, &["the denominater"]);
        let recent = mapping.turn("the denominater", &[&long]);
        [message, recent].map(|turn| {
            let mapped = format!("{:?}", mapping.map(&turn, None));
            (mapped, turn.query(Namespace::Chunks, None).terms)
        })
    };
    let first = read();
    let holds_slope =
        |(_, terms): &(String, WeightedTerms)| terms.iter().any(|(term, _)| &**term == "slope");
    assert_eq!(first.each_ref().map(holds_slope), [true, false]);
    assert_eq!(read(), first);
    // More texts than are kept.
    for number in 0..40 {
        mapping.turn(&format!("line {number} ").repeat(600), &[""; 0]);
    }
    assert_eq!(read(), first);
}

#[test]
fn misspelt_words_are_read_as_the_course_spells_them() {
    let mapping = mapping();
    assert_eq!(map(&mapping, "quadradic", &[])[0].unit, "factor");
    assert_eq!(
        mapping.turn("the denominater", &[""; 0]).text_to_embed(),
        "the denominator"
    );
}

#[test]
fn context_speaks_for_messages_that_say_nothing_but_never_surely() {
    let mapping = mapping();
    for text in ["ok", "idk", "x=4", "42", ""] {
        assert_eq!(map(&mapping, text, &[]), [], "{text}");
        let mapped = map(&mapping, text, &["What is the slope of this line?", "ok"]);
        assert_eq!(mapped[0].unit, "slope", "{text}");
        assert!(mapped[0].confidence <= CONTEXT_ONLY_MAX, "{text}");
    }
}

#[test]
fn a_new_topic_overrules_the_old_one() {
    let mapping = mapping();
    let before = [
        "What is the slope of this line?",
        "How steep is it?",
        "rise over run",
    ];
    assert_eq!(
        map(&mapping, "now I want to factor the quadratic", &before)[0].unit,
        "factor"
    );
}

#[test]
fn what_was_said_before_does_not_weaken_what_a_message_names() {
    let mapping = mapping();
    let before = [
        "What is the slope of this line?",
        "How steep is it?",
        "rise over run",
    ];
    for text in ["what is a fraction?", "factor the quadratic"] {
        let alone = map(&mapping, text, &[]);
        let mapped = map(&mapping, text, &before);
        assert!(alone[0].confidence >= 0.55, "{text}: {alone:?}");
        assert_eq!(mapped[0].unit, alone[0].unit, "{text}");
        assert!(mapped[0].confidence >= alone[0].confidence, "{text}");
    }
    // What points back is about what was said before.
    let pointing = map(&mapping, "is it a fraction?", &before);
    assert_eq!(pointing[0].unit, map(&mapping, before[0], &[])[0].unit);
}

#[test]
fn a_whole_title_names_its_unit() {
    let mapping = mapping();
    let before = ["What is the slope of this line?", "rise over run"];
    let told = |text: &str| map(&mapping, text, &before).swap_remove(0);
    for text in [
        "an exercise on Adding fractions!",
        "is that adding  fractions?",
    ] {
        let named = told(text);
        assert_eq!(named.unit, "fraction", "{text}");
        assert!(named.confidence >= 0.55, "{text}: {named:?}");
    }
    // A part of one, or two of them, name nothing.
    for text in [
        "is it adding?",
        "is it the slope of a line or adding fractions?",
    ] {
        assert_eq!(told(text).unit, "slope", "{text}");
    }
}

#[test]
fn the_unit_that_only_greets_is_no_topic() {
    let mapping = mapping();
    let mapped = map(&mapping, "I am lost and need assistance", &[]);
    assert!(
        mapped.iter().all(|mapped| mapped.unit != "start"),
        "{mapped:?}"
    );
}

#[test]
fn one_word_that_a_course_has_by_chance_is_no_topic() {
    let paint = |exercises: usize| {
        let mut pack = course();
        for number in 0..exercises {
            let prompt = format!("Yellow paint is mixed, part {number}.");
            pack.questions
                .push(question(&format!("paint-q{number}"), "fraction", &prompt));
        }
        Mapping::new(&pack, analyser())
    };
    let seldom = paint(2);
    for text in ["yellow", "Yellow!", "my umbrella is yellow"] {
        assert_eq!(map(&seldom, text, &[]), [], "{text}");
    }
    // Not where something else tells a topic, or was said before, nor where many exercises have it.
    for (mapping, text, recent) in [
        (&seldom, "yellow paint", &[][..]),
        (&seldom, "the slope of a yellow roof", &[]),
        (&seldom, "yellow", &["the slope of a line"]),
        (&paint(8), "yellow", &[]),
    ] {
        assert_ne!(map(mapping, text, recent), [], "{text}");
    }
    // A unit's own word is enough.
    assert_eq!(map(&seldom, "slope", &[])[0].unit, "slope");
}

#[test]
fn what_the_welcome_asks_is_no_context() {
    let asked = "Which line are you on, and which fraction of it is done?";
    let welcomed = |question: &str| {
        let mut pack = course();
        let wrong = Misconception {
            text: "Nobody helps here.".to_owned(),
            question: question.to_owned(),
        };
        pack.units[0].misconceptions.push(wrong);
        Mapping::new(&pack, analyser())
    };
    let mapping = welcomed(asked);
    assert_eq!(map(&mapping, "what", &["hi", asked]), []);
    assert_eq!(mapping.turn("what", &[asked]).text_to_embed(), "what");
    let greeted = format!("Hello!\n\n{asked}");
    assert_eq!(map(&mapping, "what", &["hi", &greeted]), []);
    // Anybody else's question is, and so is what was said before it.
    assert_ne!(map(&welcomed("Where are you?"), "what", &["hi", asked]), []);
    let before = ["the slope of a line", asked];
    assert_eq!(map(&mapping, "what", &before)[0].unit, "slope");
}

#[test]
fn meaning_votes_beside_words() {
    let mapping = mapping();
    let turn = mapping.turn("how steep is the line", &[""; 0]);
    let units = |near: &[(&str, f64)]| -> Vec<&str> {
        let mapped = mapping.map(&turn, Some(&crate::fixture::near(near)));
        mapped.into_iter().map(|mapped| mapped.unit).collect()
    };
    assert_eq!(units(&[("slope", 0.8), ("slope", 0.7)])[0], "slope");
    assert!(units(&[("factor", 0.8)]).contains(&"factor"));
    assert_eq!(units(&[("elsewhere", 0.9), ("slope", 0.2)])[0], "slope");
    let agreed = mapping.map(&turn, Some(&near(&[("slope", 0.8)])));
    let disputed = mapping.map(&turn, Some(&near(&[("factor", 0.8)])));
    assert!(agreed[0].confidence > disputed[0].confidence);
}

#[test]
fn without_meaning_the_mapping_is_that_of_words() {
    let mapping = mapping();
    let turn = mapping.turn("ok", &[""; 0]);
    assert_eq!(mapping.map(&turn, Some(&near(&[("slope", 0.9)]))), []);
}
