//! Random sequences of steps against one running suite, beside whatever a test expects of them.

use std::{cell::RefCell, fmt::Debug};

use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
};

/// Runs sequences, each for a student of its own; fewer in five processes, where steps may be crashes.
pub async fn run_sequences<S>(
    kind: Kind,
    options: Options,
    sequences: S,
    run: impl AsyncFn(&RefCell<Deployment>, &str, &S::Value) -> Result<(), TestCaseError>,
) where
    S: Strategy,
    S::Value: Debug,
{
    let options = options
        .env("HELPER_RATE_LIMIT_PER_MINUTE", "100000")
        .env("HELPER_READ_LIMIT_PER_MINUTE", "100000");
    let suite = RefCell::new(Deployment::start(kind, options).await);
    let fewer = match kind {
        Kind::OneProcess => 8,
        Kind::FiveProcesses => 16,
    };
    let mut runner = TestRunner::new(Config {
        cases: Config::default().cases.div_ceil(fewer),
        failure_persistence: None,
        ..Config::default()
    });
    let count = RefCell::new(0);
    let handle = tokio::runtime::Handle::current();
    tokio::task::block_in_place(|| {
        runner
            .run(&sequences, |sequence| {
                let name = format!("student-{}", count.replace_with(|n| *n + 1));
                handle.block_on(run(&suite, &name, &sequence))
            })
            .unwrap();
    });
    suite.into_inner().nothing_panicked();
}
