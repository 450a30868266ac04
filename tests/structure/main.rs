//! What the documents promise of the project's structure, held by tests.
//!
//! | module | holds |
//! | --- | --- |
//! | [`dependencies`] | which crate may depend on which; what the pure crates never link |
//! | [`files`] | the length of source files; where unit tests are compiled |
//! | [`protos`] | every part of a contract is documented |
//! | [`settings`] | every setting is in `--help`, and nothing reads the environment beside them |

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod dependencies;
mod files;
mod protos;
mod settings;
mod workspace;
