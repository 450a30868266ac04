//! The service's settings.

use std::{
    convert::Infallible,
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
    time::Duration,
};

use clap::{Args, ValueEnum};
use turnwise_course_pack::LibrarySettings;
use turnwise_kit::{CallContext, CancellationToken, Kit, client::GrpcClient};
use turnwise_retrieval_embeddings::{
    Choice, Embedder, Queries, Settings as EmbeddingSettings, describe_patiently,
};
use turnwise_retrieval_index::{Cache, EmbeddedEngine, Engine, ModelId, Precision, Sources};
use turnwise_retrieval_qdrant::{Options as QdrantOptions, OptionsError, Qdrant};
use turnwise_retrieval_relevance::RELEVANCE;
use turnwise_retrieval_store::Store;
use turnwise_text::NORMALISER;

use crate::{error::StartError, references::ReferenceSettings};

/// The settings of retrieval-svc.
#[derive(Debug, Clone, Args)]
#[group(skip)]
pub struct Settings {
    /// Where the courses are.
    #[command(flatten)]
    pub courses: LibrarySettings,
    /// What is the service's own.
    #[command(flatten)]
    pub own: RetrievalSettings,
}

/// The settings that no other service shares.
#[derive(Debug, Clone, Args)]
#[group(skip)]
pub struct RetrievalSettings {
    /// Where the index is kept: `embedded:PATH`, a file on this machine for one process, searched in memory;
    /// `qdrant:URL`, a Qdrant that all replicas share, such as `qdrant:http://qdrant:6334`; or `memory`, nowhere, for
    /// replicas that serve course packs alone: they take no uploads, and make all vectors anew at each start
    #[arg(
        long,
        env = "RETRIEVAL_STORE",
        default_value = "embedded:data/retrieval.redb"
    )]
    pub retrieval_store: StoreLocation,

    /// A file with the key for Qdrant, if it wants one; read again when it changes
    #[arg(long, env = "QDRANT_API_KEY_FILE")]
    pub qdrant_api_key_file: Option<PathBuf>,

    /// A file with the certificate of the authority that signed Qdrant's, PEM, if no public one did;
    /// read again when it changes
    #[arg(long, env = "QDRANT_CA_FILE")]
    pub qdrant_ca_file: Option<PathBuf>,

    /// Whether sources may be uploaded to courses. `off` where several replicas have no Qdrant in common: each would
    /// answer differently
    #[arg(long, env = "RETRIEVAL_UPSERTS", default_value = "on")]
    pub retrieval_upserts: Upserts,

    /// How vectors are kept in memory: `f32`, exact, or `int8`, in a quarter of the space with a small loss. With Qdrant
    /// only `f32`: configure quantisation there
    #[arg(long, env = "VECTOR_PRECISION", default_value = "f32")]
    pub vector_precision: VectorPrecision,

    /// How texts become vectors.
    #[command(flatten)]
    pub embeddings: EmbeddingSettings,

    /// Where reference texts are.
    #[command(flatten)]
    pub references: ReferenceSettings,
}

/// Where the index is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreLocation(pub String);

impl FromStr for StoreLocation {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether sources may be uploaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Upserts {
    /// They may.
    On,
    /// They may not.
    Off,
}

/// How vectors are kept in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VectorPrecision {
    /// Four bytes a number: exact.
    F32,
    /// One byte a number.
    Int8,
}

/// How long the model gateway may take at the start to tell which model it has, where Qdrant has to know it.
const MODEL_WAIT: Duration = Duration::from_secs(60);

/// What the settings name, opened.
#[derive(Clone)]
pub struct Backends {
    /// Searches.
    pub engine: Arc<dyn Engine>,
    /// Keeps what is uploaded.
    pub sources: Arc<dyn Sources>,
    /// Keeps what took time to make.
    pub cache: Arc<dyn Cache>,
    /// Makes vectors.
    pub embedder: Arc<dyn Embedder>,
    /// Makes vectors of what is looked for.
    pub queries: Arc<Queries>,
    /// Whether a model is configured.
    pub wants_model: bool,
    /// Which one; `None`: none, or a remote one that has not said yet.
    pub model: Option<ModelId>,
    /// The database that several processes share, so that others may change what is in it.
    pub shared: Option<Qdrant>,
}

impl RetrievalSettings {
    /// Whether sources may be uploaded: not where nothing would be kept of them.
    pub fn takes_uploads(&self) -> bool {
        self.retrieval_upserts == Upserts::On && self.retrieval_store.0 != "memory"
    }

    /// Opens what the settings name. `llm` leads to the model gateway, for EMBEDDINGS=gateway.
    ///
    /// # Errors
    /// A setting is wrong, a model or the file of the index cannot be read; the message says what to do.
    pub async fn open(&self, llm: Option<GrpcClient>, kit: &Kit) -> Result<Backends, StartError> {
        let given = [&self.qdrant_api_key_file, &self.qdrant_ca_file];
        if !self.retrieval_store.0.starts_with("qdrant:") && given.iter().any(|file| file.is_some())
        {
            return Err(StartError::NoQdrant);
        }
        let embedder = self.embedder(llm).await?;
        let wants_model = self.embeddings.embeddings != Choice::None;
        let remote = matches!(self.embeddings.embeddings, Choice::Gateway(_));
        let queries = Arc::new(Queries::new(Arc::clone(&embedder), self.embeddings.wait()));
        let location = self.retrieval_store.0.as_str();
        let store = if let Some(path) = location.strip_prefix("embedded:") {
            if path.is_empty() {
                return Err(StartError::Location("the path is missing"));
            }
            Some(Store::open(Path::new(path)).map_err(StartError::Store)?)
        } else if location == "memory" {
            Some(Store::in_memory().map_err(StartError::Store)?)
        } else {
            None
        };
        if let Some(store) = store {
            let store = Arc::new(store);
            let precision = match self.vector_precision {
                VectorPrecision::F32 => Precision::F32,
                VectorPrecision::Int8 => Precision::Int8,
            };
            // A remote model may be away: it is asked in the background.
            let model = match remote {
                true => None,
                false => describe(embedder.as_ref()).await?,
            };
            return Ok(Backends {
                engine: Arc::new(EmbeddedEngine::new(model.clone(), precision)),
                sources: store.clone(),
                cache: store,
                embedder,
                queries,
                wants_model,
                model,
                shared: None,
            });
        }
        let Some(url) = location.strip_prefix("qdrant:") else {
            return Err(StartError::Location("it is none of these"));
        };
        if self.vector_precision != VectorPrecision::F32 {
            return Err(StartError::PrecisionWithQdrant);
        }
        // Collections are named by the model.
        let model = match wants_model {
            false => None,
            true => Some(patiently(embedder.as_ref()).await?),
        };
        let options = QdrantOptions {
            api_key_file: self.qdrant_api_key_file.clone(),
            authority_file: self.qdrant_ca_file.clone(),
            model: model.clone(),
            ..QdrantOptions::new(url, format!("{NORMALISER}\n{RELEVANCE}"))
        };
        let database = Qdrant::new(&options, kit).map_err(Self::of_qdrant)?;
        let qdrant = Arc::new(database.clone());
        Ok(Backends {
            engine: qdrant.clone(),
            sources: qdrant,
            cache: Arc::new(Store::in_memory().map_err(StartError::Store)?),
            embedder,
            queries,
            wants_model,
            model,
            shared: Some(database),
        })
    }

    /// Names the setting that Qdrant cannot be used with.
    fn of_qdrant(error: OptionsError) -> StartError {
        let setting = match error {
            OptionsError::File(error) => return StartError::File(error),
            OptionsError::Plain => "QDRANT_CA_FILE",
            _ => "RETRIEVAL_STORE",
        };
        StartError::Qdrant { setting, error }
    }

    /// A model in this process is read where blocking is no harm.
    async fn embedder(&self, llm: Option<GrpcClient>) -> Result<Arc<dyn Embedder>, StartError> {
        let settings = self.embeddings.clone();
        let opened = tokio::task::spawn_blocking(move || {
            turnwise_retrieval_embeddings::open(&settings, llm)
        });
        let opened = opened.await.map_err(|_| StartError::ModelAway)?;
        opened.map_err(StartError::Embeddings)
    }
}

/// Which model it is, asked again while it does not answer.
async fn patiently(embedder: &dyn Embedder) -> Result<ModelId, StartError> {
    let never = CancellationToken::new();
    let asked = tokio::time::timeout(MODEL_WAIT, describe_patiently(embedder, &never));
    let model = asked.await.map_err(|_| StartError::ModelAway)?;
    model
        .map_err(StartError::Model)?
        .ok_or(StartError::ModelAway)
}

async fn describe(embedder: &dyn Embedder) -> Result<Option<ModelId>, StartError> {
    let call = CallContext::background(None, MODEL_WAIT);
    embedder.describe(&call).await.map_err(StartError::Model)
}
