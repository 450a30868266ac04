//! The processes of a floor, and the calls of a turn.

use futures_util::future::try_join_all;
use tokio::net::TcpListener;
use tonic::{
    Request, Response, Status,
    service::Routes,
    transport::{Channel, Server, server::TcpIncoming},
};
use turnwise_kit::client::endpoint;
use turnwise_proto::exam::v1::{
    BatchGetQuestionStatusRequest, BatchGetQuestionStatusResponse, GetQuestionRequest,
    GetQuestionResponse, RecordSupportViewRequest, RecordSupportViewResponse, SubmitAnswerRequest,
    SubmitAnswerResponse,
    exam_service_client::ExamServiceClient,
    exam_service_server::{ExamService, ExamServiceServer},
};

use super::{
    Call, Calls, Role, To,
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
        } => {
            let peers = Peers {
                policy: over_socket(&policy),
                retrieval: over_socket(&retrieval),
                llm: over_socket(&llm),
                session: over_socket(&session),
            };
            front(Gateway::of(&calls, &peers))
        }
        Role::Suite { file, fsync, calls } => {
            let leaf = || ExamServiceClient::new(echo(Nothing).prepare());
            let store = BareRedb::open(&file, fsync, calls.store);
            let peers = Peers {
                policy: leaf(),
                retrieval: leaf(),
                llm: leaf(),
                session: ExamServiceClient::new(echo(store).prepare()),
            };
            front(Gateway::of(&calls, &peers))
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

/// Those behind a gateway.
struct Peers<P> {
    policy: P,
    retrieval: P,
    llm: P,
    session: P,
}

/// Makes the calls of a turn as the turn gateway does.
struct Gateway<P> {
    /// Phase after phase. The messages are made once.
    phases: Vec<Vec<(P, BatchGetQuestionStatusRequest)>>,
    answer: usize,
}

impl<P: Peer> Gateway<P> {
    fn of(calls: &Calls, peers: &Peers<P>) -> Self {
        let prepared = |call: &Call| {
            let (peer, step) = match call.to {
                To::Begin => (&peers.session, Step::Begin),
                To::Commit => (&peers.session, Step::Commit),
                To::Policy => (&peers.policy, Step::None),
                To::Retrieval => (&peers.retrieval, Step::None),
                To::Llm => (&peers.llm, Step::None),
            };
            (peer.clone(), request_of(call.bytes, step))
        };
        let phases = calls.phases.iter();
        Self {
            phases: phases
                .map(|phase| phase.iter().map(prepared).collect())
                .collect(),
            answer: calls.front.response,
        }
    }
}

#[tonic::async_trait]
impl<P: Peer> ExamService for Gateway<P> {
    async fn batch_get_question_status(
        &self,
        _: Request<BatchGetQuestionStatusRequest>,
    ) -> Result<Response<BatchGetQuestionStatusResponse>, Status> {
        for phase in &self.phases {
            try_join_all(phase.iter().map(|(peer, request)| peer.call(request))).await?;
        }
        Ok(Response::new(reply_of(self.answer)))
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

    async fn get_question(
        &self,
        _: Request<GetQuestionRequest>,
    ) -> Result<Response<GetQuestionResponse>, Status> {
        Err(not_borrowed())
    }
}
