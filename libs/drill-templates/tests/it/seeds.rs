//! What a seed makes: always the same, within the ranges, and all of them.

use std::collections::BTreeSet;

use proptest::prelude::*;
use turnwise_drill_templates::{SEEDS, Template};
use turnwise_testing::properties;

use crate::fixture::template;

const RANGES: [&str; 3] = ["a in 2..9", "x in -9..-1, 2..9", "b in -20..20"];

/// Worked out with another implementation of the documented algorithm. They never change: cards and records name seeds.
#[test]
fn golden_instances() {
    let equation = template("EQ-1", &RANGES, &["b != 0"]);
    let question = equation
        .text("[[a : coef]]x [[b : plus]] = [[a*x + b]]")
        .unwrap();
    for (seed, values, text) in [
        (0, "a = 8, x = 3, b = 8", "8x + 8 = 32"),
        (1, "a = 2, x = -7, b = -4", "2x - 4 = -18"),
        (2, "a = 9, x = -5, b = 6", "9x + 6 = -39"),
        (3, "a = 5, x = 9, b = -1", "5x - 1 = 44"),
        (4, "a = 4, x = -2, b = 10", "4x + 10 = 2"),
        (199, "a = 5, x = -8, b = -8", "5x - 8 = -48"),
        (u32::MAX, "a = 6, x = -6, b = 15", "6x + 15 = -21"),
    ] {
        let made = equation.values(seed).unwrap();
        assert_eq!(made.to_string(), values);
        assert_eq!(question.write(&made).as_deref(), Ok(text));
    }
    let fraction = template(
        "FR-1",
        &["b in 2..9", "a in -8..8", "c = a/b"],
        &["a != 0", "gcd(a, b) = 1"],
    );
    let text = fraction.text("[[c : frac]] [[c : brackets]]").unwrap();
    for (seed, written) in [
        (0, r"\frac{1}{8} 1/8"),
        (3, r"\frac{4}{9} 4/9"),
        (4, r"-\frac{4}{3} (-4/3)"),
    ] {
        let made = fraction.values(seed).unwrap();
        assert_eq!(text.write(&made).as_deref(), Ok(written));
    }
}

#[test]
fn every_number_of_the_ranges_comes() {
    let template = template("T", &["a in -2, 0..1, 5"], &[]);
    let seen: BTreeSet<String> = (0..SEEDS)
        .map(|seed| template.values(seed).unwrap().to_string())
        .collect();
    let expected = ["a = -2", "a = 0", "a = 1", "a = 5"];
    assert_eq!(seen, expected.map(str::to_owned).into());
}

#[test]
fn templates_with_other_ids_get_other_numbers() {
    let all = |template: &Template| -> Vec<String> {
        let values = (0..20).map(|seed| template.values(seed).unwrap().to_string());
        values.collect()
    };
    let (one, two) = (
        template("A-D1", &RANGES, &[]),
        template("A-D2", &RANGES, &[]),
    );
    assert_ne!(all(&one), all(&two));
}

proptest! {
    #![proptest_config(properties::pure())]

    #[test]
    fn an_instance_meets_its_conditions_and_stays_the_same(
        seed in any::<u32>(),
        id in "[A-Z]{1,8}-D[0-9]",
        (low, width) in (-500_i64..500, 0_i64..500),
        divisor in 2_i64..6,
    ) {
        let high = low + width + divisor;
        let range = format!("a in {low}..{high}");
        let half = format!("half = a/{divisor}");
        let condition = format!("mod(a, {divisor}) = 0");
        let template = template(&id, &[&range, &half], &[&condition]);
        let text = template.text("[[a]] [[half]]").unwrap();
        let written = text.write(&template.values(seed).unwrap()).unwrap();
        let (a, half) = written.split_once(' ').unwrap();
        let (a, half): (i64, i64) = (a.parse().unwrap(), half.parse().unwrap());
        prop_assert!((low..=high).contains(&a));
        prop_assert_eq!(half * divisor, a);
        prop_assert_eq!(text.write(&template.clone().values(seed).unwrap()), Ok(written.clone()));
    }

    /// Whatever is written: an error or a value, and nothing else.
    #[test]
    fn nonsense_is_refused_or_read(text in "[-a-c0-9 +*/^().,=<>!:\\[\\]]{0,60}", seed in any::<u32>()) {
        let mut template = template("T", &["a in -9..9", "b in 0..3"], &[]);
        let _ = template.parameter(&text);
        let _ = template.condition(&text);
        let shown = template.text(&text).ok().zip(template.values(seed).ok());
        let shown = shown.map(|(text, values)| text.write(&values));
        if let Some(Ok(written)) = shown {
            prop_assert!(text.contains("[[") || written == text);
        }
    }
}
