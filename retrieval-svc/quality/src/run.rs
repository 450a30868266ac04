//! All queries of one kind, asked.

use std::collections::BTreeMap;

use turnwise_retrieval_embeddings::Purpose;
use turnwise_retrieval_relevance::Turn;

use crate::{
    calibration::Prediction,
    course::Course,
    data::{Data, LabelledQuery},
    metrics::{self, Worth},
    vectors::Vectors,
};

/// Turns before a message that are asked with it.
const TURNS: usize = 4;

/// A kind of query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A problem as a student would paste it.
    Problem,
    /// An open question: explain why.
    Why,
    /// A chat turn without what was said before it.
    ChatAlone,
    /// A chat turn with the four turns before it.
    Chat,
}

impl Kind {
    /// All kinds, in the order of the tables.
    pub const ALL: [Self; 4] = [Self::Problem, Self::Why, Self::ChatAlone, Self::Chat];

    /// What tables call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Problem => "pasted problem",
            Self::Why => "\"explain why\" question",
            Self::ChatAlone => "chat turn alone",
            Self::Chat => "chat turn with 4 turns before it",
        }
    }

    /// What figures call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Problem => "problem",
            Self::Why => "why",
            Self::ChatAlone => "chat_alone",
            Self::Chat => "chat",
        }
    }

    fn source(self) -> &'static str {
        match self {
            Self::Problem => "oatutor-problem",
            Self::Why => "openstax-writing",
            Self::ChatAlone | Self::Chat => "bridge-chat",
        }
    }

    fn context(self, query: &LabelledQuery) -> &[String] {
        match self {
            Self::ChatAlone => &[],
            _ => &query.context[query.context.len().saturating_sub(TURNS)..],
        }
    }
}

/// What all answers are worth.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// With units by the mapping: a name that equal queries share, and what the answer is worth.
    pub mapped: Vec<(String, Worth)>,
    /// The same with units by the votes of an unscoped search.
    pub by_search: Vec<(String, Worth)>,
    /// The confidences of first units.
    pub first: Vec<Prediction>,
    /// The confidences of all units that were named.
    pub all: Vec<Prediction>,
    /// Messages that were mapped to nothing.
    pub silent: usize,
}

impl Outcome {
    /// How many different queries there are.
    pub fn distinct(&self) -> usize {
        let mut names: Vec<&str> = self.mapped.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names.len()
    }
}

/// Asks all queries of a kind; with the model's vectors if there is one.
///
/// # Errors
/// The model or the engine fails.
pub async fn run(
    data: &Data,
    courses: &BTreeMap<String, Course>,
    kind: Kind,
    vectors: Option<&mut Vectors>,
) -> anyhow::Result<Outcome> {
    let asked: Vec<(&LabelledQuery, &Course, Turn)> = data
        .queries
        .iter()
        .filter(|query| query.source == kind.source())
        .filter_map(|query| {
            let course = courses.get(&query.course)?;
            let turn = course.mapping.turn(&query.text, kind.context(query));
            Some((query, course, turn))
        })
        .collect();
    let embedded = match vectors {
        None => vec![None; asked.len()],
        Some(vectors) => {
            let texts: Vec<String> = asked
                .iter()
                .map(|(_, _, turn)| turn.text_to_embed())
                .collect();
            vectors.of(&texts, Purpose::Query).await?
        }
    };
    let mut outcome = Outcome::default();
    for ((query, course, turn), vector) in asked.into_iter().zip(embedded) {
        let name = [
            &[query.course.clone(), query.text.clone()],
            kind.context(query),
        ]
        .concat()
        .join("\n");
        let scope = metrics::scope(&course.units, &query.units);
        let answer = course.ask(&turn, vector, &scope).await?;
        let grade = |chunk: &str, unit: &str| {
            f64::from(
                u8::from(query.units.contains(unit)) + u8::from(query.best_chunks.contains(chunk)),
            )
        };
        let all: Vec<f64> = course
            .chunks
            .iter()
            .map(|(id, unit)| grade(id, unit))
            .collect();
        let gains = |hits: &[turnwise_retrieval_index::Hit]| -> Vec<f64> {
            hits.iter()
                .map(|hit| {
                    course
                        .chunks
                        .get(&*hit.id)
                        .map_or(0.0, |unit| grade(&hit.id, unit))
                })
                .collect()
        };
        let chunks = metrics::ndcg_at_10(&gains(&answer.chunks), &all);
        let scoped = metrics::ndcg_at_10(&gains(&answer.scoped), &all);
        let worth = |[first, three, six, reciprocal]: [f64; 4]| {
            [first, three, six, reciprocal, chunks, scoped]
        };
        let mapped = answer.mapped.iter().map(|(unit, _)| unit.as_str());
        let mapped = metrics::of_units(mapped, &query.units);
        let units = answer
            .chunks
            .iter()
            .flat_map(|hit| hit.units.iter().map(AsRef::as_ref));
        let by_search = metrics::of_units(metrics::units_by_vote(units), &query.units);
        outcome.mapped.push((name.clone(), worth(mapped)));
        outcome.by_search.push((name.clone(), worth(by_search)));
        outcome.silent += usize::from(answer.mapped.is_empty());
        let predictions = answer.mapped.iter().map(|(unit, confidence)| Prediction {
            query: name.clone(),
            confidence: *confidence,
            right: query.units.contains(unit),
        });
        outcome.all.extend(predictions.clone());
        outcome.first.extend(predictions.take(1));
    }
    Ok(outcome)
}
