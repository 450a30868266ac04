//! What a call to retrieval-svc costs beside a bare echo of the same bytes, and how soon a filled store is served.
//!
//! `cargo bench -p turnwise-tests --bench retrieval` generates 100,000 chunks in 2,000 units with vectors of 384 numbers,
//! fills a store with them, and prints lines of the form `figure NAME VALUE BOUND`. Client, service and echo share this
//! process, so all calls pay alike for its threads. A bound that is not kept is marked `missed` and is no failure.

// A benchmark that cannot run ends by panicking, and says why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod corpus;
mod service;

use std::time::Duration;

use clap::Parser;
use prost::Message;
use tokio::time::Instant;
use turnwise_proto::retrieval::v1::{
    DenseUse, MapMessageRequest, Namespace as NamespaceNumber, RetrieveRequest,
    retrieval_service_client::RetrievalServiceClient,
};
use turnwise_retrieval_index::Namespace;
use turnwise_retrieval_svc::search::{Asked, in_units};
use turnwise_testing::{
    choices::Choices,
    figure::{Bound, figure},
};
use turnwise_tests::floor;

use crate::{
    corpus::{CHUNKS_IN_UNIT, LARGE, MAPPED, pack, question, unit_id},
    service::{Service, TENANT, call, echo, fill},
};

/// Units of a scope.
const SCOPE: usize = 6;
/// Chunks of one answer.
const TOP: usize = 8;
/// The course that messages are mapped in: 3,000 chunks.
const MAPPED_UNITS: usize = 60;
/// How much dearer than an echo a call may be, in queries.
const QUERIES_OVER_ECHO: f64 = 1.5;
const MOST_MAP_US: f64 = 1000.0;
const MOST_LOAD_S: f64 = 2.0;

#[derive(Parser)]
struct Args {
    /// Few chunks and calls: shows that the benchmark runs; its figures mean nothing.
    #[arg(long)]
    quick: bool,
    /// Cargo adds it.
    #[arg(long, hide = true)]
    bench: bool,
}

impl Args {
    fn units(&self) -> usize {
        if self.quick { 40 } else { 2_000 }
    }

    /// Different questions. Their vectors all fit into the cache of queries.
    fn questions(&self) -> usize {
        if self.quick { 50 } else { 2_000 }
    }
}

#[tokio::main]
async fn main() {
    let args = Args::parse();
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("index.redb");
    let packs = [pack(LARGE, args.units(), false)];
    let chunks = args.units() * CHUNKS_IN_UNIT;

    let begun = Instant::now();
    fill(&file, args.units()).await;
    println!("{chunks} chunks uploaded in {:.1} s", seconds(begun));
    let begun = Instant::now();
    let service = Service::start(&file, &packs).await;
    println!("served by words after {:.1} s", seconds(begun));
    service.becomes_whole(&[LARGE]).await;
    println!("served whole after {:.1} s", seconds(begun));
    service.stop().await;

    let begun = Instant::now();
    let service = Service::start(&file, &packs).await;
    let load = seconds(begun);
    let whole = service.is_whole(&[LARGE]);
    assert!(whole, "nothing has to be embedded again");
    figure("load_100k_s", load, Bound::Below(MOST_LOAD_S));

    retrieve(&service, &args).await;
    service.add(&pack(MAPPED, MAPPED_UNITS, true)).await;
    service.becomes_whole(&[MAPPED]).await;
    map(&service, &args).await;
    service.stop().await;
}

fn seconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Times in microseconds.
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    fn note(&mut self, since: Instant) {
        self.0.push(micros(since.elapsed()));
    }

    fn percentile(&mut self, hundredths: usize) -> f64 {
        self.0.sort_by(f64::total_cmp);
        let at = self.0.len() * hundredths / 100;
        self.0[at.min(self.0.len() - 1)]
    }

    fn tell(&mut self, name: &str) {
        for hundredths in [50, 99] {
            let value = self.percentile(hundredths);
            figure(&format!("{name}_p{hundredths}_us"), value, Bound::Report);
        }
    }
}

/// A scoped hybrid search as a call, the same search by itself, and an echo of the call's bytes, in turns.
async fn retrieve(service: &Service, args: &Args) {
    let mut client = RetrievalServiceClient::new(service.client.clone());
    let mut echo = echo().await;
    let course = service.course(LARGE);
    let view = course.view(TENANT).unwrap();
    let mut choices = Choices::new(3);
    let mut questions = Vec::new();
    for _ in 0..args.questions() {
        let units: Vec<usize> = (0..SCOPE).map(|_| choices.below(args.units())).collect();
        let request = RetrieveRequest {
            course_id: LARGE.to_owned(),
            text: question(&mut choices, units[0]),
            scoped_unit_ids: units.into_iter().map(unit_id).collect(),
            namespaces: vec![NamespaceNumber::UnitContentChunks.into()],
            ..RetrieveRequest::default()
        };
        // The first time, its vector is made and kept.
        let response = client.retrieve(call().request(request.clone())).await;
        let response = response.unwrap().into_inner();
        assert_eq!(response.dense(), DenseUse::Used);
        assert_eq!(response.chunks.len(), TOP);
        let bytes = floor::Bytes {
            request: request.encoded_len(),
            response: response.encoded_len(),
        };
        questions.push((request, floor::front_request(bytes), bytes.response));
    }

    let mut rpc = Times::default();
    let mut bare = Times::default();
    let mut read = Times::default();
    let mut query = Times::default();
    for (request, echoed, _) in &questions {
        let message = call().request(request.clone());
        let begun = Instant::now();
        let response = client.retrieve(message).await.unwrap();
        rpc.note(begun);
        drop(response);

        let message = echoed.clone();
        let begun = Instant::now();
        let response = echo.batch_get_question_status(message).await.unwrap();
        bare.note(begun);
        drop(response);

        let call = call();
        let said = (request.text.as_str(), &[][..]);
        let begun = Instant::now();
        let asked = Asked::new(&course, Some(&view), said, Some(&service.queries), &call).await;
        read.note(begun);
        let filter = in_units(request.scoped_unit_ids.iter().map(String::as_str), None);
        let begun = Instant::now();
        let hits = asked.search(&view, Namespace::Chunks, &filter, TOP).await;
        query.note(begun);
        assert_eq!(hits.unwrap().len(), TOP);
    }
    let bytes: usize = questions.iter().map(|(_, _, bytes)| bytes).sum();
    figure(
        "retrieve_response_bytes",
        bytes as f64 / questions.len() as f64,
        Bound::Report,
    );
    bare.tell("echo");
    rpc.tell("retrieve");
    // The text is cut into terms, and its vector is looked up.
    read.tell("read");
    query.tell("query");
    let most = QUERIES_OVER_ECHO * query.percentile(50);
    let over = rpc.percentile(50) - bare.percentile(50);
    figure("retrieve_over_echo_us", over, Bound::AtMost(most));
}

/// Messages with what was said before them, mapped in a course of 3,000 chunks.
async fn map(service: &Service, args: &Args) {
    let mut client = RetrievalServiceClient::new(service.client.clone());
    let mut choices = Choices::new(4);
    let requests: Vec<MapMessageRequest> = (0..args.questions())
        .map(|_| {
            let unit = choices.below(MAPPED_UNITS);
            MapMessageRequest {
                course_id: MAPPED.to_owned(),
                text: question(&mut choices, unit),
                recent_texts: (0..4).map(|_| question(&mut choices, unit)).collect(),
                ..MapMessageRequest::default()
            }
        })
        .collect();
    let mut times = Times::default();
    for timed in [false, true] {
        for request in &requests {
            let message = call().request(request.clone());
            let begun = Instant::now();
            let response = client.map_message(message).await.unwrap().into_inner();
            if timed {
                times.note(begun);
            }
            assert_eq!(response.dense(), DenseUse::Used);
        }
    }
    times.tell("map_message");
    figure(
        "map_message_us",
        times.percentile(50),
        Bound::AtMost(MOST_MAP_US),
    );
}
