//! Where the database is, and whose vectors it holds.

use std::{path::PathBuf, sync::Arc, time::Duration};

use turnwise_kit::{Kit, client::ConnectError, settings::SettingsError};
use turnwise_retrieval_index::ModelId;

use crate::{connection::Connection, names::Names, schema::Schema};

/// What an engine on Qdrant has to know.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address of its gRPC port: `http://HOST:6334` or `https://HOST:6334`.
    pub url: String,
    /// A file with the API key; `None`: the database asks for none.
    pub api_key_file: Option<PathBuf>,
    /// A file with the certificate of the authority that signed the database's, PEM; `None`: one that this system trusts.
    /// Only for `https`.
    pub authority_file: Option<PathBuf>,
    /// The first part of the names of all collections: 1 to 100 of `a-z`, `0-9`, `_` and `-`.
    pub prefix: String,
    /// The model of the vectors; `None`: words alone.
    pub model: Option<ModelId>,
    /// What the terms were made by. Another one makes another generation of collections.
    pub normaliser: String,
    /// How long a search or another read may take, repeats included.
    pub read_timeout: Duration,
    /// How long a write may take, repeats included.
    pub write_timeout: Duration,
}

impl Options {
    /// The usual options for a database at `url`: collections that begin with `turnwise`, no API key, words alone, 3
    /// seconds for reads and 30 for writes.
    pub fn new(url: impl Into<String>, normaliser: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            api_key_file: None,
            authority_file: None,
            prefix: "turnwise".to_owned(),
            model: None,
            normaliser: normaliser.into(),
            read_timeout: Duration::from_secs(3),
            write_timeout: Duration::from_secs(30),
        }
    }
}

/// Why the options are no good.
#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    /// The address cannot be read.
    #[error("`{0}` is no address of a Qdrant: write http://HOST:6334 or https://HOST:6334")]
    Url(String),
    /// A certificate for a connection without TLS.
    #[error("an authority is given, but the address is no https://")]
    Plain,
    /// The prefix has other characters, or is empty or too long.
    #[error("`{0}` cannot begin the names of collections: write 1 to 100 of a-z, 0-9, _ and -")]
    Prefix(String),
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] SettingsError),
    /// No connection can be made to the address with the authority.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// A time limit of nothing.
    #[error("read_timeout and write_timeout must be above 0")]
    Timeout,
    /// A model whose vectors have no length.
    #[error("the model `{0}` has vectors of length 0")]
    Dimension(String),
}

/// The search engine and the store of sources on Qdrant. Cheap to clone; it connects when it is first used.
#[derive(Debug, Clone)]
pub struct Qdrant {
    pub(crate) inner: Arc<Inner>,
}

/// What all clones share.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) connection: Connection,
    pub(crate) names: Names,
    pub(crate) schema: Schema,
    pub(crate) model: Option<ModelId>,
}

impl Qdrant {
    /// An engine over the database that `options` name; the files that they name are read again when they change. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// The options are no good, or a file that they name cannot be read. A database that is away is no error here.
    pub fn new(options: &Options, kit: &Kit) -> Result<Self, OptionsError> {
        let prefix = &options.prefix;
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
        if !(1..=100).contains(&prefix.len()) || !prefix.bytes().all(fits) {
            return Err(OptionsError::Prefix(prefix.clone()));
        }
        if options.read_timeout.is_zero() || options.write_timeout.is_zero() {
            return Err(OptionsError::Timeout);
        }
        if let Some(model) = options.model.as_ref().filter(|m| m.dimension == 0) {
            return Err(OptionsError::Dimension(model.name.to_string()));
        }
        let names = Names::new(prefix, options.model.as_ref(), &options.normaliser);
        Ok(Self {
            inner: Arc::new(Inner {
                connection: Connection::new(options, kit)?,
                schema: Schema::new(names.clone(), options.model.clone()),
                names,
                model: options.model.clone(),
            }),
        })
    }
}
