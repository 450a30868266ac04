//! What the figures mean, on answers small enough to count by hand.

use std::collections::BTreeSet;

use turnwise_retrieval_quality::{
    calibration::{self, Prediction},
    interval, metrics,
};

fn right(units: &[&str]) -> BTreeSet<String> {
    units.iter().map(|unit| (*unit).to_owned()).collect()
}

#[test]
fn the_first_right_unit_counts() {
    let units = ["a", "b", "c", "d"];
    assert_eq!(metrics::of_units(units, &right(&["a", "b"])), [1.0; 4]);
    assert_eq!(
        metrics::of_units(units, &right(&["b"])),
        [0.0, 1.0, 1.0, 0.5]
    );
    assert_eq!(
        metrics::of_units(units, &right(&["d"])),
        [0.0, 0.0, 1.0, 0.25]
    );
    assert_eq!(metrics::of_units(units, &right(&["e"])), [0.0; 4]);
    assert_eq!(metrics::of_units([], &right(&["e"])), [0.0; 4]);
}

#[test]
fn gains_are_discounted_and_set_against_the_best_order() {
    assert!((metrics::ndcg_at_10(&[2.0, 1.0, 0.0], &[0.0, 1.0, 2.0]) - 1.0).abs() < 1e-12);
    let swapped = (1.0 + 2.0 / 3_f64.log2()) / (2.0 + 1.0 / 3_f64.log2());
    assert!((metrics::ndcg_at_10(&[1.0, 2.0], &[1.0, 2.0]) - swapped).abs() < 1e-12);
    let beyond = [[0.0; 10].as_slice(), &[1.0]].concat();
    assert_eq!(metrics::ndcg_at_10(&beyond, &[1.0]), 0.0);
    assert_eq!(
        metrics::ndcg_at_10(&[], &[1.0]),
        0.0,
        "what was not found does not count"
    );
}

#[test]
fn units_are_ranked_by_the_votes_of_their_chunks() {
    assert_eq!(
        metrics::units_by_vote(["a", "b", "b", "c"]),
        ["b", "a", "c"]
    );
    assert_eq!(metrics::units_by_vote([]), [""; 0]);
}

#[test]
fn a_scope_is_the_right_units_and_their_neighbours() {
    let course: Vec<String> = ('a'..='z').map(String::from).collect();
    let mut scope = metrics::scope(&course, &right(&["m"]));
    scope.sort_unstable();
    assert_eq!(scope, ["j", "k", "l", "m", "n", "o"]);
    assert_eq!(
        metrics::scope(&course, &right(&["a"])),
        ["a", "b", "c", "d", "e", "f"]
    );
    let two = metrics::scope(&course, &right(&["a", "z"]));
    assert_eq!(two[..2], ["a", "z"]);
    assert_eq!(two.len(), 6);
}

#[test]
fn repeated_queries_are_drawn_together() {
    let row = |name: &str, worth: f64| (name.to_owned(), [worth; 6]);
    let same = interval::figures(&[row("a", 1.0), row("a", 0.0)])[0];
    assert_eq!((same.mean, same.low, same.high), (0.5, 0.5, 0.5));
    let two = interval::figures(&[row("a", 1.0), row("b", 0.0)])[0];
    assert_eq!((two.mean, two.low, two.high), (0.5, 0.0, 1.0));
    let again = interval::figures(&[row("b", 0.0), row("a", 1.0)])[0];
    assert_eq!(two, again, "the draws are seeded and rows have no order");
}

#[test]
fn a_confidence_that_means_what_it_says_has_no_error() {
    let prediction = |confidence: f64, right: bool| Prediction {
        query: format!("{confidence}"),
        confidence,
        right,
    };
    let honest: Vec<Prediction> = (0..4).map(|place| prediction(0.75, place < 3)).collect();
    assert!(calibration::error(&honest) < 1e-12);
    let boastful: Vec<Prediction> = (0..4).map(|_| prediction(1.0, false)).collect();
    assert!((calibration::error(&boastful) - 1.0).abs() < 1e-12);
    assert!(calibration::table(&honest).contains("| 0.7 to 0.8 | 4 | 0.750 | 0.750 |"));
}
