//! A plain model of a store in memory. Random transactions run on it and on every kind of store, and each outcome is
//! compared.

mod script;
mod state;

use proptest::test_runner::{Config, TestError, TestRunner};
use tokio::runtime::Runtime;

use self::{
    script::{Step, scripts},
    state::Model,
};
use crate::bench::{Bench, Kind, student};

/// Runs random scripts on a store of this kind; each in partitions of its own. `STORE_MODEL_CASES` says how many; 64 where it
/// is unset.
fn agree(kind: Kind) {
    let runtime = Runtime::new().unwrap();
    let bench = runtime.block_on(Bench::new(kind));
    let cases = std::env::var("STORE_MODEL_CASES").ok();
    let cases = cases.and_then(|cases| cases.parse().ok());
    let mut runner = TestRunner::new(Config {
        cases: cases.unwrap_or(64),
        source_file: Some(file!()),
        // Each step of shrinking runs a script on real servers.
        max_shrink_iters: 500,
        ..Config::default()
    });
    let case = std::cell::Cell::new(0);
    let result = runner.run(&scripts(kind == Kind::Embedded), |script| {
        case.set(case.get() + 1);
        runtime.block_on(run(&bench, case.get(), script));
        Ok(())
    });
    match result {
        Ok(()) => {}
        Err(TestError::Fail(why, script)) => panic!("{why}\n{script:#?}"),
        Err(other) => panic!("{other}"),
    }
}

async fn run(bench: &Bench, case: u32, script: Vec<Step>) {
    let partitions = [format!("{case}"), format!("{case}x")].map(|name| student(&name));
    let mut model = Model::default();
    for step in script {
        match step {
            Step::Pass(time) => {
                bench.advance(time);
                model.pass(time);
            }
            Step::Run(number, transaction) => {
                let transaction = model.resolve(number, transaction);
                let outcome = bench
                    .transact_in(&partitions[number], transaction.clone())
                    .await;
                model.compare(number, &transaction, &outcome);
            }
        }
    }
}

#[test]
fn embedded_agrees_with_the_model() {
    agree(Kind::Embedded);
}

#[test]
fn redis_agrees_with_the_model() {
    agree(Kind::Redis);
}

#[test]
fn sentinel_agrees_with_the_model() {
    agree(Kind::Sentinel);
}

#[test]
fn cluster_agrees_with_the_model() {
    agree(Kind::Cluster);
}
