//! An answer of the homework helper: a decision and whatever came of a model, made an answer that the policy allows.

use turnwise_chat_reply::{Answer, Conversation, Limits, Outcome, Withheld, resolve};
use turnwise_proto::{
    classes::v1::Strictness,
    policy::v1::{ResolveChatRequest, ResolveChatResponse, resolve_chat_request},
    tutor::v1::{DegradedReason, Role},
};
use turnwise_reply_guard::{Context, Guard};

use super::{
    guard::Known,
    read::{self, Read},
};
use crate::{courses::LoadedCourse, error::PolicyError};

/// The most characters of a message.
const MOST_MESSAGE_CHARS: usize = 16_000;
/// The least characters that an answer may have.
const LEAST_CHARS: i32 = 200;

/// The answer. `loaded` is the decision's course, where it has one.
pub(super) fn answer(
    guard: &Guard,
    loaded: Option<&LoadedCourse>,
    request: ResolveChatRequest,
) -> Read<ResolveChatResponse> {
    let known = Known::read(request.known)?;
    let decision = request
        .decision
        .ok_or_else(|| PolicyError::missing("decision"))?;
    if decision.redirect != 0 {
        return Err(PolicyError::invalid(
            "decision.redirect",
            "must be unspecified: a redirect is an answer already",
        ));
    }
    let strict = match Strictness::try_from(decision.strictness) {
        Ok(Strictness::Strict) => true,
        Ok(Strictness::Light) => false,
        Ok(Strictness::Unspecified) | Err(_) => {
            return Err(PolicyError::invalid(
                "decision.strictness",
                "must be LIGHT or STRICT",
            ));
        }
    };
    read::filled("message", &request.message, MOST_MESSAGE_CHARS)?;
    if request.max_chars < LEAST_CHARS {
        return Err(PolicyError::invalid("max_chars", "must be at least 200"));
    }
    let outcome = match &request.outcome {
        Some(resolve_chat_request::Outcome::Completion(bytes)) => Outcome::Completion(bytes),
        Some(resolve_chat_request::Outcome::Failure(reason))
            if *reason == i32::from(DegradedReason::LlmOff) =>
        {
            Outcome::Off
        }
        Some(resolve_chat_request::Outcome::Failure(_)) => {
            return Err(PolicyError::invalid("failure", "must be LLM_OFF"));
        }
        None => return Err(PolicyError::missing("outcome")),
    };
    let memory = request.memory.unwrap_or_default();
    let student = memory.turns.iter().filter(|turn| turn.role() == Role::User);
    let before: Vec<&str> = student.map(|turn| turn.text.as_str()).collect();
    let conversation = Conversation {
        message: &request.message,
        before: &before,
        summary: &memory.summary,
    };
    if request.source_count < 0 {
        return Err(PolicyError::invalid("source_count", "must not be negative"));
    }
    let limits = Limits {
        strict,
        locale: &decision.locale,
        check_question: &decision.check_question,
        writes_programs: decision.writes_programs,
        source_count: request.source_count,
        reference: &request.reference,
        max_chars: usize::try_from(request.max_chars).unwrap_or_default(),
    };
    let exams = known.exams_with(loaded);
    let latest_first = before.iter().rev().copied();
    let said: Vec<&str> = std::iter::once(request.message.as_str())
        .chain(latest_first)
        .collect();
    let context = Context {
        turn_id: "",
        prompt: known.prompt(),
        exams: &exams,
        blocked_terms: known.blocked_terms(),
        open_drill: None,
        said: &said,
    };
    let answer = resolve(guard, &conversation, outcome, &limits, &context);
    Ok(response(answer))
}

fn response(answer: Answer) -> ResolveChatResponse {
    let reason = match answer.withheld {
        None => DegradedReason::Unspecified,
        Some(Withheld::AnswerGiven) => DegradedReason::AnswerGiven,
        Some(Withheld::UnsafeMessage) => DegradedReason::UnsafeMessage,
        Some(Withheld::FalseMathematics) => DegradedReason::FalseMathematics,
    };
    ResolveChatResponse {
        text: answer.text,
        truncated: answer.truncated,
        cited: answer.cited,
        degraded_reason: reason.into(),
        violation: answer.violation.to_owned(),
        observations: answer.observations.into_iter().map(str::to_owned).collect(),
    }
}
