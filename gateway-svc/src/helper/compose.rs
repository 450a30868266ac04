//! The phases between begin and commit.

use std::pin::pin;

use futures_util::future::maybe_done;
use tokio::time::Instant;
use turnwise_guardrails::{Hit, HitKind};
use turnwise_kit::{CallContext, Fault};
use turnwise_prompts::ChatPrompt;
use turnwise_proto::{
    common::v1::ErrorReason,
    explain::v1::{ChatFacts, TurnFacts, TurnTexts, Verdict},
    helper::v1::RedirectReason,
    llm::v1::{CompleteRequest, Purpose},
    policy::v1::{
        ChatDecision, DecideChatRequest, KnownTexts, Reply, ResolveChatRequest,
        ResolveChatResponse, resolve_chat_request::Outcome,
    },
    session::v1::{Clarification, ConversationMemory, TurnStart},
    tutor::v1::{DegradedReason, TurnStage},
};

use super::Helper;
use crate::{
    conversation::{
        Completed, Core, Progress, Request, Translation, asking,
        clarification::{self, Questions},
        complete, guards, note_time,
    },
    error::internal,
    record,
    turn::beside,
    upstream::{ANSWER_MARGIN, Step},
};

/// When a call may be tried again that the end of the process cut off.
const RETRY_AFTER_DRAIN: std::time::Duration = std::time::Duration::from_secs(5);

/// An answer that is being composed.
pub(super) struct Composing<'a> {
    pub(super) helper: &'a Helper,
    pub(super) request: &'a Request<'a>,
    pub(super) place_ticket: &'a str,
    pub(super) progress: &'a Progress,
    pub(super) start: &'a TurnStart,
    pub(super) questions: Questions,
    pub(super) chat: ChatFacts,
    pub(super) facts: TurnFacts,
    pub(super) texts: TurnTexts,
}

/// What the phases came to.
pub(super) struct Composed {
    facts: TurnFacts,
    pub(super) chat: ChatFacts,
    pub(super) texts: TurnTexts,
    pub(super) questions: Questions,
    /// Whether the message and its answer are remembered: what was stopped or led back reaches no model later, either.
    pub(super) is_remembered: bool,
}

impl Composed {
    /// The record's facts, the chat's own among them.
    pub(super) fn facts(&self) -> TurnFacts {
        TurnFacts {
            chat: Some(self.chat.clone()),
            ..self.facts.clone()
        }
    }

    /// The whole answer.
    pub(super) fn text(&self) -> String {
        let answer = self.texts.reply.as_ref().map_or("", |reply| &reply.text);
        let whole = answer.to_owned() + &clarification::footer(&self.facts, &self.texts);
        whole.trim_start().to_owned()
    }

    pub(super) fn decision(&self) -> ChatDecision {
        self.chat.decision.clone().unwrap_or_default()
    }
}

impl Composing<'_> {
    pub(super) async fn run(mut self, hit: Option<Hit>) -> Result<Composed, Fault> {
        self.progress.stage(TurnStage::Reading);
        if let Some(kind) = guards::note(hit, &mut self.facts, &mut self.texts) {
            return Ok(self.guarded(kind).await);
        }
        let (start, questions) = (self.start, &mut self.questions);
        if let Some(open) = questions.hear(start, &mut self.facts, &mut self.texts)? {
            return self.asked(&open).await;
        }
        let working = self
            .request
            .context
            .keeping_back(self.helper.core.reply_reserve);
        let decision = self.decide(&working).await?;
        self.chat.decision = Some(decision.clone());
        if decision.redirect() != RedirectReason::Unspecified {
            let text = decision.redirect_text;
            return Ok(self.done(text, false));
        }
        // The document says what the answer needs, and nothing more is searched.
        let reference = match self.texts.clarification {
            Some(_) => String::new(),
            None => self.gather(&working, &decision).await,
        };
        let (facts, texts) = (&mut self.facts, &mut self.texts);
        if let Some(open) = self.questions.begin(start, facts, texts, &decision.locale) {
            return self.asked(&open).await;
        }
        // The model takes longer than these: what it must not repeat is there when it has answered.
        let (core, request) = (&self.helper.core, self.request);
        let mut known = pin!(maybe_done(known_texts(core, request, &decision)));
        let completed = beside(
            known.as_mut(),
            pin!(self.ask_model(&working, &decision, &reference)),
        )
        .await?;
        let failure = completed.call.failure();
        let is_silent = completed.is_off || failure != DegradedReason::Unspecified;
        if is_silent && !completed.is_off {
            self.degrade(failure);
        }
        self.facts.no_model = completed.is_off;
        self.facts.model_call = (!completed.is_off).then_some(completed.call);
        self.texts.completion = completed.completion;
        self.progress.stage(TurnStage::Checking);
        let known = match is_silent {
            // What there is to say is the course's own.
            true => None,
            false => {
                known.as_mut().await;
                known.as_mut().take_output()
            }
        };
        let known = known.unwrap_or_else(|| core.known_texts());
        let reference = match &self.texts.clarification {
            // No model reads the document to the student.
            Some(clarified) if completed.is_off => clarified.original_doc_content.clone(),
            _ => reference,
        };
        // A conversation sets no drill: it goes on, held against what is known, and says so.
        if known.exams_unknown {
            self.degrade(DegradedReason::ExamApiUnavailable);
        }
        let resolved = self.resolve(&decision, reference, is_silent, known).await?;
        if resolved.text.is_empty() && !self.hands_off() {
            return Err(llm_off());
        }
        if resolved.degraded_reason() != DegradedReason::Unspecified {
            self.degrade(resolved.degraded_reason());
        }
        self.facts.verdict = Some(Verdict {
            fallback_reason: resolved.degraded_reason,
            violation: resolved.violation,
            observations: resolved.observations,
            ..Verdict::default()
        });
        self.chat.cited = resolved.cited;
        self.chat.truncated = resolved.truncated;
        Ok(self.done(resolved.text, true))
    }

    /// The fixed answer to words that a guardrail stops: no model, no decision.
    async fn guarded(mut self, kind: HitKind) -> Composed {
        self.facts.guardrail = kind.name().to_owned();
        self.degrade(DegradedReason::Guardrail);
        let core = &self.helper.core;
        let language = self.chat.scope.as_ref().map_or("", |scope| &scope.language);
        let text = match language {
            "" => {
                core.guarded_text(self.request.context, self.request.course_id, kind)
                    .await
            }
            language => core.guarded_text_in(language, kind),
        };
        self.done(text, false)
    }

    /// Asks the open question, translated where that is wanted and comes off.
    async fn asked(mut self, open: &Clarification) -> Result<Composed, Fault> {
        let question = clarification::question(open);
        let to = &self.questions.translate_to;
        let translated = match clarification::translated_from(open, to) {
            None => None,
            Some(from) => {
                let translation = Translation {
                    question,
                    from,
                    to,
                    place_ticket: self.place_ticket,
                };
                let (facts, texts) = (&mut self.facts, &mut self.texts);
                let (core, began) = (&self.helper.core, Instant::now());
                let translated = core
                    .translate(self.request, self.progress, translation, facts, texts)
                    .await;
                note_time(&mut self.facts, "model", began.elapsed());
                translated?
            }
        };
        let question = translated.unwrap_or_else(|| question.to_owned());
        let question = question.chars().take(self.helper.response_max_chars);
        let question = question.collect();
        Ok(self.done(question, false))
    }

    fn done(mut self, text: String, is_remembered: bool) -> Composed {
        self.texts.reply = Some(Reply {
            text,
            ..Reply::default()
        });
        Composed {
            facts: self.facts,
            chat: self.chat,
            texts: self.texts,
            questions: self.questions,
            is_remembered,
        }
    }

    async fn decide(&mut self, working: &CallContext) -> Result<ChatDecision, Fault> {
        let course_id = match self.chat.scope {
            Some(_) => self.facts.course_id.clone(),
            None => String::new(),
        };
        let request = DecideChatRequest {
            course_id,
            scope: self.chat.scope.clone(),
            class_policy: self.facts.class_policy,
            message: self.query().to_owned(),
            memory: self.texts.memory.clone(),
        };
        let (began, step) = (Instant::now(), Step::Policy.of(working));
        let mut policy = self.helper.core.upstreams.policy.clone();
        let decided = policy
            .decide_chat(step.request(request))
            .await
            .map_err(|status| step.fault(&status))?;
        note_time(&mut self.facts, "decide", began.elapsed());
        let decision = decided.into_inner().decision;
        decision.ok_or_else(|| Step::Policy.malformed())
    }

    async fn ask_model(
        &mut self,
        working: &CallContext,
        decision: &ChatDecision,
        reference: &str,
    ) -> Result<Completed, Fault> {
        let core = &self.helper.core;
        if core.is_model_off(record::class_policy(&self.facts)) {
            return Ok(Completed::off());
        }
        let sheets = core.sheets.current();
        let no_memory = ConversationMemory::default();
        let prompt = ChatPrompt {
            decision,
            lesson: lesson(&self.chat),
            reference,
            chunks: &self.texts.chunks,
            clarification: self.texts.clarification.as_ref(),
            memory: self.texts.memory.as_ref().unwrap_or(&no_memory),
            message: self.query(),
        };
        let (prompt, sources) = sheets
            .chat(&decision.locale, &prompt, core.prompt_max_tokens)
            .map_err(|error| {
                tracing::error!(%error, "a prompt sheet cannot be filled in");
                internal()
            })?;
        self.chat.source_count = i32::try_from(sources).unwrap_or(i32::MAX);
        let class_id = &self.facts.class_id;
        let (identity, asked) = asking(core, &sheets, prompt, self.request, class_id);
        let asked = CompleteRequest {
            place_ticket: self.place_ticket.to_owned(),
            ..asked
        };
        let began = Instant::now();
        let completed = complete(
            core,
            &working.keeping_back(ANSWER_MARGIN),
            Purpose::Chat,
            self.progress,
            asked,
        )
        .await;
        note_time(&mut self.facts, "model", began.elapsed());
        self.facts.prompt = (!completed.is_off).then_some(identity);
        let answered = completed.call.failure() == DegradedReason::Unspecified;
        if completed.is_off || answered || self.hands_off() {
            return Ok(completed);
        }
        Err(model_failed(completed))
    }

    /// What the model wrote, or did not, as an answer that the decision allows.
    async fn resolve(
        &mut self,
        decision: &ChatDecision,
        reference: String,
        is_off: bool,
        known: KnownTexts,
    ) -> Result<ResolveChatResponse, Fault> {
        let core = &self.helper.core;
        let footer = clarification::footer(&self.facts, &self.texts)
            .chars()
            .count();
        let request = ResolveChatRequest {
            decision: Some(decision.clone()),
            message: self.query().to_owned(),
            memory: self.texts.memory.clone(),
            outcome: Some(match is_off {
                true => Outcome::Failure(DegradedReason::LlmOff.into()),
                false => Outcome::Completion(self.texts.completion.clone()),
            }),
            known: Some(known),
            source_count: self.chat.source_count,
            // It answers only where no model does: the lesson's, or after questions the document's.
            reference: if is_off { reference } else { String::new() },
            max_chars: i32::try_from(self.helper.response_max_chars.saturating_sub(footer))
                .unwrap_or(i32::MAX),
        };
        let (began, step) = (Instant::now(), Step::Policy.of(self.request.context));
        let mut policy = core.upstreams.policy.clone();
        let resolved = policy
            .resolve_chat(step.request(request))
            .await
            .map_err(|status| step.fault(&status))?;
        note_time(&mut self.facts, "resolve", began.elapsed());
        Ok(resolved.into_inner())
    }

    /// Whether a person is asked to step in, which never depends on a model.
    fn hands_off(&self) -> bool {
        let step = self.facts.clarification.as_ref();
        step.is_some_and(|step| step.handed_off)
    }

    /// What is answered: the student's message, or the one that questions were asked about.
    pub(super) fn query(&self) -> &str {
        record::asked(&self.texts).map_or("", |input| &input.text)
    }

    pub(super) fn degrade(&mut self, reason: DegradedReason) {
        self.facts.degraded_reasons.push(reason.into());
    }
}

/// What an answer must not repeat: with a lesson, its units' exam questions, too.
async fn known_texts(core: &Core, request: &Request<'_>, decision: &ChatDecision) -> KnownTexts {
    let Some(lesson) = &decision.lesson else {
        return core.known_texts();
    };
    let (course_id, pack_hash) = (&decision.course_id, &decision.pack_hash);
    let known = core.known_texts_of(request.context, course_id, pack_hash, &lesson.unit_ids);
    core.with_runs(known.await)
}

/// The lesson, as its scope names it.
fn lesson(chat: &ChatFacts) -> &str {
    chat.scope.as_ref().map_or("", |scope| &scope.context)
}

/// A chat fails where no model answers: there is no fallback that would be honest.
fn model_failed(completed: Completed) -> Fault {
    let Some(fault) = completed.fault else {
        return match completed.retry_hint.after {
            Some(_) => Fault::new(
                ErrorReason::Draining,
                "the server is being stopped; send the message again",
            )
            .retry_after(RETRY_AFTER_DRAIN),
            None => Fault::new(
                ErrorReason::DeadlineExceeded,
                "there was no time left to ask a model; give the call a longer deadline",
            ),
        };
    };
    match fault.reason() {
        ErrorReason::Busy
        | ErrorReason::QueueFull
        | ErrorReason::Superseded
        | ErrorReason::RateLimited
        | ErrorReason::BudgetExhausted
        | ErrorReason::CircuitOpen
        | ErrorReason::BackendUnavailable
        | ErrorReason::BackendError
        | ErrorReason::RemoteBackendNotAcknowledged
        | ErrorReason::DeadlineExceeded
        | ErrorReason::DependencyUnavailable
        | ErrorReason::Draining => fault,
        _ => internal(),
    }
}

fn llm_off() -> Fault {
    Fault::new(
        ErrorReason::LlmOff,
        "no model is called here, and neither the lesson's reference nor a hint answers this message; ask about an exercise \
         of the lesson",
    )
}
