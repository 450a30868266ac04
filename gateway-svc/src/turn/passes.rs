//! A pass that only the platform knows becomes evidence: one from before the suite was adopted, or one whose answer got
//! lost. Once, whichever turn and whichever gateway sees it first.

use sha2::{Digest, Sha256};
use turnwise_kit::{Fault, time};
use turnwise_proto::{
    exam::v1::{QuestionState, QuestionStatus},
    explain::v1::TurnFacts,
    policy::v1::{ApplyEvidenceRequest, ExamResult, Plan, apply_evidence_request::Event},
    session::v1::{
        CommitEvidenceRequest, Evidence, StudentSnapshot, commit_evidence_response::Outcome,
    },
};

use crate::{
    conversation::{Core, Request, body_hash, send_once_more},
    standing::knows_pass,
    upstream::Step,
};

/// How often a pass is applied at the most, while others write first.
const MOST_TRIES: usize = 4;
/// The most passes that one turn writes; the next turn goes on.
const MOST_PASSES: usize = 4;

/// Writes the passes of the focus that the record does not know. Returns the record where something was written. What
/// cannot be written now is seen again in another turn.
pub(super) async fn credit(
    core: &Core,
    request: &Request<'_>,
    facts: &TurnFacts,
    plan: &Plan,
    statuses: &[QuestionStatus],
) -> Option<StudentSnapshot> {
    // The built-in system's passes are written with the evidence.
    if !core.exam.needs_call() {
        return None;
    }
    let unknown = unknown(facts.snapshot.as_ref()?, plan, statuses);
    if unknown.is_empty() {
        return None;
    }
    let mut snapshot = facts.snapshot.clone()?;
    let mut is_written = false;
    for question_id in unknown {
        let crediting = Crediting {
            core,
            request,
            plan,
        };
        match crediting.one(question_id, &snapshot).await {
            Ok(Some(written)) => {
                tracing::info!(
                    question_id,
                    "a pass that only the platform knew is evidence"
                );
                snapshot = written;
                is_written = true;
            }
            Ok(None) => {}
            Err(fault) => {
                tracing::warn!(
                    question_id,
                    reason = fault.reason().wire_name(),
                    "a platform's pass is not written; the next turn tries again"
                );
            }
        }
    }
    is_written.then_some(snapshot)
}

/// The passes that the record does not know, as far as they may be of the focus. Those that wait at another unit are
/// left to a turn there.
fn unknown<'a>(
    snapshot: &StudentSnapshot,
    plan: &Plan,
    statuses: &'a [QuestionStatus],
) -> Vec<&'a str> {
    let waits_elsewhere = |question_id: &str| {
        let mut queue = snapshot
            .evidence
            .iter()
            .flat_map(|evidence| &evidence.revisit_queue);
        queue.any(|entry| entry.question_id == question_id && entry.unit_id != plan.focus_unit_id)
    };
    let of_focus = |question_id: &str| {
        let mut ids = plan.focus_revisit_question_ids.iter();
        ids.any(|id| id == question_id)
    };
    statuses
        .iter()
        .filter(|status| status.state() == QuestionState::Passed)
        .map(|status| status.question_id.as_str())
        .filter(|id| !knows_pass(snapshot, id))
        .filter(|id| of_focus(id) || !waits_elsewhere(id))
        .take(MOST_PASSES)
        .collect()
}

struct Crediting<'a> {
    core: &'a Core,
    request: &'a Request<'a>,
    plan: &'a Plan,
}

impl Crediting<'_> {
    /// Writes one pass, if the question tests the focus; the record after it. `None`: there is nothing to write, or another
    /// turn wrote it.
    async fn one(
        &self,
        question_id: &str,
        before: &StudentSnapshot,
    ) -> Result<Option<StudentSnapshot>, Fault> {
        let Some(fact) = self.fact(question_id).await? else {
            return Ok(None);
        };
        let mut snapshot = before.clone();
        for _ in 0..MOST_TRIES {
            if knows_pass(&snapshot, question_id) {
                return Ok(None);
            }
            let evidence = self.apply(&snapshot, &fact).await?;
            let commit = CommitEvidenceRequest {
                student_id: self.request.caller.subject.clone(),
                course_id: self.plan.course_id.clone(),
                expected_version: snapshot.evidence_version,
                evidence: Some(evidence.clone()),
                idempotency_key: self.key(question_id),
                body_hash: body_hash("PlatformPass", &fact),
                ..CommitEvidenceRequest::default()
            };
            let committed = send_once_more(self.request.context, commit, |commit| {
                let mut session = self.core.upstreams.session.clone();
                async move { session.commit_evidence(commit).await }
            })
            .await?;
            match committed.outcome {
                Some(Outcome::CommittedVersion(evidence_version)) => {
                    return Ok(Some(StudentSnapshot {
                        evidence: Some(evidence),
                        evidence_version,
                        evidence_size: 0,
                        ..snapshot
                    }));
                }
                Some(Outcome::Conflict(current)) => {
                    snapshot = StudentSnapshot {
                        class_placement: snapshot.class_placement,
                        ..current
                    };
                }
                Some(Outcome::StoredAnswer(_) | Outcome::AlreadyGraded(_)) => return Ok(None),
                None => return Err(Step::Session.malformed()),
            }
        }
        // Others keep writing: the next turn sees it again.
        Ok(None)
    }

    /// The pass as a fact, with the question's own tier.
    async fn fact(&self, question_id: &str) -> Result<Option<ExamResult>, Fault> {
        let (course_id, pack_hash) = (&self.plan.course_id, &self.plan.pack_hash);
        let known = self
            .core
            .upstreams
            .exam_question(self.request.context, course_id, pack_hash, question_id)
            .await?;
        let focus = &self.plan.focus_unit_id;
        let card = known.card.filter(|_| known.unit_ids.contains(focus));
        Ok(card.map(|card| ExamResult {
            question_id: question_id.to_owned(),
            unit_id: focus.clone(),
            tier: card.tier,
            passed: true,
            locked_until: None,
        }))
    }

    async fn apply(
        &self,
        snapshot: &StudentSnapshot,
        fact: &ExamResult,
    ) -> Result<Evidence, Fault> {
        let step = Step::Policy.of(self.request.context);
        self.core
            .upstreams
            .policy
            .clone()
            .apply_evidence(step.request(ApplyEvidenceRequest {
                course_id: self.plan.course_id.clone(),
                pack_hash: self.plan.pack_hash.clone(),
                snapshot: Some(snapshot.clone()),
                now: Some(time::to_proto(self.core.kit.clock.now())),
                event: Some(Event::ExamResult(fact.clone())),
            }))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner()
            .evidence
            .ok_or_else(|| Step::Policy.malformed())
    }

    /// The same for each turn and each gateway that sees this pass of this student.
    fn key(&self, question_id: &str) -> String {
        let mut hash = Sha256::new();
        let caller = self.request.caller;
        for part in [
            caller.tenant.as_str(),
            caller.subject.as_str(),
            self.plan.course_id.as_str(),
            question_id,
        ] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        format!("platform-pass-{}", hex::encode(hash.finalize()))
    }
}
