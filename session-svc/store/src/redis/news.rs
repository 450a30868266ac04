//! News of logs that have grown, whoever appended to them: one subscription of each process.

use std::{sync::Arc, time::Duration};

use redis::{PushInfo, PushKind, Value};
use tokio::{
    sync::Notify,
    time::{Instant, sleep, timeout},
};

use super::{address::told_text, topology::Topology};
use crate::changes::Changes;

/// The channel; `transact.lua` names it too.
const CHANNEL: &str = "turnwise:changed";
/// How often those who wait look for themselves, should a message have been lost.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How long the server may take to show that it is still there.
const ALIVE_TIMEOUT: Duration = Duration::from_secs(1);
/// The shortest and the longest pause before the next try to subscribe.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), LOOK_EVERY);

/// The name under which [`Changes`] knows a log: that of a message which is about it alone.
pub(super) fn name(partition: &str, log: &str) -> String {
    format!("{partition} {log}")
}

/// Passes the news on, for ever.
pub(super) async fn follow(topology: Arc<Topology>, changes: Arc<Changes>) {
    let mut pause = PAUSES.0;
    loop {
        // An error shows in the calls of those who read and write.
        if listen(&topology, &changes).await.is_some() {
            pause = PAUSES.0;
        }
        changes.announce_all();
        sleep(pause).await;
        pause = PAUSES.1.min(pause * 2);
    }
}

/// Listens until the connection breaks; `None` if there was none.
async fn listen(topology: &Topology, changes: &Arc<Changes>) -> Option<()> {
    let (server, connector) = topology.herald(Instant::now() + LOOK_EVERY).await.ok()?;
    let broken = Arc::new(Notify::new());
    let (told, to) = (Arc::clone(&broken), Arc::clone(changes));
    let mut connection = connector
        .connect(&server, move |info| match info.kind {
            PushKind::Message => announce(&to, &info),
            PushKind::Disconnection => told.notify_one(),
            _ => {}
        })
        .await
        .ok()?;
    timeout(ALIVE_TIMEOUT, connection.subscribe(CHANNEL))
        .await
        .ok()?
        .ok()?;
    // What was appended before is no news to anybody else.
    changes.announce_all();
    while timeout(LOOK_EVERY, broken.notified()).await.is_err() {
        changes.announce_all();
        let ping = redis::cmd("PING");
        let answer = timeout(ALIVE_TIMEOUT, ping.query_async::<Value>(&mut connection)).await;
        if !matches!(answer, Ok(Ok(_))) {
            break;
        }
    }
    Some(())
}

/// Reads a message: the partition and the logs, with spaces in between.
fn announce(changes: &Changes, info: &PushInfo) {
    let Some(message) = info.data.last().and_then(told_text) else {
        return;
    };
    let mut words = message.split(' ');
    let Some(partition) = words.next() else {
        return;
    };
    for log in words {
        changes.announce(&name(partition, log));
    }
}
