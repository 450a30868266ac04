//! Rows of a part as points of the database, and back.

use std::sync::Arc;

use prost::Message;
use qdrant_client::qdrant::{
    DenseVector, NamedVectors, PointStruct, SparseVector, Vector, Vectors, vectors,
};
use turnwise_retrieval_index::{Namespace, Passage, Row};

use crate::{
    filter::tier_name,
    names::{row_point, term_index},
    payload::{Payload, Reader, Unreadable, field, fields, group, number, text, texts, wide},
    schema::{DENSE, SPARSE},
};

/// The most points of one write.
const MOST_POINTS: usize = 128;
/// The most bytes of one write, but for a single point that is larger.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// What all points of a part have in common.
pub(crate) struct Owner<'a> {
    /// Tenant and course.
    pub(crate) course_key: &'a str,
    /// The part.
    pub(crate) part_key: &'a str,
}

/// The point of a row.
pub(crate) fn row(owner: &Owner<'_>, namespace: Namespace, row: Row<'_>) -> PointStruct {
    let mut payload = fields([
        (field::COURSE, text(owner.course_key)),
        (field::PART, text(owner.part_key)),
        (field::ID, text(row.id())),
        (field::UNITS, texts(row.units())),
    ]);
    if let Some(tier) = row.tier() {
        payload.insert(field::TIER.to_owned(), text(tier_name(tier)));
    }
    if let Some(passage) = row.passage() {
        payload.insert("passage".to_owned(), group(written(&passage)));
    }
    let words = sparse(row.saturations()).map(|words| (SPARSE.to_owned(), Vector::from(words)));
    let meaning = row.vector().map(|values| {
        let data = values.to_vec();
        (DENSE.to_owned(), Vector::from(DenseVector { data }))
    });
    PointStruct {
        id: Some(row_point(owner.part_key, namespace, row.id())),
        payload,
        vectors: Some(named(words.into_iter().chain(meaning))),
    }
}

/// A point without vectors. The database wants to be told that there are none.
pub(crate) fn bare(id: qdrant_client::qdrant::PointId, payload: Payload) -> PointStruct {
    PointStruct {
        id: Some(id),
        payload,
        vectors: Some(named([])),
    }
}

/// Terms and their values as a sparse vector, by place, with values above 0; `None` if there is none of those. Of two
/// terms with one place the larger value counts.
pub(crate) fn sparse<'a>(terms: impl Iterator<Item = (&'a str, f64)>) -> Option<SparseVector> {
    let mut places: Vec<(u32, f32)> = terms
        .map(|(term, value)| (term_index(term), value as f32))
        .filter(|(_, value)| *value > 0.0)
        .collect();
    places.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    places.dedup_by_key(|(place, _)| *place);
    if places.is_empty() {
        return None;
    }
    let (indices, values) = places.into_iter().unzip();
    Some(SparseVector { values, indices })
}

/// The first of these points, as many as fit into one write.
pub(crate) fn batch(points: impl Iterator<Item = PointStruct>) -> Vec<PointStruct> {
    let mut bytes = 0;
    points
        .take(MOST_POINTS)
        .enumerate()
        .take_while(|(at, point)| {
            bytes += point.encoded_len();
            *at == 0 || bytes <= MOST_BYTES
        })
        .map(|(_, point)| point)
        .collect()
}

/// What is shown of a row, from its payload.
pub(crate) fn passage(payload: Reader<'_>) -> Result<Option<Arc<Passage>>, Unreadable> {
    let Some(group) = payload.group_opt("passage")? else {
        return Ok(None);
    };
    Ok(Some(Arc::new(Passage {
        source: group.text("source")?.into(),
        title: group.text("title")?.into(),
        chunk_type: group.text("chunk_type")?.into(),
        section_kind: group.text("section_kind")?.into(),
        section: group.text("section")?.into(),
        url: group.text("url")?.into(),
        page: group.number("page")?,
        start_ms: group.wide_opt("start_ms")?,
        text: group.text("text")?.into(),
    })))
}

fn written(passage: &Passage) -> Payload {
    let mut group = fields([
        ("source", text(&passage.source)),
        ("title", text(&passage.title)),
        ("chunk_type", text(&passage.chunk_type)),
        ("section_kind", text(&passage.section_kind)),
        ("section", text(&passage.section)),
        ("url", text(&passage.url)),
        ("page", number(passage.page.into())),
        ("text", text(&passage.text)),
    ]);
    if let Some(start) = passage.start_ms {
        group.insert("start_ms".to_owned(), wide(start));
    }
    group
}

fn named(vectors: impl IntoIterator<Item = (String, Vector)>) -> Vectors {
    Vectors {
        vectors_options: Some(vectors::VectorsOptions::Vectors(NamedVectors {
            vectors: vectors.into_iter().collect(),
        })),
    }
}
