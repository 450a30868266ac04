//! An exam question that was offered: the token that proves it, and the ruling on it as an event.

use bytes::Bytes;
use jiff::Timestamp;
use turnwise_kit::{CallContext, Caller, Fault, ids};
use turnwise_proto::{
    exam::v1::{QuestionState, QuestionStatus},
    policy::v1::{ApplyEvidenceResponse, apply_evidence_request::Event as Fact},
    session::v1::{QuestionRecord, StudentSnapshot},
    tutor::v1::{Button, MasteryTier, SnapshotLite},
};

use super::{
    Evidence,
    standing::{Locks, badge},
    store::{EvidenceRequest, Write},
};
use crate::{
    exam::{Question, Ruling},
    tokens::{OfferClaims, TokenFault},
    upstream::Step,
};

/// The tiers of questions.
const TIERS: [MasteryTier; 3] = [MasteryTier::Bronze, MasteryTier::Silver, MasteryTier::Gold];

/// A question as a request names it.
#[derive(Clone, Copy)]
pub(super) struct Offered<'a> {
    pub(super) thread_id: &'a str,
    pub(super) course_id: &'a str,
    pub(super) unit_id: &'a str,
    pub(super) question_id: &'a str,
    /// Absent where the request does not say: the token does.
    pub(super) tier: Option<MasteryTier>,
    pub(super) token: &'a str,
}

/// What people see after a ruling.
pub(super) struct Outcome {
    pub(super) snapshot_lite: Option<SnapshotLite>,
    pub(super) buttons: Vec<Button>,
    pub(super) tier_before: i32,
    pub(super) tier_after: i32,
    pub(super) text: String,
}

/// A ruling of the exam system on a question, as it is applied to records.
pub(super) struct Applying<'a> {
    pub(super) evidence: &'a Evidence,
    pub(super) asked: &'a EvidenceRequest<'a>,
    pub(super) unit_id: &'a str,
    pub(super) question_id: &'a str,
    pub(super) ruling: &'a Ruling,
    pub(super) locks: &'a Locks,
}

impl<'a> Offered<'a> {
    /// The request as the store knows it. No drill is spent by it.
    pub(super) fn asked(
        &self,
        context: &'a CallContext,
        caller: &'a Caller,
        idempotency_key: &'a str,
        body_hash: Bytes,
        now: Timestamp,
    ) -> EvidenceRequest<'a> {
        let thread = (self.thread_id, self.course_id);
        EvidenceRequest::of_tutor(context, caller, thread, idempotency_key, body_hash, now)
    }

    /// The question as the exam system is asked about it.
    pub(super) fn question(&self, caller: &'a Caller, idempotency_key: &'a str) -> Question<'a> {
        Question {
            student_id: &caller.subject,
            course_id: self.course_id,
            unit_id: self.unit_id,
            question_id: self.question_id,
            idempotency_key,
        }
    }

    /// Checks the fields that name the question.
    pub(super) fn check_fields(&self) -> Result<(), Fault> {
        ids::check("thread_id", self.thread_id)?;
        ids::check("course_id", self.course_id)?;
        ids::check("unit_id", self.unit_id)?;
        ids::check("question_id", self.question_id)?;
        if self.tier.is_some_and(|tier| !TIERS.contains(&tier)) {
            return Err(Fault::invalid("tier", "must be bronze, silver or gold"));
        }
        Ok(())
    }
}

impl Evidence {
    /// Checks that a question was offered. Returns its tier. A request that was answered before needs no token any more:
    /// it is looked up first.
    pub(super) fn check_offered(
        &self,
        caller: &Caller,
        now: Timestamp,
        offered: &Offered<'_>,
    ) -> Result<MasteryTier, Fault> {
        let asked = match offered.tier {
            Some(tier) => vec![tier],
            None => TIERS.to_vec(),
        };
        let mut refused = TokenFault::Missing;
        for tier in asked {
            let claims = OfferClaims {
                tenant: &caller.tenant,
                student_id: &caller.subject,
                thread_id: offered.thread_id,
                course_id: offered.course_id,
                unit_id: offered.unit_id,
                question_id: offered.question_id,
                tier,
            };
            match self.core.tokens.check_offer(now, offered.token, &claims) {
                Ok(()) => return Ok(tier),
                // Only with the right tier does a token say that it is too old.
                Err(_) if refused == TokenFault::Expired => {}
                Err(fault) => refused = fault,
            }
        }
        self.metrics.offer_refused(refused);
        Err(refused.into())
    }

    /// Whether the catalogue still has the question as it was offered: what a platform has recorded cannot be taken back,
    /// so it is asked before.
    pub(super) async fn check_catalogue(
        &self,
        asked: &EvidenceRequest<'_>,
        offered: &Offered<'_>,
        tier: MasteryTier,
    ) -> Result<(), Fault> {
        if !self.core.exam.needs_call() {
            return Ok(());
        }
        let context = asked.request.context;
        let known = self
            .core
            .upstreams
            .exam_question(context, offered.course_id, "", offered.question_id)
            .await?;
        check_belongs(
            &known.unit_ids,
            known
                .card
                .map_or(MasteryTier::Unspecified, |card| card.tier()),
            offered.unit_id,
            tier,
        )
    }
}

impl Applying<'_> {
    /// Applies a fact and says what people see then. `written` is what goes into the built-in system's records.
    pub(super) async fn written(
        &self,
        snapshot: &StudentSnapshot,
        records: &[QuestionRecord],
        status: &QuestionStatus,
        written: Option<QuestionRecord>,
        fact: Fact,
    ) -> Result<(Write, Outcome), Fault> {
        let ApplyEvidenceResponse {
            evidence,
            tier_before,
            tier_after,
            standing,
            buttons,
            text,
            ..
        } = self
            .evidence
            .applied(self.asked, "", snapshot, fact)
            .await?;
        let evidence = evidence.ok_or_else(|| Step::Policy.malformed())?;
        let after = StudentSnapshot {
            evidence: Some(evidence.clone()),
            ..snapshot.clone()
        };
        let snapshot_lite = self
            .evidence
            .standing(
                self.asked,
                &after,
                records,
                self.locks,
                Some(status),
                standing,
            )
            .await?;
        Ok((
            Write {
                evidence,
                question_records: written.into_iter().collect(),
                drill_verdict: Vec::new(),
                drill: None,
                graded: None,
            },
            Outcome {
                snapshot_lite,
                buttons,
                tier_before,
                tier_after,
                text,
            },
        ))
    }

    /// What people see where nothing is written. Buttons and text are the policy's word on the same fact, whose evidence
    /// is thrown away.
    pub(super) async fn unwritten(
        &self,
        snapshot: &StudentSnapshot,
        records: &[QuestionRecord],
        status: &QuestionStatus,
        fact: Fact,
    ) -> Result<Outcome, Fault> {
        let applied = self.evidence.applied(self.asked, "", snapshot, fact);
        let standing = self.evidence.standing(
            self.asked,
            snapshot,
            records,
            self.locks,
            Some(status),
            None,
        );
        let (applied, snapshot_lite) = futures_util::try_join!(applied, standing)?;
        let tier = badge(snapshot, self.unit_id).into();
        Ok(Outcome {
            snapshot_lite,
            buttons: applied.buttons,
            tier_before: tier,
            tier_after: tier,
            text: applied.text,
        })
    }
}

/// Refuses a unit that a question does not test, or another tier than its own.
pub(super) fn check_belongs(
    unit_ids: &[String],
    own_tier: MasteryTier,
    unit_id: &str,
    tier: MasteryTier,
) -> Result<(), Fault> {
    if !unit_ids.iter().any(|unit| unit == unit_id) {
        return Err(Fault::invalid(
            "unit_id",
            "must be a unit that the question tests",
        ));
    }
    if own_tier != tier {
        return Err(Fault::invalid("tier", "must be the question's own"));
    }
    Ok(())
}

/// Whether a status says that the question was passed.
pub(super) fn is_passed(status: &QuestionStatus) -> bool {
    status.state() == QuestionState::Passed
}
