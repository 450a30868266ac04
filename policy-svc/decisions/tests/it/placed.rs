//! What a placement showed to be known: met, no badge, undone by wrong drills, and never a lock.

use proptest::prelude::*;
use turnwise_decisions::{
    Course, Evidence, Placed, Progress, Record, Snapshot, Tier, describe_standing,
    evidence::apply,
    graph,
    standing::{Standing, Statuses},
};
use turnwise_testing::properties;

use crate::{
    evidence::{drill, minute, passed, question},
    fixtures::{course, course_with, now, progress, snapshot, unit},
    strategies::wide,
};

fn placed_on(unit: &str) -> Evidence {
    Evidence {
        placed: [(unit.to_owned(), Placed::default())].into(),
        ..Evidence::default()
    }
}

#[test]
fn two_wrong_drills_undo_it_and_right_ones_between_do_not_help() {
    let course = course();
    let mut evidence = placed_on("B");
    let mut seen = Vec::new();
    for (n, right) in [false, true, true, false, false].into_iter().enumerate() {
        let applied = apply(&course, &evidence, &drill("B", right), minute(n)).unwrap();
        evidence = applied.evidence;
        let placed = evidence.placed["B"];
        seen.push((placed.wrong_drills, placed.undone));
    }
    let expected = [(1, false), (1, false), (1, false), (2, true), (2, true)];
    assert_eq!(seen, expected);
}

#[test]
fn drills_on_other_units_leave_it() {
    let course = course();
    let mut evidence = placed_on("B");
    for n in 0..3 {
        let applied = apply(&course, &evidence, &drill("A", false), minute(n)).unwrap();
        evidence = applied.evidence;
    }
    assert_eq!(evidence.placed, placed_on("B").placed);
}

#[test]
fn a_badge_takes_its_place() {
    let course = course();
    let mut evidence = placed_on("B");
    let events = [
        drill("B", true),
        drill("B", true),
        passed(question("B", Tier::Bronze, 1)),
    ];
    for (n, event) in events.iter().enumerate() {
        evidence = apply(&course, &evidence, event, minute(n))
            .unwrap()
            .evidence;
    }
    assert_eq!(evidence.progress["B"].tier, Tier::Bronze);
    assert!(evidence.placed.is_empty());
}

#[test]
fn it_counts_as_met_and_is_no_badge() {
    let course = course();
    let at = |id: &str| course.find(id).unwrap();
    let record = Snapshot {
        placed: ["A".to_owned(), "gone".to_owned()].into(),
        ..snapshot("B", &[])
    };
    let record = Record::new(&course, &record, now());
    assert!(record.is_met(at("A")) && record.is_placed(at("A")));
    assert!(!graph::is_blocked(&record, at("B")));
    assert_eq!(record.tier(at("A")), Tier::None);
    let counts = describe_standing(&record, &Statuses::default()).progress;
    assert_eq!((counts.placed, counts.bronze), (1, 0));
}

#[test]
fn it_is_named_in_the_order_of_the_course() {
    let course = course_with(|spec| spec.units.reverse());
    let record = Snapshot {
        placed: ["A", "B", "C", "D", "E", "gone"].map(str::to_owned).into(),
        ..snapshot("F", &[("D", progress(Tier::Bronze, 2, 2))])
    };
    let record = Record::new(&course, &record, now());
    let standing = describe_standing(&record, &Statuses::default());
    let placed = standing.placed.iter();
    let placed: Vec<_> = placed.map(|unit| (&*unit.unit_id, &*unit.title)).collect();
    let titled = [
        ("B", "Title of B"),
        ("A", "Title of A"),
        ("C", "Title of C"),
    ];
    assert_eq!(placed, titled);
    assert_eq!(standing.progress.placed, 3);
}

#[test]
fn all_are_counted_where_not_all_are_named() {
    let id = |n: usize| format!("U{n:02}");
    let course = course_with(|spec| spec.units.extend((0..60).map(|n| unit(&id(n), &[]))));
    let record = Snapshot {
        placed: (0..60).map(id).collect(),
        ..snapshot("A", &[])
    };
    let standing = describe_standing(&Record::new(&course, &record, now()), &Statuses::default());
    let named: Vec<_> = standing
        .placed
        .into_iter()
        .map(|unit| unit.unit_id)
        .collect();
    let first: Vec<_> = (0..Standing::MOST_PLACED).map(id).collect();
    assert_eq!(named, first);
    assert_eq!(standing.progress.placed, 60);
}

#[test]
fn undone_it_closes_only_what_was_not_begun() {
    let course = course();
    let c = course.find("C").unwrap();
    let is_blocked = |progress: &[(&str, Progress)]| {
        let record = Snapshot {
            placed: ["B".to_owned()].into(),
            unplaced: ["A".to_owned()].into(),
            ..snapshot("C", progress)
        };
        graph::is_blocked(&Record::new(&course, &record, now()), c)
    };
    assert!(is_blocked(&[]));
    assert!(!is_blocked(&[("C", progress(Tier::None, 1, 0))]));
}

proptest! {
    #![proptest_config(properties::pure())]

    #[test]
    fn a_placement_locks_nobody_out(spec in wide::course(true), snapshot in wide::snapshot()) {
        let course = Course::new(spec).unwrap();
        let mut before = snapshot.clone();
        before.placed.clear();
        before.unplaced.clear();
        let mut undone = snapshot.clone();
        let placed = std::mem::take(&mut undone.placed);
        undone.unplaced.extend(placed);
        let [before, placed, undone] =
            [&before, &snapshot, &undone].map(|snapshot| Record::new(&course, snapshot, now()));
        for &at in course.path() {
            let was_open = !graph::is_blocked(&before, at);
            let is_open = !graph::is_blocked(&placed, at);
            prop_assert!(is_open || !was_open, "{}", course.id(at));
            let is_begun = placed.progress(at) != Progress::default();
            let stays_open = !graph::is_blocked(&undone, at);
            prop_assert!(stays_open || !(is_open && is_begun), "{}", course.id(at));
            prop_assert!(stays_open || !was_open, "{}", course.id(at));
        }
    }
}
