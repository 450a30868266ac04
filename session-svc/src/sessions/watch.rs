//! Following a thread's log live. A watcher costs one bounded channel: who does not read for a while is told to resume.
//! The store says when there is something to read; without that nobody reads, but for a look every few minutes.

use std::time::Duration;

use tokio::sync::{
    mpsc::{self, Sender},
    watch,
};
use turnwise_proto::session::v1::Event;
use turnwise_session_store::StudentKey;

use super::{Sessions, events::Page, keys};
use crate::error::SessionError;

/// The most events that wait for a reader.
const BUFFER: usize = 64;
/// How long a full buffer may stay full.
const PATIENCE: Duration = Duration::from_secs(10);
/// Even without news a log is looked at after so long, and up to as long again: the nodes of a Redis Cluster can lose
/// news on the way to each other, and nobody is told.
const LOOK_AFTER: Duration = Duration::from_secs(300);

/// The events of a watch, or why it ended.
pub type Watched = Result<Event, SessionError>;

impl Sessions {
    /// Streams a thread's log from the event after `after` on, until the receiver is dropped. Refused if there is no such
    /// event: nobody has it, and what comes below it would never be told.
    pub async fn watch_events(
        &self,
        student: StudentKey,
        thread_id: String,
        after: i64,
    ) -> Result<mpsc::Receiver<Watched>, SessionError> {
        self.thread(&student, &thread_id).await?;
        if after > 0 {
            let newest = Page::Before(i64::MAX);
            let newest = self.list_events(&student, &thread_id, newest, 1).await?;
            if newest.events.first().is_none_or(|event| event.id < after) {
                return Err(SessionError::NoSuchEvent { after });
            }
        }
        let (sender, receiver) = mpsc::channel(BUFFER + 1);
        // A place of its own for the last word: it can be said when the buffer is full.
        let last_word = sender
            .clone()
            .try_reserve_owned()
            .map_err(|_| SessionError::Unavailable)?;
        let sessions = self.clone();
        self.inner.tasks.spawn(async move {
            let ended = sessions.follow(&student, &thread_id, after, sender).await;
            if let Some(error) = ended {
                last_word.send(Err(error));
            }
        });
        Ok(receiver)
    }

    async fn follow(
        &self,
        student: &StudentKey,
        thread_id: &str,
        mut after: i64,
        sender: Sender<Watched>,
    ) -> Option<SessionError> {
        let partition = match self.partition(student).await {
            Ok(partition) => partition,
            Err(error) => return Some(error),
        };
        let mut news = self.inner.store.watch(&partition, &keys::events(thread_id));
        loop {
            // Marked before the log is read: what comes later is news.
            news.borrow_and_update();
            loop {
                let page = match self
                    .list_events(student, thread_id, Page::After(after), BUFFER)
                    .await
                {
                    Ok(page) => page,
                    Err(error) => return Some(error),
                };
                for event in page.events {
                    let id = event.id;
                    match tokio::time::timeout(PATIENCE, sender.send(Ok(event))).await {
                        Ok(Ok(())) => after = id,
                        Ok(Err(_gone)) => return None,
                        Err(_too_slow) => {
                            return Some(SessionError::ResumeRequired { after_id: after });
                        }
                    }
                }
                if !page.more {
                    break;
                }
            }
            if !time_to_look(&mut news, &sender).await {
                return None;
            }
        }
    }
}

/// Waits until a log that is followed has to be read again; tells whether its reader is still there.
pub(super) async fn time_to_look<T>(news: &mut watch::Receiver<u64>, reader: &Sender<T>) -> bool {
    // Not all at the same time, even if all were woken together.
    let patience = LOOK_AFTER.mul_f64(1.0 + fastrand::f64());
    tokio::select! {
        () = reader.closed() => false,
        _ = tokio::time::timeout(patience, news.changed()) => true,
    }
}
