//! How long 100,000 vectors and chunks take to and from disk.

use std::error::Error;

use tokio::{runtime::Runtime, time::Instant};
use turnwise_retrieval_index::{
    Cache, ContentHash, ModelId, SourceHead, SourceKey, Sources, UploadedChunk,
};
use turnwise_retrieval_store::Store;
use turnwise_testing::figure::{Bound, figure};

/// How many vectors and chunks.
const COUNT: u32 = 100_000;
/// How many vectors are kept, and chunks staged, with one call.
const BATCH: usize = 500;
/// The chunks of one source.
const CHUNKS: usize = 5_000;
/// The length of the vectors.
const DIMENSION: usize = 384;
/// The length of a chunk's text.
const TEXT: usize = 900;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("sources.redb");
    let model = ModelId {
        name: "model".into(),
        digest: "digest".into(),
        dimension: DIMENSION,
    };
    let vectors: Vec<(ContentHash, Vec<f32>)> = (0..COUNT)
        .map(|number| (content(number), vec![number as f32; DIMENSION]))
        .collect();
    let contents: Vec<ContentHash> = vectors.iter().map(|(content, _)| *content).collect();

    let store = Store::open(&path)?;
    let began = Instant::now();
    for batch in vectors.chunks(BATCH) {
        store.keep_vectors(&model, batch);
    }
    report("keep_vectors_s", began);
    drop(store);

    for round in ["first", "second"] {
        // Every page is looked at.
        let began = Instant::now();
        let store = Store::open(&path)?;
        report(&format!("open_with_vectors_{round}_s"), began);
        let began = Instant::now();
        let found = store.vectors(&model, &contents);
        let took = began.elapsed().as_secs_f64();
        figure(&format!("vectors_{round}_s"), took, Bound::AtMost(0.6));
        if !found
            .iter()
            .zip(&vectors)
            .all(|(found, (_, kept))| found.as_ref() == Some(kept))
        {
            return Err("a vector is missing".into());
        }
    }
    let length = std::fs::metadata(folder.path().join("sources.redb.cache"))?.len();
    let raw = f64::from(COUNT) * (DIMENSION * size_of::<f32>()) as f64;
    figure("cache_file_of_raw", length as f64 / raw, Bound::Report);

    Runtime::new()?.block_on(async {
        let store = Store::open(&path)?;
        let began = Instant::now();
        let keys: Vec<SourceKey> = (0..COUNT as usize / CHUNKS).map(key).collect();
        for key in &keys {
            upload(&store, key).await?;
        }
        report("upload_s", began);
        let began = Instant::now();
        let listed = store.list("school", "maths").await?;
        report("list_s", began);
        let began = Instant::now();
        for key in &keys {
            store.chunks(key).await?;
        }
        report("chunks_s", began);
        drop(store);
        let began = Instant::now();
        drop(Store::open(&path)?);
        report("open_and_close_with_all_s", began);
        if listed.len() != keys.len() || listed.iter().any(|state| state.damaged) {
            return Err("a source is missing".into());
        }
        Ok(())
    })
}

fn report(name: &str, began: Instant) {
    figure(name, began.elapsed().as_secs_f64(), Bound::Report);
}

/// Scattered as hashes are.
fn content(number: u32) -> ContentHash {
    let mut content = [0; 32];
    let mut mixed = u64::from(number);
    for bytes in content.chunks_exact_mut(8) {
        mixed = mixed
            .wrapping_add(0x9E37_79B9_7F4A_7C15)
            .wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^= mixed >> 29;
        bytes.copy_from_slice(&mixed.to_le_bytes());
    }
    content
}

fn key(number: usize) -> SourceKey {
    SourceKey {
        tenant: "school".into(),
        course: "maths".into(),
        source: format!("source-{number}").into(),
    }
}

async fn upload(store: &Store, key: &SourceKey) -> Result<(), Box<dyn Error>> {
    let head = SourceHead {
        revision: "1".into(),
        title: "A book".into(),
        chunk_type: "text".into(),
        chunks: u32::try_from(CHUNKS)?,
    };
    store.begin(key, &head).await?;
    let mut first = 0;
    while first < head.chunks {
        let chunks = (first..).take(BATCH).map(chunk).collect();
        first = store.stage(key, &head.revision, first, chunks).await?;
    }
    store.commit(key, &head.revision, 1).await?;
    Ok(())
}

fn chunk(place: u32) -> UploadedChunk {
    UploadedChunk {
        id: format!("chunk-{place}").into(),
        unit: format!("unit-{}", place % 100).into(),
        section: "A heading".into(),
        section_kind: "explanation".into(),
        url: "https://example.org/book".into(),
        page: place,
        start_ms: None,
        text: "x".repeat(TEXT).into(),
    }
}
