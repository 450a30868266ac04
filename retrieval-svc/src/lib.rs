//! retrieval-svc: finds the course text that a turn may use, and decides nothing.
//!
//! | module | is about |
//! | --- | --- |
//! | [`courses`] | the packs that are served, in their last versions |
//! | [`course`] | one version of a course, and the index that each tenant searches |
//! | [`indexing`] | from packs and uploads to indexes, and keeping them so |
//! | [`search`] | one turn's text, asked of an index |
//! | [`references`], [`artifacts`] | teachers' reference texts; parts of students' work |
//! | [`grpc`] | the service's faces: check requests, convert answers |
//! | [`config`], [`error`] | settings; what can go wrong |
//! | [`program`] | the service as a process of its own |
//!
//! What it is made of stands in crates of their own beside it: `index` (the search engine), `store` (uploads on disk),
//! `qdrant` (both, shared), `embeddings` (texts to vectors), `relevance` (what a message asks for), `quality` (how good
//! all that is, measured).

pub mod artifacts;
pub mod config;
pub mod course;
pub mod courses;
pub mod error;
pub mod grpc;
pub mod indexing;
pub mod program;
pub mod references;
pub mod search;

use std::{sync::Arc, time::Duration};

use turnwise_kit::{Gzip, Kit, client::GrpcClient, sizes::INTERNAL_MESSAGE};
use turnwise_proto::retrieval::v1::{
    index_service_server::IndexServiceServer, retrieval_service_server::RetrievalServiceServer,
};

pub use config::{RetrievalSettings, Settings};
pub use courses::Courses;
pub use error::StartError;

use crate::{
    grpc::{IndexGrpc, RetrievalGrpc, Served},
    indexing::Indexer,
    references::References,
};

/// The full gRPC names that are served.
pub const SERVICE_NAMES: &[&str] = &[
    "turnwise.retrieval.v1.RetrievalService",
    "turnwise.retrieval.v1.IndexService",
];

/// The service's routes, without the server stack around them. Loads and indexes the courses first, and follows their
/// folder until the process ends. `llm` leads to the model gateway; needed with EMBEDDINGS=gateway only.
///
/// # Errors
/// The courses cannot be served, or a setting is wrong; the message says what to do.
pub async fn routes(
    settings: &Settings,
    llm: Option<GrpcClient>,
    kit: &Kit,
) -> Result<tonic::service::Routes, StartError> {
    let references = References::open(&settings.own.references).map_err(StartError::References)?;
    let backends = settings.own.open(llm, kit).await?;
    let queries = Arc::clone(&backends.queries);
    let indexer = Arc::new(Indexer::new(backends, Arc::clone(&kit.clock)));
    let opened = courses::open(&settings.courses, Arc::clone(&indexer), kit);
    let library = Arc::new(opened.await?);
    let courses = library.catalog();
    let every = Duration::from_secs(settings.courses.courses_reload_seconds.into());
    let tending = Arc::clone(&indexer).tend(every, kit.shutdown.clone());
    kit.tasks.spawn(tending);
    kit.tasks
        .spawn(library.follow(every, kit.shutdown.clone().cancelled_owned()));
    let served = Arc::new(Served {
        courses,
        indexer,
        queries,
        references,
        upserts: settings.own.takes_uploads(),
        pages: kit.pages.clone(),
        shutdown: kit.shutdown.clone(),
    });
    Ok(routes_over(served))
}

/// The service's routes over what is opened already.
pub fn routes_over(served: Arc<Served>) -> tonic::service::Routes {
    tonic::service::Routes::new(
        RetrievalServiceServer::new(RetrievalGrpc(Arc::clone(&served)))
            .accept_compressed(Gzip)
            .max_decoding_message_size(INTERNAL_MESSAGE),
    )
    .add_service(
        IndexServiceServer::new(IndexGrpc(served))
            .accept_compressed(Gzip)
            .max_decoding_message_size(INTERNAL_MESSAGE),
    )
}
