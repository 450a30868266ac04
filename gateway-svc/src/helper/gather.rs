//! The lesson's reference, and pieces of the course's text that may help. Either may be away: the answer goes on without it
//! and says so.

use futures_util::join;
use tokio::time::Instant;
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    policy::v1::ChatDecision,
    retrieval::v1::{
        GetReferenceRequest, GetReferenceResponse, Namespace, RetrieveRequest, RetrieveResponse,
        get_reference_request::Name,
    },
    tutor::v1::DegradedReason,
};

use super::compose::Composing;
use crate::{
    conversation::{keep_chunks, note_time},
    turn::readable,
    upstream::Step,
};

/// The most pieces of course text in a prompt.
const MOST_SOURCES: usize = 4;
/// The most units that one search takes.
const MOST_UNITS: usize = 6;

/// Retrieval is away.
struct Away;

impl Composing<'_> {
    /// The reference text; empty: there is none. What was found of the course goes to the record.
    pub(super) async fn gather(
        &mut self,
        working: &CallContext,
        decision: &ChatDecision,
    ) -> String {
        let began = Instant::now();
        let (reference, found) = join!(
            self.reference(working, decision),
            self.search(working, decision)
        );
        note_time(&mut self.facts, "gather", began.elapsed());
        if reference.is_err() || found.is_err() {
            self.degrade(DegradedReason::RetrievalUnavailable);
        }
        if let Ok(Some(found)) = found {
            self.questions.task = found.clarification_task;
            let mut chunks = found.chunks;
            // A row with score 0 only fills up.
            chunks.retain(|chunk| chunk.score > 0.0);
            chunks.truncate(MOST_SOURCES);
            keep_chunks(&mut self.facts, &mut self.texts, found.index_id, chunks);
        }
        let reference = reference.ok().flatten().unwrap_or_default();
        self.chat.reference = reference.key;
        reference.text
    }

    async fn reference(
        &self,
        working: &CallContext,
        decision: &ChatDecision,
    ) -> Result<Option<GetReferenceResponse>, Away> {
        let Some(scope) = &self.chat.scope else {
            return Ok(None);
        };
        let lesson = decision.lesson.as_ref();
        let name = match (scope.reference.as_str(), lesson) {
            ("", Some(lesson)) => Name::Lesson(lesson.slug.clone()),
            ("", None) => return Ok(None),
            (key, _) => Name::Key(key.to_owned()),
        };
        let step = Step::Retrieval.of(working);
        let request = GetReferenceRequest {
            course_id: self.facts.course_id.clone(),
            pack_hash: decision.pack_hash.clone(),
            name: Some(name),
        };
        let mut retrieval = self.helper.core.upstreams.retrieval.clone();
        match retrieval.get_reference(step.request(request)).await {
            Ok(found) => Ok(Some(found.into_inner())),
            Err(status) => match Fault::from_status(&status).reason() {
                ErrorReason::UnknownReference | ErrorReason::UnknownCourse => Ok(None),
                reason => Err(away(reason)),
            },
        }
    }

    async fn search(
        &self,
        working: &CallContext,
        decision: &ChatDecision,
    ) -> Result<Option<RetrieveResponse>, Away> {
        let unit_ids = match &decision.lesson {
            Some(lesson) if !lesson.unit_ids.is_empty() => &lesson.unit_ids,
            _ => return Ok(None),
        };
        let step = Step::Retrieval.of(working);
        let memory = self.texts.memory.as_ref();
        let request = RetrieveRequest {
            course_id: decision.course_id.clone(),
            pack_hash: decision.pack_hash.clone(),
            text: self.query().to_owned(),
            scoped_unit_ids: unit_ids.iter().take(MOST_UNITS).cloned().collect(),
            namespaces: vec![Namespace::UnitContentChunks.into()],
            recent_texts: memory.map_or_else(Vec::new, |memory| {
                memory.turns.iter().map(|turn| turn.text.clone()).collect()
            }),
            clarified_document_ids: self.start.clarified_documents.clone(),
            ..RetrieveRequest::default()
        };
        let mut retrieval = self.helper.core.upstreams.retrieval.clone();
        let found = retrieval.retrieve(step.request(request)).await;
        found
            .map(|found| Some(readable(found.into_inner())))
            .map_err(|status| away(step.fault(&status).reason()))
    }
}

fn away(reason: ErrorReason) -> Away {
    tracing::warn!(
        reason = reason.wire_name(),
        "the chat goes on without retrieval"
    );
    Away
}
