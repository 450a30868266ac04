//! `turnwise.retrieval.v1.IndexService`.

use std::{pin::Pin, sync::Arc};

use async_stream::try_stream;
use futures_util::Stream;
use prost_types::Timestamp;
use tokio::sync::mpsc;
use tonic::{Request, Response, Status, Streaming};
use turnwise_kit::{CallContext, Caller, Fault, ids, page};
use turnwise_proto::retrieval::v1::{
    DeleteSourceRequest, DeleteSourceResponse, GetIndexStatusRequest, GetIndexStatusResponse,
    ListSourcesRequest, ListSourcesResponse, NamespaceRows, RebuildIndexRequest,
    RebuildIndexResponse, SearchHit, SearchRequest, SearchResponse, SearchUnit, Source,
    UpsertSourceRequest, UpsertSourceResponse, index_service_server::IndexService,
};
use turnwise_retrieval_index::{Filter, Hit, Namespace, SourceKey, SourceState};

use super::{Served, check, convert, upload};
use crate::{
    course::{CourseVersion, View},
    error::RetrievalError,
    search::Asked,
};

/// The roles that may look after an index.
const ROLES: &[&str] = &["staff", "service"];
/// Pages of sources: the usual and the largest size.
const PAGE: (usize, usize) = (100, 1000);
/// The most units that a search can be limited to.
const MAX_UNITS: usize = 50;
/// Hits of a search: the usual and the largest number.
const TOP_K: (usize, usize) = (10, 100);
/// Characters of a hit's text that are shown.
const SHOWN_CHARS: usize = 500;

/// The service.
#[derive(Clone)]
pub struct IndexGrpc(pub Arc<Served>);

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// Somebody who looks after the index of their tenant.
fn admit<T>(request: &Request<T>) -> Result<(CallContext, Caller), Fault> {
    let call = CallContext::of(request);
    let caller = call.caller()?.clone();
    caller.require(ROLES)?;
    Ok((call, caller))
}

pub(super) fn key(caller: &Caller, course_id: &str, source_id: &str) -> SourceKey {
    SourceKey {
        tenant: caller.tenant.as_str().into(),
        course: course_id.into(),
        source: source_id.into(),
    }
}

#[tonic::async_trait]
impl IndexService for IndexGrpc {
    type UpsertSourceStream = Answers<UpsertSourceResponse>;

    async fn upsert_source(
        &self,
        request: Request<Streaming<UpsertSourceRequest>>,
    ) -> Result<Response<Self::UpsertSourceStream>, Status> {
        let (_, caller) = admit(&request)?;
        if !self.0.upserts {
            return Err(RetrievalError::UpsertsOff.into());
        }
        let steps = request.into_inner();
        Ok(Response::new(Box::pin(upload::run(
            Arc::clone(&self.0),
            caller,
            steps,
        ))))
    }

    async fn delete_source(
        &self,
        request: Request<DeleteSourceRequest>,
    ) -> Result<Response<DeleteSourceResponse>, Status> {
        let (_, caller) = admit(&request)?;
        if !self.0.upserts {
            return Err(RetrievalError::UpsertsOff.into());
        }
        let request = request.into_inner();
        ids::check("course_id", &request.course_id)?;
        ids::check("source_id", &request.source_id)?;
        let course = self.0.course(&request.course_id, "")?;
        let indexer = &self.0.indexer;
        let key = key(&caller, &request.course_id, &request.source_id);
        let deleted = indexer.sources.remove(&key).await;
        let deleted = deleted.map_err(RetrievalError::from)?;
        indexer
            .refresh_all(course.id())
            .await
            .map_err(RetrievalError::from)?;
        let view = Served::view(&course, &caller.tenant)?;
        Ok(Response::new(DeleteSourceResponse {
            deleted,
            index_id: view.id().to_owned(),
        }))
    }

    async fn list_sources(
        &self,
        request: Request<ListSourcesRequest>,
    ) -> Result<Response<ListSourcesResponse>, Status> {
        let (_, caller) = admit(&request)?;
        let request = request.into_inner();
        ids::check("course_id", &request.course_id)?;
        self.0.course(&request.course_id, "")?;
        let size = page::size(request.page_size, PAGE.0, PAGE.1)?;
        let filter = [&*request.course_id];
        let pages = self.0.pages.list("ListSources", Some(&caller), &filter);
        let start: String = pages.start(&request.page_token)?.unwrap_or_default();
        let sources = &self.0.indexer.sources;
        let states = sources.list(&caller.tenant, &request.course_id).await;
        let states = states.map_err(RetrievalError::from)?;
        let mut after: Vec<SourceState> = states
            .into_iter()
            .filter(|state| *state.key.source > *start)
            .collect();
        let last = after.get(size.saturating_sub(1));
        let last = last.filter(|_| after.len() > size);
        let next_page_token = pages.next(last.map(|state| &state.key.source));
        after.truncate(size);
        Ok(Response::new(ListSourcesResponse {
            sources: after.into_iter().map(source).collect(),
            next_page_token,
        }))
    }

    async fn get_index_status(
        &self,
        request: Request<GetIndexStatusRequest>,
    ) -> Result<Response<GetIndexStatusResponse>, Status> {
        let (_, caller) = admit(&request)?;
        let request = request.into_inner();
        ids::check("course_id", &request.course_id)?;
        let course = self.0.course(&request.course_id, "")?;
        let indexer = &self.0.indexer;
        let model = indexer.model();
        let mut status = GetIndexStatusResponse {
            pack_hash: course.pack().hash.clone(),
            pack_hashes: indexer.held(course.id()),
            engine: indexer.engine().to_owned(),
            model: model.map_or_else(String::new, |model| model.name.to_string()),
            dimension: model.map_or(0, |model| int(model.dimension)),
            stemmed: course.analyser.is_stemmed(),
            ..GetIndexStatusResponse::default()
        };
        match course.view(&caller.tenant) {
            Some(view) => {
                status.index_id = view.id().to_owned();
                status.dense = convert::dense(view.dense).into();
                status.rows = rows(&view);
                status.embedded = long(view.embedded);
                status.to_embed = long(view.to_embed);
                status.sources = int(view.sources);
                status.problem = view.problem.clone();
            }
            None => status.problem = RetrievalError::EngineAway.to_string(),
        }
        Ok(Response::new(status))
    }

    type RebuildIndexStream = Answers<RebuildIndexResponse>;

    async fn rebuild_index(
        &self,
        request: Request<RebuildIndexRequest>,
    ) -> Result<Response<Self::RebuildIndexStream>, Status> {
        let (_, caller) = admit(&request)?;
        let request = request.into_inner();
        ids::check("course_id", &request.course_id)?;
        let course = self.0.course(&request.course_id, "")?;
        let served = Arc::clone(&self.0);
        let stream = try_stream! {
            let (told, mut progress) = mpsc::unbounded_channel();
            let end = served.shutdown.child_token();
            let _gone = end.clone().drop_guard();
            let indexer = &served.indexer;
            let rebuilt = indexer.rebuild(&course, &caller.tenant, request.forget_vectors, told, &end);
            tokio::pin!(rebuilt);
            let mut last = RebuildIndexResponse::default();
            loop {
                let next = tokio::select! {
                    biased;
                    Some(vectors) = progress.recv() => Ok(vectors),
                    result = &mut rebuilt => Err(result),
                };
                match next {
                    Ok(vectors) => {
                        last = RebuildIndexResponse {
                            embedded: long(vectors.embedded),
                            to_embed: long(vectors.to_embed),
                            index_id: String::new(),
                        };
                        yield last.clone();
                    }
                    Err(result) => {
                        result.map_err(RetrievalError::from)?;
                        break;
                    }
                }
            }
            let view = Served::view(&course, &caller.tenant)?;
            yield RebuildIndexResponse { index_id: view.id().to_owned(), ..last };
        };
        Ok(Response::new(Box::pin(stream)))
    }

    async fn search(
        &self,
        request: Request<SearchRequest>,
    ) -> Result<Response<SearchResponse>, Status> {
        let (call, caller) = admit(&request)?;
        let request = request.into_inner();
        check::course_ids(&request.course_id, &request.pack_hash)?;
        check::texts(&request.text, &request.recent_texts)?;
        if request.text.trim().is_empty() {
            return Err(Fault::invalid("text", "is empty; say what to search for").into());
        }
        let top = match usize::try_from(request.top_k) {
            Ok(0) => TOP_K.0,
            Ok(top) if top <= TOP_K.1 => top,
            _ => {
                let problem = format!("must be 0 (for {}) to {}", TOP_K.0, TOP_K.1);
                return Err(Fault::invalid("top_k", problem).into());
            }
        };
        let course = self.0.course(&request.course_id, &request.pack_hash)?;
        let namespace = check::namespace("namespace", request.namespace)?;
        let units = check::units(&course, "unit_ids", &request.unit_ids, 0..=MAX_UNITS)?;
        let filter = Filter {
            units: (!units.is_empty()).then(|| units.into_iter().map(Into::into).collect()),
            tier: check::tier("tier", request.tier)?,
        };
        let view = Served::view(&course, &caller.tenant)?;
        let said = (request.text.as_str(), request.recent_texts.as_slice());
        let queries = Some(&*self.0.queries);
        let mut asked = Asked::new(&course, Some(&view), said, queries, &call).await;
        let hits = asked.search(&view, namespace, &filter, top).await;
        let hits = hits.map_err(RetrievalError::from)?;
        let matched = asked.matched(&view, namespace, &hits).await;
        let matched = matched.map_err(RetrievalError::from)?;
        let mapped = asked.map(&course.mapping, Some(&view)).await;
        Ok(Response::new(SearchResponse {
            mapped_units: mapped
                .into_iter()
                .map(|mapped| SearchUnit {
                    unit_id: mapped.unit.to_owned(),
                    confidence: mapped.confidence,
                })
                .collect(),
            hits: hits
                .iter()
                .zip(matched)
                .map(|(hit, matched)| search_hit(&course, namespace, hit, matched))
                .collect(),
            index_id: view.id().to_owned(),
            dense: asked.dense.into(),
        }))
    }
}

fn rows(view: &View) -> Vec<NamespaceRows> {
    use turnwise_proto::retrieval::v1::Namespace as Number;
    let namespaces = [
        (Namespace::Anchors, Number::UnitAnchors),
        (Namespace::Chunks, Number::UnitContentChunks),
        (Namespace::ExamCandidates, Number::ExamCandidates),
        (Namespace::ExamSupport, Number::ExamSupportChunks),
    ];
    let rows = namespaces.map(|(namespace, number)| NamespaceRows {
        namespace: number.into(),
        rows: long(view.rows(namespace)),
    });
    rows.to_vec()
}

fn source(state: SourceState) -> Source {
    let mut source = Source {
        source_id: state.key.source.to_string(),
        damaged: state.damaged,
        pending_chunks: state
            .pending
            .as_ref()
            .map_or(0, |(_, kept)| int(*kept as usize)),
        ..Source::default()
    };
    if let Some((head, committed_ms)) = &state.committed {
        source.revision = head.revision.to_string();
        source.chunks = int(head.chunks as usize);
        source.commit_time = Some(Timestamp {
            seconds: i64::try_from(committed_ms / 1000).unwrap_or(i64::MAX),
            nanos: i32::try_from(committed_ms % 1000).unwrap_or(0) * 1_000_000,
        });
    }
    let head = state.committed.map(|(head, _)| head);
    if let Some(head) = head.or(state.pending.map(|(head, _)| head)) {
        source.title = head.title.to_string();
        source.chunk_type = head.chunk_type.to_string();
    }
    source
}

fn search_hit(
    course: &CourseVersion,
    namespace: Namespace,
    hit: &Hit,
    matched: Vec<Box<str>>,
) -> SearchHit {
    let (title, text) = match (namespace, &hit.passage) {
        (_, Some(passage)) => {
            let title = if passage.section.is_empty() {
                &passage.title
            } else {
                &passage.section
            };
            (title.to_string(), passage.text.to_string())
        }
        (Namespace::Anchors, None) => course
            .unit(&hit.id)
            .map(|unit| (unit.title.clone(), unit.summary.clone()))
            .unwrap_or_default(),
        (Namespace::ExamCandidates, None) => course
            .question(&hit.id)
            .map(|question| (question.tags.join(", "), question.prompt.clone()))
            .unwrap_or_default(),
        (_, None) => course
            .support(&hit.id)
            .map(|support| (support.question.clone(), support.text.clone()))
            .unwrap_or_default(),
    };
    SearchHit {
        id: hit.id.to_string(),
        unit_ids: hit.units.iter().map(ToString::to_string).collect(),
        title,
        text: text.chars().take(SHOWN_CHARS).collect(),
        score: hit.score,
        lexical: hit.lexical.map_or(0.0, |ranked| ranked.score),
        lexical_rank: hit.lexical.map_or(0, |ranked| int(ranked.rank as usize)),
        dense_score: hit.dense.map_or(0.0, |ranked| ranked.score),
        dense_rank: hit.dense.map_or(0, |ranked| int(ranked.rank as usize)),
        matched: matched.into_iter().map(String::from).collect(),
        citation: hit
            .passage
            .as_ref()
            .map(|passage| convert::citation(passage)),
    }
}

pub(super) fn int(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn long(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
