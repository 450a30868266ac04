//! A model in this process: what a vector may not depend on, and what it must.

use std::{sync::OnceLock, time::Duration};

use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;
use turnwise_kit::CallContext;
use turnwise_retrieval_embeddings::{Directory, EmbedError, Embedder, Purpose};

use crate::tiny_model::{self, DIMENSION, LENGTH};

pub fn call() -> CallContext {
    CallContext::background(None, Duration::from_secs(60))
}

pub async fn vectors(embedder: &dyn Embedder, texts: &[&str], purpose: Purpose) -> Vec<Vec<f32>> {
    let texts = texts.iter().map(|text| (*text).into()).collect();
    embedder.embed(texts, purpose, &call()).await.unwrap()
}

async fn vector(embedder: &dyn Embedder, text: &str) -> Vec<f32> {
    vectors(embedder, &[text], Purpose::Document)
        .await
        .remove(0)
}

/// The greatest difference of two vectors in one of their numbers.
pub fn distance(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(x, y)| (x - y).abs())
        .fold(0.0, f32::max)
}

fn open(folder: &TempDir) -> Directory {
    Directory::open(folder.path(), 2).unwrap()
}

#[tokio::test]
async fn vectors_have_length_one_and_the_models_dimension() {
    let model = open(&tiny_model::folder());
    let described = model.describe(&call()).await.unwrap().unwrap();
    assert_eq!(described.dimension, DIMENSION);
    for vector in vectors(&model, &["one", "what is half of two", "?"], Purpose::Query).await {
        assert_eq!(vector.len(), DIMENSION);
        let length: f32 = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 1e-6, "{length}");
    }
    assert!(vectors(&model, &[], Purpose::Query).await.is_empty());
}

#[tokio::test]
async fn different_texts_have_different_vectors() {
    let model = open(&tiny_model::folder());
    let one = vector(&model, "one half").await;
    assert!(distance(&one, &vector(&model, "half one").await) > 1e-3);
    assert!(distance(&one, &vector(&model, "one two").await) > 1e-3);
}

#[tokio::test]
async fn an_empty_text_is_refused() {
    let model = open(&tiny_model::folder());
    let result = model
        .embed(vec!["one".into(), "".into()], Purpose::Query, &call())
        .await;
    assert!(matches!(result, Err(EmbedError::Refused(message)) if message.contains("text 1")));
}

/// The tokeniser's own file says 4 tokens, filled up to 6.
#[tokio::test]
async fn texts_are_cut_where_the_model_says_and_never_filled_up() {
    let model = open(&tiny_model::folder());
    // A start and an end belong to each text.
    let most = ["one"; LENGTH - 2].join(" ");
    let shorter = ["one"; LENGTH - 3].join(" ");
    let longer = format!("{most} two three");
    assert!(distance(&vector(&model, &most).await, &vector(&model, &longer).await) < 1e-7);
    assert!(
        distance(
            &vector(&model, &most).await,
            &vector(&model, &shorter).await
        ) > 1e-4
    );

    // Without that tokeniser's padding the vector is the same.
    let folder = tiny_model::folder();
    let mut tokenizer = tiny_model::tokenizer();
    tokenizer["padding"] = json!(null);
    tokenizer["truncation"] = json!(null);
    tiny_model::write(folder.path(), "tokenizer.json", &tokenizer);
    let plain = open(&folder);
    assert_eq!(
        vector(&model, "one two").await,
        vector(&plain, "one two").await
    );
}

#[tokio::test]
async fn without_a_length_of_its_own_the_networks_places_are_the_bound() {
    let folder = tiny_model::folder();
    std::fs::remove_file(folder.path().join("sentence_bert_config.json")).unwrap();
    let model = open(&folder);
    let text = vec!["one"; 500].join(" ");
    vector(&model, &text).await;
}

#[tokio::test]
async fn the_folder_decides_on_prompts_pooling_and_case() {
    let plain = open(&tiny_model::folder());

    let folder = tiny_model::folder();
    let prompts = json!({"prompts": {"query": "what is ", "passage": "a "}});
    tiny_model::write(folder.path(), "config_sentence_transformers.json", &prompts);
    let prompted = open(&folder);
    for (purpose, prefixed) in [
        (Purpose::Query, "what is half"),
        (Purpose::Document, "a half"),
    ] {
        let with = vectors(&prompted, &["half"], purpose).await;
        let without = vectors(&plain, &[prefixed], purpose).await;
        assert_eq!(with, without);
    }

    let folder = tiny_model::folder();
    let sentence = json!({"max_seq_length": LENGTH, "do_lower_case": true});
    tiny_model::write(folder.path(), "sentence_bert_config.json", &sentence);
    let lower = open(&folder);
    assert_eq!(
        vector(&lower, "ONE Half").await,
        vector(&plain, "one half").await
    );

    let folder = tiny_model::folder();
    let first = json!({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false});
    tiny_model::write(folder.path(), "1_Pooling/config.json", &first);
    let first = open(&folder);
    assert!(
        distance(
            &vector(&first, "one half").await,
            &vector(&plain, "one half").await
        ) > 1e-3
    );
}

#[tokio::test]
async fn the_models_identity_is_its_files() {
    let identity = |folder: TempDir| async move {
        let model = open(&folder).describe(&call()).await.unwrap().unwrap();
        (model.name, model.digest)
    };
    let (name, digest) = identity(tiny_model::folder()).await;
    assert_eq!(digest.len(), 64);
    let (other_name, same) = identity(tiny_model::folder()).await;
    assert_ne!(name, other_name);
    assert_eq!(digest, same);

    let folder = tiny_model::folder();
    std::fs::write(folder.path().join("README.md"), "about it").unwrap();
    assert_eq!(identity(folder).await.1, digest);

    let folder = tiny_model::folder();
    let mut weights = tiny_model::weights();
    weights.get_mut("embeddings.LayerNorm.bias").unwrap().1[0] += 1e-6;
    tiny_model::write_weights(folder.path(), &weights);
    assert_ne!(identity(folder).await.1, digest);

    let folder = tiny_model::folder();
    std::fs::remove_file(folder.path().join("sentence_bert_config.json")).unwrap();
    assert_ne!(identity(folder).await.1, digest);
}

#[tokio::test]
async fn a_call_whose_time_is_up_ends() {
    let model = open(&tiny_model::folder());
    let late = CallContext::background(None, Duration::ZERO);
    let texts = vec!["one".into(); 500];
    let result = model.embed(texts, Purpose::Document, &late).await;
    assert_eq!(result, Err(EmbedError::Timeout));
    // The threads are free again for others.
    vector(&model, "one").await;
}

fn shared() -> &'static Directory {
    static MODEL: OnceLock<(TempDir, Directory)> = OnceLock::new();
    let (_, model) = MODEL.get_or_init(|| {
        let folder = tiny_model::folder();
        let model = open(&folder);
        (folder, model)
    });
    model
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever else is embedded with a text, and in which order.
    #[test]
    fn company_does_not_change_a_vector(
        texts in prop::collection::vec("(one|two|three|four|half|of|is|what)( (one|two|\\+|halfs|X)){0,14}", 1..40)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let together = vectors(shared(), &texts, Purpose::Document).await;
            for (text, vector) in texts.iter().zip(&together) {
                let alone = vectors(shared(), &[text], Purpose::Document).await.remove(0);
                assert!(distance(vector, &alone) < 1e-6, "{text}");
            }
        });
    }

    #[test]
    fn any_text_has_a_vector(text in "\\PC{1,60}|.{1,60}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            prop_assert_eq!(vectors(shared(), &[&text], Purpose::Query).await[0].len(), DIMENSION);
            Ok(())
        })?;
    }
}
