//! Evidence through the public face, over services that answer as a test says.

mod drills;
mod exams;
pub mod fake;
mod once;
mod outages;
mod platforms;
mod policy;
mod session;
mod support;
mod world;
