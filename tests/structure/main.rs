//! What the documents promise of the project's structure, held by tests.
//!
//! | module | holds |
//! | --- | --- |
//! | [`advice`] | messages advise what their readers can do |
//! | [`dependencies`] | which crate may depend on which; what the pure crates never link |
//! | [`drain`] | manifests give a process the time that its end may take |
//! | [`files`] | the length of source files; where unit tests are compiled |
//! | [`protos`] | every part of a contract is documented |
//! | [`secrets`] | the secrets of Compose: which are made, kept and refused |
//! | [`settings`] | every setting is in `--help`, and nothing reads the environment beside them |
//! | [`up`] | what `deploy/up` does before it starts Compose, and when it does not |

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod advice;
mod dependencies;
mod drain;
mod files;
mod protos;
mod secrets;
mod settings;
mod up;
mod workspace;
