//! Artifacts that are kept beside threads.

use tonic::{Request, Response, Status};
use turnwise_kit::{Fault, ids};
use turnwise_proto::session::v1::{
    PutArtifactRequest, PutArtifactResponse, ReadArtifactRequest, ReadArtifactResponse,
    ReadBatchRequest, ReadBatchResponse,
};

use super::{context::reached, session::open};
use crate::sessions::{
    Sessions,
    artifacts::{ArtifactName, NewArtifact},
};

/// An artifact's name; without a batch it belongs to the thread's own.
fn name(thread_id: &str, batch_id: String, artifact_type: String) -> Result<ArtifactName, Fault> {
    let batch_id = batch(thread_id, batch_id)?;
    ids::check("artifact_type", &artifact_type)?;
    Ok(ArtifactName {
        batch_id,
        artifact_type,
    })
}

fn batch(thread_id: &str, batch_id: String) -> Result<String, Fault> {
    if batch_id.is_empty() {
        return Ok(thread_id.to_owned());
    }
    ids::check("batch_id", &batch_id)?;
    Ok(batch_id)
}

pub(super) async fn put_artifact(
    sessions: &Sessions,
    request: Request<PutArtifactRequest>,
) -> Result<Response<PutArtifactResponse>, Status> {
    let (caller, message) = open(request)?;
    let name = name(&message.thread_id, message.batch_id, message.artifact_type)?;
    ids::check("course_id", &message.course_id)?;
    let student = reached(sessions, &caller, &message.student_id, &message.thread_id).await?;
    let new = NewArtifact {
        name,
        course_id: message.course_id,
        content: message.content,
        supplier_id: caller.subject,
        supplier_role: caller.role,
    };
    let artifact = sessions
        .put_artifact(&student, &message.thread_id, new)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(PutArtifactResponse {
        artifact: Some(artifact),
    }))
}

pub(super) async fn read_batch(
    sessions: &Sessions,
    request: Request<ReadBatchRequest>,
) -> Result<Response<ReadBatchResponse>, Status> {
    let (caller, message) = open(request)?;
    let batch_id = batch(&message.thread_id, message.batch_id)?;
    let student = reached(sessions, &caller, &message.student_id, &message.thread_id).await?;
    let batch = sessions
        .batch(&student, &message.thread_id, &batch_id)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(ReadBatchResponse {
        artifacts: batch.artifacts,
        context_requests: batch.requests,
    }))
}

pub(super) async fn read_artifact(
    sessions: &Sessions,
    request: Request<ReadArtifactRequest>,
) -> Result<Response<ReadArtifactResponse>, Status> {
    let (caller, message) = open(request)?;
    let name = name(&message.thread_id, message.batch_id, message.artifact_type)?;
    let student = reached(sessions, &caller, &message.student_id, &message.thread_id).await?;
    let (artifact, content) = sessions
        .artifact(&student, &message.thread_id, &name)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(ReadArtifactResponse {
        artifact: Some(artifact),
        content,
    }))
}
