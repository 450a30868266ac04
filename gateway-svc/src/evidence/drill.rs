//! GradeDrill: mathematics first, a model where it cannot tell or for words, and one grade for each drill that was set.

use std::{borrow::Cow, net::IpAddr};

use bytes::Bytes;
use prost::Message;
use turnwise_kit::{CallContext, Caller, Fault, ids};
use turnwise_prompts::{GradePrompt, MistakeTag};
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{CompleteRequest, Purpose},
    policy::v1::{
        CheckDrillRequest, CheckDrillResponse, DrillGraded, DrillVerdict, ResolveGradeRequest,
        ResolveGradeResponse, apply_evidence_request::Event as Fact,
        resolve_grade_request::Outcome,
    },
    session::v1::{EvidenceStart, QuestionRecord, StudentSnapshot},
    tutor::v1::{DegradedReason, DrillCard, DrillResult, GradeDrillRequest, GradeDrillResponse},
};
use turnwise_redaction::redact_with;

use super::{
    ANSWER_MAX_CHARS, Evidence, clipped,
    report::Graded,
    standing::{Locks, badge},
    store::{Asked, Begun, Committed, Draft, Event, Write, body_hash},
};
use crate::{
    error::internal,
    input::{Unredacted, check_text, said},
    tokens::{DrillClaims, DrillProof, TokenFault},
    turn,
    upstream::Step,
};

/// The most characters of a drill's prompt, and of its exercise.
const CARD_MAX_CHARS: usize = 2_000;

/// A drill and its answer, redacted.
struct Drill<'a> {
    unit_id: &'a str,
    prompt: Cow<'a, str>,
    question_latex: Cow<'a, str>,
    answer: &'a str,
    /// The ready-made drill; empty: none.
    drill_id: &'a str,
    class_id: &'a str,
    address: Option<IpAddr>,
}

/// A drill's grade, and how it came to be.
struct Grade {
    pack_hash: String,
    resolved: ResolveGradeResponse,
    model: String,
    task: String,
    reason: String,
}

impl Evidence {
    /// Grades a drill. `address` is where the answer came from, for limits.
    pub(crate) async fn grade_drill(
        &self,
        context: &CallContext,
        caller: &Caller,
        request: GradeDrillRequest,
        address: Option<IpAddr>,
    ) -> Result<GradeDrillResponse, Fault> {
        let card = check(&request)?;
        let answer = Unredacted::read_answer(request.answer.as_ref(), self.answer_max_chars())?;
        let now = self.kit.clock.now();
        let proof = self.tokens.check_drill(
            now,
            &card.drill_token,
            &DrillClaims {
                tenant: &caller.tenant,
                student_id: &caller.subject,
                thread_id: &request.thread_id,
                course_id: &request.course_id,
                unit_id: &request.unit_id,
                prompt: &card.prompt,
                question_latex: &card.question_latex,
            },
        );
        let asked = Asked {
            context,
            caller,
            thread_id: &request.thread_id,
            course_id: &request.course_id,
            idempotency_key: &request.idempotency_key,
            body_hash: body_hash(
                "GradeDrill",
                &GradeDrillRequest {
                    idempotency_key: String::new(),
                    ..request.clone()
                },
            ),
            drill_nonce: proof
                .as_ref()
                .map_or_else(|_| String::new(), |proof| proof.nonce.clone()),
            now,
        };
        let start = match self.begin(&asked).await? {
            Begun::Stored(answer) => return Ok(answer),
            Begun::Start(start) => start,
        };
        if let Some(verdict) = start.already_graded.clone() {
            return self.graded_before(&asked, &request, start, verdict).await;
        }
        let class_id = start.thread.as_ref().map_or("", |t| t.class_id.as_str());
        let roster = self.rosters.of(context, &caller.tenant, class_id).await?;
        let (answer, _) = answer.redact(&roster);
        // What we set is as it was made; what only claims that may say anything.
        let ours = |text| match proof {
            Ok(_) => Cow::Borrowed(text),
            Err(_) => {
                let clean = redact_with(text, &roster);
                Cow::Owned(clipped(&clean, CARD_MAX_CHARS).to_owned())
            }
        };
        let drill = Drill {
            unit_id: &request.unit_id,
            prompt: ours(card.prompt.as_str()),
            question_latex: ours(card.question_latex.as_str()),
            answer: clipped(said(&answer), ANSWER_MAX_CHARS),
            drill_id: proof.as_ref().map_or("", |proof| proof.drill_id.as_str()),
            class_id,
            address,
        };
        let empty = StudentSnapshot::default();
        let snapshot = start.snapshot.as_ref().unwrap_or(&empty);
        let (grade, locks) =
            futures_util::join!(self.grade(&asked, &drill), self.locks(&asked, snapshot, ""),);
        let grade = grade?;
        self.conclude(&asked, &request, &proof, start, &grade, &locks)
            .await
    }

    /// Writes a grade that counts, and answers.
    async fn conclude(
        &self,
        asked: &Asked<'_>,
        request: &GradeDrillRequest,
        proof: &Result<DrillProof, TokenFault>,
        start: EvidenceStart,
        grade: &Grade,
        locks: &Locks,
    ) -> Result<GradeDrillResponse, Fault> {
        let told = told(grade, proof, locks);
        let event = Grading {
            evidence: self,
            asked,
            unit_id: &request.unit_id,
            grade,
            locks,
            told,
        };
        let counts = grade.resolved.is_evidence && proof.is_ok() && event.fact().is_some();
        let answer = if counts {
            match self.commit(asked, start, &event).await? {
                Committed::Done(answer) => answer,
                Committed::Stored(answer) => return Ok(answer),
                Committed::AlreadyGraded => return self.graded_meanwhile(asked, request).await,
            }
        } else {
            event.uncounted(&start).await?
        };
        self.metrics.graded(&Graded {
            asked,
            unit_id: &request.unit_id,
            pack_hash: &grade.pack_hash,
            answer: &answer,
            resolved: &grade.resolved,
            model: &grade.model,
            task: &grade.task,
            reason: &grade.reason,
            token: proof.as_ref().err().copied(),
        });
        Ok(answer)
    }

    /// Mathematics, then a model unless the answer is right, then the verdict of both.
    async fn grade(&self, asked: &Asked<'_>, drill: &Drill<'_>) -> Result<Grade, Fault> {
        let context = asked.context;
        let mut policy = self.upstreams.policy.clone();
        let request = CheckDrillRequest {
            course_id: asked.course_id.to_owned(),
            pack_hash: String::new(),
            unit_id: drill.unit_id.to_owned(),
            prompt: drill.prompt.to_string(),
            question_latex: drill.question_latex.to_string(),
            answer: drill.answer.to_owned(),
            drill_id: drill.drill_id.to_owned(),
        };
        let checked = policy
            .check_drill(Step::Policy.of(context).request(request))
            .await
            .map_err(|status| Step::Policy.fault(context, &status))?
            .into_inner();
        let check = checked.check.clone().ok_or_else(internal)?;
        let (outcome, model) = if check.verdict() == DrillVerdict::Right {
            (None, String::new())
        } else {
            let (outcome, model) = self.ask_model(asked, drill, &checked).await?;
            (Some(outcome), model)
        };
        let resolved = policy
            .resolve_grade(Step::Policy.of(context).request(ResolveGradeRequest {
                check: Some(check.clone()),
                outcome,
            }))
            .await
            .map_err(|status| Step::Policy.fault(context, &status))?
            .into_inner();
        Ok(Grade {
            pack_hash: check.pack_hash,
            resolved,
            model,
            task: check.task,
            reason: check.reason,
        })
    }

    /// The one call of a model.
    async fn ask_model(
        &self,
        asked: &Asked<'_>,
        drill: &Drill<'_>,
        checked: &CheckDrillResponse,
    ) -> Result<(Outcome, String), Fault> {
        let tags: Vec<_> = checked
            .mistake_tags
            .iter()
            .map(|tag| MistakeTag {
                tag: &tag.tag,
                meaning: &tag.meaning,
            })
            .collect();
        let verdict = match checked.check.as_ref().map(|check| check.verdict()) {
            Some(DrillVerdict::Right) => Some(true),
            Some(DrillVerdict::Wrong) => Some(false),
            _ => None,
        };
        let prompt = self
            .sheets
            .current()
            .grade(
                &checked.locale,
                &GradePrompt {
                    unit_title: &checked.unit_title,
                    prompt: &drill.prompt,
                    question_latex: &drill.question_latex,
                    answer: drill.answer,
                    verdict,
                    mistake_tags: &tags,
                    key: Some(checked.key.as_str()).filter(|key| !key.is_empty()),
                },
                self.prompt_max_tokens,
            )
            .map_err(|error| {
                tracing::error!(%error, "a prompt sheet cannot be filled in");
                internal()
            })?;
        let completed = turn::complete(
            &self.upstreams,
            &asked.context.keeping_back(self.reply_reserve),
            Purpose::Grade,
            &turn::Progress::default(),
            CompleteRequest {
                messages: prompt.messages,
                json_schema: checked.grade_schema.clone(),
                class_id: drill.class_id.to_owned(),
                thread_id: asked.thread_id.to_owned(),
                client_address: drill
                    .address
                    .map_or_else(String::new, |address| address.to_string()),
                ..CompleteRequest::default()
            },
        )
        .await;
        let outcome = match completed.call.failure() {
            DegradedReason::Unspecified => Outcome::Completion(completed.completion),
            reason => Outcome::Failure(reason.into()),
        };
        Ok((outcome, completed.call.model))
    }

    /// The nonce was spent while this answer was judged: the first verdict holds.
    async fn graded_meanwhile(
        &self,
        asked: &Asked<'_>,
        request: &GradeDrillRequest,
    ) -> Result<GradeDrillResponse, Fault> {
        let start = match self.begin(asked).await? {
            Begun::Stored(answer) => return Ok(answer),
            Begun::Start(start) => start,
        };
        let verdict = start.already_graded.clone().ok_or_else(internal)?;
        self.graded_before(asked, request, start, verdict).await
    }

    /// The first verdict of a drill whose nonce is spent. Nothing is counted, and no model is asked.
    async fn graded_before(
        &self,
        asked: &Asked<'_>,
        request: &GradeDrillRequest,
        start: EvidenceStart,
        verdict: Bytes,
    ) -> Result<GradeDrillResponse, Fault> {
        let first = GradeDrillResponse::decode(verdict).map_err(|_| {
            Fault::new(
                ErrorReason::RecordCorrupted,
                "the first verdict on this drill cannot be read; ask for another drill",
            )
            .meta("record", "nonce")
        })?;
        let empty = StudentSnapshot::default();
        let snapshot = start.snapshot.as_ref().unwrap_or(&empty);
        let locks = self.locks(asked, snapshot, "").await;
        let grade = Grade {
            pack_hash: String::new(),
            resolved: ResolveGradeResponse {
                verdict: match first.result() {
                    DrillResult::Correct => DrillVerdict::Right.into(),
                    DrillResult::Incorrect => DrillVerdict::Wrong.into(),
                    DrillResult::Unspecified => DrillVerdict::CannotTell.into(),
                },
                graded_by: first.graded_by,
                mistake_tag: first.common_mistake_tag.clone(),
                ..ResolveGradeResponse::default()
            },
            model: String::new(),
            task: String::new(),
            reason: String::new(),
        };
        let event = Grading {
            evidence: self,
            asked,
            unit_id: &request.unit_id,
            grade: &grade,
            locks: &locks,
            told: GradeDrillResponse {
                evidence_recorded: false,
                notices: vec![ErrorReason::DrillAlreadyGraded.into()],
                degraded_reasons: locks.degraded().into_iter().map(i32::from).collect(),
                ..first
            },
        };
        let answer = event.uncounted(&start).await?;
        self.metrics.graded_again(asked, &request.unit_id, &answer);
        Ok(answer)
    }
}

/// Checks a request, and hands out its card.
fn check(request: &GradeDrillRequest) -> Result<&DrillCard, Fault> {
    ids::check("thread_id", &request.thread_id)?;
    ids::check("course_id", &request.course_id)?;
    ids::check("unit_id", &request.unit_id)?;
    ids::check_key("idempotency_key", &request.idempotency_key)?;
    let card = request
        .drill
        .as_ref()
        .ok_or_else(|| Fault::invalid("drill", "is required: the card's drill, as it came"))?;
    if card.prompt.is_empty() && card.question_latex.is_empty() {
        return Err(Fault::invalid(
            "drill",
            "must have a prompt or an exercise: the card's, as it came",
        ));
    }
    check_text("drill.prompt", &card.prompt, CARD_MAX_CHARS)?;
    check_text("drill.question_latex", &card.question_latex, CARD_MAX_CHARS)?;
    Ok(card)
}

/// The answer as far as it does not depend on the record.
fn told(
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
struct Grading<'a> {
    evidence: &'a Evidence,
    asked: &'a Asked<'a>,
    unit_id: &'a str,
    grade: &'a Grade,
    locks: &'a Locks,
    told: GradeDrillResponse,
}

impl Grading<'_> {
    /// What the policy is told; `None` for a drill that could not be checked, which is no event.
    fn fact(&self) -> Option<Fact> {
        let correct = match self.grade.resolved.verdict() {
            DrillVerdict::Right => true,
            DrillVerdict::Wrong => false,
            DrillVerdict::CannotTell | DrillVerdict::Unspecified => return None,
        };
        Some(Fact::DrillGraded(DrillGraded {
            unit_id: self.unit_id.to_owned(),
            correct,
            mistake_tag: self.grade.resolved.mistake_tag.clone(),
        }))
    }

    /// The answer where nothing is counted. What may be pressed with a verdict is the policy's word on the same event,
    /// whose evidence is thrown away; a drill that could not be checked keeps its card's buttons.
    async fn uncounted(&self, start: &EvidenceStart) -> Result<GradeDrillResponse, Fault> {
        let empty = StudentSnapshot::default();
        let snapshot = start.snapshot.as_ref().unwrap_or(&empty);
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
        let standing = self.evidence.standing(
            self.asked,
            snapshot,
            &start.question_records,
            self.locks,
            None,
            None,
        );
        let (buttons, snapshot_lite) = futures_util::try_join!(buttons, standing)?;
        Ok(GradeDrillResponse {
            snapshot_lite,
            buttons,
            mastery_tier: badge(snapshot, self.unit_id).into(),
            ..self.told.clone()
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
        let fact = self.fact().ok_or_else(internal)?;
        let applied = self
            .evidence
            .applied(self.asked, &self.grade.pack_hash, snapshot, fact)
            .await?;
        let evidence = applied.evidence.unwrap_or_default();
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
        let verdict = GradeDrillResponse {
            result: self.told.result,
            common_mistake_tag: self.told.common_mistake_tag.clone(),
            graded_by: self.told.graded_by,
            evidence_recorded: true,
            ..GradeDrillResponse::default()
        };
        Ok(Draft {
            write: Some(Write {
                evidence,
                question_records: Vec::new(),
                drill_verdict: verdict.encode_to_vec(),
            }),
            answer: GradeDrillResponse {
                evidence_recorded: true,
                snapshot_lite,
                buttons: applied.buttons,
                mastery_tier: applied.tier_after,
                needs_review: applied.needs_review,
                ..self.told.clone()
            },
        })
    }
}
