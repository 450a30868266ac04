//! PDFs, read in a child process: hostile ones can make the reader panic, loop or eat memory, and none of that reaches
//! the program that asked.
//!
//! The child is this same program with the subcommand [`SUBCOMMAND`], which calls [`child`]. It gets the file on its
//! standard input and answers in lines of JSON. It limits its own memory and processor time first; the parent bounds what
//! it reads from it and how long, and kills it.

#[cfg(feature = "pdf")]
mod child;
#[cfg(feature = "pdf")]
mod lines;
mod protocol;
mod reader;
mod sections;

#[cfg(feature = "pdf")]
pub use child::child;
pub use reader::Reader;

/// The subcommand that turns a program into the child.
pub const SUBCOMMAND: &str = "extract-pdf";
/// The most pages of a PDF.
pub const MAX_PAGES: usize = 2_000;
