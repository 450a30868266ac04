//! When a question may be attempted.

use jiff::Timestamp;
use prost_types::Timestamp as ProtoTimestamp;
use turnwise_proto::{exam::v1::QuestionState, session::v1::QuestionRecord};
use turnwise_session_svc::exam;

fn check(stored: Option<(QuestionState, Option<i64>)>, expected: (QuestionState, Option<i64>)) {
    let now = Timestamp::from_second(1000).unwrap();
    let time = |seconds| ProtoTimestamp { seconds, nanos: 0 };
    let record = stored.map(|(state, end)| QuestionRecord {
        question_id: "Q1".to_owned(),
        state: state.into(),
        locked_until: end.map(time),
    });
    let status = exam::status("Q1", record.as_ref(), now);
    assert_eq!(status.question_id, "Q1");
    let found = (status.state(), status.locked_until.map(|end| end.seconds));
    assert_eq!(found, expected, "{stored:?}");
}

#[test]
fn a_question_is_what_its_record_says_now() {
    use QuestionState::{Available, Locked, Passed, Unspecified};
    check(None, (Available, None));
    check(Some((Passed, None)), (Passed, None));
    check(Some((Passed, Some(2000))), (Passed, None));
    check(Some((Locked, Some(1001))), (Locked, Some(1001)));
    check(Some((Locked, Some(1000))), (Available, None));
    check(Some((Locked, Some(999))), (Available, None));
    // What is not known is not offered.
    check(Some((Locked, None)), (Locked, None));
    check(Some((Locked, Some(i64::MAX))), (Locked, None));
    check(Some((Unspecified, None)), (Locked, None));
}
