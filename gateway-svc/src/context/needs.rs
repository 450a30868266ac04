//! Whether a turn's message waits for what its answer needs, and what an answer is made with.

use bytes::Bytes;
use turnwise_kit::{CallContext, Fault, ids};
use turnwise_messages::{keys, text};
use turnwise_proto::{
    common::v1::ErrorReason,
    explain::v1::{ContextBundle, ContextFacts, TurnFacts, TurnTexts},
    policy::v1::{AnalyzeContextRequest, AnalyzeContextResponse, Plan},
    session::v1::{
        self as session, AnswerContextRequest, ContextRequestState, PendingChange, RequestContext,
        TurnStart, pending_change::Step as Change, pending_interaction::Interaction,
    },
    tutor::v1::{ContextRequired, Project},
};
use uuid::Uuid;

use super::{
    convert,
    known::{attachment, slot_at},
};
use crate::{
    conversation::{Core, Request},
    input::said,
    upstream::Step,
};

/// The most characters of a message that waits; a longer one brings what it is about.
const MESSAGE_MAX_CHARS: usize = 8_000;
/// The most characters of a project's goal and plan.
const NOTE_MAX_CHARS: usize = 500;

/// What a turn's message has to do with requests.
#[derive(Default)]
pub(crate) struct Needs {
    /// The project that the message belongs to.
    pub(crate) project: Option<Project>,
    /// The request that the turn answers.
    pub(crate) resumed: Option<session::ContextRequest>,
    /// Whether the message of that request can only be answered with an apology.
    is_refused: bool,
    /// The step that is stored, in the turn's commit.
    pub(crate) change: Option<PendingChange>,
    /// What the message waits for.
    pub(crate) required: Option<ContextRequired>,
}

impl Needs {
    /// The needs of a message that a student sends now.
    ///
    /// # Errors
    /// Fields of the project out of their bounds.
    pub(crate) fn of(project: Option<Project>) -> Result<Self, Fault> {
        if let Some(project) = &project {
            for (field, id) in [
                ("project.batch_id", &project.batch_id),
                ("project.phase", &project.phase),
            ] {
                if !id.is_empty() {
                    ids::check(field, id)?;
                }
            }
            for (field, note) in [
                ("project.goal", &project.goal),
                ("project.plan", &project.plan),
            ] {
                if note.chars().count() > NOTE_MAX_CHARS || note.chars().any(char::is_control) {
                    let problem = format!(
                        "must have at most {NOTE_MAX_CHARS} characters, and no control characters"
                    );
                    return Err(Fault::invalid(field, problem));
                }
            }
        }
        Ok(Self {
            project,
            ..Self::default()
        })
    }

    /// Those of a message that waited for this request. `is_refused`: it can only be answered with an apology.
    pub(crate) fn resuming(
        request: session::ContextRequest,
        turn_id: &str,
        is_refused: bool,
    ) -> Self {
        let answered = AnswerContextRequest {
            request_id: request.request_id.clone(),
            turn_id: turn_id.to_owned(),
        };
        Self {
            change: Some(PendingChange {
                step: Some(Change::AnswerContextRequest(answered)),
            }),
            resumed: Some(request),
            is_refused,
            ..Self::default()
        }
    }

    /// Whether it is to be found out what the answer needs: for words of a project, or in a course that asks elsewhere, too.
    pub(crate) fn may_need(&self, plan: &Plan, facts: &TurnFacts, texts: &TurnTexts) -> bool {
        let message = texts.input.as_ref().map_or("", said);
        (plan.asks_for_context || self.project.is_some())
            && (1..=MESSAGE_MAX_CHARS).contains(&message.chars().count())
            && facts.event.is_none()
    }

    /// Finds what the answer needs: what is there already is attached; what is not is asked for, and then the message waits.
    /// What cannot be found out is not asked for, and a thread that waits already is asked for nothing more.
    pub(crate) async fn look(
        &mut self,
        core: &Core,
        working: &CallContext,
        request: &Request<'_>,
        start: &TurnStart,
        plan: &Plan,
        (facts, texts): (&mut TurnFacts, &mut TurnTexts),
    ) -> Result<(), Fault> {
        let message = texts.input.as_ref().map_or("", said);
        let batch_id = self.project.as_ref().map_or("", |p| p.batch_id.as_str());
        let known = match core.known_context(working, request, batch_id).await {
            Ok(known) => known,
            Err(fault) => {
                tracing::warn!(
                    reason = fault.reason().wire_name(),
                    "what an answer needs cannot be found out"
                );
                return Ok(());
            }
        };
        let asked = AnalyzeContextRequest {
            course_id: plan.course_id.clone(),
            pack_hash: plan.pack_hash.clone(),
            project: self.project.clone(),
            unit_id: plan.focus_unit_id.clone(),
            message: message.to_owned(),
            ..known.of_thread(start)
        };
        let step = Step::Policy.of(working);
        let analyzed = core
            .upstreams
            .policy
            .clone()
            .analyze_context(step.request(asked))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner();
        let mut bundle = core
            .attach(
                working,
                request,
                &known,
                &analyzed.relevant,
                &plan.course_id,
            )
            .await;
        bundle.missing.extend(analyzed.missing.iter().cloned());
        if !bundle.attachments.is_empty() || !bundle.missing.is_empty() {
            facts.context = Some(ContextFacts {
                missing: bundle.missing.clone(),
                ..ContextFacts::default()
            });
            texts.context = Some(bundle);
        }
        // A thread waits for one thing at a time.
        if !analyzed.slots.is_empty() && start.pending.is_none() {
            self.open(core, request, start, analyzed, (facts, texts));
        }
        Ok(())
    }

    fn open(
        &mut self,
        core: &Core,
        request: &Request<'_>,
        start: &TurnStart,
        analyzed: AnalyzeContextResponse,
        (facts, texts): (&mut TurnFacts, &mut TurnTexts),
    ) {
        let request_id = Uuid::new_v4().to_string();
        let message_id = start.thread.as_ref().map_or(0, |t| t.message_count) + 1;
        let claims = core.tokens.seal(
            core.kit.clock.now(),
            request.caller,
            request.thread_id,
            &facts.course_id,
        );
        self.required = Some(ContextRequired {
            request_id: request_id.clone(),
            user_message_id: message_id,
            required: convert::required(&analyzed.slots),
        });
        facts.context = Some(ContextFacts {
            request_id: request_id.clone(),
            opened: true,
            slots: analyzed.slots.clone(),
            ..ContextFacts::default()
        });
        texts.context = None;
        let opened = RequestContext {
            message_id,
            batch_id: self.project.take().map_or_else(String::new, |p| p.batch_id),
            slots: analyzed.slots,
            must_have: analyzed.must_have,
            claims: Bytes::from(claims),
            request_id,
            query: texts.input.clone(),
            course_id: facts.course_id.clone(),
        };
        self.change = Some(PendingChange {
            step: Some(Change::RequestContext(opened)),
        });
    }

    /// What was supplied for the message that waited. Whether it is answered: not where it has a must_have that nobody
    /// supplied, unless somebody who may decided so.
    pub(crate) async fn hydrate(
        &self,
        core: &Core,
        working: &CallContext,
        request: &Request<'_>,
        (facts, texts): (&mut TurnFacts, &mut TurnTexts),
    ) -> Result<bool, Fault> {
        let Some(resumed) = &self.resumed else {
            return Ok(true);
        };
        let (mut attachments, mut read) = (Vec::new(), Vec::new());
        for source in &resumed.sources {
            let Some(slot) = slot_at(resumed, source.slot) else {
                continue;
            };
            match core.payload(working, request, resumed, source.slot).await {
                Ok(content) => {
                    read.push(source.slot);
                    attachments.push(attachment(slot, content, resumed.message_id));
                }
                // It can never be read: the answer goes without.
                Err(fault) if fault.reason() == ErrorReason::RecordCorrupted => {
                    tracing::error!(slot = source.slot, "what was supplied cannot be read");
                }
                Err(fault) => return Err(fault),
            }
        }
        let supplied = |place: usize| {
            let mut slots = read.iter();
            slots.any(|slot| usize::try_from(*slot) == Ok(place))
        };
        let missing: Vec<&session::ContextSlot> = resumed
            .slots
            .iter()
            .enumerate()
            // Whoever cannot be answered at all has to send it all again.
            .filter(|(place, _)| self.is_refused || !supplied(*place))
            .map(|(_, slot)| slot)
            .collect();
        let must_have = missing.iter().any(|slot| !slot.optional);
        let ended_without = matches!(
            resumed.state(),
            ContextRequestState::Expired | ContextRequestState::Skipped
        );
        let apology = self.is_refused || (must_have && ended_without);
        let mut missing: Vec<String> = missing.iter().map(|slot| slot.title.clone()).collect();
        missing.dedup();
        facts.context = Some(ContextFacts {
            request_id: resumed.request_id.clone(),
            opened: false,
            state: resumed.state,
            slots: resumed.slots.clone(),
            supplied: resumed.sources.clone(),
            missing: missing.clone(),
            apology,
        });
        texts.context = Some(ContextBundle {
            attachments,
            missing,
        });
        Ok(!apology)
    }

    /// Whether the turn is the answer of a message that waited: then there is no new message of the student's.
    pub(crate) fn is_resumed(&self) -> bool {
        self.resumed.is_some()
    }
}

/// Instead of an answer that lacks what it must have.
pub(crate) fn apology(facts: &TurnFacts, locale: &str) -> String {
    text(
        locale,
        keys::CONTEXT_APOLOGY,
        &[("titles", titles(facts).into())],
    )
}

/// What stands below an answer: what it goes without, where people were asked for it.
pub(crate) fn footer(facts: &TurnFacts, locale: &str) -> String {
    match &facts.context {
        Some(context) if !context.opened && !context.apology && !context.missing.is_empty() => {
            let without = text(
                locale,
                keys::CONTEXT_WITHOUT,
                &[("titles", titles(facts).into())],
            );
            format!("\n\n{without}")
        }
        _ => String::new(),
    }
}

fn titles(facts: &TurnFacts) -> String {
    let missing = facts
        .context
        .as_ref()
        .map(|context| context.missing.join(", "));
    missing.unwrap_or_default()
}

/// The request that a thread waits for.
pub(crate) fn pending(start: &TurnStart) -> Option<&session::ContextRequest> {
    match start.pending.as_ref()?.interaction.as_ref()? {
        Interaction::ContextRequest(request) => Some(request),
        Interaction::Clarification(_) => None,
    }
}
