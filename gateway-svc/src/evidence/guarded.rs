//! An answer to a drill that meets a guardrail: no grade, no model, a fixed text, and staff are told where it calls for
//! help.

use turnwise_guardrails::HitKind;
use turnwise_kit::Fault;
use turnwise_proto::{
    session::v1::{AppendEventsRequest, EvidenceStart, StudentSnapshot},
    tutor::v1::{DegradedReason, GradeDrillResponse},
};

use super::{Evidence, standing::badge, store::EvidenceRequest};
use crate::{
    conversation::{Request, guards},
    upstream::Step,
};

impl Evidence {
    /// The answer. It fails where staff could not be told: the same call tells them when it is sent again.
    pub(super) async fn guarded(
        &self,
        asked: &EvidenceRequest<'_>,
        unit_id: &str,
        start: &EvidenceStart,
        hit: HitKind,
    ) -> Result<GradeDrillResponse, Fault> {
        let kind = guards::name(hit);
        tracing::info!(kind, "an answer met a guardrail");
        let key = asked.platform_key();
        if let Some(alert) = guards::alert(kind, &key) {
            let step = Step::Session.of(asked.request.context);
            self.core
                .upstreams
                .session
                .clone()
                .append_events(step.request(AppendEventsRequest {
                    student_id: asked.request.caller.subject.clone(),
                    thread_id: asked.request.thread_id.to_owned(),
                    events: vec![alert],
                    idempotency_key: key,
                    body_hash: asked.request.body_hash.clone(),
                }))
                .await
                .map_err(|status| step.fault(&status))?;
        }
        let empty = StudentSnapshot::default();
        let snapshot = start.snapshot.as_ref().unwrap_or(&empty);
        let locks = self.locks(asked, snapshot, "").await;
        let standing = self.standing(asked, snapshot, &start.question_records, &locks, None, None);
        let Request {
            context, course_id, ..
        } = asked.request;
        let text = async { Ok(self.core.guarded_text(context, course_id, hit).await) };
        let (snapshot_lite, feedback_text) = futures_util::try_join!(standing, text)?;
        Ok(GradeDrillResponse {
            feedback_text,
            degraded_reasons: vec![DegradedReason::Guardrail.into()],
            mastery_tier: badge(snapshot, unit_id).into(),
            snapshot_lite,
            ..GradeDrillResponse::default()
        })
    }
}
