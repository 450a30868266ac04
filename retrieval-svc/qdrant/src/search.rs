//! Searching an index: both rankings in one call, exact and filtered; fused here, as the engine in memory does it.

use std::{collections::HashMap, sync::Arc};

use qdrant_client::qdrant::{
    DenseVector, Filter as Condition, PointId, Query as Nearest, QueryBatchPoints, QueryPoints,
    RetrievedPoint, ScoredPoint, SearchParams, SparseVector, VectorInput, point_id::PointIdOptions,
    query, vector_input, vector_output, vectors_output,
};
use turnwise_retrieval_index::{
    BoxFuture, Content, EngineError, Filter, Hit, Index, Namespace, Query, fusion,
};

use crate::{
    failure::Failure,
    filter::Scope,
    names::{part_key, row_point, term_index},
    options::Inner,
    payload::{Reader, Unreadable, everything, field, only},
    points::{passage, sparse},
    schema::{DENSE, SPARSE},
};

/// How many more rows than the depth are asked for, so that equal scores around it can be cut by id.
const MARGIN: u64 = 56;

/// By how much of itself a score may be off: the database adds 32-bit numbers in an order of its own, so that equal rows
/// of two of its segments can differ in the last bits. Scores that are nearer to each other count as equal.
const BLUR: f64 = 1e-6;

/// An open index.
#[derive(Debug)]
pub(crate) struct QdrantIndex {
    inner: Arc<Inner>,
    content: Content,
    scope: Scope,
    part_keys: Vec<String>,
    rows: [u64; 4],
    hidden: [Vec<PointId>; 4],
}

/// Rows of both rankings, each once, and the rankings over them.
#[derive(Default)]
struct Candidates {
    ids: Vec<String>,
    points: Vec<PointId>,
    places: HashMap<String, usize>,
    lexical: Vec<(usize, f64)>,
    dense: Vec<(usize, f64)>,
}

impl QdrantIndex {
    /// An index over complete parts: `rows` in each namespace, of which `hidden` ones are never found.
    pub(crate) fn new(
        inner: Arc<Inner>,
        content: Content,
        rows: [u64; 4],
        hidden: [Vec<PointId>; 4],
    ) -> Self {
        let part_keys: Vec<String> = content.parts.iter().map(part_key).collect();
        Self {
            scope: Scope::new(&content.tenant, &content.course, part_keys.clone()),
            inner,
            content,
            part_keys,
            rows,
            hidden,
        }
    }

    /// The two rankings of a query, cut to its depth.
    async fn candidates(
        &self,
        namespace: Namespace,
        query: &Query,
        condition: Condition,
    ) -> Result<Candidates, Failure> {
        let most = self.rows[namespace as usize];
        let depth = query.fusion.depth;
        let mut limit = most.min((depth as u64).saturating_add(MARGIN));
        let words = Words::of(&self.content, namespace, query);
        let meaning = query.vector.as_deref();
        if limit == 0 || depth == 0 || (words.is_none() && meaning.is_none()) {
            return Ok(Candidates::default());
        }
        loop {
            let ask = |vector, using: &str| QueryPoints {
                query: Some(Nearest {
                    variant: Some(query::Variant::Nearest(VectorInput {
                        variant: Some(vector),
                    })),
                }),
                using: Some(using.to_owned()),
                filter: Some(condition.clone()),
                params: Some(SearchParams {
                    exact: Some(true),
                    ..SearchParams::default()
                }),
                limit: Some(limit),
                with_payload: Some(only(&[field::ID])),
                ..self.named(namespace)
            };
            let by_words = words.as_ref().map(|words| {
                let vector = vector_input::Variant::Sparse(words.vector.clone());
                ask(vector, SPARSE)
            });
            let by_meaning = meaning.map(|values| {
                let data = values.to_vec();
                ask(vector_input::Variant::Dense(DenseVector { data }), DENSE)
            });
            let request = QueryBatchPoints {
                collection_name: self.inner.names.collection(namespace),
                query_points: by_words.into_iter().chain(by_meaning).collect(),
                ..QueryBatchPoints::default()
            };
            let mut answers = self.inner.connection.query(request).await?.into_iter();
            let by_words = words
                .as_ref()
                .and_then(|_| answers.next())
                .unwrap_or_default();
            let by_meaning = meaning.and_then(|_| answers.next()).unwrap_or_default();
            let torn = [&by_words, &by_meaning]
                .iter()
                .any(|list| torn(list, depth, limit));
            if torn && limit < most {
                limit = most.min(limit.saturating_mul(4));
                continue;
            }
            let mut found = Candidates::default();
            let scale = words.as_ref().map_or(1.0, |words| words.scale);
            found.lexical = found.ranking(by_words, |score| score * scale)?;
            // Words that only share a place with the query's may add up to nothing.
            found.lexical.retain(|(_, score)| *score > 0.0);
            // Adding zero makes one zero of the two.
            found.dense = found.ranking(by_meaning, |score| score + 0.0)?;
            let Candidates {
                ids,
                lexical,
                dense,
                ..
            } = &mut found;
            let by_id = |one: usize, other: usize| ids[one].cmp(&ids[other]);
            for ranking in [lexical, dense] {
                levelled(ranking);
                fusion::best(ranking, depth, by_id);
            }
            return Ok(found);
        }
    }

    fn named(&self, namespace: Namespace) -> QueryPoints {
        QueryPoints {
            collection_name: self.inner.names.collection(namespace),
            ..QueryPoints::default()
        }
    }

    async fn hits(
        &self,
        namespace: Namespace,
        query: &Query,
        filter: &Filter,
        top: usize,
    ) -> Result<Vec<Hit>, Failure> {
        let hidden = &self.hidden[namespace as usize];
        let units = filter.units.as_deref();
        let condition = self.scope.rows(units, filter.tier, hidden);
        let found = self.candidates(namespace, query, condition).await?;
        let by_id = |one: usize, other: usize| found.ids[one].cmp(&found.ids[other]);
        let fused = fusion::fuse(&found.lexical, &found.dense, &query.fusion, top, by_id);
        let points = fused.iter().map(|f| found.points[f.key].clone()).collect();
        let collection = self.inner.names.collection(namespace);
        let rows = self
            .inner
            .connection
            .get(&collection, points, everything())
            .await?;
        let rows: HashMap<&str, &RetrievedPoint> = rows
            .iter()
            .filter_map(|row| Some((uuid(row.id.as_ref()?)?, row)))
            .collect();
        let mut hits = Vec::with_capacity(fused.len());
        for fused in fused {
            // A row that is gone belongs to a part that was retired between the two calls.
            let Some(row) = uuid(&found.points[fused.key]).and_then(|id| rows.get(id)) else {
                continue;
            };
            let fields = Reader(&row.payload);
            let read = || -> Result<Hit, Unreadable> {
                if !self
                    .scope
                    .holds(fields.text(field::COURSE)?, fields.text(field::PART)?)
                {
                    return Err(Unreadable("it belongs to another index".to_owned()));
                }
                Ok(Hit {
                    id: fields.text(field::ID)?.into(),
                    units: fields
                        .texts(field::UNITS)?
                        .into_iter()
                        .map(Into::into)
                        .collect(),
                    score: fused.score,
                    lexical: fused.lexical,
                    dense: fused.dense,
                    passage: passage(fields)?,
                })
            };
            hits.push(read().map_err(|Unreadable(problem)| wrong(&problem))?);
        }
        Ok(hits)
    }

    async fn terms(
        &self,
        namespace: Namespace,
        hit: &Hit,
        query: &Query,
    ) -> Result<Vec<Box<str>>, Failure> {
        let hidden = &self.hidden[namespace as usize];
        let points = (self.part_keys.iter())
            .map(|part| row_point(part, namespace, &hit.id))
            .filter(|point| !hidden.contains(point))
            .collect();
        let collection = self.inner.names.collection(namespace);
        let rows = self
            .inner
            .connection
            .vectors(&collection, points, SPARSE)
            .await?;
        let Some(words) = rows.first().and_then(words) else {
            return Ok(Vec::new());
        };
        let terms = query.terms.iter().map(|(term, _)| term);
        let held = terms.filter(|term| words.indices.contains(&term_index(term)));
        Ok(held.cloned().collect())
    }
}

impl Index for QdrantIndex {
    fn content(&self) -> &Content {
        &self.content
    }

    fn search<'a>(
        &'a self,
        namespace: Namespace,
        query: &'a Query,
        filter: &'a Filter,
        top: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, EngineError>> {
        Box::pin(async move {
            query.check(self.inner.model.as_ref().map(|model| model.dimension))?;
            let nothing = filter.units.as_ref().is_some_and(Vec::is_empty);
            if top == 0 || nothing || self.rows[namespace as usize] == 0 {
                return Ok(Vec::new());
            }
            let hits = self.hits(namespace, query, filter, top).await;
            self.inner.noticed(hits).await
        })
    }

    fn matched<'a>(
        &'a self,
        namespace: Namespace,
        hit: &'a Hit,
        query: &'a Query,
    ) -> BoxFuture<'a, Result<Vec<Box<str>>, EngineError>> {
        Box::pin(async move {
            let terms = self.terms(namespace, hit, query).await;
            self.inner.noticed(terms).await
        })
    }
}

/// The words of a query as a sparse vector.
struct Words {
    vector: SparseVector,
    /// What a score is to be multiplied by: the vector was scaled by a power of two, so that it fits into 32 bits.
    scale: f64,
}

impl Words {
    fn of(content: &Content, namespace: Namespace, query: &Query) -> Option<Self> {
        let worth: Vec<(&str, f64)> = query
            .terms
            .iter()
            .map(|(term, weight)| (&**term, weight * content.statistics.idf(namespace, term)))
            .collect();
        let most = worth
            .iter()
            .fold(0.0_f64, |most, (_, worth)| most.max(*worth));
        if most <= 0.0 {
            return None;
        }
        let scale = most.log2().floor().clamp(-1000.0, 1000.0).exp2();
        let vector = sparse(worth.into_iter().map(|(term, worth)| (term, worth / scale)))?;
        Some(Self { vector, scale })
    }
}

impl Candidates {
    /// The rows of an answer, noted as candidates, with their scores.
    fn ranking(
        &mut self,
        answer: Vec<ScoredPoint>,
        score: impl Fn(f64) -> f64,
    ) -> Result<Vec<(usize, f64)>, Failure> {
        let mut ranking = Vec::with_capacity(answer.len());
        for row in answer {
            let known = f64::from(row.score);
            let id = Reader(&row.payload).text(field::ID);
            let (Ok(id), Some(point), true) = (id, row.id.as_ref(), known.is_finite()) else {
                return Err(wrong("it has no id or no score"));
            };
            let name = uuid(point).ok_or_else(|| wrong("its point is none of ours"))?;
            let place = *self.places.entry(name.to_owned()).or_insert_with(|| {
                self.ids.push(id.to_owned());
                self.points.push(point.clone());
                self.ids.len() - 1
            });
            ranking.push((place, score(known)));
        }
        Ok(ranking)
    }
}

/// Whether rows beyond `limit` may score as much as the last that counts.
fn torn(list: &[ScoredPoint], depth: usize, limit: u64) -> bool {
    list.len() as u64 >= limit
        && match (list.get(depth.saturating_sub(1)), list.last()) {
            (Some(last_that_counts), Some(last)) => {
                near(last_that_counts.score.into(), last.score.into())
            }
            _ => false,
        }
}

/// Makes scores equal that are too near to each other to tell which is larger.
fn levelled(ranking: &mut [(usize, f64)]) {
    ranking.sort_by(|one, other| other.1.total_cmp(&one.1));
    let mut level = None;
    for (_, score) in ranking {
        match level {
            Some(level) if near(level, *score) => *score = level,
            _ => level = Some(*score),
        }
    }
}

fn near(larger: f64, smaller: f64) -> bool {
    larger - smaller <= larger.abs() * BLUR
}

fn words(row: &RetrievedPoint) -> Option<SparseVector> {
    let vectors_output::VectorsOptions::Vectors(named) =
        row.vectors.as_ref()?.vectors_options.as_ref()?
    else {
        return None;
    };
    match named.vectors.get(SPARSE)?.vector.as_ref()? {
        vector_output::Vector::Sparse(words) => Some(words.clone()),
        _ => None,
    }
}

fn uuid(point: &PointId) -> Option<&str> {
    match point.point_id_options.as_ref()? {
        PointIdOptions::Uuid(uuid) => Some(uuid),
        PointIdOptions::Num(_) => None,
    }
}

fn wrong(problem: &str) -> Failure {
    Failure::Wrong(format!("a row cannot be read: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_that_cannot_be_told_apart_are_equal() {
        let mut ranking = [0.5, 2.0, 2.000_000_1, 1.999_99, -0.5]
            .map(|s| (0, s))
            .to_vec();
        levelled(&mut ranking);
        let scores: Vec<f64> = ranking.iter().map(|(_, score)| *score).collect();
        assert_eq!(scores, [2.000_000_1, 2.000_000_1, 1.999_99, 0.5, -0.5]);
    }
}
