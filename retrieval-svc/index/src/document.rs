//! What can be found: documents, their namespaces, and what is shown of them.

use serde::{Deserialize, Serialize};

/// A kind of content. A search is in exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Namespace {
    /// Units, described in a few words.
    Anchors,
    /// Lesson text, transcripts and PDFs, in pieces.
    Chunks,
    /// Exam questions: ids, units, tiers and tags.
    ExamCandidates,
    /// Guidance on exam questions. Never for a student's context.
    ExamSupport,
}

impl Namespace {
    /// All namespaces, in the order of their numbers.
    pub const ALL: [Self; 4] = [
        Self::Anchors,
        Self::Chunks,
        Self::ExamCandidates,
        Self::ExamSupport,
    ];

    /// The namespace's name: part of names in databases, so it never changes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anchors => "unit_anchors",
            Self::Chunks => "unit_content_chunks",
            Self::ExamCandidates => "exam_candidates",
            Self::ExamSupport => "exam_support_chunks",
        }
    }
}

/// How hard an exam question is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Tier {
    /// The first tier.
    Bronze,
    /// The second tier.
    Silver,
    /// The last tier.
    Gold,
}

/// SHA-256 of the text that a vector is made from.
pub type ContentHash = [u8; 32];

/// One thing to find, as it goes into a [`Part`](crate::Part).
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Its namespace.
    pub namespace: Namespace,
    /// Its id, unique in its part and namespace; 1 to 300 bytes. Ties go by it, ascending by bytes.
    pub id: Box<str>,
    /// The units that it belongs to, at least one, none twice, at most 64.
    pub units: Vec<Box<str>>,
    /// How hard it is; exam candidates only.
    pub tier: Option<Tier>,
    /// Its terms as the analyser spells them, each once, with how often they occur (at least once).
    pub terms: Vec<(Box<str>, u32)>,
    /// The vector of its text, of the index's dimension, finite and of length 1 (to 1e-3); `None` where none is wanted or
    /// none is there yet.
    pub vector: Option<Vec<f32>>,
    /// What its vector is or would be made from.
    pub content: ContentHash,
    /// What is shown of it; `None` where its id says all.
    pub passage: Option<Passage>,
}

/// A text with where it comes from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// The document that it comes from.
    pub source: Box<str>,
    /// That document's title; may be empty.
    pub title: Box<str>,
    /// `text`, `pdf` or `transcript`.
    pub chunk_type: Box<str>,
    /// A free word such as `explanation`; may be empty.
    pub section_kind: Box<str>,
    /// Its heading; may be empty.
    pub section: Box<str>,
    /// Where it can be read; may be empty.
    pub url: Box<str>,
    /// Its page, from 1; 0: it has none.
    pub page: u32,
    /// Its place in a recording, in milliseconds.
    pub start_ms: Option<u64>,
    /// The text.
    pub text: Box<str>,
}
