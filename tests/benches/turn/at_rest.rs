//! `turnwise up` by itself: how soon it takes calls, and how much memory it holds at rest.

use std::{ffi::OsString, path::Path, time::Duration};

use tokio::time::Instant;
use turnwise_tests::{
    process::{Process, Program, repository},
    procfs::resident_mb,
};

use crate::{median, subject::quiet_env};

/// How long it rests before its memory is read.
const REST: Duration = Duration::from_secs(2);

/// What was seen.
pub struct AtRest {
    /// From the spawn to the `listening` line, on a data directory that is not there yet; milliseconds.
    pub first_start_ms: f64,
    /// The same on a data directory that is.
    pub restart_ms: f64,
    /// Resident memory, MB.
    pub resident_mb: f64,
}

/// Starts it so many times, each time on a new data directory, and once more there. Medians. `checkout`: of another
/// commit, with its release binaries.
pub async fn measure(times: usize, checkout: Option<&Path>) -> AtRest {
    let mut firsts = Vec::new();
    let mut restarts = Vec::new();
    let mut resident = Vec::new();
    for _ in 0..times {
        let home = tempfile::tempdir().unwrap();
        let (first, mut process) = start(home.path(), checkout);
        tokio::time::sleep(REST).await;
        resident.push(resident_mb(process.id()));
        process.stop();
        let (again, mut process) = start(home.path(), checkout);
        process.stop();
        firsts.push(first);
        restarts.push(again);
    }
    AtRest {
        first_start_ms: median(firsts),
        restart_ms: median(restarts),
        resident_mb: median(resident),
    }
}

fn start(home: &Path, checkout: Option<&Path>) -> (f64, Process) {
    let mut args: Vec<OsString> = vec!["up".into(), "--data-dir".into()];
    args.push(home.join("data").into());
    let repository = checkout.map_or_else(repository, Path::to_owned);
    let courses = repository.join("courses").display().to_string();
    let mut env = quiet_env();
    env.extend([
        ("LISTEN".to_owned(), "127.0.0.1:0".to_owned()),
        ("HELPER_LLM_BACKEND".to_owned(), "mock".to_owned()),
        ("LLM_ALLOW_MOCK".to_owned(), "1".to_owned()),
        ("COURSES_DIR".to_owned(), courses),
    ]);
    let started = Instant::now();
    let process = Process::spawn(&Program {
        name: "turnwise",
        folder: checkout.map(|checkout| checkout.join("target/release")),
        args,
        env,
        home: home.to_owned(),
    });
    process.listening();
    (started.elapsed().as_secs_f64() * 1000.0, process)
}
