//! Whether an archive is what was written; for the tenant whose it is.

use turnwise_session_archive::{ArchiveError, Report};

use super::Sessions;
use crate::error::SessionError;

impl Sessions {
    /// Reads an archive of a tenant and says whether it is what was written.
    pub async fn verify_archive(&self, tenant: &str, name: String) -> Result<Report, SessionError> {
        let archives = self.archives().ok_or(SessionError::UnknownArchive)?;
        let done = tokio::task::spawn_blocking(move || archives.verify(&name)).await;
        let report = match done {
            Ok(Ok(report)) => report,
            Ok(Err(ArchiveError::Io { .. })) => {
                return Err(SessionError::ArchiveFailed {
                    class_id: String::new(),
                });
            }
            Ok(Err(_)) => return Err(SessionError::UnknownArchive),
            Err(error) => {
                tracing::error!(%error, "the reading of an archive ended in a panic");
                return Err(SessionError::Unavailable);
            }
        };
        // One whose header cannot be read is nobody's: it is looked into by hand.
        match &report.header {
            Some(header) if header.tenant == tenant => Ok(report),
            _ => Err(SessionError::UnknownArchive),
        }
    }
}
