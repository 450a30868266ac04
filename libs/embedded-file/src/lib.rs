//! One way to open and use an embedded database file (redb). Who owns a file says what it is for, how its rows are
//! brought out of a damaged one, and what an operator can do; this crate knows nothing of what is in it.
//!
//! - The file is made with its folder if it is not there, for this user alone, and appears under its name only once it
//!   is whole. A file that is there and holds nothing is a fault, not an empty database.
//! - One process has it open, which a [`Lock`] on a file beside it sees to, even while a new file takes its place.
//! - Opening looks at every page. A damaged file whose rows the owner's `rescue` can all bring into a new one is replaced
//!   by that and kept under the same name with `.damaged`; any other damage is refused and the file left as it is.
//! - Commits have two phases, so that a file that was damaged later is told from one whose last commit was broken off.
//! - Whatever the database does with pages that make no sense, the process lives on.
//! - An owner who wants room back fills a new file, a [`Replacement`], while the old one serves; the database itself only
//!   ever gives back what is free at a file's end.
//! - After an error of the disk the database refuses everything until it is opened again, which [`EmbeddedFile`] does.
//!
//! What is not found: a process that is killed leaves a file in which one bit says which of its last two commits counts.
//! If just that bit turns over before the next start, the last commit is taken back.
//!
//! Where a damaged file names the size of a page, the database makes room for it before it reads: for a moment that can
//! be 4 GiB.

mod checksum;
mod error;
mod failure;
mod file;
mod opening;
mod place;
mod replacement;
mod rescue;

pub use self::{
    checksum::{Damage, HEAD, seal, unseal},
    error::OpenError,
    failure::{Cause, Failure, Fault},
    file::{Done, EmbeddedFile},
    opening::Purpose,
    place::{Lock, beside},
    replacement::Replacement,
    rescue::copy,
};

/// A column of bytes, in the definition of a table.
pub type Bytes = &'static [u8];
