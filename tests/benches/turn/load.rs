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
    tutor::v1::{
        ClientEventKind, DegradedReason, DrillResult, GradeDrillRequest, GradedBy,
        StreamTurnRequest, StudentInput, TakeTurnRequest, TakeTurnResponse, Thread,
        stream_turn_response::News, tutor_card::Content, tutor_service_client::TutorServiceClient,
    },
};
use turnwise_tests::student::{DEMO_COURSE, fresh_key, new_thread, pressing};

use crate::script::MESSAGES;

/// So many workers share one connection.
const WORKERS_PER_CHANNEL: usize = 32;
/// The model whose answers are counted; any other means that something else was measured.
pub const MODEL: &str = "mock";
/// The right answer to the drill that the mock model sets, whatever the unit.
const MOCK_ANSWER: &str = "x = 5";
/// The unit that the drills are about: the demo course's first with a badge, open to everybody.
const DRILLED_UNIT: &str = "ALG-01";

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
    /// One turn. The answer is its id, if it has one.
    fn turn(&mut self) -> impl Future<Output = String> + Send;
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

/// What a student does again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// TakeTurn.
    Turns,
    /// StreamTurn, read to its end.
    Streams,
    /// GradeDrill with a right answer that the rules can check; each drill is set by a turn before the clock runs.
    Drills,
}

/// A student who takes real turns in young threads, or answers the drills that such turns set.
pub struct Student {
    client: TutorServiceClient<Channel>,
    authorization: MetadataValue<Ascii>,
    doing: Doing,
    threads: Vec<Thread>,
    drills: Vec<GradeDrillRequest>,
    taken: usize,
}

impl Student {
    /// A student with this token.
    pub fn new(channel: Channel, token: &str, doing: Doing) -> Self {
        Self {
            client: TutorServiceClient::new(channel),
            authorization: format!("Bearer {token}").parse().unwrap(),
            doing,
            threads: Vec::new(),
            drills: Vec::new(),
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

    /// Takes the next turn of the script, and answers what came of it.
    async fn take(&mut self) -> TakeTurnResponse {
        let thread = &self.threads[self.taken / MESSAGES.len()];
        let message = turn_request(&thread.thread_id, MESSAGES[self.taken % MESSAGES.len()]);
        self.taken += 1;
        let answer = if self.doing == Doing::Streams {
            self.stream(message).await
        } else {
            let request = self.request(message);
            self.client.take_turn(request).await.unwrap().into_inner()
        };
        assert_eq!(answer.model, MODEL);
        assert!(answer.degraded_reasons.is_empty(), "{answer:?}");
        answer
    }

    async fn stream(&mut self, turn: TakeTurnRequest) -> TakeTurnResponse {
        let request = self.request(StreamTurnRequest { turn: Some(turn) });
        let mut news = self.client.stream_turn(request).await.unwrap().into_inner();
        let mut answer = None;
        while let Some(piece) = news.message().await.unwrap() {
            if let Some(News::Answer(last)) = piece.news {
                answer = Some(last);
            }
        }
        answer.expect("a stream without an error ends with an answer")
    }

    /// Asks for a drill in this thread; the answer is the request that grades it.
    async fn drill(&mut self, thread: &Thread, unit_id: &str) -> GradeDrillRequest {
        let asked = pressing(thread, ClientEventKind::RequestDrill, unit_id);
        let request = self.request(asked);
        let answer = self.client.take_turn(request).await.unwrap().into_inner();
        let reasons: Vec<DegradedReason> = answer.degraded_reasons().collect();
        assert!(reasons.is_empty(), "{reasons:?}");
        let card = answer.messages.into_iter().find_map(|message| message.card);
        let card = card.expect("a turn that asks for a drill sets one");
        let Some(Content::Drill(drill)) = card.content else {
            panic!("no drill: {card:?}")
        };
        GradeDrillRequest {
            thread_id: thread.thread_id.clone(),
            course_id: thread.course_id.clone(),
            unit_id: card.unit_id,
            drill: Some(drill),
            answer: Some(StudentInput {
                text: MOCK_ANSWER.to_owned(),
                ..StudentInput::default()
            }),
            idempotency_key: fresh_key(),
        }
    }

    async fn grade(&mut self) {
        let message = self.drills[self.taken].clone();
        self.taken += 1;
        let request = self.request(message);
        let graded = self.client.grade_drill(request).await.unwrap().into_inner();
        assert_eq!(graded.result(), DrillResult::Correct, "{graded:?}");
        assert_eq!(graded.graded_by(), GradedBy::Rules);
        assert!(graded.evidence_recorded, "{graded:?}");
    }
}

impl Worker for Student {
    async fn prepare(&mut self, turns: usize) {
        for _ in 0..turns.div_ceil(MESSAGES.len()) {
            let request = self.request(new_thread(DEMO_COURSE));
            let response = self.client.create_thread(request).await.unwrap();
            self.threads.push(response.into_inner().thread.unwrap());
        }
        if self.doing == Doing::Drills {
            for n in 0..turns {
                let thread = self.threads[n / MESSAGES.len()].clone();
                let drill = self.drill(&thread, DRILLED_UNIT).await;
                self.drills.push(drill);
            }
        }
    }

    async fn turn(&mut self) -> String {
        match self.doing {
            Doing::Turns | Doing::Streams => self.take().await.turn_id,
            Doing::Drills => {
                self.grade().await;
                String::new()
            }
        }
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
        project: None,
        deferred: false,
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

    async fn turn(&mut self) -> String {
        let request = self.request.clone();
        self.client
            .batch_get_question_status(request)
            .await
            .unwrap();
        String::new()
    }
}
