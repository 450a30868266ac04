//! The crate's integration tests. PDFs are tested where the child process is: with the program that people run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod bounds;
mod cutting;
mod transcripts;
mod written;

use turnwise_extract::{Chunk, ExtractError, Kind, chunks, sections};

/// Reads and cuts a file of this kind.
fn cut(kind: Kind, bytes: impl AsRef<[u8]>) -> Result<Vec<Chunk>, ExtractError> {
    chunks("file", &sections("file", kind, bytes.as_ref())?)
}

/// The chunks' headings and texts.
fn told(chunks: &[Chunk]) -> Vec<(&str, &str)> {
    chunks
        .iter()
        .map(|chunk| (chunk.section.as_str(), chunk.text.as_str()))
        .collect()
}
