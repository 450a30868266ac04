//! The homework helper: lessons, and what answers may be.

use turnwise_lesson_policy as chat;
use turnwise_proto::{
    classes::v1::{self as classes, ClassPolicy},
    helper::v1::{self as helper, LessonScope},
    policy::v1::{ChatDecision, DecideChatRequest, Lesson},
    session::v1::ConversationMemory,
    tutor::v1::Role,
};

use super::read::Read;
use crate::{courses::LoadedCourse, error::PolicyError};

pub(super) const MOST_MESSAGE_CHARS: usize = 16_000;
const MOST_CONTEXT_CHARS: usize = 500;
const MOST_TOPICS: usize = 50;
const MOST_TOPIC_CHARS: usize = 100;
/// Far more than any conversation holds.
const MOST_TURNS: usize = 1000;

/// A lesson as it is answered.
pub(super) fn lesson(course: &chat::Course, lesson: &chat::Lesson) -> Lesson {
    Lesson {
        slug: lesson.slug.clone(),
        title: lesson.title.clone(),
        unit_ids: lesson.unit_ids.clone(),
        allowed_topics: lesson.allowed_topics.clone(),
        reference: lesson.reference.clone(),
        locale: course.locale.clone(),
    }
}

/// The decision for a message. `course` is the request's.
pub(super) fn decide(
    course: Option<&LoadedCourse>,
    defaults: &chat::Defaults,
    request: DecideChatRequest,
) -> Read<ChatDecision> {
    bounded("message", &request.message, 1..=MOST_MESSAGE_CHARS)?;
    let policy = request.class_policy.unwrap_or_default();
    let course = course.map(|course| &course.chat);
    let input = chat::Input {
        course,
        scope: request.scope.map(scope).transpose()?,
        strictness: strictness(&policy)?,
        scope_mode: scope_mode(&policy)?,
        topic_filter: topic_filter(&policy)?,
        message: request.message,
        memory: memory(request.memory.unwrap_or_default())?,
    };
    let decision = chat::decide(&input, defaults);
    Ok(written(course, decision))
}

fn scope(scope: LessonScope) -> Read<chat::Scope> {
    bounded("scope.context", &scope.context, 1..=MOST_CONTEXT_CHARS)?;
    for (field, topics) in [
        ("scope.topics", &scope.topics),
        ("scope.allowed_topics", &scope.allowed_topics),
    ] {
        if topics.len() > MOST_TOPICS {
            return Err(PolicyError::invalid(
                field,
                format!("must have at most {MOST_TOPICS} items"),
            ));
        }
        for topic in topics {
            bounded(field, topic, 1..=MOST_TOPIC_CHARS)?;
        }
    }
    Ok(chat::Scope {
        context: scope.context,
        topics: scope.topics,
        allowed_topics: scope.allowed_topics,
        reference: scope.reference,
        language: scope.language,
    })
}

fn memory(memory: ConversationMemory) -> Read<chat::Memory> {
    bounded("memory.summary", &memory.summary, 0..=MOST_MESSAGE_CHARS)?;
    if memory.turns.len() > MOST_TURNS {
        return Err(PolicyError::invalid(
            "memory.turns",
            format!("must have at most {MOST_TURNS} items"),
        ));
    }
    let turns = memory.turns.into_iter().map(|turn| {
        bounded("memory.turns.text", &turn.text, 0..=MOST_MESSAGE_CHARS)?;
        Ok((turn.role == Role::User as i32, turn.text))
    });
    Ok(chat::Memory {
        summary: memory.summary,
        turns: turns.collect::<Read<_>>()?,
    })
}

pub(super) fn bounded(
    field: &str,
    text: &str,
    bounds: std::ops::RangeInclusive<usize>,
) -> Read<()> {
    if bounds.contains(&text.chars().count()) {
        return Ok(());
    }
    let (least, most) = bounds.into_inner();
    Err(PolicyError::invalid(
        field,
        format!("must have {least} to {most} characters"),
    ))
}

fn unknown(field: &str) -> PolicyError {
    PolicyError::invalid(format!("class_policy.{field}"), "is no known value")
}

fn strictness(policy: &ClassPolicy) -> Read<Option<chat::Strictness>> {
    use classes::Strictness::{Light, Strict, Unspecified};
    let given = classes::Strictness::try_from(policy.strictness);
    Ok(match given.map_err(|_| unknown("strictness"))? {
        Unspecified => None,
        Light => Some(chat::Strictness::Light),
        Strict => Some(chat::Strictness::Strict),
    })
}

fn scope_mode(policy: &ClassPolicy) -> Read<Option<chat::ScopeMode>> {
    use classes::ScopeMode::{Soft, Strict, Unspecified};
    let given = classes::ScopeMode::try_from(policy.scope_mode);
    Ok(match given.map_err(|_| unknown("scope_mode"))? {
        Unspecified => None,
        Soft => Some(chat::ScopeMode::Soft),
        Strict => Some(chat::ScopeMode::Strict),
    })
}

fn topic_filter(policy: &ClassPolicy) -> Read<Option<chat::TopicFilter>> {
    use classes::TopicFilter::{Soft, Strict, Unspecified};
    let given = classes::TopicFilter::try_from(policy.topic_filter);
    Ok(match given.map_err(|_| unknown("topic_filter"))? {
        Unspecified => None,
        Soft => Some(chat::TopicFilter::Soft),
        Strict => Some(chat::TopicFilter::Strict),
    })
}

fn written(course: Option<&chat::Course>, decision: chat::Decision<'_>) -> ChatDecision {
    let (redirect, redirect_text) = match decision.redirect {
        None => (helper::RedirectReason::Unspecified, String::new()),
        Some((reason, text)) => {
            let reason = match reason {
                chat::Redirect::OutOfScope => helper::RedirectReason::OutOfScope,
                chat::Redirect::Topic => helper::RedirectReason::Topic,
                chat::Redirect::TextLanguage => helper::RedirectReason::TextLanguage,
            };
            (reason, text)
        }
    };
    ChatDecision {
        course_id: course.map(|course| course.id.clone()).unwrap_or_default(),
        pack_hash: course
            .map(|course| course.pack_hash.clone())
            .unwrap_or_default(),
        locale: decision.locale,
        strictness: match decision.strictness {
            chat::Strictness::Light => classes::Strictness::Light,
            chat::Strictness::Strict => classes::Strictness::Strict,
        }
        .into(),
        scope_mode: match decision.scope_mode {
            chat::ScopeMode::Soft => classes::ScopeMode::Soft,
            chat::ScopeMode::Strict => classes::ScopeMode::Strict,
        }
        .into(),
        topic_filter: match decision.topic_filter {
            chat::TopicFilter::Soft => classes::TopicFilter::Soft,
            chat::TopicFilter::Strict => classes::TopicFilter::Strict,
        }
        .into(),
        intent: match decision.intent {
            chat::Intent::Debug => helper::MessageIntent::Debug,
            chat::Intent::Concept => helper::MessageIntent::Concept,
            chat::Intent::Strategy => helper::MessageIntent::Strategy,
            chat::Intent::Reflection => helper::MessageIntent::Reflection,
            chat::Intent::Status => helper::MessageIntent::Status,
            chat::Intent::General => helper::MessageIntent::General,
        }
        .into(),
        redirect: redirect.into(),
        redirect_text,
        off_topic: decision.off_topic,
        follow_up_suggestions: decision.suggestions,
        check_question: decision.check_question,
        lesson: course
            .zip(decision.lesson)
            .map(|(course, named)| lesson(course, named)),
        topics: decision.topics,
        writes_programs: decision.writes_programs,
    }
}
