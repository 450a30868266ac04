//! A message with what was said before it, as queries.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use turnwise_retrieval_index::{Fusion, Namespace, Query, WeightedTerms};
use turnwise_text::Analysis;

use crate::{
    embedded_text,
    terms::{self, Counted},
};

/// Earlier messages that count, at most: the last ones.
pub const MAX_RECENT_TEXTS: usize = 8;
/// Characters of an earlier message that count: a long answer of a tutor must not outweigh the message itself.
pub const MAX_RECENT_CHARS: usize = 2_000;

/// How much each message counts in a search beside the one after it.
const RECENT_DECAY: f64 = 0.7;
/// What a term counts in a search that tells nothing about units; one that tells all counts 1 more.
const LEAST_TOPICALITY: f64 = 0.5;

/// How the rankings of chunks by words and by meaning become one. Meaning counts twice: it is the safer of the two, and
/// words are better for exercises that are in the course as they stand.
const FUSION: Fusion = Fusion {
    k: 60.0,
    lexical: 1.0,
    dense: 2.0,
    depth: 200,
};

/// What the ranking by words counts where no message of the turn says anything: `5` and `the answer` stand in many chunks,
/// and which of them is best is chance.
const LEXICAL_WITHOUT_TOPIC: f64 = 0.25;

/// A text as a course reads it.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The text as the course spells it.
    pub(crate) text: String,
    /// Its terms as they stand there.
    pub(crate) analysis: Analysis,
    /// The same, each once.
    pub(crate) counted: Vec<Counted>,
    /// Whether it says what it is about.
    pub(crate) speaks: bool,
}

/// A message and those before it, cut into terms once for all that is asked with them.
#[derive(Debug, Clone)]
pub struct Turn {
    pub(crate) message: Arc<Reading>,
    /// The latest first.
    pub(crate) recent: Vec<Arc<Reading>>,
    /// Made by the first search.
    query_terms: OnceLock<WeightedTerms>,
}

impl Turn {
    /// A message and those before it, the latest first.
    pub(crate) fn new(message: Arc<Reading>, recent: Vec<Arc<Reading>>) -> Self {
        Self {
            message,
            recent,
            query_terms: OnceLock::new(),
        }
    }

    fn texts(&self) -> impl Iterator<Item = &Reading> {
        let all = std::iter::once(&self.message).chain(&self.recent);
        all.map(|text| &**text)
    }

    fn weigh(&self) -> WeightedTerms {
        let mut weight = 1.0;
        let weighted = terms::weighted(self.texts().map(|text| {
            let this = weight;
            weight *= RECENT_DECAY;
            (this, text)
        }));
        // By spelling: a letter can be a word here and a variable there.
        let mut query_terms: BTreeMap<&str, f64> = BTreeMap::new();
        for (term, (weight, counted)) in weighted {
            *query_terms.entry(term.text.as_str()).or_default() +=
                weight * (LEAST_TOPICALITY + counted.topicality);
        }
        let query_terms = query_terms.into_iter();
        query_terms
            .map(|(term, weight)| (term.into(), weight))
            .collect()
    }

    /// What the turn's vector is made from; one vector serves the mapping and all searches.
    pub fn text_to_embed(&self) -> String {
        let recent = self.recent.iter().map(|recent| recent.text.as_str());
        embedded_text::of_turn(&self.message.text, recent)
    }

    /// Whether there is nothing to embed.
    pub fn is_blank(&self) -> bool {
        self.message.counted.is_empty() && self.text_to_embed().trim().is_empty()
    }

    /// The query for a search in a namespace. `vector` is that of [`Turn::text_to_embed`]; `None`: words alone decide, as
    /// they do in all namespaces whose rows have no vectors.
    pub fn query(&self, namespace: Namespace, vector: Option<Arc<[f32]>>) -> Query {
        Query {
            terms: Arc::clone(self.query_terms.get_or_init(|| self.weigh())),
            vector: vector.filter(|_| namespace == Namespace::Chunks),
            fusion: Fusion {
                lexical: if self.texts().any(|text| text.speaks) {
                    FUSION.lexical
                } else {
                    LEXICAL_WITHOUT_TOPIC
                },
                ..FUSION
            },
        }
    }

    /// The query for the [`NEAREST`](crate::NEAREST) chunks whose units vote in a mapping, to be asked without a filter.
    pub fn nearest(vector: Arc<[f32]>) -> Query {
        Query {
            terms: Arc::default(),
            vector: Some(vector),
            fusion: FUSION,
        }
    }
}

pub(crate) fn first_chars(text: &str, count: usize) -> &str {
    let end = text
        .char_indices()
        .nth(count)
        .map_or(text.len(), |(at, _)| at);
    &text[..end]
}
