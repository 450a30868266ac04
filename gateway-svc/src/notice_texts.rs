//! Notices in words: a client shows them as they are.

use turnwise_messages::{keys, text};
use turnwise_proto::common::v1::ErrorReason;

use crate::conversation::Core;

impl Core {
    /// The notices of an answer in a course, in words of the course's language.
    pub(crate) fn notice_texts(&self, course_id: &str, notices: &[i32]) -> Vec<String> {
        notice_texts(&self.course_locales.of(course_id), notices)
    }
}

/// Notices in the words of a locale. Each reason that is a notice has some.
pub(crate) fn notice_texts(locale: &str, notices: &[i32]) -> Vec<String> {
    let keys = notices
        .iter()
        .filter_map(|notice| match ErrorReason::try_from(*notice) {
            Ok(ErrorReason::DrillTokenInvalid) => Some(keys::NOTICE_DRILL_TOKEN_INVALID),
            Ok(ErrorReason::DrillAlreadyGraded) => Some(keys::NOTICE_DRILL_ALREADY_GRADED),
            Ok(ErrorReason::ExerciseRepeated) => Some(keys::NOTICE_EXERCISE_REPEATED),
            Ok(ErrorReason::ResultMismatch) => Some(keys::NOTICE_RESULT_MISMATCH),
            _ => None,
        });
    keys.map(|key| text(locale, key, &[])).collect()
}
