//! Looking at uploaded sources.

use std::collections::BTreeMap;

use redb::{ReadOnlyTable, ReadTransaction, TableError};
use turnwise_embedded_file::{Bytes, Damage};
use turnwise_retrieval_index::sources::{
    SourceError, SourceHead, SourceKey, SourceState, TenantCourse, UploadedChunk,
};

use super::{
    CHUNKS, COMMITTED, Committed, STAGED, Staged, is_readable, read, source_key, source_name, walk,
};
use crate::{Failure, name::Name, record};

/// The tables, for reading.
pub(crate) struct Reading {
    committed: ReadOnlyTable<Bytes, Bytes>,
    staged: ReadOnlyTable<Bytes, Bytes>,
    chunks: ReadOnlyTable<Bytes, Bytes>,
}

impl Reading {
    /// The tables; `None` before anything was written.
    pub(crate) fn open(transaction: &ReadTransaction) -> Result<Option<Self>, Failure> {
        let table = |definition| match transaction.open_table(definition) {
            Ok(table) => Ok(Some(table)),
            Err(TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(Failure::from(error)),
        };
        Ok(match (table(COMMITTED)?, table(STAGED)?, table(CHUNKS)?) {
            (Some(committed), Some(staged), Some(chunks)) => Some(Self {
                committed,
                staged,
                chunks,
            }),
            _ => None,
        })
    }

    /// See [`Sources::list`](turnwise_retrieval_index::sources::Sources::list).
    pub(crate) fn list(&self, tenant: &str, course: &str) -> Result<Vec<SourceState>, Failure> {
        let within = Name::new(&[tenant, course]);
        let mut states = BTreeMap::new();
        for row in self.staged.range(within.start()..&within.end())? {
            let (row, sealed) = row?;
            let Some(key) = source_key(row.value()) else {
                continue;
            };
            // Of an upload that cannot be read nothing is kept: it has to begin again.
            if let Ok(staged) = record::decode::<Staged>(row.value(), sealed.value()) {
                let state = states
                    .entry(key.source.clone())
                    .or_insert_with(|| nothing(key));
                state.pending = Some((staged.head, staged.kept));
            }
        }
        for row in self.committed.range(within.start()..&within.end())? {
            let (row, sealed) = row?;
            let Some(key) = source_key(row.value()) else {
                continue;
            };
            let name = source_name(&key);
            let state = states
                .entry(key.source.clone())
                .or_insert_with(|| nothing(key));
            match record::decode::<Committed>(row.value(), sealed.value()) {
                Ok(committed) => {
                    state.damaged =
                        !is_readable(&self.chunks, &name, committed.upload, committed.head.chunks)?;
                    state.committed = Some((committed.head, committed.at_ms));
                }
                Err(Damage) => state.damaged = true,
            }
        }
        Ok(states.into_values().collect())
    }

    /// See [`Sources::courses`](turnwise_retrieval_index::sources::Sources::courses).
    pub(crate) fn courses(&self) -> Result<Vec<TenantCourse>, Failure> {
        let mut courses = Vec::new();
        let mut from = Vec::new();
        while let Some(row) = self.committed.range(from.as_slice()..)?.next() {
            let (row, _) = row?;
            match source_key(row.value()) {
                Some(key) => {
                    from = Name::new(&[&key.tenant, &key.course]).end();
                    courses.push((key.tenant, key.course));
                }
                None => {
                    // No key of ours: the next one.
                    from = row.value().to_vec();
                    from.push(0);
                }
            }
        }
        Ok(courses)
    }

    /// See [`Sources::chunks`](turnwise_retrieval_index::sources::Sources::chunks).
    pub(crate) fn chunks(
        &self,
        key: &SourceKey,
    ) -> Result<(SourceHead, Vec<UploadedChunk>), Failure> {
        let name = source_name(key);
        let damaged = |Damage| Failure::Owner(SourceError::Damaged(key.source.to_string()));
        let committed = read::<Committed>(&self.committed, &name)?
            .ok_or(Failure::Owner(SourceError::NotBegun))?
            .map_err(damaged)?;
        let mut found = Vec::new();
        walk(
            &self.chunks,
            &name,
            committed.upload,
            committed.head.chunks,
            |chunk| found.push(chunk),
        )?
        .map_err(damaged)?;
        Ok((committed.head, found))
    }
}

fn nothing(key: SourceKey) -> SourceState {
    SourceState {
        key,
        committed: None,
        pending: None,
        damaged: false,
    }
}
