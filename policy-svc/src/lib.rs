//! policy-svc: decides what a turn is about, what is allowed in it, and what a model's reply may be. It asks nobody,
//! looks at no clock and keeps nothing but the courses.
//!
//! | module | is about |
//! | --- | --- |
//! | [`courses`] | the course packs that are loaded |
//! | [`grpc`] | the service's face: checks requests, converts, answers |
//! | [`metrics`] | what became of the model's replies |
//! | [`config`], [`error`] | settings; what can go wrong |
//!
//! The decisions themselves are the crate `turnwise-decisions`.

pub mod config;
pub mod courses;
pub mod error;
pub mod grpc;
pub mod metrics;

use turnwise_kit::Kit;
use turnwise_proto::policy::v1::policy_service_server::PolicyServiceServer;

pub use config::Settings;
pub use courses::Courses;
pub use error::StartError;
use metrics::ReplyMetrics;

/// The full gRPC names that are served.
pub const SERVICE_NAMES: &[&str] = &["turnwise.policy.v1.PolicyService"];

/// The service's routes, without the server stack around them. Loads the courses first.
///
/// # Errors
/// The courses cannot be served; the message says what to do.
pub async fn routes(settings: &Settings, kit: &Kit) -> Result<tonic::service::Routes, StartError> {
    Ok(routes_over(Courses::load(&settings.courses_dir)?, kit))
}

/// The service's routes over courses that are loaded already.
pub fn routes_over(courses: Courses, kit: &Kit) -> tonic::service::Routes {
    let service = grpc::Policies::new(courses, ReplyMetrics::register(&kit.metrics));
    tonic::service::Routes::new(PolicyServiceServer::new(service))
}
