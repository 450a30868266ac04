//! Three replicas in front of one model server, and their Redis.

use std::time::Duration;

use tempfile::TempDir;
use tokio::task::block_in_place;
use turnwise_kit::{CallContext, client::GrpcClient};
use turnwise_proto::llm::v1::{
    GetQueuesRequest, Queue, QueueScope, llm_queue_service_client::LlmQueueServiceClient,
};
use turnwise_testing::{
    model_server::{Load, ServiceTime, Settings},
    redis::{RedisServer, ServerOptions},
};
use turnwise_tests::{
    eventually::eventually,
    help_request::HelpRequest,
    model_gateway::{ModelGateway, REDIS_SETTING},
    model_server::ModelServerProcess,
};

/// How many replicas there are.
pub const REPLICAS: usize = 3;
/// The model's slots: the last replica owns none.
pub const SLOTS: usize = 2;
/// How long the model needs for a call, usually.
pub const SERVICE: Duration = Duration::from_millis(100);
/// What happens soon happens within this, on a busy machine too.
pub const SOON: Duration = Duration::from_secs(60);
/// The longest a caller waits for a slot, and for an answer. Nobody comes near them unless something is lost.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(40));

/// The replicas, their model and their Redis. They end with the value.
pub struct ThreeReplicas {
    pub replicas: Vec<ModelGateway>,
    pub model: ModelServerProcess,
    pub redis: RedisServer,
    lease: Duration,
    _home: TempDir,
}

impl ThreeReplicas {
    /// Starts all, and returns once every replica takes part in the queue. `lease`: after which a dead replica's slots are
    /// free, whole seconds.
    pub async fn start(redis: &ServerOptions, lease: Duration) -> Self {
        let home = tempfile::tempdir().unwrap();
        let (model, redis) = block_in_place(|| {
            let model = ModelServerProcess::start(&answering_in(SERVICE), home.path());
            (model, RedisServer::start_with(redis).unwrap())
        });
        let mut trio = Self {
            replicas: Vec::new(),
            model,
            redis,
            lease,
            _home: home,
        };
        for index in 0..REPLICAS {
            let replica = trio.replica(index);
            trio.replicas.push(replica);
        }
        for index in 0..REPLICAS {
            trio.joins(index).await;
        }
        trio
    }

    fn replica(&self, index: usize) -> ModelGateway {
        let settings = [
            ("HELPER_MAX_CONCURRENCY", SLOTS.to_string()),
            ("QUEUE_REPLICAS", REPLICAS.to_string()),
            ("QUEUE_REPLICA_INDEX", index.to_string()),
            (
                "HELPER_QUEUE_SLOT_TTL_SECONDS",
                self.lease.as_secs().to_string(),
            ),
            (
                "QUEUE_EXPECTED_CALL_SECONDS",
                SERVICE.as_secs_f64().to_string(),
            ),
            (REDIS_SETTING, self.redis.url()),
        ];
        block_in_place(|| ModelGateway::start(&self.model.url(), &settings))
    }

    /// Starts a replica again that has ended, and returns once it takes part.
    pub async fn start_again(&mut self, index: usize) {
        self.replicas[index] = self.replica(index);
        self.joins(index).await;
    }

    /// A queue is there once its model is called.
    async fn joins(&self, index: usize) {
        let client = self.replicas[index].client();
        let early = help_request("early", &format!("early-{index}"));
        early.send(&client).await.result.unwrap();
        self.until_scope(index, QueueScope::Shared).await;
    }

    /// Waits until a replica's queue is shared, or detached.
    pub async fn until_scope(&self, index: usize, scope: QueueScope) {
        let what = format!("the queue of replica {index} is {}", scope.as_str_name());
        self.until(index, &what, |queue| queue.scope() == scope)
            .await;
    }

    /// Waits until a replica shows a queue of which this holds.
    pub async fn until(&self, index: usize, what: &str, holds: impl Fn(&Queue) -> bool) {
        let client = self.replicas[index].client();
        eventually(what, SOON, async || {
            let queue = queue_of(&client).await?;
            holds(&queue).then_some(())
        })
        .await;
    }

    /// Waits until the others, without this replica, use every slot.
    pub async fn until_all_slots_serve_without(&self, gone: usize) {
        let gone_name = gone.to_string();
        let other = (gone + 1) % REPLICAS;
        self.until(other, "every slot is used by the others", |queue| {
            let calls = queue.slots.iter().filter_map(|slot| slot.call.as_ref());
            calls.filter(|call| call.replica != gone_name).count() == SLOTS
        })
        .await;
    }

    /// What the model server has seen of completions.
    pub async fn seen(&self) -> Load {
        self.model.statistics().await.completions
    }

    /// From now on the model needs so long for a call; those that run are not changed.
    pub async fn set_service(&self, service: Duration) {
        self.model.set(&answering_in(service)).await;
    }

    /// Insists that the model never had more calls than slots, though it had that many, and that no replica panicked.
    pub async fn check(&mut self) {
        let seen = self.seen().await;
        assert_eq!(seen.max_in_flight, SLOTS, "{seen:?}");
        for replica in &mut self.replicas {
            block_in_place(|| replica.process.stop());
            let log = replica.process.log().all();
            assert!(!log.iter().any(|line| line.contains("panicked")), "{log:?}");
        }
    }
}

fn answering_in(service: Duration) -> Settings {
    Settings {
        service_time: ServiceTime::constant(service),
        pieces: 2,
        ..Settings::default()
    }
}

/// The queue of completions as a replica shows it; none if it cannot be had.
async fn queue_of(client: &GrpcClient) -> Option<Queue> {
    let context = CallContext::background(None, SOON);
    let answer = LlmQueueServiceClient::new(client.clone())
        .get_queues(context.request(GetQueuesRequest::default()))
        .await;
    answer.ok()?.into_inner().queues.into_iter().next()
}

/// The request of a patient student.
pub fn help_request(class: &str, student: &str) -> HelpRequest {
    let (max_wait, timeout) = PATIENCE;
    HelpRequest {
        class: class.to_owned(),
        student: student.to_owned(),
        thread: format!("{student}-thread"),
        max_wait: Some(max_wait),
        timeout,
        ticket: String::new(),
    }
}
