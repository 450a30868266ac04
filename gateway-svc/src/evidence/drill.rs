//! GradeDrill: mathematics first, a model where it cannot tell or for words, and one grade for each drill that was set.

use std::{net::IpAddr, pin::pin};

use bytes::Bytes;
use futures_util::future::maybe_done;
use prost::Message;
use turnwise_kit::{CallContext, Caller, CancellationToken, Fault, ids};
use turnwise_proto::{
    common::v1::ErrorReason,
    policy::v1::{DrillVerdict, KnownTexts, ResolveGradeResponse},
    session::v1::{EvidenceStart, GradedDrill, StudentSnapshot, ThreadKind},
    tutor::v1::{DrillCard, DrillResult, GradeDrillRequest, GradeDrillResponse},
};

use super::{
    ANSWER_MAX_CHARS, Evidence, clipped,
    grading::{Grading, response},
    judge::{Drill, Grade},
    report::Graded,
    standing::Locks,
    store::{Committed, EvidenceRequest},
};
use crate::{
    conversation::{
        Begun, Request,
        guards::{Screened, class_id},
        request_hash,
    },
    error::internal,
    input::{Unredacted, check_text, said},
    tokens::{DrillClaims, DrillProof, TokenFault},
    turn::beside,
};

/// The most characters of a drill's prompt, and of its exercise.
const CARD_MAX_CHARS: usize = 2_000;

/// The most characters of what the tutor said last.
const SAID_MAX_CHARS: usize = 8_000;

/// How many drills of a thread were wrong in a row up to the latest, whether they counted or not.
fn wrong_before(latest: Option<&GradedDrill>) -> i32 {
    latest
        .filter(|graded| graded.result() == DrillResult::Incorrect)
        .map_or(0, |graded| graded.wrong_before.saturating_add(1))
}

impl Evidence {
    /// Grades a drill. `address` is where the answer came from, for limits; `disconnected` is cancelled when nobody waits
    /// any more.
    pub(crate) async fn grade_drill(
        &self,
        context: &CallContext,
        caller: &Caller,
        request: GradeDrillRequest,
        address: Option<IpAddr>,
        disconnected: &CancellationToken,
    ) -> Result<GradeDrillResponse, Fault> {
        let card = check(&request)?;
        let answer = Unredacted::read_answer(request.answer.as_ref(), self.answer_max_chars())?;
        let now = self.core.kit.clock.now();
        let proof = self.core.tokens.check_drill(
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
        let asked = EvidenceRequest {
            request: Request {
                context,
                caller,
                address,
                kind: ThreadKind::Tutor,
                thread_id: &request.thread_id,
                course_id: &request.course_id,
                idempotency_key: &request.idempotency_key,
                body_hash: request_hash("GradeDrill", request.clone(), |r| &mut r.idempotency_key),
            },
            drill_nonce: proof
                .as_ref()
                .map_or_else(|_| String::new(), |proof| proof.nonce.clone()),
            now,
        };
        // A verdict on a text that was not set here would tell the answers of exams.
        let is_ours = matches!(proof, Ok(_) | Err(TokenFault::Expired));
        let known = async {
            let units = [request.unit_id.clone()];
            let course_id = &request.course_id;
            match is_ours {
                true => {
                    let known = self.core.known_texts_of(context, course_id, "", &units);
                    self.core.with_runs(known.await)
                }
                false => KnownTexts::default(),
            }
        };
        // A platform's questions are read meanwhile.
        let mut known = pin!(maybe_done(known));
        let start = match beside(known.as_mut(), pin!(self.begin(&asked))).await? {
            Begun::Stored(answer) => return Ok(answer),
            Begun::Start(start) => start,
        };
        let thread = start.thread.as_ref();
        let roster = beside(
            known.as_mut(),
            pin!(self.core.roster(&asked.request, thread)),
        )
        .await?;
        let Screened { input, hit, .. } = self.core.screen(answer, &roster, &[]);
        // What only claims to be a card of ours is what somebody wrote.
        let claimed = || self.core.met([card.prompt.as_str(), &card.question_latex]);
        if let Some(hit) = hit.or_else(|| proof.is_err().then(claimed).flatten())
            && let Some(guarded) = self.guarded(&asked, &request.unit_id, &start, &hit).await?
        {
            return Ok(guarded.into());
        }
        if let Some(verdict) = start.already_graded.clone() {
            return self.graded_before(&asked, &request, start, verdict).await;
        }
        let drill = Drill {
            unit_id: &request.unit_id,
            prompt: &card.prompt,
            question_latex: &card.question_latex,
            card_token: &card.drill_token,
            answer: clipped(said(&input), ANSWER_MAX_CHARS),
            drill_id: proof.as_ref().map_or("", |proof| proof.drill_id.as_str()),
            class_id: class_id(thread),
            model_off: self
                .core
                .is_model_off(start.class_policy.unwrap_or_default()),
            wrong_before: wrong_before(start.graded.as_deref()),
            tutor_said: clipped(&start.said, SAID_MAX_CHARS),
            disconnected,
        };
        let empty = StudentSnapshot::default();
        let snapshot = start.snapshot.as_ref().unwrap_or(&empty);
        let locks = async { Ok(self.locks(&asked, snapshot, "").await) };
        let grade = async {
            if is_ours {
                known.as_mut().await;
                let known = known.as_mut().take_output().unwrap_or_default();
                self.grade(&asked, &drill, known).await
            } else {
                let locale = self.core.course_locales.of(asked.request.course_id);
                Ok(Grade::not_ours(&locale))
            }
        };
        let (grade, locks) = futures_util::try_join!(grade, locks)?;
        self.conclude(&asked, &request, &proof, start, &grade, &locks)
            .await
    }

    /// Writes a verdict, whether it counts or not, and answers.
    async fn conclude(
        &self,
        asked: &EvidenceRequest<'_>,
        request: &GradeDrillRequest,
        proof: &Result<DrillProof, TokenFault>,
        start: Box<EvidenceStart>,
        grade: &Grade,
        locks: &Locks,
    ) -> Result<GradeDrillResponse, Fault> {
        let response = response(grade, proof, locks);
        let event = Grading {
            evidence: self,
            asked,
            unit_id: &request.unit_id,
            class_id: class_id(start.thread.as_ref()).to_owned(),
            grade,
            locks,
            response,
            counts: grade.resolved.is_evidence && proof.is_ok(),
        };
        let answer = if event.fact().is_some() {
            match self.commit(asked, start, &event).await? {
                Committed::Done(answer) => answer,
                Committed::Stored(answer) => return Ok(answer),
                Committed::AlreadyGraded => return self.graded_meanwhile(asked, request).await,
            }
        } else {
            let (empty, records) = (StudentSnapshot::default(), &start.question_records);
            let snapshot = start.snapshot.as_ref().unwrap_or(&empty);
            event.uncounted(snapshot, records).await?
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

    /// The nonce was spent while this answer was judged: the first verdict holds.
    async fn graded_meanwhile(
        &self,
        asked: &EvidenceRequest<'_>,
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
        asked: &EvidenceRequest<'_>,
        request: &GradeDrillRequest,
        start: Box<EvidenceStart>,
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
            ..Grade::default()
        };
        let event = Grading {
            evidence: self,
            asked,
            unit_id: &request.unit_id,
            class_id: class_id(start.thread.as_ref()).to_owned(),
            grade: &grade,
            locks: &locks,
            response: GradeDrillResponse {
                evidence_recorded: false,
                notices: vec![ErrorReason::DrillAlreadyGraded.into()],
                degraded_reasons: locks.degraded().into_iter().map(i32::from).collect(),
                ..first
            },
            counts: false,
        };
        let answer = event.uncounted(snapshot, &start.question_records).await?;
        self.metrics.graded_again(asked, &request.unit_id, &answer);
        Ok(answer)
    }
}

/// Checks a request, and hands out its card.
fn check(request: &GradeDrillRequest) -> Result<&DrillCard, Fault> {
    ids::check("unit_id", &request.unit_id)?;
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
