//! A small service whose behaviour a test chooses, served in process and over TCP with the same stack.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tonic::{
    Request, Response, Status,
    service::Routes,
    transport::{Channel, Endpoint},
};
use turnwise_kit::{
    CallContext, Caller, Gzip, Kit,
    admin::Readiness,
    caller::InternalToken,
    client::{ClientOptions, GrpcClient, connect, local},
    connections::ConnectionLimits,
    server::{self, Listener, Running},
    stack::{DeadlineRule, InternalAuth, Stack},
    tls::Tls,
};
use turnwise_proto::exam::v1::{
    BatchGetQuestionStatusRequest, BatchGetQuestionStatusResponse, GetQuestionRequest,
    GetQuestionResponse, QuestionStatus, RecordSupportViewRequest, RecordSupportViewResponse,
    SubmitAnswerRequest, SubmitAnswerResponse,
    exam_service_client::ExamServiceClient,
    exam_service_server::{ExamService, ExamServiceServer},
};

pub const TOKEN: &str = "a-token-of-at-least-thirty-two-characters";

pub struct Probe;

#[tonic::async_trait]
impl ExamService for Probe {
    async fn batch_get_question_status(
        &self,
        request: Request<BatchGetQuestionStatusRequest>,
    ) -> Result<Response<BatchGetQuestionStatusResponse>, Status> {
        let context = CallContext::of(&request);
        match request.get_ref().course_id.as_str() {
            "panic" => panic!("planned"),
            "stall" => std::future::pending().await,
            _ => {}
        }
        // Tells what it saw, as ids.
        let caller = context.caller_opt();
        let saw = [
            caller.map_or("nobody".to_owned(), |c| {
                format!("{}/{}", c.tenant, c.subject)
            }),
            context.request_id().unwrap_or("none").to_owned(),
            context
                .remaining()
                .map_or("none".to_owned(), |d| d.as_millis().to_string()),
        ];
        Ok(Response::new(BatchGetQuestionStatusResponse {
            statuses: saw
                .into_iter()
                .map(|question_id| QuestionStatus {
                    question_id,
                    ..QuestionStatus::default()
                })
                .collect(),
        }))
    }

    async fn submit_answer(
        &self,
        _: Request<SubmitAnswerRequest>,
    ) -> Result<Response<SubmitAnswerResponse>, Status> {
        Ok(Response::new(Default::default()))
    }

    async fn record_support_view(
        &self,
        _: Request<RecordSupportViewRequest>,
    ) -> Result<Response<RecordSupportViewResponse>, Status> {
        Ok(Response::new(Default::default()))
    }

    async fn get_question(
        &self,
        _: Request<GetQuestionRequest>,
    ) -> Result<Response<GetQuestionResponse>, Status> {
        Ok(Response::new(Default::default()))
    }
}

pub fn stack(kit: &Kit, max_in_flight: usize) -> Stack {
    Stack {
        metrics: kit.metrics.clone(),
        auth: Arc::new(InternalAuth::token(InternalToken::new(TOKEN).unwrap())),
        deadline: DeadlineRule::default(),
        max_in_flight,
        drain: kit.drain.clone(),
    }
}

pub fn routes() -> Routes {
    Routes::new(ExamServiceServer::new(Probe).accept_compressed(Gzip))
}

pub fn options(token: &str) -> ClientOptions {
    ClientOptions {
        peer: "probe",
        token: InternalToken::new(token),
    }
}

pub fn in_process(kit: &Kit, max_in_flight: usize) -> ExamServiceClient<GrpcClient> {
    ExamServiceClient::new(local(
        stack(kit, max_in_flight).around(routes()),
        options(TOKEN),
    ))
}

pub async fn serve(kit: &Kit) -> Running {
    serve_with(kit, ConnectionLimits::default()).await
}

pub async fn serve_with(kit: &Kit, connections: ConnectionLimits) -> Running {
    start(kit, connections, None).await
}

/// With certificates, of which every client must show one.
pub async fn serve_tls(kit: &Kit, tls: &Tls) -> Running {
    start(kit, ConnectionLimits::default(), Some(tls.clone())).await
}

async fn start(kit: &Kit, connections: ConnectionLimits, tls: Option<Tls>) -> Running {
    server::start(
        Listener {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            setting: "LISTEN",
            services: vec!["turnwise.exam.v1.ExamService"],
            routes: routes(),
            stack: stack(kit, 100),
            client_certificates: tls.is_some(),
            tls,
            connections,
            drain_delay: Duration::ZERO,
            drain_timeout: Duration::from_secs(5),
        },
        kit,
        Readiness::default(),
    )
    .await
    .unwrap()
}

pub fn over_tcp(kit: &Kit, address: SocketAddr) -> ExamServiceClient<GrpcClient> {
    ExamServiceClient::new(
        connect(&format!("http://{address}"), None, options(TOKEN), kit).unwrap(),
    )
}

pub fn ask(course: &str) -> BatchGetQuestionStatusRequest {
    BatchGetQuestionStatusRequest {
        course_id: course.to_owned(),
        ..BatchGetQuestionStatusRequest::default()
    }
}

pub fn student() -> Caller {
    Caller {
        tenant: "north".to_owned(),
        subject: "ada".to_owned(),
        role: "student".to_owned(),
        groups: vec!["7b".to_owned()],
    }
}

/// Longer than anything here takes; what runs into it hangs.
pub const NEVER: Duration = Duration::from_secs(30);

/// One connection, without the suite's client around it.
pub async fn channel(address: SocketAddr) -> Channel {
    Endpoint::from_shared(format!("http://{address}"))
        .unwrap()
        .connect()
        .await
        .unwrap()
}

/// Waits until the metrics hold this line.
pub async fn shows(kit: &Kit, line: &str) {
    let seen = async {
        while !kit.metrics.encode().contains(line) {
            tokio::task::yield_now().await;
        }
    };
    if tokio::time::timeout(NEVER, seen).await.is_err() {
        panic!("no `{line}` in\n{}", kit.metrics.encode());
    }
}
