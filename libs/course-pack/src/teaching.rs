//! What a unit has for the tutor to teach with, beside its lesson and drills.

use serde::Serialize;

/// What students commonly get wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Misconception {
    /// The wrong idea.
    pub text: String,
    /// The question that makes a student doubt it; empty if nothing is written.
    pub question: String,
}

impl From<String> for Misconception {
    fn from(text: String) -> Self {
        Self {
            text,
            question: String::new(),
        }
    }
}

/// What a unit is about, in one to three sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeyIdea {
    /// The idea.
    pub text: String,
    /// The chunk of the unit's lesson that says more; it is named as the source.
    pub chunk: String,
}

/// A mistake that a grader may name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MistakeTag {
    /// The tag, unique in its unit.
    pub id: String,
    /// What the mistake is.
    pub meaning: String,
    /// What is said to a student who made it, without the answer; empty if nothing is written.
    pub feedback: String,
}
