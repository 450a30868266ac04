//! Tests of the decisions: tables for each of them, properties for what must hold for all inputs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod adversarial;
mod against_reference;
mod decide;
mod drill_terms;
mod evidence;
mod explain;
mod fallback;
mod fixtures;
mod golden;
mod grade;
mod json;
mod limits;
mod liveness;
mod placed;
mod plan;
mod properties;
mod reference;
mod reply;
mod schema;
mod score;
mod standing;
mod strategies;
mod target;
mod teaching;
mod validate;
