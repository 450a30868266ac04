//! The exam port: the built-in system's rules, and a platform's system that is slow, away, or answers nonsense.

mod patience;
mod platform;
mod questions;

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use turnwise_gateway_svc::exam::{Ruling, status};
use turnwise_kit::time;
use turnwise_proto::{
    exam::v1::{QuestionState, QuestionStatus},
    session::v1::QuestionRecord,
};

const DAY: Duration = Duration::from_secs(86_400);
const RIGHT: Ruling = Ruling::Compared {
    correct: true,
    lock: DAY,
};
const WRONG: Ruling = Ruling::Compared {
    correct: false,
    lock: DAY,
};
const LOOK: Ruling = Ruling::Viewed { lock: DAY };

fn at(seconds: i64) -> Timestamp {
    let start: Timestamp = "2026-03-02T08:00:00Z".parse().unwrap();
    start + SignedDuration::from_secs(seconds)
}

fn record(state: QuestionState, until: Option<i64>) -> QuestionRecord {
    QuestionRecord {
        question_id: "q".to_owned(),
        state: state.into(),
        locked_until: until.map(|seconds| time::to_proto(at(seconds))),
        support_viewed: false,
    }
}

/// The state at second 100 and the second at which a lock ends.
fn read(record: Option<&QuestionRecord>) -> (QuestionState, Option<i64>) {
    seen(&status("q", record, at(100)))
}

fn seen(status: &QuestionStatus) -> (QuestionState, Option<i64>) {
    assert_eq!(status.question_id, "q");
    let until = status.locked_until.as_ref().and_then(time::from_proto);
    (
        status.state(),
        until.map(|end| end.as_second() - at(0).as_second()),
    )
}

#[test]
fn a_record_says_whether_a_question_may_be_attempted() {
    use QuestionState::{Available, Locked, Passed, Unspecified};
    let nonsense = QuestionRecord {
        state: 99,
        ..record(Locked, None)
    };
    let cases = [
        (None, (Available, None)),
        (Some(record(Locked, Some(101))), (Locked, Some(101))),
        (Some(record(Locked, Some(100))), (Available, None)),
        (Some(record(Locked, Some(99))), (Available, None)),
        (Some(record(Locked, None)), (Locked, None)),
        (Some(record(Passed, None)), (Passed, None)),
        (Some(record(Passed, Some(200))), (Passed, None)),
        (Some(record(Unspecified, None)), (Locked, None)),
        (Some(nonsense), (Locked, None)),
    ];
    for (record, expected) in cases {
        assert_eq!(read(record.as_ref()), expected, "{record:?}");
    }
}

#[test]
fn a_word_counts_only_where_the_question_may_be_attempted() {
    use QuestionState::{Locked, Passed};
    let until = 100 + 86_400;
    let cases = [
        (RIGHT, None, (Passed, None), true),
        (WRONG, None, (Locked, Some(until)), true),
        (
            WRONG,
            Some(record(Locked, Some(50))),
            (Locked, Some(until)),
            true,
        ),
        (RIGHT, Some(record(Locked, Some(50))), (Passed, None), true),
        (
            RIGHT,
            Some(record(Locked, Some(150))),
            (Locked, Some(150)),
            false,
        ),
        (WRONG, Some(record(Locked, None)), (Locked, None), false),
        (WRONG, Some(record(Passed, None)), (Passed, None), false),
        (RIGHT, Some(record(Passed, None)), (Passed, None), false),
        (
            Ruling::NotTaken,
            Some(record(Passed, None)),
            (Passed, None),
            false,
        ),
        (LOOK, None, (Locked, Some(until)), true),
        (
            LOOK,
            Some(record(Locked, Some(150))),
            (Locked, Some(until)),
            true,
        ),
        (
            LOOK,
            Some(record(Locked, Some(999_999))),
            (Locked, Some(999_999)),
            true,
        ),
        // Looked at again, it does not lock for longer.
        (
            LOOK,
            Some(QuestionRecord {
                support_viewed: true,
                ..record(Locked, Some(150))
            }),
            (Locked, Some(150)),
            false,
        ),
        (
            LOOK,
            Some(QuestionRecord {
                support_viewed: true,
                ..record(Locked, Some(50))
            }),
            (Locked, Some(until)),
            true,
        ),
        (LOOK, Some(record(Passed, None)), (Passed, None), false),
    ];
    for (ruling, before, expected, counts) in cases {
        let records: Vec<_> = before.clone().into_iter().collect();
        let effect = ruling.effect("q", &records, at(100));
        assert_eq!(seen(&effect.status), expected, "{ruling:?} {before:?}");
        assert_eq!(effect.counts, counts, "{ruling:?} {before:?}");
        // What is written reads as what was said.
        match effect.record {
            Some(written) => assert_eq!(read(Some(&written)), expected),
            None => assert!(!counts),
        }
    }
}

#[test]
fn a_platforms_word_stands_whatever_our_records_say() {
    let status = QuestionStatus {
        question_id: "q".to_owned(),
        state: QuestionState::Locked.into(),
        locked_until: Some(time::to_proto(at(777))),
    };
    for recorded in [true, false] {
        let ruling = Ruling::Platform {
            status: status.clone(),
            recorded,
        };
        let effect = ruling.effect("q", &[record(QuestionState::Passed, None)], at(100));
        assert_eq!(effect.status, status);
        assert_eq!(effect.counts, recorded);
        assert_eq!(effect.record, None);
    }
}

fn ruling() -> impl Strategy<Value = Ruling> {
    prop_oneof![Just(RIGHT), Just(WRONG), Just(LOOK), Just(Ruling::NotTaken)]
}

proptest! {
    /// Whatever is done when: a pass stays, a lock never ends earlier than it was said to, and no answer counts while
    /// one holds.
    #[test]
    fn locks_hold_and_passes_stay(steps in prop::collection::vec((0i64..200_000, ruling()), 1..20)) {
        let mut records: Vec<QuestionRecord> = Vec::new();
        let mut now = 0;
        let (mut passed, mut locked_until) = (false, 0);
        for (pause, ruling) in steps {
            now += pause;
            let before = status("q", records.first(), at(now)).state();
            prop_assert_eq!(before == QuestionState::Passed, passed);
            prop_assert_eq!(before == QuestionState::Locked, !passed && now < locked_until);
            let effect = ruling.effect("q", &records, at(now));
            if matches!(ruling, Ruling::Compared { .. }) {
                prop_assert_eq!(effect.counts, before == QuestionState::Available);
            }
            if let Some(record) = effect.record {
                records = vec![record];
            }
            let (state, until) = seen(&status("q", records.first(), at(now)));
            prop_assert_eq!(seen(&effect.status), (state, until));
            passed |= state == QuestionState::Passed;
            if let Some(until) = until {
                prop_assert!(until >= locked_until);
                locked_until = until;
            }
        }
    }
}
