//! Deferred work.

use tonic::{Request, Response, Status};
use turnwise_kit::{Fault, time};
use turnwise_proto::session::v1::{
    ClaimDueWorkRequest, ClaimDueWorkResponse, CompleteDueWorkRequest, CompleteDueWorkResponse,
    DeferWorkRequest, DeferWorkResponse, RenewDueWorkRequest, RenewDueWorkResponse,
};

use super::{
    check,
    session::{open, student},
};
use crate::sessions::Sessions;

/// The most work of one claim.
const CLAIM_MAX: usize = 100;
const SERVICES: &[&str] = &["service"];

pub(super) async fn defer_work(
    sessions: &Sessions,
    request: Request<DeferWorkRequest>,
) -> Result<Response<DeferWorkResponse>, Status> {
    let (caller, message) = open(request)?;
    let work = check::work(message.work)?;
    let student = student(&caller, &work.student_id)?;
    sessions.defer(&student, work).await.map_err(Fault::from)?;
    Ok(Response::new(DeferWorkResponse {}))
}

pub(super) async fn claim_due_work(
    sessions: &Sessions,
    request: Request<ClaimDueWorkRequest>,
) -> Result<Response<ClaimDueWorkResponse>, Status> {
    let (caller, message) = open(request)?;
    caller.require(SERVICES)?;
    let limit = usize::try_from(message.limit)
        .ok()
        .filter(|limit| (1..=CLAIM_MAX).contains(limit))
        .ok_or_else(|| Fault::invalid("limit", "must be 1 to 100"))?;
    let claims = sessions.claim_due(limit).await.map_err(Fault::from)?;
    Ok(Response::new(ClaimDueWorkResponse {
        claimed: claims.claimed,
        lease_ttl: prost_types::Duration::try_from(claims.lease_ttl).ok(),
        next_due_time: claims.next.map(time::to_proto),
    }))
}

pub(super) async fn renew_due_work(
    sessions: &Sessions,
    request: Request<RenewDueWorkRequest>,
) -> Result<Response<RenewDueWorkResponse>, Status> {
    let (caller, message) = open(request)?;
    caller.require(SERVICES)?;
    check::work_id("work_id", &message.work_id)?;
    let ttl = sessions
        .renew_claim(&message.work_id, message.fencing_token)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(RenewDueWorkResponse {
        lease_ttl: prost_types::Duration::try_from(ttl).ok(),
    }))
}

pub(super) async fn complete_due_work(
    sessions: &Sessions,
    request: Request<CompleteDueWorkRequest>,
) -> Result<Response<CompleteDueWorkResponse>, Status> {
    let (caller, message) = open(request)?;
    caller.require(SERVICES)?;
    check::work_id("work_id", &message.work_id)?;
    sessions
        .complete_claim(&message.work_id, message.fencing_token)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(CompleteDueWorkResponse {}))
}
