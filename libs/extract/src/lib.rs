//! Transcripts, PDFs and plain texts, cut into chunks by section.
//!
//! | module | is about |
//! | --- | --- |
//! | `kind` | what a file is |
//! | `captions`, `vtt`, `srt` | transcripts |
//! | `markdown`, `plain` | written text |
//! | [`pdf`] | PDFs, read in a child process |
//! | `document` | sections with the pages and times of their text |
//! | `maths`, `sentences`, `chunks` | formulas, sentences, and chunks that cut neither |
//!
//! Reading is pure but for PDFs: no clock, no network, no file but the bytes that are given. The same bytes give the same
//! chunks, with the same ids. Whatever cannot be read is an [`ExtractError`] that says where and what to do.

mod captions;
mod chunks;
mod document;
mod error;
mod kind;
mod markdown;
mod maths;
pub mod pdf;
mod plain;
mod sentences;
mod srt;
mod vtt;

pub use chunks::{Chunk, MAX_CHUNK_CHARS, MAX_CHUNKS, MAX_HEADING_CHARS, MAX_WORDS, chunks};
pub use document::{Mark, Place, Section};
pub use error::{ExtractError, Reason};
pub use kind::Kind;

/// The most bytes of a file: 50 MB.
pub const MAX_INPUT: usize = 50_000_000;
/// The most bytes of text that a file may hold: 10 MB.
pub const MAX_TEXT: usize = 10_000_000;
/// Raised whenever the same file would give other chunks than before.
pub const EXTRACTION: u32 = 1;

/// Reads a file and cuts it into chunks. The name is used in messages only.
///
/// # Errors
/// The file is not what it is said to be, too large, or holds no text; see [`Reason`].
pub async fn extract(
    name: &str,
    kind: Kind,
    bytes: Vec<u8>,
    reader: &pdf::Reader,
) -> Result<Extracted, ExtractError> {
    if kind == Kind::Pdf {
        let (sections, unreadable_pages) = reader.read(name, bytes).await?;
        return Ok(Extracted {
            chunks: chunks(name, &sections)?,
            unreadable_pages,
        });
    }
    Ok(Extracted {
        chunks: chunks(name, &sections(name, kind, &bytes)?)?,
        unreadable_pages: Vec::new(),
    })
}

/// What a file gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// Its chunks, in the order of the file; at least one.
    pub chunks: Vec<Chunk>,
    /// Pages of a PDF, from 1, that are damaged: their text is missing.
    pub unreadable_pages: Vec<u32>,
}

/// Reads the sections of a file that is text.
///
/// # Errors
/// It is no text, not of this kind, or too large. A PDF is refused: it needs a [`pdf::Reader`].
pub fn sections(name: &str, kind: Kind, bytes: &[u8]) -> Result<Vec<Section>, ExtractError> {
    let text = plain::decode(name, kind, bytes)?;
    match kind {
        Kind::Vtt => vtt::read(name, &text),
        Kind::Srt => srt::read(name, &text),
        Kind::Markdown => Ok(markdown::read(&text)),
        Kind::Text | Kind::Pdf => Ok(plain::read(&text)),
    }
}
