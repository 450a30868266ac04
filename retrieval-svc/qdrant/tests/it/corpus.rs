//! Documents to publish, and how to look for them.

use std::sync::Arc;

use turnwise_retrieval_index::{
    Content, Document, Engine, EngineError, Filter, Hit, Index, ModelId, Namespace, Part, PartId,
    Passage, Query, SourceHead, SourceKey, Statistics, UploadedChunk,
};

/// A model with short vectors.
pub fn model(digest: &str) -> ModelId {
    ModelId {
        name: "short".into(),
        digest: digest.into(),
        dimension: 4,
    }
}

/// A vector of length 1 for a number.
pub fn vector(seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    let values: Vec<f32> = (0..4)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        })
        .collect();
    let length = values.iter().map(|v| v * v).sum::<f32>().sqrt();
    values.iter().map(|v| v / length).collect()
}

/// A chunk with these words.
pub fn chunk(id: &str, unit: &str, words: &[&str], vector: Option<Vec<f32>>) -> Document {
    let mut terms: Vec<(Box<str>, u32)> = Vec::new();
    for word in words {
        match terms.iter_mut().find(|(term, _)| **term == **word) {
            Some((_, times)) => *times += 1,
            None => terms.push(((*word).into(), 1)),
        }
    }
    Document {
        namespace: Namespace::Chunks,
        id: id.into(),
        units: vec![unit.into()],
        tier: None,
        terms,
        vector,
        content: [7; 32],
        passage: Some(Passage {
            source: "book".into(),
            text: words.join(" ").into(),
            start_ms: Some(u64::MAX),
            ..Passage::default()
        }),
    }
}

pub fn part_id(tenant: &str, course: &str, source: &str, revision: &str) -> PartId {
    PartId {
        tenant: tenant.into(),
        course: course.into(),
        source: source.into(),
        revision: revision.into(),
    }
}

pub fn part(id: PartId, model: Option<ModelId>, documents: Vec<Document>) -> Arc<Part> {
    Arc::new(Part::new(id, model, documents).unwrap())
}

pub fn content(tenant: &str, course: &str, parts: &[Arc<Part>]) -> Content {
    Content {
        id: "index".into(),
        tenant: tenant.into(),
        course: course.into(),
        parts: parts.iter().map(|part| part.id().clone()).collect(),
        statistics: Arc::new(Statistics::of(parts.iter().map(|part| &**part))),
    }
}

/// Publishes parts and opens an index over them.
pub async fn open(
    engine: &dyn Engine,
    tenant: &str,
    course: &str,
    parts: &[Arc<Part>],
) -> Arc<dyn Index> {
    for part in parts {
        engine.publish(part.clone()).await.unwrap();
    }
    engine.open(content(tenant, course, parts)).await.unwrap()
}

/// A query for words of weight 1, and for a vector.
pub fn query(words: &[&str], vector: Option<Vec<f32>>) -> Query {
    Query {
        terms: words.iter().map(|word| ((*word).into(), 1.0)).collect(),
        vector: vector.map(Into::into),
        ..Query::default()
    }
}

pub fn source(tenant: &str, course: &str, source: &str) -> SourceKey {
    SourceKey {
        tenant: tenant.into(),
        course: course.into(),
        source: source.into(),
    }
}

pub fn head(revision: &str, chunks: u32) -> SourceHead {
    SourceHead {
        revision: revision.into(),
        title: "A book".into(),
        chunk_type: "text".into(),
        chunks,
    }
}

pub fn uploaded(place: u32, text: &str) -> UploadedChunk {
    UploadedChunk {
        id: format!("chunk-{place}").into(),
        unit: "u1".into(),
        section: "Section".into(),
        section_kind: "explanation".into(),
        url: "".into(),
        page: place,
        start_ms: Some(u64::MAX - u64::from(place)),
        text: text.into(),
    }
}

/// The chunks of an index for these words and this vector.
pub async fn chunks_for(
    index: &Arc<dyn Index>,
    words: &[&str],
    vector: Option<Vec<f32>>,
    top: usize,
) -> Result<Vec<Hit>, EngineError> {
    let (query, everything) = (query(words, vector), Filter::default());
    index
        .search(Namespace::Chunks, &query, &everything, top)
        .await
}
