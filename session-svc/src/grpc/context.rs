//! Context requests, and what was supplied for them.

use tonic::{Request, Response, Status};
use turnwise_kit::{Caller, Fault, PageTokens, ids, page};
use turnwise_proto::{
    common::v1::ErrorReason,
    session::v1::{
        ChangeContextRequestRequest, ChangeContextRequestResponse, ContextRequestChange,
        ListArtifactsRequest, ListArtifactsResponse, ListContextRequestsRequest,
        ListContextRequestsResponse, PutArtifactRequest, PutArtifactResponse, ReadArtifactRequest,
        ReadArtifactResponse, ReadContextPayloadRequest, ReadContextPayloadResponse,
        SupplyContextRequest, SupplyContextResponse,
    },
};
use turnwise_session_store::StudentKey;

use super::session::{open, student};
use crate::{
    access,
    sessions::{Sessions, artifacts::PutArtifact, context::Supply},
};

/// Pages of context requests: the usual and the largest size. The largest request has some 60 KB: 20 slots and sources, all
/// of their names as long as they may be.
const REQUESTS_PAGE: (usize, usize) = (20, 50);

/// The student of a thread whose requests the caller may see and change: their own, or a pupil's of their class.
async fn reached(
    sessions: &Sessions,
    caller: &Caller,
    student_id: &str,
    thread_id: &str,
) -> Result<StudentKey, Fault> {
    ids::check("student_id", student_id)?;
    ids::check("thread_id", thread_id)?;
    let student = access::supplier(caller, student_id)?;
    let class_id = sessions.class_of(&student, thread_id).await?;
    access::teacher_of(caller, &class_id)?;
    Ok(student)
}

pub(super) async fn supply_context(
    sessions: &Sessions,
    request: Request<SupplyContextRequest>,
) -> Result<Response<SupplyContextResponse>, Status> {
    let (caller, message) = open(request)?;
    ids::check("request_id", &message.request_id)?;
    let student = reached(sessions, &caller, &message.student_id, &message.thread_id).await?;
    let supply = Supply {
        request_id: message.request_id,
        slot: message.slot,
        artifact_type: message.artifact_type,
        content: message.content,
        supplier_id: caller.subject,
        supplier_role: caller.role,
    };
    let request = sessions
        .supply_context(&student, &message.thread_id, supply)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(SupplyContextResponse {
        context_request: Some(request),
    }))
}

pub(super) async fn change_context_request(
    sessions: &Sessions,
    request: Request<ChangeContextRequestRequest>,
) -> Result<Response<ChangeContextRequestResponse>, Status> {
    let (caller, message) = open(request)?;
    ids::check("request_id", &message.request_id)?;
    let change = message.change();
    if change == ContextRequestChange::Unspecified {
        return Err(Fault::invalid("change", "must be one of the changes").into());
    }
    let student = reached(sessions, &caller, &message.student_id, &message.thread_id).await?;
    let request = sessions
        .change_context_request(&student, &message.thread_id, &message.request_id, change)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(ChangeContextRequestResponse {
        context_request: Some(request),
    }))
}

pub(super) async fn list_context_requests(
    sessions: &Sessions,
    pages: &PageTokens,
    request: Request<ListContextRequestsRequest>,
) -> Result<Response<ListContextRequestsResponse>, Status> {
    let (caller, message) = open(request)?;
    let limit = page::size(message.page_size, REQUESTS_PAGE.0, REQUESTS_PAGE.1)?;
    let filter = [&*message.student_id, &message.thread_id];
    let pages = pages.list("ListContextRequests", Some(&caller), &filter);
    let from = pages.start(&message.page_token)?.unwrap_or(0);
    let student = reached(sessions, &caller, &message.student_id, &message.thread_id).await?;
    let page = sessions
        .context_requests(&student, &message.thread_id, from, limit)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(ListContextRequestsResponse {
        context_requests: page.requests,
        next_page_token: pages.next(page.next),
    }))
}

pub(super) async fn read_context_payload(
    sessions: &Sessions,
    request: Request<ReadContextPayloadRequest>,
) -> Result<Response<ReadContextPayloadResponse>, Status> {
    let (caller, message) = open(request)?;
    let student = student(&caller, &message.student_id)?;
    ids::check("thread_id", &message.thread_id)?;
    ids::check("request_id", &message.request_id)?;
    let (source, content) = sessions
        .context_payload(
            &student,
            &message.thread_id,
            &message.request_id,
            message.slot,
        )
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(ReadContextPayloadResponse {
        source: Some(source),
        content,
    }))
}

/// The most bytes of an artifact.
const ARTIFACT_MAX_BYTES: usize = 262_144;

/// The batch that a request names; the thread's own where it names none.
fn batch(batch_id: String, thread_id: &str) -> Result<String, Fault> {
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
    let student = reached(sessions, &caller, &message.student_id, &message.thread_id).await?;
    ids::check("artifact_type", &message.artifact_type)?;
    if message.content.len() > ARTIFACT_MAX_BYTES {
        let limit = ARTIFACT_MAX_BYTES.to_string();
        return Err(Fault::new(
            ErrorReason::PayloadTooLarge,
            format!(
                "the artifact has {} bytes; at most {limit} are kept",
                message.content.len()
            ),
        )
        .meta("limit", limit)
        .field(
            "content",
            format!("must have at most {ARTIFACT_MAX_BYTES} bytes"),
        )
        .into());
    }
    let put = PutArtifact {
        batch_id: batch(message.batch_id, &message.thread_id)?,
        artifact_type: message.artifact_type,
        content: message.content,
        supplier_id: caller.subject,
        supplier_role: caller.role,
    };
    let artifact = sessions
        .put_artifact(&student, &message.thread_id, put)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(PutArtifactResponse {
        artifact: Some(artifact),
    }))
}

pub(super) async fn list_artifacts(
    sessions: &Sessions,
    request: Request<ListArtifactsRequest>,
) -> Result<Response<ListArtifactsResponse>, Status> {
    let (caller, message) = open(request)?;
    let student = reached(sessions, &caller, &message.student_id, &message.thread_id).await?;
    let batch_id = batch(message.batch_id, &message.thread_id)?;
    let artifacts = sessions
        .artifacts(&student, &message.thread_id, &batch_id)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(ListArtifactsResponse { artifacts }))
}

pub(super) async fn read_artifact(
    sessions: &Sessions,
    request: Request<ReadArtifactRequest>,
) -> Result<Response<ReadArtifactResponse>, Status> {
    let (caller, message) = open(request)?;
    let student = reached(sessions, &caller, &message.student_id, &message.thread_id).await?;
    ids::check("artifact_type", &message.artifact_type)?;
    let batch_id = batch(message.batch_id, &message.thread_id)?;
    let (artifact, content) = sessions
        .artifact(
            &student,
            &message.thread_id,
            &batch_id,
            &message.artifact_type,
        )
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(ReadArtifactResponse {
        artifact: Some(artifact),
        content,
    }))
}
