//! Work that is kept for requests to come.

use turnwise_kit::{CallContext, Fault, ids};
use turnwise_proto::{
    common::v1::ErrorReason,
    context::v1::{
        Artifact, ListArtifactsRequest, ListArtifactsResponse, PutArtifactRequest, Snippet,
    },
    policy::v1::CheckArtifactRequest,
    retrieval::v1::ExtractArtifactRequest,
    session::v1 as session,
};

use super::{Context, student_of};
use crate::upstream::Step;

/// The most bytes of a suggestion.
const SNIPPET: i32 = 4_096;
/// The most characters of what suggestions are to fit.
const ABOUT: usize = 4_000;

impl Context {
    /// Keeps an artifact that the course has and that the caller may supply.
    pub(crate) async fn put(
        &self,
        context: &CallContext,
        request: PutArtifactRequest,
    ) -> Result<Artifact, Fault> {
        let caller = context.caller()?;
        let student_id = student_of(caller, request.student_id)?;
        ids::check("course_id", &request.course_id)?;
        let checked = CheckArtifactRequest {
            course_id: request.course_id.clone(),
            artifact_type: request.artifact_type.clone(),
            key_path: String::new(),
            content: request.content,
        };
        let checked = self.core.check_artifact(context, checked).await?;
        if !checked.suppliers.is_empty() && !checked.suppliers.contains(&caller.role) {
            return Err(Fault::new(
                ErrorReason::PermissionDenied,
                format!(
                    "the course takes this artifact from: {}",
                    checked.suppliers.join(", ")
                ),
            )
            .meta("need", "supplier"));
        }
        let step = Step::Session.of(context);
        let kept = self
            .core
            .upstreams
            .session
            .clone()
            .put_artifact(step.request(session::PutArtifactRequest {
                student_id,
                thread_id: request.thread_id,
                batch_id: request.batch_id,
                artifact_type: request.artifact_type,
                content: checked.content,
                course_id: request.course_id,
            }))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner()
            .artifact
            .ok_or_else(|| Step::Session.malformed())?;
        self.core.context_metrics.supplied(&caller.role);
        Ok(artifact(&kept))
    }

    /// What is kept for a batch; with a request, also the pieces that fit its message best.
    pub(crate) async fn artifacts(
        &self,
        context: &CallContext,
        request: ListArtifactsRequest,
    ) -> Result<ListArtifactsResponse, Fault> {
        let student_id = student_of(context.caller()?, request.student_id)?;
        let about = match request.request_id.as_str() {
            "" => None,
            id => {
                ids::check("request_id", id)?;
                let found = self
                    .core
                    .context_request(context, &student_id, &request.thread_id, id);
                Some(about(&found.await?))
            }
        };
        let step = Step::Session.of(context);
        let kept = self
            .core
            .upstreams
            .session
            .clone()
            .read_batch(step.request(session::ReadBatchRequest {
                student_id: student_id.clone(),
                thread_id: request.thread_id,
                batch_id: request.batch_id,
            }))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner();
        let mut artifacts = Vec::with_capacity(kept.artifacts.len());
        for kept in &kept.artifacts {
            let mut listed = artifact(kept);
            if let Some(about) = &about {
                listed.suggestions = self.suggest(context, &student_id, kept, about).await?;
            }
            artifacts.push(listed);
        }
        Ok(ListArtifactsResponse { artifacts })
    }

    async fn suggest(
        &self,
        context: &CallContext,
        student_id: &str,
        kept: &session::Artifact,
        about: &str,
    ) -> Result<Vec<Snippet>, Fault> {
        let content = self.core.artifact(context, student_id, kept).await?;
        let json = serde_json::from_str::<serde::de::IgnoredAny>(&content).is_ok();
        let step = Step::Retrieval.of(context);
        let found = self
            .core
            .upstreams
            .retrieval
            .clone()
            .extract_artifact(step.request(ExtractArtifactRequest {
                artifact_type: if json { "json" } else { "text" }.to_owned(),
                content,
                size_limit: SNIPPET,
                suggest: about.to_owned(),
                ..ExtractArtifactRequest::default()
            }))
            .await
            .map_err(|status| step.fault(&status));
        // Without a search there is nothing to suggest, and the list is a list.
        let Ok(found) = found else {
            return Ok(Vec::new());
        };
        let slices = found.into_inner().slices.into_iter();
        Ok(slices
            .map(|slice| Snippet {
                key_path: slice.key_path,
                text: slice.text,
                start: slice.start,
                end: slice.end,
            })
            .collect())
    }
}

/// What suggestions are to fit: the message, and what is asked for.
fn about(request: &session::ContextRequest) -> String {
    let said = request.query.as_ref().map_or("", crate::input::said);
    let titles = request.slots.iter().map(|slot| slot.title.as_str());
    let text: Vec<&str> = std::iter::once(said).chain(titles).collect();
    text.join("\n").chars().take(ABOUT).collect()
}

fn artifact(kept: &session::Artifact) -> Artifact {
    Artifact {
        artifact_type: kept.artifact_type.clone(),
        batch_id: kept.batch_id.clone(),
        size_bytes: kept.size_bytes,
        supplier_role: kept.supplier_role.clone(),
        supply_time: kept.supply_time,
        suggestions: Vec::new(),
    }
}
