//! `turnwise replay`: a turn that is made again, one that differs, and those that cannot be replayed.

use std::{
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use prost::Message;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};
use turnwise_course_pack::{PackArchive, load};
use turnwise_gateway_svc::record;
use turnwise_kit::{
    CallContext, Kit,
    client::{ClientOptions, local},
};
use turnwise_prompts::Sheets;
use turnwise_proto::{
    explain::v1::{
        ExplainTurnRequest, ExplainTurnResponse, FoundChunk, ModelCall, PromptIdentity, TurnFacts,
        TurnRecord, TurnTexts,
        explain_service_server::{ExplainService, ExplainServiceServer},
    },
    policy::v1::{KnownTexts, policy_service_client::PolicyServiceClient},
    retrieval::v1::{Anchor, Chunk},
    session::v1::{MappedUnit, StudentSnapshot, ThreadKind},
    tutor::v1::{DegradedReason, StudentInput},
};

use turnwise_retrieval_svc::grpc::put_in_words;

const TOKENS: usize = 3500;
const COURSE: &str = "algebra-foundations";

fn courses() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../courses")
}

/// A turn as the gateway takes it, whose model did not answer.
async fn taken() -> TurnRecord {
    let failed = ModelCall {
        failure: DegradedReason::LlmTimeout.into(),
        ..ModelCall::default()
    };
    taken_with(Some(failed)).await
}

/// The same turn with this call of a model; none: no model was to be called.
async fn taken_with(model_call: Option<ModelCall>) -> TurnRecord {
    let settings = turnwise_policy_svc::Settings::new(courses(), 0);
    let kit = Kit::for_tests();
    let routes = turnwise_policy_svc::routes(&settings, &kit).await.unwrap();
    let options = ClientOptions {
        peer: "policy-svc",
        token: None,
    };
    let mut policy = PolicyServiceClient::new(local(routes, options));
    let context = CallContext::default();

    let at = "2026-03-01T12:00:00Z".parse().unwrap();
    let texts = TurnTexts {
        input: Some(StudentInput {
            text: "how do I solve 3x + 6 = 18?".to_owned(),
            ..StudentInput::default()
        }),
        ..TurnTexts::default()
    };
    let mut facts = TurnFacts {
        format: record::FORMAT,
        turn_id: "turn-1".to_owned(),
        student_id: "ada".to_owned(),
        course_id: "algebra-foundations".to_owned(),
        snapshot: Some(StudentSnapshot {
            student_id: "ada".to_owned(),
            course_id: "algebra-foundations".to_owned(),
            ..StudentSnapshot::default()
        }),
        mapped_units: vec![MappedUnit {
            unit_id: "ALG-11".to_owned(),
            confidence: 0.9,
        }],
        planned_at: Some(turnwise_kit::time::to_proto(at)),
        no_model: model_call.is_none(),
        model_call,
        ..TurnFacts::default()
    };
    let planned = policy
        .plan(context.request(record::plan_request(&facts, &texts, "")))
        .await
        .unwrap();
    facts.plan = planned.into_inner().plan;
    let request = record::decide_request(&facts).unwrap();
    let decided = policy.decide(context.request(request)).await.unwrap();
    let decided = decided.into_inner();
    facts.policy = decided.policy;
    facts.summary = decided.summary;

    // Some of the course, as if it was found.
    let pack = load(&courses().join(COURSE)).unwrap();
    let chunk_id = |at: usize| pack.chunks[at].id.clone();
    facts.chunks = [0, 1]
        .map(|at| FoundChunk {
            chunk_id: chunk_id(at),
            score: 0.5,
        })
        .into();
    let mut record = TurnRecord {
        facts: Some(facts),
        texts: Some(texts),
        kind: ThreadKind::Tutor.into(),
    };
    name(record.texts.as_mut().unwrap(), "ALG-11", &chunk_id(2));
    put_in_words(&mut record, &pack);
    let (mut facts, texts) = (record.facts.unwrap(), record.texts.unwrap());

    let sheets = Sheets::built_in().unwrap();
    let no_input = StudentInput::default();
    let prompt = record::turn_prompt(&facts, &texts, &no_input).unwrap();
    let rendered = sheets
        .turn(record::locale(&facts), &prompt, TOKENS)
        .unwrap();
    let identity = PromptIdentity {
        hash: rendered.hash,
        sheets_hash: sheets.hash().to_owned(),
        max_tokens: TOKENS.try_into().unwrap(),
        tokens: rendered.tokens.try_into().unwrap(),
    };
    facts.prompt = (!facts.no_model).then_some(identity);

    let request = record::resolve_request(&facts, &texts, KnownTexts::default()).unwrap();
    let resolved = policy
        .resolve_reply(context.request(request))
        .await
        .unwrap();
    let resolved = resolved.into_inner();
    facts.verdict = Some(record::verdict(&resolved));
    facts.turn_state = record::turn_state(&facts, &resolved, at);
    TurnRecord {
        facts: Some(facts),
        texts: Some(TurnTexts {
            reply: resolved.reply,
            ..texts
        }),
        kind: ThreadKind::Tutor.into(),
    }
}

/// Names these in place of any words.
fn name(texts: &mut TurnTexts, unit_id: &str, chunk_id: &str) {
    texts.chunks.clear();
    texts.anchors = vec![Anchor {
        unit_id: unit_id.to_owned(),
        ..Anchor::default()
    }];
    texts.unit_chunks = vec![Chunk {
        chunk_id: chunk_id.to_owned(),
        ..Chunk::default()
    }];
}

struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn replay(&self, record: &TurnRecord, more: &[&str]) -> Output {
        let file = self.0.path().join("turn.pb");
        std::fs::write(&file, record.encode_to_vec()).unwrap();
        self.replay_file(&file, more)
    }

    fn replay_file(&self, file: &Path, more: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_turnwise"));
        command.args(["replay", "--file"]).arg(file);
        if !more.contains(&"--courses") {
            command.arg("--courses").arg(courses());
        }
        command.args(more).env_remove("PROMPT_SHEETS_DIR");
        command.env_remove("PACK_ARCHIVE_DIR");
        command.env("TURNWISE_DATA_DIR", self.0.path());
        command.output().unwrap()
    }
}

/// A suite that keeps one record.
struct Suite(TurnRecord);

#[tonic::async_trait]
impl ExplainService for Suite {
    async fn explain_turn(
        &self,
        _: Request<ExplainTurnRequest>,
    ) -> Result<Response<ExplainTurnResponse>, Status> {
        Ok(Response::new(ExplainTurnResponse {
            record: Some(self.0.clone()),
            ..ExplainTurnResponse::default()
        }))
    }
}

fn facts(record: &mut TurnRecord) -> &mut TurnFacts {
    record.facts.as_mut().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[tokio::test]
async fn a_turn_is_made_again_byte_for_byte() {
    let desk = Desk::new();
    let output = desk.replay(&taken().await, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(
        out(&output),
        "turn turn-1 of ada in algebra-foundations\n  = plan\n  = policy\n  = summary\n  = prompt\n  = verdict\n  = \
         reply\n  = snapshot change\n= the turn is the recorded one, byte for byte\n"
    );
}

#[tokio::test]
async fn a_turn_without_a_model_has_no_prompt_and_is_whole() {
    let record = taken_with(None).await;
    let verdict = record.facts.as_ref().unwrap().verdict.as_ref().unwrap();
    assert_eq!(verdict.fallback_reason(), DegradedReason::Unspecified);
    let output = Desk::new().replay(&record, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(
        out(&output),
        "turn turn-1 of ada in algebra-foundations\n  = plan\n  = policy\n  = summary\n  = verdict\n  = reply\n  = \
         snapshot change\n= the turn is the recorded one, byte for byte\n"
    );
}

#[tokio::test]
async fn the_first_other_byte_is_shown() {
    let desk = Desk::new();
    let mut record = taken().await;
    let verdict = facts(&mut record).verdict.as_mut().unwrap();
    verdict.target_unit_id = "ALG-99".to_owned();
    let output = desk.replay(&record, &[]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let shown = out(&output);
    assert!(shown.contains("  = plan\n"), "{shown}");
    assert!(
        shown.contains("  ≠ verdict: the first other byte is "),
        "{shown}"
    );
    assert!(
        shown.contains("recorded      target_unit_id: \"ALG-99\""),
        "{shown}"
    );
    assert!(
        shown.contains("replayed      target_unit_id: \"ALG-"),
        "{shown}"
    );
    assert!(
        shown.ends_with("≠ the turn differs from the recorded one\n"),
        "{shown}"
    );
}

#[tokio::test]
async fn what_cannot_be_replayed_says_why() {
    let desk = Desk::new();
    let whole = taken().await;
    let refused = |change: fn(&mut TurnRecord), says: &[&str]| {
        let mut record = whole.clone();
        change(&mut record);
        let output = desk.replay(&record, &[]);
        let said = err(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert_eq!(out(&output), "");
        for says in says {
            assert!(said.contains(says), "{says} is not in {said}");
        }
    };
    refused(
        |record| record.texts = None,
        &["cannot replay", "erased", "/why"],
    );
    refused(
        |record| facts(record).incomplete = true,
        &["not kept whole"],
    );
    refused(|record| facts(record).format = 3, &["form 3", "version"]);
    refused(|record| record.facts = None, &["cannot replay"]);
    refused(
        |record| {
            facts(record).plan.as_mut().unwrap().pack_hash = "0badc0de".to_owned();
        },
        &[
            "0badc0de",
            "explained, not replayed",
            "holds algebra-foundations ",
            "--courses",
        ],
    );
    refused(
        |record| {
            facts(record).plan.as_mut().unwrap().policy_semantics = "older".to_owned();
        },
        &["the rules `older`"],
    );
    refused(
        |record| {
            facts(record).prompt.as_mut().unwrap().sheets_hash = "0badc0de".to_owned();
        },
        &["0badc0de", "--prompt-sheets"],
    );

    let empty = desk.0.path().join("nothing");
    let output = desk.replay(&whole, &["--courses", empty.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let said = err(&output);
    let both = ["--courses", "has no whole copy: there is none"].map(|why| said.contains(why));
    assert_eq!(both, [true, true], "{said}");
    let output = desk.replay_file(&desk.0.path().join("none.pb"), &[]);
    assert_eq!(output.status.code(), Some(2));
    let garbage = desk.0.path().join("garbage.json");
    std::fs::write(&garbage, "{\"facts\": 7}").unwrap();
    let output = desk.replay_file(&garbage, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("is no record of a turn"),
        "{}",
        err(&output)
    );
}

#[tokio::test]
async fn words_come_from_the_version_that_the_record_names() {
    let desk = Desk::new();
    let whole = taken().await;
    let mut named = whole.clone();
    let texts = named.texts.as_mut().unwrap();
    let unit_chunk = texts.unit_chunks[0].chunk_id.clone();
    assert!(!texts.chunks[1].text.is_empty() && !texts.unit_chunks[0].text.is_empty());
    name(texts, "ALG-11", &unit_chunk);
    // Records of form 1 have all words.
    let mut older = whole.clone();
    facts(&mut older).format = 1;
    for record in [&whole, &named, &older] {
        let output = desk.replay(record, &[]);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        assert!(out(&output).contains("  = prompt\n"));
    }
    type Change = fn(&mut TurnRecord, String);
    let changes: [Change; 3] = [
        |record, id| facts(record).chunks[0].chunk_id = id,
        |record, id| record.texts.as_mut().unwrap().anchors[0].unit_id = id,
        |record, id| record.texts.as_mut().unwrap().unit_chunks[0].chunk_id = id,
    ];
    for change in changes {
        let mut gone = named.clone();
        change(&mut gone, "no-such-text".to_owned());
        let output = desk.replay(&gone, &[]);
        let said = err(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        for says in ["`no-such-text`", "explained, not replayed", "/why"] {
            assert!(said.contains(says), "{says} is not in {said}");
        }
    }
}

#[tokio::test]
async fn the_archive_has_versions_that_the_courses_have_no_more() {
    let desk = Desk::new();
    let record = taken().await;
    let plan = record.facts.as_ref().unwrap().plan.as_ref().unwrap();
    let archive = desk.0.path().join("archive");
    let place = PackArchive::place(&archive, COURSE, &plan.pack_hash);
    std::fs::create_dir(&archive).unwrap();
    let other = courses().join("terme-und-gleichungen");
    let more = [
        "--courses",
        other.to_str().unwrap(),
        "--pack-archive-dir",
        archive.to_str().unwrap(),
    ];
    // Nothing; under its name something else; the version.
    for (copy, code, why) in [
        (None, 2, "has no whole copy: there is none"),
        (Some(&other), 2, "its name is another version"),
        (Some(&courses().join(COURSE)), 0, ""),
    ] {
        if let Some(copy) = copy {
            let _ = std::fs::remove_file(&place);
            symlink(copy, &place).unwrap();
        }
        let output = desk.replay(&record, &more);
        let said = err(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        let missed = said.contains("is not at hand") && said.contains(why);
        assert_eq!(missed, code == 2, "{said}");
    }
    // Of two versions in one folder only the first would be served.
    let versions = desk.0.path().join("versions");
    std::fs::create_dir(&versions).unwrap();
    for name in ["1-other", "2-taken"] {
        let copy = [courses().join(COURSE), versions.join(name)];
        let copied = Command::new("cp").arg("-r").args(copy).status().unwrap();
        assert!(copied.success());
    }
    let course = versions.join("1-other/course.yaml");
    let text = std::fs::read_to_string(&course).unwrap();
    std::fs::write(&course, text.replace("title: ", "title: New ")).unwrap();
    let output = desk.replay(&record, &["--courses", versions.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
}

/// A turn that met a guardrail asked nobody, so no course is needed: nothing differs, and what was not made again is said.
#[tokio::test]
async fn a_turn_without_a_policy_has_nothing_that_differs() {
    let desk = Desk::new();
    let record = TurnRecord {
        facts: Some(TurnFacts {
            format: record::FORMAT,
            guardrail: "abuse".to_owned(),
            ..TurnFacts::default()
        }),
        texts: Some(TurnTexts::default()),
        kind: ThreadKind::Tutor.into(),
    };
    let output = desk.replay(&record, &["--courses", "/nowhere"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let shown = out(&output);
    assert!(
        shown.contains("  – plan: not made again, since the message met a guardrail\n"),
        "{shown}"
    );
    assert!(
        shown.ends_with("– nothing of this turn could be made again\n"),
        "{shown}"
    );
}

/// A record of another kind of conversation is refused, however much it looks like one of the tutor's, and so is one of a
/// kind that this build does not know.
#[tokio::test]
async fn a_turn_that_is_not_the_tutors_is_refused() {
    let mut record = taken().await;
    for kind in [ThreadKind::Helper as i32, 99] {
        record.kind = kind;
        let output = Desk::new().replay(&record, &[]);
        assert_eq!(output.status.code(), Some(2), "{kind}");
        assert!(
            err(&output).contains("the turn is not the tutor's"),
            "{kind}: {}",
            err(&output)
        );
    }
}

/// A record that cannot be saved is no turn that differs.
#[tokio::test]
async fn a_record_that_cannot_be_saved_says_why() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let suite = Suite(taken().await);
    tokio::spawn(
        tonic::transport::Server::builder()
            .add_service(ExplainServiceServer::new(suite))
            .serve_with_incoming(TcpListenerStream::new(listener)),
    );
    let desk = Desk::new();
    let token = desk.0.path().join("token");
    std::fs::write(&token, "token-of-a-member-of-staff").unwrap();
    for name in ["turn.pb", "turn.json"] {
        let file = desk.0.path().join("nowhere").join(name);
        let output = tokio::process::Command::new(env!("CARGO_BIN_EXE_turnwise"))
            .args(["replay", "turn-1", "--student", "ada"])
            .args(["--endpoint", &endpoint, "--token-file"])
            .arg(&token)
            .arg("--courses")
            .arg(courses())
            .arg("--save")
            .arg(&file)
            .env_remove("PROMPT_SHEETS_DIR")
            .output()
            .await
            .unwrap();
        let said = err(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.starts_with(&format!("cannot write {}: ", file.display())),
            "{said}"
        );
        assert_eq!(out(&output), "");
    }
}
