//! What makes course text fit a message: how a course becomes documents, what a message asks for, and which units it is
//! about.
//!
//! | module | is about |
//! | --- | --- |
//! | [`documents`] | course packs and uploads as documents to index |
//! | [`turn`] | a message with what was said before it, as queries |
//! | [`mapping`] | the units that a message is about |
//! | `embedded_text` | what a vector is made from |
//! | `spelling` | what students misspell |
//! | `terms`, `vocabulary`, `postings`, `bm25`, `votes` | words of a course, counted and looked up |
//! | `topicality`, `confidence` | how much a term tells about units, and how sure a mapping is |

mod bm25;
mod confidence;
pub mod documents;
mod embedded_text;
pub mod mapping;
mod postings;
mod spelling;
mod terms;
mod topicality;
pub mod turn;
mod unit_texts;
mod units;
mod vocabulary;
mod votes;

/// Names the rules of this crate: terms of documents, weights, confidences. It goes into every index id beside the
/// normaliser's: raise it with any change that can change an answer.
pub const RELEVANCE: &str = "relevance-2";

pub use confidence::CONTEXT_ONLY_MAX;
pub use documents::{
    DOCUMENT, Titles, document_of_upload, documents_of_pack, passage_of, text_of_upload,
    text_to_embed, titles,
};
pub use mapping::{MAX_MAPPED_UNITS, Mapped, Mapping, NEAREST};
pub use turn::{MAX_RECENT_CHARS, MAX_RECENT_TEXTS, Turn};
pub use units::is_topic;
