//! The LLM gateway: every call to a model, at most so many at once.
//!
//! | module | is about |
//! | --- | --- |
//! | [`completion`] | what goes to a model and what comes back; the trait of a backend |
//! | [`backend`] | Ollama, OpenAI-compatible servers, and which servers are remote |
//! | [`mock`] | the model that is none: deterministic answers, good and bad, by name |
//! | [`slots`] | how many calls run at once |
//! | [`call`] | one call from end to end |
//! | [`grpc`] | proto to domain and back |
//! | [`config`], [`error`], [`metrics`] | settings, failures, counts |
//!
//! It knows nothing of teaching: to it a prompt is messages and a schema. Only the mock reads the schema's enums, to
//! answer within them.

pub mod backend;
pub mod call;
pub mod completion;
pub mod config;
pub mod error;
pub mod grpc;
pub mod metrics;
pub mod mock;
pub mod slots;

use std::sync::Arc;

use turnwise_kit::Kit;
use turnwise_proto::llm::v1::llm_gateway_service_server::LlmGatewayServiceServer;

pub use backend::ollama_answers;
pub use config::{BackendKind, Settings};
pub use error::StartError;

/// The full names of the services that [`routes`] serves.
pub const SERVICE_NAMES: &[&str] = &["turnwise.llm.v1.LlmGatewayService"];

/// The service's routes, without the server stack around them.
pub async fn routes(settings: &Settings, kit: &Kit) -> Result<tonic::service::Routes, StartError> {
    let waits = settings.waits()?;
    let backend = backend::connect(settings)?;
    let slots = settings.helper_max_concurrency;
    let calls = call::Calls::new(
        Arc::clone(&backend),
        slots::Slots::new(slots as usize),
        metrics::CallMetrics::register(&kit.metrics, slots),
    );
    tracing::info!(
        backend = backend.name(),
        model = backend.default_model(),
        slots,
        "model backend"
    );
    let service = grpc::LlmGateway::new(calls, waits);
    Ok(tonic::service::Routes::new(LlmGatewayServiceServer::new(
        service,
    )))
}
