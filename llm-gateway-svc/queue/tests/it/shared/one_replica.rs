//! One replica that shares its queue with nobody.

use std::sync::Mutex;

use turnwise_llm_queue::{Queue, QueueOptions};
use turnwise_testing::redis::RedisServer;

use super::Replica;
use crate::conformance::{Queues, conformance};

/// Queues on a Redis of their own, which ends with this value.
#[derive(Default)]
struct OneReplica(Mutex<Vec<RedisServer>>);

impl Queues for OneReplica {
    async fn queue(&self, options: QueueOptions) -> Queue {
        let server = RedisServer::start().unwrap();
        let replica = Replica::join(&server.url(), options).await;
        self.0.lock().unwrap().push(server);
        replica.queue
    }
}

conformance!(tokio::test, OneReplica::default());
