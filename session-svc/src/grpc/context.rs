//! Context requests, and what was supplied for them.

use tonic::{Request, Response, Status};
use turnwise_kit::{Caller, Fault, PageTokens, ids, page};
use turnwise_proto::session::v1::{
    ChangeContextRequestRequest, ChangeContextRequestResponse, ContextRequestChange,
    ListContextRequestsRequest, ListContextRequestsResponse, ReadContextPayloadRequest,
    ReadContextPayloadResponse, SupplyContextRequest, SupplyContextResponse,
};
use turnwise_session_store::StudentKey;

use super::session::{open, student};
use crate::{
    access,
    sessions::{Sessions, context::Supply},
};

/// Pages of context requests: the usual and the largest size. The largest request has some 60 KB: 20 slots and sources, all
/// of their names as long as they may be.
const REQUESTS_PAGE: (usize, usize) = (20, 50);

/// The student of a thread whose requests the caller may see and change: their own, or a pupil's of their class.
pub(super) async fn reached(
    sessions: &Sessions,
    caller: &Caller,
    student_id: &str,
    thread_id: &str,
) -> Result<StudentKey, Fault> {
    let (student, _) = reached_in_class(sessions, caller, student_id, thread_id).await?;
    Ok(student)
}

async fn reached_in_class(
    sessions: &Sessions,
    caller: &Caller,
    student_id: &str,
    thread_id: &str,
) -> Result<(StudentKey, String), Fault> {
    ids::check("student_id", student_id)?;
    ids::check("thread_id", thread_id)?;
    let student = access::supplier(caller, student_id)?;
    let class_id = sessions.class_of(&student, thread_id).await?;
    access::teacher_of(caller, &class_id)?;
    Ok((student, class_id))
}

/// As [`reached`], for what adds to the thread: the student must be of its class still.
pub(super) async fn reached_to_add(
    sessions: &Sessions,
    caller: &Caller,
    student_id: &str,
    thread_id: &str,
) -> Result<StudentKey, Fault> {
    let (student, class_id) = reached_in_class(sessions, caller, student_id, thread_id).await?;
    access::class_of_thread(caller, &class_id)?;
    Ok(student)
}

pub(super) async fn supply_context(
    sessions: &Sessions,
    request: Request<SupplyContextRequest>,
) -> Result<Response<SupplyContextResponse>, Status> {
    let (caller, message) = open(request)?;
    ids::check("request_id", &message.request_id)?;
    let student =
        reached_to_add(sessions, &caller, &message.student_id, &message.thread_id).await?;
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
    let student =
        reached_to_add(sessions, &caller, &message.student_id, &message.thread_id).await?;
    access::context_change(&caller, &message.student_id, change)?;
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
