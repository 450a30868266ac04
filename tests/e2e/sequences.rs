//! Random sequences of steps against one running suite, beside whatever a test expects of them.

use std::{cell::RefCell, fmt::Debug};

use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options, Service},
    student::Student,
};

/// The student at one of two gateways, by the number of the step; in one process there is one.
pub fn at_a_gateway(suite: &RefCell<Deployment>, name: &str, step: usize) -> Student {
    let suite = suite.borrow();
    let student = suite.student(name);
    match suite.kind {
        Kind::FiveProcesses | Kind::Grouped(_) if step % 2 == 1 => {
            suite.at_second_gateway(&student)
        }
        _ => student,
    }
}

/// Runs sequences, each for a student of its own; fewer in five processes, which have two gateways and where steps may be
/// crashes.
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
    let options = match kind {
        Kind::OneProcess => options,
        _ => options.twice(Service::Gateway),
    };
    let suite = RefCell::new(Deployment::start(kind, options).await);
    let fewer = match kind {
        Kind::OneProcess => 8,
        _ => 16,
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
