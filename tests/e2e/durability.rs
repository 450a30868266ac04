//! What was acknowledged is there, whoever was killed in between.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use prost::Message;
use turnwise_proto::tutor::v1::{TakeTurnRequest, TakeTurnResponse, Thread};
use turnwise_tests::{
    deployment::Deployment,
    eventually::eventually,
    options::{Kind, Options, Service},
    raw,
    student::{DEMO_COURSE, Student, saying},
};

const TAKE_TURN: &str = "/turnwise.tutor.v1.TutorService/TakeTurn";
/// How long a killed service may be away for its clients.
const BACK: Duration = Duration::from_secs(30);
const STUDENTS: usize = 6;
/// Turns that are acknowledged before a kill.
const ACKNOWLEDGED: usize = 40;

/// A turn that the suite said it has taken.
struct Acknowledged {
    student: Student,
    turn: TakeTurnRequest,
    answer: Bytes,
}

/// Students who take one turn after another and note what was acknowledged, until they are told to stop. A turn that
/// fails is sent again with the same key, as a client does.
struct Load {
    noted: Arc<Mutex<Vec<Acknowledged>>>,
    stop: Arc<AtomicBool>,
    students: Vec<tokio::task::JoinHandle<()>>,
    threads: Vec<(Student, Thread)>,
}

impl Load {
    async fn start(suite: &Deployment) -> Self {
        let noted = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        for i in 0..STUDENTS {
            let student = suite.student(&format!("student-{i}"));
            let thread = student.open(DEMO_COURSE).await;
            threads.push((student, thread));
        }
        let students = threads
            .iter()
            .cloned()
            .map(|(student, thread)| {
                let (noted, stop) = (Arc::clone(&noted), Arc::clone(&stop));
                tokio::spawn(talk(student, thread, noted, stop))
            })
            .collect();
        Self {
            noted,
            stop,
            students,
            threads,
        }
    }

    fn count(&self) -> usize {
        self.noted.lock().unwrap().len()
    }

    /// Waits until so many more turns are acknowledged.
    async fn go_on(&self, more: usize) {
        let enough = self.count() + more;
        eventually("turns are acknowledged", BACK, async || {
            (self.count() >= enough).then_some(())
        })
        .await;
    }

    /// Ends the load and insists that everything acknowledged is there: with the same answer under the same key, and in
    /// the timeline, once.
    async fn check(self) {
        self.stop.store(true, Ordering::SeqCst);
        for student in self.students {
            student.await.unwrap();
        }
        let noted = std::mem::take(&mut *self.noted.lock().unwrap());
        assert!(!noted.is_empty());
        for Acknowledged {
            student,
            turn,
            answer,
        } in &noted
        {
            let request = raw::encoded(student.request(turn.clone()));
            let again = raw::call(&student.channel, TAKE_TURN, request)
                .await
                .unwrap();
            assert_eq!(&again, answer);
        }
        for (student, thread) in &self.threads {
            let messages = student.messages(&thread.thread_id, 200).await;
            let ids: Vec<_> = messages.iter().map(|m| m.id).collect();
            let gapless: Vec<_> = (1..).take(messages.len()).collect();
            assert_eq!(ids, gapless);
            let mut expected = 0;
            for acknowledged in noted.iter().filter(|a| a.student.id == student.id) {
                let answer = TakeTurnResponse::decode(acknowledged.answer.clone()).unwrap();
                let at = usize::try_from(answer.messages[0].id).unwrap() - 1;
                assert_eq!(messages[at..at + 2], answer.messages);
                expected += 2;
            }
            // Every turn is tried until it is acknowledged, so there is nothing else, either.
            assert_eq!(messages.len(), expected);
        }
    }
}

async fn talk(
    student: Student,
    thread: Thread,
    noted: Arc<Mutex<Vec<Acknowledged>>>,
    stop: Arc<AtomicBool>,
) {
    let mut n = 0;
    while !stop.load(Ordering::SeqCst) {
        n += 1;
        let turn = saying(&thread, &format!("is {n} - {} negative?", n + 1));
        let answer = eventually("a turn is acknowledged", BACK, async || {
            let request = raw::encoded(student.request(turn.clone()));
            raw::call(&student.channel, TAKE_TURN, request).await.ok()
        })
        .await;
        noted.lock().unwrap().push(Acknowledged {
            student: student.clone(),
            turn,
            answer,
        });
    }
}

fn options() -> Options {
    // The turn that is cut off in the middle holds its thread for no longer than this.
    Options::new().env("TURN_LEASE_TTL_SECONDS", "1")
}

#[tokio::test(flavor = "multi_thread")]
async fn one_process_is_killed() {
    let mut suite = Deployment::one_process(options()).await;
    let load = Load::start(&suite).await;
    for _ in 0..3 {
        load.go_on(ACKNOWLEDGED).await;
        suite.kill(Service::Suite);
        suite.restart(Service::Suite);
    }
    load.go_on(STUDENTS).await;
    load.check().await;
    assert_eq!(suite.kind, Kind::OneProcess);
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn five_processes_lose_their_store_service_and_their_gateway() {
    let mut suite = Deployment::five_processes(options()).await;
    let load = Load::start(&suite).await;
    for service in [Service::Session, Service::Gateway, Service::Session] {
        load.go_on(ACKNOWLEDGED).await;
        suite.kill(service);
        suite.restart(service);
    }
    load.go_on(STUDENTS).await;
    load.check().await;
    suite.stop();
}
