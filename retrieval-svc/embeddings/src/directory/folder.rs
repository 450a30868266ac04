//! The files of a model's folder: which there must be, how large they may be, and what they are together.

use std::{
    fmt,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

/// The most bytes of all files together.
const BYTES_MAX: u64 = 200 * 1024 * 1024;
/// The most bytes of a file of settings.
const SETTINGS_BYTES_MAX: u64 = 1024 * 1024;
/// The most bytes of the tokeniser's file.
const TOKENIZER_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Part of the digest: raised whenever the same files come to give other vectors.
const COMPUTATION: &[u8] = b"turnwise embeddings 1";

pub const CONFIG: &str = "config.json";
pub const TOKENIZER: &str = "tokenizer.json";
pub const WEIGHTS: &str = "model.safetensors";
pub const MODULES: &str = "modules.json";
pub const SENTENCE: &str = "sentence_bert_config.json";
pub const POOLING: &str = "1_Pooling/config.json";
pub const PROMPTS: &str = "config_sentence_transformers.json";

/// What brings a folder that works.
pub const FETCH: &str = "bring a complete folder with scripts/fetch-model";

/// A model's folder that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderError {
    /// The file at fault, or the folder.
    pub file: PathBuf,
    /// What is wrong with it.
    pub problem: String,
    /// What to do.
    pub remedy: String,
}

impl FolderError {
    pub(super) fn new(
        file: impl Into<PathBuf>,
        problem: impl fmt::Display,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            file: file.into(),
            problem: problem.to_string(),
            remedy: remedy.into(),
        }
    }
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            problem,
            remedy,
        } = self;
        write!(f, "`{}`: {problem}; {remedy}", file.display())
    }
}

impl std::error::Error for FolderError {}

/// The content of a model's folder.
pub struct Files {
    /// The folder's name: what people call the model.
    pub name: String,
    /// SHA-256 over all files that matter, in hexadecimal.
    pub digest: String,
    /// The network's shape.
    pub config: Vec<u8>,
    /// How text becomes tokens.
    pub tokenizer: Vec<u8>,
    /// The network's numbers.
    pub weights: Vec<u8>,
    /// What comes after the network.
    pub modules: Option<Vec<u8>>,
    /// How long a text may be.
    pub sentence: Option<Vec<u8>>,
    /// How the tokens' vectors become one.
    pub pooling: Option<Vec<u8>>,
    /// What is put before texts.
    pub prompts: Option<Vec<u8>>,
}

/// Reads a folder.
pub fn read(folder: &Path) -> Result<Files, FolderError> {
    let mut reader = Reader {
        folder,
        left: BYTES_MAX,
        digest: Sha256::new_with_prefix(COMPUTATION),
    };
    // The order is part of the digest.
    let config = reader.needed(CONFIG, SETTINGS_BYTES_MAX)?;
    let modules = reader.optional(MODULES, SETTINGS_BYTES_MAX)?;
    let sentence = reader.optional(SENTENCE, SETTINGS_BYTES_MAX)?;
    let pooling = reader.optional(POOLING, SETTINGS_BYTES_MAX)?;
    let prompts = reader.optional(PROMPTS, SETTINGS_BYTES_MAX)?;
    let tokenizer = reader.needed(TOKENIZER, TOKENIZER_BYTES_MAX)?;
    let weights = reader.needed(WEIGHTS, BYTES_MAX)?;
    let name = folder.canonicalize().ok();
    let name = name.as_deref().and_then(Path::file_name);
    Ok(Files {
        name: name.map_or_else(|| "model".to_owned(), |n| n.to_string_lossy().into_owned()),
        digest: hex::encode(reader.digest.finalize()),
        config,
        tokenizer,
        weights,
        modules,
        sentence,
        pooling,
        prompts,
    })
}

struct Reader<'a> {
    folder: &'a Path,
    left: u64,
    digest: Sha256,
}

impl Reader<'_> {
    fn needed(&mut self, name: &str, most: u64) -> Result<Vec<u8>, FolderError> {
        self.optional(name, most)?
            .ok_or_else(|| FolderError::new(self.folder.join(name), "is not there", FETCH))
    }

    fn optional(&mut self, name: &str, most: u64) -> Result<Option<Vec<u8>>, FolderError> {
        let path = self.folder.join(name);
        let content = read_file(&path, most.min(self.left))?;
        let length = content.as_ref().map(|c| c.len() as u64);
        self.left = self.left.saturating_sub(length.unwrap_or(0));
        // An absent file and an empty one are told apart, and no content can pass for a name.
        self.digest.update(name);
        self.digest.update([0]);
        self.digest
            .update(length.map_or(u64::MAX, |length| length).to_le_bytes());
        self.digest.update(content.as_deref().unwrap_or_default());
        Ok(content)
    }
}

fn read_file(path: &Path, most: u64) -> Result<Option<Vec<u8>>, FolderError> {
    let unreadable = |error: std::io::Error| {
        FolderError::new(
            path,
            format!("cannot be read: {error}"),
            "let the service's user read it",
        )
    };
    let about = match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        about => about.map_err(unreadable)?,
    };
    // Opening a pipe would wait for whoever writes to it.
    if !about.is_file() {
        return Err(FolderError::new(path, "is no file", FETCH));
    }
    let too_large = || {
        FolderError::new(
            path,
            format!("is larger than the {most} bytes that it may have"),
            "take a smaller model, or one behind the model gateway",
        )
    };
    if about.len() > most {
        return Err(too_large());
    }
    let mut content = Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0));
    // It may grow meanwhile.
    File::open(path)
        .and_then(|file| file.take(most + 1).read_to_end(&mut content))
        .map_err(unreadable)?;
    if content.len() as u64 > most {
        return Err(too_large());
    }
    Ok(Some(content))
}
