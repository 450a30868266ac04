//! A student's record, and the evidence that changes it.

use futures_util::future::try_join;
use tonic::{Request, Response, Status};
use turnwise_kit::{Fault, ids};
use turnwise_proto::session::v1::{
    BeginEvidenceRequest, BeginEvidenceResponse, CommitEvidenceRequest, CommitEvidenceResponse,
    GetSnapshotRequest, GetSnapshotResponse, StudentSnapshot, begin_evidence_response as begun,
    commit_evidence_response as committed,
};

use super::{
    check,
    session::{open, student},
};
use crate::{
    access,
    sessions::{
        Sessions,
        evidence::{BeginEvidence, CommitEvidence, EvidenceBegun, EvidenceOutcome},
    },
};

pub(super) async fn get_snapshot(
    sessions: &Sessions,
    request: Request<GetSnapshotRequest>,
) -> Result<Response<GetSnapshotResponse>, Status> {
    let (caller, message) = open(request)?;
    let student = student(&caller, &message.student_id)?;
    ids::check("course_id", &message.course_id)?;
    let course_id = &message.course_id;
    let ((now, _), class_placement) = try_join(
        sessions.evidence_now(&student, course_id),
        sessions.class_placement(&student.tenant, &caller.groups, course_id),
    )
    .await
    .map_err(Fault::from)?;
    Ok(Response::new(GetSnapshotResponse {
        snapshot: Some(StudentSnapshot {
            class_placement,
            ..now.snapshot
        }),
        question_records: now.question_records,
    }))
}

pub(super) async fn begin_evidence(
    sessions: &Sessions,
    request: Request<BeginEvidenceRequest>,
) -> Result<Response<BeginEvidenceResponse>, Status> {
    let (caller, message) = open(request)?;
    let student = student(&caller, &message.student_id)?;
    ids::check("course_id", &message.course_id)?;
    ids::check("thread_id", &message.thread_id)?;
    let begin = BeginEvidence {
        idempotency: check::idempotency(message.idempotency_key, message.body_hash)?,
        course_id: message.course_id,
        thread_id: message.thread_id,
        kind: check::thread_kind(message.kind)?,
        drill_nonce: check::drill_nonce(message.drill_nonce)?,
    };
    let outcome = match sessions
        .begin_evidence(&student, begin)
        .await
        .map_err(Fault::from)?
    {
        EvidenceBegun::Answered(answer) => begun::Outcome::StoredAnswer(answer),
        EvidenceBegun::Started(start) => {
            let class_id = start.thread.as_ref().map_or("", |thread| &thread.class_id);
            access::class_of_thread(&caller, class_id)?;
            begun::Outcome::Start(*start)
        }
    };
    Ok(Response::new(BeginEvidenceResponse {
        outcome: Some(outcome),
    }))
}

pub(super) async fn commit_evidence(
    sessions: &Sessions,
    request: Request<CommitEvidenceRequest>,
) -> Result<Response<CommitEvidenceResponse>, Status> {
    let (caller, message) = open(request)?;
    let student = student(&caller, &message.student_id)?;
    ids::check("course_id", &message.course_id)?;
    check::question_records(&message.question_records)?;
    check::evidence_answer(&message.answer)?;
    if message.expected_version < 0 {
        return Err(Fault::invalid("expected_version", "must be 0 or more").into());
    }
    let commit = CommitEvidence {
        idempotency: check::idempotency(message.idempotency_key, message.body_hash)?,
        course_id: message.course_id,
        expected_version: message.expected_version,
        evidence: message
            .evidence
            .ok_or_else(|| Fault::invalid("evidence", "is required"))?,
        question_records: message.question_records,
        drill: check::drill(message.drill_nonce, message.drill_verdict)?,
        counted: check::drill_activity(message.drill)?,
        answer: message.answer,
        graded: check::graded(message.thread_id, message.graded)?,
    };
    let outcome = sessions
        .commit_evidence(&student, commit)
        .await
        .map_err(Fault::from)?;
    let mut question_records = Vec::new();
    let outcome = match outcome {
        EvidenceOutcome::Committed(version) => committed::Outcome::CommittedVersion(version),
        EvidenceOutcome::Conflict(now) => {
            question_records = now.question_records;
            committed::Outcome::Conflict(now.snapshot)
        }
        EvidenceOutcome::AlreadyGraded(verdict) => committed::Outcome::AlreadyGraded(verdict),
        EvidenceOutcome::Answered(answer) => committed::Outcome::StoredAnswer(answer),
    };
    Ok(Response::new(CommitEvidenceResponse {
        outcome: Some(outcome),
        question_records,
    }))
}
