//! Whether a turn's message waits for what its answer needs, and what an answer is made with.

use bytes::Bytes;
use turnwise_kit::{CallContext, Fault, ids, time};
use turnwise_messages::{keys, text};
use turnwise_proto::{
    explain::v1::{ContextAttachment, ContextBundle, ContextFacts, TurnFacts, TurnTexts},
    policy::v1::{
        AnalyzeContextRequest, AnalyzeContextResponse, CheckArtifactRequest, Plan, PresentArtifact,
    },
    session::v1::{
        self as session, AnswerContextRequest, ContextRequestState, PendingChange, RequestContext,
        TurnStart, pending_change::Step as Change, pending_interaction::Interaction,
    },
    tutor::v1::{ContextRequired, Project},
};
use uuid::Uuid;

use super::convert;
use crate::{
    conversation::{Core, Request},
    input::said,
    upstream::Step,
};

/// The most bytes of an attachment that a record and a prompt take.
const BODY_MAX_BYTES: usize = 8_192;
/// The most characters of a project's goal and plan.
const NOTE_MAX_CHARS: usize = 500;
/// The most requests of a thread that are looked at; no course makes as many.
const REQUESTS: i32 = 50;

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

/// What the thread knows of earlier requests and artifacts.
struct Known {
    requests: Vec<session::ContextRequest>,
    artifacts: Vec<session::Artifact>,
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
                if note.chars().count() > NOTE_MAX_CHARS {
                    let problem = format!("must have at most {NOTE_MAX_CHARS} characters");
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

    /// Whether it is to be found out what the answer needs: for words in an idle thread, of a project or of a course that asks
    /// in other threads, too.
    pub(crate) fn may_need(
        &self,
        plan: &Plan,
        start: &TurnStart,
        facts: &TurnFacts,
        texts: &TurnTexts,
    ) -> bool {
        let message = texts.input.as_ref().map_or("", said);
        (plan.asks_for_context || self.project.is_some())
            && !message.is_empty()
            && start.pending.is_none()
            && facts.event.is_none()
    }

    /// Finds what the answer needs: what is there already is attached; what is not is asked for, and then the message waits.
    /// What cannot be found out is not asked for.
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
        let attachments = core
            .attach(
                working,
                request,
                &known,
                &analyzed.relevant,
                &plan.course_id,
            )
            .await;
        if !attachments.is_empty() || !analyzed.missing.is_empty() {
            texts.context = Some(ContextBundle {
                attachments,
                missing: analyzed.missing.clone(),
            });
            facts.context = Some(ContextFacts {
                missing: analyzed.missing.clone(),
                ..ContextFacts::default()
            });
        }
        if !analyzed.slots.is_empty() {
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
        let mut attachments = Vec::new();
        for source in &resumed.sources {
            let slot = usize::try_from(source.slot)
                .ok()
                .and_then(|place| resumed.slots.get(place));
            let Some(slot) = slot else { continue };
            let content = core.payload(working, request, resumed, source.slot).await?;
            attachments.push(attachment(slot, content, resumed.message_id));
        }
        let supplied = |place: usize| {
            let mut slots = resumed.sources.iter().map(|source| source.slot);
            slots.any(|slot| usize::try_from(slot) == Ok(place))
        };
        let missing: Vec<&session::ContextSlot> = resumed
            .slots
            .iter()
            .enumerate()
            .filter(|(place, _)| !supplied(*place))
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

fn attachment(slot: &session::ContextSlot, content: String, message_id: i64) -> ContextAttachment {
    let mut body = content;
    let truncated = body.len() > BODY_MAX_BYTES;
    body.truncate(body.floor_char_boundary(BODY_MAX_BYTES));
    ContextAttachment {
        phase: slot.phase.clone(),
        artifact_type: slot.artifact_type.clone(),
        key_path: slot.key_path.clone(),
        description: slot.description.clone(),
        body,
        truncated,
        message_id,
    }
}

impl Known {
    /// What the analysis is told of the thread.
    fn of_thread(&self, start: &TurnStart) -> AnalyzeContextRequest {
        let count = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        let ended = |request: &&session::ContextRequest| {
            let state = match request.state() {
                ContextRequestState::Answered => request.answered_from(),
                state => state,
            };
            matches!(
                state,
                ContextRequestState::Skipped | ContextRequestState::Expired
            )
        };
        let messages = start.thread.as_ref().map_or(0, |t| t.message_count);
        // A message and its answer are two entries.
        let since = self.requests.last().map(|last| {
            let entries = (messages - last.message_id - 1).max(0);
            i32::try_from(entries / 2).unwrap_or(i32::MAX)
        });
        let supplied = self.requests.iter().flat_map(|request| {
            let slots = request
                .sources
                .iter()
                .filter_map(|source| request.slots.get(usize::try_from(source.slot).ok()?));
            slots.map(|slot| PresentArtifact {
                artifact_type: slot.artifact_type.clone(),
                key_path: slot.key_path.clone(),
            })
        });
        let kept = self.artifacts.iter().map(|kept| PresentArtifact {
            artifact_type: kept.artifact_type.clone(),
            key_path: String::new(),
        });
        AnalyzeContextRequest {
            present: kept.chain(supplied).collect(),
            requests: count(self.requests.len()),
            refusals: count(self.requests.iter().filter(ended).count()),
            messages_since_request: since,
            ..AnalyzeContextRequest::default()
        }
    }
}

impl Core {
    async fn known_context(
        &self,
        context: &CallContext,
        request: &Request<'_>,
        batch_id: &str,
    ) -> Result<Known, Fault> {
        let step = Step::Session.of(context);
        let (student_id, thread_id) = (&request.caller.subject, request.thread_id);
        let (mut of_requests, mut of_artifacts) = (
            self.upstreams.session.clone(),
            self.upstreams.session.clone(),
        );
        let (requests, artifacts) = futures_util::join!(
            of_requests.list_context_requests(step.request(session::ListContextRequestsRequest {
                student_id: student_id.clone(),
                thread_id: thread_id.to_owned(),
                page_size: REQUESTS,
                page_token: String::new(),
            })),
            of_artifacts.list_artifacts(step.request(session::ListArtifactsRequest {
                student_id: student_id.clone(),
                thread_id: thread_id.to_owned(),
                batch_id: batch_id.to_owned(),
            }))
        );
        let fault = |status| step.fault(&status);
        Ok(Known {
            requests: requests.map_err(fault)?.into_inner().context_requests,
            artifacts: artifacts.map_err(fault)?.into_inner().artifacts,
        })
    }

    /// What is there of what the message needs: read, and cut to the part that is needed. What cannot be read is left out.
    async fn attach(
        &self,
        context: &CallContext,
        request: &Request<'_>,
        known: &Known,
        relevant: &[PresentArtifact],
        course_id: &str,
    ) -> Vec<ContextAttachment> {
        let mut attachments = Vec::new();
        for wanted in relevant {
            let attached = self.attach_one(context, request, known, wanted, course_id);
            match attached.await {
                Ok(attached) => attachments.extend(attached),
                Err(fault) => tracing::warn!(
                    reason = fault.reason().wire_name(),
                    artifact_type = wanted.artifact_type,
                    "an artifact is left out"
                ),
            }
        }
        attachments
    }

    async fn attach_one(
        &self,
        context: &CallContext,
        request: &Request<'_>,
        known: &Known,
        wanted: &PresentArtifact,
        course_id: &str,
    ) -> Result<Option<ContextAttachment>, Fault> {
        let kept = known
            .artifacts
            .iter()
            .find(|kept| kept.artifact_type == wanted.artifact_type);
        if let Some(kept) = kept {
            let content = self
                .artifact(context, &request.caller.subject, kept)
                .await?;
            let step = Step::Policy.of(context);
            let checked = self
                .upstreams
                .policy
                .clone()
                .check_artifact(step.request(CheckArtifactRequest {
                    course_id: course_id.to_owned(),
                    artifact_type: wanted.artifact_type.clone(),
                    key_path: wanted.key_path.clone(),
                    content,
                }))
                .await
                .map_err(|status| step.fault(&status))?
                .into_inner();
            let slot = session::ContextSlot {
                artifact_type: wanted.artifact_type.clone(),
                key_path: wanted.key_path.clone(),
                description: checked.title,
                ..session::ContextSlot::default()
            };
            return Ok(Some(attachment(&slot, checked.content, 0)));
        }
        // The latest that was supplied for an earlier message.
        for earlier in known.requests.iter().rev() {
            for source in &earlier.sources {
                let slot = usize::try_from(source.slot)
                    .ok()
                    .and_then(|place| earlier.slots.get(place));
                let Some(slot) = slot else { continue };
                let is_it = slot.artifact_type == wanted.artifact_type
                    && (slot.key_path.is_empty() || slot.key_path == wanted.key_path);
                if is_it {
                    let content = self.payload(context, request, earlier, source.slot).await?;
                    return Ok(Some(attachment(slot, content, earlier.message_id)));
                }
            }
        }
        Ok(None)
    }

    /// What was supplied for a slot.
    async fn payload(
        &self,
        context: &CallContext,
        request: &Request<'_>,
        of: &session::ContextRequest,
        slot: i32,
    ) -> Result<String, Fault> {
        let step = Step::Session.of(context);
        let read = self
            .upstreams
            .session
            .clone()
            .read_context_payload(step.request(session::ReadContextPayloadRequest {
                student_id: request.caller.subject.clone(),
                thread_id: request.thread_id.to_owned(),
                request_id: of.request_id.clone(),
                slot,
            }))
            .await
            .map_err(|status| step.fault(&status))?;
        Ok(read.into_inner().content)
    }

    /// The content of an artifact.
    pub(super) async fn artifact(
        &self,
        context: &CallContext,
        student_id: &str,
        kept: &session::Artifact,
    ) -> Result<String, Fault> {
        let step = Step::Session.of(context);
        let read = self
            .upstreams
            .session
            .clone()
            .read_artifact(step.request(session::ReadArtifactRequest {
                student_id: student_id.to_owned(),
                thread_id: kept.thread_id.clone(),
                batch_id: kept.batch_id.clone(),
                artifact_type: kept.artifact_type.clone(),
            }))
            .await
            .map_err(|status| step.fault(&status))?;
        Ok(read.into_inner().content)
    }

    /// How long a request has waited.
    pub(super) fn waited(&self, request: &session::ContextRequest) -> Option<std::time::Duration> {
        let opened = time::from_proto(request.create_time.as_ref()?)?;
        self.kit.clock.now().duration_since(opened).try_into().ok()
    }
}
