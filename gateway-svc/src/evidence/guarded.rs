//! An answer that a guardrail stops, to a drill, to an exam question or in a placement: no judgement, no model, a fixed
//! text, and staff are told where it calls for help.

use turnwise_guardrails::Hit;
use turnwise_kit::Fault;
use turnwise_proto::{
    placement::v1::AnswerPlacementResponse,
    session::v1::{EvidenceStart, StudentSnapshot},
    tutor::v1::{DegradedReason, GradeDrillResponse, SnapshotLite, SubmitExamAnswerResponse},
};

use super::{Evidence, standing::badge, store::EvidenceRequest};
use crate::conversation::Request;

/// What there is to say instead of a judgement.
pub(super) struct Guarded {
    text: String,
    badge: i32,
    standing: Option<SnapshotLite>,
    degraded_reasons: Vec<i32>,
}

impl From<Guarded> for GradeDrillResponse {
    fn from(guarded: Guarded) -> Self {
        Self {
            feedback_text: guarded.text,
            degraded_reasons: guarded.degraded_reasons,
            mastery_tier: guarded.badge,
            snapshot_lite: guarded.standing,
            ..Self::default()
        }
    }
}

impl From<Guarded> for SubmitExamAnswerResponse {
    fn from(guarded: Guarded) -> Self {
        Self {
            text: guarded.text,
            degraded_reasons: guarded.degraded_reasons,
            mastery_tier: guarded.badge,
            mastery_tier_before: guarded.badge,
            snapshot_lite: guarded.standing,
            ..Self::default()
        }
    }
}

impl From<Guarded> for AnswerPlacementResponse {
    fn from(guarded: Guarded) -> Self {
        Self {
            text: guarded.text,
            ..Self::default()
        }
    }
}

impl Evidence {
    /// Tells staff of words that call for help, or may; says what there is to say where the words go no further.
    pub(super) async fn guarded(
        &self,
        asked: &EvidenceRequest<'_>,
        unit_id: &str,
        start: &EvidenceStart,
        hit: &Hit,
    ) -> Result<Option<Guarded>, Fault> {
        self.core
            .tell(&asked.request, hit, asked.platform_key())
            .await?;
        if !hit.stops {
            return Ok(None);
        }
        let empty = StudentSnapshot::default();
        let snapshot = start.snapshot.as_ref().unwrap_or(&empty);
        let locks = self.locks(asked, snapshot, "").await;
        let standing = self.standing(asked, snapshot, &start.question_records, &locks, None, None);
        let Request {
            context, course_id, ..
        } = asked.request;
        let text = async { Ok(self.core.guarded_text(context, course_id, hit.kind).await) };
        let (standing, text) = futures_util::try_join!(standing, text)?;
        Ok(Some(Guarded {
            text,
            badge: badge(snapshot, unit_id).into(),
            standing,
            degraded_reasons: [DegradedReason::Guardrail]
                .into_iter()
                .chain(locks.degraded())
                .map(i32::from)
                .collect(),
        }))
    }
}
