//! The facts that change a student's evidence.

use crate::words::Tier;

/// A fact that changes a student's evidence. Only what was checked gets here: a drill that could not be graded and a
/// press on "I'm stuck" are no such fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvidenceEvent {
    /// A drill was graded.
    DrillGraded {
        /// The drill's unit.
        unit_id: String,
        /// Whether the answer was right.
        correct: bool,
        /// The mistake that the grader named. With a right answer, or if the unit does not list it, it counts as none.
        mistake_tag: Option<String>,
        /// The exercise ([`crate::exercise::exercise`]); `None` where it is not known: then it is none that counted.
        exercise: Option<u64>,
    },
    /// The exam system recorded an answer.
    ExamResult {
        /// What was answered.
        question: QuestionRef,
        /// Whether the answer was right.
        passed: bool,
    },
    /// The student looked at the support material of an exam question.
    SupportViewed {
        /// What it was the support of.
        question: QuestionRef,
        /// Whether that locked the question; false where it was passed before.
        locked: bool,
    },
    /// A teacher marked a prerequisite as met, or took the mark back. It is no evidence and earns no badge.
    PrerequisiteMarked {
        /// The prerequisite.
        unit_id: String,
        /// Whether it counts as met from now on.
        met: bool,
    },
}

/// An exam question, with the unit and the tier that it counts for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionRef {
    /// The question.
    pub question_id: String,
    /// The unit; a question may test several.
    pub unit_id: String,
    /// The tier.
    pub tier: Tier,
}

impl EvidenceEvent {
    /// The one unit that the event is about.
    #[must_use]
    pub fn unit_id(&self) -> &str {
        match self {
            Self::DrillGraded { unit_id, .. } | Self::PrerequisiteMarked { unit_id, .. } => unit_id,
            Self::ExamResult { question, .. } | Self::SupportViewed { question, .. } => {
                &question.unit_id
            }
        }
    }

    /// The exam question that the event is about.
    #[must_use]
    pub fn question(&self) -> Option<&QuestionRef> {
        match self {
            Self::ExamResult { question, .. } | Self::SupportViewed { question, .. } => {
                Some(question)
            }
            Self::DrillGraded { .. } | Self::PrerequisiteMarked { .. } => None,
        }
    }
}
