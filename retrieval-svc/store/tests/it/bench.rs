//! What the tests of this binary share: sources, chunks, vectors and ways to upload.

use std::path::Path;

use turnwise_retrieval_index::{
    ContentHash, ModelId, PartId, Progress, SourceHead, SourceKey, SourceState, Sources,
    UploadedChunk,
};
use turnwise_retrieval_store::Store;

/// The tenant and the course of all sources that [`key`] names.
pub const TENANT: &str = "school";
pub const COURSE: &str = "maths";

/// Opens the store in a folder.
pub fn open(folder: &Path) -> Store {
    Store::open(&folder.join("sources.redb")).unwrap()
}

pub fn key(source: &str) -> SourceKey {
    SourceKey {
        tenant: TENANT.into(),
        course: COURSE.into(),
        source: source.into(),
    }
}

pub fn head(revision: &str, chunks: u32) -> SourceHead {
    SourceHead {
        revision: revision.into(),
        title: format!("Title of {revision}").into(),
        chunk_type: "text".into(),
        chunks,
    }
}

/// A chunk whose every field tells where it belongs.
pub fn chunk(key: &SourceKey, revision: &str, place: u32) -> UploadedChunk {
    let own = format!(
        "{} {} {} {revision} {place}",
        key.tenant, key.course, key.source
    );
    UploadedChunk {
        id: format!("id {own}").into(),
        unit: format!("unit {own}").into(),
        section: format!("section {own}").into(),
        section_kind: format!("kind {own}").into(),
        url: format!("https://example.org/{own}").into(),
        page: place,
        start_ms: (place % 2 == 1).then_some(u64::from(place) * 1000),
        text: format!("text {own} {}", "x".repeat(300)).into(),
    }
}

/// The chunks of these places.
pub fn chunks(key: &SourceKey, revision: &str, places: std::ops::Range<u32>) -> Vec<UploadedChunk> {
    places.map(|place| chunk(key, revision, place)).collect()
}

/// Uploads and commits a source, at the time 7.
pub async fn upload(store: &Store, key: &SourceKey, revision: &str, count: u32) {
    let head = head(revision, count);
    assert_eq!(store.begin(key, &head).await, Ok(Progress::Staged(0)));
    let staged = store
        .stage(key, revision, 0, chunks(key, revision, 0..count))
        .await;
    assert_eq!(staged, Ok(count));
    assert_eq!(store.commit(key, revision, 7).await, Ok(()));
}

/// Asserts that exactly this revision is served.
pub async fn assert_serves(store: &Store, key: &SourceKey, revision: &str, count: u32) {
    let expected = (head(revision, count), chunks(key, revision, 0..count));
    assert_eq!(store.chunks(key).await, Ok(expected));
    let state = state(store, key).await.unwrap();
    assert!(!state.damaged);
    assert_eq!(state.committed, Some((head(revision, count), 7)));
}

/// A source as it is listed.
pub async fn state(store: &Store, key: &SourceKey) -> Option<SourceState> {
    let listed = store.list(&key.tenant, &key.course).await.unwrap();
    listed.into_iter().find(|state| state.key == *key)
}

pub fn model(digest: &str, dimension: usize) -> ModelId {
    ModelId {
        name: "model".into(),
        digest: digest.into(),
        dimension,
    }
}

pub fn content(number: u32) -> ContentHash {
    let mut content = [0; 32];
    content[..4].copy_from_slice(&number.wrapping_mul(0x9E37_79B1).to_le_bytes());
    content
}

/// Vectors that tell whose they are.
pub fn vectors(model: &ModelId, numbers: std::ops::Range<u32>) -> Vec<(ContentHash, Vec<f32>)> {
    numbers
        .map(|number| (content(number), vec![number as f32 + 0.5; model.dimension]))
        .collect()
}

pub fn part(source: &str, revision: &str) -> PartId {
    PartId {
        tenant: TENANT.into(),
        course: COURSE.into(),
        source: source.into(),
        revision: revision.into(),
    }
}
