//! The network: tokens, BERT (Devlin et al., 2019), and one vector for each text (Reimers and Gurevych, Sentence-BERT,
//! 2019).

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::BertModel;
use tokenizers::{PostProcessor, Tokenizer, TruncationParams};

use super::{
    config::{self, Config, Pooling},
    folder::{self, FETCH, Files, FolderError},
};
use crate::{EmbedError, Purpose, vector::unit};

/// A text's tokens, by number.
pub type Tokens = Vec<u32>;

/// What a model is tried with when it is opened.
const PROBE: &str = "one half";

/// A network with its tokeniser.
pub struct Model {
    config: Config,
    tokenizer: Tokenizer,
    bert: BertModel,
}

impl Model {
    /// Puts a model together, and tries it.
    pub fn load(at: &Path, files: &Files) -> Result<Self, FolderError> {
        // A file that is wrong in a way that nobody has thought of must not end the process.
        catch_unwind(AssertUnwindSafe(|| Self::put_together(at, files)))
            .unwrap_or_else(|_| Err(FolderError::new(at, "reading the model broke off", FETCH)))
    }

    fn put_together(at: &Path, files: &Files) -> Result<Self, FolderError> {
        let config = config::read(at, files)?;
        let tokenizer = tokenizer(at, &files.tokenizer, &config)?;
        let bert = network(at, &files.weights, &config)?;
        let model = Self {
            config,
            tokenizer,
            bert,
        };
        model
            .tokens(PROBE, Purpose::Document)
            .and_then(|tokens| model.vectors(&[tokens]))
            .map_err(|error| FolderError::new(at, format!("does not work: {error}"), FETCH))?;
        Ok(model)
    }

    /// The length of its vectors.
    pub fn dimension(&self) -> usize {
        self.config.bert.hidden_size
    }

    /// The tokens of a text, cut off at the model's length.
    pub fn tokens(&self, text: &str, purpose: Purpose) -> Result<Tokens, EmbedError> {
        let prompt = match purpose {
            Purpose::Query => &self.config.query_prompt,
            Purpose::Document => &self.config.document_prompt,
        };
        let mut text = format!("{prompt}{text}");
        if self.config.lower_case {
            text = text.to_lowercase();
        }
        let encoding = self
            .tokenizer
            .encode_fast(text, true)
            .map_err(|error| EmbedError::Unusable(format!("no tokens: {error}")))?;
        if encoding.is_empty() {
            return Err(EmbedError::Unusable("a text without tokens".to_owned()));
        }
        Ok(encoding.get_ids().to_vec())
    }

    /// The vectors of texts that all have as many tokens.
    pub fn vectors(&self, texts: &[Tokens]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.pooled(texts)
            .map_err(|error| EmbedError::Unusable(error.to_string()))?
            .into_iter()
            .map(|vector| unit(vector, self.dimension()))
            .collect()
    }

    fn pooled(&self, texts: &[Tokens]) -> candle_core::Result<Vec<Vec<f32>>> {
        let ids = Tensor::new(texts.to_vec(), &Device::Cpu)?;
        let kinds = ids.zeros_like()?;
        // No mask: nothing is padded.
        let states = self.bert.forward(&ids, &kinds, None)?;
        match self.config.pooling {
            Pooling::Mean => states.mean(1)?,
            Pooling::First => states.narrow(1, 0, 1)?.squeeze(1)?,
        }
        .to_vec2()
    }
}

fn tokenizer(at: &Path, bytes: &[u8], config: &Config) -> Result<Tokenizer, FolderError> {
    let wrong = |problem: String| FolderError::new(at.join(folder::TOKENIZER), problem, FETCH);
    let mut tokenizer = Tokenizer::from_bytes(bytes)
        .map_err(|error| wrong(format!("cannot be understood: {error}")))?;
    let highest = tokenizer.get_vocab(true).into_values().max();
    if highest.is_none_or(|id| id as usize >= config.bert.vocab_size) {
        return Err(wrong(format!(
            "does not fit the network, which knows {} tokens",
            config.bert.vocab_size
        )));
    }
    let added = tokenizer
        .get_post_processor()
        .map_or(0, |processor| processor.added_tokens(false));
    if added >= config.length {
        return Err(wrong(format!(
            "adds {added} tokens to texts of {}",
            config.length
        )));
    }
    // Such files often come with a padding and a length of their own, which are not the model's.
    tokenizer.with_padding(None);
    tokenizer
        .with_truncation(Some(TruncationParams {
            max_length: config.length,
            ..TruncationParams::default()
        }))
        .map_err(|error| wrong(error.to_string()))?;
    Ok(tokenizer)
}

fn network(at: &Path, bytes: &[u8], config: &Config) -> Result<BertModel, FolderError> {
    let wrong = |problem: String| FolderError::new(at.join(folder::WEIGHTS), problem, FETCH);
    let unusable = |error: candle_core::Error| wrong(format!("cannot be used: {error}"));
    let tensors = candle_core::safetensors::SliceSafetensors::new(bytes).map_err(unusable)?;
    for (name, tensor) in tensors.tensors() {
        // Some models keep the places' numbers beside their weights.
        if tensor.dtype() != safetensors::Dtype::F32 && !name.ends_with("position_ids") {
            return Err(FolderError::new(
                at.join(folder::WEIGHTS),
                format!("holds `{name}` as {:?}", tensor.dtype()),
                "store the model's weights in single precision (F32)",
            ));
        }
    }
    let weights =
        VarBuilder::from_slice_safetensors(bytes, DType::F32, &Device::Cpu).map_err(unusable)?;
    BertModel::load(weights, &config.bert).map_err(unusable)
}
