//! The engine in memory: every search looks at all rows of its scope, so it is exact.
//!
//! Parts are shared with the indexes that are open over them; opening one copies no rows. See [`scope`] for how the rows of
//! a filter are found, [`search`] for how they are scored.

use std::{
    collections::BTreeMap,
    future::ready,
    sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use crate::{
    Part,
    document::Namespace,
    engine::{BoxFuture, Content, Engine, EngineError, Index, ModelId, PartId},
    vector::Quantised,
};
use index::EmbeddedIndex;

mod index;
mod prefetch;
mod scope;
mod search;
mod words;

/// The most values that vectors may have where they are kept as bytes.
const MOST_INT8: usize = 8192;

/// How vectors are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Precision {
    /// As they are.
    #[default]
    F32,
    /// A byte for each value: a quarter of the memory, and similarities that are off by about a hundredth at most.
    Int8,
}

/// An engine in memory.
#[derive(Debug)]
pub struct EmbeddedEngine {
    model: OnceLock<ModelId>,
    precision: Precision,
    parts: RwLock<BTreeMap<PartId, Held>>,
}

/// A part, with its vectors as bytes if the engine keeps them so.
#[derive(Debug, Clone)]
struct Held {
    part: Arc<Part>,
    quantised: Option<Arc<[Quantised; Namespace::ALL.len()]>>,
}

impl EmbeddedEngine {
    /// An engine for vectors of a model; `None`: of the model of the first part that has vectors, since a remote model may
    /// be known late. Vectors of more than 8,192 values are always kept as [`Precision::F32`].
    pub fn new(model: Option<ModelId>, precision: Precision) -> Self {
        Self {
            model: model.map_or_else(OnceLock::new, OnceLock::from),
            precision,
            parts: RwLock::default(),
        }
    }

    /// The bytes of memory that the published parts take.
    pub fn memory(&self) -> usize {
        let parts = self.read();
        let held = parts.values().map(|held| {
            let bytes = held.quantised.iter().flat_map(|all| all.iter());
            held.part.memory() + bytes.map(Quantised::bytes).sum::<usize>()
        });
        held.sum()
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<PartId, Held>> {
        self.parts.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<PartId, Held>> {
        self.parts.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a part may be published here.
    fn check(&self, part: &Part) -> Result<(), EngineError> {
        let Some(given) = part.model() else {
            return Ok(());
        };
        let held = self.model.get_or_init(|| given.clone());
        if held != given {
            return Err(EngineError::Incompatible {
                given: named(given),
                held: named(held),
            });
        }
        Ok(())
    }

    fn publish_new(&self, part: Arc<Part>) -> Result<(), EngineError> {
        self.check(&part)?;
        if self.read().contains_key(part.id()) {
            return Ok(());
        }
        let held = self.hold(part);
        self.write().entry(held.part.id().clone()).or_insert(held);
        Ok(())
    }

    fn publish_anew(&self, part: Arc<Part>) -> Result<(), EngineError> {
        self.check(&part)?;
        let held = self.hold(part);
        self.write().insert(held.part.id().clone(), held);
        Ok(())
    }

    fn hold(&self, part: Arc<Part>) -> Held {
        let dimension = part.model().map(|model| model.dimension);
        match (self.precision, dimension) {
            (Precision::Int8, Some(dimension)) if dimension <= MOST_INT8 => {
                let quantised = Namespace::ALL
                    .map(|namespace| Quantised::of(part.matrix(namespace), dimension));
                Held {
                    part: Arc::new(part.without_vectors()),
                    quantised: Some(Arc::new(quantised)),
                }
            }
            _ => Held {
                part,
                quantised: None,
            },
        }
    }

    fn index(&self, content: Content) -> Result<Arc<dyn Index>, EngineError> {
        let foreign = |part: &PartId| {
            part.course != content.course
                || !(part.tenant.is_empty() || part.tenant == content.tenant)
        };
        if content.parts.iter().any(foreign) {
            return Err(EngineError::ForeignPart);
        }
        let held = {
            let parts = self.read();
            let find = |id: &PartId| {
                let missing = || EngineError::MissingPart {
                    source_id: id.source.clone().into(),
                };
                parts.get(id).cloned().ok_or_else(missing)
            };
            content.parts.iter().map(find).collect::<Result<_, _>>()?
        };
        let dimension = self.model.get().map(|model| model.dimension);
        Ok(Arc::new(EmbeddedIndex::new(content, held, dimension)))
    }
}

impl Engine for EmbeddedEngine {
    fn name(&self) -> &'static str {
        "embedded"
    }

    fn holds<'a>(&'a self, part: &'a PartId) -> BoxFuture<'a, Result<bool, EngineError>> {
        Box::pin(ready(Ok(self.read().contains_key(part))))
    }

    fn publish<'a>(&'a self, part: Arc<Part>) -> BoxFuture<'a, Result<(), EngineError>> {
        Box::pin(ready(self.publish_new(part)))
    }

    fn replace<'a>(&'a self, part: Arc<Part>) -> BoxFuture<'a, Result<(), EngineError>> {
        Box::pin(ready(self.publish_anew(part)))
    }

    fn open<'a>(&'a self, content: Content) -> BoxFuture<'a, Result<Arc<dyn Index>, EngineError>> {
        Box::pin(ready(self.index(content)))
    }

    fn retire<'a>(
        &'a self,
        tenant: &'a str,
        course: &'a str,
        keep: &'a [PartId],
    ) -> BoxFuture<'a, Result<(), EngineError>> {
        self.write()
            .retain(|id, _| *id.tenant != *tenant || *id.course != *course || keep.contains(id));
        Box::pin(ready(Ok(())))
    }
}

/// A model as an error names it.
fn named(model: &ModelId) -> String {
    format!(
        "{} ({}, {} values)",
        model.name, model.digest, model.dimension
    )
}
