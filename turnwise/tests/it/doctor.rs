//! `turnwise doctor` asks a platform's exam system as the gateway would, with no token but the one that is for it, and holds
//! the longest prompt against Ollama's context window.

use std::{
    path::{Path, PathBuf},
    process::Output,
    sync::{Arc, Mutex},
};

use tokio::{net::TcpListener, process::Command};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};
use turnwise_proto::exam::v1::{
    BatchGetQuestionStatusRequest, BatchGetQuestionStatusResponse, GetQuestionRequest,
    GetQuestionResponse, RecordSupportViewRequest, RecordSupportViewResponse, SubmitAnswerRequest,
    SubmitAnswerResponse,
    exam_service_server::{ExamService, ExamServiceServer},
};

const EXAM_TOKEN: &str = "the-exam-system-knows-the-gateway-by-this";
const INTERNAL_TOKEN: &str = "only-the-services-of-the-suite-know-this";

/// A platform's exam system that remembers the tokens that it was given.
#[derive(Clone, Default)]
struct Exams {
    tokens: Arc<Mutex<Vec<Option<String>>>>,
}

impl Exams {
    /// Starts it on a free port and tells its address.
    async fn start(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(
            tonic::transport::Server::builder()
                .add_service(ExamServiceServer::new(self.clone()))
                .serve_with_incoming(TcpListenerStream::new(listener)),
        );
        endpoint
    }
}

#[tonic::async_trait]
impl ExamService for Exams {
    async fn batch_get_question_status(
        &self,
        request: Request<BatchGetQuestionStatusRequest>,
    ) -> Result<Response<BatchGetQuestionStatusResponse>, Status> {
        let given = request.metadata().get("authorization");
        let given = given.map(|value| value.to_str().unwrap().to_owned());
        let known = given == Some(format!("Bearer {EXAM_TOKEN}"));
        self.tokens.lock().unwrap().push(given);
        if known {
            Ok(Response::new(BatchGetQuestionStatusResponse::default()))
        } else {
            Err(Status::unauthenticated("not for this token"))
        }
    }

    async fn submit_answer(
        &self,
        _: Request<SubmitAnswerRequest>,
    ) -> Result<Response<SubmitAnswerResponse>, Status> {
        Err(Status::unimplemented("not asked for"))
    }

    async fn record_support_view(
        &self,
        _: Request<RecordSupportViewRequest>,
    ) -> Result<Response<RecordSupportViewResponse>, Status> {
        Err(Status::unimplemented("not asked for"))
    }

    async fn get_question(
        &self,
        _: Request<GetQuestionRequest>,
    ) -> Result<Response<GetQuestionResponse>, Status> {
        Err(Status::unimplemented("not asked for"))
    }
}

async fn doctor(endpoint: &str, internal_token: &Path, more: &[&str]) -> Output {
    let courses = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../courses");
    Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .args(["doctor", "--helper-llm-backend", "none"])
        .arg("--courses-dir")
        .arg(courses)
        .args(["--exam-endpoint", endpoint])
        .arg("--internal-token-file")
        .arg(internal_token)
        .args(more)
        .env_clear()
        .output()
        .await
        .unwrap()
}

#[tokio::test]
async fn an_exam_system_gets_its_own_token_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let internal = dir.path().join("internal-token");
    turnwise_testing::write_secret(&internal, INTERNAL_TOKEN).unwrap();
    let own = dir.path().join("exam-token");
    turnwise_testing::write_secret(&own, EXAM_TOKEN).unwrap();
    let exams = Exams::default();
    let endpoint = exams.start().await;

    let refused = doctor(&endpoint, &internal, &[]).await;
    let said = String::from_utf8(refused.stdout).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(
        said.contains(&format!(
            "FAIL  exam system at {endpoint}: refuses the gateway's token: give both the same EXAM_TOKEN_FILE\n"
        )),
        "{said}"
    );

    let own = own.display().to_string();
    let taken = doctor(&endpoint, &internal, &["--exam-token-file", &own]).await;
    let said = String::from_utf8(taken.stdout).unwrap();
    assert_eq!(taken.status.code(), Some(0), "{said}");
    assert!(
        said.contains(&format!("ok    exam system at {endpoint}: answers\n")),
        "{said}"
    );
    assert_eq!(
        *exams.tokens.lock().unwrap(),
        [None, Some(format!("Bearer {EXAM_TOKEN}"))]
    );
}

#[tokio::test]
async fn the_longest_prompt_and_its_reply_fit_into_the_context_window() {
    const OLLAMA: &str = "--helper-llm-backend=ollama";
    const LONG: &str = "--prompt-max-tokens=8000";
    let courses = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../courses");
    let fits = |tokens: &str| format!("ok    context window of Ollama: {tokens} tokens at most\n");
    let too_long = "hint  context window of Ollama: PROMPT_MAX_TOKENS=8000 and the reply may need 8864 tokens, more than \
                    OLLAMA_NUM_CTX=4096, and what does not fit is cut off: raise OLLAMA_NUM_CTX to 8864, or lower \
                    PROMPT_MAX_TOKENS to 3459\n";
    let too_small = "hint  context window of Ollama: PROMPT_MAX_TOKENS=3400 and the reply may need 4034 tokens, more than \
                     OLLAMA_NUM_CTX=1500, and what does not fit is cut off: raise OLLAMA_NUM_CTX to 4034\n";
    let cases: [(&[&str], Option<String>); 7] = [
        (&[OLLAMA], Some(fits("4034 of 4096"))),
        (&[OLLAMA, LONG], Some(too_long.to_owned())),
        (
            &[OLLAMA, "--ollama-num-ctx=1500"],
            Some(too_small.to_owned()),
        ),
        (
            &[OLLAMA, LONG, "--ollama-num-ctx=8864"],
            Some(fits("8864 of 8864")),
        ),
        (&[OLLAMA, LONG, "--ollama-num-ctx=0"], None),
        (&["--helper-llm-backend=none", LONG], None),
        (
            &[
                "--helper-llm-backend=mock",
                "--llm-allow-mock=1",
                "--llm-failover=ollama",
                LONG,
            ],
            Some(too_long.to_owned()),
        ),
    ];
    for (settings, expected) in cases {
        // Nobody listens at Ollama's address, which is a fault of its own.
        let output = Command::new(env!("CARGO_BIN_EXE_turnwise"))
            .args(["doctor", "--ollama-base-url=http://127.0.0.1:1"])
            .arg("--courses-dir")
            .arg(&courses)
            .args(settings)
            .env_clear()
            .output()
            .await
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        match expected {
            Some(line) => assert!(said.contains(&line), "{settings:?}: {said}"),
            None => assert!(!said.contains("context window"), "{settings:?}: {said}"),
        }
    }
}
