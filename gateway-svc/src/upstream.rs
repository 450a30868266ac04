//! The services behind the gateway.

use turnwise_kit::{
    Kit,
    caller::InternalToken,
    client::{ClientOptions, ConnectError, GrpcClient, Tls, connect},
};
use turnwise_proto::{
    exam::v1::exam_service_client::ExamServiceClient,
    llm::v1::{
        llm_gateway_service_client::LlmGatewayServiceClient,
        llm_queue_service_client::LlmQueueServiceClient,
    },
    policy::v1::policy_service_client::PolicyServiceClient,
    retrieval::v1::{
        index_service_client::IndexServiceClient, retrieval_service_client::RetrievalServiceClient,
    },
    session::v1::{
        session_admin_service_client::SessionAdminServiceClient,
        session_service_client::SessionServiceClient,
    },
};

use crate::config::Endpoints;

/// Clients of the services behind the gateway. Cheap to clone.
#[derive(Clone)]
pub struct Upstreams {
    /// Decisions.
    pub policy: PolicyServiceClient<GrpcClient>,
    /// Search.
    pub retrieval: RetrievalServiceClient<GrpcClient>,
    /// Uploads to courses, and the state of their indexes.
    pub index: IndexServiceClient<GrpcClient>,
    /// Models.
    pub llm: LlmGatewayServiceClient<GrpcClient>,
    /// The lines in front of models.
    pub llm_queue: LlmQueueServiceClient<GrpcClient>,
    /// State.
    pub session: SessionServiceClient<GrpcClient>,
    /// State, as far as staff and maintenance deal with it.
    pub session_admin: SessionAdminServiceClient<GrpcClient>,
    /// The exam system.
    pub exam: ExamServiceClient<GrpcClient>,
}

impl Upstreams {
    /// Clients over these transports.
    pub fn new(
        policy: GrpcClient,
        retrieval: GrpcClient,
        llm: GrpcClient,
        session: GrpcClient,
        exam: GrpcClient,
    ) -> Self {
        Self {
            policy: PolicyServiceClient::new(policy),
            retrieval: RetrievalServiceClient::new(retrieval.clone()),
            index: IndexServiceClient::new(retrieval),
            llm: LlmGatewayServiceClient::new(llm.clone()),
            llm_queue: LlmQueueServiceClient::new(llm),
            session: SessionServiceClient::new(session.clone()),
            session_admin: SessionAdminServiceClient::new(session),
            exam: ExamServiceClient::new(exam),
        }
    }

    /// Clients over sockets. They connect when they are first used.
    pub fn connect(
        endpoints: &Endpoints,
        tls: Option<&Tls>,
        token: Option<InternalToken>,
        kit: &Kit,
    ) -> Result<Self, ConnectError> {
        let to = |peer: &'static str, endpoint: &str| {
            let options = ClientOptions {
                peer,
                token: token.clone(),
            };
            connect(endpoint, tls, options, kit)
        };
        let session = to("session-svc", &endpoints.session_endpoint)?;
        let exam = match &endpoints.exam_endpoint {
            Some(endpoint) => to("exam system", endpoint)?,
            None => session.clone(),
        };
        Ok(Self::new(
            to("policy-svc", &endpoints.policy_endpoint)?,
            to("retrieval-svc", &endpoints.retrieval_endpoint)?,
            to("llm-gateway-svc", &endpoints.llm_gateway_endpoint)?,
            session,
            exam,
        ))
    }
}
