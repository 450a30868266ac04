//! A drill's grade as an event, and what is answered where it is none.

use prost::Message;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    policy::v1::{DrillGraded, DrillVerdict, apply_evidence_request::Event as Fact},
    session::v1::{self as session, DrillActivity, QuestionRecord, StudentSnapshot},
    tutor::v1::{DegradedReason, DrillResult, GradeDrillResponse},
};

use super::{
    Evidence,
    judge::Grade,
    standing::{Locks, badge},
    store::{Draft, Event, EvidenceRequest, Write},
};
use crate::{
    error::internal,
    tokens::{DrillProof, TokenFault},
    upstream::Step,
};

/// The answer as far as it does not depend on the record.
pub(super) fn response(
    grade: &Grade,
    proof: &Result<DrillProof, TokenFault>,
    locks: &Locks,
) -> GradeDrillResponse {
    let resolved = &grade.resolved;
    let result = match resolved.verdict() {
        DrillVerdict::Right => DrillResult::Correct,
        DrillVerdict::Wrong => DrillResult::Incorrect,
        DrillVerdict::CannotTell | DrillVerdict::Unspecified => DrillResult::Unspecified,
    };
    let fallback =
        Some(resolved.fallback_reason()).filter(|reason| *reason != DegradedReason::Unspecified);
    GradeDrillResponse {
        result: result.into(),
        feedback_text: resolved.feedback_text.clone(),
        common_mistake_tag: resolved.mistake_tag.clone(),
        graded_by: resolved.graded_by,
        notices: proof
            .is_err()
            .then_some(ErrorReason::DrillTokenInvalid.into())
            .into_iter()
            .collect(),
        degraded_reasons: fallback
            .into_iter()
            .chain(locks.degraded())
            .map(i32::from)
            .collect(),
        ..GradeDrillResponse::default()
    }
}

/// A grade as an event.
pub(super) struct Grading<'a> {
    pub(super) evidence: &'a Evidence,
    pub(super) asked: &'a EvidenceRequest<'a>,
    pub(super) unit_id: &'a str,
    pub(super) class_id: String,
    pub(super) grade: &'a Grade,
    pub(super) locks: &'a Locks,
    pub(super) response: GradeDrillResponse,
    /// Whether the verdict is evidence. One that is not is kept with the thread alone: the card is answered.
    pub(super) counts: bool,
}

impl Grading<'_> {
    /// What the policy is told; `None` for a drill that could not be checked, which is no event.
    pub(super) fn fact(&self) -> Option<Fact> {
        let correct = match self.grade.resolved.verdict() {
            DrillVerdict::Right => true,
            DrillVerdict::Wrong => false,
            DrillVerdict::CannotTell | DrillVerdict::Unspecified => return None,
        };
        Some(Fact::DrillGraded(DrillGraded {
            unit_id: self.unit_id.to_owned(),
            correct,
            mistake_tag: self.grade.resolved.mistake_tag.clone(),
            exercise: self.grade.exercise,
        }))
    }

    /// What is written where nothing counts: the thread keeps how it went.
    fn kept(&self, evidence: session::Evidence) -> Write {
        Write {
            evidence,
            question_records: Vec::new(),
            drill_verdict: Vec::new(),
            drill: None,
            graded: self.grade.told.clone(),
        }
    }

    /// The answer where nothing is counted. What may be pressed with a verdict is the policy's word on the same event,
    /// whose evidence is thrown away; a drill that could not be checked keeps its card's buttons.
    pub(super) async fn uncounted(
        &self,
        snapshot: &StudentSnapshot,
        records: &[QuestionRecord],
    ) -> Result<GradeDrillResponse, Fault> {
        let buttons = async {
            match self.fact() {
                Some(fact) => {
                    let applied =
                        self.evidence
                            .applied(self.asked, &self.grade.pack_hash, snapshot, fact);
                    Ok(applied.await?.buttons)
                }
                None => Ok(Vec::new()),
            }
        };
        let standing = self
            .evidence
            .standing(self.asked, snapshot, records, self.locks, None, None);
        let (buttons, snapshot_lite) = futures_util::try_join!(buttons, standing)?;
        Ok(GradeDrillResponse {
            snapshot_lite,
            buttons,
            mastery_tier: badge(snapshot, self.unit_id).into(),
            ..self.response.clone()
        })
    }
}

impl Event for Grading<'_> {
    type Answer = GradeDrillResponse;

    async fn apply(
        &self,
        snapshot: &StudentSnapshot,
        records: &[QuestionRecord],
    ) -> Result<Draft<GradeDrillResponse>, Fault> {
        if !self.counts {
            return Ok(Draft {
                write: Some(self.kept(snapshot.evidence.clone().unwrap_or_default())),
                answer: self.uncounted(snapshot, records).await?,
            });
        }
        let fact = self.fact().ok_or_else(internal)?;
        let applied = self
            .evidence
            .applied(self.asked, &self.grade.pack_hash, snapshot, fact)
            .await?;
        let evidence = applied.evidence.ok_or_else(|| Step::Policy.malformed())?;
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
                None,
                applied.standing,
            )
            .await?;
        if applied.exercise_repeated {
            // The same exercise counted before: nothing counts, no nonce is spent, and the thread keeps how it went.
            let mut answer = GradeDrillResponse {
                snapshot_lite,
                buttons: applied.buttons,
                mastery_tier: applied.tier_after,
                needs_review: applied.needs_review,
                ..self.response.clone()
            };
            answer.notices.push(ErrorReason::ExerciseRepeated.into());
            return Ok(Draft {
                write: Some(self.kept(evidence)),
                answer,
            });
        }
        let verdict = GradeDrillResponse {
            result: self.response.result,
            common_mistake_tag: self.response.common_mistake_tag.clone(),
            graded_by: self.response.graded_by,
            evidence_recorded: true,
            ..GradeDrillResponse::default()
        };
        Ok(Draft {
            write: Some(Write {
                evidence,
                question_records: Vec::new(),
                drill_verdict: verdict.encode_to_vec(),
                drill: Some(DrillActivity {
                    class_id: self.class_id.clone(),
                    unit_id: self.unit_id.to_owned(),
                    correct: self.response.result() == DrillResult::Correct,
                    mistake_tag: self.response.common_mistake_tag.clone(),
                }),
                graded: self.grade.told.clone(),
            }),
            answer: GradeDrillResponse {
                evidence_recorded: true,
                snapshot_lite,
                buttons: applied.buttons,
                mastery_tier: applied.tier_after,
                needs_review: applied.needs_review,
                ..self.response.clone()
            },
        })
    }
}
