//! A backup, brought back elsewhere: all of a lesson is there, nothing of it counts twice, and it goes on.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;
use turnwise_testing::{
    ReservedPort,
    redis::{RedisServer, ServerOptions},
    tree,
};
use turnwise_tests::{
    deployment::Deployment,
    kept_lesson::Lesson,
    options::Options,
    process::{binary, clean_command, repository},
};

/// `turnwise` with these arguments.
pub fn turnwise(home: &Path, args: &[&str]) -> Output {
    let mut command = clean_command(&binary("turnwise"), home);
    command.args(args).output().unwrap()
}

/// A script of the deployment on a Redis of this machine.
pub fn on_redis(script: &str, folder: &Path, redis: &RedisServer) -> Output {
    let port = ReservedPort::new().unwrap();
    Command::new(repository().join("deploy").join(script))
        .arg(folder)
        .env("REDISCLI_OPTIONS", format!("-p {}", redis.port()))
        .env("RESTORE_PORT", port.number().to_string())
        .output()
        .unwrap()
}

/// What a command printed, which must have succeeded.
pub fn done(output: &Output) -> String {
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}\n{error}");
    out
}

/// What a command said, which must have failed.
fn failed(output: &Output) -> String {
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert!(!output.status.success(), "{out}\n{error}");
    out + &error
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// How many of this a store holds, as `turnwise verify` counts.
fn count(verified: &str, what: &str) -> u64 {
    let verified: Value = serde_json::from_str(verified).unwrap();
    assert_eq!(verified["ok"], true, "{verified}");
    verified["counts"][what].as_u64().unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn embedded_files_are_brought_back_elsewhere() {
    let mut suite = Deployment::one_process(Lesson::options("ada")).await;
    let mut lesson = Lesson::take(&suite, "ada").await;
    let folder = tempfile::tempdir().unwrap();
    let [root, to, there] = [
        suite.data_dir.root().to_owned(),
        folder.path().join("backup"),
        folder.path().join("there"),
    ];
    let home = folder.path();
    let name = |path: &Path| path.display().to_string();
    let back_up = || {
        turnwise(
            home,
            &["backup", "--data-dir", &name(&root), "--to", &name(&to)],
        )
    };
    let restore = |to_be: &Path| {
        turnwise(
            home,
            &["restore", "--from", &name(&to), "--data-dir", &name(to_be)],
        )
    };
    let verify = |at: &Path| turnwise(home, &["verify", &name(at), "--json"]);

    let said = failed(&back_up());
    assert!(said.contains("is being served; stop the suite"), "{said}");
    assert!(!to.exists());
    suite.stop();
    let said = done(&back_up());
    assert!(said.contains("threads"), "{said}");
    let said = failed(&back_up());
    assert!(said.contains("is there already"), "{said}");
    assert!(count(&done(&verify(&to)), "files") > 4);

    done(&restore(&there));
    let said = failed(&restore(&there));
    assert!(said.contains("is not empty"), "{said}");
    let before = tree(&there).unwrap();
    let verified = done(&verify(&there));
    assert!(tree(&there).unwrap() == before, "a file changed or is new");
    for what in [
        "students",
        "threads",
        "messages",
        "turn_logs",
        "course_records",
        "alerts",
    ] {
        assert!(count(&verified, what) > 0, "{what} in {verified}");
    }
    let mut other = Deployment::one_process(Options::new().data_dir(&there)).await;
    lesson.is_kept(&other).await;
    lesson.goes_on(&other).await;
    other.stop();
    let later = done(&verify(&there));
    assert!(count(&later, "messages") > count(&verified, "messages"));

    // One byte of a backup that is another is told, and nothing of it is taken.
    let file = to.join("session.redb");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    let said = failed(&verify(&to));
    assert!(said.contains("session.redb: its hash differs"), "{said}");
    let nowhere = folder.path().join("nowhere");
    let said = failed(&restore(&nowhere));
    assert!(
        said.contains("its hash differs; take another backup"),
        "{said}"
    );
    assert!(!nowhere.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_is_copied_while_it_serves_and_brought_back_elsewhere() {
    let mut suite = Deployment::five_processes(Lesson::options("ada")).await;
    let mut lesson = Lesson::take(&suite, "ada").await;
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("backup");
    let said = done(&on_redis("backup-redis", &to, suite.redis().unwrap()));
    assert!(said.contains("keys to"), "{said}");
    let said = failed(&on_redis("backup-redis", &to, suite.redis().unwrap()));
    assert!(said.contains("is there already"), "{said}");
    // What comes later is not in the copy.
    lesson.clone().goes_on(&suite).await;
    suite.stop();

    let mut redis = RedisServer::start_with(&ServerOptions::default().persistent()).unwrap();
    done(&on_redis("restore-redis", &to, &redis));
    let said = failed(&on_redis("restore-redis", &to, &redis));
    assert!(said.contains("the Redis is not empty"), "{said}");
    // It is this Redis' own now, on its disk.
    redis.start_again().unwrap();
    let verified = turnwise(
        folder.path(),
        &["verify", "--redis", &redis.url(), "--json"],
    );
    let verified = done(&verified);
    for what in [
        "students",
        "threads",
        "messages",
        "turn_logs",
        "course_records",
        "alerts",
    ] {
        assert!(count(&verified, what) > 0, "{what} in {verified}");
    }
    let options = Options::new().on(redis).data_dir(suite.data_dir.root());
    let mut other = Deployment::five_processes(options).await;
    lesson.is_kept(&other).await;
    lesson.goes_on(&other).await;
    other.stop();

    // A copy that broke off is told before anything is touched.
    let file = to.join("dump.rdb");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let empty = RedisServer::start().unwrap();
    let said = failed(&on_redis("restore-redis", &to, &empty));
    assert!(said.contains("is not what was backed up"), "{said}");
    assert_eq!(empty.command(&["DBSIZE"]).unwrap().int(), Some(0));
}
