//! Changing uploaded sources.

use redb::{ReadableTable, Table, WriteTransaction};
use serde::Serialize;
use turnwise_embedded_file::{Bytes, Done};
use turnwise_retrieval_index::sources::{
    Progress, SourceError, SourceHead, SourceKey, UploadedChunk,
};

use super::{
    CHUNKS, COMMITTED, Committed, IDS, LAST, STAGED, Staged, is_readable, place, read, source_name,
};
use crate::{Failure, name::Name, record};

/// The tables, for writing.
pub(crate) struct Writing<'t> {
    committed: Table<'t, Bytes, Bytes>,
    staged: Table<'t, Bytes, Bytes>,
    chunks: Table<'t, Bytes, Bytes>,
    ids: Table<'t, Bytes, ()>,
    last: Table<'t, (), u64>,
}

impl<'t> Writing<'t> {
    /// The tables, made if they are not there.
    pub(crate) fn open(transaction: &'t WriteTransaction) -> Result<Self, Failure> {
        Ok(Self {
            committed: transaction.open_table(COMMITTED)?,
            staged: transaction.open_table(STAGED)?,
            chunks: transaction.open_table(CHUNKS)?,
            ids: transaction.open_table(IDS)?,
            last: transaction.open_table(LAST)?,
        })
    }

    /// See [`Sources::begin`](turnwise_retrieval_index::sources::Sources::begin). What cannot be read any more counts
    /// as not there, so that it can be uploaded again.
    pub(crate) fn begin(
        &mut self,
        key: &SourceKey,
        head: &SourceHead,
    ) -> Result<Done<Progress>, Failure> {
        let name = source_name(key);
        let committed = read::<Committed>(&self.committed, &name)?.and_then(Result::ok);
        if let Some(committed) = &committed
            && committed.head == *head
            && is_readable(&self.chunks, &name, committed.upload, head.chunks)?
        {
            return Ok(if self.staged.remove(name.start())?.is_some() {
                self.drop_uploads(&name, Some(committed.upload))?;
                Done::Commit(Progress::Committed)
            } else {
                Done::Nothing(Progress::Committed)
            });
        }
        if let Some(Ok(staged)) = read::<Staged>(&self.staged, &name)?
            && staged.head == *head
            && is_readable(&self.chunks, &name, staged.upload, staged.kept)?
        {
            return Ok(Done::Nothing(Progress::Staged(staged.kept)));
        }
        self.drop_uploads(&name, committed.map(|committed| committed.upload))?;
        let upload = self.last.get(())?.map_or(0, |last| last.value()) + 1;
        self.last.insert((), upload)?;
        let staged = Staged {
            upload,
            head: head.clone(),
            kept: 0,
        };
        write(&mut self.staged, name.start(), &staged)?;
        Ok(Done::Commit(Progress::Staged(0)))
    }

    /// See [`Sources::stage`](turnwise_retrieval_index::sources::Sources::stage).
    pub(crate) fn stage(
        &mut self,
        key: &SourceKey,
        revision: &str,
        first: u32,
        chunks: &[UploadedChunk],
    ) -> Result<Done<u32>, Failure> {
        let name = source_name(key);
        let mut staged = match read::<Staged>(&self.staged, &name)? {
            Some(Ok(staged)) if *staged.head.revision == *revision => staged,
            _ => return Err(Failure::Owner(SourceError::NotBegun)),
        };
        let next = staged.kept;
        let Some(known) = next.checked_sub(first) else {
            return Err(Failure::Owner(SourceError::OutOfOrder {
                given: first,
                next,
            }));
        };
        let known = usize::try_from(known).unwrap_or(usize::MAX);
        let Some(new @ [_, ..]) = chunks.get(known..) else {
            return Ok(Done::Nothing(next));
        };
        for chunk in new {
            if staged.kept >= staged.head.chunks {
                // More chunks than the head says there are.
                let given = staged.kept;
                return Err(Failure::Owner(SourceError::OutOfOrder { given, next }));
            }
            let id = name.row(chunk.id.as_bytes());
            if self.ids.insert(id.as_slice(), ())?.is_some() {
                return Err(Failure::Owner(SourceError::DuplicateChunk(
                    chunk.id.to_string(),
                )));
            }
            let row = name.row(&place(staged.upload, staged.kept));
            write(&mut self.chunks, &row, chunk)?;
            staged.kept += 1;
        }
        write(&mut self.staged, name.start(), &staged)?;
        Ok(Done::Commit(staged.kept))
    }

    /// See [`Sources::commit`](turnwise_retrieval_index::sources::Sources::commit).
    pub(crate) fn commit(
        &mut self,
        key: &SourceKey,
        revision: &str,
        now_ms: u64,
    ) -> Result<Done<()>, Failure> {
        let name = source_name(key);
        let staged = match read::<Staged>(&self.staged, &name)? {
            Some(Ok(staged)) if *staged.head.revision == *revision => staged,
            _ => {
                return match read::<Committed>(&self.committed, &name)? {
                    Some(Ok(committed)) if *committed.head.revision == *revision => {
                        Ok(Done::Nothing(()))
                    }
                    _ => Err(Failure::Owner(SourceError::NotBegun)),
                };
            }
        };
        let missing = staged.head.chunks.saturating_sub(staged.kept);
        if missing > 0 {
            return Err(Failure::Owner(SourceError::Incomplete { missing }));
        }
        if !is_readable(&self.chunks, &name, staged.upload, staged.kept)? {
            return Err(Failure::Owner(SourceError::Damaged(key.source.to_string())));
        }
        self.drop_uploads(&name, Some(staged.upload))?;
        self.staged.remove(name.start())?;
        let committed = Committed {
            upload: staged.upload,
            head: staged.head,
            at_ms: now_ms,
        };
        write(&mut self.committed, name.start(), &committed)?;
        Ok(Done::Commit(()))
    }

    /// See [`Sources::remove`](turnwise_retrieval_index::sources::Sources::remove).
    pub(crate) fn remove(&mut self, key: &SourceKey) -> Result<Done<bool>, Failure> {
        let name = source_name(key);
        let committed = self.committed.remove(name.start())?.is_some();
        let staged = self.staged.remove(name.start())?.is_some();
        if !committed && !staged {
            return Ok(Done::Nothing(false));
        }
        self.drop_uploads(&name, None)?;
        Ok(Done::Commit(true))
    }

    /// Drops the chunks of all uploads of a source but one, and the ids of its chunks.
    fn drop_uploads(&mut self, name: &Name, but: Option<u64>) -> Result<(), Failure> {
        let all = (name.start(), name.end());
        let kept = but.map(u64::to_be_bytes);
        self.chunks.retain_in(all.0..&all.1, |row, _| {
            kept.is_some_and(|kept| name.tail(row).starts_with(&kept))
        })?;
        self.ids.retain_in(all.0..&all.1, |_, ()| false)?;
        Ok(())
    }
}

fn write(
    table: &mut Table<'_, Bytes, Bytes>,
    row: &[u8],
    value: &impl Serialize,
) -> Result<(), Failure> {
    let sealed = record::encode(row, value).map_err(|error| {
        Failure::Owner(SourceError::Unavailable(format!(
            "a record cannot be written: {error}"
        )))
    })?;
    table.insert(row, sealed.as_slice())?;
    Ok(())
}
