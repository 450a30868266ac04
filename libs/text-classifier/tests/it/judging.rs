//! What a text is, and why.

use proptest::prelude::*;
use turnwise_text_classifier::Level;

use crate::toy::{TOY, WEATHER};

#[test]
fn what_was_learnt_is_told() {
    for text in WEATHER {
        let verdict = TOY.judge(text);
        assert_eq!(verdict.class, "weather");
        assert_eq!(verdict.level, Level::Certain, "{text}: {verdict:?}");
        assert!(verdict.score >= verdict.alarm.certain);
    }
    for text in ["the cake and the soup", "x + 9 = 3", "", " \n…", "0"] {
        let verdict = TOY.judge(text);
        assert_eq!(verdict.level, Level::Harmless, "{text}: {verdict:?}");
    }
}

#[test]
fn words_of_one_concept_mean_alike() {
    // Neither was in the sentences.
    for text in [
        "a gewitter is coming tonight",
        "a thunderstorm is coming tonight",
    ] {
        assert!(TOY.judge(text).level >= Level::Uncertain, "{text}");
    }
    let other = TOY.judge("a visitor is coming tonight");
    assert!(other.score < TOY.judge("a gewitter is coming tonight").score);
}

#[test]
fn one_sentence_among_many_is_found() {
    let harmless = "the soup is on the table. ".repeat(60);
    assert_eq!(TOY.judge(&harmless).level, Level::Harmless);
    for (before, after) in [
        (&harmless, ""),
        (&harmless, harmless.as_str()),
        (&String::new(), &harmless),
    ] {
        let text = format!("{before}a storm is coming tonight. {after}");
        assert_eq!(TOY.judge(&text).level, Level::Certain);
    }
    // Without a full stop, too.
    let unbroken = "the soup is on the table and ".repeat(20);
    let text = format!("{unbroken} heavy rain and hail tonight {unbroken}");
    assert!(TOY.judge(&text).score > 3.0 * TOY.judge(&unbroken).score);
}

#[test]
fn a_score_is_explained_by_its_features() {
    let explained = TOY.explain(
        "the soup is on the table. a STORM is c0ming tonight. the soup is",
        5,
    );
    assert_eq!(explained.verdict, TOY.judge("a storm is coming tonight"));
    assert_eq!(explained.reasons.len(), 5);
    let weights: Vec<f32> = explained
        .reasons
        .iter()
        .map(|reason| reason.weight)
        .collect();
    assert!(
        weights.is_sorted_by(|a, b| a >= b) && weights[4] > 0.0,
        "{weights:?}"
    );
    let all = TOY.explain("the soup. a storm is coming tonight", usize::MAX);
    let told = |part: &str| {
        all.reasons
            .iter()
            .any(|reason| reason.feature.contains(part))
    };
    assert!(
        told("[STORM]") && told("storm") && told("-"),
        "{:?}",
        all.reasons
    );
    assert!(
        all.reasons
            .iter()
            .all(|reason| !reason.feature.contains("soup"))
    );
}

proptest! {
    #[test]
    fn any_text_is_judged(text in any::<String>()) {
        let verdict = TOY.judge(&text);
        prop_assert!((0.0..=1.0001).contains(&verdict.score));
        prop_assert_eq!(verdict, TOY.explain(&text, 3).verdict);
    }

    #[test]
    fn what_stands_around_a_sentence_does_not_hide_it(before in "[a-z0-9 +=]{0,300}", after in "[a-z0-9 +=]{0,300}") {
        let text = format!("{before} and that is it.\nheavy rain and hail tonight. \n{after}");
        prop_assert_eq!(TOY.judge(&text).level, Level::Certain);
    }
}
