//! The turn gateway: who calls, what they may send, and the phases of a turn over the four services behind it. It keeps
//! no state of its own.
//!
//! | module | is about |
//! | --- | --- |
//! | [`auth`] | JWTs and the issuer's keys |
//! | [`grpc`] | TutorService |
//! | [`turn`] | the phases of a turn |
//! | [`prompt`] | prompt sheets |
//! | [`input`], [`rosters`], [`limits`] | what a student may send, how it is cleaned, how often |
//! | [`queue`], [`index`] | the lines in front of models, and the search index, for staff |
//! | [`upstream`] | the clients of the services behind it |

mod address;
pub mod auth;
pub mod config;
pub mod error;
pub mod grpc;
pub mod index;
pub mod input;
pub mod limits;
pub mod prompt;
pub mod queue;
pub mod rosters;
pub mod turn;
pub mod upstream;

use tonic::service::Routes;
use turnwise_kit::Kit;
use turnwise_proto::{
    llm::v1::llm_queue_service_server::LlmQueueServiceServer,
    retrieval::v1::index_service_server::IndexServiceServer,
    tutor::v1::tutor_service_server::TutorServiceServer,
};

pub use config::{Endpoints, Settings};
pub use error::StartError;
pub use upstream::Upstreams;

/// The services on the public port, beside health and reflection.
pub const SERVICE_NAMES: &[&str] = &[
    "turnwise.tutor.v1.TutorService",
    "turnwise.llm.v1.LlmQueueService",
    "turnwise.retrieval.v1.IndexService",
];

/// The service's routes, without the server stack around them.
pub async fn routes(
    settings: &Settings,
    upstreams: Upstreams,
    kit: &Kit,
) -> Result<Routes, StartError> {
    let turns = turn::Turns::new(
        upstreams.clone(),
        prompt::PromptSheets::load()?,
        settings.message_max_chars as usize,
        settings.reply_reserve(),
        kit.clone(),
    );
    let queues = queue::Queues {
        upstreams: upstreams.clone(),
    };
    let index = index::Index {
        upstreams: upstreams.clone(),
    };
    let tutor = grpc::Tutor {
        upstreams,
        turns,
        limit: limits::CallLimit::open(settings, kit).await?,
        trusted_proxies: settings.trusted_proxies.into(),
        kit: kit.clone(),
    };
    Ok(Routes::new(TutorServiceServer::new(tutor))
        .add_service(LlmQueueServiceServer::new(queues))
        .add_service(IndexServiceServer::new(index)))
}
