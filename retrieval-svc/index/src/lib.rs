//! What a search engine for courses has to do ([`Engine`], [`Sources`]), and one that does it in memory.
//!
//! | module | is about |
//! | --- | --- |
//! | [`document`] | what can be found |
//! | [`engine`] | the port of an engine, and what a query is |
//! | [`sources`] | the port of what is uploaded, and of what is worth keeping |
//! | [`part`] | immutable content, compact in memory |
//! | [`statistics`] | how rare terms are |
//! | [`embedded`] | the engine in memory |
//! | [`fusion`] | two rankings become one |
//! | `conformance` | what every engine and every store of sources has to keep; behind the feature of that name |

mod bm25;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod document;
pub mod embedded;
pub mod engine;
pub mod fusion;
pub mod part;
pub mod sources;
pub mod statistics;
mod vector;

pub use document::{ContentHash, Document, Namespace, Passage, Tier};
pub use embedded::{EmbeddedEngine, Precision};
pub use engine::{
    BoxFuture, Content, Engine, EngineError, Filter, Fusion, Hit, Index, ModelId, PartId, Query,
    Ranked, WeightedTerms,
};
pub use part::{Part, PartError, Row};
pub use sources::{
    Cache, Progress, SourceError, SourceHead, SourceKey, SourceState, Sources, TenantCourse,
    UploadedChunk,
};
pub use statistics::Statistics;
