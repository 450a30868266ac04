//! What version 0.1 stored is read by this version: files that it wrote itself.

use std::{fs, io::Read, path::Path, process::Command};

use bytes::Bytes;
use clap::Parser;
use flate2::read::GzDecoder;
use tempfile::TempDir;
use turnwise_kit::Kit;
use turnwise_proto::session::v1::ThreadKind;
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    Settings,
    sessions::{
        Idempotency, Sessions,
        audit::Actor,
        evidence::{BeginEvidence, CommitEvidence, EvidenceBegun, EvidenceOutcome},
        turns::{BeginTurn, Begun},
    },
};
use turnwise_testing::redis::{RedisServer, ServerOptions};

const STUDENTS: [(&str, &str); 3] = [("default", "ada"), ("default", "bob"), ("north", "ada")];

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

async fn open(location: &str, archives: &Path) -> Sessions {
    let archives = archives.display().to_string();
    let cli = Cli::try_parse_from([
        "session-svc",
        "--session-store",
        location,
        "--helper-class-reset-archive-dir",
        &archives,
    ])
    .unwrap();
    let kit = Kit::for_tests();
    cli.settings.open(&kit).await.unwrap()
}

fn idempotency(key: &str, body: u8) -> Idempotency {
    Idempotency {
        key: key.to_owned(),
        body_hash: Bytes::from(vec![body; 32]),
    }
}

fn begin(thread_id: &str, key: &str) -> BeginTurn {
    BeginTurn {
        course_id: "algebra".to_owned(),
        thread_id: thread_id.to_owned(),
        kind: ThreadKind::Tutor,
        idempotency: idempotency(key, 7),
        history_limit: 4,
        memory_scope: Bytes::new(),
    }
}

/// Everything that the version before wrote is there, and works.
async fn all_is_there(sessions: &Sessions) {
    for (tenant, name) in STUDENTS {
        let student = StudentKey {
            tenant: tenant.to_owned(),
            student: name.to_owned(),
        };
        let threads = sessions
            .list_threads(&student, ThreadKind::Tutor, None, 10)
            .await
            .unwrap()
            .threads;
        let ids: Vec<_> = threads
            .iter()
            .map(|thread| thread.thread_id.as_str())
            .collect();
        let expected = [format!("{tenant}-{name}-2"), format!("{tenant}-{name}-1")];
        assert_eq!(ids, expected);
        for id in &expected {
            let page = sessions
                .get_thread(&student, ThreadKind::Tutor, id, 0, 50)
                .await
                .unwrap();
            assert_eq!(page.thread.title, format!("about {id}"));
            assert_eq!(page.thread.message_count, 6);
            let texts: Vec<_> = page
                .messages
                .iter()
                .map(|m| (m.id, m.text.clone()))
                .collect();
            let said: Vec<_> = (1..=6).map(|n| (n, format!("{id} says {n}"))).collect();
            assert_eq!(texts, said);

            let again = sessions
                .begin_turn(&student, begin(id, &format!("{id}-2")))
                .await;
            let answer = Begun::Answered(format!("answer {id} 2").into());
            assert_eq!(again.unwrap(), answer);
            let Begun::Started(start) = sessions
                .begin_turn(&student, begin(id, "new"))
                .await
                .unwrap()
            else {
                panic!("a new key has no answer");
            };
            assert_eq!(start.target_locked, id.ends_with("-2"));
            assert_eq!(start.recent_messages.len(), 4);
            sessions
                .abandon_turn(&student, id, start.fencing_token)
                .await
                .unwrap();
        }
        let snapshot = sessions.get_snapshot(&student, "algebra").await.unwrap();
        assert_eq!(snapshot.evidence_version, 3);
        assert_eq!(snapshot.turn.unwrap().focus_unit_id, "U-3");
        let evidence = snapshot.evidence.unwrap();
        assert_eq!(evidence.unit_progress[0].drill.unwrap().attempts, 3);
        let again = CommitEvidence {
            course_id: "algebra".to_owned(),
            expected_version: 1,
            evidence,
            question_records: Vec::new(),
            idempotency: idempotency("grade-1", 9),
            drill: None,
            answer: Bytes::from_static(b"another"),
        };
        let again = sessions.commit_evidence(&student, again).await.unwrap();
        // It is known to be done; answers to evidence were not stored.
        assert_eq!(again, EvidenceOutcome::Answered(Bytes::new()));
        let look = BeginEvidence {
            course_id: "algebra".to_owned(),
            thread_id: format!("{tenant}-{name}-1"),
            kind: ThreadKind::Tutor,
            idempotency: idempotency("look", 9),
            drill_nonce: None,
        };
        let EvidenceBegun::Started(start) = sessions.begin_evidence(&student, look).await.unwrap()
        else {
            panic!("a new key has no answer");
        };
        let questions = start.question_records.iter();
        let ids: Vec<_> = questions.map(|q| q.question_id.as_str()).collect();
        assert_eq!(ids, ["Q1"]);
    }
}

/// A class reset finds what the version before did not index.
async fn a_reset_finds_it(sessions: &Sessions) {
    let actor = Actor {
        tenant: "default".to_owned(),
        id: "ms-hopper".to_owned(),
    };
    let report = sessions
        .reset_class(actor, "7b".to_owned(), "a new term".to_owned())
        .await
        .unwrap();
    assert_eq!((report.threads, report.students), (4, 2));
    let student = StudentKey {
        tenant: "default".to_owned(),
        student: "ada".to_owned(),
    };
    let page = sessions
        .get_thread(&student, ThreadKind::Tutor, "default-ada-1", 0, 50)
        .await
        .unwrap();
    assert!(page.messages.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_embedded_file_of_version_0_1_is_read() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("session.redb");
    let mut bytes = Vec::new();
    GzDecoder::new(include_bytes!("version1/session.redb.gz").as_slice())
        .read_to_end(&mut bytes)
        .unwrap();
    fs::write(&file, bytes).unwrap();
    let location = format!("embedded:{}", file.display());
    let archives = folder.path().join("archives");

    let sessions = open(&location, &archives).await;
    all_is_there(&sessions).await;
    drop(sessions);
    let sessions = open(&location, &archives).await;
    all_is_there(&sessions).await;
    a_reset_finds_it(&sessions).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redis_of_version_0_1_is_read() {
    let folder = TempDir::new().unwrap();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/version1/redis/appendonlydir");
    let copied = Command::new("cp")
        .arg("-r")
        .arg(&files)
        .arg(folder.path())
        .status();
    assert!(copied.unwrap().success());
    let options = ServerOptions::default()
        .persistent()
        .set("dir", &folder.path().display().to_string());
    let server = RedisServer::start_with(&options).unwrap();
    let archives = folder.path().join("archives");

    let sessions = open(&server.url(), &archives).await;
    all_is_there(&sessions).await;
    drop(sessions);
    let sessions = open(&server.url(), &archives).await;
    all_is_there(&sessions).await;
    a_reset_finds_it(&sessions).await;
}
