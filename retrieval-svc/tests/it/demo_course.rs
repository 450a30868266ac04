//! The demo course as pupils ask about it.

use std::{path::Path, sync::Arc};

use turnwise_retrieval_relevance::{Mapped, Mapping};
use turnwise_text::Analyser;

pub const FOLDER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../courses/algebra-foundations"
);

/// The confidence from which a policy locks its target.
const LOCK: f64 = 0.55;

fn course() -> Mapping {
    let pack = turnwise_course_pack::load(Path::new(FOLDER)).unwrap();
    Mapping::new(&pack, Arc::new(Analyser::new("en")))
}

fn map<'a>(course: &'a Mapping, text: &str) -> Vec<Mapped<'a>> {
    course.map(&course.turn(text, &[] as &[&str]), None)
}

#[test]
fn clear_questions_lock_their_unit() {
    let course = course();
    for (text, unit) in [
        (
            "How do I add fractions with different denominators?",
            "ALG-04",
        ),
        (
            "what is the slope of the line through (1,2) and (3,8)",
            "ALG-14",
        ),
        ("Factor x² + 5x + 6", "ALG-18"),
        ("solve 3x + 5 = 20", "ALG-11"),
        ("solve 2x+5=11", "ALG-11"),
        ("how do I add 1/2 and 1/3?", "ALG-04"),
        ("help me with slope", "ALG-14"),
        (
            "which operation do I do first, brackets or powers?",
            "ALG-02",
        ),
        (
            "how do I plot the point (-2, 3) on the coordinate plane",
            "ALG-13",
        ),
        (
            "simplify \\(a^3 \\cdot a^4\\) with the exponent laws",
            "ALG-16",
        ),
    ] {
        let mapped = map(&course, text);
        assert_eq!(mapped[0].unit, unit, "{text}: {:?}", brief(&mapped));
        assert!(mapped[0].confidence >= LOCK, "{text}: {:?}", brief(&mapped));
    }
}

#[test]
fn vague_messages_lock_nothing() {
    let course = course();
    for text in [
        "I don't get it",
        "x=4",
        "ok",
        "is that right?",
        "what do I do next",
        "number",
        "can you show me",
        "what does that mean",
        "what is the answer",
        "what is your name",
        "59 minutes",
        "yellow",
    ] {
        let mapped = map(&course, text);
        let sure = mapped
            .first()
            .is_some_and(|mapped| mapped.confidence >= LOCK);
        assert!(!sure, "{text}: {:?}", brief(&mapped));
    }
}

fn brief(mapped: &[Mapped<'_>]) -> Vec<(String, f64)> {
    mapped
        .iter()
        .map(|mapped| (mapped.unit.to_owned(), mapped.confidence))
        .collect()
}
