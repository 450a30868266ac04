//! What stands on the public port, and what does not; the admin port; what every answer carries.

use bytes::Bytes;
use tonic::{Code, Request, transport::Channel};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};
use turnwise_proto::common::v1::ErrorReason as Why;
use turnwise_tests::{
    admin,
    deployment::Deployment,
    options::{Kind, Options, Service},
    raw,
    refusal::check_refusal,
    student::{DEMO_COURSE, saying},
};
use uuid::Uuid;

const TUTOR: &str = "turnwise.tutor.v1.TutorService";
const HELPER: &str = "turnwise.helper.v1.HelperService";
const PROCEDURES: &str = "turnwise.procedure.v1.ProcedureHelpService";
const PLACEMENT: &str = "turnwise.placement.v1.PlacementService";
const QUEUES: &str = "turnwise.llm.v1.LlmQueueService";
const CONTEXT: &str = "turnwise.context.v1.ContextService";
const EXPLAIN: &str = "turnwise.explain.v1.ExplainService";
const CLASSES: &str = "turnwise.school.v1.ClassService";
const RECORDS: &str = "turnwise.school.v1.StudentRecordsService";
const INDEX: &str = "turnwise.retrieval.v1.IndexService";

in_every_deployment!(nothing_else_is_public);
in_both_deployments!(
    health_and_reflection_need_no_token,
    metrics_count_calls_and_request_ids_travel,
);

async fn health(channel: &Channel, service: &str) -> Result<ServingStatus, Code> {
    let request = HealthCheckRequest {
        service: service.to_owned(),
    };
    HealthClient::new(channel.clone())
        .check(request)
        .await
        .map(|response| response.into_inner().status())
        .map_err(|status| status.code())
}

async fn reflect(channel: &Channel, question: MessageRequest) -> Result<MessageResponse, Code> {
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(question),
    };
    let mut answers = ServerReflectionClient::new(channel.clone())
        .server_reflection_info(tokio_stream::once(request))
        .await
        .unwrap()
        .into_inner();
    let answer = answers.message().await.map_err(|status| status.code())?;
    Ok(answer.unwrap().message_response.unwrap())
}

async fn listed(channel: &Channel) -> Vec<String> {
    let question = MessageRequest::ListServices(String::new());
    let Ok(MessageResponse::ListServicesResponse(list)) = reflect(channel, question).await else {
        panic!("no list");
    };
    let mut names: Vec<_> = list.service.into_iter().map(|s| s.name).collect();
    names.sort();
    names
}

async fn health_and_reflection_need_no_token(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let channel = suite.channel();
    for service in [
        "", TUTOR, CONTEXT, HELPER, CLASSES, RECORDS, EXPLAIN, QUEUES, INDEX, PROCEDURES, PLACEMENT,
    ] {
        assert_eq!(health(&channel, service).await, Ok(ServingStatus::Serving));
    }
    assert_eq!(
        health(&channel, "turnwise.policy.v1.PolicyService").await,
        Err(Code::NotFound)
    );
    let names = listed(&channel).await;
    let ours: Vec<_> = names
        .iter()
        .filter(|name| !name.starts_with("grpc."))
        .collect();
    assert_eq!(
        ours,
        [
            CONTEXT, EXPLAIN, HELPER, QUEUES, PLACEMENT, PROCEDURES, INDEX, CLASSES, RECORDS, TUTOR
        ],
        "{names:?}"
    );
    assert!(names.iter().any(|name| name == "grpc.health.v1.Health"));

    // A client can learn the whole contract of the public face from the port, and nothing of what is behind it.
    let ask = |symbol: &str| {
        reflect(
            &channel,
            MessageRequest::FileContainingSymbol(symbol.to_owned()),
        )
    };
    for symbol in [
        TUTOR,
        HELPER,
        EXPLAIN,
        QUEUES,
        INDEX,
        CLASSES,
        RECORDS,
        "turnwise.common.v1.ErrorReason",
    ] {
        assert!(matches!(
            ask(symbol).await,
            Ok(MessageResponse::FileDescriptorResponse(_))
        ));
    }
    for symbol in [
        "turnwise.policy.v1.PolicyService",
        "turnwise.retrieval.v1.RetrievalService",
        "turnwise.session.v1.SessionService",
        "turnwise.llm.v1.LlmGatewayService",
    ] {
        assert_eq!(ask(symbol).await, Err(Code::NotFound));
    }

    if kind == Kind::FiveProcesses {
        for (service, name) in [
            (Service::Policy, "turnwise.policy.v1.PolicyService"),
            (Service::Retrieval, "turnwise.retrieval.v1.RetrievalService"),
            (Service::Retrieval, INDEX),
            (Service::Llm, "turnwise.llm.v1.LlmGatewayService"),
            (Service::Session, "turnwise.session.v1.SessionService"),
        ] {
            let address = suite.at(service).address;
            let channel = Channel::from_shared(format!("http://{address}"))
                .unwrap()
                .connect_lazy();
            assert_eq!(health(&channel, name).await, Ok(ServingStatus::Serving));
            assert_eq!(health(&channel, "").await, Ok(ServingStatus::Serving));
            assert!(listed(&channel).await.iter().any(|listed| listed == name));
        }
    }
    suite.stop();
}

async fn nothing_else_is_public(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    for path in [
        "/turnwise.tutor.v1.TutorService/Nope",
        "/turnwise.tutor.v2.TutorService/TakeTurn",
        "/turnwise.policy.v1.PolicyService/Plan",
        "/turnwise.policy.v1.PolicyService/ListCourses",
        "/turnwise.retrieval.v1.RetrievalService/Retrieve",
        "/turnwise.retrieval.v1.RetrievalService/ExtractArtifact",
        "/turnwise.retrieval.v1.IndexService/Nope",
        "/turnwise.llm.v1.LlmGatewayService/Complete",
        "/turnwise.session.v1.SessionService/GetSnapshot",
        "/turnwise.session.v1.SessionService/CommitEvidence",
        "/turnwise.exam.v1.ExamService/BatchGetQuestionStatus",
        "/x",
    ] {
        println!("{path}");
        let status = raw::call(&ada.channel, path, ada.request(Bytes::new()))
            .await
            .unwrap_err();
        check_refusal(&status, Code::Unimplemented, Why::UnknownMethod, "");
    }
    suite.stop();
}

/// What a turn calls behind the gateway.
const INSIDE: [(Service, &str); 7] = [
    (
        Service::Session,
        "/turnwise.session.v1.SessionService/BeginTurn",
    ),
    (
        Service::Session,
        "/turnwise.session.v1.SessionService/CommitTurn",
    ),
    (
        Service::Policy,
        "/turnwise.policy.v1.PolicyService/PlanAndDecide",
    ),
    (
        Service::Policy,
        "/turnwise.policy.v1.PolicyService/ResolveReply",
    ),
    (
        Service::Retrieval,
        "/turnwise.retrieval.v1.RetrievalService/MapMessage",
    ),
    (
        Service::Retrieval,
        "/turnwise.retrieval.v1.RetrievalService/Retrieve",
    ),
    (Service::Llm, "/turnwise.llm.v1.LlmGatewayService/Complete"),
];

async fn metrics_count_calls_and_request_ids_travel(kind: Kind) {
    let options = Options::new().env("ADMIN_LISTEN", "127.0.0.1:0").env(
        "LOG_FILTER",
        "turnwise=debug,turnwise_kit=debug,turnwise_gateway_svc=debug",
    );
    let mut suite = Deployment::start(kind, options).await;
    // The first turn of a kind makes its schema known, and calls twice for it.
    let mia = suite.student("mia");
    let first = saying(&mia.open(DEMO_COURSE).await, "hello");
    mia.turn(first).await.unwrap();
    let calls = async |suite: &Deployment| {
        let mut calls = Vec::new();
        for (service, method) in INSIDE {
            let at = suite.at(service).admin.unwrap();
            calls.push(admin::handled(at, method, "OK").await);
        }
        calls
    };
    let before = calls(&suite).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;

    let mut request = ada.request(saying(&thread, "hello"));
    let id = "my-request-4711";
    request
        .metadata_mut()
        .insert("x-request-id", id.parse().unwrap());
    let response = ada.client().take_turn(request).await.unwrap();
    assert_eq!(response.metadata().get("x-request-id").unwrap(), id);

    // A call without one, or with one that nobody should write into a log, gets a fresh one; refusals carry it, too.
    for given in [None, Some("two words"), Some("")] {
        let mut request = Request::new(saying(&thread, "hello"));
        if let Some(given) = given {
            request
                .metadata_mut()
                .insert("x-request-id", given.parse().unwrap());
        }
        let status = ada.client().take_turn(request).await.unwrap_err();
        let made = status.metadata().get("x-request-id").unwrap();
        Uuid::parse_str(made.to_str().unwrap()).unwrap();
    }

    let gateway = suite.at(Service::Gateway).admin.unwrap();
    let method = format!("/{TUTOR}/TakeTurn");
    assert_eq!(admin::handled(gateway, &method, "OK").await, 2);
    assert_eq!(admin::handled(gateway, &method, "UNAUTHENTICATED").await, 3);
    // A turn asks each of them exactly once.
    let once: Vec<_> = before.iter().map(|calls| calls + 1).collect();
    assert_eq!(calls(&suite).await, once, "{INSIDE:?}");
    for service in suite.services() {
        let at = suite.at(service).admin.unwrap();
        for (path, body) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
            assert_eq!(admin::get(at, path).await, (200, body.to_owned()));
        }
        assert_eq!(admin::get(at, "/").await.0, 404);
    }
    suite.stop();
}
