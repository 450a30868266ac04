//! One replica that shares its line with nobody.

use turnwise_llm_queue::{Line, LineOptions};
use turnwise_testing::redis::RedisServer;

use super::Replica;
use crate::conformance::{Lines, conformance};

/// Lines on a Redis of their own.
struct Alone;

impl Lines for Alone {
    async fn line(&self, options: LineOptions) -> Line {
        let server = RedisServer::start().unwrap();
        let replica = Replica::join(&server.url(), options).await;
        // It ends with the test's process.
        std::mem::forget(server);
        replica.line
    }
}

conformance!(tokio::test, Alone);
