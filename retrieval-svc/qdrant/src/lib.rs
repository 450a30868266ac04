//! The search engine and the store of sources on Qdrant: one database that several replicas of a service share.
//!
//! | module | is about |
//! | --- | --- |
//! | [`options`] | where the database is, and whose vectors it holds |
//! | `connection` | calls with time limits and repeats |
//! | `failure` | what a failed call means |
//! | `names` | collections, ids of points, and strings that cannot be confused |
//! | `payload` | values as the database keeps them |
//! | `filter` | which points a call may touch |
//! | `schema` | collections, their indexes and aliases |
//! | `points` | rows of a part as points |
//! | `parts` | publishing, opening and retiring parts |
//! | `search` | searching an index |
//! | `uploads` | sources: what was uploaded |
//!
//! Vectors of different models never meet: each namespace has one collection for each *generation*, which is a hash of the
//! model, its dimension and the normaliser. Every search is filtered to the index's course, as its tenant sees it, and to
//! its parts. Every search is exact: what may be found is a few hundred to a few thousand rows, so a graph would cost
//! memory and answers and save nothing.
//!
//! Writes are acknowledged when they are applied. Qdrant 1.16 is the oldest that fits: before it, two replicas that upload
//! one source at the same moment could overwrite each other.

mod connection;
mod failure;
mod filter;
mod names;
pub mod options;
mod parts;
mod payload;
mod points;
mod schema;
mod search;
mod uploads;

pub use options::{Options, OptionsError, Qdrant};
