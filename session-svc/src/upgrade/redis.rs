//! The keys of version 0.1 in a standalone Redis. Most of them are as they were; messages were lists, threads were in no
//! class's index, and nothing named a student's courses or the answers that hold text of a thread.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use redis::{AsyncCommands, Client, IntoConnectionInfo, aio::MultiplexedConnection};
use turnwise_kit::Kit;
use turnwise_proto::tutor::v1::Thread;
use turnwise_session_store::{
    Check, Key, Outcome, Partition, Read, Store, StudentKey, Transaction, Write,
};

use super::{index, known, millis, note, run};
use crate::{
    error::{SessionError, StartError},
    record,
    sessions::{Limits, keys},
};

/// The version of the layout that this service keeps.
const LAYOUT: &str = "2";
/// How long to wait before a Redis that did not answer is asked again.
const AGAIN: Duration = Duration::from_secs(1);
const PREFIX: &str = "turnwise:";

/// Why an upgrade stopped.
#[derive(Debug, thiserror::Error)]
enum Stopped {
    #[error("Redis does not answer as it should: {0}")]
    Redis(#[from] redis::RedisError),
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// A Redis that may hold keys of version 0.1.
pub struct Old {
    client: Client,
}

impl Old {
    /// The Redis at this address.
    pub fn new(address: &str, password: Option<&str>) -> Result<Self, StartError> {
        // The reason is left out: it may hold the address, and that a password.
        let unreadable = |_| StartError::UnknownStore {
            problem: "the URL cannot be read; write `redis://HOST:PORT/DATABASE`".to_owned(),
        };
        let info = address.into_connection_info().map_err(unreadable)?;
        let mut settings = info.redis_settings().clone();
        if let Some(password) = password {
            settings = settings.set_password(password);
        }
        let client = Client::open(info.set_redis_settings(settings)).map_err(unreadable)?;
        Ok(Self { client })
    }

    /// Brings old keys to this version before the service begins; a Redis that is away is asked again in the background.
    pub async fn start(self, store: Arc<dyn Store>, kit: &Kit, limits: Limits) {
        let clock = Arc::clone(&kit.clock);
        let shutdown = kit.shutdown.clone();
        let once = {
            let clock = Arc::clone(&clock);
            async move |old: &Self, store: &dyn Store| {
                old.upgrade(store, clock.now().as_millisecond(), &limits)
                    .await
            }
        };
        if once(&self, store.as_ref()).await.is_ok() {
            return;
        }
        tracing::warn!(
            "Redis does not answer yet; records of version 0.1 are looked for once it does"
        );
        kit.tasks.spawn(async move {
            loop {
                tokio::select! {
                    () = shutdown.cancelled() => return,
                    () = tokio::time::sleep(AGAIN) => {}
                }
                match once(&self, store.as_ref()).await {
                    Ok(()) => return,
                    Err(error) => tracing::debug!(%error, "no look for records of version 0.1 yet"),
                }
            }
        });
    }

    async fn upgrade(&self, store: &dyn Store, now: i64, limits: &Limits) -> Result<(), Stopped> {
        let system = Partition::system("layout");
        let layout = Key::new("layout");
        let wanted = Transaction {
            reads: vec![Read::Fields {
                key: layout.clone(),
                fields: vec!["version".into()],
            }],
            ..Transaction::default()
        };
        let found = store
            .transact(&system, wanted)
            .await
            .map_err(SessionError::from)?;
        if let Outcome::Applied(applied) = found
            && let Some(turnwise_session_store::Found::Fields(fields)) = applied.found.first()
            && fields.first().is_some_and(Option::is_some)
        {
            return Ok(());
        }
        let mut connection = self.client.get_multiplexed_async_connection().await?;
        let names = scan(&mut connection).await?;
        let mut upgraded = 0_u64;
        for name in &names {
            let Some((student, key)) = parse(name) else {
                continue;
            };
            upgraded += 1;
            match key.split_once(':') {
                Some(("thread", id)) => {
                    thread(store, &mut connection, name, &student, id, now, limits).await?;
                }
                Some(("snapshot", course)) => {
                    let partition = Partition::student(&student);
                    run(store, &partition, Vec::new(), vec![known(course)]).await?;
                }
                Some(("answer", answer)) if answer.starts_with("turn:") => {
                    self::answer(store, &mut connection, name, &student, key, now).await?;
                }
                _ if key == "threads_made" => {
                    let _: i64 = connection.del(name).await?;
                }
                _ => {}
            }
        }
        let mark = Write::Put {
            key: layout,
            fields: vec![("version".into(), Bytes::from_static(LAYOUT.as_bytes()))],
        };
        run(store, &system, Vec::new(), vec![mark]).await?;
        if upgraded > 0 {
            tracing::info!(
                keys = upgraded,
                "the keys of version 0.1 were brought to this version"
            );
        }
        Ok(())
    }
}

async fn scan(connection: &mut MultiplexedConnection) -> Result<Vec<String>, redis::RedisError> {
    let mut names = Vec::new();
    let mut keys: redis::AsyncIter<'_, String> =
        connection.scan_match(format!("{PREFIX}{{*/*}}:*")).await?;
    while let Some(name) = keys.next_item().await {
        names.push(name?);
    }
    Ok(names)
}

/// The student and the rest of a key's name.
fn parse(name: &str) -> Option<(StudentKey, &str)> {
    let (slot, key) = name
        .strip_prefix(PREFIX)?
        .strip_prefix('{')?
        .split_once("}:")?;
    let (tenant, student) = slot.split_once('/')?;
    let plain = !tenant.is_empty() && !student.is_empty() && !student.contains(':');
    plain.then(|| {
        let student = StudentKey {
            tenant: tenant.to_owned(),
            student: student.to_owned(),
        };
        (student, key)
    })
}

async fn thread(
    store: &dyn Store,
    connection: &mut MultiplexedConnection,
    name: &str,
    student: &StudentKey,
    id: &str,
    now: i64,
    limits: &Limits,
) -> Result<(), Stopped> {
    let stored: Option<Vec<u8>> = connection.hget(name, "record").await?;
    let Some(Ok(found)) = stored.map(|bytes| record::decode::<Thread>("thread", &bytes)) else {
        tracing::error!(
            thread_id = id,
            "a thread of version 0.1 cannot be read; it stays as it is"
        );
        return Ok(());
    };
    let list = name.replacen(&format!("}}:thread:{id}"), &format!("}}:messages:{id}"), 1);
    let messages: Vec<Vec<u8>> = connection.lrange(&list, 0, -1).await?;
    let kept_until = now.saturating_add(millis(limits.thread_retention));
    index(store, student, &found.class_id, id, kept_until).await?;
    let mut writes = vec![Write::Put {
        key: keys::thread(id),
        fields: vec![("kept".into(), kept_until.to_string().into())],
    }];
    if !messages.is_empty() {
        writes.push(Write::Append {
            key: keys::timeline(id),
            entries: messages.into_iter().map(Bytes::from).collect(),
        });
    }
    for key in [keys::thread(id), keys::timeline(id)] {
        writes.push(Write::Expire {
            key,
            after: limits.thread_retention,
        });
    }
    // A thread that says how long it is kept was upgraded before, or is of this version.
    let not_yet = Check::FieldIs {
        key: keys::thread(id),
        field: "kept",
        value: None,
        tell: Vec::new(),
    };
    run(store, &Partition::student(student), vec![not_yet], writes).await?;
    let _: i64 = connection.del(&list).await?;
    Ok(())
}

async fn answer(
    store: &dyn Store,
    connection: &mut MultiplexedConnection,
    name: &str,
    student: &StudentKey,
    key: &str,
    now: i64,
) -> Result<(), Stopped> {
    let fingerprint: Option<Vec<u8>> = connection.hget(name, "fingerprint").await?;
    let rest: i64 = connection.pttl(name).await?;
    if let Some(fingerprint) = fingerprint
        && rest > 0
    {
        let writes = note(&Key::new(key), &fingerprint, rest, now);
        run(store, &Partition::student(student), Vec::new(), writes).await?;
    }
    Ok(())
}
