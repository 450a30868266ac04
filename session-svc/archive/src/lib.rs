//! Archives of class resets and exports: files that show later that nothing in them was changed, and from which a
//! student can still be erased.
//!
//! | module | is about |
//! | --- | --- |
//! | [`record`] | what an archive holds: its header, one record for each conversation and each of its context requests |
//! | `line` | how that is written: one JSON object a line, chained by hashes |
//! | `dir`, `name`, `partial` | the directory: names, containment, rights, locks, files that are not finished |
//! | `writer` | writing an archive, record by record |
//! | `verify` | whether an archive is what was written |
//! | `erase`, `retain` | taking a student out of all archives; deleting old archives |
//! | [`error`] | failures, and what can be wrong with an archive |
//!
//! # The form
//!
//! The first line is the header with its `chain`: SHA-256 over the header's other fields. A record has a number, the
//! hash of its body under a random salt, `chain` = SHA-256(chain before, number, body hash), and the body: a
//! [`ConversationRecord`], or a [`ContextRequestRecord`] or [`ArtifactRecord`] of the conversation before it. The last line holds the count of
//! records and the last chain. Erasing a student takes bodies and their salts away: without the salt the hash says
//! nothing about what was there, and the chain, which is over hashes only, still holds.
//!
//! Every byte of a file is covered. What no file can show by itself is that somebody wrote all of it anew, or took a body
//! away in the way that an erasure does: whoever must exclude the first keeps [`Sealed::chain`] elsewhere.
//!
//! All calls block; they read and write one line at a time.

pub mod error;
pub mod record;

mod dir;
mod erase;
mod line;
mod name;
mod partial;
mod retain;
mod verify;
mod writer;

pub use crate::{
    dir::ArchiveDir,
    error::{ArchiveError, Fault},
    line::MAX_LINE_BYTES,
    record::{
        About, ArchiveKind, ArtifactRecord, ContextPayload, ContextRequestRecord, ConversationKind,
        ConversationRecord, Header,
    },
    retain::Retained,
    verify::{DirReport, Report, verify_dir, verify_file},
    writer::{Sealed, Writer},
};
