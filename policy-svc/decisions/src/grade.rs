//! The grade of a drill: what mathematics said of the answer, and whatever came of a model.
//!
//! Mathematics has the last word where it had one: a model then words the feedback and names the mistake. Where it cannot
//! tell and the course gives the answer, nobody decides, and the drill is asked again. Where the course gives none, a model's
//! grade is shown, and counts if the course says so. Without any verdict nothing counts.

pub mod feedback;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
pub use turnwise_grading::Verdict;
use turnwise_messages::Texts;
use turnwise_reply_guard::plain_text;

use crate::{
    course::Unit,
    json, limits,
    resolve::Outcome,
    validate::{Violation, json_violation},
    words::FallbackReason,
};

/// The most characters of a model's feedback.
pub const MOST_FEEDBACK_CHARS: usize = 600;

/// What mathematics said of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrillCheck {
    /// Its verdict.
    pub verdict: Verdict,
    /// What the drill asks for, as a code such as `solve`. One that is not known here gets plainer words.
    pub task: String,
    /// Why the verdict is what it is, as a code such as `not_equal`. One that is not known here gets plainer words.
    pub reason: String,
    /// Whether a model's grade counts where mathematics cannot tell and the course gives no answer.
    pub counts_llm: bool,
    /// Whether the course gives the answer: then no model decides.
    pub has_key: bool,
}

/// Who decided whether an answer is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GradedBy {
    /// Mathematics.
    Rules,
    /// A model, as mathematics could not tell.
    Llm,
}

impl GradedBy {
    /// The name that logs and metrics use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Llm => "llm",
        }
    }
}

/// A verdict with what the student reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grade {
    /// The verdict.
    pub verdict: Verdict,
    /// Who decided; `None` exactly if nobody could.
    pub graded_by: Option<GradedBy>,
    /// What the student reads; never blank.
    pub feedback_text: String,
    /// The mistake that was named: one of the unit's, with a wrong answer only.
    pub mistake_tag: Option<String>,
    /// Whether the verdict counts.
    pub is_evidence: bool,
    /// Why a model's grade is not used; `None` if it is, if none was asked for, or if it was valid and mathematics said
    /// otherwise.
    pub fallback_reason: Option<FallbackReason>,
    /// What was wrong with the model's grade; holds no text of the model's.
    pub violation: Option<String>,
    /// Things worth counting that are no fault.
    pub observations: Vec<GradeObservation>,
}

/// Something about a model's grade that is worth counting and no fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GradeObservation {
    /// The mistake is one that the unit does not list; it counts as none.
    UnknownTag,
    /// Mathematics says otherwise, or the answer is the exercise itself: nothing of the model's grade is used.
    GradeDisagreement,
}

impl GradeObservation {
    /// The name that logs and metrics use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnknownTag => "unknown_tag",
            Self::GradeDisagreement => "grade_disagreement",
        }
    }
}

/// A grade as a model writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct LlmGrade {
    /// Whether the answer is right.
    pub is_correct: bool,
    /// What the student reads.
    pub feedback_text: String,
    /// One of the unit's tags. The key is required; `null` is none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub common_mistake_tag: Option<String>,
}

/// The contract of a model's grade for one unit, as a JSON Schema (2020-12). The text carries no length bound, for the
/// reason that [`crate::schema`] gives; [`resolve_grade`] keeps it.
#[must_use]
pub fn grade_schema(unit: &Unit) -> Value {
    let mut tags: Vec<_> = unit.mistake_tags.iter().map(|tag| json!(tag)).collect();
    tags.push(Value::Null);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "isCorrect": {"type": "boolean"},
            "feedbackText": {"type": "string", "minLength": 1},
            "commonMistakeTag": {"enum": tags},
        },
        "required": ["isCorrect", "feedbackText", "commonMistakeTag"],
        "additionalProperties": false,
    })
}

/// The reason code of an answer that is the exercise itself.
const COPIED_QUESTION: &str = "copied_question";

/// Makes the grade of an answer to a drill on this unit, in the texts of its course. Any bytes may come of a model; `None`:
/// no model was asked.
#[must_use]
pub fn resolve_grade(
    texts: &Texts,
    unit: &Unit,
    check: &DrillCheck,
    outcome: Option<Outcome<'_>>,
) -> Grade {
    let own = own_grade(texts, check);
    let asks_again = check.has_key && check.verdict == Verdict::CannotTell;
    let written = match outcome {
        None => return own,
        Some(Outcome::Failure(reason)) => Err(Violation {
            reason,
            detail: String::new(),
        }),
        Some(Outcome::Completion(_)) if asks_again => return own,
        Some(Outcome::Completion(bytes)) => read(bytes),
    };
    match written {
        Ok(written) => with_model(unit, check, own, written),
        Err(violation) => Grade {
            fallback_reason: Some(violation.reason),
            violation: Some(violation.detail).filter(|detail| !detail.is_empty()),
            ..own
        },
    }
}

/// The grade without a model.
fn own_grade(texts: &Texts, check: &DrillCheck) -> Grade {
    let decided = check.verdict != Verdict::CannotTell;
    Grade {
        verdict: check.verdict,
        graded_by: decided.then_some(GradedBy::Rules),
        feedback_text: feedback::text(texts, check.verdict, &check.task, &check.reason),
        mistake_tag: None,
        is_evidence: decided,
        fallback_reason: None,
        violation: None,
        observations: Vec::new(),
    }
}

/// The grade with a valid one of a model. Feedback on another verdict would contradict ours, so it is not used.
fn with_model(unit: &Unit, check: &DrillCheck, own: Grade, written: LlmGrade) -> Grade {
    let said = if written.is_correct {
        Verdict::Right
    } else {
        Verdict::Wrong
    };
    let mut observations = Vec::new();
    let tag = written
        .common_mistake_tag
        .filter(|_| said == Verdict::Wrong);
    let (mistake_tag, unknown) = match tag {
        Some(tag) if unit.lists_mistake(&tag) => (Some(tag), false),
        other => (None, other.is_some()),
    };
    if unknown {
        observations.push(GradeObservation::UnknownTag);
    }
    let by_rules = own.graded_by.is_some();
    // The exercise itself again is no answer, whatever a model makes of it.
    let copied = said == Verdict::Right && check.reason == COPIED_QUESTION;
    if copied || (by_rules && said != own.verdict) {
        observations.push(GradeObservation::GradeDisagreement);
        return Grade {
            observations,
            ..own
        };
    }
    Grade {
        verdict: said,
        graded_by: own.graded_by.or(Some(GradedBy::Llm)),
        feedback_text: plain_text(written.feedback_text.trim()).trim().to_owned(),
        mistake_tag,
        is_evidence: by_rules || check.counts_llm,
        observations,
        ..own
    }
}

/// Reads and checks a model's grade.
fn read(bytes: &[u8]) -> Result<LlmGrade, Violation> {
    let object = json::read_object(bytes).map_err(json_violation)?;
    let refuse = |reason, detail: &str| {
        Err(Violation {
            reason,
            detail: detail.to_owned(),
        })
    };
    let Ok(grade) = serde_json::from_value::<LlmGrade>(Value::Object(object)) else {
        return refuse(
            FallbackReason::SchemaViolation,
            "has missing, wrong or foreign keys",
        );
    };
    let text = &grade.feedback_text;
    if text.trim().is_empty() {
        return refuse(FallbackReason::EmptyMessage, "feedbackText");
    }
    if text.chars().count() > MOST_FEEDBACK_CHARS {
        return refuse(
            FallbackReason::LimitsExceeded,
            "feedbackText has too many characters",
        );
    }
    if limits::has_control_characters(text) {
        return refuse(
            FallbackReason::SchemaViolation,
            "feedbackText has control characters",
        );
    }
    Ok(grade)
}
