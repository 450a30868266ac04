//! retrieval-svc: finds the course text that a turn may use, and decides nothing.
//!
//! | module | is about |
//! | --- | --- |
//! | [`text`] | one normaliser and one way to cut text into terms |
//! | [`index`] | the immutable index of a course: ranked search in a scope, and message to units |
//! | [`courses`] | the packs that are loaded |
//! | [`grpc`] | the service's face: checks requests, converts answers |
//! | [`config`], [`error`] | settings; what can go wrong |

pub mod config;
pub mod courses;
pub mod error;
pub mod grpc;
pub mod index;
pub mod text;

use turnwise_kit::Kit;
use turnwise_proto::retrieval::v1::retrieval_service_server::RetrievalServiceServer;

pub use config::Settings;
pub use courses::Courses;
pub use error::StartError;

/// The full gRPC names that are served.
pub const SERVICE_NAMES: &[&str] = &["turnwise.retrieval.v1.RetrievalService"];

/// The service's routes, without the server stack around them. Loads and indexes the courses first.
///
/// # Errors
/// The courses cannot be served; the message says what to do.
pub async fn routes(settings: &Settings, _kit: &Kit) -> Result<tonic::service::Routes, StartError> {
    Ok(routes_over(Courses::load(&settings.courses_dir)?))
}

/// The service's routes over courses that are loaded already.
pub fn routes_over(courses: Courses) -> tonic::service::Routes {
    tonic::service::Routes::new(RetrievalServiceServer::new(grpc::Retrieval::new(courses)))
}
