//! A model of a few kilobytes in a folder: it knows nothing, but every part of the way to a vector is there.

use std::{collections::BTreeMap, fs, path::Path};

use safetensors::{Dtype, serialize, tensor::TensorView};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The length of its vectors.
pub const DIMENSION: usize = 8;
/// The most tokens of a text.
pub const LENGTH: usize = 12;
const VOCABULARY: [&str; 16] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "one", "two", "three", "four", "half", "of", "is", "what",
    "+", "##s", "a", "B",
];
const INNER: usize = 16;
const PLACES: usize = 32;

/// Weights by name: their shape and numbers.
pub type Weights = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// A folder with the model.
pub fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "config.json", &config());
    write(folder.path(), "tokenizer.json", &tokenizer());
    write(
        folder.path(),
        "sentence_bert_config.json",
        &json!({"max_seq_length": LENGTH, "do_lower_case": false}),
    );
    write_weights(folder.path(), &weights());
    folder
}

pub fn write(folder: &Path, name: &str, content: &Value) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content.to_string()).unwrap();
}

pub fn config() -> Value {
    json!({
        "model_type": "bert",
        "vocab_size": VOCABULARY.len(),
        "hidden_size": DIMENSION,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": INNER,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1,
        "max_position_embeddings": PLACES,
        "type_vocab_size": 2,
        "initializer_range": 0.02,
        "layer_norm_eps": 1e-12,
        "pad_token_id": 0,
    })
}

/// With the traps of real ones: it would cut texts at 4 tokens, and fill them up to 6.
pub fn tokenizer() -> Value {
    let vocabulary: BTreeMap<&str, usize> = VOCABULARY
        .iter()
        .enumerate()
        .map(|(id, token)| (*token, id))
        .collect();
    json!({
        "version": "1.0",
        "truncation": {"max_length": 4, "strategy": "LongestFirst", "stride": 0},
        "padding": {
            "strategy": {"Fixed": 6}, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]",
        },
        "added_tokens": [],
        "normalizer": null,
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
            ],
            "pair": [
                {"Sequence": {"id": "A", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 1}},
            ],
            "special_tokens": {
                "[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]},
            },
        },
        "decoder": null,
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary,
        },
    })
}

/// Weights that are all different, and the same every time.
pub fn weights() -> Weights {
    let mut weights = Weights::new();
    let mut state = 1u32;
    let mut add = |name: &str, shape: &[usize]| {
        let count: usize = shape.iter().product();
        // Near one where a layer's output is scaled, else of either sign.
        let middle = if name.ends_with("LayerNorm.weight") {
            1.0
        } else {
            0.0
        };
        let numbers = (0..count)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                middle + (state >> 8) as f32 / (1 << 24) as f32 - 0.5
            })
            .collect();
        weights.insert(name.to_owned(), (shape.to_vec(), numbers));
    };
    add(
        "embeddings.word_embeddings.weight",
        &[VOCABULARY.len(), DIMENSION],
    );
    add(
        "embeddings.position_embeddings.weight",
        &[PLACES, DIMENSION],
    );
    add("embeddings.token_type_embeddings.weight", &[2, DIMENSION]);
    add("embeddings.LayerNorm.weight", &[DIMENSION]);
    add("embeddings.LayerNorm.bias", &[DIMENSION]);
    for layer in 0..2 {
        let mut linear = |name: &str, from: usize, to: usize| {
            add(&format!("encoder.layer.{layer}.{name}.weight"), &[to, from]);
            add(&format!("encoder.layer.{layer}.{name}.bias"), &[to]);
        };
        linear("attention.self.query", DIMENSION, DIMENSION);
        linear("attention.self.key", DIMENSION, DIMENSION);
        linear("attention.self.value", DIMENSION, DIMENSION);
        linear("attention.output.dense", DIMENSION, DIMENSION);
        linear("intermediate.dense", DIMENSION, INNER);
        linear("output.dense", INNER, DIMENSION);
        for name in ["attention.output", "output"] {
            add(
                &format!("encoder.layer.{layer}.{name}.LayerNorm.weight"),
                &[DIMENSION],
            );
            add(
                &format!("encoder.layer.{layer}.{name}.LayerNorm.bias"),
                &[DIMENSION],
            );
        }
    }
    weights
}

pub fn write_weights(folder: &Path, weights: &Weights) {
    let bytes: Vec<(String, Vec<usize>, Vec<u8>)> = weights
        .iter()
        .map(|(name, (shape, numbers))| {
            let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            (name.clone(), shape.clone(), bytes)
        })
        .collect();
    let views = bytes.iter().map(|(name, shape, bytes)| {
        (
            name,
            TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap(),
        )
    });
    fs::write(
        folder.join("model.safetensors"),
        serialize(views, None).unwrap(),
    )
    .unwrap();
}
