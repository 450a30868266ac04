//! The whole suite on sets of sentinels, and on clusters. To start either takes long, so a test runs many cases; to run
//! all takes long, too, so there are three tests for each.

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;

use super::SUITE;
use crate::bench::{Bench, Home, Kind};

/// How many tests the suite is divided into, module by module.
const PARTS: usize = 3;

macro_rules! every_case_holds {
    ($($test:ident: $kind:expr, $part:literal;)+) => { $(
        #[tokio::test]
        async fn $test() {
            run_part($kind, $part).await;
        }
    )+ };
}

every_case_holds! {
    on_a_set_that_sentinels_watch_1_of_3: Kind::Sentinel, 0;
    on_a_set_that_sentinels_watch_2_of_3: Kind::Sentinel, 1;
    on_a_set_that_sentinels_watch_3_of_3: Kind::Sentinel, 2;
    on_a_cluster_1_of_3: Kind::Cluster, 0;
    on_a_cluster_2_of_3: Kind::Cluster, 1;
    on_a_cluster_3_of_3: Kind::Cluster, 2;
}

/// Runs the cases of a part one after the other, each on empty servers (several read all that is stored, again and again),
/// and names those that fail.
async fn run_part(kind: Kind, part: usize) {
    let home = Arc::new(Home::start(kind));
    let mut failed = Vec::new();
    for (module, cases) in SUITE.iter().skip(part).step_by(PARTS) {
        for case in *cases {
            let name = format!("{module}.{}", case.name);
            eprintln!("case {name}");
            home.clear();
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
