//! The hashes of a platform's exam questions: read once for all who want them, kept for a while, and never made up.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::join;
use tonic::Status;
use turnwise_gateway_svc::{
    Upstreams,
    exam::{ExamPort, PortQuestions, QuestionHashes},
};
use turnwise_kit::{CallContext, clock::ManualClock};
use turnwise_proto::{
    exam::v1::{GetQuestionRequest, GetQuestionResponse, exam_service_client::ExamServiceClient},
    policy::v1::{
        FindPortQuestionsRequest, FindPortQuestionsResponse, FingerprintQuestionRequest,
        FingerprintQuestionResponse,
    },
};

use crate::evidence::fake::{Fake, stall};

const GET: &str = "turnwise.exam.v1.ExamService/GetQuestion";

/// A policy whose pack leaves out so many questions, and a platform that words them.
struct Served {
    platform: Fake,
    upstreams: Upstreams,
    calls: Arc<AtomicUsize>,
}

impl Served {
    fn new(left_out: usize) -> Self {
        let (policy, platform, other) = (Fake::default(), Fake::default(), Fake::default());
        policy.on(
            "turnwise.policy.v1.PolicyService/FindPortQuestions",
            move |_: FindPortQuestionsRequest| async move {
                Ok(FindPortQuestionsResponse {
                    question_ids: (0..left_out).map(|n| format!("q-{n}")).collect(),
                })
            },
        );
        policy.on(
            "turnwise.policy.v1.PolicyService/FingerprintQuestion",
            |request: FingerprintQuestionRequest| async move {
                let hash = request.prompt.bytes().map(u64::from).sum();
                Ok(FingerprintQuestionResponse {
                    exam_runs: vec![hash],
                    exam_expressions: vec![1],
                })
            },
        );
        let upstreams = Upstreams::new(
            policy.client("policy-svc"),
            other.client("retrieval-svc"),
            other.client("llm-gateway-svc"),
            other.client("session-svc"),
            None,
        );
        let served = Self {
            platform,
            upstreams,
            calls: Arc::default(),
        };
        served.is_well();
        served
    }

    fn is_well(&self) {
        let calls = Arc::clone(&self.calls);
        self.platform.on(GET, move |request: GetQuestionRequest| {
            calls.fetch_add(1, Ordering::SeqCst);
            async move {
                Ok(GetQuestionResponse {
                    prompt: format!("Question {}", request.question_id),
                    question_id: request.question_id,
                    ..GetQuestionResponse::default()
                })
            }
        });
    }

    fn questions(&self) -> PortQuestions {
        let client = ExamServiceClient::new(self.platform.client("exam system"));
        PortQuestions::new(ExamPort::remote(client), self.upstreams.clone())
    }

    fn calls(&self) -> usize {
        self.calls.swap(0, Ordering::SeqCst)
    }
}

async fn read(questions: &PortQuestions) -> QuestionHashes {
    let context = CallContext::background(None, Duration::from_secs(60));
    let units = ["ALG-02".to_owned()];
    questions.of_units(&context, "algebra", "", &units).await
}

#[tokio::test]
async fn those_who_ask_at_the_same_time_and_later_ask_once() {
    let served = Served::new(20);
    let questions = served.questions();
    let (one, two) = join(read(&questions), read(&questions)).await;
    assert_eq!(one, two);
    assert!(!one.incomplete);
    assert_eq!(one.expressions, [1]);
    assert!(one.runs.is_sorted() && one.runs.len() > 1);
    assert_eq!(served.calls(), 20);
    assert_eq!(read(&questions).await, one);
    assert_eq!(served.calls(), 0);
}

#[tokio::test]
async fn what_cannot_be_read_is_said_and_not_kept() {
    let served = Served::new(1);
    let questions = served.questions();
    for status in [Status::unimplemented("older"), Status::internal("broken")] {
        served.platform.on(GET, move |_: GetQuestionRequest| {
            let status = status.clone();
            async move { Err::<GetQuestionResponse, _>(status) }
        });
        let hashes = read(&questions).await;
        assert!(hashes.incomplete);
        assert!(hashes.runs.is_empty() && hashes.expressions.is_empty());
    }
    served.is_well();
    assert!(!read(&questions).await.incomplete);
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_longer_than_for_one_call() {
    let served = Served::new(40);
    served
        .platform
        .on(GET, |_: GetQuestionRequest| stall::<GetQuestionResponse>());
    let began = tokio::time::Instant::now();
    assert!(read(&served.questions()).await.incomplete);
    assert!(began.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn more_questions_than_are_read_are_not_all_known() {
    let served = Served::new(2_001);
    let hashes = read(&served.questions()).await;
    assert!(hashes.incomplete && !hashes.runs.is_empty());
    assert_eq!(served.calls(), 2_000);
}

#[tokio::test]
async fn the_built_in_system_has_its_words_in_the_pack() {
    let served = Served::new(5);
    let clock = Arc::new(ManualClock::new("2026-03-02T08:00:00Z".parse().unwrap()));
    let port = ExamPort::built_in(served.upstreams.clone(), Duration::from_secs(3600), clock);
    let questions = PortQuestions::new(port, served.upstreams.clone());
    assert_eq!(read(&questions).await, QuestionHashes::default());
    assert_eq!(served.calls(), 0);
}
