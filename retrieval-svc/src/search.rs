//! Searching a view: one vector for a turn, and every namespace with it.

use std::{collections::HashSet, sync::Arc};

use turnwise_kit::CallContext;
use turnwise_proto::retrieval::v1::DenseUse;
use turnwise_retrieval_embeddings::Queries;
use turnwise_retrieval_index::{EngineError, Filter, Hit, Namespace, Tier};
use turnwise_retrieval_relevance::{Mapped, Mapping, NEAREST, Turn};
use turnwise_text::TermKind;

use crate::course::{CourseVersion, Dense, Order, View};

/// Exam support chunks in one answer, at most.
pub const TOP_K_EXAM_SUPPORT: usize = 4;

/// A turn's text, cut and embedded once for all that is asked with it.
pub struct Asked {
    turn: Turn,
    blank: bool,
    vector: Option<Arc<[f32]>>,
    /// Whether meaning takes part.
    pub dense: DenseUse,
}

impl Asked {
    /// Reads a text with the messages before it, oldest first. A model that does not answer in time costs the vector;
    /// without `queries`, none is wanted.
    pub async fn new(
        version: &CourseVersion,
        view: Option<&View>,
        (text, recent): (&str, &[String]),
        queries: Option<&Queries>,
        call: &CallContext,
    ) -> Self {
        let turn = version.mapping.turn(text, recent);
        let (vector, dense) = match (view, queries) {
            (_, None) => (None, DenseUse::Unspecified),
            _ if turn.is_blank() => (None, DenseUse::Unspecified),
            (Some(view), Some(queries)) if view.ranks_by_meaning => {
                match queries.embed(&turn.text_to_embed(), call).await {
                    Ok(vector) => (Some(vector), DenseUse::Used),
                    Err(error) => {
                        tracing::warn!(reason = error.reason(), "a text has no vector in time");
                        (None, DenseUse::Unavailable)
                    }
                }
            }
            (Some(view), _) if view.dense == Dense::NoModel => (None, DenseUse::NoModel),
            _ => (None, DenseUse::Unavailable),
        };
        Self {
            turn,
            blank: text.trim().is_empty(),
            vector,
            dense,
        }
    }

    /// In which order rows come that do not match.
    pub fn order(&self) -> Order {
        if self.blank {
            Order::Course
        } else {
            Order::Ids
        }
    }

    /// The units that it is about. Where the search engine is away, words alone decide.
    pub async fn map<'a>(&mut self, mapping: &'a Mapping, view: Option<&View>) -> Vec<Mapped<'a>> {
        let mut nearest = None;
        if let (Some(view), Some(vector)) = (view, &self.vector) {
            let query = Turn::nearest(Arc::clone(vector));
            let everywhere = Filter::default();
            let found = view
                .index
                .search(Namespace::Chunks, &query, &everywhere, NEAREST);
            match found.await {
                Ok(hits) => nearest = Some(hits),
                Err(error) => {
                    tracing::warn!(%error, "the nearest chunks have no say");
                    self.dense = DenseUse::Unavailable;
                }
            }
        }
        mapping.map(&self.turn, nearest.as_deref())
    }

    /// The rows of a namespace that match, best first.
    pub async fn search(
        &self,
        view: &View,
        namespace: Namespace,
        filter: &Filter,
        top: usize,
    ) -> Result<Vec<Hit>, EngineError> {
        let query = self.turn.query(namespace, self.vector.clone());
        view.index.search(namespace, &query, filter, top).await
    }

    /// Which terms of the query each of these hits holds.
    pub async fn matched(
        &self,
        view: &View,
        namespace: Namespace,
        hits: &[Hit],
    ) -> Result<Vec<Vec<Box<str>>>, EngineError> {
        let query = self.turn.query(namespace, self.vector.clone());
        let mut all = Vec::with_capacity(hits.len());
        for hit in hits {
            all.push(view.index.matched(namespace, hit, &query).await?);
        }
        Ok(all)
    }
}

/// Whether a text, without those before it, is clearly about a chunk: it holds half of the text's words, and two at the
/// least. Its unit's title and tags have a say, but no chunk is known by them alone. Numbers and formulas say
/// nothing: any text may have those of an exercise.
pub async fn is_about(
    version: &CourseVersion,
    view: &View,
    text: &str,
    hit: &Hit,
) -> Result<bool, EngineError> {
    let turn = version.mapping.turn(text, &[] as &[&str]);
    let query = turn.query(Namespace::Chunks, None);
    let matched = view.index.matched(Namespace::Chunks, hit, &query).await?;
    let units = hit.units.iter().filter_map(|unit| version.unit(unit));
    let names = units.flat_map(|unit| unit.tags.iter().chain([&unit.title]));
    let named: HashSet<String> = names
        .flat_map(|name| version.analyser.analyse(name).terms)
        .map(|term| term.text)
        .collect();
    let terms = version.analyser.analyse(text).terms.into_iter();
    let said: HashSet<String> = terms
        .filter(|term| term.kind == TermKind::Word)
        .map(|term| term.text)
        .collect();
    let terms = query.terms.iter().map(|(term, _)| &**term);
    let words: Vec<&str> = terms.filter(|term| said.contains(*term)).collect();
    let is_matched = |term: &str| matched.iter().any(|held| **held == *term);
    let held = words
        .iter()
        .filter(|term| is_matched(term) || named.contains(**term))
        .count();
    Ok(words.iter().any(|term| is_matched(term)) && held >= 2 && held * 2 >= words.len())
}

/// Rows of these units.
pub fn in_units<'a>(units: impl IntoIterator<Item = &'a str>, tier: Option<Tier>) -> Filter {
    Filter {
        units: Some(units.into_iter().map(Into::into).collect()),
        tier,
    }
}
