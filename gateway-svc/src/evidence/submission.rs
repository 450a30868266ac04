//! SubmitExamAnswer: the exam system judges, its word is the evidence, and one answer counts.

use turnwise_kit::{CallContext, Caller, Fault, ids};
use turnwise_proto::{
    classes::v1::ExamUse,
    common::v1::ErrorReason,
    exam::v1::{QuestionState, QuestionStatus},
    policy::v1::{ExamResult as ExamFact, apply_evidence_request::Event as Fact},
    session::v1::{EvidenceStart, QuestionRecord, StudentSnapshot},
    tutor::v1::{
        ExamResult, MasteryTier, SubmitExamAnswerRequest, SubmitExamAnswerResponse,
        submit_exam_answer_request::Answer,
    },
};
use turnwise_redaction::redact_with;

use super::{
    ANSWER_MAX_CHARS, Evidence, clipped,
    offered::{Applying, Offered, Outcome, is_passed},
    store::{Committed, Draft, Event},
};
use crate::{
    conversation::{Begun, guards::class_id, request_hash},
    exam::{Effect, Ruling},
    input::check_text,
    standing::knows_pass,
};

impl Evidence {
    /// Submits an answer to an exam question.
    pub(crate) async fn submit_exam_answer(
        &self,
        context: &CallContext,
        caller: &Caller,
        request: SubmitExamAnswerRequest,
    ) -> Result<SubmitExamAnswerResponse, Fault> {
        let now = self.core.kit.clock.now();
        let offered = Offered {
            thread_id: &request.thread_id,
            course_id: &request.course_id,
            unit_id: &request.unit_id,
            question_id: &request.question_id,
            tier: Some(request.tier()),
            token: &request.offer_token,
        };
        let answer = self.check_answer(request.answer.as_ref())?;
        offered.check_fields()?;
        let body_hash = request_hash("SubmitExamAnswer", request.clone(), |r| {
            &mut r.idempotency_key
        });
        let asked = offered.asked(context, caller, &request.idempotency_key, body_hash, now);
        let start = match self.begin(&asked).await? {
            Begun::Stored(answer) => return Ok(answer),
            Begun::Start(start) => start,
        };
        exams_are_open(&start)?;
        let tier = self.check_offered(caller, now, &offered)?;
        let answer = match answer {
            Answer::OptionId(id) => Answer::OptionId(id.clone()),
            Answer::AnswerText(text) => {
                let thread = start.thread.as_ref();
                let roster = self.core.roster(&asked.request, thread).await?;
                let clean = redact_with(text, &roster);
                if let Some(hit) = self.core.met([clean.as_ref()])
                    && let Some(guarded) =
                        self.guarded(&asked, &request.unit_id, &start, &hit).await?
                {
                    return Ok(guarded.into());
                }
                Answer::AnswerText(clipped(&clean, ANSWER_MAX_CHARS).to_owned())
            }
        };
        self.check_catalogue(&asked, &offered, tier).await?;
        let key = asked.platform_key();
        let question = offered.question(caller, &key);
        let empty = StudentSnapshot::default();
        let snapshot = start.snapshot.as_ref().unwrap_or(&empty);
        let locks = async { Ok(self.locks(&asked, snapshot, &request.question_id).await) };
        let (ruling, locks) = futures_util::try_join!(
            self.core
                .exam
                .submit(context, &question, &answer, &start.question_records),
            locks,
        )?;
        let event = Submission {
            applying: Applying {
                evidence: self,
                asked: &asked,
                unit_id: &request.unit_id,
                question_id: &request.question_id,
                ruling: &ruling,
                locks: &locks,
            },
            tier,
            claimed: request.is_correct,
        };
        let answer = match self.commit(&asked, start, &event).await? {
            Committed::Done(answer) => answer,
            Committed::Stored(answer) => return Ok(answer),
            // No drill is spent here.
            Committed::AlreadyGraded => return Err(crate::error::internal()),
        };
        self.metrics
            .submitted(&asked, &request.unit_id, &request.question_id, &answer);
        Ok(answer)
    }

    fn check_answer<'a>(&self, answer: Option<&'a Answer>) -> Result<&'a Answer, Fault> {
        let missing = || {
            let problem = "must be an option or a text";
            Fault::new(ErrorReason::MissingMessage, format!("`answer` {problem}"))
                .field("answer", problem)
        };
        let answer = answer.ok_or_else(missing)?;
        match answer {
            Answer::OptionId(id) => ids::check("option_id", id)?,
            Answer::AnswerText(text) if text.is_empty() => return Err(missing()),
            Answer::AnswerText(text) => {
                check_text("answer_text", text, self.answer_max_chars())?;
            }
        }
        Ok(answer)
    }
}

/// A judged answer as an event.
struct Submission<'a> {
    applying: Applying<'a>,
    tier: MasteryTier,
    claimed: Option<bool>,
}

impl Submission<'_> {
    fn answer(
        &self,
        status: &QuestionStatus,
        recorded: bool,
        outcome: Outcome,
    ) -> SubmitExamAnswerResponse {
        let passed = is_passed(status);
        let result = match status.state() {
            QuestionState::Passed => ExamResult::Passed,
            QuestionState::Locked => ExamResult::Locked,
            QuestionState::Available | QuestionState::Unspecified => ExamResult::Unspecified,
        };
        let mismatch = self.claimed.is_some_and(|claimed| claimed != passed);
        SubmitExamAnswerResponse {
            result: result.into(),
            recorded,
            locked_until: status.locked_until,
            mastery_tier: outcome.tier_after,
            mastery_tier_before: outcome.tier_before,
            notices: mismatch
                .then_some(ErrorReason::ResultMismatch.into())
                .into_iter()
                .collect(),
            snapshot_lite: outcome.snapshot_lite,
            buttons: outcome.buttons,
            degraded_reasons: self
                .applying
                .locks
                .degraded()
                .into_iter()
                .map(i32::from)
                .collect(),
            text: outcome.text,
            // The notices are put into words where the answer leaves.
            notice_texts: Vec::new(),
        }
    }
}

impl Event for Submission<'_> {
    type Answer = SubmitExamAnswerResponse;

    async fn apply(
        &self,
        snapshot: &StudentSnapshot,
        records: &[QuestionRecord],
    ) -> Result<Draft<SubmitExamAnswerResponse>, Fault> {
        let applying = &self.applying;
        let Effect {
            status,
            counts,
            record,
        } = applying
            .ruling
            .effect(applying.question_id, records, applying.asked.now);
        let fact = Fact::ExamResult(ExamFact {
            question_id: applying.question_id.to_owned(),
            unit_id: applying.unit_id.to_owned(),
            tier: self.tier.into(),
            passed: is_passed(&status),
            locked_until: status.locked_until,
        });
        // A turn may have seen the pass on the platform before its answer came back.
        let is_known = matches!(applying.ruling, Ruling::Platform { .. })
            && is_passed(&status)
            && knows_pass(snapshot, applying.question_id);
        if !counts || is_known {
            let outcome = applying.unwritten(snapshot, records, &status, fact).await?;
            return Ok(Draft {
                write: None,
                answer: self.answer(&status, counts, outcome),
            });
        }
        let (write, outcome) = applying
            .written(snapshot, records, &status, record, fact)
            .await?;
        Ok(Draft {
            write: Some(write),
            answer: self.answer(&status, true, outcome),
        })
    }
}

/// Refuses an answer while the class's teacher has closed exam questions.
fn exams_are_open(start: &EvidenceStart) -> Result<(), Fault> {
    let policy = start.class_policy.unwrap_or_default();
    if policy.exam_use() != ExamUse::Closed {
        return Ok(());
    }
    Err(Fault::new(
        ErrorReason::ExamsClosed,
        "the class's teacher has closed exam questions; answer it when they are open again",
    )
    .meta("class_id", class_id(start.thread.as_ref())))
}
