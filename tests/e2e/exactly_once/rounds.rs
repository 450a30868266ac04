//! Rounds of calls to a service that is killed while it works on them.

use std::sync::{Arc, Mutex};

use tokio::task::JoinSet;
use turnwise_kit::client::GrpcClient;
use turnwise_tests::{seed::Choices, standalone_service::StandaloneService};

use super::{
    acknowledged::{Ledger, is_there},
    calls::{Call, Grade, TakenTurn, Thread, Turn, open_thread},
    retries::{Lives, Sender},
};

/// After so many rounds there are other students, so that no record grows for ever.
const ROUNDS_OF_A_CLASS: u64 = 10;

/// A service that is killed, its students, and all that was acknowledged.
pub struct Rounds {
    /// The service.
    pub service: StandaloneService,
    lives: Lives,
    class: Vec<Thread>,
    class_size: usize,
    sending: JoinSet<()>,
    noted: Arc<Mutex<Ledger>>,
    /// What earlier classes were acknowledged.
    kept: Ledger,
}

impl Rounds {
    /// A service without students yet, of whom each class will have so many.
    pub fn new(service: StandaloneService, class_size: usize) -> Self {
        Self {
            lives: Lives::begin(service.client()),
            service,
            class: Vec::new(),
            class_size,
            sending: JoinSet::new(),
            noted: Arc::default(),
            kept: Ledger::default(),
        }
    }

    /// One call of each student, up to its commit.
    pub async fn calls(&mut self, round: u64, choices: &mut Choices) -> Vec<Call> {
        let client = self.service.client();
        if round.is_multiple_of(ROUNDS_OF_A_CLASS) {
            self.kept
                .extend(std::mem::take(&mut *self.noted.lock().unwrap()));
            self.class.clear();
            for place in 0..self.class_size {
                let student = format!("student-{round}-{place}");
                self.class
                    .push(open_thread(&client, &student).await.unwrap());
            }
        }
        let mut calls = Vec::new();
        for (place, thread) in self.class.iter().enumerate() {
            let name = format!("call-{round}-{place}");
            let mut call = if choices.coin() {
                Call::Grade(Grade::new(&thread.student, &name))
            } else {
                let thread = thread.clone();
                Call::Turn(TakenTurn::new(Turn { thread, name }))
            };
            call.prepare(&client).await.unwrap();
            calls.push(call);
        }
        calls
    }

    /// Begins to send calls, each until it is acknowledged.
    pub fn send(&mut self, calls: Vec<Call>) {
        for call in calls {
            self.send_to(self.lives.sender(), call);
        }
    }

    /// The same to another replica.
    pub fn send_to(&mut self, mut sender: Sender, mut call: Call) {
        let noted = Arc::clone(&self.noted);
        self.sending.spawn(async move {
            sender.deliver(&mut call).await;
            noted.lock().unwrap().note(&call);
        });
    }

    /// Starts the killed service again. Nothing is sent to it yet.
    pub fn start_again(&mut self) {
        tokio::task::block_in_place(|| self.service.start_again());
    }

    /// Insists that what was acknowledged so far is there, asking this replica. Answers of each call whether it was
    /// acknowledged and whether it is there.
    pub async fn stand(&self, client: &GrpcClient, calls: &[Call]) -> Vec<(bool, bool)> {
        let noted = self.noted.lock().unwrap().clone();
        let mut stand = Vec::new();
        for call in calls {
            let (told, there) = (noted.has(call), is_there(client, call).await);
            assert!(
                there || !told,
                "{} was acknowledged and is not there",
                call.marker()
            );
            stand.push((told, there));
        }
        stand
    }

    /// Waits until everything is acknowledged.
    pub async fn sent(&mut self) {
        while let Some(sent) = self.sending.join_next().await {
            sent.unwrap();
        }
    }

    /// Tells the senders of the new life, waits until everything is acknowledged, and insists that it is there, once.
    pub async fn finish(&mut self) {
        self.lives.go_on(self.service.client());
        self.sent().await;
        let noted = self.noted.lock().unwrap().clone();
        noted.check(&self.service.client()).await;
    }

    /// Insists once more on everything that was ever acknowledged, and ends the service. Answers how much it was.
    pub async fn end(mut self) -> usize {
        self.kept
            .extend(std::mem::take(&mut *self.noted.lock().unwrap()));
        self.kept.check(&self.service.client()).await;
        self.service.stop();
        self.kept.count()
    }
}
