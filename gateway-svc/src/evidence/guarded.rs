//! An answer to a drill that meets a guardrail: no grade, no model, a fixed text, and staff are told where it calls for
//! help.

use turnwise_guardrails::HitKind;
use turnwise_kit::Fault;
use turnwise_proto::{
    session::v1::{AppendEventsRequest, EvidenceStart, StudentSnapshot},
    tutor::v1::{DegradedReason, GradeDrillResponse},
};

use super::{Evidence, standing::badge, store::Asked};
use crate::{safeguarding, upstream::Step};

impl Evidence {
    /// The answer. It fails where staff could not be told: the same call tells them when it is sent again.
    pub(super) async fn guarded(
        &self,
        asked: &Asked<'_>,
        unit_id: &str,
        start: &EvidenceStart,
        hit: HitKind,
    ) -> Result<GradeDrillResponse, Fault> {
        let kind = safeguarding::name(hit);
        tracing::info!(kind, "an answer met a guardrail");
        let key = asked.platform_key();
        if let Some(alert) = safeguarding::alert(kind, &key) {
            let context = asked.context;
            self.upstreams
                .session
                .clone()
                .append_events(Step::Session.of(context).request(AppendEventsRequest {
                    student_id: asked.caller.subject.clone(),
                    thread_id: asked.thread_id.to_owned(),
                    events: vec![alert],
                    idempotency_key: key,
                    body_hash: asked.body_hash.clone(),
                }))
                .await
                .map_err(|status| Step::Session.fault(context, &status))?;
        }
        let empty = StudentSnapshot::default();
        let snapshot = start.snapshot.as_ref().unwrap_or(&empty);
        let locks = self.locks(asked, snapshot, "").await;
        let standing = self.standing(asked, snapshot, &start.question_records, &locks, None, None);
        let locale = async {
            Ok(safeguarding::locale(&self.upstreams, asked.context, asked.course_id).await)
        };
        let (snapshot_lite, locale) = futures_util::try_join!(standing, locale)?;
        Ok(GradeDrillResponse {
            feedback_text: self.guardrails.text(&locale, hit).to_owned(),
            degraded_reasons: vec![DegradedReason::Guardrail.into()],
            mastery_tier: badge(snapshot, unit_id).into(),
            snapshot_lite,
            ..GradeDrillResponse::default()
        })
    }
}
