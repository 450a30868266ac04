//! Circuit breakers, kept by one process or shared through Redis.
//!
//! A breaker stands before something that may fail, named by a key such as a backend and a model. So many failures in a
//! row open it; while it is open, no call goes on. Then it is half-open: one call is the probe, and how that ends closes
//! or opens it again.
//!
//! | module | is about |
//! | --- | --- |
//! | [`state_machine`] | one breaker: its rules, its states |
//! | [`replica`] | a copy of one that is shared |
//! | `shared` | where those are kept: Redis |
//! | `breakers`, `registry`, `permit` | calls: which go on, and how they ended |
//!
//! A closed breaker costs no round trip: calls look at a copy, which learns of all changes. Failures, the successes that
//! end a row of them, and probes go to Redis. While that does not answer, each process goes on alone from what it knows,
//! so there may be a probe of each.

mod breakers;
mod permit;
mod registry;
pub mod replica;
mod shared;
pub mod state_machine;

pub use breakers::{Breakers, Change, Open};
pub use permit::Permit;
pub use state_machine::{Rules, State};
