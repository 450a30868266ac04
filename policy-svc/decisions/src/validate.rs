//! Any bytes in: a valid reply, or the most telling reason why it is none.

use serde_json::{Map, Value};

use crate::{
    action::Condition,
    course::Course,
    json::{self, JsonFault},
    limits,
    policy::Policy,
    reply::{CardText, LlmReply, short},
    schema::{MOST_EXAMPLE_STEPS, MOST_NAMED_UNITS},
    schema_cache,
    words::{Action, Availability, FallbackReason},
};

/// What is wrong with a reply. The detail is for the log and holds no text of the model's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The reason from the closed list.
    pub reason: FallbackReason,
    /// Where and how.
    pub detail: String,
}

impl Violation {
    fn new(reason: FallbackReason, detail: impl Into<String>) -> Self {
        Self {
            reason,
            detail: detail.into(),
        }
    }
}

/// Reads and checks a reply against a policy.
pub fn validate(course: &Course, policy: &Policy, bytes: &[u8]) -> Result<LlmReply, Violation> {
    let mut object = json::read_object(bytes).map_err(json_violation)?;
    short::write_out(&mut object);
    let action = read_action(course, policy, &object)?;
    let value = check_schema(course, policy, action, object)?;
    let reply: LlmReply = serde_json::from_value(value).map_err(|_| {
        Violation::new(
            FallbackReason::SchemaViolation,
            "does not have the contract's types",
        )
    })?;
    check_texts(&reply)?;
    check_limits(policy, &reply)?;
    Ok(reply)
}

/// What is wrong with bytes that are not one acceptable JSON object.
#[must_use]
pub fn json_violation(fault: JsonFault) -> Violation {
    let (reason, detail) = match fault {
        JsonFault::TooLong => (FallbackReason::LimitsExceeded, "more than 64 KiB"),
        JsonFault::NotJson => (FallbackReason::LlmNonJson, "not one JSON document"),
        JsonFault::NotAnObject => (FallbackReason::LlmNonJson, "JSON, but no object"),
        JsonFault::DuplicateKey => (FallbackReason::SchemaViolation, "a key is there twice"),
        JsonFault::TooDeep => (FallbackReason::SchemaViolation, "nested too deeply"),
    };
    Violation::new(reason, detail)
}

/// The reply's action, if it is allowed. It says which branch of the schema the reply must keep.
fn read_action(
    course: &Course,
    policy: &Policy,
    reply: &Map<String, Value>,
) -> Result<Action, Violation> {
    let Some(name) = reply.get("action").and_then(Value::as_str) else {
        return Err(Violation::new(
            FallbackReason::SchemaViolation,
            "action is missing or no text",
        ));
    };
    match Action::from_name(name) {
        Some(action) if policy.allows(action) => Ok(action),
        Some(action) if action.facts().condition == Condition::Stuck && !policy.stuck => {
            Err(Violation::new(
                FallbackReason::ConceptNotStuck,
                "a concept card, but the student is not stuck by evidence",
            ))
        }
        Some(action)
            if action.facts().condition == Condition::ExamQuestion
                && is_locked(course, policy, reply) =>
        {
            Err(Violation::new(
                FallbackReason::ExamLocked,
                "exam_suggestion.question_id",
            ))
        }
        Some(action) => Err(Violation::new(
            FallbackReason::ActionNotAllowed,
            action.as_str(),
        )),
        None => Err(Violation::new(
            FallbackReason::ActionNotAllowed,
            "no action of the contract",
        )),
    }
}

/// Whether the exam question of a reply is one that was looked for and is locked: the policy says that every question of
/// the focus at the desired tier that could be taken is.
fn is_locked(course: &Course, policy: &Policy, reply: &Map<String, Value>) -> bool {
    let question = reply
        .get("exam_suggestion")
        .and_then(|exam| exam.get("question_id"))
        .and_then(Value::as_str);
    policy.exam_availability == Availability::Locked
        && question
            .zip(course.find(&policy.focus_unit_id))
            .is_some_and(|(id, focus)| course.question_fits(id, focus, policy.desired_exam_tier))
}

fn check_schema(
    course: &Course,
    policy: &Policy,
    action: Action,
    object: Map<String, Value>,
) -> Result<Value, Violation> {
    let validator = schema_cache::validator(course, policy, action).map_err(|_| {
        Violation::new(
            FallbackReason::SchemaViolation,
            "this policy's schema cannot be used",
        )
    })?;
    let value = Value::Object(object);
    // To say yes or no is quicker than to find out why.
    if validator.is_valid(&value) {
        return Ok(value);
    }
    let Some(error) = validator.iter_errors(&value).next() else {
        return Ok(value);
    };
    // Only keys that the schema knows are ever walked into, so the path is ours.
    let detail = format!("{} {}", error.instance_path(), error.kind().keyword());
    Err(telling_violation(course, policy, action, &value)
        .unwrap_or_else(|| Violation::new(FallbackReason::SchemaViolation, detail.trim())))
}

/// The reason that says most about a reply that the schema refuses: what it tried to do before how it was written.
fn telling_violation(
    course: &Course,
    policy: &Policy,
    action: Action,
    reply: &Value,
) -> Option<Violation> {
    let text = |pointer: &str| reply.pointer(pointer).and_then(Value::as_str);
    let exam = action.facts().condition == Condition::ExamQuestion;
    let telling = |reason, detail: &str| Some(Violation::new(reason, detail));
    if text("/target_unit_id").is_some_and(|t| policy.targets(course, action).all(|id| id != t)) {
        return telling(FallbackReason::TargetOutOfScope, "target_unit_id");
    }
    if exam
        && text("/exam_suggestion/question_id")
            .is_some_and(|q| policy.exam_candidate_ids.iter().all(|id| id != q))
    {
        return telling(
            FallbackReason::ExamNotCandidate,
            "exam_suggestion.question_id",
        );
    }
    if exam
        && text("/exam_suggestion/difficultyTier")
            .is_some_and(|tier| tier != policy.desired_exam_tier.as_str())
    {
        return telling(
            FallbackReason::TierMismatch,
            "exam_suggestion.difficultyTier",
        );
    }
    if text("/tutor_text").is_some_and(|t| t.trim().is_empty()) {
        return telling(FallbackReason::EmptyMessage, "tutor_text");
    }
    let max_key_ideas = usize::try_from(course.rules().max_key_ideas).unwrap_or(usize::MAX);
    for (pointer, most) in [
        ("/concept_card/key_ideas", max_key_ideas),
        (
            "/concept_card/worked_example/steps_latex",
            MOST_EXAMPLE_STEPS,
        ),
        ("/mapped_units", MOST_NAMED_UNITS),
        ("/turn_analysis/suggested_prereq_units", MOST_NAMED_UNITS),
    ] {
        let list = reply.pointer(pointer).and_then(Value::as_array);
        if list.is_some_and(|list| list.len() > most) {
            return telling(
                FallbackReason::LimitsExceeded,
                &format!("{pointer} has more than {most}"),
            );
        }
    }
    if policy.constraints.max_worked_examples == 0
        && reply.pointer("/concept_card/worked_example").is_some()
    {
        return telling(
            FallbackReason::LimitsExceeded,
            "/concept_card/worked_example is one too many",
        );
    }
    None
}

fn check_texts(reply: &LlmReply) -> Result<(), Violation> {
    if reply.tutor_text.trim().is_empty() {
        return Err(Violation::new(FallbackReason::EmptyMessage, "tutor_text"));
    }
    if reply.tutor_text.chars().count() > limits::MOST_TEXT_CHARS {
        return Err(Violation::new(
            FallbackReason::LimitsExceeded,
            format!(
                "tutor_text has more than {} characters",
                limits::MOST_TEXT_CHARS
            ),
        ));
    }
    if limits::has_control_characters(&reply.tutor_text) {
        return Err(control_characters("tutor_text"));
    }
    let texts = reply.card().map_or_else(Vec::new, |card| card.texts());
    for CardText {
        key,
        text,
        may_be_empty,
    } in texts
    {
        if !may_be_empty && text.trim().is_empty() {
            return Err(Violation::new(
                FallbackReason::SchemaViolation,
                format!("{key} is blank"),
            ));
        }
        if text.chars().count() > limits::MOST_PART_CHARS {
            return Err(Violation::new(
                FallbackReason::LimitsExceeded,
                format!("{key} has more than {} characters", limits::MOST_PART_CHARS),
            ));
        }
        if limits::has_control_characters(text) {
            return Err(control_characters(key));
        }
    }
    Ok(())
}

fn control_characters(key: &str) -> Violation {
    Violation::new(
        FallbackReason::SchemaViolation,
        format!("{key} has control characters"),
    )
}

fn check_limits(policy: &Policy, reply: &LlmReply) -> Result<(), Violation> {
    let exceeded = |detail: String| Err(Violation::new(FallbackReason::LimitsExceeded, detail));
    if reply.action == Action::SocraticQuestion {
        let questions = limits::question_marks(&reply.tutor_text);
        if questions > limits::MOST_QUESTIONS {
            return exceeded(format!("{questions} questions"));
        }
    }
    match reply.card().and_then(|card| card.limit_exceeded(policy)) {
        Some(detail) => exceeded(detail),
        None => Ok(()),
    }
}
