//! The release before: what it stored is read and goes on, and where its programs are at hand, both serve one store, one
//! beside the other, forwards and back (docs/upgrades.md).

use std::{
    fs,
    path::{Path, PathBuf},
};

use turnwise::data_dir::DataDir;
use turnwise_testing::redis::{RedisServer, ServerOptions};
use turnwise_tests::{
    deployment::Deployment,
    kept_lesson::Lesson,
    options::{Options, Service},
    process::repository,
};

use crate::backup::{done, on_redis, turnwise};

/// How well what is kept in the repository is compressed.
const LEVEL: i32 = 19;

/// What is kept of the release before.
fn release(name: &str) -> PathBuf {
    repository().join("tests/release").join(name)
}

/// Whether what is kept is to be made anew, by this version: scripts/keep-release.
fn keeps() -> bool {
    std::env::var_os("KEEP_RELEASE").is_some()
}

fn pack(file: &Path, name: &str) {
    let bytes = fs::read(file).unwrap();
    fs::create_dir_all(release("")).unwrap();
    fs::write(release(name), zstd::encode_all(&*bytes, LEVEL).unwrap()).unwrap();
}

fn unpack(name: &str, file: &Path) {
    let bytes = fs::read(release(name)).unwrap();
    fs::write(file, zstd::decode_all(&*bytes).unwrap()).unwrap();
}

/// A suite whose records outlive many releases.
fn long_lived(options: Options) -> Options {
    ["THREAD_RETENTION_DAYS", "TURN_LOG_RETENTION_DAYS"]
        .into_iter()
        .fold(options, |options, name| options.env(name, "3650"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_of_the_release_before_goes_on() {
    if keeps() {
        let mut suite = Deployment::one_process(long_lived(Lesson::options("ada"))).await;
        let lesson = Lesson::take(&suite, "ada").await;
        suite.stop();
        pack(&suite.data_dir.session_store(), "session.redb.zst");
        lesson.write(&release("lesson-embedded.json"));
    }
    let folder = tempfile::tempdir().unwrap();
    let data_dir = DataDir::create(&folder.path().join("data")).unwrap();
    unpack("session.redb.zst", &data_dir.session_store());
    let root = data_dir.root().display().to_string();
    done(&turnwise(folder.path(), &["verify", &root]));
    let mut lesson = Lesson::read(&release("lesson-embedded.json"));
    let options = long_lived(Options::new().data_dir(data_dir.root()));
    let mut suite = Deployment::one_process(options).await;
    lesson.is_remembered(&suite).await;
    lesson.goes_on(&suite).await;
    lesson.is_remembered(&suite).await;
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_redis_of_the_release_before_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    if keeps() {
        let mut suite = Deployment::five_processes(long_lived(Lesson::options("ada"))).await;
        let lesson = Lesson::take(&suite, "ada").await;
        let to = folder.path().join("kept");
        done(&on_redis("backup-redis", &to, suite.redis().unwrap()));
        suite.stop();
        pack(&to.join("dump.rdb"), "dump.rdb.zst");
        lesson.write(&release("lesson-redis.json"));
        fs::copy(to.join("SHA256SUMS"), release("SHA256SUMS")).unwrap();
    }
    let backup = folder.path().join("backup");
    fs::create_dir(&backup).unwrap();
    unpack("dump.rdb.zst", &backup.join("dump.rdb"));
    fs::copy(release("SHA256SUMS"), backup.join("SHA256SUMS")).unwrap();
    let redis = RedisServer::start().unwrap();
    done(&on_redis("restore-redis", &backup, &redis));
    done(&turnwise(
        folder.path(),
        &["verify", "--redis", &redis.url()],
    ));
    let mut lesson = Lesson::read(&release("lesson-redis.json"));
    let mut suite = Deployment::five_processes(long_lived(Options::new().on(redis))).await;
    lesson.is_remembered(&suite).await;
    lesson.goes_on(&suite).await;
    lesson.is_remembered(&suite).await;
    suite.stop();
}

/// The folder with the programs of the release before; none: the test says that it is skipped.
fn programs() -> Option<PathBuf> {
    let named = std::env::var_os("TURNWISE_RELEASE_BINARIES").filter(|dir| !dir.is_empty());
    if named.is_none() {
        println!(
            "skipped: TURNWISE_RELEASE_BINARIES names no folder; scripts/release-binaries makes one"
        );
    }
    named.map(PathBuf::from)
}

#[tokio::test(flavor = "multi_thread")]
async fn both_releases_serve_one_redis_and_back() {
    let Some(programs) = programs() else { return };
    let redis = RedisServer::start_with(&ServerOptions::default()).unwrap();
    let url = redis.url();
    let options = Lesson::options("ada").evidence(Lesson::ready("bob"));
    let mut old = Deployment::five_processes(options.binaries(&programs).on(redis)).await;
    let mut lesson = Lesson::take(&old, "ada").await;
    // Every process of the new release on the same Redis, beside the old one.
    let beside = ["SESSION_STORE", "LLM_REDIS_URL", "GATEWAY_REDIS_URL"]
        .into_iter()
        .fold(Options::new(), |options, name| {
            options.env(name, url.clone())
        });
    let beside = beside.data_dir(old.data_dir.root());
    let mut new = Deployment::five_processes(beside).await;
    lesson.is_kept(&new).await;
    for _ in 0..3 {
        lesson.goes_on(&new).await;
        lesson.is_kept(&old).await;
        lesson.goes_on(&old).await;
        lesson.is_kept(&new).await;
    }
    let mut begun = Lesson::take(&new, "bob").await;
    begun.is_kept(&old).await;
    begun.goes_on(&old).await;
    // And back: the new release is gone.
    new.stop();
    lesson.is_kept(&old).await;
    lesson.goes_on(&old).await;
    begun.goes_on(&old).await;
    old.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn services_of_both_releases_call_each_other() {
    let Some(programs) = programs() else { return };
    for service in [
        Service::Session,
        Service::Policy,
        Service::Retrieval,
        Service::Llm,
        Service::Gateway,
    ] {
        // One service is still, or already, of the other release.
        for [one, others] in [[Some(&programs), None], [None, Some(&programs)]] {
            let options = Lesson::options("ada");
            let options = others
                .into_iter()
                .fold(options, |options, dir| options.binaries(dir));
            let options = options.binaries_of(service, one.cloned());
            let mut suite = Deployment::five_processes(options).await;
            let mut lesson = Lesson::take(&suite, "ada").await;
            lesson.is_kept(&suite).await;
            lesson.goes_on(&suite).await;
            suite.stop();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_goes_to_the_new_release_and_back() {
    let Some(programs) = programs() else { return };
    let mut old = Deployment::one_process(Lesson::options("ada").binaries(&programs)).await;
    let mut lesson = Lesson::take(&old, "ada").await;
    old.stop();
    for folder in [None, Some(&programs), None] {
        let options = Options::new().data_dir(old.data_dir.root());
        let options = folder
            .into_iter()
            .fold(options, |options, dir| options.binaries(dir));
        let mut suite = Deployment::one_process(options).await;
        lesson.is_kept(&suite).await;
        lesson.goes_on(&suite).await;
        suite.stop();
    }
}
