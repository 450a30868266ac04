//! What a course's author wrote for the tutor to teach with.

use std::collections::{BTreeMap, HashMap};

/// What there is to teach a unit with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Teaching {
    /// The author's questions, each for the misconception at the same place; an empty one, or none, where nothing is
    /// written.
    pub questions: Vec<String>,
    /// What the unit is about.
    pub key_idea: Option<KeyIdea>,
    /// What is said to a student who made a mistake, by its tag.
    pub feedback: BTreeMap<String, String>,
    /// What helps with the unit's drills, by their ids.
    pub drills: HashMap<String, DrillHelp>,
}

/// What a unit is about, in a few sentences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyIdea {
    /// The idea.
    pub text: String,
    /// The title of the lesson's section that says more.
    pub source: String,
}

/// What helps with a drill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DrillHelp {
    /// Hints, each of which helps more than the one before, and none of which gives the answer.
    pub hints: Vec<String>,
    /// The drill worked out, the answer in the last line. It is shown for another drill, never for this one.
    pub solution: Vec<String>,
}

impl Teaching {
    /// Whether there is something to explain with.
    #[must_use]
    pub(crate) fn explains(&self) -> bool {
        self.key_idea.is_some() || self.drills.values().any(|help| !help.solution.is_empty())
    }
}
