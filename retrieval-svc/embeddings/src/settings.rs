//! Settings: which embedding model there is, and how it is opened.

use std::{path::PathBuf, str::FromStr, sync::Arc, time::Duration};

use clap::Args;
use turnwise_kit::client::GrpcClient;

#[cfg(feature = "directory")]
use crate::{Directory, FolderError};
use crate::{Embedder, NoModel, Remote, remote::Name};

/// Settings of embeddings.
#[derive(Debug, Clone, Args)]
#[group(skip)]
pub struct Settings {
    /// The model that turns texts into vectors, so that a search goes by meaning beside words: `none`;
    /// `directory:PATH`, a folder with a BERT sentence model (scripts/fetch-model brings one); `gateway`, the first
    /// embedding model of the model gateway; or `gateway:BACKEND/MODEL`, that one of it. Vectors of different models
    /// never mix: after a change everything is embedded anew
    #[arg(long, env = "EMBEDDINGS", default_value = "none")]
    pub embeddings: Choice,

    /// Threads (1 to 64) that a model in this process may use
    #[arg(
        long,
        env = "EMBED_THREADS",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=64)
    )]
    pub embed_threads: u16,

    /// Milliseconds (10 to 10000) that a query waits for its vector; after that it goes by words alone
    #[arg(
        long,
        env = "EMBED_WAIT_MS",
        default_value_t = 150,
        value_parser = clap::value_parser!(u32).range(10..=10_000)
    )]
    pub embed_wait_ms: u32,
}

impl Settings {
    /// How long a query waits for its vector.
    pub fn wait(&self) -> Duration {
        Duration::from_millis(u64::from(self.embed_wait_ms))
    }
}

/// Where vectors come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// From nowhere.
    None,
    /// From the model in this folder.
    Directory(PathBuf),
    /// From the model gateway; `None`: from the model that it takes itself.
    Gateway(Option<Name>),
}

/// A value of EMBEDDINGS that has none of its forms.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("EMBEDDINGS is `none`, `directory:PATH`, `gateway` or `gateway:BACKEND/MODEL`, not `{0}`")]
pub struct UnknownChoice(String);

impl FromStr for Choice {
    type Err = UnknownChoice;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownChoice(value.to_owned());
        match value.split_once(':') {
            None if value == "none" => Ok(Self::None),
            None if value == "gateway" => Ok(Self::Gateway(None)),
            Some(("directory", path)) if !path.is_empty() => Ok(Self::Directory(path.into())),
            Some(("gateway", name)) => match name.split_once('/') {
                Some((backend, model)) if !backend.is_empty() && !model.is_empty() => {
                    Ok(Self::Gateway(Some(Name {
                        backend: backend.to_owned(),
                        model: model.to_owned(),
                    })))
                }
                _ => Err(unknown()),
            },
            _ => Err(unknown()),
        }
    }
}

/// Why no embedder could be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder's model cannot be used.
    #[cfg(feature = "directory")]
    #[error("EMBEDDINGS: {0}")]
    Folder(#[from] FolderError),
    /// The program was built without the code that runs a model.
    #[cfg(not(feature = "directory"))]
    #[error(
        "EMBEDDINGS=directory: this program was built without embedding models; use one of a release or an image, or \
         build it with `cargo build --release -p turnwise`"
    )]
    NotBuilt,
    /// The gateway is to embed, and there is none.
    #[error("EMBEDDINGS=gateway needs LLM_GATEWAY_ENDPOINT, the model gateway")]
    NoGateway,
}

/// Opens what the settings name. A folder's model is read and tried here, which takes up to some seconds and blocks; a
/// gateway is not called yet. `llm` is the channel to the model gateway, needed only for `gateway`.
///
/// # Errors
/// [`OpenError`].
pub fn open(settings: &Settings, llm: Option<GrpcClient>) -> Result<Arc<dyn Embedder>, OpenError> {
    Ok(match &settings.embeddings {
        Choice::None => Arc::new(NoModel),
        #[cfg(feature = "directory")]
        Choice::Directory(path) => {
            Arc::new(Directory::open(path, usize::from(settings.embed_threads))?)
        }
        #[cfg(not(feature = "directory"))]
        Choice::Directory(_) => return Err(OpenError::NotBuilt),
        Choice::Gateway(name) => {
            let llm = llm.ok_or(OpenError::NoGateway)?;
            Arc::new(Remote::new(llm, name.clone()))
        }
    })
}
