//! Writing an archive. It is there once it is finished, whole and on disk; before, and after any failure, it is not.

use serde::Serialize;

use crate::{
    dir::{ArchiveDir, Lock},
    error::ArchiveError,
    line::{Chain, write_footer, write_header, write_record},
    name::ArchiveName,
    partial::Partial,
    record::{About, ArtifactRecord, ContextRequestRecord, ConversationRecord},
};

/// Writes one archive. Dropped before it is finished, it leaves nothing.
#[derive(Debug)]
pub struct Writer {
    dir: ArchiveDir,
    name: ArchiveName,
    chain: Chain,
    max_messages: usize,
    /// `None` after a failure.
    partial: Option<Partial>,
    // An erasure waits for this writer, so that it finds the archive.
    _lock: Lock,
}

/// A finished archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// Its file name in the directory.
    pub name: String,
    /// How many records it holds: conversations and their context requests.
    pub records: u64,
    /// The end of its chain: [`Report::chain`](crate::Report::chain) of a later verification must be the same.
    pub chain: String,
}

impl ArchiveDir {
    /// Begins an archive. Of each conversation, the latest `max_messages` messages and events will be kept.
    ///
    /// Waits while an erasure or retention runs.
    ///
    /// # Errors
    /// [`ArchiveError::NotNameable`], [`ArchiveError::LineTooLong`], [`ArchiveError::Io`].
    pub fn create(&self, about: &About, max_messages: usize) -> Result<Writer, ArchiveError> {
        let name = ArchiveName::new(about.create_time, &about.class_id)?;
        let (chain, header) = write_header(about)?;
        let lock = self.lock_shared()?;
        let mut partial = Partial::create(self, &name)?;
        partial.write_line(&header)?;
        Ok(Writer {
            dir: self.clone(),
            name,
            chain,
            max_messages,
            partial: Some(partial),
            _lock: lock,
        })
    }
}

impl Writer {
    /// Appends a conversation. After a failure the archive is given up.
    ///
    /// # Errors
    /// [`ArchiveError::LineTooLong`], [`ArchiveError::Io`], [`ArchiveError::GivenUp`].
    pub fn append(&mut self, mut record: ConversationRecord) -> Result<(), ArchiveError> {
        // Taken, so that any return but the last gives the archive up.
        let mut partial = self.partial.take().ok_or(ArchiveError::GivenUp)?;
        record.keep_latest(self.max_messages);
        partial.write_line(&write_record(&mut self.chain, &record)?)?;
        self.partial = Some(partial);
        Ok(())
    }

    /// Appends a context request of the latest conversation. After a failure the archive is given up.
    ///
    /// # Errors
    /// [`ArchiveError::LineTooLong`], [`ArchiveError::Io`], [`ArchiveError::GivenUp`].
    pub fn append_request(&mut self, request: &ContextRequestRecord) -> Result<(), ArchiveError> {
        self.append_line(request)
    }

    /// Appends an artifact of the latest conversation. After a failure the archive is given up.
    ///
    /// # Errors
    /// [`ArchiveError::LineTooLong`], [`ArchiveError::Io`], [`ArchiveError::GivenUp`].
    pub fn append_artifact(&mut self, artifact: &ArtifactRecord) -> Result<(), ArchiveError> {
        self.append_line(artifact)
    }

    fn append_line(&mut self, record: &impl Serialize) -> Result<(), ArchiveError> {
        let mut partial = self.partial.take().ok_or(ArchiveError::GivenUp)?;
        partial.write_line(&write_record(&mut self.chain, record)?)?;
        self.partial = Some(partial);
        Ok(())
    }

    /// Ends the archive, brings it to disk and makes it visible.
    ///
    /// # Errors
    /// [`ArchiveError::Io`], [`ArchiveError::GivenUp`]; then there is no archive.
    pub fn finish(mut self) -> Result<Sealed, ArchiveError> {
        let mut partial = self.partial.take().ok_or(ArchiveError::GivenUp)?;
        partial.write_line(&write_footer(&self.chain)?)?;
        if let Err(error) = partial.publish() {
            // It may have its name already, and not be safe on disk.
            let _ = self.dir.delete(self.name.as_str());
            return Err(error);
        }
        Ok(Sealed {
            name: self.name.as_str().to_owned(),
            records: self.chain.records(),
            chain: self.chain.hash(),
        })
    }
}
