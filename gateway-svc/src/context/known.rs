//! What a thread knows of earlier requests and of artifacts, and what of it an answer is made with.

use turnwise_kit::{CallContext, Fault, time};
use turnwise_proto::{
    common::v1::ErrorReason,
    explain::v1::{ContextAttachment, ContextBundle},
    policy::v1::{
        AnalyzeContextRequest, CheckArtifactRequest, CheckArtifactResponse, PresentArtifact,
    },
    session::v1::{self as session, ContextRequestState, TurnStart},
};

use crate::{
    conversation::{Core, Request},
    upstream::Step,
};

/// The most bytes of an attachment that a record and a prompt take.
const BODY_MAX_BYTES: usize = 8_192;

/// What the thread knows of earlier requests and artifacts, its own and those of its batch.
pub(super) struct Known {
    thread_id: String,
    requests: Vec<session::ContextRequest>,
    artifacts: Vec<session::Artifact>,
}

/// A request's slot by its place.
pub(super) fn slot_at(
    request: &session::ContextRequest,
    place: i32,
) -> Option<&session::ContextSlot> {
    request.slots.get(usize::try_from(place).ok()?)
}

/// Whether something is not what the course describes, or has not the part.
fn is_other(fault: &Fault) -> bool {
    matches!(
        fault.reason(),
        ErrorReason::UnsupportedPayload | ErrorReason::PayloadTooLarge
    )
}

pub(super) fn attachment(
    slot: &session::ContextSlot,
    content: String,
    message_id: i64,
) -> ContextAttachment {
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
    pub(super) fn of_thread(&self, start: &TurnStart) -> AnalyzeContextRequest {
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
        let mut own = self.requests.iter();
        let last = own.rfind(|asked| asked.thread_id == self.thread_id);
        // A message and its answer are two entries.
        let since = last.map(|last| {
            let entries = (messages - last.message_id - 1).max(0);
            i32::try_from(entries / 2).unwrap_or(i32::MAX)
        });
        let supplied = self.requests.iter().flat_map(|request| {
            let sources = request.sources.iter();
            let slots = sources.filter_map(|source| slot_at(request, source.slot));
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
    pub(super) async fn known_context(
        &self,
        context: &CallContext,
        request: &Request<'_>,
        batch_id: &str,
    ) -> Result<Known, Fault> {
        let step = Step::Session.of(context);
        let wanted = session::ReadBatchRequest {
            student_id: request.caller.subject.clone(),
            thread_id: request.thread_id.to_owned(),
            batch_id: batch_id.to_owned(),
        };
        let mut session = self.upstreams.session.clone();
        let batch = session.read_batch(step.request(wanted)).await;
        let mut batch = batch.map_err(|status| step.fault(&status))?.into_inner();
        // A message that only waits for its turn asks for nothing.
        batch
            .context_requests
            .retain(|asked| !asked.slots.is_empty());
        Ok(Known {
            thread_id: request.thread_id.to_owned(),
            requests: batch.context_requests,
            artifacts: batch.artifacts,
        })
    }

    /// A page of a thread's requests.
    pub(super) async fn context_requests(
        &self,
        context: &CallContext,
        wanted: session::ListContextRequestsRequest,
    ) -> Result<session::ListContextRequestsResponse, Fault> {
        let step = Step::Session.of(context);
        let mut session = self.upstreams.session.clone();
        let page = session.list_context_requests(step.request(wanted)).await;
        let page = page.map_err(|status| step.fault(&status))?;
        Ok(page.into_inner())
    }

    /// Whether an artifact is what the course asks for, and the part of it that is kept.
    pub(super) async fn check_artifact(
        &self,
        context: &CallContext,
        supplied: CheckArtifactRequest,
    ) -> Result<CheckArtifactResponse, Fault> {
        let step = Step::Policy.of(context);
        let mut policy = self.upstreams.policy.clone();
        let checked = policy.check_artifact(step.request(supplied)).await;
        let checked = checked.map_err(|status| step.fault(&status))?;
        Ok(checked.into_inner())
    }

    /// What is there of what the message needs: read, and cut to the part that is needed. What cannot be read is missing.
    pub(super) async fn attach(
        &self,
        context: &CallContext,
        request: &Request<'_>,
        known: &Known,
        relevant: &[PresentArtifact],
        course_id: &str,
    ) -> ContextBundle {
        let mut bundle = ContextBundle::default();
        for wanted in relevant {
            let attached = self.attach_one(context, request, known, wanted, course_id);
            match attached.await {
                Ok(attached) => bundle.attachments.extend(attached),
                Err(fault) => {
                    let reason = fault.reason().wire_name();
                    let artifact_type = &wanted.artifact_type;
                    tracing::warn!(reason, artifact_type, "an artifact cannot be read");
                    bundle.missing.push(artifact_type.clone());
                }
            }
        }
        bundle
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
            let part = CheckArtifactRequest {
                course_id: course_id.to_owned(),
                artifact_type: wanted.artifact_type.clone(),
                key_path: wanted.key_path.clone(),
                content: content.clone(),
            };
            let mut slot = session::ContextSlot {
                artifact_type: wanted.artifact_type.clone(),
                ..session::ContextSlot::default()
            };
            let content = match self.check_artifact(context, part).await {
                Ok(checked) => {
                    slot.key_path.clone_from(&wanted.key_path);
                    slot.description = checked.title;
                    checked.content
                }
                // It was what the course describes when it was put there; what was redacted since is not always. Then it
                // cannot be cut.
                Err(fault) if is_other(&fault) => content,
                Err(fault) => return Err(fault),
            };
            return Ok(Some(attachment(&slot, content, 0)));
        }
        // The latest that was supplied for an earlier message.
        for earlier in known.requests.iter().rev() {
            for source in &earlier.sources {
                let Some(slot) = slot_at(earlier, source.slot) else {
                    continue;
                };
                let is_it = slot.artifact_type == wanted.artifact_type
                    && (slot.key_path.is_empty() || slot.key_path == wanted.key_path);
                if is_it {
                    let content = self.payload(context, request, earlier, source.slot).await?;
                    let is_own = earlier.thread_id == known.thread_id;
                    let message_id = if is_own { earlier.message_id } else { 0 };
                    return Ok(Some(attachment(slot, content, message_id)));
                }
            }
        }
        Ok(None)
    }

    /// What was supplied for a slot.
    pub(super) async fn payload(
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
                thread_id: of.thread_id.clone(),
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
