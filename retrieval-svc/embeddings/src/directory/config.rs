//! What the folder's files say of the model, and which of it works here.

use std::{collections::BTreeMap, path::Path};

use candle_transformers::models::bert;
use serde::{Deserialize, de::DeserializeOwned};

use super::folder::{self, Files, FolderError};

/// Tokens of a text where the folder does not say.
const LENGTH: usize = 256;
/// What a text needs at the least: its start, a token, its end.
const LENGTH_MIN: usize = 3;
/// The most of every size; with them no product overflows, and no model of 200 MB has more.
const SIZE_MAX: usize = 1_000_000;
const LAYERS_MAX: usize = 100;

const REMEDY: &str = "take a sentence model of the BERT family, or one behind the model gateway";

/// A model's shape and use.
#[derive(Debug)]
pub struct Config {
    /// The network's.
    pub bert: bert::Config,
    /// The most tokens of a text; the rest is cut off.
    pub length: usize,
    /// Whether texts are put in lower case before the tokeniser sees them.
    pub lower_case: bool,
    /// How the tokens' vectors become one.
    pub pooling: Pooling,
    /// What is put before queries.
    pub query_prompt: String,
    /// What is put before documents.
    pub document_prompt: String,
}

/// How the tokens' vectors become the text's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// The first one's.
    First,
}

#[derive(Deserialize)]
struct Module {
    path: String,
    r#type: String,
}

#[derive(Deserialize)]
struct Sentence {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

#[derive(Deserialize)]
struct PoolingFile {
    word_embedding_dimension: Option<usize>,
    include_prompt: Option<bool>,
    /// `pooling_mode_mean_tokens` and its kind.
    #[serde(flatten)]
    modes: BTreeMap<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct Prompts {
    #[serde(default)]
    prompts: BTreeMap<String, String>,
    default_prompt_name: Option<String>,
}

/// Reads the files.
pub fn read(at: &Path, files: &Files) -> Result<Config, FolderError> {
    let bert = network(at, &files.config)?;
    modules(at, files.modules.as_deref())?;
    let sentence = sentence(at, files.sentence.as_deref(), &bert)?;
    let pooling = pooling(at, files.pooling.as_deref(), &bert)?;
    let (query_prompt, document_prompt) = prompts(at, files.prompts.as_deref())?;
    Ok(Config {
        length: sentence.0,
        lower_case: sentence.1,
        bert,
        pooling,
        query_prompt,
        document_prompt,
    })
}

fn network(at: &Path, bytes: &[u8]) -> Result<bert::Config, FolderError> {
    let wrong = |problem: String| Err(FolderError::new(at.join(folder::CONFIG), problem, REMEDY));
    let config: bert::Config = parse(at, folder::CONFIG, bytes)?;
    if let Some(kind) = config.model_type.as_deref()
        && kind != "bert"
    {
        return wrong(format!(
            "describes a model of the kind `{kind}`, not `bert`"
        ));
    }
    let sizes = [
        ("vocab_size", config.vocab_size, SIZE_MAX),
        ("hidden_size", config.hidden_size, SIZE_MAX),
        ("num_hidden_layers", config.num_hidden_layers, LAYERS_MAX),
        ("num_attention_heads", config.num_attention_heads, SIZE_MAX),
        ("intermediate_size", config.intermediate_size, SIZE_MAX),
        (
            "max_position_embeddings",
            config.max_position_embeddings,
            SIZE_MAX,
        ),
        ("type_vocab_size", config.type_vocab_size, SIZE_MAX),
    ];
    for (name, size, most) in sizes {
        if !(1..=most).contains(&size) {
            return wrong(format!("has a `{name}` of {size}; 1 to {most} is possible"));
        }
    }
    if !config
        .hidden_size
        .is_multiple_of(config.num_attention_heads)
    {
        return wrong(format!(
            "has a `hidden_size` of {}, which its {} heads cannot share",
            config.hidden_size, config.num_attention_heads
        ));
    }
    if !(0.0..1.0).contains(&config.layer_norm_eps) {
        return wrong("has a `layer_norm_eps` outside 0 to 1".to_owned());
    }
    Ok(config)
}

fn modules(at: &Path, bytes: Option<&[u8]>) -> Result<(), FolderError> {
    let Some(bytes) = bytes else { return Ok(()) };
    let modules: Vec<Module> = parse(at, folder::MODULES, bytes)?;
    let wrong = |problem: String| Err(FolderError::new(at.join(folder::MODULES), problem, REMEDY));
    for module in modules {
        let kind = module.r#type.rsplit('.').next().unwrap_or_default();
        match (kind, module.path.as_str()) {
            // Vectors have length 1 here in any case.
            ("Transformer", "") | ("Pooling", "1_Pooling") | ("Normalize", _) => {}
            ("Transformer" | "Pooling", path) => {
                return wrong(format!("has its {kind} in `{path}`"));
            }
            _ => return wrong(format!("has a step `{kind}`, which is not known here")),
        }
    }
    Ok(())
}

fn sentence(
    at: &Path,
    bytes: Option<&[u8]>,
    bert: &bert::Config,
) -> Result<(usize, bool), FolderError> {
    let file = match bytes {
        Some(bytes) => parse(at, folder::SENTENCE, bytes)?,
        None => Sentence {
            max_seq_length: None,
            do_lower_case: false,
        },
    };
    let length = file
        .max_seq_length
        .unwrap_or(LENGTH)
        .min(bert.max_position_embeddings);
    if length < LENGTH_MIN {
        return Err(FolderError::new(
            at.join(folder::SENTENCE),
            format!("leaves texts {length} tokens; {LENGTH_MIN} are the least"),
            REMEDY,
        ));
    }
    Ok((length, file.do_lower_case))
}

fn pooling(at: &Path, bytes: Option<&[u8]>, bert: &bert::Config) -> Result<Pooling, FolderError> {
    let Some(bytes) = bytes else {
        return Ok(Pooling::Mean);
    };
    let wrong = |problem: String| Err(FolderError::new(at.join(folder::POOLING), problem, REMEDY));
    let file: PoolingFile = parse(at, folder::POOLING, bytes)?;
    if let Some(dimension) = file.word_embedding_dimension
        && dimension != bert.hidden_size
    {
        return wrong(format!(
            "speaks of vectors of {dimension} numbers; the network's have {}",
            bert.hidden_size
        ));
    }
    if file.include_prompt == Some(false) {
        return wrong("leaves prompts out, which is not known here".to_owned());
    }
    let on: Vec<&str> = file
        .modes
        .iter()
        .filter(|(_, value)| **value == serde_json::Value::Bool(true))
        .filter_map(|(name, _)| name.strip_prefix("pooling_mode_"))
        .collect();
    match on[..] {
        ["mean_tokens"] => Ok(Pooling::Mean),
        ["cls_token"] => Ok(Pooling::First),
        _ => wrong(format!(
            "asks for pooling by {on:?}; `mean_tokens` or `cls_token` alone is possible"
        )),
    }
}

/// What is put before queries and documents, under the names that such folders use.
fn prompts(at: &Path, bytes: Option<&[u8]>) -> Result<(String, String), FolderError> {
    let Some(bytes) = bytes else {
        return Ok(Default::default());
    };
    let file: Prompts = parse(at, folder::PROMPTS, bytes)?;
    let named = |names: &[&str]| {
        names
            .iter()
            .copied()
            .chain(file.default_prompt_name.as_deref())
            .find_map(|name| file.prompts.get(name).cloned())
            .unwrap_or_default()
    };
    Ok((named(&["query"]), named(&["document", "passage", "corpus"])))
}

fn parse<T: DeserializeOwned>(at: &Path, name: &str, bytes: &[u8]) -> Result<T, FolderError> {
    serde_json::from_slice(bytes).map_err(|error| {
        FolderError::new(
            at.join(name),
            format!("cannot be understood: {error}"),
            folder::FETCH,
        )
    })
}
