//! What holds for all messages.

use std::sync::LazyLock;

use proptest::prelude::*;
use turnwise_retrieval_index::Namespace;
use turnwise_retrieval_relevance::{MAX_MAPPED_UNITS, Mapping};

use crate::fixture::{course, mapping, near};

static TINY: LazyLock<Mapping> = LazyLock::new(mapping);

const WORDS: [&str; 14] = [
    "slope",
    "line",
    "factor",
    "fraction",
    "the",
    "3",
    "12",
    "0.25",
    "81200",
    "x",
    "x^2+3x",
    "2/3",
    "denominater",
    "ok",
];

fn text() -> impl Strategy<Value = String> {
    let words = prop::collection::vec(prop::sample::select(WORDS.as_slice()), 0..9);
    prop_oneof![any::<String>(), words.prop_map(|words| words.join(" "))]
}

proptest! {
    #[test]
    fn any_message_maps_to_known_units_in_a_total_order(
        text in text(),
        recent in prop::collection::vec(text(), 0..10),
        nearest in prop::option::of(prop::collection::vec(
            (prop::sample::select(["slope", "factor", "elsewhere"].as_slice()), -1.0..1.0_f64),
            0..50,
        )),
    ) {
        let nearest = nearest.map(|mut nearest| {
            nearest.sort_by(|a, b| b.1.total_cmp(&a.1));
            near(&nearest)
        });
        let turn = TINY.turn(&text, &recent);
        let mapped = TINY.map(&turn, nearest.as_deref());
        prop_assert!(mapped.len() <= MAX_MAPPED_UNITS);
        for unit in &mapped {
            prop_assert!((0.0..=1.0).contains(&unit.confidence));
            prop_assert!(course().units.iter().any(|known| known.id == unit.unit));
        }
        for pair in mapped.windows(2) {
            let ordered = pair[0].confidence > pair[1].confidence
                || (pair[0].confidence == pair[1].confidence && pair[0].unit < pair[1].unit);
            prop_assert!(ordered, "{:?}", mapped);
        }
        let again = mapping();
        prop_assert_eq!(again.map(&again.turn(&text, &recent), nearest.as_deref()), mapped);
    }

    #[test]
    fn any_message_makes_a_query_that_engines_take(
        text in text(),
        recent in prop::collection::vec(text(), 0..10),
    ) {
        let query = TINY.turn(&text, &recent).query(Namespace::Chunks, None);
        for (_, weight) in query.terms.iter() {
            prop_assert!(weight.is_finite() && *weight > 0.0);
        }
        let mut terms: Vec<&str> = query.terms.iter().map(|(term, _)| &**term).collect();
        let count = terms.len();
        terms.sort_unstable();
        terms.dedup();
        prop_assert_eq!(terms.len(), count);
    }

    #[test]
    fn of_many_messages_the_last_ones_count(recent in prop::collection::vec(text(), 8..20)) {
        let last = &recent[recent.len() - 8..];
        let (all, few) = (TINY.turn("slope", &recent), TINY.turn("slope", last));
        prop_assert_eq!(TINY.map(&all, None), TINY.map(&few, None));
        prop_assert_eq!(all.text_to_embed(), few.text_to_embed());
    }
}
