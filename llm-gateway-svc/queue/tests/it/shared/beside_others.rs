//! One of three replicas, in whose line the others take no part but by their slots.

use turnwise_llm_queue::{Line, LineOptions};
use turnwise_testing::redis::RedisServer;

use super::replicas;
use crate::conformance::{Lines, conformance};

/// Lines of which most slots belong to others.
struct BesideOthers;

impl Lines for BesideOthers {
    async fn line(&self, options: LineOptions) -> Line {
        let server = RedisServer::start().unwrap();
        let replicas = replicas(&server.url(), 3, &options).await;
        let line = replicas[0].line.clone();
        // They end with the test's process.
        std::mem::forget((server, replicas));
        line
    }
}

conformance!(tokio::test, BesideOthers);
