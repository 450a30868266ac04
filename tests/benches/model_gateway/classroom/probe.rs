//! Somebody who looks in all the time: whether the gateway is healthy, and who stands in the queue.

use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::{
    task::JoinSet,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use turnwise_kit::{CallContext, client::GrpcClient};
use turnwise_proto::llm::v1::{GetQueuesRequest, llm_queue_service_client::LlmQueueServiceClient};
use turnwise_testing::figure::{Bound, figure};

use super::school::School;

/// How often each replica is asked: often while students press, and then less often, because what it costs to answer
/// counts as the gateway's.
const OFTEN: Duration = Duration::from_millis(50);
const SELDOM: Duration = Duration::from_millis(500);
/// How often it is asked often.
const RUSH: u32 = 20;
/// Nobody waits longer for an answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// What every answer should come within, milliseconds.
const BOUND_MS: f64 = 50.0;

/// Asks every replica until it is told to stop.
pub struct Probe {
    asking: JoinSet<Answers>,
    stop: CancellationToken,
}

struct Answers {
    /// Microseconds.
    health: Histogram<u64>,
    queues: Histogram<u64>,
    failed: u64,
}

impl Answers {
    fn new() -> Self {
        Self {
            health: Histogram::new(3).unwrap(),
            queues: Histogram::new(3).unwrap(),
            failed: 0,
        }
    }
}

impl Probe {
    /// Begins to ask.
    pub fn start(school: &School) -> Self {
        let stop = CancellationToken::new();
        let mut asking = JoinSet::new();
        for replica in &school.replicas {
            asking.spawn(ask(replica.client(), stop.clone()));
        }
        Self { asking, stop }
    }

    /// Stops, and tells how long answers took.
    pub async fn tell(self, name: &str) {
        self.stop.cancel();
        let mut all = Answers::new();
        for answers in self.asking.join_all().await {
            all.health.add(answers.health).unwrap();
            all.queues.add(answers.queues).unwrap();
            all.failed += answers.failed;
        }
        for (what, took) in [("health", all.health), ("queues", all.queues)] {
            let p99 = took.value_at_quantile(0.99) as f64 / 1000.0;
            let max = took.max() as f64 / 1000.0;
            figure(&format!("{name}_{what}_p99_ms"), p99, Bound::Report);
            figure(
                &format!("{name}_{what}_max_ms"),
                max,
                Bound::AtMost(BOUND_MS),
            );
        }
        figure(
            &format!("{name}_probes_failed"),
            all.failed as f64,
            Bound::AtMost(0.0),
        );
    }
}

async fn ask(client: GrpcClient, stop: CancellationToken) -> Answers {
    let mut health = HealthClient::new(client.clone());
    let mut queues = LlmQueueServiceClient::new(client);
    let mut answers = Answers::new();
    for asked in 0.. {
        let pause = if asked < RUSH { OFTEN } else { SELDOM };
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            () = sleep(pause) => {}
        }
        let context = CallContext::background(None, PATIENCE);
        let begun = Instant::now();
        let request = context.request(HealthCheckRequest::default());
        let healthy = matches!(timeout(PATIENCE, health.check(request)).await, Ok(Ok(_)));
        let of_health = begun.elapsed();
        let begun = Instant::now();
        let request = context.request(GetQueuesRequest::default());
        let shown = matches!(
            timeout(PATIENCE, queues.get_queues(request)).await,
            Ok(Ok(_))
        );
        let of_queues = begun.elapsed();
        let micros = |took: Duration| u64::try_from(took.as_micros()).unwrap();
        answers.health.record(micros(of_health)).unwrap();
        answers.queues.record(micros(of_queues)).unwrap();
        answers.failed += u64::from(!healthy) + u64::from(!shown);
    }
    answers
}
