//! The processes of a floor, and the calls of a turn.

use std::sync::Arc;

use tokio::net::TcpListener;
use tonic::{
    Request, Response, Status,
    service::Routes,
    transport::{Channel, Server, server::TcpIncoming},
};
use turnwise_kit::client::endpoint;
use turnwise_proto::exam::v1::{
    BatchGetQuestionStatusRequest, BatchGetQuestionStatusResponse, RecordSupportViewRequest,
    RecordSupportViewResponse, SubmitAnswerRequest, SubmitAnswerResponse,
    exam_service_client::ExamServiceClient,
    exam_service_server::{ExamService, ExamServiceServer},
};

use super::{
    Calls, Role,
    echo::{Echo, Peer, not_borrowed, reply_of, request_of},
    store::{Bare, BareRedb, BareRedis, Nothing, Step},
};

/// Serves a role on a free port until the process is ended. Prints `listening floor ADDRESS` when it takes calls.
pub async fn serve(role: Role) {
    let routes = match role {
        Role::Leaf => echo(Nothing),
        Role::Store { redis, bytes } => echo(BareRedis::open(&redis, bytes).await),
        Role::Gateway {
            policy,
            retrieval,
            llm,
            session,
            calls,
        } => front(Gateway {
            policy: over_socket(&policy),
            retrieval: over_socket(&retrieval),
            llm: over_socket(&llm),
            session: over_socket(&session),
            requests: Requests::of(calls),
        }),
        Role::Suite {
            file,
            fsync,
            calls,
            bytes,
        } => {
            let leaf = || ExamServiceClient::new(echo(Nothing).prepare());
            let store = BareRedb::open(&file, fsync, bytes);
            front(Gateway {
                policy: leaf(),
                retrieval: leaf(),
                llm: leaf(),
                session: ExamServiceClient::new(echo(store).prepare()),
                requests: Requests::of(calls),
            })
        }
    };
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    println!("listening floor {address}");
    Server::builder()
        .add_routes(routes)
        .serve_with_incoming(TcpIncoming::from(socket).with_nodelay(Some(true)))
        .await
        .unwrap();
}

/// A bare server that only echoes, for a benchmark that serves it by itself.
pub fn leaf() -> Routes {
    echo(Nothing)
}

fn echo(store: impl Bare) -> Routes {
    Routes::new(ExamServiceServer::new(Echo { store }))
}

fn front(gateway: Gateway<impl Peer>) -> Routes {
    Routes::new(ExamServiceServer::new(gateway))
}

fn over_socket(uri: &str) -> ExamServiceClient<Channel> {
    ExamServiceClient::new(endpoint(uri).unwrap().connect_lazy())
}

/// The messages of a turn's calls, made once.
struct Requests {
    begin_turn: BatchGetQuestionStatusRequest,
    map_message: BatchGetQuestionStatusRequest,
    plan: BatchGetQuestionStatusRequest,
    retrieve: BatchGetQuestionStatusRequest,
    decide: BatchGetQuestionStatusRequest,
    complete: BatchGetQuestionStatusRequest,
    resolve_reply: BatchGetQuestionStatusRequest,
    commit_turn: BatchGetQuestionStatusRequest,
    answer: usize,
}

impl Requests {
    fn of(calls: Calls) -> Arc<Self> {
        Arc::new(Self {
            begin_turn: request_of(calls.begin_turn, Step::Begin),
            map_message: request_of(calls.map_message, Step::None),
            plan: request_of(calls.plan, Step::None),
            retrieve: request_of(calls.retrieve, Step::None),
            decide: request_of(calls.decide, Step::None),
            complete: request_of(calls.complete, Step::None),
            resolve_reply: request_of(calls.resolve_reply, Step::None),
            commit_turn: request_of(calls.commit_turn, Step::Commit),
            answer: calls.turn.response,
        })
    }
}

/// Makes the calls of a turn as the turn gateway does.
struct Gateway<P> {
    policy: P,
    retrieval: P,
    llm: P,
    session: P,
    requests: Arc<Requests>,
}

#[tonic::async_trait]
impl<P: Peer> ExamService for Gateway<P> {
    async fn batch_get_question_status(
        &self,
        _: Request<BatchGetQuestionStatusRequest>,
    ) -> Result<Response<BatchGetQuestionStatusResponse>, Status> {
        let requests = &self.requests;
        self.session.call(&requests.begin_turn).await?;
        self.retrieval.call(&requests.map_message).await?;
        self.policy.call(&requests.plan).await?;
        self.retrieval.call(&requests.retrieve).await?;
        self.policy.call(&requests.decide).await?;
        self.llm.call(&requests.complete).await?;
        self.policy.call(&requests.resolve_reply).await?;
        self.session.call(&requests.commit_turn).await?;
        Ok(Response::new(reply_of(requests.answer)))
    }

    async fn submit_answer(
        &self,
        _: Request<SubmitAnswerRequest>,
    ) -> Result<Response<SubmitAnswerResponse>, Status> {
        Err(not_borrowed())
    }

    async fn record_support_view(
        &self,
        _: Request<RecordSupportViewRequest>,
    ) -> Result<Response<RecordSupportViewResponse>, Status> {
        Err(not_borrowed())
    }
}
