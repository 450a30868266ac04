//! One replica that shares its queue with nobody.

use turnwise_llm_queue::{Queue, QueueOptions};
use turnwise_testing::redis::RedisServer;

use super::Replica;
use crate::conformance::{Queues, conformance};

/// Queues on a Redis of their own.
struct OneReplica;

impl Queues for OneReplica {
    async fn queue(&self, options: QueueOptions) -> Queue {
        let server = RedisServer::start().unwrap();
        let replica = Replica::join(&server.url(), options).await;
        // It ends with the test's process.
        std::mem::forget(server);
        replica.queue
    }
}

conformance!(tokio::test, OneReplica);
