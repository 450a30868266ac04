//! The engine and the store of sources over a real connection: against a server in this process, and against the database
//! at `QDRANT_URL` if that is set.

mod conformance;
mod corpus;
mod fake;
mod faults;
mod generations;
mod isolation;
mod place;
mod rankings;
mod uploads;
