//! Calls of the database with time limits and repeats. All calls that we make can be repeated without harm.

use std::{future::Future, path::Path, time::Duration};

use qdrant_client::qdrant::{
    CountPoints, DeletePoints, Filter, GetPoints, HealthCheckRequest, PointId,
    PointsOperationResponse, PointsSelector, QueryBatchPoints, ReadConsistency,
    ReadConsistencyType, RetrievedPoint, ScoredPoint, ScrollPoints, UpdateStatus, UpsertPoints,
    VectorsSelector, WithPayloadSelector, WithVectorsSelector, WriteOrdering, WriteOrderingType,
    collections_client::CollectionsClient, points_client::PointsClient,
    points_selector::PointsSelectorOneOf, qdrant_client::QdrantClient, read_consistency,
    with_vectors_selector::SelectorOptions,
};
use tonic::{
    Request, Response, Status,
    metadata::{Ascii, MetadataValue},
    service::{Interceptor, interceptor::InterceptedService},
    transport::{Channel, ClientTlsConfig, Endpoint},
};
use turnwise_kit::{
    Kit, client,
    files::{Followed, NamedFile},
    settings::SettingsError,
    tls::Tls,
};

use crate::{
    failure::Failure,
    options::{Options, OptionsError},
    payload::nothing,
};

/// The settings that channels of this project share.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(20);
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// A page of markers or passages can be large.
const LARGEST_ANSWER: usize = 64 * 1024 * 1024;

/// How often a read is made at most. Someone waits for it.
const READS: u32 = 4;
/// How often a write is made at most: a collection that another replica has just made is not ready for a second or so.
const WRITES: u32 = 7;
/// How long we wait before the second time; doubled before each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// Points in one page of a scroll.
const PAGE: u32 = 500;

type Points = PointsClient<InterceptedService<Channel, ApiKey>>;
type Health = QdrantClient<InterceptedService<Channel, ApiKey>>;
type Collections = CollectionsClient<InterceptedService<Channel, ApiKey>>;

/// Shows the API key with each call.
#[derive(Clone)]
pub(crate) struct ApiKey(Option<Followed<MetadataValue<Ascii>>>);

impl Interceptor for ApiKey {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(key) = &self.0 {
            request
                .metadata_mut()
                .insert("api-key", MetadataValue::clone(&key.get()));
        }
        Ok(request)
    }
}

/// A connection to the database: lazy, shared, and repaired by itself.
pub(crate) struct Connection {
    points: Points,
    collections: Collections,
    health: Health,
    reads: Patience,
    writes: Patience,
}

/// How long a call may take, and how often it is made, at most.
#[derive(Clone, Copy)]
struct Patience {
    limit: Duration,
    attempts: u32,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    pub(crate) fn new(options: &Options, kit: &Kit) -> Result<Self, OptionsError> {
        let channel = channel(options, kit)?;
        let key = options.api_key_file.as_deref().map(api_key).transpose()?;
        if let Some(key) = &key {
            key.follow(kit);
        }
        let key = ApiKey(key);
        Ok(Self {
            points: PointsClient::with_interceptor(channel.clone(), key.clone())
                .max_decoding_message_size(LARGEST_ANSWER),
            collections: CollectionsClient::with_interceptor(channel.clone(), key.clone())
                .max_decoding_message_size(LARGEST_ANSWER),
            health: QdrantClient::with_interceptor(channel, key),
            reads: Patience {
                limit: options.read_timeout,
                attempts: READS,
            },
            writes: Patience {
                limit: options.write_timeout,
                attempts: WRITES,
            },
        })
    }

    /// The version of the database.
    pub(crate) async fn version(&self) -> Result<String, Failure> {
        let answer = repeated("asking for the version", self.reads, || async move {
            let mut health = self.health.clone();
            health.health_check(HealthCheckRequest {}).await
        });
        Ok(answer.await?.version)
    }

    /// A call about collections.
    pub(crate) async fn collections<T, F>(
        &self,
        what: &'static str,
        call: impl Fn(Collections) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        repeated(what, self.writes, || call(self.collections.clone())).await
    }

    /// A write, acknowledged when it is applied.
    pub(crate) async fn write<F>(
        &self,
        what: &'static str,
        call: impl Fn(Points) -> F,
    ) -> Result<(), Failure>
    where
        F: Future<Output = Result<Response<PointsOperationResponse>, Status>>,
    {
        let answer = repeated(what, self.writes, || call(self.points.clone())).await?;
        let status = answer.result.map(|r| r.status());
        match status {
            Some(UpdateStatus::Completed) => Ok(()),
            Some(UpdateStatus::Acknowledged | UpdateStatus::WaitTimeout) => Err(Failure::Away(
                format!("{what}: the write is not applied yet"),
            )),
            _ => Err(Failure::Wrong(format!("{what}: no status of the write"))),
        }
    }

    /// Writes points.
    pub(crate) async fn upsert(&self, request: UpsertPoints) -> Result<(), Failure> {
        let request = UpsertPoints {
            wait: Some(true),
            ordering: Some(strong()),
            ..request
        };
        let request = &request;
        self.write("writing points", |mut points| async move {
            points.upsert(request.clone()).await
        })
        .await
    }

    /// Deletes the points that a filter selects.
    pub(crate) async fn delete(&self, collection: &str, filter: Filter) -> Result<(), Failure> {
        let request = &DeletePoints {
            collection_name: collection.to_owned(),
            wait: Some(true),
            points: Some(PointsSelector {
                points_selector_one_of: Some(PointsSelectorOneOf::Filter(filter)),
            }),
            ordering: Some(strong()),
            ..DeletePoints::default()
        };
        self.write("deleting points", |mut points| async move {
            points.delete(request.clone()).await
        })
        .await
    }

    /// How many points a filter selects.
    pub(crate) async fn count(&self, collection: &str, filter: Filter) -> Result<u64, Failure> {
        let request = &CountPoints {
            collection_name: collection.to_owned(),
            filter: Some(filter),
            exact: Some(true),
            read_consistency: Some(majority()),
            ..CountPoints::default()
        };
        let answer = repeated("counting points", self.reads, || async move {
            self.points.clone().count(request.clone()).await
        })
        .await?;
        let result = answer.result;
        result
            .map(|r| r.count)
            .ok_or_else(|| Failure::Wrong("counting points: no count".to_owned()))
    }

    /// Points by their ids; those that are not there are left out.
    pub(crate) async fn get(
        &self,
        collection: &str,
        ids: Vec<PointId>,
        payload: WithPayloadSelector,
    ) -> Result<Vec<RetrievedPoint>, Failure> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.fetch(GetPoints {
            collection_name: collection.to_owned(),
            ids,
            with_payload: Some(payload),
            ..GetPoints::default()
        })
        .await
    }

    /// One of the vectors of points, by their ids; those that are not there are left out.
    pub(crate) async fn vectors(
        &self,
        collection: &str,
        ids: Vec<PointId>,
        name: &str,
    ) -> Result<Vec<RetrievedPoint>, Failure> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let names = vec![name.to_owned()];
        self.fetch(GetPoints {
            collection_name: collection.to_owned(),
            ids,
            with_payload: Some(nothing()),
            with_vectors: Some(WithVectorsSelector {
                selector_options: Some(SelectorOptions::Include(VectorsSelector { names })),
            }),
            ..GetPoints::default()
        })
        .await
    }

    async fn fetch(&self, request: GetPoints) -> Result<Vec<RetrievedPoint>, Failure> {
        let request = &GetPoints {
            read_consistency: Some(majority()),
            ..request
        };
        let answer = repeated("reading points", self.reads, || async move {
            self.points.clone().get(request.clone()).await
        })
        .await?;
        Ok(answer.result)
    }

    /// All points that a filter selects, page by page.
    pub(crate) async fn scroll(
        &self,
        collection: &str,
        filter: Filter,
        payload: WithPayloadSelector,
    ) -> Result<Vec<RetrievedPoint>, Failure> {
        let mut found = Vec::new();
        let mut request = ScrollPoints {
            collection_name: collection.to_owned(),
            filter: Some(filter),
            limit: Some(PAGE),
            with_payload: Some(payload),
            read_consistency: Some(majority()),
            ..ScrollPoints::default()
        };
        loop {
            let asked = &request;
            let answer = repeated("reading points", self.reads, || async move {
                self.points.clone().scroll(asked.clone()).await
            })
            .await?;
            found.extend(answer.result);
            match answer.next_page_offset {
                None => return Ok(found),
                next if next == request.offset => {
                    return Err(Failure::Wrong("reading points: a page twice".to_owned()));
                }
                next => request.offset = next,
            }
        }
    }

    /// Several searches at once; one list of points for each.
    pub(crate) async fn query(
        &self,
        request: QueryBatchPoints,
    ) -> Result<Vec<Vec<ScoredPoint>>, Failure> {
        let request = &request;
        let answer = repeated("searching", self.reads, || async move {
            self.points.clone().query_batch(request.clone()).await
        })
        .await?;
        if answer.result.len() != request.query_points.len() {
            return Err(Failure::Wrong(format!(
                "searching: {} answers to {} questions",
                answer.result.len(),
                request.query_points.len()
            )));
        }
        Ok(answer.result.into_iter().map(|r| r.result).collect())
    }
}

fn strong() -> WriteOrdering {
    WriteOrdering {
        r#type: WriteOrderingType::Strong.into(),
    }
}

fn majority() -> ReadConsistency {
    ReadConsistency {
        value: Some(read_consistency::Value::Type(
            ReadConsistencyType::Majority.into(),
        )),
    }
}

/// Makes a call until it succeeds, fails for good, or its time is over.
async fn repeated<T, F>(
    what: &'static str,
    patience: Patience,
    call: impl Fn() -> F,
) -> Result<T, Failure>
where
    F: Future<Output = Result<Response<T>, Status>>,
{
    let attempts = async {
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            match call().await {
                Ok(answer) => return Ok(answer.into_inner()),
                Err(status) => {
                    let failure = Failure::of(what, &status);
                    if !failure.may_pass() || attempt == patience.attempts {
                        return Err(failure);
                    }
                    tracing::debug!(what, %status, "the vector database is asked again");
                }
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        Err(Failure::Away(what.to_owned()))
    };
    match tokio::time::timeout(patience.limit, attempts).await {
        Ok(result) => result,
        Err(_) => Err(Failure::Away(format!(
            "{what}: no answer within {} ms",
            patience.limit.as_millis()
        ))),
    }
}

fn channel(options: &Options, kit: &Kit) -> Result<Channel, OptionsError> {
    let wrong = || OptionsError::Url(options.url.clone());
    let secure = options.url.starts_with("https://");
    if !secure && !options.url.starts_with("http://") {
        return Err(wrong());
    }
    if let Some(path) = &options.authority_file {
        if !secure {
            return Err(OptionsError::Plain);
        }
        let tls = Tls::load(Some(NamedFile::public("QDRANT_CA_FILE", path)), None)?;
        tls.follow(kit);
        return Ok(client::channel(&options.url, Some(&tls), kit)?);
    }
    let endpoint = Endpoint::from_shared(options.url.clone())
        .map_err(|_| wrong())?
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
        .keep_alive_while_idle(true);
    if !secure {
        return Ok(endpoint.connect_lazy());
    }
    let system = ClientTlsConfig::new().with_native_roots();
    let endpoint = endpoint.tls_config(system).map_err(|_| wrong())?;
    Ok(endpoint.connect_lazy())
}

fn api_key(path: &Path) -> Result<Followed<MetadataValue<Ascii>>, SettingsError> {
    Followed::load(
        vec![NamedFile::secret("QDRANT_API_KEY_FILE", path)],
        |contents| {
            let key = String::from_utf8_lossy(&contents[0]);
            let key = MetadataValue::try_from(key.trim());
            let mut key = key.map_err(|_| "an API key is printable ASCII")?;
            key.set_sensitive(true);
            Ok(key)
        },
    )
}
