//! RecordSupportView: help for an exam question, and what looking at it does.

use turnwise_kit::{CallContext, Caller, Fault};
use turnwise_proto::{
    exam::v1::{QuestionState, SupportKind},
    policy::v1::{SupportViewed, apply_evidence_request::Event as Fact},
    session::v1::{QuestionRecord, StudentSnapshot},
    tutor::v1::{MasteryTier, RecordSupportViewRequest, RecordSupportViewResponse},
};

use super::{
    Evidence,
    offered::{Applying, Offered},
    store::{Committed, Draft, Event},
};
use crate::{
    conversation::{Begun, request_hash},
    exam::Support,
};

impl Evidence {
    /// Shows help for an exam question, and records that it was looked at.
    pub(crate) async fn record_support_view(
        &self,
        context: &CallContext,
        caller: &Caller,
        request: RecordSupportViewRequest,
    ) -> Result<RecordSupportViewResponse, Fault> {
        let kind = match SupportKind::try_from(request.kind) {
            Ok(kind @ (SupportKind::Memo | SupportKind::Video)) => kind,
            Ok(SupportKind::Unspecified) | Err(_) => {
                return Err(Fault::invalid("kind", "must be memo or video"));
            }
        };
        let now = self.core.kit.clock.now();
        let offered = Offered {
            thread_id: &request.thread_id,
            course_id: &request.course_id,
            unit_id: &request.unit_id,
            question_id: &request.question_id,
            tier: None,
            token: &request.offer_token,
        };
        offered.check_fields()?;
        let body_hash = request_hash("RecordSupportView", request.clone(), |r| {
            &mut r.idempotency_key
        });
        let asked = offered.asked(context, caller, &request.idempotency_key, body_hash, now);
        let start = match self.begin(&asked).await? {
            Begun::Stored(answer) => return Ok(answer),
            Begun::Start(start) => start,
        };
        let tier = self.check_offered(caller, now, &offered)?;
        self.check_catalogue(&asked, &offered, tier).await?;
        let key = asked.platform_key();
        let question = offered.question(caller, &key);
        let empty = StudentSnapshot::default();
        let snapshot = start.snapshot.as_ref().unwrap_or(&empty);
        let locks = async { Ok(self.locks(&asked, snapshot, &request.question_id).await) };
        let (support, locks) =
            futures_util::try_join!(self.core.exam.view_support(context, &question, kind), locks)?;
        let event = View {
            applying: Applying {
                evidence: self,
                asked: &asked,
                unit_id: &request.unit_id,
                question_id: &request.question_id,
                ruling: &support.ruling,
                locks: &locks,
            },
            tier,
            support: &support,
        };
        let answer = match self.commit(&asked, start, &event).await? {
            Committed::Done(answer) => answer,
            Committed::Stored(answer) => return Ok(answer),
            // No drill is spent here.
            Committed::AlreadyGraded => return Err(crate::error::internal()),
        };
        self.metrics.viewed(
            &asked,
            &request.unit_id,
            &request.question_id,
            kind,
            &answer,
        );
        Ok(answer)
    }
}

/// A look at help as an event.
struct View<'a> {
    applying: Applying<'a>,
    tier: MasteryTier,
    support: &'a Support,
}

impl Event for View<'_> {
    type Answer = RecordSupportViewResponse;

    async fn apply(
        &self,
        snapshot: &StudentSnapshot,
        records: &[QuestionRecord],
    ) -> Result<Draft<RecordSupportViewResponse>, Fault> {
        let applying = &self.applying;
        let effect = applying
            .ruling
            .effect(applying.question_id, records, applying.asked.now);
        let locked = effect.status.state() == QuestionState::Locked;
        let fact = Fact::SupportViewed(SupportViewed {
            question_id: applying.question_id.to_owned(),
            unit_id: applying.unit_id.to_owned(),
            tier: self.tier.into(),
            locked,
            locked_until: effect.status.locked_until,
        });
        let (write, outcome) = applying
            .written(snapshot, records, &effect.status, effect.record, fact)
            .await?;
        Ok(Draft {
            write: Some(write),
            answer: RecordSupportViewResponse {
                text: self.support.text.clone(),
                url: self.support.url.clone(),
                locked,
                locked_until: effect.status.locked_until,
                snapshot_lite: outcome.snapshot_lite,
                buttons: outcome.buttons,
                degraded_reasons: applying
                    .locks
                    .degraded()
                    .into_iter()
                    .map(i32::from)
                    .collect(),
                lock_text: outcome.text,
            },
        })
    }
}
