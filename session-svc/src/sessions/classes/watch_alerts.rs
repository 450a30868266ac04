//! Watches of a class's calls for help.

use std::time::Duration;

use tokio::sync::mpsc::{self, Sender};
use turnwise_proto::{classes::v1::SafeguardingAlert, session::v1::WatchAlertsResponse};
use turnwise_session_store::{Partition, Read};

use crate::{
    error::SessionError,
    sessions::{END, Sessions, keys, watch::time_to_look},
};

/// The most changes that wait for a watcher.
const BUFFER: usize = 64;
/// How long a full buffer may stay full.
const PATIENCE: Duration = Duration::from_secs(10);

/// A change of a watch, or why it ended.
pub type Watched = Result<WatchAlertsResponse, SessionError>;

impl Sessions {
    /// Streams a class's alerts from the change after `after` on, until the receiver is dropped; from 0: those that are
    /// open, and then what comes.
    pub fn watch_alerts(
        &self,
        tenant: &str,
        class_id: &str,
        after: i64,
    ) -> Result<mpsc::Receiver<Watched>, SessionError> {
        let class = Partition::class(tenant, class_id);
        let (sender, receiver) = mpsc::channel(BUFFER + 1);
        // A place of its own for the last word: it can be said when the buffer is full.
        let last_word = sender
            .clone()
            .try_reserve_owned()
            .map_err(|_| SessionError::Unavailable)?;
        let sessions = self.clone();
        self.inner.tasks.spawn(async move {
            let ended = sessions.follow_alerts(&class, after, &sender).await;
            if let Err(error) = ended {
                last_word.send(Err(error));
            }
        });
        Ok(receiver)
    }

    async fn follow_alerts(
        &self,
        class: &Partition,
        mut after: i64,
        sender: &Sender<Watched>,
    ) -> Result<(), SessionError> {
        let mut news = self.inner.store.watch(class, &keys::alert_changes());
        if after == 0 {
            match self.tell_open(class, sender).await? {
                Some(newest) => after = newest,
                None => return Ok(()),
            }
        }
        loop {
            // Marked before the log is read: what comes later is news.
            news.borrow_and_update();
            loop {
                let wanted = vec![Read::LogAfter {
                    key: keys::alert_changes(),
                    after,
                    limit: BUFFER,
                }];
                let entries = self.read(class, wanted).await?.entries()?;
                if after > 0 && entries.first().is_some_and(|(id, _)| *id > after + 1) {
                    // Changes that this reader has not seen are kept no more: what is open says what came of them.
                    match self.tell_open(class, sender).await? {
                        Some(newest) => after = newest,
                        None => return Ok(()),
                    }
                    continue;
                }
                let full = entries.len() == BUFFER;
                for (id, alert_id) in entries {
                    let alert_id = String::from_utf8_lossy(&alert_id).into_owned();
                    let found = self.alerts(class, [alert_id.as_str()].into_iter()).await?;
                    for alert in found {
                        if !tell(sender, id, alert).await? {
                            return Ok(());
                        }
                    }
                    after = id;
                }
                if !full {
                    break;
                }
            }
            if !time_to_look(&mut news, sender).await {
                return Ok(());
            }
        }
    }

    /// Tells a watcher of all open alerts; answers the newest change that they hold, none if nobody listens any more. Only
    /// the last of them has its number: who breaks off before begins anew.
    async fn tell_open(
        &self,
        class: &Partition,
        sender: &Sender<Watched>,
    ) -> Result<Option<i64>, SessionError> {
        let wanted = vec![Read::LogBefore {
            key: keys::alert_changes(),
            before: i64::MAX,
            limit: 1,
        }];
        let open = [false, true].map(|handoffs| Read::Lowest {
            key: keys::alerts(handoffs)[1].clone(),
            from: 0,
            to: END,
            limit: usize::MAX >> 1,
        });
        let wanted = wanted.into_iter().chain(open).collect();
        let mut reads = self.read(class, wanted).await?;
        let newest = reads.entries()?.first().map_or(0, |(id, _)| *id);
        let open = [reads.members()?, reads.members()?].concat();
        for page in open.chunks(BUFFER) {
            let ids = page.iter().filter_map(|(id, _)| id.split_once('/'));
            let alerts = self.alerts(class, ids.map(|(_, id)| id)).await?;
            let last_page = page.last() == open.last();
            let last = alerts.len().saturating_sub(1);
            for (number, alert) in alerts.into_iter().enumerate() {
                let id = if last_page && number == last {
                    newest
                } else {
                    0
                };
                let told = tell(sender, id, alert).await;
                if !told.map_err(|_too_slow| SessionError::ResumeRequired { after_id: 0 })? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(newest))
    }
}

/// Tells a watcher; false if nobody listens any more.
async fn tell(
    sender: &Sender<Watched>,
    id: i64,
    alert: SafeguardingAlert,
) -> Result<bool, SessionError> {
    let change = WatchAlertsResponse {
        id,
        alert: Some(alert),
    };
    match tokio::time::timeout(PATIENCE, sender.send(Ok(change))).await {
        Ok(sent) => Ok(sent.is_ok()),
        Err(_too_slow) => Err(SessionError::ResumeRequired { after_id: id - 1 }),
    }
}
