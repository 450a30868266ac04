//! What a student sees of the record: the policy's standing, with what the exam system says of the questions to come back
//! to.

use jiff::Timestamp;
use turnwise_kit::{CallContext, Caller, Fault, ids, time};
use turnwise_proto::{
    exam::v1::QuestionStatus,
    policy::v1::DescribeStandingRequest,
    session::v1::{GetSnapshotRequest, GetSnapshotResponse, StudentSnapshot, UnitProgress},
    tutor::v1::{DegradedReason, GetSnapshotLiteResponse, MasteryTier, SnapshotLite},
};

use crate::{conversation::Core, upstream::Step};

/// The most questions to come back to that the exam system is asked about.
const REVISITED: usize = 100;

/// The questions to come back to: the queue without those at or below their unit's badge.
pub(crate) fn revisited(snapshot: &StudentSnapshot) -> Vec<String> {
    let Some(evidence) = &snapshot.evidence else {
        return Vec::new();
    };
    let badge = |unit_id: &str| {
        let mut units = evidence.unit_progress.iter();
        let unit = units.find(|unit| unit.unit_id == unit_id);
        unit.map_or(MasteryTier::None, UnitProgress::mastery_tier)
    };
    let queue = evidence.revisit_queue.iter();
    queue
        .filter(|entry| {
            let badge = badge(&entry.unit_id);
            badge < MasteryTier::Bronze || badge < entry.tier()
        })
        .take(REVISITED)
        .map(|entry| entry.question_id.clone())
        .collect()
}

/// Whether a record has the pass of a question: it was dealt with and waits no more.
pub(crate) fn knows_pass(snapshot: &StudentSnapshot, question_id: &str) -> bool {
    let is_touched = snapshot
        .evidence
        .as_ref()
        .is_some_and(|evidence| evidence.exam_touched.iter().any(|id| id == question_id));
    is_touched && !waits(snapshot, question_id)
}

/// Whether a question waits in a record.
pub(crate) fn waits(snapshot: &StudentSnapshot, question_id: &str) -> bool {
    let mut queue = snapshot
        .evidence
        .iter()
        .flat_map(|evidence| &evidence.revisit_queue);
    queue.any(|entry| entry.question_id == question_id)
}

/// A student's standing in a course.
pub(crate) async fn read(
    core: &Core,
    context: &CallContext,
    caller: &Caller,
    course_id: &str,
) -> Result<GetSnapshotLiteResponse, Fault> {
    ids::check("course_id", course_id)?;
    let read = core.snapshot(context, caller, course_id).await?;
    let snapshot = read.snapshot.unwrap_or_default();
    let statuses = core
        .exam
        .statuses(
            context,
            &caller.subject,
            course_id,
            revisited(&snapshot),
            &read.question_records,
        )
        .await;
    let degraded = statuses
        .is_none()
        .then_some(i32::from(DegradedReason::ExamApiUnavailable));
    let statuses = statuses.unwrap_or_default();
    let now = core.kit.clock.now();
    Ok(GetSnapshotLiteResponse {
        snapshot_lite: core
            .describe_standing(context, course_id, Some(snapshot), statuses, now)
            .await?,
        degraded_reasons: degraded.into_iter().collect(),
    })
}

impl Core {
    /// A student's record in a course.
    pub(crate) async fn snapshot(
        &self,
        context: &CallContext,
        caller: &Caller,
        course_id: &str,
    ) -> Result<GetSnapshotResponse, Fault> {
        let request = GetSnapshotRequest {
            student_id: caller.subject.clone(),
            course_id: course_id.to_owned(),
        };
        let step = Step::Session.of(context);
        self.upstreams
            .session
            .clone()
            .get_snapshot(step.request(request))
            .await
            .map(tonic::Response::into_inner)
            .map_err(|status| step.fault(&status))
    }

    /// The policy's standing of a record.
    pub(crate) async fn describe_standing(
        &self,
        context: &CallContext,
        course_id: &str,
        snapshot: Option<StudentSnapshot>,
        statuses: Vec<QuestionStatus>,
        now: Timestamp,
    ) -> Result<Option<SnapshotLite>, Fault> {
        let request = DescribeStandingRequest {
            course_id: course_id.to_owned(),
            snapshot,
            statuses,
            now: Some(time::to_proto(now)),
        };
        let step = Step::Policy.of(context);
        self.upstreams
            .policy
            .clone()
            .describe_standing(step.request(request))
            .await
            .map(|response| response.into_inner().standing)
            .map_err(|status| step.fault(&status))
    }
}
