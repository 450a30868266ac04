//! What people see of a record.

use turnwise_decisions::{
    EventKind, ExamQuestion,
    QuestionState::{Available, Locked, Passed},
    Record, Snapshot, Statuses, Tier,
    buttons::on_revisit,
    describe_standing,
    standing::Revisit,
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
fn an_entry_at_or_below_the_badge_goes() {
    let record = Snapshot {
        revisit_question_ids: [A, B, F].map(str::to_owned).into(),
        ..snapshot("B", &[("A", progress(Tier::Bronze, 2, 2))])
    };
    let word = [(B, Locked, None), (F, Passed, None)];
    let revisit =
        describe_standing(&Record::new(&course(), &record, now()), &statuses(&word)).revisit;
    let entries: Vec<_> = revisit
        .entries
        .iter()
        .map(|entry| (entry.question_id.as_str(), entry.unit.unit_id.as_str()))
        .collect();
    assert_eq!(entries, [(B, "B")]);
    assert_eq!(revisit.entries[0].tier, Tier::Bronze);
    assert_eq!(revisit.entries[0].status.unwrap().state, Locked);
    assert_eq!(revisit.locked_count, 1);
    let opens = on_revisit(&revisit.entries[0]);
    assert!(!opens.primary);
    let event = opens.event().unwrap();
    assert_eq!(
        (event.kind, event.unit_id.as_str()),
        (EventKind::RequestExam, "B")
    );
    assert_eq!(event.question_id, B);
}

#[test]
fn at_most_twenty_entries_are_shown_and_all_are_counted() {
    let course = course_with(|spec| {
        for n in 3..=30 {
            let like = spec.questions[0].clone();
            spec.questions.push(ExamQuestion {
                id: format!("B-bronze-{n}"),
                units: vec!["B".to_owned()],
                tier: Tier::Bronze,
                ..like
            });
        }
    });
    let ids: Vec<String> = (3..=30).map(|n| format!("B-bronze-{n}")).collect();
    let record = Snapshot {
        revisit_question_ids: ids.clone(),
        ..Snapshot::default()
    };
    let words: Vec<_> = ids.iter().map(|id| (id.as_str(), Locked, None)).collect();
    let revisit =
        describe_standing(&Record::new(&course, &record, now()), &statuses(&words)).revisit;
    assert_eq!(revisit.locked_count, 28);
    assert_eq!(revisit.entries.len(), Revisit::MOST_SHOWN);
    assert_eq!(revisit.entries[0].question_id, "B-bronze-3");
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
