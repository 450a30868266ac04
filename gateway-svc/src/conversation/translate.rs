//! A document's question in the language that the student reads, where its author wrote none: the turn's one call of a
//! model. Whatever goes wrong, the question is asked as the author wrote it; only where a newer message took over the
//! model's place, the turn ends with that.

use turnwise_kit::Fault;
use turnwise_prompts::TranslatePrompt;
use turnwise_proto::{
    classes::v1::Strictness,
    common::v1::ErrorReason,
    explain::v1::{TurnFacts, TurnTexts, Verdict},
    llm::v1::{CompleteRequest, Purpose},
    policy::v1::{ChatDecision, ResolveChatRequest, resolve_chat_request::Outcome},
    tutor::v1::DegradedReason,
};

use super::{Core, Progress, Request, asking, complete};
use crate::{
    record,
    upstream::{ANSWER_MARGIN, Step},
};

/// The most characters of a question, translated or not.
const QUESTION_MAX_CHARS: i32 = 500;

/// What is to be translated.
pub(crate) struct Translation<'a> {
    /// The question as its author wrote it.
    pub(crate) question: &'a str,
    /// Its language.
    pub(crate) from: &'a str,
    /// The language that the student reads.
    pub(crate) to: &'a str,
    /// The place in the model's queue.
    pub(crate) place_ticket: &'a str,
}

impl Core {
    /// The question in the student's language; none where it is to be asked as it stands. The call is in the turn's record.
    ///
    /// # Errors
    /// A newer message took over.
    pub(crate) async fn translate(
        &self,
        request: &Request<'_>,
        progress: &Progress,
        translation: Translation<'_>,
        facts: &mut TurnFacts,
        texts: &mut TurnTexts,
    ) -> Result<Option<String>, Fault> {
        let Translation { question, to, .. } = translation;
        if self.is_model_off(record::class_policy(facts)) {
            return Ok(None);
        }
        let sheets = self.sheets.current();
        let input = TranslatePrompt {
            question,
            source_locale: translation.from,
        };
        let prompt = sheets.translate(to, &input, self.prompt_max_tokens);
        let prompt = prompt
            .inspect_err(|error| tracing::error!(%error, "a prompt sheet cannot be filled in"));
        let Ok(prompt) = prompt else {
            return Ok(None);
        };
        let (identity, asked) = asking(self, &sheets, prompt, request, &facts.class_id);
        let asked = CompleteRequest {
            place_ticket: translation.place_ticket.to_owned(),
            ..asked
        };
        let working = request
            .context
            .keeping_back(self.reply_reserve + ANSWER_MARGIN);
        let completed = complete(self, &working, Purpose::Chat, progress, asked).await;
        if completed.is_off {
            return Ok(None);
        }
        let failure = completed.call.failure();
        facts.prompt = Some(identity);
        facts.model_call = Some(completed.call);
        texts.completion = completed.completion;
        let superseded = |fault: &Fault| fault.reason() == ErrorReason::Superseded;
        if let Some(fault) = completed.fault.filter(superseded) {
            return Err(fault);
        }
        if failure != DegradedReason::Unspecified {
            return Ok(None);
        }
        let translated = self.guarded_translation(request, question, to, facts, texts);
        Ok(translated.await)
    }

    /// What the model wrote, if it passes the reply guard as every answer of a model does, and is no longer than a question
    /// may be.
    async fn guarded_translation(
        &self,
        request: &Request<'_>,
        question: &str,
        locale: &str,
        facts: &mut TurnFacts,
        texts: &TurnTexts,
    ) -> Option<String> {
        let step = Step::Policy.of(request.context);
        // Nothing is decided here: no strictness asks for a hint, and no course for its own question at the end.
        let judged = ResolveChatRequest {
            decision: Some(ChatDecision {
                locale: locale.to_owned(),
                strictness: Strictness::Light.into(),
                ..ChatDecision::default()
            }),
            message: question.to_owned(),
            outcome: Some(Outcome::Completion(texts.completion.clone())),
            known: Some(self.known_texts()),
            max_chars: QUESTION_MAX_CHARS,
            ..ResolveChatRequest::default()
        };
        let mut policy = self.upstreams.policy.clone();
        let resolved = policy.resolve_chat(step.request(judged)).await;
        let resolved = resolved
            .inspect_err(|status| {
                let reason = step.fault(status).reason();
                tracing::warn!(reason = reason.wire_name(), "a translation is not judged");
            })
            .ok()?
            .into_inner();
        facts.verdict = Some(Verdict {
            violation: resolved.violation.clone(),
            observations: resolved.observations,
            ..Verdict::default()
        });
        let is_usable = resolved.violation.is_empty() && !resolved.truncated;
        is_usable.then_some(resolved.text)
    }
}
