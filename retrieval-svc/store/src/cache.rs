//! The file of what can be made again. All of it may be lost: what cannot be read counts as not there, what cannot be
//! written is logged.

mod vectors;

use std::{
    collections::HashSet,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use redb::{ReadTransaction, ReadableTable, TableDefinition, TableError, WriteTransaction};
use turnwise_embedded_file::{
    Bytes, Done, EmbeddedFile, Failure as FileFailure, Lock, OpenError, Purpose, copy, seal, unseal,
};
use turnwise_retrieval_index::{ContentHash, ModelId, PartId};

use crate::{Failure, name::Name, problem};

/// What this file is.
const PURPOSE: Purpose = Purpose {
    name: "retrieval cache",
    format: 1,
    cache_bytes: 32 * 1024 * 1024,
    content: "kept vectors and parts",
    remedy: "they are made again",
    rescue,
};
/// The models with vectors here, and when each was last used: a number that rises with every use.
const MODELS: TableDefinition<'_, Bytes, u64> = TableDefinition::new("models");
/// Parts by source and revision.
const PARTS: TableDefinition<'_, Bytes, Bytes> = TableDefinition::new("parts");
/// How many models' vectors are kept: the one in use, and the one before it, for going back.
const KEPT_MODELS: usize = 2;
/// The most vectors of one transaction, which holds them in memory.
const BATCH: usize = 4096;
/// So many vectors are brought to disk at least: the most that a crash loses.
const MAX_UNSAVED: usize = 4096;

/// The file.
#[derive(Debug)]
pub(crate) struct CacheFile {
    file: EmbeddedFile,
    /// The models that this process has used.
    used: Mutex<HashSet<String>>,
    /// How many vectors are not on disk yet; held by whoever writes.
    unsaved: Mutex<usize>,
}

impl CacheFile {
    /// Opens the file; a damaged one, or one of a newer version, is thrown away. `None`: there can be none, and the log
    /// says why.
    pub(crate) fn open(path: &Path, lock: &Lock) -> Option<Self> {
        let opened = match EmbeddedFile::open(path, PURPOSE, lock) {
            Err(problem @ (OpenError::Damaged { .. } | OpenError::Newer { .. })) => {
                tracing::warn!(
                    %problem,
                    "kept vectors and parts cannot be read and are thrown away; they are made again"
                );
                match std::fs::remove_file(path) {
                    Ok(()) => EmbeddedFile::open(path, PURPOSE, lock),
                    Err(source) => Err(OpenError::Create {
                        path: path.to_owned(),
                        source,
                    }),
                }
            }
            opened => opened,
        };
        match opened {
            Ok(file) => Some(Self::of(file)),
            Err(problem) => {
                tracing::warn!(
                    %problem,
                    "no vectors and parts can be kept; every start makes them again"
                );
                None
            }
        }
    }

    /// A cache in memory.
    pub(crate) fn in_memory() -> Result<Self, OpenError> {
        Ok(Self::of(EmbeddedFile::in_memory(PURPOSE)?))
    }

    fn of(file: EmbeddedFile) -> Self {
        Self {
            file,
            used: Mutex::default(),
            unsaved: Mutex::default(),
        }
    }

    /// See [`Cache::vectors`](turnwise_retrieval_index::Cache::vectors).
    pub(crate) fn vectors(
        &self,
        model: &ModelId,
        contents: &[ContentHash],
    ) -> Result<Vec<Option<Vec<f32>>>, Failure> {
        let found = self.read(|transaction| vectors::find(transaction, model, contents))?;
        match found {
            Some(found) => {
                self.use_model(model)?;
                Ok(found)
            }
            None => Ok(vec![None; contents.len()]),
        }
    }

    /// See [`Cache::keep_vectors`](turnwise_retrieval_index::Cache::keep_vectors).
    pub(crate) fn keep_vectors(
        &self,
        model: &ModelId,
        vectors: &[(ContentHash, Vec<f32>)],
    ) -> Result<(), Failure> {
        let fitting: Vec<_> = vectors
            .iter()
            .filter(|(_, vector)| vector.len() == model.dimension)
            .collect();
        if fitting.is_empty() {
            return Ok(());
        }
        self.use_model(model)?;
        for batch in fitting.chunks(BATCH) {
            self.write(batch.len(), |transaction| {
                vectors::keep(transaction, model, batch)?;
                Ok(Done::Commit(()))
            })?;
        }
        Ok(())
    }

    /// See [`Cache::forget_vectors`](turnwise_retrieval_index::Cache::forget_vectors).
    pub(crate) fn forget_vectors(
        &self,
        model: &ModelId,
        contents: &[ContentHash],
    ) -> Result<(), Failure> {
        self.write(0, |transaction| {
            let forgotten = vectors::forget(transaction, model, contents)?;
            Ok(done(forgotten, ()))
        })
    }

    /// Forgets the vectors of a model that are not among `keep`; how many those were.
    pub(crate) fn forget_unused(
        &self,
        model: &ModelId,
        keep: &HashSet<ContentHash>,
    ) -> Result<u64, Failure> {
        self.write(0, |transaction| {
            Ok(Done::Commit(vectors::prune(transaction, model, keep)?))
        })
    }

    /// See [`Cache::part`](turnwise_retrieval_index::Cache::part).
    pub(crate) fn part(&self, id: &PartId) -> Result<Option<Vec<u8>>, Failure> {
        let row = source_of(id).row(id.revision.as_bytes());
        self.read(|transaction| {
            let Some(table) = existing(transaction, PARTS)? else {
                return Ok(None);
            };
            Ok(table
                .get(row.as_slice())?
                .and_then(|sealed| unseal(&[&row], sealed.value()).ok().map(<[u8]>::to_vec)))
        })
    }

    /// See [`Cache::keep_part`](turnwise_retrieval_index::Cache::keep_part).
    pub(crate) fn keep_part(
        &self,
        id: &PartId,
        encoded: &[u8],
        keep: &[PartId],
    ) -> Result<(), Failure> {
        let source = source_of(id);
        let kept: HashSet<&[u8]> = keep
            .iter()
            .filter(|other| {
                (&other.tenant, &other.course, &other.source)
                    == (&id.tenant, &id.course, &id.source)
            })
            .chain([id])
            .map(|kept| kept.revision.as_bytes())
            .collect();
        let row = source.row(id.revision.as_bytes());
        self.write(0, |transaction| {
            let mut table = transaction.open_table(PARTS)?;
            table.retain_in(source.start()..&source.end(), |row, _| {
                kept.contains(source.tail(row))
            })?;
            table.insert(row.as_slice(), seal(&[&row], encoded).as_slice())?;
            Ok(Done::Commit(()))
        })
    }

    /// Forgets the parts of an uploaded source.
    pub(crate) fn forget_source(
        &self,
        tenant: &str,
        course: &str,
        source: &str,
    ) -> Result<(), Failure> {
        let source = Name::new(&[tenant, course, source]);
        self.write(0, |transaction| {
            let mut table = transaction.open_table(PARTS)?;
            let mut forgotten = false;
            table.retain_in(source.start()..&source.end(), |_, _| {
                forgotten = true;
                false
            })?;
            Ok(done(forgotten, ()))
        })
    }

    fn read<R>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        self.file.reopen()?;
        self.file.read(work)
    }

    /// Writes; it is on disk when this returns, but for a few vectors.
    fn write<R>(
        &self,
        vectors: usize,
        work: impl FnOnce(&WriteTransaction) -> Result<Done<R>, Failure>,
    ) -> Result<R, Failure> {
        let mut unsaved = lock(&self.unsaved);
        let durable = vectors == 0 || *unsaved + vectors >= MAX_UNSAVED;
        let mut committed = false;
        let result = self.file.write(durable, |transaction| {
            let done = work(transaction)?;
            committed = matches!(done, Done::Commit(_));
            Ok(done)
        })?;
        if committed {
            *unsaved = if durable { 0 } else { *unsaved + vectors };
        }
        Ok(result)
    }

    /// Notes that a model is used, once in the life of a process. The vectors of those that were used longest ago are
    /// dropped.
    fn use_model(&self, model: &ModelId) -> Result<(), Failure> {
        let name = vectors::name(model);
        if lock(&self.used).contains(&name) {
            return Ok(());
        }
        self.write(0, |transaction| {
            let mut models = transaction.open_table(MODELS)?;
            let mut by_use = Vec::new();
            for row in models.iter()? {
                let (other, used) = row?;
                if other.value() != name.as_bytes() {
                    by_use.push((used.value(), other.value().to_vec()));
                }
            }
            by_use.sort_unstable();
            let latest = by_use.last().map_or(0, |(used, _)| *used);
            // What is damaged may be any number; at worst another model is dropped first.
            models.insert(name.as_bytes(), latest.saturating_add(1))?;
            let dropped = (by_use.len() + 1).saturating_sub(KEPT_MODELS);
            for (_, other) in by_use.into_iter().take(dropped) {
                models.remove(other.as_slice())?;
                if let Ok(other) = String::from_utf8(other) {
                    vectors::drop_all(transaction, &other)?;
                    lock(&self.used).remove(&other);
                }
            }
            Ok(Done::Commit(()))
        })?;
        lock(&self.used).insert(name);
        Ok(())
    }
}

impl Drop for CacheFile {
    fn drop(&mut self) {
        let unsaved = *lock(&self.unsaved);
        if unsaved > 0
            && let Err(failure) = self.write(0, |_| Ok(Done::Commit(())))
        {
            log(&failure);
        }
    }
}

/// Brings the rows of a damaged file into a new one; an error if one cannot be reached.
fn rescue(from: &ReadTransaction, _: &Path, to: &WriteTransaction) -> Result<(), FileFailure> {
    copy(from, to, PARTS)?;
    copy(from, to, MODELS)?;
    for row in to.open_table(MODELS)?.iter()? {
        if let Ok(model) = std::str::from_utf8(row?.0.value()) {
            vectors::rescue(from, to, model)?;
        }
    }
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells that something was not read or not kept.
pub(crate) fn log(failure: &Failure) {
    tracing::warn!(
        problem = problem(failure),
        "vectors or parts cannot be read or kept; they are made again when they are needed"
    );
}

fn done<R>(changed: bool, result: R) -> Done<R> {
    if changed {
        Done::Commit(result)
    } else {
        Done::Nothing(result)
    }
}

fn source_of(id: &PartId) -> Name {
    Name::new(&[&id.tenant, &id.course, &id.source])
}

fn existing<K: redb::Key, V: redb::Value>(
    transaction: &ReadTransaction,
    definition: TableDefinition<'_, K, V>,
) -> Result<Option<redb::ReadOnlyTable<K, V>>, Failure> {
    match transaction.open_table(definition) {
        Ok(table) => Ok(Some(table)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
