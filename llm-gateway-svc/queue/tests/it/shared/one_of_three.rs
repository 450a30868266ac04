//! One of three replicas, in whose queue the others take no part but by their slots.

use std::sync::Mutex;

use turnwise_llm_queue::{Queue, QueueOptions};
use turnwise_testing::redis::RedisServer;

use super::{Replica, replicas};
use crate::conformance::{Queues, conformance};

/// Queues of which most slots belong to others. Their Redis and the others end with this value.
#[derive(Default)]
struct OneOfThree(Mutex<Vec<(RedisServer, Vec<Replica>)>>);

impl Queues for OneOfThree {
    async fn queue(&self, options: QueueOptions) -> Queue {
        let server = RedisServer::start().unwrap();
        let replicas = replicas(&server.url(), 3, &options).await;
        let queue = replicas[0].queue.clone();
        self.0.lock().unwrap().push((server, replicas));
        queue
    }
}

conformance!(tokio::test, OneOfThree::default());
