//! Evidence through the public face, over services that answer as a test says.

mod drills;
mod exams;
pub mod fake;
mod outages;
mod policy;
mod session;
mod support;
mod world;
