//! The documents that the suite publishes, and how it looks for them.

use std::sync::Arc;

use super::{Failure, model, same};
use crate::{
    Part, Statistics,
    document::{Document, Namespace, Passage, Tier},
    engine::{Content, Engine, Filter, Hit, Index, PartId, Query},
};

/// How many values the vectors have.
pub(super) const DIMENSION: usize = 8;

/// A vector of length 1 whose similarity with [`north`] is `cosine`; `plane`, 1 to 7, says where the rest of it points.
pub(super) fn at(cosine: f32, plane: usize) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSION];
    vector[0] = cosine;
    vector[plane] = (1.0 - cosine * cosine).sqrt();
    vector
}

/// The vector that queries look for.
pub(super) fn north() -> Arc<[f32]> {
    at(1.0, 1).into()
}

/// A document of a namespace with nothing to find it by.
pub(super) fn document(namespace: Namespace, id: &str, units: &[&str]) -> Document {
    let mut content = [0_u8; 32];
    for (place, byte) in id.bytes().enumerate() {
        content[place % 32] = byte.wrapping_add(content[place % 32].wrapping_mul(31));
    }
    Document {
        namespace,
        id: id.into(),
        units: units.iter().map(|unit| (*unit).into()).collect(),
        tier: None,
        terms: Vec::new(),
        vector: None,
        content,
        passage: None,
    }
}

/// A chunk with words and a vector. Words that are repeated are counted.
pub(super) fn chunk(id: &str, unit: &str, words: &str, vector: Vec<f32>) -> Document {
    Document {
        vector: Some(vector),
        ..words_in(document(Namespace::Chunks, id, &[unit]), words)
    }
}

/// A document with words. Words that are repeated are counted.
pub(super) fn words_in(document: Document, words: &str) -> Document {
    let mut terms: Vec<(Box<str>, u32)> = Vec::new();
    for word in words.split_whitespace() {
        match terms.iter_mut().find(|(term, _)| **term == *word) {
            Some((_, times)) => *times += 1,
            None => terms.push((word.into(), 1)),
        }
    }
    Document { terms, ..document }
}

/// An exam candidate with a word and a vector.
pub(super) fn exam(id: &str, units: &[&str], tier: Option<Tier>, vector: Vec<f32>) -> Document {
    Document {
        tier,
        vector: Some(vector),
        ..words_in(document(Namespace::ExamCandidates, id, units), "question")
    }
}

/// A document that shows a text.
pub(super) fn showing(document: Document, text: &str) -> Document {
    let passage = Passage {
        source: "handbook".into(),
        chunk_type: "text".into(),
        text: text.into(),
        ..Passage::default()
    };
    Document {
        passage: Some(passage),
        ..document
    }
}

/// A part's name.
pub(super) fn id(tenant: &str, course: &str, source: &str, revision: &str) -> PartId {
    PartId {
        tenant: tenant.into(),
        course: course.into(),
        source: source.into(),
        revision: revision.into(),
    }
}

/// A part with vectors of the suite's model.
pub(super) fn part(id: PartId, documents: Vec<Document>) -> Result<Arc<Part>, Failure> {
    Ok(Arc::new(Part::new(id, Some(model()), documents)?))
}

/// What an index over parts is made of.
pub(super) fn content(tenant: &str, course: &str, parts: &[Arc<Part>]) -> Content {
    let names: Vec<String> = parts
        .iter()
        .map(|part| format!("{}@{}", part.id().source, part.id().revision))
        .collect();
    Content {
        id: format!("{tenant}|{course}|{}", names.join(",")).into(),
        tenant: tenant.into(),
        course: course.into(),
        parts: parts.iter().map(|part| part.id().clone()).collect(),
        statistics: Arc::new(Statistics::of(parts.iter().map(|part| &**part))),
    }
}

/// Publishes parts and opens an index over them.
pub(super) async fn open(
    engine: &dyn Engine,
    tenant: &str,
    course: &str,
    parts: &[Arc<Part>],
) -> Result<Arc<dyn Index>, Failure> {
    for part in parts {
        engine.publish(Arc::clone(part)).await?;
    }
    Ok(engine.open(content(tenant, course, parts)).await?)
}

/// Publishes one part of a course pack and opens an index over it.
pub(super) async fn open_pack(
    engine: &dyn Engine,
    documents: Vec<Document>,
) -> Result<Arc<dyn Index>, Failure> {
    let part = part(id("", "algebra", "", "1"), documents)?;
    open(engine, "school", "algebra", &[part]).await
}

/// A query for words alone, each of weight 1.
pub(super) fn words(words: &str) -> Query {
    Query {
        terms: words
            .split_whitespace()
            .map(|word| (word.into(), 1.0))
            .collect(),
        ..Query::default()
    }
}

/// A query for [`north`] alone.
pub(super) fn meaning() -> Query {
    Query {
        vector: Some(north()),
        ..Query::default()
    }
}

/// A query for words and for [`north`].
pub(super) fn both(text: &str) -> Query {
    Query {
        vector: Some(north()),
        ..words(text)
    }
}

/// Only rows of these units.
pub(super) fn of_units(units: &[&str]) -> Filter {
    Filter {
        units: Some(units.iter().map(|unit| (*unit).into()).collect()),
        tier: None,
    }
}

/// The ids of hits.
pub(super) fn ids(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| &*hit.id).collect()
}

/// Fails unless a search finds exactly these ids in this order.
pub(super) async fn finds(
    index: &dyn Index,
    namespace: Namespace,
    query: &Query,
    filter: &Filter,
    expected: &[&str],
) -> Result<(), Failure> {
    let hits = index.search(namespace, query, filter, 100).await?;
    let what = format!("search for {query:?} with {filter:?}");
    same(&what, ids(&hits), expected.to_vec())
}

/// The texts that hits show.
pub(super) fn texts(hits: &[Hit]) -> Vec<&str> {
    hits.iter()
        .filter_map(|hit| hit.passage.as_ref())
        .map(|passage| &*passage.text)
        .collect()
}
