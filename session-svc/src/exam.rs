//! The built-in exam system's one decision: whether a question may be attempted now.

use jiff::Timestamp;
use turnwise_kit::time;
use turnwise_proto::{
    exam::v1::{QuestionState, QuestionStatus},
    session::v1::QuestionRecord,
};

/// The status of a question at `now`. Lock ends are compared as instants; a lock without an end is a lock, and so is a
/// state that is not known.
pub fn status(
    question_id: &str,
    record: Option<&QuestionRecord>,
    now: Timestamp,
) -> QuestionStatus {
    let state = record.map_or(QuestionState::Available, QuestionRecord::state);
    let (state, locked_until) = match state {
        QuestionState::Available | QuestionState::Passed => (state, None),
        QuestionState::Locked | QuestionState::Unspecified => {
            let end = record
                .and_then(|record| record.locked_until)
                .and_then(|end| Some((end, time::from_proto(&end)?)));
            match end {
                Some((_, instant)) if instant <= now => (QuestionState::Available, None),
                Some((end, _)) => (QuestionState::Locked, Some(end)),
                None => (QuestionState::Locked, None),
            }
        }
    };
    QuestionStatus {
        question_id: question_id.to_owned(),
        state: state.into(),
        locked_until,
    }
}
