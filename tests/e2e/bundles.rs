//! Courses in bundles: another version comes over HTTP while turns run, and a bundle that is none stops a start.

use std::{
    fs,
    path::Path,
    process::Output,
    sync::{Arc, Mutex},
};

use axum::http::Response;
use tokio_util::sync::CancellationToken;
use turnwise_testing::{web_server::WebServer, write_secret};
use turnwise_tests::{
    deployment::Deployment,
    eventually::eventually,
    options::{Kind, Options, Service},
    process::{Process, Program, binary, clean_command, repository},
    staff::Staff,
    student::DEMO_COURSE,
};

use crate::{
    course_check::copy,
    reload::{SERVED, focus, is_searched, write},
};

in_both_deployments!(a_bundle_is_replaced_while_turns_run);

/// A course, packed by the command line.
struct Packed {
    bytes: Vec<u8>,
    sha256: String,
    pack_hash: String,
}

impl Packed {
    fn make(course: &Path) -> Self {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("course.tar.zst");
        let output = clean_command(&binary("turnwise"), home.path())
            .args(["course", "pack"])
            .arg(course)
            .arg("--out")
            .arg(&file)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{said}");
        let value = |name: &str| {
            let line = said.lines().find(|line| line.trim().starts_with(name));
            let value = line.unwrap().split_whitespace().last().unwrap();
            assert_eq!(value.len(), 64, "{said}");
            value.to_owned()
        };
        Self {
            bytes: fs::read(file).unwrap(),
            sha256: value("sha256"),
            pack_hash: value("pack "),
        }
    }
}

async fn a_bundle_is_replaced_while_turns_run(kind: Kind) {
    let course = tempfile::tempdir().unwrap();
    let course = course.path().join(DEMO_COURSE);
    copy(&repository().join("courses").join(DEMO_COURSE), &course);
    let old = Packed::make(&course);
    let units = course.join("units/00-entry.yaml");
    let text = fs::read_to_string(&units).unwrap();
    let hello = text.replace("    title: Welcome\n", "    title: Hello\n");
    fs::write(&units, hello).unwrap();
    let new = Packed::make(&course);

    let served = Arc::new(Mutex::new(old.bytes.clone()));
    let content = Arc::clone(&served);
    let web = WebServer::start(move |_| Response::new(content.lock().unwrap().clone().into()));
    let web = web.await.unwrap();
    let address = |packed: &Packed| {
        let (at, hash) = (web.address(), &packed.sha256);
        format!("http://{at}/{DEMO_COURSE}.tar.zst#sha256={hash}\n")
    };
    let (courses, archive) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let named = courses.path().join("algebra.bundle");
    write(&named, &address(&old));
    let options = Options::new()
        .courses(courses.path())
        .env("PACK_ARCHIVE_DIR", archive.path().display().to_string())
        .env("COURSES_RELOAD_SECONDS", "1");
    let mut suite = Deployment::start(kind, options).await;
    let (ada, staff) = (suite.student("ada"), Staff::of(&suite));
    let thread = ada.open(DEMO_COURSE).await;
    let first = ada.say(&thread, "how do I add negative numbers?").await;
    assert_eq!(first.degraded_reasons().count(), 0, "{first:?}");

    // Bob goes on talking, whatever becomes of the course.
    let (bob, end) = (suite.student("bob"), CancellationToken::new());
    let ended = end.clone();
    let his = bob.open(DEMO_COURSE).await;
    let mut turns = vec![bob.say(&his, "where do I start?").await.turn_id];
    let talk = tokio::spawn(async move {
        while !ended.is_cancelled() {
            turns.push(bob.say(&his, "and then?").await.turn_id);
        }
        turns
    });
    *served.lock().unwrap() = new.bytes.clone();
    write(&named, &address(&new));
    // Whoever has said nothing begins with the first unit.
    let cleo = suite.student("cleo");
    eventually("the new version", SERVED, async || {
        (focus(&cleo).await == "Hello").then_some(())
    })
    .await;
    is_searched(&mut suite);
    let last = ada.say(&thread, "where do I start?").await;
    end.cancel();
    let turns = talk.await.unwrap();

    let hash = async |student: &str, turn_id: &str| {
        let facts = staff.record(student, turn_id).await.facts.unwrap();
        facts.plan.unwrap().pack_hash
    };
    assert_eq!(hash("ada", &first.turn_id).await, old.pack_hash);
    assert_eq!(hash("ada", &last.turn_id).await, new.pack_hash);
    // Every one of his turns was taken with one of the two, and he had the old one first.
    assert_eq!(hash("bob", &turns[0]).await, old.pack_hash);
    for turn in &turns {
        let hash = hash("bob", turn).await;
        assert!([&old.pack_hash, &new.pack_hash].contains(&&hash), "{hash}");
    }

    // Neither the server nor the folder has the old one any more.
    drop(web);
    for turn in [&first, &last] {
        let output = replay(&suite, &turn.turn_id, archive.path());
        let shown = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            shown.ends_with("= the turn is the recorded one, byte for byte\n"),
            "{shown}{said}"
        );
    }
    suite.stop();
}

/// `turnwise replay` with no courses but those of the archive.
fn replay(suite: &Deployment, turn_id: &str, archive: &Path) -> Output {
    clean_command(&binary("turnwise"), suite.home())
        .args(["replay", turn_id, "--student", "ada"])
        .args(["--endpoint", &suite.endpoint(), "--data-dir"])
        .arg(suite.data_dir.root())
        .args(["--courses", "/no/courses", "--pack-archive-dir"])
        .arg(archive)
        .output()
        .unwrap()
}

#[test]
fn a_bundle_that_is_none_stops_who_reads_it() {
    let home = tempfile::tempdir().unwrap();
    let file = |name: &str| home.path().join(name).display().to_string();
    fs::create_dir(file("courses")).unwrap();
    copy(
        &repository().join("courses").join(DEMO_COURSE),
        Path::new(&file("courses/good")),
    );
    fs::write(file("courses/bad.tar.zst"), "no bundle").unwrap();
    write_secret(file("token"), "x".repeat(43)).unwrap();
    for service in [Service::Policy, Service::Retrieval, Service::Suite] {
        let args = match service {
            Service::Suite => vec!["up".into(), "--data-dir".into(), file("data").into()],
            _ => Vec::new(),
        };
        let mut process = Process::spawn(&Program {
            name: service.binary(),
            folder: None,
            args,
            env: [
                ("LISTEN", "127.0.0.1:0".to_owned()),
                ("COURSES_DIR", file("courses")),
                ("PACK_ARCHIVE_DIR", file("archive")),
                ("RETRIEVAL_STORE", "memory".to_owned()),
                ("INTERNAL_TOKEN_FILE", file("token")),
                ("HELPER_LLM_BACKEND", "none".to_owned()),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
            home: home.path().to_owned(),
        });
        let status = process.exit_status();
        let said = process.log().all().join("\n");
        assert_eq!(status.code(), Some(1), "{said}");
        for part in ["COURSES_DIR", "bad.tar.zst: ", "turnwise course pack"] {
            assert!(said.contains(part), "{}: {said}", service.binary());
        }
        assert_eq!(fs::read_dir(file("archive")).unwrap().count(), 0);
    }
}
