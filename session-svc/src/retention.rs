//! Deletes archives past their time. Everything else expires in the store by itself.

use std::time::Duration;

use crate::{error::SessionError, sessions::Sessions};

/// How often archives are looked through.
const EVERY: Duration = Duration::from_secs(3600);

/// Looks through the archives now and every hour, until the service drains.
pub fn start(sessions: &Sessions) {
    let tasks = sessions.tasks().clone();
    let sessions = sessions.clone();
    tasks.spawn(async move {
        let mut every = tokio::time::interval(EVERY);
        loop {
            tokio::select! {
                () = sessions.shutdown().cancelled() => return,
                _ = every.tick() => {}
            }
            // What failed is in the log, and the next round tries again.
            let _ = run(&sessions).await;
        }
    });
}

/// Looks through the archives once; answers how many files were deleted.
pub async fn run(sessions: &Sessions) -> Result<u64, SessionError> {
    let Some(archives) = sessions.archives() else {
        return Ok(0);
    };
    let older_than = sessions.archives_older_than();
    let done = tokio::task::spawn_blocking(move || archives.retain(older_than)).await;
    match done {
        Ok(Ok(retained)) => {
            for name in &retained.refused {
                tracing::warn!(
                    name,
                    "this is called like an archive and is none; it was left alone"
                );
            }
            if !retained.deleted.is_empty() {
                tracing::info!(archives = ?retained.deleted, "archives past their time were deleted");
            }
            Ok(retained.deleted.len() as u64)
        }
        Ok(Err(error)) => {
            tracing::error!(%error, "archives past their time cannot be deleted");
            Err(SessionError::ArchiveFailed {
                class_id: String::new(),
            })
        }
        Err(error) => {
            tracing::error!(%error, "the look through the archives ended in a panic");
            Err(SessionError::Unavailable)
        }
    }
}
