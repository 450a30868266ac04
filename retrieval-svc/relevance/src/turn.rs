//! A message with what was said before it, as queries.

use std::{collections::BTreeMap, sync::Arc};

use turnwise_retrieval_index::{Fusion, Namespace, Query};
use turnwise_text::{Analysis, Term};

use crate::{embedded_text, terms};

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
    /// Its terms.
    pub(crate) analysis: Analysis,
    /// Whether it says what it is about.
    pub(crate) speaks: bool,
}

/// A message and those before it, cut into terms once for all that is asked with them.
#[derive(Debug, Clone)]
pub struct Turn {
    pub(crate) message: Arc<Reading>,
    /// The latest first.
    pub(crate) recent: Vec<Arc<Reading>>,
    query_terms: Vec<(Box<str>, f64)>,
    text_to_embed: String,
    /// Whether any of the messages says what it is about.
    has_topic: bool,
}

impl Turn {
    /// A message and those before it, the latest first. `topicality` is how much a term tells about units, 0 to 1.
    pub(crate) fn new(
        message: Arc<Reading>,
        recent: Vec<Arc<Reading>>,
        topicality: impl Fn(&Term) -> f64,
    ) -> Self {
        let all = || std::iter::once(&message).chain(&recent);
        let mut weight = 1.0;
        let weighted = terms::weighted(all().map(|text| {
            let this = weight;
            weight *= RECENT_DECAY;
            (this, &text.analysis)
        }));
        // By spelling: a letter can be a word here and a variable there.
        let mut query_terms: BTreeMap<&str, f64> = BTreeMap::new();
        for (term, weight) in weighted {
            *query_terms.entry(term.text.as_str()).or_default() +=
                weight * (LEAST_TOPICALITY + topicality(term));
        }
        let query_terms = query_terms
            .into_iter()
            .map(|(term, weight)| (term.into(), weight))
            .collect();
        Self {
            has_topic: all().any(|text| text.speaks),
            query_terms,
            text_to_embed: embedded_text::of_turn(
                &message.text,
                recent.iter().map(|recent| recent.text.as_str()),
            ),
            message,
            recent,
        }
    }

    /// What the turn's vector is made from; one vector serves the mapping and all searches. Blank: there is nothing to
    /// embed.
    pub fn text_to_embed(&self) -> &str {
        &self.text_to_embed
    }

    /// The query for a search in a namespace. `vector` is that of [`Turn::text_to_embed`]; `None`: words alone decide, as
    /// they do in all namespaces whose rows have no vectors.
    pub fn query(&self, namespace: Namespace, vector: Option<Arc<[f32]>>) -> Query {
        Query {
            terms: self.query_terms.clone(),
            vector: vector.filter(|_| namespace == Namespace::Chunks),
            fusion: Fusion {
                lexical: if self.has_topic {
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
            terms: Vec::new(),
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
