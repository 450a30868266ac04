//! What a source should be, as a few fields say it.

use turnwise_retrieval_index::{
    Progress, SourceError, SourceHead, SourceKey, SourceState, UploadedChunk,
};

/// What a source should be.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    committed: Option<(SourceHead, Vec<UploadedChunk>, u64)>,
    staged: Option<(SourceHead, Vec<UploadedChunk>)>,
}

impl Expected {
    pub fn is_committed(&self) -> bool {
        self.committed.is_some()
    }

    /// How many chunks are staged of this revision.
    pub fn staged(&self, revision: &str) -> u32 {
        match &self.staged {
            Some((head, chunks)) if *head.revision == *revision => chunks.len() as u32,
            _ => 0,
        }
    }

    /// What is served.
    pub fn chunks(&self) -> Result<(SourceHead, Vec<UploadedChunk>), SourceError> {
        match &self.committed {
            Some((head, chunks, _)) => Ok((head.clone(), chunks.clone())),
            None => Err(SourceError::NotBegun),
        }
    }

    /// What is listed.
    pub fn state(&self, key: &SourceKey) -> Option<SourceState> {
        if self.committed.is_none() && self.staged.is_none() {
            return None;
        }
        Some(SourceState {
            key: key.clone(),
            committed: self
                .committed
                .as_ref()
                .map(|(head, _, at)| (head.clone(), *at)),
            pending: self
                .staged
                .as_ref()
                .map(|(head, chunks)| (head.clone(), chunks.len() as u32)),
            damaged: false,
        })
    }

    pub fn begin(&mut self, head: &SourceHead) -> Progress {
        if self
            .committed
            .as_ref()
            .is_some_and(|(committed, ..)| committed == head)
        {
            self.staged = None;
            return Progress::Committed;
        }
        if self
            .staged
            .as_ref()
            .is_none_or(|(staged, _)| staged != head)
        {
            self.staged = Some((head.clone(), Vec::new()));
        }
        Progress::Staged(self.staged(&head.revision))
    }

    pub fn stage(
        &mut self,
        revision: &str,
        first: u32,
        chunks: Vec<UploadedChunk>,
    ) -> Result<u32, SourceError> {
        let (head, staged) = self.of(revision)?;
        let next = staged.len() as u32;
        if first > next {
            return Err(SourceError::OutOfOrder { given: first, next });
        }
        let mut new = staged.clone();
        for chunk in chunks.into_iter().skip((next - first) as usize) {
            if new.len() as u32 == head.chunks {
                let given = head.chunks;
                return Err(SourceError::OutOfOrder { given, next });
            }
            if new.iter().any(|other| other.id == chunk.id) {
                return Err(SourceError::DuplicateChunk(chunk.id.into()));
            }
            new.push(chunk);
        }
        *staged = new;
        Ok(staged.len() as u32)
    }

    pub fn commit(&mut self, revision: &str, now: u64) -> Result<(), SourceError> {
        let repeated = (self.committed.as_ref())
            .is_some_and(|(committed, ..)| *committed.revision == *revision);
        match self.of(revision) {
            Ok((head, staged)) => {
                let missing = head.chunks - staged.len() as u32;
                if missing > 0 {
                    return Err(SourceError::Incomplete { missing });
                }
            }
            Err(_) if repeated => return Ok(()),
            Err(error) => return Err(error),
        }
        let (head, chunks) = self.staged.take().unwrap();
        self.committed = Some((head, chunks, now));
        Ok(())
    }

    pub fn remove(&mut self) -> bool {
        let before = std::mem::take(self);
        before.committed.is_some() || before.staged.is_some()
    }

    fn of(
        &mut self,
        revision: &str,
    ) -> Result<(&SourceHead, &mut Vec<UploadedChunk>), SourceError> {
        match &mut self.staged {
            Some((head, chunks)) if *head.revision == *revision => Ok((head, chunks)),
            _ => Err(SourceError::NotBegun),
        }
    }
}
