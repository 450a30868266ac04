//! One of three replicas, in whose queue the others take no part but by their slots.

use turnwise_llm_queue::{Queue, QueueOptions};
use turnwise_testing::redis::RedisServer;

use super::replicas;
use crate::conformance::{Queues, conformance};

/// Queues of which most slots belong to others.
struct OneOfThree;

impl Queues for OneOfThree {
    async fn queue(&self, options: QueueOptions) -> Queue {
        let server = RedisServer::start().unwrap();
        let replicas = replicas(&server.url(), 3, &options).await;
        let queue = replicas[0].queue.clone();
        // They end with the test's process.
        std::mem::forget((server, replicas));
        queue
    }
}

conformance!(tokio::test, OneOfThree);
