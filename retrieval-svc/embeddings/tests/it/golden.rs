//! The real model against vectors that another implementation has computed: a tokeniser written after the paper's, and the
//! network in double precision with NumPy. Runs where scripts/fetch-model has put the model, or EMBED_MODEL_DIR names it.

use std::path::PathBuf;

use serde::Deserialize;
use turnwise_retrieval_embeddings::{Directory, Embedder, Purpose};

use crate::local::{call, distance, vectors};

#[derive(Deserialize)]
struct Golden {
    text: String,
    vector: Vec<f32>,
}

/// The model's folder, if it is on this machine.
pub fn folder() -> Option<PathBuf> {
    let folder = match std::env::var_os("EMBED_MODEL_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => std::env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?
            .join("turnwise/all-MiniLM-L6-v2"),
    };
    folder.join("model.safetensors").is_file().then_some(folder)
}

fn model() -> Option<Directory> {
    let Some(folder) = folder() else {
        eprintln!(
            "skipped: there is no model; scripts/fetch-model brings it, or EMBED_MODEL_DIR names it"
        );
        return None;
    };
    Some(Directory::open(&folder, 2).unwrap())
}

#[tokio::test]
async fn vectors_are_those_of_another_implementation() {
    let Some(model) = model() else { return };
    let described = model.describe(&call()).await.unwrap().unwrap();
    assert_eq!(described.dimension, 384);
    let golden: Vec<Golden> = serde_json::from_str(include_str!("golden.json")).unwrap();
    let texts: Vec<&str> = golden.iter().map(|golden| &*golden.text).collect();
    let mut greatest = 0.0f32;
    for (golden, vector) in golden
        .iter()
        .zip(vectors(&model, &texts, Purpose::Document).await)
    {
        let distance = distance(&golden.vector, &vector);
        assert!(distance < 1e-4, "{distance}: {}", golden.text);
        greatest = greatest.max(distance);
    }
    println!("greatest difference: {greatest:e}");
}

#[tokio::test]
async fn company_and_order_do_not_change_a_vector() {
    let Some(model) = model() else { return };
    let golden: Vec<Golden> = serde_json::from_str(include_str!("golden.json")).unwrap();
    // Each text four times: those of equal length are computed together.
    let mut texts: Vec<&str> = golden.iter().map(|golden| &*golden.text).collect();
    texts = texts.repeat(4);
    let forward = vectors(&model, &texts, Purpose::Document).await;
    texts.reverse();
    let mut backward = vectors(&model, &texts, Purpose::Document).await;
    backward.reverse();
    texts.reverse();
    let mut greatest = 0.0f32;
    for ((text, one), other) in texts.iter().zip(&forward).zip(&backward) {
        let alone = vectors(&model, &[text], Purpose::Query).await.remove(0);
        greatest = greatest
            .max(distance(one, other))
            .max(distance(one, &alone));
    }
    println!("greatest difference: {greatest:e}");
    assert!(greatest < 1e-6, "{greatest:e}");
}
