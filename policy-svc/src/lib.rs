//! policy-svc: decides what a turn is about, what is allowed in it, and what a model's reply may be. It asks nobody,
//! looks at no clock and keeps nothing but the courses.
//!
//! | module | is about |
//! | --- | --- |
//! | [`courses`] | the course packs that are served, in their last versions |
//! | [`answers`] | the right answers, which decisions never see |
//! | [`drill_keys`] | whether the keys of drills with parameters are right |
//! | [`drill_checks`] | what else may be wrong with a course's drills |
//! | [`mathematics`] | false mathematics in a course's texts |
//! | [`exam_drills`] | drills that are exam questions |
//! | [`exercise_units`] | which unit teaches an exercise that a student brings |
//! | [`mistakes`] | the mistakes that mathematics names in a wrong answer |
//! | [`taught`] | whether what the tutor teaches with may be said, and no hint gives an answer away |
//! | [`placement`] | what a placement may ask in a course |
//! | [`artifacts`] | what people supply, checked |
//! | [`grpc`] | the service's face: checks requests, converts, answers |
//! | [`metrics`] | what became of the model's replies, and of answers to drills |
//! | [`config`], [`error`] | settings; what can go wrong |
//! | [`program`] | the service as a process of its own |
//!
//! The decisions themselves are the crate `turnwise-decisions`; the mathematics of grading is `turnwise-grading`,
//! what the homework helper may answer `turnwise-lesson-policy`, what is asked for before an answer
//! `turnwise-context-needs`, and help with procedures `turnwise-procedure-help`.

pub mod answers;
pub mod artifacts;
pub mod config;
pub mod courses;
pub mod drill_checks;
pub mod drill_keys;
pub mod error;
pub mod exam_drills;
pub mod exercise_units;
pub mod grpc;
pub mod mathematics;
pub mod metrics;
pub mod mistakes;
pub mod placement;
pub mod program;
pub mod taught;

use std::{sync::Arc, time::Duration};

use turnwise_kit::{Gzip, Kit, sizes::INTERNAL_MESSAGE};
use turnwise_procedure_help::Rules;
use turnwise_proto::policy::v1::policy_service_server::PolicyServiceServer;
use turnwise_reply_guard::Guard;

pub use config::{HelperSettings, Settings};
pub use courses::Courses;
pub use error::StartError;
use metrics::{GradeMetrics, ReplyMetrics};

/// The full gRPC names that are served.
pub const SERVICE_NAMES: &[&str] = &["turnwise.policy.v1.PolicyService"];

/// The service's routes, without the server stack around them. Loads the courses first, and follows their folder until
/// the process ends.
///
/// # Errors
/// The courses cannot be served, or not be archived; the message says what to do.
pub async fn routes(settings: &Settings, kit: &Kit) -> Result<tonic::service::Routes, StartError> {
    let (courses, own) = (settings.courses.clone(), kit.clone());
    // Packs are read, and bundles fetched, on a thread that may block.
    let library = tokio::task::spawn_blocking(move || courses::open(&courses, &own))
        .await
        .map_err(|error| StartError::Interrupted(error.to_string()))??;
    let library = Arc::new(library);
    let routes = routes_over(
        library.catalog(),
        &settings.helper,
        settings.context_handoff_enabled,
        kit,
    )?;
    let every = Duration::from_secs(settings.courses.courses_reload_seconds.into());
    let end = kit.shutdown.clone().cancelled_owned();
    kit.tasks.spawn(library.follow(every, end));
    Ok(routes)
}

/// The service's routes over courses that are loaded already; with the context hand-off on or off.
///
/// # Errors
/// The reply guard's own files are broken.
pub fn routes_over(
    courses: Arc<Courses>,
    helper: &HelperSettings,
    context_handoff: bool,
    kit: &Kit,
) -> Result<tonic::service::Routes, StartError> {
    let replies = ReplyMetrics::register(&kit.metrics);
    let grades = GradeMetrics::register(&kit.metrics);
    let guard = Guard::built_in()?;
    let rules = Rules::built_in()?;
    let service = grpc::Policies::new(courses, kit.pages.clone(), replies, grades, guard, rules)
        .with_helper(helper.defaults())
        .with_context_handoff(context_handoff);
    let service = PolicyServiceServer::new(service)
        .accept_compressed(Gzip)
        .max_decoding_message_size(INTERNAL_MESSAGE);
    Ok(tonic::service::Routes::new(service))
}
