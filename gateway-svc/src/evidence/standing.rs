//! What the student sees of the record: the policy's standing, with what the exam system says of the questions to come
//! back to.

use turnwise_kit::{Fault, time};
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{QuestionState, QuestionStatus},
    policy::v1::{ApplyEvidenceRequest, ApplyEvidenceResponse, apply_evidence_request::Event},
    session::v1::{QuestionRecord, StudentSnapshot, UnitProgress},
    tutor::v1::{DegradedReason, MasteryTier, SnapshotLite},
};

use super::{Evidence, store::EvidenceRequest};
use crate::{standing::revisited, upstream::Step};

/// What is known of the locks of the questions to come back to.
pub(super) enum Locks {
    /// The built-in system's are in its records.
    Recorded,
    /// What a platform said; `None`: it is away.
    Told(Option<Vec<QuestionStatus>>),
}

impl Locks {
    /// What an answer lacks.
    pub(super) fn degraded(&self) -> Option<DegradedReason> {
        match self {
            Self::Told(None) => Some(DegradedReason::ExamApiUnavailable),
            Self::Told(Some(_)) | Self::Recorded => None,
        }
    }
}

/// A unit's badge in a record.
pub(super) fn badge(snapshot: &StudentSnapshot, unit_id: &str) -> MasteryTier {
    let progress = snapshot
        .evidence
        .iter()
        .flat_map(|evidence| &evidence.unit_progress)
        .find(|progress| progress.unit_id == unit_id)
        .map(UnitProgress::mastery_tier);
    match progress {
        None | Some(MasteryTier::Unspecified) => MasteryTier::None,
        Some(tier) => tier,
    }
}

impl Evidence {
    /// Asks a platform's exam system about the questions to come back to, but for the one that is dealt with.
    pub(super) async fn locks(
        &self,
        asked: &EvidenceRequest<'_>,
        snapshot: &StudentSnapshot,
        question_id: &str,
    ) -> Locks {
        if !self.core.exam.needs_call() {
            return Locks::Recorded;
        }
        let mut ids = revisited(snapshot);
        ids.retain(|id| id != question_id);
        if ids.is_empty() {
            return Locks::Told(Some(Vec::new()));
        }
        Locks::Told(
            self.core
                .exam
                .statuses(
                    asked.request.context,
                    &asked.request.caller.subject,
                    asked.request.course_id,
                    ids,
                    &[],
                )
                .await,
        )
    }

    /// Has the policy apply an event.
    pub(super) async fn applied(
        &self,
        asked: &EvidenceRequest<'_>,
        pack_hash: &str,
        snapshot: &StudentSnapshot,
        event: Event,
    ) -> Result<ApplyEvidenceResponse, Fault> {
        let step = Step::Policy.of(asked.request.context);
        let request = ApplyEvidenceRequest {
            course_id: asked.request.course_id.to_owned(),
            pack_hash: pack_hash.to_owned(),
            snapshot: Some(snapshot.clone()),
            now: Some(time::to_proto(asked.now)),
            event: Some(event),
        };
        let response = self
            .core
            .upstreams
            .policy
            .clone()
            .apply_evidence(step.request(request))
            .await
            .map_err(|status| of_the_request(step.fault(&status)))?;
        Ok(response.into_inner())
    }

    /// The standing of a record. `before` is the policy's, made without the exam system; it stands where no question to
    /// come back to is locked or passed. `ruled` is the question that was dealt with.
    pub(super) async fn standing(
        &self,
        asked: &EvidenceRequest<'_>,
        snapshot: &StudentSnapshot,
        records: &[QuestionRecord],
        locks: &Locks,
        ruled: Option<&QuestionStatus>,
        before: Option<SnapshotLite>,
    ) -> Result<Option<SnapshotLite>, Fault> {
        let mut statuses = match locks {
            Locks::Told(told) => told.clone().unwrap_or_default(),
            Locks::Recorded => self
                .core
                .exam
                .statuses(
                    asked.request.context,
                    &asked.request.caller.subject,
                    asked.request.course_id,
                    revisited(snapshot),
                    records,
                )
                .await
                .unwrap_or_default(),
        };
        if let Some(ruled) = ruled {
            statuses.retain(|status| status.question_id != ruled.question_id);
            statuses.push(ruled.clone());
        }
        let queue = revisited(snapshot);
        statuses.retain(|status| queue.contains(&status.question_id));
        let all_open = statuses
            .iter()
            .all(|status| status.state() == QuestionState::Available);
        if all_open && before.is_some() {
            return Ok(before);
        }
        let (context, course_id) = (asked.request.context, asked.request.course_id);
        self.core
            .describe_standing(
                context,
                course_id,
                Some(snapshot.clone()),
                statuses,
                asked.now,
            )
            .await
    }
}

/// A fault of the policy in the words of the client's request: `exam_result.tier` is its `tier`. A record that the policy
/// cannot read is not the client's to mend.
pub(super) fn of_the_request(fault: Fault) -> Fault {
    const EVENTS: [&str; 4] = [
        "answered.",
        "drill_graded.",
        "exam_result.",
        "support_viewed.",
    ];
    if fault.fields().any(|name| name.starts_with("snapshot")) {
        tracing::error!(message = fault.message(), "the policy cannot read a record");
        return Fault::new(
            ErrorReason::RecordCorrupted,
            "the student's record cannot be read; report the x-request-id",
        )
        .meta("record", "evidence");
    }
    let own = fault.fields().find_map(|name| {
        let field = EVENTS.iter().find_map(|event| name.strip_prefix(event))?;
        Some((format!("`{name}` "), field.to_owned()))
    });
    let Some((prefix, field)) = own else {
        return fault;
    };
    let message = fault.message();
    let problem = message.strip_prefix(&prefix).unwrap_or(message);
    if fault.reason() == ErrorReason::InvalidArgument {
        return Fault::invalid(&field, problem);
    }
    let mut public = Fault::new(fault.reason(), problem).field(&field, problem);
    for key in ["unit_id", "question_id", "course_id", "pack_hash"] {
        if let Some(value) = fault.metadata(key) {
            public = public.meta(key, value);
        }
    }
    public
}
