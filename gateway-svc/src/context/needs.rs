//! Whether a turn's message waits for what its answer needs, and what an answer is made with.

use std::time::Duration;

use bytes::Bytes;
use turnwise_kit::{CallContext, Fault, ids};
use turnwise_messages::{keys, text};
use turnwise_prompts::Sheets;
use turnwise_proto::{
    common::v1::ErrorReason,
    explain::v1::{ContextAttachment, ContextBundle, ContextFacts, TurnFacts, TurnTexts},
    policy::v1::{AnalyzeContextRequest, AnalyzeContextResponse, Plan},
    session::v1::{
        self as session, AnswerContextRequest, ContextRequestState, PendingChange, RequestContext,
        TurnStart, pending_change::Step as Change, pending_interaction::Interaction,
    },
    tutor::v1::{ContextRequired, Project, TakeTurnRequest},
};
use turnwise_redaction::{Roster, redact_with};
use uuid::Uuid;

use super::{
    convert,
    known::{attachment, slot_at},
};
use crate::{
    conversation::{Core, Request},
    input::said,
    record,
    upstream::Step,
};

/// The most characters of a message that waits; a longer one brings what it is about.
const MESSAGE_MAX_CHARS: usize = 8_000;
/// The most characters of a project's goal and plan.
const NOTE_MAX_CHARS: usize = 500;
/// When to send a deferred message again to a thread that waits.
const WAITING_RETRY: Duration = Duration::from_secs(5);

/// What a turn's message has to do with requests.
#[derive(Default)]
pub(crate) struct Needs {
    /// The project that the message belongs to.
    project: Option<Project>,
    /// Whether the answer may come later.
    deferred: bool,
    /// The request that the turn answers.
    resumed: Option<session::ContextRequest>,
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
    /// Fields of the project out of their bounds, a writing style that there is no sheet for, an event that is deferred.
    pub(crate) fn of(message: &TakeTurnRequest, sheets: &Sheets) -> Result<Self, Fault> {
        if message.deferred && message.event.is_some() {
            let problem = "goes with words alone; leave it out of a turn with an event";
            return Err(Fault::invalid("deferred", problem));
        }
        if let Some(project) = &message.project {
            check(project, sheets)?;
        }
        Ok(Self {
            project: message.project.clone(),
            deferred: message.deferred,
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
            project: request.project.clone(),
            resumed: Some(request),
            is_refused,
            ..Self::default()
        }
    }

    /// Redacts what the client said of the project.
    pub(crate) fn redact(&mut self, roster: &Roster) {
        if let Some(project) = &mut self.project {
            for note in [&mut project.goal, &mut project.plan] {
                *note = redact_with(note, roster).into_owned();
            }
        }
    }

    /// What the client said of the project.
    pub(crate) fn notes(&self) -> Vec<&str> {
        let notes = self.project.iter().flat_map(|p| [&p.goal, &p.plan]);
        notes.map(String::as_str).collect()
    }

    /// Finds what the answer needs and attaches what is there. What is not is asked for, and then the message waits. What
    /// cannot be found out is not asked for, and a thread that waits already is asked for nothing more.
    pub(crate) async fn look(
        &mut self,
        core: &Core,
        working: &CallContext,
        request: &Request<'_>,
        start: &TurnStart,
        plan: &Plan,
        (facts, texts): (&mut TurnFacts, &mut TurnTexts),
    ) -> Result<(), Fault> {
        // What questions were asked about is answered with what was said to them, and a button asks for no artifact.
        let may_ask = texts.query.is_none() && facts.event.is_none();
        if plan.context_handoff_off {
            self.project = None;
        }
        let looking = Looking {
            core,
            working,
            request,
            start,
            plan,
        };
        // Most turns need nothing, and make no call for it.
        let found = if self.may_need(plan, texts) {
            Box::pin(looking.find(self.project.as_ref(), texts)).await?
        } else {
            Found::default()
        };
        // A thread waits for one thing at a time.
        if may_ask && start.pending.is_some() && self.deferred {
            return Err(is_waiting());
        }
        if may_ask && start.pending.is_none() && !found.analyzed.slots.is_empty() {
            self.open(core, request, start, found.analyzed, (facts, texts));
            return Ok(());
        }
        let bundle = ContextBundle {
            missing: found.analyzed.missing,
            attachments: found.attachments,
            project: self.project.clone(),
        };
        if !bundle.attachments.is_empty() || !bundle.missing.is_empty() {
            facts.context = Some(ContextFacts {
                missing: bundle.missing.clone(),
                ..ContextFacts::default()
            });
        }
        if bundle != ContextBundle::default() {
            texts.context = Some(bundle);
        }
        Ok(())
    }

    /// Whether the turn may have to do with requests at all.
    pub(crate) fn may_apply(&self, plan: &Plan) -> bool {
        plan.asks_for_context || self.project.is_some() || self.deferred
    }

    /// Whether it is to be found out what the answer needs: in a project, or for words in a course that asks elsewhere, too.
    fn may_need(&self, plan: &Plan, texts: &TurnTexts) -> bool {
        let message = texts.input.as_ref().map_or("", said);
        (self.project.is_some() || (plan.asks_for_context && !message.is_empty()))
            && message.chars().count() <= MESSAGE_MAX_CHARS
    }

    /// Lets the message wait for its turn, if the client asked for that and nothing else came of it; not where its answer
    /// needs no model.
    pub(crate) fn defer(
        &mut self,
        core: &Core,
        request: &Request<'_>,
        start: &TurnStart,
        record: (&mut TurnFacts, &mut TurnTexts),
    ) -> bool {
        let is_off = core.is_model_off(record::class_policy(record.0));
        if !self.deferred || is_off || self.waits() || record.1.query.is_some() {
            return false;
        }
        self.open(
            core,
            request,
            start,
            AnalyzeContextResponse::default(),
            record,
        );
        true
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
        self.required = (!analyzed.slots.is_empty()).then(|| ContextRequired {
            request_id: request_id.clone(),
            user_message_id: message_id,
            required: convert::required(&analyzed.slots),
        });
        texts.context = None;
        facts.context = Some(ContextFacts {
            request_id: request_id.clone(),
            opened: true,
            slots: analyzed.slots.clone(),
            ..ContextFacts::default()
        });
        let opened = RequestContext {
            message_id,
            project: self.project.take(),
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

    /// What was supplied for the message that waited, and what else is there that it needs. Whether it is answered: not where
    /// it has a must_have that nobody supplied, unless somebody who may decided so.
    pub(crate) async fn hydrate(
        &self,
        core: &Core,
        working: &CallContext,
        request: &Request<'_>,
        start: &TurnStart,
        plan: &Plan,
        (facts, texts): (&mut TurnFacts, &mut TurnTexts),
    ) -> Result<bool, Fault> {
        let Some(resumed) = &self.resumed else {
            return Ok(true);
        };
        let mut attachments = Vec::new();
        for source in &resumed.sources {
            let Some(slot) = slot_at(resumed, source.slot) else {
                continue;
            };
            match core.payload(working, request, resumed, source.slot).await {
                Ok(content) => attachments.push(attachment(slot, content, resumed.message_id)),
                // It can never be read: the answer goes without.
                Err(fault) if fault.reason() == ErrorReason::RecordCorrupted => {
                    tracing::error!(slot = source.slot, "what was supplied cannot be read");
                }
                Err(fault) => return Err(fault),
            }
        }
        let looking = Looking {
            core,
            working,
            request,
            start,
            plan,
        };
        let mut found = Found::default();
        if self.may_need(plan, texts) {
            match Box::pin(looking.find(self.project.as_ref(), texts)).await {
                Ok(more) => found = more,
                // The course may have another form by now.
                Err(fault) => {
                    let reason = fault.reason().wire_name();
                    tracing::warn!(reason, "what else an answer needs cannot be found out");
                }
            }
        }
        for more in found.attachments {
            if !attachments.iter().any(|known| is_same(known, &more)) {
                attachments.push(more);
            }
        }
        let is_there = |slot: &&session::ContextSlot| {
            let is_it = |known: &ContextAttachment| {
                known.artifact_type == slot.artifact_type
                    && (known.key_path == slot.key_path || known.key_path.is_empty())
            };
            attachments.iter().any(is_it)
        };
        // Whoever cannot be answered at all has to send it all again.
        let slots = resumed.slots.iter();
        let lacks: Vec<_> = slots.filter(|s| self.is_refused || !is_there(s)).collect();
        let ended_without = matches!(
            resumed.state(),
            ContextRequestState::Expired | ContextRequestState::Skipped
        );
        let must_have = lacks.iter().any(|slot| !slot.optional);
        let apology = self.is_refused || (must_have && ended_without);
        let mut missing: Vec<String> = Vec::new();
        let also = found.analyzed.slots.iter().map(|slot| &slot.title);
        for title in lacks
            .iter()
            .map(|slot| &slot.title)
            .chain(&found.analyzed.missing)
            .chain(also)
        {
            if !missing.contains(title) {
                missing.push(title.clone());
            }
        }
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
            project: self.project.clone(),
        });
        Ok(!apology)
    }

    /// Whether the message waits: there is no answer yet.
    pub(crate) fn waits(&self) -> bool {
        let step = self.change.as_ref().and_then(|change| change.step.as_ref());
        matches!(step, Some(Change::RequestContext(_)))
    }

    /// Whether the turn is the answer of a message that waited: then there is no new message of the student's.
    pub(crate) fn is_resumed(&self) -> bool {
        self.resumed.is_some()
    }
}

/// Who asks what a message needs, and about which turn.
struct Looking<'a> {
    core: &'a Core,
    working: &'a CallContext,
    request: &'a Request<'a>,
    start: &'a TurnStart,
    plan: &'a Plan,
}

/// What a message needs: what is there of it, and what is not.
#[derive(Default)]
struct Found {
    analyzed: AnalyzeContextResponse,
    attachments: Vec<ContextAttachment>,
}

impl Looking<'_> {
    async fn find(&self, project: Option<&Project>, texts: &TurnTexts) -> Result<Found, Fault> {
        let (core, working, plan) = (self.core, self.working, self.plan);
        let batch_id = project.map_or("", |project| project.batch_id.as_str());
        let known = match core.known_context(working, self.request, batch_id).await {
            Ok(known) => known,
            Err(fault) => {
                let reason = fault.reason().wire_name();
                tracing::warn!(reason, "what an answer needs cannot be found out");
                return Ok(Found::default());
            }
        };
        let asked = AnalyzeContextRequest {
            course_id: plan.course_id.clone(),
            pack_hash: plan.pack_hash.clone(),
            project: project.cloned(),
            unit_id: plan.focus_unit_id.clone(),
            message: texts.input.as_ref().map_or("", said).to_owned(),
            ..known.of_thread(self.start)
        };
        let step = Step::Policy.of(working);
        let mut policy = core.upstreams.policy.clone();
        let analyzed = policy.analyze_context(step.request(asked)).await;
        let mut analyzed = analyzed.map_err(|status| step.fault(&status))?.into_inner();
        let relevant = std::mem::take(&mut analyzed.relevant);
        let bundle = core.attach(working, self.request, &known, &relevant, &plan.course_id);
        let bundle = bundle.await;
        analyzed.missing.splice(..0, bundle.missing);
        Ok(Found {
            analyzed,
            attachments: bundle.attachments,
        })
    }
}

fn is_same(a: &ContextAttachment, b: &ContextAttachment) -> bool {
    a.artifact_type == b.artifact_type && a.key_path == b.key_path
}

fn check(project: &Project, sheets: &Sheets) -> Result<(), Fault> {
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
            let problem =
                format!("must have at most {NOTE_MAX_CHARS} characters, and no control characters");
            return Err(Fault::invalid(field, problem));
        }
    }
    let style = &project.writing_style;
    if !style.is_empty() && !sheets.has_style(style) {
        let known: Vec<&str> = sheets.styles().collect();
        let problem = format!("must be one of: {}", known.join(", "));
        return Err(Fault::invalid("project.writing_style", problem));
    }
    Ok(())
}

fn is_waiting() -> Fault {
    Fault::new(
        ErrorReason::TurnInProgress,
        "the thread waits for something; send the message again once that is answered, or without `deferred`",
    )
    .meta("cause", "waiting")
    .retry_after(WAITING_RETRY)
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
