//! The LLM gateway: every call to a model, at most so many at once, and a fair queue for those who wait.
//!
//! | module | is about |
//! | --- | --- |
//! | [`grpc`] | proto to domain and back |
//! | [`job`] | a request as the service works on it |
//! | [`coalesce`] | identical requests that share a completion |
//! | [`call`] | one request from end to end |
//! | [`admission`] | limits and budgets |
//! | [`upstreams`] | for each model a queue and a circuit breaker |
//! | [`retry`] | when a failed call is tried again |
//! | [`telemetry`], [`metrics`], [`gauges`] | spans and counts |
//! | [`diagnose()`] | whether models and Redis answer |
//! | [`settings`], [`error`] | settings, failures |
//! | [`program`] | the service as a process of its own |
//!
//! Parts of it are crates of their own: the servers of models (`backends`), the queue (`queue`), and the circuit breakers
//! (`breaker`). Redis, where it is configured, shares queues, breakers, limits and budgets between replicas.
//!
//! It knows nothing of teaching: to it a prompt is messages and a schema.

pub mod admission;
mod answer;
pub mod call;
mod clip;
pub mod coalesce;
mod diagnostics;
pub mod error;
mod gauges;
pub mod grpc;
pub mod job;
pub mod metrics;
pub mod program;
pub mod retry;
mod routes;
pub mod settings;
pub mod telemetry;
pub mod upstreams;
mod usage;

use std::{sync::Arc, time::Duration};

use tonic::service::Routes;
use turnwise_breaker::{Breakers, Rules};
use turnwise_kit::{Gzip, Kit, sizes::INTERNAL_MESSAGE};
use turnwise_llm_backends::Targets;
use turnwise_proto::llm::v1::{
    llm_gateway_service_server::LlmGatewayServiceServer,
    llm_queue_service_server::LlmQueueServiceServer,
};
use turnwise_rate_limit::Limiter;
use turnwise_redis::Redis;

pub use diagnostics::{Finding, FindingKind, diagnose};
pub use error::StartError;
pub use settings::Settings;
pub use turnwise_llm_backends::{BackendKind, BackendSettings, ollama_answers};

/// The full names of the services that [`routes`] serves.
pub const SERVICE_NAMES: &[&str] = &[
    "turnwise.llm.v1.LlmGatewayService",
    "turnwise.llm.v1.LlmQueueService",
];
/// How long a breaker waits for a probe whose caller gives no sign of life; it gives one every third of that.
const PROBE_LEASE: Duration = Duration::from_secs(6);
/// Under this name replicas share what they share.
const SHARED_NAME: &str = "llm";

/// The service's routes, without the server stack around them.
pub async fn routes(settings: &Settings, kit: &Kit) -> Result<Routes, StartError> {
    settings.check()?;
    let targets = Targets::connect(&settings.backends)?;
    targets.follow(kit);
    let redis = redis(settings, kit).await?;
    let resilience = &settings.resilience;
    let rules = Rules {
        failures: resilience.helper_circuit_breaker_failures,
        ttl: resilience.helper_circuit_breaker_ttl_seconds,
        probe_lease: PROBE_LEASE,
    };
    let (breakers, limiter) = match &redis {
        Some(redis) => (
            Breakers::shared(rules, redis.clone(), SHARED_NAME, kit.tasks.clone()),
            Limiter::shared(Arc::clone(&kit.clock), redis.clone(), SHARED_NAME),
        ),
        None => (
            Breakers::local(rules),
            Limiter::local(Arc::clone(&kit.clock)),
        ),
    };
    for target in targets.in_order() {
        tracing::info!(
            backend = target.backend.name(),
            model = target.model,
            slots = settings.queue.helper_max_concurrency,
            shared = redis.is_some(),
            "model backend"
        );
    }
    let shared = redis.is_some();
    let metrics = Arc::new(metrics::CallMetrics::register(&kit.metrics));
    let calls = Arc::new(call::Calls {
        targets,
        upstreams: upstreams::Upstreams::new(
            settings.queue.clone(),
            redis,
            kit.clone(),
            Arc::clone(&metrics),
        ),
        breakers,
        admission: admission::Admission::new(&settings.limits, limiter),
        retries: retry::Retries::new(resilience),
        metrics,
        max_entries: settings.queue.queue_max_entries as usize,
        tasks: kit.tasks.clone(),
    });
    if shared {
        calls.open_upstreams();
    }
    gauges::keep(Arc::clone(&calls), kit);
    let gateway = grpc::LlmGateway::new(
        coalesce::Coalescing::new(Arc::clone(&calls), resilience.llm_coalesce),
        settings.waits(),
    );
    let queue = grpc::LlmQueue::new(calls);
    Ok(Routes::new(
        LlmGatewayServiceServer::new(gateway)
            .accept_compressed(Gzip)
            .max_decoding_message_size(INTERNAL_MESSAGE),
    )
    .add_service(
        LlmQueueServiceServer::new(queue)
            .accept_compressed(Gzip)
            .max_decoding_message_size(INTERNAL_MESSAGE),
    ))
}

async fn redis(settings: &Settings, kit: &Kit) -> Result<Option<Redis>, StartError> {
    let Some(url) = settings.shared.url() else {
        return Ok(None);
    };
    let options = settings.shared.options(url, kit)?;
    match Redis::open(&options).await {
        Ok(redis) => Ok(Some(redis)),
        Err(error) => Err(StartError::RedisUrl(error.to_string())),
    }
}
