//! The calls of a platform's exam system, good and bad.

use std::{
    fs,
    net::SocketAddr,
    path::PathBuf,
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use prost_types::Timestamp;
use tokio::{net::TcpListener, time::sleep};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status, metadata::MetadataMap, transport::Server};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{
        BatchGetQuestionStatusRequest, BatchGetQuestionStatusResponse, GetQuestionRequest,
        GetQuestionResponse, QuestionState, QuestionStatus, RecordSupportViewRequest,
        RecordSupportViewResponse, SubmitAnswerRequest, SubmitAnswerResponse,
        exam_service_server::{ExamService, ExamServiceServer},
        submit_answer_request::Answer,
    },
};

use super::{BEHAVIOUR, Behaviour, EXERCISE, Manner, RECORDS, WORDS, records::Records};

/// How long a wrong answer, or a look at help, locks a question.
const LOCK_SECONDS: i64 = 86_400;
/// The bytes of an answer that is too large.
const TOO_MANY: usize = 5 * 1024 * 1024;

/// Serves at this address, in the working directory, until the process ends.
///
/// # Errors
///
/// If the address cannot be used.
pub async fn serve_for_ever(
    address: SocketAddr,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let listener = TcpListener::bind(address).await?;
    println!("listening exam-system {}", listener.local_addr()?);
    let home = std::env::current_dir()?;
    let service = Service {
        behaviour: home.join(BEHAVIOUR),
        path: home.join(RECORDS),
        records: Mutex::new(Records::read(&home.join(RECORDS))),
    };
    Server::builder()
        .add_service(ExamServiceServer::new(service))
        .serve_with_incoming(TcpListenerStream::new(listener))
        .await?;
    Ok(())
}

struct Service {
    behaviour: PathBuf,
    path: PathBuf,
    records: Mutex<Records>,
}

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

impl Service {
    /// Notes a call, and how it is to be answered.
    fn called(&self, method: &str, metadata: &MetadataMap) -> Result<Behaviour, Status> {
        println!("call {method}");
        let behaviour: Behaviour =
            serde_json::from_slice(&fs::read(&self.behaviour).unwrap()).unwrap();
        if behaviour.manner == Manner::Unavailable {
            return Err(Status::unavailable("closed for today"));
        }
        let sent = metadata
            .get("authorization")
            .and_then(|it| it.to_str().ok());
        let sent = sent.and_then(|sent| sent.strip_prefix("Bearer "));
        let mut tokens = behaviour.tokens.iter();
        if !behaviour.tokens.is_empty() && !tokens.any(|token| sent == Some(token.as_str())) {
            return Err(Status::unauthenticated("this token opens nothing here"));
        }
        Ok(behaviour)
    }

    fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap()
    }

    /// What is told of a change.
    fn told(&self, manner: Manner, status: QuestionStatus) -> Option<QuestionStatus> {
        match manner {
            Manner::Missing => None,
            Manner::WrongOrder | Manner::Strangers => Some(QuestionStatus {
                question_id: "another-question".to_owned(),
                ..status
            }),
            Manner::UnknownState => Some(QuestionStatus {
                state: 42,
                ..status
            }),
            Manner::LockWithoutTime => Some(locked(status)),
            Manner::Oversized => Some(QuestionStatus {
                question_id: "x".repeat(TOO_MANY),
                ..status
            }),
            Manner::Well | Manner::Slow(_) | Manner::Unavailable => Some(status),
        }
    }
}

fn locked(status: QuestionStatus) -> QuestionStatus {
    QuestionStatus {
        state: QuestionState::Locked.into(),
        // A lock with a time that there is not.
        locked_until: Some(Timestamp {
            seconds: i64::MAX,
            nanos: -1,
        }),
        ..status
    }
}

async fn slowly(manner: Manner) {
    if let Manner::Slow(ms) = manner {
        sleep(Duration::from_millis(ms)).await;
    }
}

#[tonic::async_trait]
impl ExamService for Service {
    async fn batch_get_question_status(
        &self,
        request: Request<BatchGetQuestionStatusRequest>,
    ) -> Result<Response<BatchGetQuestionStatusResponse>, Status> {
        let manner = self
            .called("BatchGetQuestionStatus", request.metadata())?
            .manner;
        let request = request.into_inner();
        let mut statuses: Vec<_> = {
            let records = self.records();
            let ids = request.question_ids.iter();
            ids.map(|id| records.status(&request.student_id, id, now()))
                .collect()
        };
        match manner {
            Manner::Well | Manner::Slow(_) | Manner::Unavailable => {}
            Manner::WrongOrder => statuses.reverse(),
            Manner::Missing => statuses.clear(),
            Manner::UnknownState => statuses.iter_mut().for_each(|status| status.state = 42),
            Manner::LockWithoutTime => {
                statuses = statuses.into_iter().map(locked).collect();
            }
            Manner::Oversized => statuses.push(QuestionStatus {
                question_id: "x".repeat(TOO_MANY),
                ..QuestionStatus::default()
            }),
            Manner::Strangers => {
                for status in &mut statuses {
                    status.question_id = format!("not-{}", status.question_id);
                    status.state = QuestionState::Available.into();
                }
            }
        }
        slowly(manner).await;
        Ok(Response::new(BatchGetQuestionStatusResponse { statuses }))
    }

    async fn submit_answer(
        &self,
        request: Request<SubmitAnswerRequest>,
    ) -> Result<Response<SubmitAnswerResponse>, Status> {
        let Behaviour { manner, right, .. } = self.called("SubmitAnswer", request.metadata())?;
        let request = request.into_inner();
        let (student, question) = (&request.student_id, &request.question_id);
        let known = right
            .get(question)
            .ok_or_else(|| Fault::new(ErrorReason::UnknownQuestion, "there is no such question"))?;
        let given = match request.answer {
            Some(Answer::OptionId(text) | Answer::Text(text)) => text,
            None => return Err(Status::invalid_argument("no answer")),
        };
        let mut answer = {
            let mut records = self.records();
            let key = &request.idempotency_key;
            records.answer(key).unwrap_or_else(|| {
                let before = records.status(student, question, now());
                let recorded = before.state() == QuestionState::Available;
                if recorded {
                    let until = (given != *known).then(|| now() + LOCK_SECONDS);
                    records.change(student, question, until);
                }
                let answer = SubmitAnswerResponse {
                    status: Some(records.status(student, question, now())),
                    recorded,
                };
                records.keep(key, &answer);
                records.write(&self.path);
                answer
            })
        };
        answer.status = answer.status.and_then(|status| self.told(manner, status));
        slowly(manner).await;
        Ok(Response::new(answer))
    }

    async fn record_support_view(
        &self,
        request: Request<RecordSupportViewRequest>,
    ) -> Result<Response<RecordSupportViewResponse>, Status> {
        let manner = self.called("RecordSupportView", request.metadata())?.manner;
        let request = request.into_inner();
        let (student, question) = (&request.student_id, &request.question_id);
        let mut answer = {
            let mut records = self.records();
            let key = &request.idempotency_key;
            records.answer(key).unwrap_or_else(|| {
                let before = records.status(student, question, now());
                if before.state() != QuestionState::Passed {
                    records.change(student, question, Some(now() + LOCK_SECONDS));
                }
                let answer = RecordSupportViewResponse {
                    status: Some(records.status(student, question, now())),
                    text: "Read the question once more, slowly.".to_owned(),
                    url: String::new(),
                };
                records.keep(key, &answer);
                records.write(&self.path);
                answer
            })
        };
        answer.status = answer.status.and_then(|status| self.told(manner, status));
        slowly(manner).await;
        Ok(Response::new(answer))
    }

    /// In words of its own, the same for each question that it knows.
    async fn get_question(
        &self,
        request: Request<GetQuestionRequest>,
    ) -> Result<Response<GetQuestionResponse>, Status> {
        let Behaviour { manner, right, .. } = self.called("GetQuestion", request.metadata())?;
        let GetQuestionRequest { question_id, .. } = request.into_inner();
        if !right.contains_key(&question_id) {
            return Err(
                Fault::new(ErrorReason::UnknownQuestion, "there is no such question").into(),
            );
        }
        let prompt = match manner {
            Manner::Missing => String::new(),
            Manner::Oversized => "x".repeat(TOO_MANY),
            _ => format!("{WORDS} {question_id}"),
        };
        let question_id = match manner {
            Manner::WrongOrder | Manner::Strangers => "another-question".to_owned(),
            _ => question_id,
        };
        slowly(manner).await;
        Ok(Response::new(GetQuestionResponse {
            question_id,
            prompt,
            question_latex: EXERCISE.to_owned(),
            ..GetQuestionResponse::default()
        }))
    }
}
