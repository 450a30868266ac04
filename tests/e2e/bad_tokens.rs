//! Tokens that open nothing, and what each of them is told.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use tonic::{Code, Request, Status, metadata::MetadataValue};
use turnwise::data_dir::DataDir;
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    exam::v1::{BatchGetQuestionStatusRequest, exam_service_client::ExamServiceClient},
    llm::v1::{CompleteRequest, llm_gateway_service_client::LlmGatewayServiceClient},
    policy::v1::{ListCoursesRequest, policy_service_client::PolicyServiceClient},
    retrieval::v1::{MapMessageRequest, retrieval_service_client::RetrievalServiceClient},
    session::v1::{GetSnapshotRequest, session_service_client::SessionServiceClient},
    tutor::v1::ListThreadsRequest,
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options, Service},
    refusal::{check_refusal, check_unauthenticated},
    student::{DEMO_COURSE, Student, new_thread, saying},
    token,
};

in_both_deployments!(bad_tokens_open_nothing, other_roles_and_tenants_stay_apart);

async fn bad_tokens_open_nothing(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let dir = &suite.data_dir;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;

    let good = token::claims("ada", Student::CLASS, 3600);
    let with = |key: &str, value: Value| {
        let mut claims = good.clone();
        claims[key] = value;
        token::signed(dir, &token::header(), &claims)
    };
    let without = |key: &str| {
        let mut claims = good.clone();
        claims.as_object_mut().unwrap().remove(key);
        token::signed(dir, &token::header(), &claims)
    };
    let valid = token::signed(dir, &token::header(), &good);
    let parts: Vec<&str> = valid.split('.').collect();
    let [header, payload, signature] = parts[..] else {
        panic!("a token has three parts");
    };

    let mut other_payload = good.clone();
    other_payload["sub"] = json!("eve");
    let tampered_payload = format!("{header}.{}.{signature}", part(&other_payload));
    let mut signature_bytes = BASE64.decode(signature).unwrap();
    signature_bytes[10] ^= 1;
    let tampered_signature = format!("{header}.{payload}.{}", BASE64.encode(signature_bytes));

    // The public key is public: whoever signs with it as a shared secret must not get in.
    let public = token::public_key(dir);
    let symmetric = |secret: &[u8]| {
        let mut header = Header::new(Algorithm::HS256);
        header.kid = token::header().kid;
        encode(&header, &good, &EncodingKey::from_secret(secret)).unwrap()
    };
    let no_algorithm = |alg: &str| {
        format!(
            "{}.{payload}.",
            part(&json!({"alg": alg, "typ": "JWT", "kid": "dev"}))
        )
    };
    let mut unknown_key = token::header();
    unknown_key.kid = Some("another".to_owned());
    let elsewhere = tempfile::tempdir().unwrap();
    let other_issuer = DataDir::create(elsewhere.path()).unwrap();

    let rows = [
        (
            "expired",
            token::signed(dir, &token::header(), &token::claims("ada", "7b", -3600)),
            "expired",
        ),
        (
            "not yet valid",
            with("nbf", json!(4_000_000_000_u64)),
            "expired",
        ),
        (
            "another issuer",
            with("iss", json!("https://elsewhere.example")),
            "issuer",
        ),
        ("no issuer", without("iss"), "claims"),
        (
            "another audience",
            with("aud", json!("another-app")),
            "audience",
        ),
        ("no audience", without("aud"), "claims"),
        ("no expiry", without("exp"), "claims"),
        ("no subject", without("sub"), "claims"),
        ("no role", without("role"), "claims"),
        ("an unknown role", with("role", json!("admin")), "claims"),
        (
            "a subject that is no id",
            with("sub", json!("ada/../eve")),
            "claims",
        ),
        (
            "a tenant that is no id",
            with("tenant", json!("a:b")),
            "claims",
        ),
        (
            "a class that is no id",
            with("classes", json!(["7 b"])),
            "claims",
        ),
        (
            "classes that are no list",
            with("classes", json!("7b")),
            "claims",
        ),
        ("a tampered payload", tampered_payload, "signature"),
        ("a tampered signature", tampered_signature, "signature"),
        (
            "another key under the same id",
            token::signed(&other_issuer, &token::header(), &good),
            "signature",
        ),
        (
            "HS256 with the public key's bytes",
            symmetric(&BASE64.decode(&public).unwrap()),
            "algorithm",
        ),
        (
            "HS256 with the public key's text",
            symmetric(public.as_bytes()),
            "algorithm",
        ),
        ("no algorithm", no_algorithm("none"), "algorithm"),
        ("No algorithm", no_algorithm("None"), "algorithm"),
        (
            "an unknown key id",
            token::signed(dir, &unknown_key, &good),
            "unknown_key",
        ),
        ("no token at all", "x".to_owned(), "malformed"),
        ("two parts", format!("{header}.{payload}"), "malformed"),
    ];
    for (name, bad, cause) in rows {
        println!("{name}");
        let stranger = Student::new("ada", &bad, suite.channel());
        let refused = [
            stranger.turn(saying(&thread, "hello")).await.unwrap_err(),
            stranger
                .create_thread(new_thread(DEMO_COURSE))
                .await
                .unwrap_err(),
            stranger.thread(&thread.thread_id).await.unwrap_err(),
            stranger.standing(DEMO_COURSE).await.unwrap_err(),
            list(&stranger, Some(&format!("Bearer {bad}")))
                .await
                .unwrap_err(),
        ];
        for status in refused {
            check_unauthenticated(&status, cause);
        }
    }
    for (authorization, cause) in [
        (None, "missing"),
        (Some(""), "malformed"),
        (Some("Bearer"), "malformed"),
        (Some("Basic YWRhOmFkYQ=="), "malformed"),
        (Some(valid.as_str()), "malformed"),
    ] {
        let status = list(&ada, authorization).await.unwrap_err();
        check_unauthenticated(&status, cause);
    }
    // The good one was good all the time, and so is another spelling of the scheme.
    list(&ada, Some(&format!("bearer {valid}"))).await.unwrap();
    assert_eq!(ada.threads(20).await, [thread]);
    suite.stop();
}

async fn other_roles_and_tenants_stay_apart(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    for role in ["teacher", "staff", "service"] {
        let token = token::with_role(&suite.data_dir, "ada", Student::CLASS, role);
        let other = Student::new("ada", &token, suite.channel());
        for status in [
            other.turn(saying(&thread, "hello")).await.unwrap_err(),
            other
                .create_thread(new_thread(DEMO_COURSE))
                .await
                .unwrap_err(),
            other.thread(&thread.thread_id).await.unwrap_err(),
        ] {
            let fault = check_refusal(&status, Code::PermissionDenied, Why::PermissionDenied, "");
            assert_eq!(fault.metadata("need"), Some("role student"));
        }
    }
    // The same name in another school is somebody else.
    let mut claims = token::claims("ada", Student::CLASS, 3600);
    claims["tenant"] = json!("another-school");
    let token = token::signed(&suite.data_dir, &token::header(), &claims);
    let namesake = Student::new("ada", &token, suite.channel());
    assert!(namesake.threads(20).await.is_empty());
    let status = namesake.thread(&thread.thread_id).await.unwrap_err();
    check_refusal(&status, Code::NotFound, Why::UnknownThread, "thread_id");
    let status = namesake.turn(saying(&thread, "hello")).await.unwrap_err();
    check_refusal(&status, Code::NotFound, Why::UnknownThread, "thread_id");
    assert_eq!(ada.threads(20).await, [thread]);
    suite.stop();
}

/// Internal services take calls only from the suite's own: a student's token opens none of them, nor does none at all.
#[tokio::test(flavor = "multi_thread")]
async fn internal_services_refuse_students() {
    let mut suite = Deployment::five_processes(Options::new()).await;
    let ada = suite.student("ada");
    let tokens = [
        None,
        Some(ada.token.clone()),
        Some(token::with_role(
            &suite.data_dir,
            "x",
            Student::CLASS,
            "service",
        )),
        Some("x".repeat(43)),
    ];
    for token in tokens {
        for service in Service::INTERNAL {
            let address = suite.at(service).address;
            let channel = tonic::transport::Endpoint::from_shared(format!("http://{address}"))
                .unwrap()
                .connect_lazy();
            for status in internal_calls(service, channel, token.as_deref()).await {
                check_unauthenticated(&status, "internal_token");
            }
        }
    }
    suite.stop();
}

/// The refusals of one call of each gRPC service of a process.
async fn internal_calls(
    service: Service,
    channel: tonic::transport::Channel,
    token: Option<&str>,
) -> Vec<Status> {
    let student_id = "ada".to_owned();
    let course_id = DEMO_COURSE.to_owned();
    match service {
        Service::Policy => {
            let request = carrying(ListCoursesRequest::default(), token);
            vec![
                PolicyServiceClient::new(channel)
                    .list_courses(request)
                    .await
                    .unwrap_err(),
            ]
        }
        Service::Retrieval => {
            let request = carrying(MapMessageRequest::default(), token);
            vec![
                RetrievalServiceClient::new(channel)
                    .map_message(request)
                    .await
                    .unwrap_err(),
            ]
        }
        Service::Llm => {
            let request = carrying(CompleteRequest::default(), token);
            vec![
                LlmGatewayServiceClient::new(channel)
                    .complete(request)
                    .await
                    .unwrap_err(),
            ]
        }
        Service::Session => {
            let snapshot = carrying(
                GetSnapshotRequest {
                    student_id: student_id.clone(),
                    course_id: course_id.clone(),
                },
                token,
            );
            let exam = carrying(
                BatchGetQuestionStatusRequest {
                    student_id,
                    course_id,
                    question_ids: vec!["ALG-01-B1".to_owned()],
                    ..BatchGetQuestionStatusRequest::default()
                },
                token,
            );
            vec![
                SessionServiceClient::new(channel.clone())
                    .get_snapshot(snapshot)
                    .await
                    .unwrap_err(),
                ExamServiceClient::new(channel)
                    .batch_get_question_status(exam)
                    .await
                    .unwrap_err(),
            ]
        }
        Service::Suite | Service::Gateway => panic!("not internal"),
    }
}

fn carrying<T>(message: T, token: Option<&str>) -> Request<T> {
    let mut request = Request::new(message);
    if let Some(token) = token {
        let value: MetadataValue<_> = format!("Bearer {token}").parse().unwrap();
        request.metadata_mut().insert("authorization", value);
    }
    request
}

async fn list(student: &Student, authorization: Option<&str>) -> Result<(), Status> {
    let mut request = Request::new(ListThreadsRequest::default());
    if let Some(authorization) = authorization {
        let value: MetadataValue<_> = authorization.parse().unwrap();
        request.metadata_mut().insert("authorization", value);
    }
    student.client().list_threads(request).await.map(|_| ())
}

/// A JSON value as a part of a token.
fn part(value: &Value) -> String {
    BASE64.encode(value.to_string())
}
