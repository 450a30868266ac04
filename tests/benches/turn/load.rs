//! The load generator: so many workers, each with one turn under way at a time, until the turns are done.

use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::{task::JoinSet, time::Instant};
use tonic::{
    Request,
    metadata::{Ascii, MetadataValue},
    transport::{Channel, Endpoint},
};
use turnwise_proto::{
    exam::v1::{BatchGetQuestionStatusRequest, exam_service_client::ExamServiceClient},
    tutor::v1::{StudentInput, TakeTurnRequest, Thread, tutor_service_client::TutorServiceClient},
};
use turnwise_tests::student::{DEMO_COURSE, fresh_key, new_thread};

use crate::script::MESSAGES;

/// So many workers share one connection.
const WORKERS_PER_CHANNEL: usize = 32;
/// The model whose answers are counted; any other means that something else was measured.
const MODEL: &str = "mock";

/// What a run came to.
pub struct Run {
    /// Latencies in microseconds.
    pub latencies: Histogram<u64>,
    /// From the first turn's start to the last one's end.
    pub took: Duration,
}

/// One worker's side of the conversation.
pub trait Worker: Send + 'static {
    /// All that is needed for so many turns, before the clock runs.
    fn prepare(&mut self, turns: usize) -> impl Future<Output = ()> + Send;
    /// One turn.
    fn turn(&mut self) -> impl Future<Output = ()> + Send;
}

/// Connections for so many workers.
pub fn channels(endpoint: &str, workers: usize) -> Vec<Channel> {
    (0..workers.div_ceil(WORKERS_PER_CHANNEL))
        .map(|_| {
            Endpoint::from_shared(endpoint.to_owned())
                .unwrap()
                .connect_lazy()
        })
        .flat_map(|channel| std::iter::repeat_n(channel, WORKERS_PER_CHANNEL))
        .take(workers)
        .collect()
}

/// Every worker gets ready for its share of turns.
pub async fn prepare<W: Worker>(workers: &mut [W], share: usize) {
    futures_util::future::join_all(workers.iter_mut().map(|worker| worker.prepare(share))).await;
}

/// Every worker gets ready and takes its share of the turns.
pub async fn run<W: Worker>(mut workers: Vec<W>, turns: usize) -> Run {
    let share = turns.div_ceil(workers.len());
    prepare(&mut workers, share).await;
    run_prepared(workers, share).await
}

/// Every worker takes its share of the turns. All are ready.
pub async fn run_prepared<W: Worker>(workers: Vec<W>, share: usize) -> Run {
    let mut tasks = JoinSet::new();
    let started = Instant::now();
    for mut worker in workers {
        tasks.spawn(async move {
            let mut latencies = new_histogram();
            for _ in 0..share {
                let started = Instant::now();
                worker.turn().await;
                let took = u64::try_from(started.elapsed().as_micros()).unwrap();
                latencies.record(took).unwrap();
            }
            latencies
        });
    }
    let mut latencies = new_histogram();
    while let Some(of_worker) = tasks.join_next().await {
        latencies.add(of_worker.unwrap()).unwrap();
    }
    Run {
        latencies,
        took: started.elapsed(),
    }
}

fn new_histogram() -> Histogram<u64> {
    Histogram::new(3).unwrap()
}

/// A student who takes real turns in young threads.
pub struct Student {
    client: TutorServiceClient<Channel>,
    authorization: MetadataValue<Ascii>,
    threads: Vec<Thread>,
    taken: usize,
}

impl Student {
    /// A student with this token.
    pub fn new(channel: Channel, token: &str) -> Self {
        Self {
            client: TutorServiceClient::new(channel),
            authorization: format!("Bearer {token}").parse().unwrap(),
            threads: Vec::new(),
            taken: 0,
        }
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request
            .metadata_mut()
            .insert("authorization", self.authorization.clone());
        request
    }
}

impl Worker for Student {
    async fn prepare(&mut self, turns: usize) {
        for _ in 0..turns.div_ceil(MESSAGES.len()) {
            let request = self.request(new_thread(DEMO_COURSE));
            let response = self.client.create_thread(request).await.unwrap();
            self.threads.push(response.into_inner().thread.unwrap());
        }
    }

    async fn turn(&mut self) {
        let thread = &self.threads[self.taken / MESSAGES.len()];
        let message = turn_request(&thread.thread_id, MESSAGES[self.taken % MESSAGES.len()]);
        self.taken += 1;
        let request = self.request(message);
        let answer = self.client.take_turn(request).await.unwrap().into_inner();
        assert_eq!(answer.model, MODEL);
        assert!(answer.degraded_reasons.is_empty(), "{answer:?}");
    }
}

/// A turn's request.
pub fn turn_request(thread_id: &str, text: &str) -> TakeTurnRequest {
    TakeTurnRequest {
        thread_id: thread_id.to_owned(),
        course_id: DEMO_COURSE.to_owned(),
        input: Some(StudentInput {
            text: text.to_owned(),
            ..StudentInput::default()
        }),
        event: None,
        idempotency_key: fresh_key(),
        place_ticket: String::new(),
    }
}

/// A caller of the floor.
pub struct EchoCaller {
    client: ExamServiceClient<Channel>,
    request: BatchGetQuestionStatusRequest,
}

impl EchoCaller {
    /// One who sends this request.
    pub fn new(channel: Channel, request: BatchGetQuestionStatusRequest) -> Self {
        Self {
            client: ExamServiceClient::new(channel),
            request,
        }
    }
}

impl Worker for EchoCaller {
    async fn prepare(&mut self, _: usize) {}

    async fn turn(&mut self) {
        let request = self.request.clone();
        self.client
            .batch_get_question_status(request)
            .await
            .unwrap();
    }
}
