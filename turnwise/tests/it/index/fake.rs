//! An index that keeps what it is sent in memory, behind a real socket, and can be made to fail.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{Arc, Mutex},
};

use tokio::{
    net::TcpListener,
    sync::{Notify, mpsc},
};
use tokio_stream::{
    Stream,
    wrappers::{ReceiverStream, TcpListenerStream},
};
use tonic::{Request, Response, Status, Streaming};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    retrieval::v1::{
        DeleteSourceRequest, DeleteSourceResponse, DenseUse, GetIndexStatusRequest,
        GetIndexStatusResponse, ListSourcesRequest, ListSourcesResponse, RebuildIndexRequest,
        RebuildIndexResponse, SearchRequest, SearchResponse, Source, SourceBegin, SourceChunk,
        SourceCommitted, SourceProgress, SourceResume, UpsertSourceRequest, UpsertSourceResponse,
        index_service_server::{IndexService, IndexServiceServer},
        upsert_source_request::Step,
        upsert_source_response::Event,
    },
};

/// The token that it takes.
pub(super) const TOKEN: &str = "token-of-a-member-of-staff";

/// What goes wrong, once.
#[derive(Clone, Copy)]
pub(super) enum Trouble {
    /// The connection breaks when so many chunks are stored.
    BreakAfter(usize),
    /// No answer comes any more when so many chunks are stored.
    SilentAfter(usize),
}

/// A source as it was uploaded.
#[derive(Clone, Default)]
pub(super) struct Kept {
    pub(super) begin: SourceBegin,
    pub(super) chunks: Vec<SourceChunk>,
    committed: bool,
}

#[derive(Default)]
struct State {
    sources: BTreeMap<String, Kept>,
    batches: Vec<i32>,
    commits: usize,
    trouble: Option<Trouble>,
    status: GetIndexStatusResponse,
    found: SearchResponse,
    asked: SearchRequest,
}

/// The index.
#[derive(Clone)]
pub(super) struct Fake {
    state: Arc<Mutex<State>>,
    silent: Arc<Notify>,
    port: u16,
}

impl Fake {
    /// Starts it on a free port.
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let fake = Self {
            state: Arc::default(),
            silent: Arc::default(),
            port: listener.local_addr().unwrap().port(),
        };
        let service = IndexServiceServer::new(fake.clone());
        tokio::spawn(
            tonic::transport::Server::builder()
                .add_service(service)
                .serve_with_incoming(TcpListenerStream::new(listener)),
        );
        fake
    }

    pub(super) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(super) fn trouble(&self, trouble: Trouble) {
        self.state.lock().unwrap().trouble = Some(trouble);
    }

    pub(super) fn status(&self, status: GetIndexStatusResponse) {
        self.state.lock().unwrap().status = status;
    }

    pub(super) fn found(&self, found: SearchResponse) {
        self.state.lock().unwrap().found = found;
    }

    /// The last search.
    pub(super) fn asked(&self) -> SearchRequest {
        self.state.lock().unwrap().asked.clone()
    }

    /// Ends when it has fallen silent.
    pub(super) async fn silent(&self) {
        self.silent.notified().await;
    }

    /// A source that was committed.
    pub(super) fn source(&self, id: &str) -> Kept {
        let kept = self.state.lock().unwrap().sources[id].clone();
        assert!(kept.committed);
        assert_eq!(
            usize::try_from(kept.begin.chunk_count),
            Ok(kept.chunks.len())
        );
        kept
    }

    /// The first place of every batch that was stored.
    pub(super) fn batches(&self) -> Vec<i32> {
        self.state.lock().unwrap().batches.clone()
    }

    fn begin(&self, begin: SourceBegin) -> Event {
        let mut state = self.state.lock().unwrap();
        let kept = state.sources.entry(begin.source_id.clone()).or_default();
        if kept.begin.revision != begin.revision {
            *kept = Kept {
                begin,
                ..Kept::default()
            };
        }
        Event::Resume(SourceResume {
            next: kept.chunks.len().try_into().unwrap(),
            committed: kept.committed,
        })
    }

    fn store(&self, id: &str, first: i32, chunks: Vec<SourceChunk>) -> Result<usize, Status> {
        if chunks.iter().any(|chunk| chunk.unit_id == "NOWHERE") {
            return Err(Fault::new(ErrorReason::UnknownUnit, "there is no unit NOWHERE").into());
        }
        let mut state = self.state.lock().unwrap();
        let kept = state.sources.get_mut(id).unwrap();
        assert_eq!(usize::try_from(first), Ok(kept.chunks.len()));
        assert!((1..=256).contains(&chunks.len()));
        kept.chunks.extend(chunks);
        let stored = kept.chunks.len();
        state.batches.push(first);
        Ok(stored)
    }

    fn commit(&self, id: &str) -> Event {
        let mut state = self.state.lock().unwrap();
        state.commits += 1;
        let index_id = format!("index-{}", state.commits);
        state.sources.get_mut(id).unwrap().committed = true;
        Event::Committed(SourceCommitted {
            index_id,
            dense: DenseUse::NoModel.into(),
        })
    }

    /// The trouble, if it is time for it.
    fn due(&self, stored: usize) -> Option<Trouble> {
        let mut state = self.state.lock().unwrap();
        let due = matches!(
            state.trouble,
            Some(Trouble::BreakAfter(after) | Trouble::SilentAfter(after)) if stored >= after
        );
        if due { state.trouble.take() } else { None }
    }

    async fn upload(
        &self,
        mut steps: Streaming<UpsertSourceRequest>,
        answers: &mpsc::Sender<Result<UpsertSourceResponse, Status>>,
    ) -> Result<(), Status> {
        let mut id = String::new();
        while let Some(step) = steps.message().await? {
            let event = match step.step.unwrap() {
                Step::Begin(begin) => {
                    id = begin.source_id.clone();
                    self.begin(begin)
                }
                Step::Chunks(chunks) => {
                    let stored = self.store(&id, chunks.first, chunks.chunks)?;
                    match self.due(stored) {
                        Some(Trouble::BreakAfter(_)) => {
                            return Err(Status::unavailable("the connection broke"));
                        }
                        Some(Trouble::SilentAfter(_)) => {
                            self.silent.notify_one();
                            answers.closed().await;
                            return Ok(());
                        }
                        None => Event::Progress(SourceProgress {
                            stored: stored.try_into().unwrap(),
                            embedded: 0,
                        }),
                    }
                }
                Step::Commit(_) => self.commit(&id),
            };
            let answer = UpsertSourceResponse { event: Some(event) };
            if answers.send(Ok(answer)).await.is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// Refuses who is not staff.
fn check<T>(request: &Request<T>) -> Result<(), Status> {
    let authorization = request.metadata().get("authorization");
    if authorization.is_some_and(|value| value == format!("Bearer {TOKEN}").as_str()) {
        return Ok(());
    }
    Err(Fault::new(ErrorReason::Unauthenticated, "who is it?").into())
}

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl IndexService for Fake {
    type UpsertSourceStream = Answers<UpsertSourceResponse>;
    type RebuildIndexStream = Answers<RebuildIndexResponse>;

    async fn upsert_source(
        &self,
        request: Request<Streaming<UpsertSourceRequest>>,
    ) -> Result<Response<Self::UpsertSourceStream>, Status> {
        check(&request)?;
        let (answers, stream) = mpsc::channel(8);
        let fake = self.clone();
        tokio::spawn(async move {
            if let Err(status) = fake.upload(request.into_inner(), &answers).await {
                let _ = answers.send(Err(status)).await;
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(stream))))
    }

    async fn delete_source(
        &self,
        request: Request<DeleteSourceRequest>,
    ) -> Result<Response<DeleteSourceResponse>, Status> {
        check(&request)?;
        let mut state = self.state.lock().unwrap();
        let deleted = state.sources.remove(&request.into_inner().source_id);
        Ok(Response::new(DeleteSourceResponse {
            deleted: deleted.is_some(),
            index_id: "index-9".to_owned(),
        }))
    }

    async fn list_sources(
        &self,
        request: Request<ListSourcesRequest>,
    ) -> Result<Response<ListSourcesResponse>, Status> {
        check(&request)?;
        let state = self.state.lock().unwrap();
        let sources = state.sources.iter().map(|(id, kept)| Source {
            source_id: id.clone(),
            revision: kept.begin.revision.clone(),
            title: kept.begin.title.clone(),
            chunk_type: kept.begin.chunk_type.clone(),
            chunks: kept.chunks.len().try_into().unwrap(),
            commit_time: Some("2026-01-02T03:04:05.678Z".parse().unwrap()),
            pending_chunks: 0,
            damaged: false,
        });
        Ok(Response::new(ListSourcesResponse {
            sources: sources.collect(),
            next_page_token: String::new(),
        }))
    }

    async fn get_index_status(
        &self,
        request: Request<GetIndexStatusRequest>,
    ) -> Result<Response<GetIndexStatusResponse>, Status> {
        check(&request)?;
        Ok(Response::new(self.state.lock().unwrap().status.clone()))
    }

    async fn rebuild_index(
        &self,
        request: Request<RebuildIndexRequest>,
    ) -> Result<Response<Self::RebuildIndexStream>, Status> {
        check(&request)?;
        let course = request.into_inner().course_id;
        if course != "algebra" {
            return Err(Fault::new(ErrorReason::UnknownCourse, "no such course").into());
        }
        let answers = [(0, ""), (310, ""), (310, "index-8")].map(|(embedded, index_id)| {
            Ok(RebuildIndexResponse {
                embedded,
                to_embed: 310,
                index_id: index_id.to_owned(),
            })
        });
        Ok(Response::new(Box::pin(tokio_stream::iter(answers))))
    }

    async fn search(
        &self,
        request: Request<SearchRequest>,
    ) -> Result<Response<SearchResponse>, Status> {
        check(&request)?;
        let mut state = self.state.lock().unwrap();
        state.asked = request.into_inner();
        Ok(Response::new(state.found.clone()))
    }
}
