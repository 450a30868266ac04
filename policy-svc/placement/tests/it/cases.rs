//! Single placements.

use turnwise_placement::{CERTAIN, Graph, Placement, Unit};

use crate::fixture::{demo, placed_by, play, unit};

#[test]
fn who_knows_all_is_placed_on_all_and_asked_about_less_than_half() {
    let units = demo();
    let graph = Graph::new(units.iter().cloned());
    let mut placement = Placement::new(&graph);
    let asked = play(&mut placement, |_| true);
    assert_eq!(placement.placed().len(), units.len());
    assert!(asked.len() < 10, "{asked:?}");
}

#[test]
fn who_knows_nothing_is_placed_on_nothing() {
    let graph = Graph::new(demo());
    let mut placement = Placement::new(&graph);
    let asked = play(&mut placement, |_| false);
    assert_eq!(placement.placed(), [""; 0]);
    assert!(asked.len() <= 10, "{asked:?}");
}

#[test]
fn who_knows_what_comes_before_linear_equations_is_placed_on_that() {
    let known = ["ALG-01", "ALG-02", "ALG-03", "ALG-04", "ALG-05", "ALG-06"];
    let mut placed = placed_by(&demo(), |unit| known.contains(&unit));
    placed.sort();
    assert_eq!(placed, known);
}

#[test]
fn one_slip_on_what_much_was_built_on_does_not_take_it_away() {
    let units = [
        unit("a", &[]),
        unit("b", &["a"]),
        unit("c", &["b"]),
        unit("d", &["c"]),
    ];
    let graph = Graph::new(units);
    let mut placement = Placement::new(&graph);
    placement.answer("a", false);
    assert_eq!(placement.placed(), [""; 0]);
    placement.answer("c", true);
    placement.answer("d", true);
    assert_eq!(placement.placed(), ["a", "b", "c", "d"]);
}

#[test]
fn a_right_answer_says_nothing_of_what_shares_nothing_with_it() {
    let units = [unit("a", &[]), unit("b", &["a"]), unit("else", &[])];
    let graph = Graph::new(units);
    let mut placement = Placement::new(&graph);
    let before = placement.belief("else");
    placement.answer("b", true);
    // But for what is rounded: a belief is a number of millionths.
    let after = placement.belief("else").unwrap();
    assert!(after.abs_diff(before.unwrap()) <= 4, "{after}");
    assert!(placement.belief("a").unwrap() > Placement::KNOWN);
}

#[test]
fn units_that_share_a_prerequisite_speak_for_each_other() {
    let units = [
        unit("root", &[]),
        unit("a", &["root"]),
        unit("b", &["root"]),
    ];
    let graph = Graph::new(units);
    let mut placement = Placement::new(&graph);
    let before = placement.belief("b").unwrap();
    placement.answer("a", true);
    let raised = placement.belief("b").unwrap();
    assert!(raised > before);
    let mut placement = Placement::new(&graph);
    placement.answer("a", false);
    assert!(placement.belief("b").unwrap() < before);
}

#[test]
fn what_is_known_is_not_asked_about_nor_placed_again() {
    let units = [unit("a", &[]), unit("b", &["a"]), unit("c", &["b"])];
    let graph = Graph::new(units);
    let mut placement = Placement::of_student(&graph, |unit| unit == "b");
    assert_eq!(placement.belief("b"), Some(CERTAIN));
    // What a badge was built on is known, and so it is placed: it counts as met from now on.
    assert_eq!(placement.placed(), ["a"]);
    let asked = play(&mut placement, |_| false);
    assert!(asked.iter().all(|unit| *unit == "c"), "{asked:?}");
    assert_eq!(placement.belief("b"), Some(CERTAIN));
    assert_eq!(placement.placed(), ["a"]);
}

#[test]
fn units_to_ask_are_all_that_are_open_and_the_next_one_is_first() {
    let graph = Graph::new([unit("a", &[]), unit("b", &["a"]), unit("c", &["b"])]);
    let mut placement = Placement::of_student(&graph, |unit| unit == "a");
    assert_eq!(placement.next_unit(), Some(placement.units_to_ask()[0]));
    let mut open = placement.units_to_ask();
    open.sort_unstable();
    assert_eq!(open, ["b", "c"]);
    play(&mut placement, |_| true);
    assert_eq!(placement.units_to_ask(), [""; 0]);
}

#[test]
fn a_unit_without_questions_is_placed_by_what_builds_on_it() {
    let silent = Unit {
        questions: 0,
        ..unit("b", &["a"])
    };
    let units = [unit("a", &[]), silent, unit("c", &["b"])];
    let graph = Graph::new(units);
    let mut placement = Placement::new(&graph);
    let asked = play(&mut placement, |_| true);
    assert!(!asked.contains(&"b"));
    assert_eq!(placement.placed(), ["a", "b", "c"]);
}

#[test]
fn a_course_of_nothing_asks_nothing() {
    let graph = Graph::new([]);
    assert_eq!(Placement::new(&graph).next_unit(), None);
    assert_eq!(Placement::new(&graph).placed(), [""; 0]);
}

#[test]
fn units_that_need_each_other_are_left_out_and_the_rest_is_placed() {
    let units = [
        unit("x", &["y"]),
        unit("y", &["x"]),
        unit("behind", &["y", "a"]),
        unit("b", &["a", "gone"]),
        unit("a", &[]),
        unit("a", &["x"]),
    ];
    assert_eq!(placed_by(&units, |_| true), ["a", "b"]);
}

#[test]
fn an_answer_about_a_unit_that_left_counts_and_says_nothing() {
    let graph = Graph::new([unit("a", &[]), unit("b", &["a"])]);
    let mut placement = Placement::new(&graph);
    let before = [placement.belief("a"), placement.belief("b")];
    placement.answer("gone", true);
    assert_eq!(placement.answers(), 1);
    assert_eq!([placement.belief("a"), placement.belief("b")], before);
    assert_eq!(placement.belief("gone"), None);
    assert_eq!(placement.placed(), [""; 0]);
}

#[test]
fn answers_after_the_last_question_change_nothing() {
    let graph = Graph::new([unit("a", &[]), unit("b", &[])]);
    let mut placement = Placement::new(&graph);
    for _ in 0..Placement::MOST_QUESTIONS {
        placement.answer("gone", true);
    }
    assert_eq!(placement.next_unit(), None);
    placement.answer("a", true);
    assert_eq!(placement.answers(), Placement::MOST_QUESTIONS);
    assert_eq!(placement.placed(), [""; 0]);
}

#[test]
fn of_a_very_large_course_the_first_units_are_placed() {
    let all = Graph::MOST_UNITS + 100;
    let units = (0..all).map(|at| unit(&format!("u{at}"), &[]));
    let graph = Graph::new(units);
    let mut placement = Placement::new(&graph);
    let asked = play(&mut placement, |_| true);
    assert_eq!(asked.len(), Placement::MOST_QUESTIONS);
    assert!(
        placement
            .belief(&format!("u{}", Graph::MOST_UNITS - 1))
            .is_some()
    );
    assert_eq!(placement.belief(&format!("u{}", Graph::MOST_UNITS)), None);
}
