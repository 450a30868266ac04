//! Real data and models that stand beside the repository and never in it.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folder of the data: TURNWISE_SHARED_DIR, or `shared` beside the repository. Where it is absent a test that needs
/// it says so and passes, unless the variable is set: then the data must be there.
pub fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("TURNWISE_SHARED_DIR").filter(|dir| !dir.is_empty());
    let must = named.is_some();
    let dir = named.map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let there = dir.join("data").is_dir();
    assert!(there || !must, "TURNWISE_SHARED_DIR holds no data/");
    if !there {
        println!(
            "SKIPPED: no data at {}; set TURNWISE_SHARED_DIR",
            dir.display()
        );
    }
    there.then_some(dir.join("data"))
}

/// So many real student messages, taken evenly from the whole file, so that every source is among them.
pub fn student_messages(data: &Path, count: usize) -> Vec<String> {
    let text = fs::read_to_string(data.join("messages/student_messages.jsonl")).unwrap();
    let all: Vec<String> = text
        .lines()
        .map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            row["text"].as_str().unwrap().to_owned()
        })
        .collect();
    assert!(all.len() >= count, "only {} messages", all.len());
    (0..count)
        .map(|i| all[i * all.len() / count].clone())
        .collect()
}

/// The folder of an embedding model: EMBED_MODEL_DIR, or where scripts/fetch-model puts it. Without it a test that needs
/// one says so and passes.
pub fn embedding_model() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("EMBED_MODEL_DIR").filter(|dir| !dir.is_empty()) {
        return Some(named.into());
    }
    let cache = match std::env::var_os("XDG_CACHE_HOME").filter(|dir| !dir.is_empty()) {
        Some(cache) => PathBuf::from(cache),
        None => Path::new(&std::env::var_os("HOME")?).join(".cache"),
    };
    let folder = cache.join("turnwise/all-MiniLM-L6-v2");
    let there = folder.join("model.safetensors").is_file();
    if !there {
        println!("SKIPPED: no embedding model; scripts/fetch-model brings one");
    }
    there.then_some(folder)
}
