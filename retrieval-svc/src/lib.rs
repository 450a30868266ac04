//! retrieval-svc: finds the course text that a turn may use, and decides nothing.
//!
//! | module | is about |
//! | --- | --- |
//! | [`text`] | one normaliser and one way to cut text into terms |
//! | [`index`] | the immutable index of a course: ranked search in a scope, and message to units |
//! | [`courses`] | the packs that are served, in their last versions |
//! | [`grpc`] | the service's face: checks requests, converts answers |
//! | [`config`], [`error`] | settings; what can go wrong |

pub mod config;
pub mod courses;
pub mod error;
pub mod grpc;
pub mod index;
pub mod text;

use std::{sync::Arc, time::Duration};

use turnwise_kit::Kit;
use turnwise_proto::retrieval::v1::retrieval_service_server::RetrievalServiceServer;

pub use config::Settings;
pub use courses::Courses;
pub use error::StartError;

/// The full gRPC names that are served.
pub const SERVICE_NAMES: &[&str] = &["turnwise.retrieval.v1.RetrievalService"];

/// The service's routes, without the server stack around them. Loads and indexes the courses first, and follows their
/// folder until the process ends.
///
/// # Errors
/// The courses cannot be served; the message says what to do.
pub async fn routes(settings: &Settings, kit: &Kit) -> Result<tonic::service::Routes, StartError> {
    let library = Arc::new(courses::open(&settings.courses_dir, kit)?);
    let routes = routes_over(library.catalog());
    let every = Duration::from_secs(settings.courses_reload_seconds.into());
    let end = kit.shutdown.clone().cancelled_owned();
    kit.tasks.spawn(library.follow(every, end));
    Ok(routes)
}

/// The service's routes over courses that are loaded already.
pub fn routes_over(courses: Arc<Courses>) -> tonic::service::Routes {
    tonic::service::Routes::new(RetrievalServiceServer::new(grpc::Retrieval::new(courses)))
}
