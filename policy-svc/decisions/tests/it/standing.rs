//! What people see of a record.

use turnwise_decisions::{
    QuestionState::{Available, Locked, Passed},
    Record, Snapshot, Statuses, Tier, describe_standing,
};

use crate::fixtures::*;

const A: &str = "A-bronze-1";
const B: &str = "B-bronze-1";
const F: &str = "F-bronze-1";

#[test]
fn units_count_once_under_their_badge() {
    let record = snapshot(
        "C",
        &[
            ("A", progress(Tier::Bronze, 2, 2)),
            ("B", progress(Tier::Gold, 2, 2)),
            ("F", progress(Tier::Silver, 2, 0)),
            ("ENTRY", progress(Tier::Gold, 0, 0)),
            ("gone", progress(Tier::Gold, 0, 0)),
        ],
    );
    let standing = describe_standing(
        &Record::new(&course(), &record, now()),
        &Statuses::default(),
    );
    let counts = standing.progress;
    assert_eq!(
        (counts.bronze, counts.silver, counts.gold, counts.total),
        (1, 1, 1, 5)
    );
    assert_eq!(standing.focus.unit_id, "C");
    assert_eq!(standing.focus.title, "Title of C");
    assert_eq!(standing.prereq_nudge, None);
}

#[test]
fn a_record_without_turns_stands_on_the_entry_unit() {
    for focus in ["", "gone"] {
        let standing = describe_standing(
            &Record::new(&course(), &snapshot(focus, &[]), now()),
            &Statuses::default(),
        );
        assert_eq!(standing.focus.unit_id, "ENTRY");
        assert_eq!(standing.focus_tier, Tier::None);
    }
}

#[test]
fn a_missing_prerequisite_is_nudged() {
    let standing = describe_standing(
        &Record::new(&course(), &snapshot("D", &[]), now()),
        &Statuses::default(),
    );
    assert_eq!(standing.prereq_nudge.unwrap().unit_id, "A");
}

#[test]
fn the_revisit_queue_is_summed_up() {
    let (early, late) = ("2026-03-03T08:00:00Z", "2026-03-04T08:00:00Z");
    for (answer, locked, eligible, next) in [
        (vec![], 0, None, Some(A)),
        (
            vec![(A, Locked, Some(late)), (B, Locked, Some(early))],
            2,
            Some(early),
            Some(B),
        ),
        (
            vec![(A, Locked, None), (B, Available, None)],
            1,
            None,
            Some(B),
        ),
        (
            vec![(A, Locked, None), (B, Locked, None), (F, Locked, None)],
            3,
            None,
            Some(A),
        ),
        (
            vec![(A, Passed, None), (B, Passed, None), (F, Passed, None)],
            0,
            None,
            None,
        ),
        (
            vec![
                (A, Locked, Some(early)),
                (B, Locked, Some(early)),
                (F, Available, None),
            ],
            2,
            Some(early),
            Some(A),
        ),
    ] {
        let record = Snapshot {
            revisit_question_ids: [A, "gone", B, F, A].map(str::to_owned).into(),
            ..Snapshot::default()
        };
        let revisit =
            describe_standing(&Record::new(&course(), &record, now()), &statuses(&answer)).revisit;
        assert_eq!(revisit.locked_count, locked, "{answer:?}");
        assert_eq!(
            revisit.next_eligible_at,
            eligible.map(|t: &str| t.parse().unwrap())
        );
        assert_eq!(revisit.next_question_id.as_deref(), next, "{answer:?}");
    }
}

#[test]
fn of_two_words_on_one_question_the_stricter_counts() {
    let late = Some("2026-03-04T08:00:00Z");
    let words = [
        (A, Available, None),
        (A, Locked, late),
        (A, Locked, None),
        (A, Locked, late),
    ];
    let mut turned = words;
    turned.reverse();
    for list in [words, turned] {
        let status = statuses(&list).get(A).unwrap();
        assert_eq!((status.state, status.locked_until), (Locked, None));
    }
}
