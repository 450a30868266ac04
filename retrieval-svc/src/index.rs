//! The immutable index of one course: what it holds, and the two questions it answers.
//!
//! *Search* ranks the rows of a scope, which is found first: its cost grows with the scope, not with the course.
//! *Mapping* tells which units a message is about, from all of the course.

mod bm25;
mod build;
mod confidence;
mod mapping;
mod postings;
mod query;
mod rows;
mod topicality;
mod vocabulary;

use std::collections::HashMap;

use turnwise_course_pack::{Chunk, Pack, Question, Support, Tier, Unit};

use self::{mapping::Mapping, query::Query, rows::Rows, vocabulary::Vocabulary};
use crate::text::Analyser;

pub use self::confidence::CONTEXT_ONLY_MAX;

/// Units that a message is mapped to, at most.
pub const MAX_MAPPED_UNITS: usize = 6;
/// Earlier messages that count for a mapping, at most.
pub const MAX_RECENT_TEXTS: usize = 8;
/// Characters of an earlier message that count: a long answer of a tutor must not outweigh the message itself.
pub const MAX_RECENT_CHARS: usize = 2_000;
/// Exam support chunks in one answer, at most.
pub const TOP_K_EXAM_SUPPORT: usize = 4;

/// One found row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit<'a, T> {
    /// What was found.
    pub item: &'a T,
    /// How well it matched, from 0; only its order means something.
    pub score: f64,
}

/// A unit that a message is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapped<'a> {
    /// The unit.
    pub unit: &'a Unit,
    /// How sure that is, 0 to 1.
    pub confidence: f64,
}

/// A place in the course's list of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitIndex(u32);

impl UnitIndex {
    fn at(self) -> usize {
        self.0 as usize
    }
}

/// The index of one course.
pub struct CourseIndex {
    id: String,
    pack: Pack,
    units: HashMap<String, UnitIndex>,
    analyser: Analyser,
    vocabulary: Vocabulary,
    anchors: Rows,
    chunks: Rows,
    questions: Rows,
    support: Rows,
    mapping: Mapping,
}

impl CourseIndex {
    /// Indexes a pack.
    pub fn new(pack: Pack) -> Self {
        build::course_index(pack)
    }

    /// Names what was indexed and how: a hash over the pack's hash and the normaliser's version. Equal ids give equal
    /// answers.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The pack that was indexed.
    pub fn pack(&self) -> &Pack {
        &self.pack
    }

    /// The unit with this id.
    pub fn unit(&self, id: &str) -> Option<UnitIndex> {
        self.units.get(id).copied()
    }

    /// Tells which units a message is about, the surest first, at most [`MAX_MAPPED_UNITS`]. `recent` are the messages
    /// before it, oldest first; the last [`MAX_RECENT_TEXTS`] count. A message that says too little by itself leans on
    /// them, and maps to nothing without them.
    pub fn map_message(&self, text: &str, recent: &[String]) -> Vec<Mapped<'_>> {
        let message = self.analyser.analyse(text);
        let skipped = recent.len().saturating_sub(MAX_RECENT_TEXTS);
        let context: Vec<_> = recent[skipped..]
            .iter()
            .map(|recent| {
                let end = recent
                    .char_indices()
                    .nth(MAX_RECENT_CHARS)
                    .map_or(recent.len(), |(at, _)| at);
                self.analyser.analyse(&recent[..end])
            })
            .collect();
        self.mapping
            .map(&self.vocabulary, &message, &context)
            .into_iter()
            .map(|(unit, confidence)| Mapped {
                unit: &self.pack.units[unit.at()],
                confidence,
            })
            .collect()
    }

    /// What a text asks for, ready for the searches below.
    pub fn query(&self, text: &str) -> SearchText {
        if text.trim().is_empty() {
            return SearchText(None);
        }
        let analysis = self.analyser.analyse(text);
        SearchText(Some(Query::of_text(&self.vocabulary, &analysis)))
    }

    /// The units of the scope, best first.
    pub fn anchors(&self, text: &SearchText, scope: &[UnitIndex]) -> Vec<Hit<'_, Unit>> {
        let top = self.pack.course.policy.top_k_anchors.map_or(6, widen);
        let rows = in_course_order(scope).into_iter().map(|unit| unit.0);
        hits(&self.anchors, text, rows, top, &self.pack.units)
    }

    /// The lesson text of the scope, best first.
    pub fn chunks(&self, text: &SearchText, scope: &[UnitIndex]) -> Vec<Hit<'_, Chunk>> {
        let top = self.pack.course.policy.top_k_chunks.map_or(8, widen);
        let rows = in_course_order(scope)
            .into_iter()
            .flat_map(|unit| self.chunks.of_unit(unit));
        hits(&self.chunks, text, rows, top, &self.pack.chunks)
    }

    /// The exam questions of one unit and one tier, best first.
    pub fn exam_candidates(
        &self,
        text: &SearchText,
        focus: UnitIndex,
        tier: Tier,
    ) -> Vec<Hit<'_, Question>> {
        let top = self
            .pack
            .course
            .policy
            .top_k_exam_candidates
            .map_or(10, widen);
        let questions = &self.pack.questions;
        let rows = self
            .questions
            .of_unit(focus)
            .filter(|row| questions[*row as usize].tier == tier);
        hits(&self.questions, text, rows, top, questions)
    }

    /// The guidance on one unit's exam questions, best first.
    pub fn exam_support(&self, text: &SearchText, focus: UnitIndex) -> Vec<Hit<'_, Support>> {
        hits(
            &self.support,
            text,
            self.support.of_unit(focus),
            TOP_K_EXAM_SUPPORT,
            &self.pack.support,
        )
    }
}

/// A text to search for; an empty one asks for the rows in their own order.
pub struct SearchText(Option<Query>);

/// Each unit once, in the course's order.
fn in_course_order(scope: &[UnitIndex]) -> Vec<UnitIndex> {
    let mut scope = scope.to_vec();
    scope.sort_unstable();
    scope.dedup();
    scope
}

fn hits<'a, T>(
    rows: &Rows,
    text: &SearchText,
    scope: impl Iterator<Item = u32>,
    top: usize,
    items: &'a [T],
) -> Vec<Hit<'a, T>> {
    let ranked = match &text.0 {
        Some(query) => rows.rank(query, scope, top),
        None => scope.take(top).map(|row| (row, 0.0)).collect(),
    };
    ranked
        .into_iter()
        .map(|(row, score)| Hit {
            item: &items[row as usize],
            score,
        })
        .collect()
}

fn widen(limit: u32) -> usize {
    limit as usize
}
