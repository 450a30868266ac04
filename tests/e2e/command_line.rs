//! What people type: `turnwise turn`, `chat` and `token` against a running suite.

use std::{
    io::Write,
    path::Path,
    process::{Output, Stdio},
    time::Duration,
};

use axum::{
    Router,
    routing::{get, post},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use turnwise_testing::model_server::Settings;
use turnwise_tests::{
    deployment::Deployment,
    model_server::ModelServerProcess,
    options::{Kind, Options, Service},
    process::{Process, Program, binary, clean_command},
    student::{DEMO_COURSE, Student},
};
use uuid::Uuid;

in_both_deployments!(
    one_turn_as_json,
    a_conversation_in_the_terminal,
    a_placement_in_the_terminal
);

fn turnwise(home: &Path, args: &[&str], typed: &str) -> Output {
    let mut child = clean_command(&binary("turnwise"), home)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(typed.as_bytes()).unwrap();
    drop(input);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Who speaks and where to. One process leaves a note of where its key is; five are told.
fn ids(suite: &Deployment) -> Vec<String> {
    let mut args: Vec<String> = [
        "--endpoint",
        &suite.endpoint(),
        "--student",
        "ada",
        "--class",
        Student::CLASS,
        "--course",
        DEMO_COURSE,
    ]
    .map(str::to_owned)
    .into();
    if suite.kind == Kind::FiveProcesses {
        args.push("--data-dir".to_owned());
        args.push(suite.data_dir.root().display().to_string());
    }
    args
}

fn turn(suite: &Deployment, more: &[&str]) -> Output {
    let ids = ids(suite);
    let mut args: Vec<&str> = vec!["turn"];
    args.extend(ids.iter().map(String::as_str));
    args.extend(more);
    turnwise(suite.home(), &args, "")
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(bytes)))
}

async fn one_turn_as_json(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let output = turn(
        &suite,
        &["--text", "how do I add negative numbers?", "--json"],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(output.stderr.is_empty());
    let first = json(&output.stdout);
    Uuid::parse_str(first["turnId"].as_str().unwrap()).unwrap();
    let thread_id = first["threadId"].as_str().unwrap();
    let messages = first["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0]["id"], 1);
    assert_eq!(messages[0]["role"], "user");
    assert_eq!(messages[0]["text"], "how do I add negative numbers?");
    assert_eq!(messages[1]["role"], "assistant");
    assert_eq!(messages[1]["threadId"], thread_id);
    assert!(first["snapshotLite"]["focus"]["unitId"].is_string());
    assert!(first["snapshotLite"]["progress"]["total"].as_i64().unwrap() > 0);
    assert_eq!(first["degradedReasons"], Value::Array(Vec::new()));

    // The thread goes on; a button; and the same key again.
    let again = [
        "--thread",
        thread_id,
        "--event",
        "request_drill",
        "--unit",
        "ALG-01",
        "--key",
        "my-key",
        "--json",
    ];
    let output = turn(&suite, &again);
    let second = json(&output.stdout);
    assert_eq!(second["threadId"], thread_id);
    assert_eq!(second["messages"][1]["id"], 4);
    assert_eq!(second["messages"][1]["card"]["type"], "DRILL");
    assert_eq!(second["messages"][1]["card"]["unitId"], "ALG-01");
    assert_eq!(turn(&suite, &again).stdout, output.stdout);

    // A refusal is JSON, too, and a failure.
    let unknown = Uuid::new_v4().to_string();
    for (args, reason, code, field) in [
        (
            vec!["--text", "  "],
            "INVALID_TEXT",
            "INVALID_ARGUMENT",
            "input.text",
        ),
        (vec![], "MISSING_MESSAGE", "INVALID_ARGUMENT", "input"),
        (
            vec!["--text", "x", "--latex", "x"],
            "MISSING_MESSAGE",
            "INVALID_ARGUMENT",
            "input",
        ),
        (
            vec!["--text", "x", "--thread", unknown.as_str()],
            "UNKNOWN_THREAD",
            "NOT_FOUND",
            "thread_id",
        ),
    ] {
        let output = turn(&suite, &[args.as_slice(), &["--json"]].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        let error = &json(&output.stderr)["error"];
        assert_eq!(error["reason"], reason);
        assert_eq!(error["code"], code);
        assert_eq!(error["fields"][0], field);
        assert!(!error["message"].as_str().unwrap().is_empty());
    }
    // Without --json it is a sentence.
    let output = turn(&suite, &["--text", " "]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("refused: INVALID_TEXT: "));

    // Nobody there: the reason says so. The note of where the key is has gone with the process.
    suite.process(suite.public_service()).stop();
    let data_dir = suite.data_dir.root().display().to_string();
    let mut args = vec!["--text", "hello", "--json"];
    if kind == Kind::OneProcess {
        args.extend(["--data-dir", &data_dir]);
    }
    let output = turn(&suite, &args);
    assert_eq!(output.status.code(), Some(1));
    let error = &json(&output.stderr)["error"];
    assert_eq!(error["reason"], "DEPENDENCY_UNAVAILABLE");
    assert!(error["retryAfterMs"].as_u64().unwrap() > 0);
}

async fn a_conversation_in_the_terminal(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let ids = ids(&suite);
    let mut args: Vec<&str> = vec!["chat"];
    args.extend(ids.iter().map(String::as_str));
    let typed = "why does minus a minus make a plus?\n\n$ -3 - (-8)\n \u{7}\n/1\n/quit\n";
    let output = turnwise(suite.home(), &args, typed);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let thread_id = shown
        .lines()
        .find_map(|line| line.strip_prefix("thread "))
        .unwrap();
    assert!(shown.contains("refused: INVALID_TEXT"), "{shown}");

    let ada = suite.student("ada");
    let messages = ada.messages(thread_id, 50).await;
    let said: Vec<_> = messages.iter().step_by(2).collect();
    assert_eq!(said.len(), 3);
    assert_eq!(said[0].text, "why does minus a minus make a plus?");
    assert_eq!(said[1].latex, "-3 - (-8)");
    // The number was the first button of the answer before it.
    assert_eq!(said[2].event, messages[3].buttons[0].event);
    for answer in messages.iter().skip(1).step_by(2) {
        let begin: String = answer
            .text
            .split_whitespace()
            .take(4)
            .collect::<Vec<_>>()
            .join(" ");
        assert!(shown.contains(&begin), "{begin} is not in\n{shown}");
    }
    suite.stop();
}

/// A minted token opens the public face; a key is never made where there is none to be found.
#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_minted_from_the_key_that_up_made() {
    let mut suite = Deployment::one_process(Options::new()).await;
    let data_dir = suite.data_dir.root().display().to_string();
    let args = [
        "token",
        "--data-dir",
        &data_dir,
        "--student",
        "ada",
        "--class",
        "7b",
    ];
    let output = turnwise(suite.home(), &args, "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let token = text(&output.stdout).trim().to_owned();
    let ada = Student::new("ada", &token, suite.channel());
    ada.open(DEMO_COURSE).await;

    let output = turnwise(
        suite.home(),
        &[
            "token",
            "--data-dir",
            &data_dir,
            "--student",
            "a b",
            "--class",
            "7b",
        ],
        "",
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("`a b` is no id"));

    // A token in a file works without any key.
    let file = suite.home().join("token");
    std::fs::write(&file, format!("{token}\n")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let endpoint = suite.endpoint();
    let mut args = vec![
        "turn",
        "--endpoint",
        &endpoint,
        "--student",
        "ada",
        "--class",
        "7b",
        "--course",
        DEMO_COURSE,
        "--text",
        "hello",
        "--json",
    ];
    let output = turnwise(elsewhere.path(), &args, "");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("--data-dir"),
        "{}",
        text(&output.stderr)
    );
    let file = file.display().to_string();
    args.extend(["--token-file", &file]);
    let output = turnwise(elsewhere.path(), &args, "");
    assert!(output.status.success(), "{}", text(&output.stderr));

    // What `up` prints names what to type next; its key is nobody else's to read.
    let printed = suite.process(Service::Suite).stdout().all().join("\n");
    assert!(
        printed.contains("turnwise chat --endpoint http://127.0.0.1:"),
        "{printed}"
    );
    let key = suite.data_dir.root().join("keys/dev-signing-key.pk8");
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(key).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    suite.stop();
}

#[test]
fn the_doctor_says_what_works_and_what_does_not() {
    let home = tempfile::tempdir().unwrap();
    let courses = concat!(env!("CARGO_MANIFEST_DIR"), "/../courses");
    let doctor = |more: &[&str]| {
        let args = [&["doctor", "--courses-dir", courses], more].concat();
        turnwise(home.path(), &args, "")
    };
    let none = doctor(&["--helper-llm-backend", "none"]);
    let said = text(&none.stdout);
    assert!(none.status.success(), "{said}");
    assert!(said.contains("ok    model: none is called"), "{said}");

    let well = doctor(&["--helper-llm-backend", "mock", "--llm-allow-mock", "1"]);
    let said = text(&well.stdout);
    assert!(well.status.success(), "{said}");
    assert!(said.contains("ok    courses in"), "{said}");
    assert!(said.contains("ok    model mock/mock: answers"), "{said}");
    assert!(
        said.contains("ok    embeddings mock/mock: answers"),
        "{said}"
    );

    // A name that no machine has: the model is not even looked up.
    let remote = doctor(&[
        "--helper-llm-backend",
        "openai_compatible",
        "--openai-base-url",
        "http://models.invalid.example:8080",
    ]);
    let said = text(&remote.stdout);
    assert!(!remote.status.success());
    assert!(
        said.contains(
            "nobody has agreed to send text there; name `openai_compatible` in HELPER_REMOTE_MODE_ACKNOWLEDGED"
        ),
        "{said}"
    );
    let away = doctor(&[
        "--helper-llm-backend",
        "ollama",
        "--ollama-base-url",
        "http://127.0.0.1:1",
        "--llm-redis-url",
        "redis://127.0.0.1:1",
    ]);
    let said = text(&away.stdout);
    assert!(!away.status.success());
    assert_eq!(said.matches("FAIL").count(), 3, "{said}");
}

/// A model server, as far as the doctor asks for it: llama.cpp's, which has properties, or another. Gives its address.
async fn compatible_server(is_llama_cpp: bool) -> String {
    const SAID: &str = concat!(
        "data: {\"choices\": [{\"delta\": {\"content\": \"Hello.\"}, \"finish_reason\": \"stop\"}]}\n\n",
        "data: [DONE]\n\n"
    );
    let vectors = json!({"data": [{"index": 0, "embedding": [0.5, 0.5]}]});
    let mut router = Router::new()
        .route("/v1/chat/completions", post(|| async { SAID }))
        .route(
            "/v1/embeddings",
            post(move || async move { vectors.to_string() }),
        );
    if is_llama_cpp {
        let properties = json!({"default_generation_settings": {}, "total_slots": 1});
        router = router.route("/props", get(move || async move { properties.to_string() }));
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// Whether the settings know which server it is; what could be better fails nothing.
#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_knows_llama_cpp() {
    let home = tempfile::tempdir().unwrap();
    let courses = concat!(env!("CARGO_MANIFEST_DIR"), "/../courses");
    for (is_llama_cpp, server, says) in [
        (
            true,
            "any",
            Some("hint  OPENAI_COMPATIBLE_SERVER: the server is llama.cpp"),
        ),
        (
            true,
            "llama_cpp",
            Some("ok    OPENAI_COMPATIBLE_SERVER: it is llama.cpp"),
        ),
        (
            false,
            "llama_cpp",
            Some("hint  OPENAI_COMPATIBLE_SERVER: the server does not say that it is llama.cpp"),
        ),
        (false, "any", None),
    ] {
        let url = compatible_server(is_llama_cpp).await;
        let args = [
            "doctor",
            "--courses-dir",
            courses,
            "--helper-llm-backend=openai_compatible",
            "--openai-base-url",
            &url,
            "--openai-compatible-server",
            server,
        ];
        let output = turnwise(home.path(), &args, "");
        let said = text(&output.stdout);
        assert!(output.status.success(), "{said}");
        assert!(said.contains("ok    model openai_compatible/"), "{said}");
        match says {
            Some(line) => assert!(said.contains(line), "{said}"),
            None => assert!(!said.contains("OPENAI_COMPATIBLE_SERVER"), "{said}"),
        }
        let advised = said.contains("set OPENAI_COMPATIBLE_SERVER=llama_cpp\n");
        assert_eq!(advised, is_llama_cpp && server == "any", "{said}");
    }
}

/// Where nobody names a backend, `up` asks for Ollama once; without one it calls no model, and says how to get one.
#[tokio::test(flavor = "multi_thread")]
async fn up_calls_no_model_where_no_ollama_answers() {
    let home = tempfile::tempdir().unwrap();
    // It has the model `model`, and nobody knows another.
    let ollama = ModelServerProcess::start(&Settings::default(), home.path());
    let (there, away) = (ollama.url(), "http://127.0.0.1:1".to_owned());
    let courses = concat!(env!("CARGO_MANIFEST_DIR"), "/../courses");
    let up = |at: &str, model: &str| {
        let settings = [
            ("LISTEN", "127.0.0.1:0"),
            ("COURSES_DIR", courses),
            ("OLLAMA_BASE_URL", at),
            ("OLLAMA_MODEL", model),
        ];
        let folder = format!("data-{}", Uuid::new_v4());
        let mut suite = Process::spawn(&Program {
            name: "turnwise",
            folder: None,
            args: vec!["up".into(), "--data-dir".into(), folder.into()],
            env: settings
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            home: home.path().to_owned(),
        });
        let says = |line: &str| line.trim_start().strip_prefix("model ").map(str::to_owned);
        let said = suite.stdout().wait_for(Duration::from_secs(120), says);
        suite.stop();
        said.expect("it says which model is called")
    };
    for (at, model) in [(&away, "model"), (&there, "another")] {
        let said = up(at, model);
        let none = format!("none, for no Ollama with {model} answers at {at}");
        assert!(said.trim_start().starts_with(&none), "{said}");
        assert!(said.contains(&format!("ollama pull {model}")), "{said}");
    }
    let said = up(&there, "model");
    assert!(said.contains("model by Ollama at"), "{said}");
    let heard = ollama.statistics().await;
    assert_eq!(heard.completions.begun, 0, "nobody asked anything yet");
}

async fn a_placement_in_the_terminal(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let ids = ids(&suite);
    let mut args: Vec<&str> = vec!["placement"];
    args.extend(ids.iter().map(String::as_str));
    // An answer that cannot be read, one that is not known, and a break.
    let paused = turnwise(suite.home(), &args, "who can tell\n\npause\n");
    let shown = text(&paused.stdout);
    assert!(paused.status.success(), "{shown}{}", text(&paused.stderr));
    assert!(shown.contains("cannot be read"), "{shown}");
    assert!(shown.contains("2 of at most 15"), "{shown}");
    assert!(shown.contains("It waits."), "{shown}");
    // It goes on where it was; whoever knows nothing is placed on nothing.
    let ended = turnwise(suite.home(), &args, &"\n".repeat(20));
    let shown = text(&ended.stdout);
    assert!(!shown.contains("\n1 of at most 15"), "{shown}");
    assert!(shown.contains("begins at its beginning"), "{shown}");
    suite.stop();
}
