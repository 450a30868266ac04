//! The languages of courses, as the policy named them last: for the words of an answer that the policy has no part in.

use std::{
    collections::BTreeMap,
    sync::{PoisonError, RwLock},
};

/// The most courses whose language is kept.
const MOST_COURSES: usize = 1_000;

/// The locale of each course, by id.
#[derive(Default)]
pub(crate) struct CourseLocales(RwLock<BTreeMap<String, String>>);

impl CourseLocales {
    /// Keeps what the policy said of a course.
    pub(crate) fn learn(&self, course_id: &str, locale: &str) {
        if self.of(course_id) == locale {
            return;
        }
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST_COURSES || known.contains_key(course_id) {
            known.insert(course_id.to_owned(), locale.to_owned());
        }
    }

    /// A course's locale; empty if the policy has not named it.
    pub(crate) fn of(&self, course_id: &str) -> String {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.get(course_id).cloned().unwrap_or_default()
    }
}
