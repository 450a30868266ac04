//! The whole suite on one set of sentinels, and on one cluster: to start either takes long.

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;

use super::SUITE;
use crate::bench::{Bench, Home, Kind};

#[tokio::test]
async fn every_case_holds_on_a_set_that_sentinels_watch() {
    run_all(Kind::Sentinel).await;
}

#[tokio::test]
async fn every_case_holds_on_a_cluster() {
    run_all(Kind::Cluster).await;
}

/// Runs all cases one after the other, each in a tenant of its own, and names those that fail.
async fn run_all(kind: Kind) {
    let home = Arc::new(Home::start(kind));
    let mut failed = Vec::new();
    for (module, cases) in SUITE {
        for case in *cases {
            let name = format!("{module}.{}", case.name);
            eprintln!("case {name}");
            let mut bench = Bench::on(Arc::clone(&home), &name).await;
            let run = AssertUnwindSafe((case.run)(&mut bench)).catch_unwind();
            if run.await.is_err() {
                failed.push(name);
            }
            bench.stop().await;
        }
    }
    assert!(failed.is_empty(), "failed on {kind:?}: {failed:#?}");
}
