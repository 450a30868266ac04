//! From a message to the units that it is about.
//!
//! The best documents of the whole course vote for their units. A document's vote is its score relative to the best one,
//! divided by the square root of its rank: several good hits in one unit beat a single lucky one elsewhere.

use std::collections::{BTreeMap, HashSet};

use super::{
    MAX_MAPPED_UNITS, UnitIndex,
    confidence::Evidence,
    postings::Postings,
    query::{self, Query},
    topicality,
    vocabulary::{TermId, Vocabulary},
};
use crate::text::Analysis;

/// How many documents vote.
const VOTERS: usize = 40;
/// How much each message counts beside the one after it.
const RECENT_DECAY: f64 = 0.8;
/// The topicality at which a message counts twice as much as the one before it. A message that tells its own topic
/// hardly needs those before it, and a change of topic must not drown in them.
const SELF_SUFFICIENT: f64 = 0.25;
/// Below this topicality a message says nothing by itself.
const TOO_LITTLE: f64 = 0.1;

/// Which terms of a text count.
#[derive(Clone, Copy, PartialEq)]
enum Counting {
    /// Those that may say what it is about.
    Telling,
    /// All.
    All,
}

/// Maps messages of one course.
pub(super) struct Mapping {
    postings: Postings,
    /// By term: how much it tells about units, 0 to 1.
    topicality: Vec<f64>,
    /// By unit: its id; ties go by it.
    unit_ids: Vec<String>,
}

impl Mapping {
    /// Over documents of a course with these units. `named` are the terms of the units' titles, tags and anchors.
    pub(super) fn new(
        postings: Postings,
        unit_ids: Vec<String>,
        vocabulary: &Vocabulary,
        named: &HashSet<TermId>,
    ) -> Self {
        Self {
            topicality: topicality::of_terms(&postings, unit_ids.len(), vocabulary, named),
            postings,
            unit_ids,
        }
    }

    /// The units of a message with their confidences, the surest first. `recent` are the messages before it, oldest
    /// first.
    pub(super) fn map(
        &self,
        vocabulary: &Vocabulary,
        message: &Analysis,
        recent: &[Analysis],
    ) -> Vec<(UnitIndex, f64)> {
        let speaks = self.told_by(vocabulary, message, Counting::Telling) >= TOO_LITTLE;
        let in_context = recent
            .iter()
            .any(|recent| self.told_by(vocabulary, recent, Counting::Telling) >= TOO_LITTLE);
        // A scrap of a formula says nothing alone, but it supports a word: `add 1/2 and 1/3`.
        let own = if speaks {
            self.told_by(vocabulary, message, Counting::All)
        } else if in_context {
            0.0
        } else {
            return Vec::new();
        };
        let mut weight = SELF_SUFFICIENT / (SELF_SUFFICIENT + own);
        let mut texts = vec![(1.0, message)];
        for recent in recent.iter().rev() {
            texts.push((weight, recent));
            weight *= RECENT_DECAY;
        }
        let query = Query::of_texts(vocabulary, texts);
        self.vote(&query, own, in_context)
    }

    fn vote(&self, query: &Query, own: f64, in_context: bool) -> Vec<(UnitIndex, f64)> {
        let hits = self.postings.best(query, VOTERS);
        let Some((_, best)) = hits.first().copied() else {
            return Vec::new();
        };
        let mut votes: BTreeMap<UnitIndex, f64> = BTreeMap::new();
        let mut all = 0.0;
        for (rank, (document, score)) in hits.iter().enumerate() {
            let vote = score / best / ((rank + 1) as f64).sqrt();
            let units = self.postings.units_of(*document);
            for unit in units {
                *votes.entry(*unit).or_default() += vote / units.len() as f64;
            }
            all += vote;
        }
        let coverage = best / self.postings.ceiling(query);
        let topicality = query
            .terms
            .iter()
            .map(|(term, weight)| weight * self.topicality[*term as usize])
            .sum();
        let mut votes: Vec<(UnitIndex, f64)> = votes.into_iter().collect();
        self.sort(&mut votes);
        let first = votes.first().map_or(0.0, |(_, votes)| *votes);
        let second = votes.get(1).map_or(0.0, |(_, votes)| *votes);
        let mut mapped: Vec<(UnitIndex, f64)> = votes
            .into_iter()
            .enumerate()
            .take(MAX_MAPPED_UNITS)
            .map(|(place, (unit, votes))| {
                let best_other = if place == 0 { second } else { first };
                let evidence = Evidence {
                    lead: (votes - best_other) / all,
                    coverage,
                    topicality,
                    own,
                    in_context,
                };
                (unit, evidence.confidence())
            })
            .collect();
        // Different votes can round to one confidence.
        self.sort(&mut mapped);
        mapped
    }

    /// Highest first, then by id.
    fn sort(&self, units: &mut [(UnitIndex, f64)]) {
        units.sort_unstable_by(|a, b| {
            b.1.total_cmp(&a.1)
                .then_with(|| self.unit_ids[a.0.at()].cmp(&self.unit_ids[b.0.at()]))
        });
    }

    /// How much a text tells about units by itself.
    fn told_by(&self, vocabulary: &Vocabulary, text: &Analysis, counting: Counting) -> f64 {
        let mut seen: Vec<(TermId, f64)> = text
            .terms
            .iter()
            .zip(&text.telling)
            .filter(|(_, telling)| **telling || counting == Counting::All)
            .filter_map(|(term, _)| Some((vocabulary.id(term)?, query::weight(term.kind))))
            .collect();
        seen.sort_unstable_by_key(|(term, _)| *term);
        seen.dedup_by_key(|(term, _)| *term);
        seen.into_iter()
            .map(|(term, weight)| weight * self.topicality[term as usize])
            .sum()
    }
}
