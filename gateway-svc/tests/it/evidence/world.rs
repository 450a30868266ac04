//! A gateway with its upstream services, and a student who calls it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use clap::Parser;
use tempfile::TempDir;
use tonic::{Request, Status, service::Routes};
use turnwise_gateway_svc::{
    Settings, Upstreams, routes,
    tokens::{CardTokens, DrillClaims, OfferClaims},
};
use turnwise_kit::{CallContext, Caller, Clock, Fault, Kit, clock::ManualClock};
use turnwise_proto::{
    exam::v1::SupportKind,
    llm::v1::{CompleteRequest, CompleteResponse, CompletionEnd},
    retrieval::v1::{ExamSupportChunk, Namespace, RetrieveRequest, RetrieveResponse},
    tutor::v1::{
        DrillCard, GetExamQuestionRequest, GetExamQuestionResponse, GradeDrillRequest,
        GradeDrillResponse, MasteryTier, RecordSupportViewRequest, RecordSupportViewResponse,
        StudentInput, SubmitExamAnswerRequest, SubmitExamAnswerResponse,
        submit_exam_answer_request::Answer, tutor_service_client::TutorServiceClient,
    },
};

use super::{
    fake::Fake,
    policy::{Policy, QUESTION, UNIT},
    session::Session,
};

const COMPLETE: &str = "turnwise.llm.v1.LlmGatewayService/Complete";
const RETRIEVE: &str = "turnwise.retrieval.v1.RetrievalService/Retrieve";

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

/// All of it.
pub struct World {
    pub session: Session,
    pub policy: Policy,
    pub llm: Fake,
    pub retrieval: Fake,
    /// A platform's exam system.
    pub platform: Fake,
    pub clock: Arc<ManualClock>,
    pub kit: Kit,
    pub tokens: CardTokens,
    completions: Arc<AtomicUsize>,
    client: TutorServiceClient<Routes>,
    _keys: TempDir,
}

impl World {
    /// With the built-in exam system.
    pub async fn start() -> Self {
        Self::open(false).await
    }

    /// With a platform's exam system.
    pub async fn with_platform() -> Self {
        Self::open(true).await
    }

    async fn open(platform: bool) -> Self {
        let keys = TempDir::new().unwrap();
        let file = keys.path().join("keys");
        turnwise_testing::write_secret(&file, format!("k1 {}\n", STANDARD.encode([7; 32])))
            .unwrap();
        let settings = Cli::parse_from([
            "gateway-svc",
            "--helper-rate-limit-per-minute",
            "1000000",
            "--drill-token-keys-file",
            file.to_str().unwrap(),
            "--scope-token-keys-file",
            file.to_str().unwrap(),
        ])
        .settings;
        let clock = Arc::new(ManualClock::new("2026-03-02T08:00:00Z".parse().unwrap()));
        let kit = Kit::new(Arc::clone(&clock) as Arc<dyn Clock>);
        let (session, policy) = (Session::start(), Policy::start());
        let (llm, retrieval, exam) = (Fake::default(), Fake::default(), Fake::default());
        let upstreams = Upstreams::new(
            policy.fake.client("policy-svc"),
            retrieval.client("retrieval-svc"),
            llm.client("llm-gateway-svc"),
            session.fake.client("session-svc"),
            platform.then(|| exam.client("exam system")),
        );
        let routes = routes(&settings, upstreams, &kit).await.unwrap();
        let world = Self {
            session,
            policy,
            llm,
            retrieval,
            platform: exam,
            clock,
            kit,
            tokens: CardTokens::load(file, Duration::from_secs(7200)).unwrap(),
            completions: Arc::default(),
            client: TutorServiceClient::new(routes.prepare()),
            _keys: keys,
        };
        world.model_says("Well, look again.");
        world.has_support();
        world
    }

    pub fn model_says(&self, words: &'static str) {
        self.model(move |_| {
            Ok(CompleteResponse {
                text: words.to_owned(),
                end: Some(CompletionEnd {
                    model: "mock".to_owned(),
                    ..CompletionEnd::default()
                }),
            })
        });
    }

    pub fn model(
        &self,
        answer: impl Fn(CompleteRequest) -> Result<CompleteResponse, Status>
        + Clone
        + Send
        + Sync
        + 'static,
    ) {
        let count = Arc::clone(&self.completions);
        self.llm.on(COMPLETE, move |request: CompleteRequest| {
            count.fetch_add(1, Ordering::SeqCst);
            let answer = answer(request);
            async { answer }
        });
    }

    /// How often the model was called since the last look.
    pub fn completions(&self) -> usize {
        self.completions.swap(0, Ordering::SeqCst)
    }

    fn has_support(&self) {
        self.retrieval
            .on(RETRIEVE, |request: RetrieveRequest| async move {
                assert_eq!(
                    request.namespaces,
                    [i32::from(Namespace::ExamSupportChunks)]
                );
                assert_eq!(request.focus_unit_id, UNIT);
                assert_eq!(request.question_id, QUESTION);
                let chunk = |question: &str, kind: &str, text: &str| ExamSupportChunk {
                    question_id: question.to_owned(),
                    support_kind: kind.to_owned(),
                    text: text.to_owned(),
                    ..ExamSupportChunk::default()
                };
                Ok(RetrieveResponse {
                    exam_support: vec![
                        chunk("ALG-02-B9", "memo", "Of another question."),
                        chunk(QUESTION, "video", "Scales, see <https://videos.example/2>."),
                        chunk(QUESTION, "memo", "Think of scales."),
                    ],
                    ..RetrieveResponse::default()
                })
            });
    }

    /// A request as the student makes it, with a deadline.
    pub fn call<T>(&self, message: T, within: Duration) -> Request<T> {
        let caller = Caller {
            tenant: "north".to_owned(),
            subject: "ada".to_owned(),
            role: "student".to_owned(),
            groups: vec!["7b".to_owned()],
        };
        CallContext::background(Some(caller), within).request(message)
    }

    pub async fn grade(&self, request: GradeDrillRequest) -> Result<GradeDrillResponse, Fault> {
        self.grade_within(request, Duration::from_secs(60)).await
    }

    pub async fn grade_within(
        &self,
        request: GradeDrillRequest,
        within: Duration,
    ) -> Result<GradeDrillResponse, Fault> {
        let request = self.call(request, within);
        let answer = self.client.clone().grade_drill(request).await;
        answer.map(tonic::Response::into_inner).map_err(fault)
    }

    pub async fn submit(
        &self,
        request: SubmitExamAnswerRequest,
    ) -> Result<SubmitExamAnswerResponse, Fault> {
        let request = self.call(request, Duration::from_secs(60));
        let answer = self.client.clone().submit_exam_answer(request).await;
        answer.map(tonic::Response::into_inner).map_err(fault)
    }

    pub async fn view(
        &self,
        request: RecordSupportViewRequest,
    ) -> Result<RecordSupportViewResponse, Fault> {
        let request = self.call(request, Duration::from_secs(60));
        let answer = self.client.clone().record_support_view(request).await;
        answer.map(tonic::Response::into_inner).map_err(fault)
    }

    pub async fn question(
        &self,
        request: GetExamQuestionRequest,
    ) -> Result<GetExamQuestionResponse, Fault> {
        let request = self.call(request, Duration::from_secs(60));
        let answer = self.client.clone().get_exam_question(request).await;
        answer.map(tonic::Response::into_inner).map_err(fault)
    }

    /// An answer to a new drill.
    pub fn drill(&self, key: &str, answer: &str) -> GradeDrillRequest {
        let (prompt, question_latex) = ("Solve for x.", "2x = 8");
        let claims = DrillClaims {
            tenant: "north",
            student_id: "ada",
            thread_id: "thread-1",
            course_id: "algebra",
            unit_id: UNIT,
            prompt,
            question_latex,
        };
        GradeDrillRequest {
            thread_id: "thread-1".to_owned(),
            course_id: "algebra".to_owned(),
            unit_id: UNIT.to_owned(),
            drill: Some(DrillCard {
                prompt: prompt.to_owned(),
                question_latex: question_latex.to_owned(),
                drill_token: self.tokens.drill(self.clock.now(), &claims, "drill-9"),
            }),
            answer: Some(StudentInput {
                text: answer.to_owned(),
                ..StudentInput::default()
            }),
            idempotency_key: key.to_owned(),
        }
    }

    pub fn offer_token(&self) -> String {
        let claims = OfferClaims {
            tenant: "north",
            student_id: "ada",
            thread_id: "thread-1",
            course_id: "algebra",
            unit_id: UNIT,
            question_id: QUESTION,
            tier: MasteryTier::Bronze,
        };
        self.tokens.offer(self.clock.now(), &claims)
    }

    /// An answer to the offered question.
    pub fn submission(&self, key: &str, option: &str) -> SubmitExamAnswerRequest {
        SubmitExamAnswerRequest {
            thread_id: "thread-1".to_owned(),
            course_id: "algebra".to_owned(),
            unit_id: UNIT.to_owned(),
            question_id: QUESTION.to_owned(),
            tier: MasteryTier::Bronze.into(),
            answer: Some(Answer::OptionId(option.to_owned())),
            is_correct: None,
            offer_token: self.offer_token(),
            idempotency_key: key.to_owned(),
        }
    }

    /// A look at help for the offered question.
    pub fn look(&self, key: &str, kind: SupportKind) -> RecordSupportViewRequest {
        RecordSupportViewRequest {
            thread_id: "thread-1".to_owned(),
            course_id: "algebra".to_owned(),
            unit_id: UNIT.to_owned(),
            question_id: QUESTION.to_owned(),
            kind: kind.into(),
            offer_token: self.offer_token(),
            idempotency_key: key.to_owned(),
        }
    }

    /// The offered question again.
    pub fn again(&self) -> GetExamQuestionRequest {
        GetExamQuestionRequest {
            thread_id: "thread-1".to_owned(),
            course_id: "algebra".to_owned(),
            unit_id: UNIT.to_owned(),
            question_id: QUESTION.to_owned(),
            tier: MasteryTier::Bronze.into(),
            offer_token: self.offer_token(),
        }
    }

    /// The time of day after so many hours, as protobuf writes it.
    pub fn in_hours(&self, hours: i64) -> Option<prost_types::Timestamp> {
        Some(prost_types::Timestamp {
            seconds: self.clock.now().as_second() + hours * 3600,
            nanos: 0,
        })
    }

    /// Lets hours pass.
    pub fn pass_hours(&self, hours: i64) {
        self.clock.advance(hours * 3_600_000_000);
    }
}

fn fault(status: Status) -> Fault {
    Fault::from_status(&status)
}
