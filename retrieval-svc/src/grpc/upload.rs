//! One upload of a source: begin, chunks, commit.

use std::{collections::HashSet, sync::Arc};

use async_stream::try_stream;
use futures_util::Stream;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;
use tonic::{Status, Streaming};
use turnwise_kit::{Caller, Fault, ids};
use turnwise_proto::{
    common::v1::ErrorReason,
    retrieval::v1::{
        SourceBegin, SourceChunk, SourceChunks, SourceCommitted, SourceProgress, SourceResume,
        UpsertSourceRequest, UpsertSourceResponse, upsert_source_request::Step,
        upsert_source_response::Event,
    },
};
use turnwise_retrieval_index::{
    ContentHash, ModelId, Progress, SourceHead, SourceKey, UploadedChunk,
};
use turnwise_retrieval_relevance::text_of_upload;

use super::{
    Served, check, convert,
    index::{int, key},
};
use crate::{course::CourseVersion, error::RetrievalError};

/// The most chunks of a source, and of one message.
const MAX_CHUNKS: (i32, usize) = (20_000, 256);
/// The most characters of a title or heading, of a section's kind, of an address, and of a text.
const MAX_TITLE: usize = 300;
const MAX_KIND: usize = 64;
const MAX_URL: usize = 2_000;
const MAX_TEXT: usize = 8_000;
/// How far from 1 the length of a vector may be.
const UNIT_LENGTH: f64 = 1e-3;

/// Takes the steps of an upload and tells how it goes.
pub(super) fn run(
    served: Arc<Served>,
    caller: Caller,
    mut steps: Streaming<UpsertSourceRequest>,
) -> impl Stream<Item = Result<UpsertSourceResponse, Status>> {
    try_stream! {
        let first = steps.message().await?.and_then(|step| step.step);
        let Some(Step::Begin(begin)) = first else {
            Err(Status::from(Fault::invalid("step", "the first step must be begin")))?;
            return;
        };
        let (course, key, head) = checked(&served, &caller, begin)?;
        let indexer = &served.indexer;
        let progress = indexer.sources.begin(&key, &head).await.map_err(RetrievalError::from)?;
        let (next, committed) = match progress {
            Progress::Staged(next) => (next, false),
            Progress::Committed => (head.chunks, true),
        };
        yield event(Event::Resume(SourceResume { next: int(next as usize), committed }));

        while let Some(step) = steps.message().await? {
            match step.step {
                Some(Step::Chunks(chunks)) => {
                    let stored = stage(&served, &course, &key, &head, chunks).await?;
                    yield event(Event::Progress(SourceProgress {
                        stored: int(stored as usize),
                        embedded: 0,
                    }));
                }
                Some(Step::Commit(_)) => {
                    let now = indexer.now_ms();
                    // What was acknowledged is served even if the caller leaves now.
                    indexer
                        .sources
                        .commit(&key, &head.revision, now)
                        .await
                        .map_err(RetrievalError::from)?;
                    let (told, mut progress) = mpsc::unbounded_channel();
                    let end = served.shutdown.child_token();
                    let _gone = end.clone().drop_guard();
                    indexer.notify();
                    let served_now = indexer.serve_source(&course, &key, &head, told, &end);
                    tokio::pin!(served_now);
                    loop {
                        let next = tokio::select! {
                            biased;
                            Some(vectors) = progress.recv() => Ok(vectors),
                            result = &mut served_now => Err(result),
                        };
                        match next {
                            Ok(vectors) => yield event(Event::Progress(SourceProgress {
                                stored: int(head.chunks as usize),
                                embedded: int(vectors.embedded),
                            })),
                            Err(result) => {
                                result.map_err(RetrievalError::from)?;
                                break;
                            }
                        }
                    }
                    let view = Served::view(&course, &caller.tenant)?;
                    yield event(Event::Committed(SourceCommitted {
                        index_id: view.id().to_owned(),
                        dense: convert::dense(view.dense).into(),
                    }));
                    return;
                }
                Some(Step::Begin(_)) | None => {
                    Err(Fault::invalid("step", "must be chunks or commit"))?;
                }
            }
        }
    }
}

fn event(event: Event) -> UpsertSourceResponse {
    UpsertSourceResponse { event: Some(event) }
}

fn checked(
    served: &Served,
    caller: &Caller,
    begin: SourceBegin,
) -> Result<(Arc<CourseVersion>, SourceKey, SourceHead), Fault> {
    ids::check("begin.course_id", &begin.course_id)?;
    ids::check("begin.source_id", &begin.source_id)?;
    ids::check("begin.revision", &begin.revision)?;
    at_most("begin.title", &begin.title, MAX_TITLE)?;
    if !["text", "pdf", "transcript"].contains(&begin.chunk_type.as_str()) {
        let problem = "must be text, pdf or transcript";
        return Err(Fault::invalid("begin.chunk_type", problem));
    }
    if !(1..=MAX_CHUNKS.0).contains(&begin.chunk_count) {
        let problem = format!("must be 1 to {}; split the source", MAX_CHUNKS.0);
        return Err(Fault::invalid("begin.chunk_count", problem));
    }
    let course = served.course(&begin.course_id, "")?;
    let key = key(caller, &begin.course_id, &begin.source_id);
    let head = SourceHead {
        revision: begin.revision.into(),
        title: begin.title.into(),
        chunk_type: begin.chunk_type.into(),
        chunks: begin.chunk_count.unsigned_abs(),
    };
    Ok((course, key, head))
}

async fn stage(
    served: &Served,
    course: &CourseVersion,
    key: &SourceKey,
    head: &SourceHead,
    chunks: SourceChunks,
) -> Result<u32, Fault> {
    let count = chunks.chunks.len();
    if !(1..=MAX_CHUNKS.1).contains(&count) {
        let problem = format!("has {count}; send 1 to {} at once", MAX_CHUNKS.1);
        return Err(Fault::invalid("chunks.chunks", problem));
    }
    let first = u32::try_from(chunks.first)
        .ok()
        .filter(|first| *first as usize + count <= head.chunks as usize)
        .ok_or_else(|| {
            let problem = format!("the source has {} chunks by its begin", head.chunks);
            Fault::invalid("chunks.first", problem)
        })?;
    let mut seen = HashSet::new();
    let mut vectors = Vec::new();
    let mut checked = Vec::with_capacity(count);
    for (at, chunk) in chunks.chunks.into_iter().enumerate() {
        if !seen.insert(chunk.chunk_id.clone()) {
            return Err(RetrievalError::DuplicateChunk(chunk.chunk_id).into());
        }
        let (chunk, vector) =
            checked_chunk(served, course, &format!("chunks.chunks[{at}]"), chunk)?;
        vectors.extend(vector);
        checked.push(chunk);
    }
    let indexer = &served.indexer;
    indexer
        .keep_vectors(vectors)
        .await
        .map_err(RetrievalError::from)?;
    let staged = indexer
        .sources
        .stage(key, &head.revision, first, checked)
        .await;
    Ok(staged.map_err(RetrievalError::from)?)
}

fn checked_chunk(
    served: &Served,
    course: &CourseVersion,
    field: &str,
    chunk: SourceChunk,
) -> Result<(UploadedChunk, Option<Given>), Fault> {
    let named = |name: &str| format!("{field}.{name}");
    ids::check(&named("chunk_id"), &chunk.chunk_id)?;
    check::unit(course, "unit_id", &chunk.unit_id)?;
    at_most(&named("section"), &chunk.section, MAX_TITLE)?;
    at_most(&named("section_kind"), &chunk.section_kind, MAX_KIND)?;
    at_most(&named("url"), &chunk.url, MAX_URL)?;
    if !(chunk.url.is_empty()
        || chunk.url.starts_with("https://")
        || chunk.url.starts_with("http://"))
    {
        return Err(Fault::invalid(
            &named("url"),
            "must begin with http:// or https://",
        ));
    }
    at_most(&named("text"), &chunk.text, MAX_TEXT)?;
    if chunk.text.trim().is_empty() {
        return Err(Fault::invalid(
            &named("text"),
            "is empty; leave the chunk out",
        ));
    }
    let page = u32::try_from(chunk.page)
        .map_err(|_| Fault::invalid(&named("page"), "must be 0 or more"))?;
    let start_ms = match chunk.start_time {
        None => None,
        Some(time) => Some(
            std::time::Duration::try_from(time)
                .ok()
                .and_then(|time| u64::try_from(time.as_millis()).ok())
                .ok_or_else(|| Fault::invalid(&named("start_time"), "must be 0 or more"))?,
        ),
    };
    let uploaded = UploadedChunk {
        id: chunk.chunk_id.into(),
        unit: chunk.unit_id.into(),
        section: chunk.section.into(),
        section_kind: chunk.section_kind.into(),
        url: chunk.url.into(),
        page,
        start_ms,
        text: chunk.text.into(),
    };
    if chunk.vector.is_empty() {
        return Ok((uploaded, None));
    }
    check_vector(
        served.indexer.model(),
        &named("vector"),
        &chunk.vector,
        &chunk.vector_model,
    )?;
    let content = Sha256::digest(text_of_upload(&uploaded)).into();
    Ok((uploaded, Some((content, chunk.vector))))
}

/// A vector that came with a chunk, by what it is made from.
type Given = (ContentHash, Vec<f32>);

/// Refuses a vector that the index could not compare with its own.
fn check_vector(
    model: Option<&ModelId>,
    field: &str,
    vector: &[f32],
    given: &str,
) -> Result<(), Fault> {
    let (name, dimension) = model.map_or(("", 0), |model| (&*model.name, model.dimension));
    if given != name || vector.len() != dimension {
        return Err(Fault::new(
            ErrorReason::IndexIncompatible,
            format!("the vector is of `{given}`, the index of `{name}`; leave vectors out"),
        )
        .field(
            field,
            format!("has {} numbers instead of {dimension}", vector.len()),
        )
        .meta("index_model", name)
        .meta("dimension", dimension.to_string()));
    }
    let length: f64 = vector
        .iter()
        .map(|x| f64::from(*x).powi(2))
        .sum::<f64>()
        .sqrt();
    if !length.is_finite() || (length - 1.0).abs() > UNIT_LENGTH {
        return Err(Fault::invalid(field, "must be finite and of length 1"));
    }
    Ok(())
}

fn at_most(field: &str, text: &str, most: usize) -> Result<(), Fault> {
    let chars = text.chars().count();
    if chars > most {
        return Err(Fault::invalid(
            field,
            format!("has {chars} characters; at most {most}"),
        ));
    }
    Ok(())
}
