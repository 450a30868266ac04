//! The store's bare round trips: one for a turn's beginning, one for its commit, each with the suite's bytes.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use redb::{Database, Durability, ReadableDatabase, TableDefinition};
use redis::{
    Client, IntoConnectionInfo, ProtocolVersion,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use tokio::sync::oneshot;

use super::StoreBytes;

/// So many lists and states there are, as if of so many students.
const STUDENTS: u64 = 64;
/// What a pipeline of the floor has beside its padding: names of commands and keys.
const COMMAND_BYTES: usize = 150;

/// What a call asks of the store.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    None,
    Begin,
    Commit,
}

impl Step {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Begin => "begin",
            Self::Commit => "commit",
        }
    }
}

/// A store with nothing in it but bytes.
pub(super) trait Bare: Send + Sync + 'static {
    /// Reads a turn's beginning.
    fn begin(&self) -> impl Future<Output = ()> + Send;
    /// Writes a turn.
    fn commit(&self) -> impl Future<Output = ()> + Send;
}

/// None at all.
pub(super) struct Nothing;

impl Bare for Nothing {
    async fn begin(&self) {}
    async fn commit(&self) {}
}

/// Redis, over the kind of connection that session-svc has.
pub(super) struct BareRedis {
    connection: ConnectionManager,
    bytes: StoreBytes,
    turns: AtomicU64,
}

impl BareRedis {
    pub(super) async fn open(url: &str, bytes: StoreBytes) -> Self {
        let info = url.into_connection_info().unwrap();
        let redis = info
            .redis_settings()
            .clone()
            .set_protocol(ProtocolVersion::RESP3);
        let client = Client::open(info.set_redis_settings(redis)).unwrap();
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(Duration::from_secs(1)))
            .set_response_timeout(Some(Duration::from_secs(2)))
            .set_number_of_retries(0);
        let connection = ConnectionManager::new_with_config(client, config)
            .await
            .unwrap();
        let state = "x".repeat(bytes.begin.response);
        let mut fill = redis::pipe();
        for student in 0..STUDENTS {
            fill.cmd("SET")
                .arg(format!("state:{student}"))
                .arg(&state)
                .ignore();
        }
        let () = fill.query_async(&mut connection.clone()).await.unwrap();
        Self {
            connection,
            bytes,
            turns: AtomicU64::new(0),
        }
    }
}

impl Bare for BareRedis {
    async fn begin(&self) {
        let turn = self.turns.fetch_add(1, Ordering::Relaxed);
        let student = turn % STUDENTS;
        let padding = self.bytes.begin.request.saturating_sub(COMMAND_BYTES);
        let mut pipe = redis::pipe();
        pipe.cmd("GET").arg(format!("answer:{turn}"));
        pipe.cmd("GET").arg(format!("state:{student}"));
        pipe.cmd("SET")
            .arg(format!("lease:{student}"))
            .arg("x".repeat(padding));
        pipe.cmd("PEXPIRE")
            .arg(format!("lease:{student}"))
            .arg(15_000);
        let _: Vec<redis::Value> = pipe
            .query_async(&mut self.connection.clone())
            .await
            .unwrap();
    }

    async fn commit(&self) {
        let turn = self.turns.fetch_add(1, Ordering::Relaxed);
        let student = turn % STUDENTS;
        let padding = self.bytes.commit.request.saturating_sub(COMMAND_BYTES);
        let half = "x".repeat(padding / 2);
        let mut pipe = redis::pipe();
        pipe.cmd("RPUSH")
            .arg(format!("messages:{student}"))
            .arg(&half);
        pipe.cmd("SET").arg(format!("answer:{turn}")).arg(&half);
        pipe.cmd("PEXPIRE")
            .arg(format!("answer:{turn}"))
            .arg(86_400_000);
        pipe.cmd("DEL").arg(format!("lease:{student}"));
        let _: Vec<redis::Value> = pipe
            .query_async(&mut self.connection.clone())
            .await
            .unwrap();
    }
}

const STATES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("states");
const TURNS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("turns");

/// A file of redb, with one thread that writes all that waits in one transaction, as the suite's store does.
pub(super) struct BareRedb {
    database: Arc<Database>,
    writes: mpsc::Sender<oneshot::Sender<()>>,
    turns: AtomicU64,
}

impl BareRedb {
    pub(super) fn open(file: &Path, fsync: bool, bytes: StoreBytes) -> Self {
        let database = Arc::new(Database::create(file).unwrap());
        let state = vec![b'x'; bytes.begin.response];
        let fill = database.begin_write().unwrap();
        {
            let mut states = fill.open_table(STATES).unwrap();
            for student in 0..STUDENTS {
                states.insert(student, state.as_slice()).unwrap();
            }
            fill.open_table(TURNS).unwrap();
        }
        fill.commit().unwrap();
        let (writes, queue) = mpsc::channel();
        let written = Arc::clone(&database);
        thread::spawn(move || write(&written, &queue, fsync, bytes.commit.request));
        Self {
            database,
            writes,
            turns: AtomicU64::new(0),
        }
    }
}

fn write(
    database: &Database,
    queue: &mpsc::Receiver<oneshot::Sender<()>>,
    fsync: bool,
    bytes: usize,
) {
    let half = vec![b'x'; bytes / 2];
    let mut key = 0_u64;
    while let Ok(first) = queue.recv() {
        let mut waiting = vec![first];
        waiting.extend(queue.try_iter());
        let mut transaction = database.begin_write().unwrap();
        let durability = if fsync {
            Durability::Immediate
        } else {
            Durability::None
        };
        transaction.set_durability(durability).unwrap();
        {
            let mut turns = transaction.open_table(TURNS).unwrap();
            for _ in 0..2 * waiting.len() {
                key += 1;
                turns.insert(key, half.as_slice()).unwrap();
            }
        }
        transaction.commit().unwrap();
        for one in waiting {
            // Nobody waits any more at the end.
            let _ = one.send(());
        }
    }
}

impl Bare for BareRedb {
    async fn begin(&self) {
        let student = self.turns.fetch_add(1, Ordering::Relaxed) % STUDENTS;
        let read = self.database.begin_read().unwrap();
        let states = read.open_table(STATES).unwrap();
        let state = states.get(student).unwrap().unwrap().value().to_vec();
        std::hint::black_box(state);
    }

    async fn commit(&self) {
        let (done, written) = oneshot::channel();
        self.writes.send(done).unwrap();
        written.await.unwrap();
    }
}
