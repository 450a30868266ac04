//! The store in Redis: shared by all replicas of the service.
//!
//! Every operation that writes is one script: atomic, and one round trip. All go over one multiplexed connection,
//! which is made again in the background when it breaks; what waited for it fails at once.

mod keys;
mod reads;
mod scripts;
mod writes;

use std::{collections::HashMap, time::Duration};

use redis::{
    Client, ErrorKind, FromRedisValue, IntoConnectionInfo, ProtocolVersion, RedisError,
    RedisResult, ScriptInvocation, Value,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use turnwise_proto::{
    session::v1::{QuestionRecord, StudentSnapshot},
    tutor::v1::Thread,
};

use self::scripts::{Returned, Scripts};
use crate::{
    error::{SessionError, StartError},
    store::{
        BeginTurn, Begun, CommitEvidence, CommitTurn, EvidenceOutcome, MessagePage, NewThread,
        Reply, Store, StudentKey, ThreadPage,
    },
};

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long an answer may take.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);

/// How the Redis store is opened.
#[derive(Clone)]
pub struct RedisOptions {
    /// The `redis://` URL.
    pub url: String,
    /// The password, if it does not stand in the URL.
    pub password: Option<String>,
    /// How long a turn's lease lasts.
    pub lease_ttl: Duration,
    /// How long an idempotent answer is kept.
    pub idempotency_ttl: Duration,
}

/// The store in Redis.
pub struct RedisStore {
    connection: ConnectionManager,
    scripts: Scripts,
    lease_ttl: Duration,
    idempotency_ttl: Duration,
}

impl RedisStore {
    /// Prepares the store and warns if Redis may throw records away. A Redis that does not answer yet is no error:
    /// calls fail until it does.
    pub async fn open(options: &RedisOptions) -> Result<Self, StartError> {
        // The reason is left out: it may hold the URL, and that a password.
        let no_url = |_: RedisError| StartError::UnknownStore {
            problem: "the URL cannot be read; write `redis://HOST:PORT/DATABASE`".to_owned(),
        };
        let info = options
            .url
            .as_str()
            .into_connection_info()
            .map_err(no_url)?;
        // RESP3 tells of a broken connection even while nobody calls.
        let mut redis = info
            .redis_settings()
            .clone()
            .set_protocol(ProtocolVersion::RESP3);
        if let Some(password) = &options.password {
            redis = redis.set_password(password);
        }
        let client = Client::open(info.set_redis_settings(redis)).map_err(no_url)?;
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(RESPONSE_TIMEOUT))
            .set_number_of_retries(0);
        let store = Self {
            connection: ConnectionManager::new_lazy_with_config(client, config).map_err(no_url)?,
            scripts: Scripts::new(),
            lease_ttl: options.lease_ttl,
            idempotency_ttl: options.idempotency_ttl,
        };
        store.check_eviction().await;
        Ok(store)
    }

    async fn check_eviction(&self) {
        let mut command = redis::cmd("CONFIG");
        command.arg("GET").arg("maxmemory-policy");
        let answer: RedisResult<HashMap<String, String>> =
            command.query_async(&mut self.connection.clone()).await;
        let policy = answer.as_ref().map(|found| found.get("maxmemory-policy"));
        match policy {
            Ok(Some(policy)) if policy == "noeviction" => {}
            Ok(Some(policy)) => tracing::warn!(
                %policy,
                "Redis may throw away students' records when its memory is full; set `maxmemory-policy noeviction`"
            ),
            Ok(None) | Err(_) => tracing::warn!(
                error = policy.err().map(describe),
                "cannot tell what Redis does when its memory is full; make sure that `maxmemory-policy` is noeviction"
            ),
        }
    }

    /// Runs a script. A connection that was refused has sent nothing, so that is tried once more: the server may be
    /// back since the refusal was remembered.
    async fn run(&self, script: &ScriptInvocation<'_>) -> Result<Returned, SessionError> {
        let mut connection = self.connection.clone();
        let mut result: RedisResult<Vec<Value>> = script.invoke_async(&mut connection).await;
        if result
            .as_ref()
            .is_err_and(RedisError::is_connection_refusal)
        {
            result = script.invoke_async(&mut connection).await;
        }
        Returned::new(result.map_err(|error| unavailable(&error))?)
    }

    /// Runs a pipeline that only reads; see [`Self::run`].
    async fn query<T: FromRedisValue>(
        &self,
        pipeline: &redis::Pipeline,
    ) -> Result<T, SessionError> {
        let mut connection = self.connection.clone();
        let mut result: RedisResult<T> = pipeline.query_async(&mut connection).await;
        if result
            .as_ref()
            .is_err_and(RedisError::is_connection_refusal)
        {
            result = pipeline.query_async(&mut connection).await;
        }
        result.map_err(|error| unavailable(&error))
    }
}

fn unavailable(error: &RedisError) -> SessionError {
    tracing::warn!(
        error = describe(error),
        "Redis did not answer as it should; if this stays, check the server and SESSION_STORE"
    );
    SessionError::Unavailable
}

/// An error for the log. One about a value would show the value, which may be a student's.
fn describe(error: &RedisError) -> String {
    match error.kind() {
        ErrorKind::UnexpectedReturnType | ErrorKind::Parse => error.category().to_owned(),
        _ => error.to_string(),
    }
}

impl Store for RedisStore {
    fn create_thread<'a>(&'a self, student: &'a StudentKey, new: NewThread) -> Reply<'a, Thread> {
        Box::pin(self.create(student, new))
    }

    fn list_threads<'a>(
        &'a self,
        student: &'a StudentKey,
        before: Option<u64>,
        limit: usize,
    ) -> Reply<'a, ThreadPage> {
        Box::pin(self.read_threads(student, before, limit))
    }

    fn get_thread<'a>(
        &'a self,
        student: &'a StudentKey,
        thread_id: &'a str,
        after: i64,
        limit: usize,
    ) -> Reply<'a, MessagePage> {
        Box::pin(self.read_thread(student, thread_id, after, limit))
    }

    fn begin_turn<'a>(&'a self, student: &'a StudentKey, begin: BeginTurn) -> Reply<'a, Begun> {
        Box::pin(self.begin(student, begin))
    }

    fn commit_turn<'a>(&'a self, student: &'a StudentKey, commit: CommitTurn) -> Reply<'a, ()> {
        Box::pin(self.commit(student, commit))
    }

    fn renew_lease<'a>(
        &'a self,
        student: &'a StudentKey,
        thread_id: &'a str,
        fencing_token: i64,
    ) -> Reply<'a, Duration> {
        Box::pin(self.renew(student, thread_id, fencing_token))
    }

    fn abandon_turn<'a>(
        &'a self,
        student: &'a StudentKey,
        thread_id: &'a str,
        fencing_token: i64,
    ) -> Reply<'a, ()> {
        Box::pin(self.abandon(student, thread_id, fencing_token))
    }

    fn get_snapshot<'a>(
        &'a self,
        student: &'a StudentKey,
        course_id: &'a str,
    ) -> Reply<'a, StudentSnapshot> {
        Box::pin(self.read_snapshot(student, course_id))
    }

    fn commit_evidence<'a>(
        &'a self,
        student: &'a StudentKey,
        commit: CommitEvidence,
    ) -> Reply<'a, EvidenceOutcome> {
        Box::pin(self.write_evidence(student, commit))
    }

    fn question_records<'a>(
        &'a self,
        student: &'a StudentKey,
        course_id: &'a str,
        question_ids: &'a [String],
    ) -> Reply<'a, Vec<Option<QuestionRecord>>> {
        Box::pin(self.read_questions(student, course_id, question_ids))
    }
}
