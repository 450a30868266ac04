//! The prompt of a chat with the homework helper: rules, the lesson and its reference in the system role; course text, what
//! was said before and the message as data in the user role.

use std::borrow::Cow;

use minijinja::{Value, context};
use serde::Serialize;
use turnwise_proto::{
    classes::v1::{ScopeMode, Strictness, TopicFilter},
    policy::v1::ChatDecision,
    retrieval::v1::Chunk,
    session::v1::{Clarification, ConversationMemory},
    tutor::v1::Role,
};

use crate::{
    block::block,
    budget::{cost, shorten},
    clarification::ClarificationPart,
    fault::RenderError,
    prompt::Trimmed,
};

/// What the prompt of a chat is made from.
#[derive(Debug, Clone, Copy)]
pub struct ChatPrompt<'a> {
    /// What the answer may be.
    pub decision: &'a ChatDecision,
    /// The lesson, as its signed scope names it; empty: no scope is known.
    pub lesson: &'a str,
    /// The lesson's reference text, a teacher's words; may be empty.
    pub reference: &'a str,
    /// Course text, best first. The first is source 1.
    pub chunks: &'a [Chunk],
    /// The document and the student's answers that the answer is to use.
    pub clarification: Option<&'a Clarification>,
    /// What was said before.
    pub memory: &'a ConversationMemory,
    /// What the student says, redacted.
    pub message: &'a str,
}

/// What of a chat's data is in the prompt.
pub(crate) struct ChatParts<'a> {
    reference: Cow<'a, str>,
    sources: Vec<SourceView<'a>>,
    clarification: Option<ClarificationPart<'a>>,
    summary: &'a str,
    turns: Vec<TurnView<'a>>,
    trimmed: Trimmed,
}

#[derive(Debug, Clone, Serialize)]
struct SourceView<'a> {
    number: usize,
    title: &'a str,
    section: &'a str,
    text: Cow<'a, str>,
}

#[derive(Debug, Clone, Serialize)]
struct TurnView<'a> {
    role: &'static str,
    text: &'a str,
}

#[derive(Serialize)]
struct ConversationView<'p, 'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    summary: &'a str,
    turns: &'p [TurnView<'a>],
}

#[derive(Serialize)]
struct LessonView<'a> {
    lesson: &'a str,
    topics: &'a [String],
}

#[derive(Serialize)]
struct TextView<'a> {
    text: &'a str,
}

impl<'a> ChatParts<'a> {
    pub(crate) fn all(input: &ChatPrompt<'a>) -> Self {
        let sources = (1..).zip(input.chunks).map(|(number, chunk)| {
            let citation = chunk.citation.as_ref();
            SourceView {
                number,
                title: citation.map_or("", |citation| citation.title.as_str()),
                section: &chunk.section,
                text: Cow::Borrowed(&chunk.text),
            }
        });
        let turns = input.memory.turns.iter().map(|turn| TurnView {
            role: match turn.role() {
                Role::Assistant => "helper",
                Role::User | Role::Unspecified => "student",
            },
            text: &turn.text,
        });
        Self {
            reference: Cow::Borrowed(input.reference),
            sources: sources.collect(),
            clarification: input.clarification.map(ClarificationPart::of),
            summary: &input.memory.summary,
            turns: turns.collect(),
            trimmed: Trimmed::default(),
        }
    }

    pub(crate) fn trimmed(&self) -> Trimmed {
        self.trimmed
    }

    /// How many of the first chunks are in the prompt.
    pub(crate) fn source_count(&self) -> usize {
        self.sources.len()
    }

    /// Leaves out about `excess` tokens. False if nothing more can be left out.
    pub(crate) fn reduce(&mut self, excess: usize) -> Result<bool, RenderError> {
        let mut saved = 0;
        while saved < excess {
            let step = self.step(excess - saved)?;
            if step == 0 {
                break;
            }
            saved += step;
        }
        Ok(saved > 0)
    }

    fn step(&mut self, wanted: usize) -> Result<usize, RenderError> {
        if let Some(last) = self.sources.last_mut() {
            if let Cow::Borrowed(text) = last.text
                && let Some((text, saved)) = shorten(text, wanted)?
            {
                last.text = Cow::Owned(text);
                self.trimmed.chunks_cut = 1;
                return Ok(saved);
            }
            let saved = cost(last)?;
            self.sources.pop();
            self.trimmed.chunks_dropped += 1;
            self.trimmed.chunks_cut = 0;
            return Ok(saved);
        }
        if !self.turns.is_empty() {
            self.trimmed.messages_dropped += 1;
            return cost(&self.turns.remove(0));
        }
        if !self.summary.is_empty() {
            self.trimmed.texts_cut += 1;
            return cost(std::mem::take(&mut self.summary));
        }
        if self.reference.is_empty() {
            let Some(clarification) = &mut self.clarification else {
                return Ok(0);
            };
            self.trimmed.texts_cut += 1;
            return clarification.reduce(wanted);
        }
        if let Cow::Borrowed(text) = self.reference
            && let Some((text, saved)) = shorten(text, wanted)?
        {
            self.reference = Cow::Owned(text);
            self.trimmed.texts_cut += 1;
            return Ok(saved);
        }
        let saved = cost(&self.reference)?;
        self.reference = Cow::Borrowed("");
        Ok(saved)
    }
}

/// The variables of a chat's system sheet.
pub(crate) fn system_variables(
    input: &ChatPrompt<'_>,
    parts: &ChatParts<'_>,
    locale: &str,
) -> Result<Value, RenderError> {
    let decision = input.decision;
    Ok(context! {
        locale,
        strictness => if decision.strictness() == Strictness::Strict { "strict" } else { "light" },
        scope_mode => if decision.scope_mode() == ScopeMode::Strict { "strict" } else { "soft" },
        topic_filter => if decision.topic_filter() == TopicFilter::Strict { "strict" } else { "soft" },
        off_topic => decision.off_topic,
        writes_programs => decision.writes_programs,
        lesson => if input.lesson.is_empty() {
            String::new()
        } else {
            block("LESSON", &LessonView { lesson: input.lesson, topics: &decision.topics })?
        },
        reference => if parts.reference.is_empty() {
            String::new()
        } else {
            block("REFERENCE", &TextView { text: &parts.reference })?
        },
    })
}

/// The variables of a chat's user sheet.
pub(crate) fn user_variables(
    input: &ChatPrompt<'_>,
    parts: &ChatParts<'_>,
    locale: &str,
) -> Result<Value, RenderError> {
    Ok(context! {
        locale,
        strictness => if input.decision.strictness() == Strictness::Strict { "strict" } else { "light" },
        sources => if parts.sources.is_empty() {
            String::new()
        } else {
            block("SOURCES", &parts.sources)?
        },
        conversation => if parts.turns.is_empty() && parts.summary.is_empty() {
            String::new()
        } else {
            block("CONVERSATION", &ConversationView { summary: parts.summary, turns: &parts.turns })?
        },
        clarification => match &parts.clarification {
            Some(clarification) => block("CLARIFICATION", clarification)?,
            None => String::new(),
        },
        student_input => block("STUDENT_INPUT", &TextView { text: input.message })?,
    })
}
