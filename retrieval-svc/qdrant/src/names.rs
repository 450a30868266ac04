//! Names of collections, ids of points, and strings that cannot be confused with others.

use qdrant_client::qdrant::PointId;
use sha2::{Digest, Sha256};
use turnwise_retrieval_index::{ModelId, Namespace, PartId, SourceKey};
use uuid::Uuid;

/// What the ids of our points are derived from; never changes.
const POINTS: Uuid = Uuid::from_u128(0x5f1e_3a68_9d24_4c0b_8f6e_2b7c_91d0_43aa);

/// The layout of collections and payloads; another one makes other generations.
const LAYOUT: &str = "1";

/// Names of collections.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    prefix: String,
    generation: String,
}

impl Names {
    pub(crate) fn new(prefix: &str, model: Option<&ModelId>, normaliser: &str) -> Self {
        let dimension = model.map_or(0, |m| m.dimension).to_string();
        let digest = model.map_or("", |m| &m.digest);
        let hash = digest_of(&[LAYOUT, digest, &dimension, normaliser]);
        Self {
            prefix: prefix.to_owned(),
            generation: hex::encode(&hash[..6]),
        }
    }

    /// The collection of a namespace in this generation.
    pub(crate) fn collection(&self, namespace: Namespace) -> String {
        format!("{}_{}", self.alias(namespace), self.generation)
    }

    /// The name under which others find a namespace's present generation.
    pub(crate) fn alias(&self, namespace: Namespace) -> String {
        format!("{}_{}", self.prefix, namespace.as_str())
    }

    /// The collection that tells which parts of this generation are complete.
    pub(crate) fn parts(&self) -> String {
        format!("{}_parts_{}", self.prefix, self.generation)
    }

    /// The collection of uploaded sources, the same for all generations.
    pub(crate) fn uploads(&self) -> String {
        format!("{}_uploads", self.prefix)
    }
}

/// A course as one tenant sees it, as one string: no two pairs have the same.
pub(crate) fn course_key(tenant: &str, course: &str) -> String {
    format!("{}/{}", escaped(tenant), escaped(course))
}

/// A part as one string.
pub(crate) fn part_key(part: &PartId) -> String {
    let fields = [&*part.tenant, &part.course, &part.source, &part.revision];
    uuid_of("part", &fields).to_string()
}

/// An uploaded source as one string.
pub(crate) fn source_key(key: &SourceKey) -> String {
    uuid_of("source", &[&key.tenant, &key.course, &key.source]).to_string()
}

/// The point of a row.
pub(crate) fn row_point(part_key: &str, namespace: Namespace, id: &str) -> PointId {
    point_id(uuid_of("row", &[part_key, namespace.as_str(), id]))
}

/// The point that says that a part is complete.
pub(crate) fn part_point(part_key: &str) -> PointId {
    point_id(uuid_of("complete", &[part_key]))
}

/// The point of an uploaded source.
pub(crate) fn head_point(source_key: &str) -> PointId {
    point_id(uuid_of("head", &[source_key]))
}

/// The point of an uploaded chunk, by its place.
pub(crate) fn chunk_point(upload: &str, place: u32) -> PointId {
    point_id(uuid_of("chunk", &[upload, &place.to_string()]))
}

pub(crate) fn point_id(id: Uuid) -> PointId {
    PointId {
        point_id_options: Some(qdrant_client::qdrant::point_id::PointIdOptions::Uuid(
            id.to_string(),
        )),
    }
}

/// The place of a term in sparse vectors. Two terms in 2^32 share one: their scores then run together.
pub(crate) fn term_index(term: &str) -> u32 {
    let hash = Sha256::digest(term.as_bytes());
    u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]])
}

fn uuid_of(kind: &str, fields: &[&str]) -> Uuid {
    let fields: Vec<&str> = std::iter::once(kind)
        .chain(fields.iter().copied())
        .collect();
    Uuid::new_v5(&POINTS, &digest_of(&fields))
}

/// A hash of several strings, each with its length, so that none can pass for another's end.
fn digest_of(fields: &[&str]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for field in fields {
        hasher.update((field.len() as u64).to_le_bytes());
        hasher.update(field.as_bytes());
    }
    hasher.finalize().into()
}

/// The text without `/` and without control characters; different texts stay different.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '%' || c == '/' || c.is_control() {
            out.push_str(&format!("%{:x};", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_look_alike_stay_apart() {
        assert_eq!(course_key("", "maths"), "/maths");
        assert_eq!(course_key("a/b", "c"), "a%2f;b/c");
        assert_ne!(course_key("a/b", "c"), course_key("a", "b/c"));
        assert_ne!(course_key("a%2f;b", "c"), course_key("a/b", "c"));
        assert_ne!(course_key("a\u{0}", "c"), course_key("a", "c"));
    }

    #[test]
    fn each_generation_has_collections_of_its_own() {
        let model = |digest: &str, dimension| ModelId {
            name: "any".into(),
            digest: digest.into(),
            dimension,
        };
        let named = |model: Option<&ModelId>, normaliser| {
            Names::new("t", model, normaliser).collection(Namespace::Chunks)
        };
        let all = [
            named(None, "1"),
            named(None, "2"),
            named(Some(&model("a", 3)), "1"),
            named(Some(&model("a", 31)), "1"),
            named(Some(&model("b", 3)), "1"),
        ];
        let different: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(different.len(), all.len());
        assert!(all[0].starts_with("t_unit_content_chunks_"));
    }
}
