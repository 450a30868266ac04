//! A platform's exam system behind the port.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tonic::Status;
use turnwise_gateway_svc::exam::{ExamPort, Question, Ruling, Support};
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{
        BatchGetQuestionStatusRequest, BatchGetQuestionStatusResponse, QuestionState,
        QuestionStatus, RecordSupportViewRequest, RecordSupportViewResponse, SubmitAnswerRequest,
        SubmitAnswerResponse, SupportKind, exam_service_client::ExamServiceClient,
    },
    tutor::v1::submit_exam_answer_request::Answer,
};

use crate::evidence::fake::Fake;

pub const STATUS: &str = "turnwise.exam.v1.ExamService/BatchGetQuestionStatus";
const SUBMIT: &str = "turnwise.exam.v1.ExamService/SubmitAnswer";
const VIEW: &str = "turnwise.exam.v1.ExamService/RecordSupportView";

const QUESTION: Question<'static> = Question {
    student_id: "ada",
    course_id: "algebra",
    unit_id: "ALG-02",
    question_id: "q",
    idempotency_key: "key-1",
};

/// A platform, how often it was called, and the port to it.
pub struct Platform {
    pub fake: Fake,
    calls: Arc<AtomicUsize>,
    port: ExamPort,
}

impl Platform {
    pub fn new() -> Self {
        let fake = Fake::default();
        let port = ExamPort::remote(ExamServiceClient::new(fake.client("exam system")));
        assert!(port.needs_call());
        Self {
            fake,
            calls: Arc::default(),
            port,
        }
    }

    pub fn calls(&self) -> usize {
        self.calls.swap(0, Ordering::SeqCst)
    }

    /// Answers questions of status so.
    pub fn answers(
        &self,
        answer: impl Fn(BatchGetQuestionStatusRequest) -> Result<Vec<QuestionStatus>, Status>
        + Clone
        + Send
        + Sync
        + 'static,
    ) {
        let calls = Arc::clone(&self.calls);
        self.fake
            .on(STATUS, move |request: BatchGetQuestionStatusRequest| {
                calls.fetch_add(1, Ordering::SeqCst);
                let statuses = answer(request);
                async move {
                    Ok(BatchGetQuestionStatusResponse {
                        statuses: statuses?,
                    })
                }
            });
    }

    /// Is away from now on.
    pub fn goes_away(&self) {
        self.answers(|_| Err(Status::unavailable("gone")));
    }

    /// Calls everything available.
    pub fn is_well(&self) {
        self.answers(|request| Ok(available(&request.question_ids)));
    }

    pub async fn ask(&self, ids: &[&str]) -> Option<Vec<QuestionStatus>> {
        self.ask_within(Duration::from_secs(60), ids).await
    }

    pub async fn ask_within(&self, time: Duration, ids: &[&str]) -> Option<Vec<QuestionStatus>> {
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        let context = CallContext::background(None, time);
        self.port
            .statuses(&context, "ada", "algebra", ids, &[])
            .await
    }

    pub async fn submit(&self) -> Result<Ruling, Fault> {
        let context = CallContext::background(None, Duration::from_secs(60));
        let answer = Answer::OptionId("b".to_owned());
        self.port.submit(&context, &QUESTION, &answer, &[]).await
    }

    async fn view(&self, kind: SupportKind) -> Result<Support, Fault> {
        let context = CallContext::background(None, Duration::from_secs(60));
        self.port.view_support(&context, &QUESTION, kind).await
    }
}

fn told(id: &str, state: QuestionState) -> QuestionStatus {
    QuestionStatus {
        question_id: id.to_owned(),
        state: state.into(),
        locked_until: None,
    }
}

pub fn available(ids: &[String]) -> Vec<QuestionStatus> {
    ids.iter()
        .map(|id| told(id, QuestionState::Available))
        .collect()
}

fn time(seconds: i64, nanos: i32) -> Option<prost_types::Timestamp> {
    Some(prost_types::Timestamp { seconds, nanos })
}

#[tokio::test]
async fn many_questions_go_in_batches_and_come_back_in_order() {
    let platform = Platform::new();
    platform.answers(|request| {
        assert!(request.question_ids.len() <= 100);
        assert_eq!(request.student_id, "ada");
        assert_eq!(request.course_id, "algebra");
        // Answered in another order than asked.
        let mut statuses = available(&request.question_ids);
        statuses.reverse();
        Ok(statuses)
    });
    let ids: Vec<String> = (0..250).map(|n| format!("q{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let statuses = platform.ask(&ids).await.unwrap();
    assert_eq!(platform.calls(), 3);
    let came: Vec<&str> = statuses.iter().map(|s| s.question_id.as_str()).collect();
    assert_eq!(came, ids);
    assert!(
        statuses
            .iter()
            .all(|s| s.state() == QuestionState::Available)
    );

    assert_eq!(platform.ask(&[]).await, Some(Vec::new()));
    assert_eq!(platform.calls(), 0, "nothing is asked about nothing");
}

#[tokio::test]
async fn what_makes_no_sense_is_not_available() {
    let platform = Platform::new();
    platform.answers(|_| {
        Ok(vec![
            told("stranger", QuestionState::Available),
            QuestionStatus {
                state: 42,
                ..told("unknown", QuestionState::Available)
            },
            told("unspecified", QuestionState::Unspecified),
            told("twice", QuestionState::Available),
            told("twice", QuestionState::Available),
            told("locked", QuestionState::Locked),
            QuestionStatus {
                locked_until: time(5_000_000_000, 0),
                ..told("until", QuestionState::Locked)
            },
            QuestionStatus {
                locked_until: time(i64::MAX, -7),
                ..told("never", QuestionState::Locked)
            },
            QuestionStatus {
                locked_until: time(5_000_000_000, 0),
                ..told("open", QuestionState::Available)
            },
            told("passed", QuestionState::Passed),
        ])
    });
    let asked = [
        "missing",
        "unknown",
        "unspecified",
        "twice",
        "locked",
        "until",
        "never",
        "open",
        "passed",
    ];
    let statuses = platform.ask(&asked).await.unwrap();
    let seen: Vec<_> = statuses
        .iter()
        .map(|s| (s.question_id.as_str(), s.state(), s.locked_until))
        .collect();
    use QuestionState::{Available, Locked, Passed};
    assert_eq!(
        seen,
        [
            ("missing", Locked, None),
            ("unknown", Locked, None),
            ("unspecified", Locked, None),
            ("twice", Locked, None),
            ("locked", Locked, None),
            ("until", Locked, time(5_000_000_000, 0)),
            ("never", Locked, None),
            ("open", Available, None),
            ("passed", Passed, None),
        ]
    );
}

#[tokio::test]
async fn bytes_that_are_no_answer_are_none() {
    let platform = Platform::new();
    // Field 1 is a text here and a list of messages there.
    platform
        .fake
        .on(STATUS, |_: BatchGetQuestionStatusRequest| async {
            Ok(SubmitAnswerRequest {
                student_id: "\u{7f}\u{7f}\u{7f}".to_owned(),
                ..SubmitAnswerRequest::default()
            })
        });
    assert_eq!(platform.ask(&["q"]).await, None);
    for status in [
        Status::internal("broken"),
        Status::permission_denied("no"),
        Status::unimplemented("what"),
    ] {
        platform.answers(move |_| Err(status.clone()));
        assert_eq!(platform.ask(&["q"]).await, None);
        assert_eq!(platform.calls(), 1, "it answered; asking again is no use");
    }
}

#[tokio::test]
async fn an_answer_is_sent_with_its_key_and_the_word_comes_back() {
    let platform = Platform::new();
    let sent: Arc<Mutex<Vec<SubmitAnswerRequest>>> = Arc::default();
    let seen = Arc::clone(&sent);
    platform
        .fake
        .on(SUBMIT, move |request: SubmitAnswerRequest| {
            let mut sent = seen.lock().unwrap();
            sent.push(request);
            let first = sent.len() == 1;
            async move {
                if first {
                    return Err(Status::unavailable("lost on the way"));
                }
                Ok(SubmitAnswerResponse {
                    status: Some(told("q", QuestionState::Passed)),
                    recorded: true,
                })
            }
        });
    let ruling = platform.submit().await.unwrap();
    assert_eq!(
        ruling,
        Ruling::Platform {
            status: told("q", QuestionState::Passed),
            recorded: true
        }
    );
    let sent = sent.lock().unwrap();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[0], sent[1], "the same call, with the same key");
    assert_eq!(sent[0].idempotency_key, "key-1");
}

#[tokio::test]
async fn a_word_that_makes_no_sense_is_no_evidence() {
    let platform = Platform::new();
    for status in [
        None,
        Some(told("q", QuestionState::Available)),
        Some(told("q", QuestionState::Unspecified)),
        Some(told("other", QuestionState::Passed)),
        Some(QuestionStatus {
            state: 42,
            ..told("q", QuestionState::Passed)
        }),
    ] {
        let answer = SubmitAnswerResponse {
            status: status.clone(),
            recorded: true,
        };
        platform.fake.on(SUBMIT, move |_: SubmitAnswerRequest| {
            let answer = answer.clone();
            async { Ok(answer) }
        });
        let fault = platform.submit().await.unwrap_err();
        assert_eq!(
            fault.reason(),
            ErrorReason::DependencyUnavailable,
            "{status:?}"
        );
        assert!(fault.retry_delay().is_some());
    }
}

#[tokio::test]
async fn failures_of_a_platform_are_told_as_the_client_can_use_them() {
    let platform = Platform::new();
    let unknown = Fault::new(ErrorReason::UnknownQuestion, "no such thing");
    let cases = [
        (Status::from(unknown), ErrorReason::UnknownQuestion),
        (Status::invalid_argument("eh"), ErrorReason::InvalidArgument),
        (
            Status::internal("secret detail"),
            ErrorReason::DependencyUnavailable,
        ),
        (
            Status::unauthenticated("who"),
            ErrorReason::DependencyUnavailable,
        ),
        (
            Status::not_found("what"),
            ErrorReason::DependencyUnavailable,
        ),
    ];
    for (status, expected) in cases {
        platform.fake.on(SUBMIT, move |_: SubmitAnswerRequest| {
            let status = status.clone();
            async { Err::<SubmitAnswerResponse, _>(status) }
        });
        let fault = platform.submit().await.unwrap_err();
        assert_eq!(fault.reason(), expected);
        assert!(!fault.message().contains("secret"), "{fault}");
    }
}

#[tokio::test]
async fn help_is_bounded_and_its_address_is_on_the_web() {
    let platform = Platform::new();
    let cases = [
        ("https://videos.example/1", "https://videos.example/1"),
        ("http://videos.example/1", "http://videos.example/1"),
        ("javascript:alert(1)", ""),
        ("https://", ""),
        ("https://a b", ""),
        ("file:///etc/passwd", ""),
    ];
    for (url, shown) in cases {
        platform
            .fake
            .on(VIEW, move |request: RecordSupportViewRequest| {
                assert_eq!(request.idempotency_key, "key-1");
                async move {
                    Ok(RecordSupportViewResponse {
                        status: Some(told("q", QuestionState::Locked)),
                        text: format!("Look\u{0}\u{1b}[2J at\n{}", "\u{20ac}".repeat(30_000)),
                        url: url.to_owned(),
                    })
                }
            });
        let help = platform.view(SupportKind::Video).await.unwrap();
        assert_eq!(help.url, shown);
        assert!(help.text.starts_with("Look[2J at\n\u{20ac}"));
        assert!(help.text.len() <= 32_768);
        assert_eq!(
            help.ruling,
            Ruling::Platform {
                status: told("q", QuestionState::Locked),
                recorded: true
            }
        );
        let memo = platform.view(SupportKind::Memo).await.unwrap();
        assert_eq!(memo.url, "", "a memo has no address");
    }
}
