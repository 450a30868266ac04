//! Texts to vectors: by a model in this process, by the model gateway, or not at all.
//!
//! | module | is about |
//! | --- | --- |
//! | [`embedder`] | the port, how it fails, and none at all |
//! | [`directory`] | a model in this process, out of a folder |
//! | [`remote`] | a model behind the model gateway |
//! | [`hashed`] | vectors without a model, for tests |
//! | [`settings`] | which of them, and how to open it |
//! | [`describe`](mod@describe) | which model there is, found out at the start |
//! | [`queries`] | vectors of queries: cached, in time |
//! | [`documents`] | vectors of documents: made once, kept by content |

pub mod describe;
#[cfg(feature = "directory")]
pub mod directory;
pub mod documents;
pub mod embedder;
pub mod hashed;
pub mod queries;
pub mod remote;
mod retry;
pub mod settings;
mod vector;

pub use describe::describe_patiently;
#[cfg(feature = "directory")]
pub use directory::{Directory, FolderError};
pub use documents::{Embedded, embed_documents};
pub use embedder::{EmbedError, Embedder, NoModel, Purpose};
pub use hashed::HashedWords;
pub use queries::Queries;
pub use remote::Remote;
pub use settings::{Choice, OpenError, Settings, open};
