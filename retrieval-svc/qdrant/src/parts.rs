//! Publishing, opening and retiring parts.
//!
//! A part is complete when its mark stands in the collection of parts: it is written last, and says how many rows the part
//! has in each namespace. A mark whose rows are gone counts for nothing.

use std::{collections::HashMap, sync::Arc};

use qdrant_client::qdrant::{PointId, UpsertPoints};
use turnwise_retrieval_index::{
    BoxFuture, Content, Engine, EngineError, Index, ModelId, Namespace, Part, PartId,
};

use crate::{
    Qdrant,
    failure::Failure,
    filter::{self, Scope},
    names::{course_key, part_key, part_point},
    options::Inner,
    payload::{Reader, Unreadable, everything, field, fields, group, only, text, wide},
    points::{Owner, bare, batch, row},
    search::QdrantIndex,
};

/// How many rows a part has in each namespace, in the order of [`Namespace::ALL`].
type Rows = [u64; 4];

impl Engine for Qdrant {
    fn name(&self) -> &'static str {
        "qdrant"
    }

    fn holds<'a>(&'a self, part: &'a PartId) -> BoxFuture<'a, Result<bool, EngineError>> {
        Box::pin(async move {
            self.inner.ready().await?;
            self.inner.noticed(self.inner.complete(part).await).await
        })
    }

    fn publish<'a>(&'a self, part: Arc<Part>) -> BoxFuture<'a, Result<(), EngineError>> {
        Box::pin(async move {
            self.inner.fits(part.model())?;
            self.inner.ready().await?;
            let put = match self.inner.complete(part.id()).await {
                Ok(true) => Ok(()),
                Ok(false) => self.inner.put(&part).await,
                Err(failure) => Err(failure),
            };
            self.inner.noticed(put).await
        })
    }

    fn replace<'a>(&'a self, part: Arc<Part>) -> BoxFuture<'a, Result<(), EngineError>> {
        Box::pin(async move {
            self.inner.fits(part.model())?;
            self.inner.ready().await?;
            self.inner.noticed(self.inner.put(&part).await).await
        })
    }

    fn open<'a>(&'a self, content: Content) -> BoxFuture<'a, Result<Arc<dyn Index>, EngineError>> {
        Box::pin(async move {
            let foreign = |part: &PartId| {
                part.course != content.course
                    || !(part.tenant.is_empty() || part.tenant == content.tenant)
            };
            if content.parts.iter().any(foreign) {
                return Err(EngineError::ForeignPart);
            }
            self.inner.ready().await?;
            let found = self.inner.found(&content).await;
            let (rows, hidden) = self.inner.noticed(found).await??;
            let aliases = self.inner.schema.aliases(&self.inner.connection).await;
            self.inner.noticed(aliases).await?;
            let index = QdrantIndex::new(self.inner.clone(), content, rows, hidden);
            Ok(Arc::new(index) as Arc<dyn Index>)
        })
    }

    fn retire<'a>(
        &'a self,
        tenant: &'a str,
        course: &'a str,
        keep: &'a [PartId],
    ) -> BoxFuture<'a, Result<(), EngineError>> {
        Box::pin(async move {
            self.inner.ready().await?;
            let keep: Vec<String> = keep.iter().map(part_key).collect();
            let gone = filter::own(tenant, course, field::PART, &keep);
            // Marks first: what is broken off must not look complete.
            let mut collections = vec![self.inner.names.parts()];
            collections.extend(Namespace::ALL.map(|n| self.inner.names.collection(n)));
            for collection in &collections {
                let deleted = self.inner.connection.delete(collection, gone.clone()).await;
                self.inner.noticed(deleted).await?;
            }
            Ok(())
        })
    }
}

/// Rows of the index by namespace, and those of its rows that an earlier part has, too.
type Found = (Rows, [Vec<PointId>; 4]);

impl Inner {
    pub(crate) async fn ready(&self) -> Result<(), EngineError> {
        self.schema.rows(&self.connection).await
    }

    /// Passes a result on; a collection that is gone is made again at the next call.
    pub(crate) async fn noticed<T>(&self, result: Result<T, Failure>) -> Result<T, EngineError> {
        if let Err(Failure::Missing(_)) = &result {
            self.schema.forget().await;
        }
        Ok(result?)
    }

    /// Whether vectors of this model may stand in our collections. A part without vectors always may.
    fn fits(&self, given: Option<&ModelId>) -> Result<(), EngineError> {
        let described = |model: &ModelId| {
            format!(
                "{} ({}, {} values)",
                model.name, model.digest, model.dimension
            )
        };
        match (given, &self.model) {
            (None, _) => Ok(()),
            (Some(given), Some(held))
                if held.digest == given.digest && held.dimension == given.dimension =>
            {
                Ok(())
            }
            (Some(given), held) => Err(EngineError::Incompatible {
                given: described(given),
                held: held.as_ref().map_or("no model".to_owned(), described),
            }),
        }
    }

    /// Writes all rows of a part, and its mark last.
    async fn put(&self, part: &Part) -> Result<(), Failure> {
        let id = part.id();
        let (course_key, part_key) = (course_key(&id.tenant, &id.course), part_key(id));
        let owner = Owner {
            course_key: &course_key,
            part_key: &part_key,
        };
        let mut rows: Rows = [0; 4];
        for (namespace, rows) in Namespace::ALL.into_iter().zip(&mut rows) {
            loop {
                let left = part.rows(namespace).skip(*rows as usize);
                let points = batch(left.map(|r| row(&owner, namespace, r)));
                if points.is_empty() {
                    break;
                }
                *rows += points.len() as u64;
                let request = UpsertPoints {
                    collection_name: self.names.collection(namespace),
                    points,
                    ..UpsertPoints::default()
                };
                self.connection.upsert(request).await?;
            }
        }
        let counts = Namespace::ALL
            .into_iter()
            .zip(rows)
            .map(|(n, count)| (n.as_str().to_owned(), wide(count)))
            .collect();
        let mark = fields([
            (field::COURSE, text(&course_key)),
            (field::PART, text(&part_key)),
            ("source", text(&id.source)),
            ("revision", text(&id.revision)),
            ("rows", group(counts)),
        ]);
        let request = UpsertPoints {
            collection_name: self.names.parts(),
            points: vec![bare(part_point(&part_key), mark)],
            ..UpsertPoints::default()
        };
        self.connection.upsert(request).await
    }

    /// Whether a part has its mark and all its rows.
    async fn complete(&self, part: &PartId) -> Result<bool, Failure> {
        let key = part_key(part);
        let marks = self.marks(std::slice::from_ref(&key)).await?;
        let Some(rows) = marks.get(&key) else {
            return Ok(false);
        };
        let all = || filter::part(&part.tenant, &part.course, &key);
        Ok(self.count(rows, all).await? == *rows)
    }

    /// The rows of these parts, by the parts' keys. Parts without a mark are left out.
    async fn marks(&self, keys: &[String]) -> Result<HashMap<String, Rows>, Failure> {
        let ids = keys.iter().map(|key| part_point(key)).collect();
        let parts = self.names.parts();
        let found = self.connection.get(&parts, ids, everything()).await?;
        found
            .iter()
            .map(|point| read_mark(Reader(&point.payload)))
            .collect::<Result<_, _>>()
            .map_err(|Unreadable(problem)| Failure::Wrong(format!("the mark of a part: {problem}")))
    }

    /// Counts the points that `all` selects in those namespaces that have rows.
    async fn count(
        &self,
        rows: &Rows,
        all: impl Fn() -> qdrant_client::qdrant::Filter,
    ) -> Result<Rows, Failure> {
        let mut counted: Rows = [0; 4];
        for ((namespace, rows), counted) in Namespace::ALL.into_iter().zip(rows).zip(&mut counted) {
            if *rows > 0 {
                let collection = self.names.collection(namespace);
                *counted = self.connection.count(&collection, all()).await?;
            }
        }
        Ok(counted)
    }

    /// What an index is made of, if all of it is there.
    async fn found(&self, content: &Content) -> Result<Result<Found, EngineError>, Failure> {
        let missing = |part: &PartId| EngineError::MissingPart {
            source_id: part.source.to_string(),
        };
        let mut keys: Vec<String> = content.parts.iter().map(part_key).collect();
        let marks = self.marks(&keys).await?;
        if let Some(at) = keys.iter().position(|key| !marks.contains_key(key)) {
            return Ok(Err(missing(&content.parts[at])));
        }
        let mut seen = std::collections::HashSet::new();
        keys.retain(|key| seen.insert(key.clone()));
        let mut rows: Rows = [0; 4];
        for key in &keys {
            for (sum, of_part) in rows.iter_mut().zip(marks[key]) {
                *sum += of_part;
            }
        }
        let scope = Scope::new(&content.tenant, &content.course, keys.clone());
        if self.count(&rows, || scope.rows(None, None, &[])).await? != rows {
            for part in &content.parts {
                if !self.complete(part).await? {
                    return Ok(Err(missing(part)));
                }
            }
            let changing = "the rows of an index change while it is opened";
            return Err(Failure::Away(changing.to_owned()));
        }
        let mut hidden: [Vec<PointId>; 4] = Default::default();
        for (at, namespace) in Namespace::ALL.into_iter().enumerate() {
            // Only where several parts have rows can one hide another's.
            if keys.iter().filter(|key| marks[*key][at] > 0).count() > 1 {
                hidden[at] = self.hidden(namespace, &scope, &keys).await?;
            }
        }
        Ok(Ok((rows, hidden)))
    }

    /// The rows whose id an earlier part has, too.
    async fn hidden(
        &self,
        namespace: Namespace,
        scope: &Scope,
        keys: &[String],
    ) -> Result<Vec<PointId>, Failure> {
        let order: HashMap<&str, usize> = keys.iter().map(String::as_str).zip(0..).collect();
        let points = self
            .connection
            .scroll(
                &self.names.collection(namespace),
                scope.rows(None, None, &[]),
                only(&[field::ID, field::PART]),
            )
            .await?;
        let mut first: HashMap<&str, (usize, &PointId)> = HashMap::with_capacity(points.len());
        let mut hidden = Vec::new();
        for point in &points {
            let payload = Reader(&point.payload);
            let (Ok(id), Ok(part), Some(point)) = (
                payload.text(field::ID),
                payload.text(field::PART),
                point.id.as_ref(),
            ) else {
                return Err(Failure::Wrong("a row without id or part".to_owned()));
            };
            let Some(&place) = order.get(part) else {
                return Err(Failure::Wrong("a row of another part".to_owned()));
            };
            match first.get(id) {
                Some((earlier, _)) if *earlier < place => hidden.push(point.clone()),
                Some((_, later)) => {
                    hidden.push((*later).clone());
                    first.insert(id, (place, point));
                }
                None => {
                    first.insert(id, (place, point));
                }
            }
        }
        Ok(hidden)
    }
}

fn read_mark(payload: Reader<'_>) -> Result<(String, Rows), Unreadable> {
    let key = payload.text(field::PART)?.to_owned();
    let counts = payload
        .group_opt("rows")?
        .ok_or_else(|| Unreadable("`rows` is missing".to_owned()))?;
    let mut rows: Rows = [0; 4];
    for (namespace, count) in Namespace::ALL.into_iter().zip(&mut rows) {
        *count = counts.wide(namespace.as_str())?;
    }
    Ok((key, rows))
}
