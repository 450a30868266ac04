//! A platform's exam system over gRPC: called with patience and a breaker, and believed only where its answers make
//! sense.

use std::{future::Future, time::Duration};

use futures_util::future::try_join_all;
use tonic::{Response, Status};
use turnwise_breaker::{Breakers, Rules};
use turnwise_kit::{CallContext, Fault, client::GrpcClient, time};
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{
        BatchGetQuestionStatusRequest, GetQuestionRequest, GetQuestionResponse, QuestionState,
        QuestionStatus, RecordSupportViewRequest, SubmitAnswerRequest, SupportKind,
        exam_service_client::ExamServiceClient, submit_answer_request,
    },
    tutor::v1::submit_exam_answer_request::Answer,
};

use super::{Question, Ruling, Support, displayed, wording};
use crate::upstream::Step;

/// The most questions in one call.
const BATCH: usize = 100;
/// The breaker's key; there is one exam system.
const KEY: &str = "exam system";
/// So many failures in a row open the breaker, for so long.
const RULES: Rules = Rules {
    failures: 5,
    ttl: Duration::from_secs(10),
    probe_lease: Duration::from_secs(5),
};
/// A call that had less time than this says nothing about the exam system when its time runs out: the student's deadline
/// was short.
const PATIENCE: Duration = Duration::from_secs(1);
/// When to try again what came back unreadable.
const RETRY: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub(super) struct Remote {
    client: ExamServiceClient<GrpcClient>,
    breaker: Breakers,
}

impl Remote {
    pub(super) fn new(client: ExamServiceClient<GrpcClient>) -> Self {
        Self {
            client,
            breaker: Breakers::local(RULES),
        }
    }

    pub(super) async fn statuses(
        &self,
        context: &CallContext,
        student_id: &str,
        course_id: &str,
        question_ids: Vec<String>,
    ) -> Option<Vec<QuestionStatus>> {
        let batches = question_ids.chunks(BATCH).map(|ids| async move {
            let request = BatchGetQuestionStatusRequest {
                tenant: tenant(context),
                student_id: student_id.to_owned(),
                course_id: course_id.to_owned(),
                question_ids: ids.to_vec(),
            };
            let answer = self
                .call(context, |context| {
                    let mut client = self.client.clone();
                    let request = context.request(request.clone());
                    async move { client.batch_get_question_status(request).await }
                })
                .await?;
            Ok::<_, Fault>(read_statuses(ids, &answer.statuses))
        });
        match try_join_all(batches).await {
            Ok(batches) => Some(batches.concat()),
            Err(fault) => {
                tracing::warn!(
                    reason = fault.reason().wire_name(),
                    "the exam system did not answer"
                );
                None
            }
        }
    }

    pub(super) async fn submit(
        &self,
        context: &CallContext,
        question: &Question<'_>,
        answer: &Answer,
    ) -> Result<Ruling, Fault> {
        let request = SubmitAnswerRequest {
            tenant: tenant(context),
            student_id: question.student_id.to_owned(),
            course_id: question.course_id.to_owned(),
            question_id: question.question_id.to_owned(),
            answer: Some(match answer.clone() {
                Answer::OptionId(id) => submit_answer_request::Answer::OptionId(id),
                Answer::AnswerText(text) => submit_answer_request::Answer::Text(text),
            }),
            idempotency_key: question.idempotency_key.to_owned(),
        };
        let answer = self
            .call(context, |context| {
                let mut client = self.client.clone();
                let request = context.request(request.clone());
                async move { client.submit_answer(request).await }
            })
            .await?;
        Ok(Ruling::Platform {
            status: read_final(question.question_id, answer.status)?,
            recorded: answer.recorded,
        })
    }

    pub(super) async fn view_support(
        &self,
        context: &CallContext,
        question: &Question<'_>,
        kind: SupportKind,
    ) -> Result<Support, Fault> {
        let request = RecordSupportViewRequest {
            tenant: tenant(context),
            student_id: question.student_id.to_owned(),
            course_id: question.course_id.to_owned(),
            question_id: question.question_id.to_owned(),
            kind: kind.into(),
            idempotency_key: question.idempotency_key.to_owned(),
        };
        let answer = self
            .call(context, |context| {
                let mut client = self.client.clone();
                let request = context.request(request.clone());
                async move { client.record_support_view(request).await }
            })
            .await?;
        let status = read_final(question.question_id, answer.status)?;
        let url = if kind == SupportKind::Video && displayed::is_web_address(&answer.url) {
            answer.url
        } else {
            String::new()
        };
        Ok(Support {
            text: displayed::text(&answer.text),
            url,
            ruling: Ruling::Platform {
                recorded: status.state() == QuestionState::Locked,
                status,
            },
        })
    }

    pub(super) async fn question(
        &self,
        context: &CallContext,
        course_id: &str,
        question_id: &str,
    ) -> Result<GetQuestionResponse, Fault> {
        let request = GetQuestionRequest {
            tenant: tenant(context),
            course_id: course_id.to_owned(),
            question_id: question_id.to_owned(),
        };
        let told = self
            .call(context, |context| {
                let mut client = self.client.clone();
                let request = context.request(request.clone());
                async move { client.get_question(request).await }
            })
            .await?;
        wording::read(question_id, told).ok_or_else(|| {
            tracing::error!(
                question_id,
                "the exam system's answer is no question that can be shown"
            );
            unavailable("gave an answer that makes no sense", RETRY)
        })
    }

    /// One call, sent again once where it did not arrive: all four may be. It counts for the breaker as a whole.
    async fn call<T, F>(
        &self,
        context: &CallContext,
        send: impl Fn(CallContext) -> F,
    ) -> Result<T, Fault>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let permit = self
            .breaker
            .admit(KEY)
            .await
            .map_err(|open| unavailable("was away a moment ago", open.retry_after))?;
        let step = Step::Exam.of(context);
        let patient = step.wait() >= PATIENCE;
        let mut came = send(step.context().clone()).await;
        if came.as_ref().is_err_and(is_away) {
            came = send(step.context().clone()).await;
        }
        match came {
            Ok(response) => {
                permit.succeeded().await;
                Ok(response.into_inner())
            }
            Err(status) => {
                let fault = Fault::from_status(&status);
                match fault.reason() {
                    ErrorReason::DeadlineExceeded if !patient => {
                        drop(permit);
                        return Err(fault);
                    }
                    reason if counts(reason) => permit.failed().await,
                    // It answered.
                    _ => permit.succeeded().await,
                }
                Err(public(fault))
            }
        }
    }
}

fn is_away(status: &Status) -> bool {
    Fault::from_status(status).reason().code() == tonic::Code::Unavailable
}

/// Whether a failure counts against the exam system.
fn counts(reason: ErrorReason) -> bool {
    matches!(
        reason.code(),
        tonic::Code::Unavailable | tonic::Code::DeadlineExceeded
    )
}

/// What a student's client is told: what it can act on, and else that the exam system is away.
fn public(fault: Fault) -> Fault {
    match fault.reason() {
        ErrorReason::UnknownQuestion => Fault::new(
            ErrorReason::UnknownQuestion,
            "the exam system has no such question, or no such help for it",
        )
        .field("question_id", "is not known to the exam system"),
        ErrorReason::InvalidArgument => {
            Fault::invalid("answer", "cannot be read by the exam system")
        }
        reason => {
            tracing::warn!(
                reason = reason.wire_name(),
                "a call of the exam system failed"
            );
            unavailable("does not answer", fault.retry_delay().unwrap_or(RETRY))
        }
    }
}

fn unavailable(problem: &str, retry_after: Duration) -> Fault {
    Fault::new(
        ErrorReason::DependencyUnavailable,
        format!("the exam system {problem}; try again with the same key"),
    )
    .meta("service", "exam system")
    .retry_after(retry_after)
}

/// The statuses of these questions, in their order. What is not told of one, or told twice, or makes no sense, is read as
/// locked with an unknown end: what is not known is not offered.
fn read_statuses(asked: &[String], told: &[QuestionStatus]) -> Vec<QuestionStatus> {
    asked
        .iter()
        .map(|id| {
            let mut of_this = told.iter().filter(|status| status.question_id == *id);
            match (of_this.next(), of_this.next()) {
                (Some(status), None) => read_status(status),
                _ => locked(id),
            }
        })
        .collect()
}

fn read_status(told: &QuestionStatus) -> QuestionStatus {
    match QuestionState::try_from(told.state) {
        Ok(state @ (QuestionState::Available | QuestionState::Passed)) => QuestionStatus {
            question_id: told.question_id.clone(),
            state: state.into(),
            locked_until: None,
        },
        Ok(QuestionState::Locked) => QuestionStatus {
            // A time that there is not is none.
            locked_until: told
                .locked_until
                .filter(|until| time::from_proto(until).is_some()),
            ..told.clone()
        },
        Ok(QuestionState::Unspecified) | Err(_) => locked(&told.question_id),
    }
}

fn locked(question_id: &str) -> QuestionStatus {
    QuestionStatus {
        question_id: question_id.to_owned(),
        state: QuestionState::Locked.into(),
        locked_until: None,
    }
}

/// The status after an answer or a look at help: passed or locked. Anything else is no word to build evidence on.
fn read_final(question_id: &str, told: Option<QuestionStatus>) -> Result<QuestionStatus, Fault> {
    let readable = told.filter(|status| {
        status.question_id == question_id
            && matches!(
                QuestionState::try_from(status.state),
                Ok(QuestionState::Passed | QuestionState::Locked)
            )
    });
    readable.as_ref().map(read_status).ok_or_else(|| {
        tracing::error!(
            question_id,
            "the exam system's answer is neither passed nor locked for this question"
        );
        unavailable("gave an answer that makes no sense", RETRY)
    })
}

/// The student's tenant.
fn tenant(context: &CallContext) -> String {
    context
        .caller_opt()
        .map_or_else(String::new, |caller| caller.tenant.clone())
}
