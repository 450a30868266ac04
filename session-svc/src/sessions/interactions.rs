//! What a thread waits for, as it is stored, and the steps that a turn's commit takes.

use std::borrow::Cow;

use bytes::Bytes;
use turnwise_kit::time;
use turnwise_proto::session::v1::{
    ContextRequest, ContextRequestState, DueWork, PendingChange, PendingInteraction, ThreadKind,
    WorkKind, pending_change::Step,
};
use turnwise_session_store::{Check, FieldName, Key, Partition, Read, Write};
use uuid::Uuid;

pub(super) use crate::pending::Interactions;

use super::{
    Sessions, artifacts,
    classes::settings::ClassRedactor,
    context_events, due,
    fields::{Fields, decimal},
    keys,
    threads::{field, stamp},
};
use crate::{
    error::SessionError,
    pending::{self, PendingSettings, Stepped},
    record,
};

/// A step that a commit takes with it.
pub(super) struct StepWrites {
    /// Holds as long as nothing has changed since.
    pub(super) check: Check,
    pub(super) writes: Vec<Write>,
    /// To be entered first.
    pub(super) works: Vec<DueWork>,
    /// Work that is no longer promised; to be withdrawn afterwards.
    pub(super) over: Vec<String>,
    /// What the thread waits for afterwards.
    pub(super) pending: Option<PendingInteraction>,
    /// The context request that the step opened or changed.
    pub(super) request: Option<ContextRequest>,
}

/// The name of the field of the claims of a context request.
pub(super) fn claims_field(request_id: &str) -> FieldName {
    Cow::Owned(format!("claims:{request_id}"))
}

/// How the name of the field of a context request begins.
pub(super) const REQUEST: &str = "request:";

/// The name of the field of a context request.
pub(super) fn request_field(request_id: &str) -> FieldName {
    Cow::Owned(format!("{REQUEST}{request_id}"))
}

impl Interactions {
    pub(super) fn read(thread_id: &str) -> Read {
        Read::Fields {
            key: keys::interactions(thread_id),
            fields: ["version", "pending", "clarified"]
                .map(Cow::Borrowed)
                .to_vec(),
        }
    }

    pub(super) fn decode(mut fields: Fields) -> Result<Self, SessionError> {
        let version = fields.number("pending")?;
        let pending = fields
            .take()
            .map(|bytes| record::decode("pending", &bytes))
            .transpose()?;
        let clarified: Interactions = fields
            .take()
            .map(|bytes| record::decode("pending", &bytes))
            .transpose()?
            .unwrap_or_default();
        Ok(Self {
            version,
            pending,
            clarified_documents: clarified.clarified_documents,
        })
    }
}

/// The step of a turn; none if it changes nothing.
pub(super) fn step(
    sessions: &Sessions,
    roster: &ClassRedactor,
    kind: i32,
    thread_id: &str,
    before: &Interactions,
    change: &PendingChange,
) -> Result<Option<StepWrites>, SessionError> {
    let change = redacted(roster, change);
    let claims = match &change.step {
        Some(Step::RequestContext(request)) => request.claims.clone(),
        _ => Bytes::new(),
    };
    let stepped = pending::step(
        before,
        &change,
        sessions.now(),
        sessions.pending_settings(kind),
        thread_id,
        &Uuid::new_v4().to_string(),
    )?;
    Ok(stepped.map(|stepped| writes(sessions, thread_id, before, stepped, claims)))
}

/// What a step writes.
pub(super) fn writes(
    sessions: &Sessions,
    thread_id: &str,
    before: &Interactions,
    stepped: Stepped,
    claims: Bytes,
) -> StepWrites {
    let key = keys::interactions(thread_id);
    let after = &stepped.after;
    let mut put = vec![field("version", decimal(after.version))];
    let mut writes = Vec::new();
    let told = context_events::of_step(thread_id, before, &stepped, stamp(sessions));
    if !told.is_empty() {
        writes.push(Write::Append {
            key: keys::events(thread_id),
            entries: told.iter().map(record::encode).collect(),
        });
    }
    match &after.pending {
        Some(pending) => put.push(field("pending", record::encode(pending))),
        None => writes.push(Write::Unset {
            key: key.clone(),
            fields: vec!["pending".into()],
        }),
    }
    if after.clarified_documents != before.clarified_documents {
        let clarified = Interactions {
            clarified_documents: after.clarified_documents.clone(),
            ..Interactions::default()
        };
        put.push(field("clarified", record::encode(&clarified)));
    }
    let works = works(thread_id, &stepped, &claims);
    let mut over = Vec::new();
    if let Some(request) = &stepped.request {
        let id = &request.request_id;
        put.push((request_field(id), record::encode(request)));
        // Whatever else happens to a request happens while the thread waits for it.
        if before.context_request().is_none() {
            writes.push(Write::Rank {
                key: keys::requests(thread_id),
                member: id.clone(),
                score: after.version,
            });
            writes.extend(artifacts::enters(sessions, &request.batch_id, thread_id));
        }
        if request.state() == ContextRequestState::Open {
            put.push((claims_field(id), record::stamp(&claims)));
        } else {
            over.extend([
                work_id(id, WorkKind::ContextReminder),
                work_id(id, WorkKind::ContextEnd),
            ]);
        }
        if matches!(
            request.state(),
            ContextRequestState::Cancelled | ContextRequestState::Answered
        ) {
            over.extend([
                work_id(id, WorkKind::ContextResume),
                work_id(id, WorkKind::DeferredTurn),
            ]);
            writes.push(Write::Unset {
                key: key.clone(),
                fields: vec![claims_field(id)],
            });
        }
    }
    writes.push(Write::Put {
        key: key.clone(),
        fields: put,
    });
    let kept = [
        key.clone(),
        keys::requests(thread_id),
        keys::payloads(thread_id),
    ];
    writes.extend(kept.map(|key| Write::Expire {
        key,
        after: sessions.limits().thread_retention,
    }));
    if !over.is_empty() {
        writes.push(due::kept(over.clone()));
    }
    writes.extend(
        works
            .iter()
            .map(|work| due::promise(&work.work_id, thread_id)),
    );
    StepWrites {
        check: unchanged(key, before),
        writes,
        works,
        over,
        pending: stepped.after.pending,
        request: stepped.request,
    }
}

fn unchanged(key: Key, before: &Interactions) -> Check {
    Check::FieldIs {
        key,
        field: "version",
        value: (before.version > 0).then(|| decimal(before.version)),
        tell: Vec::new(),
    }
}

fn works(thread_id: &str, stepped: &Stepped, claims: &Bytes) -> Vec<DueWork> {
    let Some(request) = &stepped.request else {
        return Vec::new();
    };
    stepped
        .schedules
        .iter()
        .map(|schedule| DueWork {
            work_id: work_id(&request.request_id, schedule.kind),
            kind: schedule.kind.into(),
            thread_id: thread_id.to_owned(),
            subject_id: request.request_id.clone(),
            due_time: Some(time::to_proto(schedule.due)),
            claims: claims.clone(),
            ..DueWork::default()
        })
        .collect()
}

fn work_id(request_id: &str, kind: WorkKind) -> String {
    let name = match kind {
        WorkKind::ContextReminder => "reminder",
        WorkKind::ContextEnd => "end",
        WorkKind::ContextResume => "resume",
        WorkKind::DeferredTurn | WorkKind::OverlayOverdue | WorkKind::Unspecified => "turn",
    };
    format!("{request_id}:{name}")
}

/// The change with its text redacted.
fn redacted(roster: &ClassRedactor, change: &PendingChange) -> PendingChange {
    let mut change = change.clone();
    match &mut change.step {
        Some(Step::StartClarification(start)) => {
            start.original_query = roster.redact(&start.original_query);
            start.original_doc_content = within(
                &start.original_doc_content,
                roster.redact(&start.original_doc_content),
            );
        }
        Some(Step::AnswerClarification(answer)) => {
            answer.answer = within(&answer.answer, roster.redact(&answer.answer));
        }
        Some(Step::RequestContext(request)) => {
            if let Some(query) = &mut request.query {
                for text in [
                    &mut query.text,
                    &mut query.latex,
                    &mut query.voice_transcript,
                ] {
                    *text = roster.redact(text);
                }
            }
            if let Some(project) = &mut request.project {
                for text in [&mut project.goal, &mut project.plan] {
                    *text = within(text, roster.redact(text));
                }
            }
        }
        _ => {}
    }
    change
}

/// A redacted text that is no longer than it was: what replaces an address may be longer than the address, and must not
/// carry a text over its limit.
fn within(original: &str, mut redacted: String) -> String {
    let chars = original.chars().count();
    if let Some((end, _)) = redacted.char_indices().nth(chars) {
        redacted.truncate(end);
    }
    while redacted.len() > original.len() {
        redacted.pop();
    }
    redacted
}

impl Sessions {
    /// Whether the thread has had the context request that a step names.
    pub(super) async fn has_had_request(
        &self,
        partition: &Partition,
        thread_id: &str,
        change: Option<&PendingChange>,
    ) -> Result<bool, SessionError> {
        let Some(Step::RequestContext(asked)) = change.and_then(|change| change.step.as_ref())
        else {
            return Ok(false);
        };
        if asked.request_id.is_empty() {
            return Ok(false);
        }
        let wanted = vec![Read::Fields {
            key: keys::interactions(thread_id),
            fields: vec![request_field(&asked.request_id)],
        }];
        let mut reads = self.read(partition, wanted).await?;
        Ok(reads.fields()?.take().is_some())
    }

    fn pending_settings(&self, kind: i32) -> PendingSettings {
        let limits = self.limits();
        PendingSettings {
            clarification_ttl: match ThreadKind::try_from(kind) {
                Ok(ThreadKind::Tutor) => limits.clarification_ttl,
                _ => limits.conversation_ttl,
            },
            context_sla: limits.context_sla,
        }
    }
}
