//! A process is killed at each step of answers that came later: every message is answered once, by its time plus a lease.

use std::time::Duration;

use futures_util::{StreamExt, stream};
use turnwise_proto::{
    context::v1::watch_thread_response::Event,
    tutor::v1::{Role, Thread},
};
use turnwise_tests::{
    deployment::Deployment,
    eventually::eventually,
    options::{Options, Service},
    seed::count,
    student::{DEMO_COURSE, Student},
};

use super::{BUDGET, check, replies, requests, supplied, supply, watch};

/// The setting that says how often a process is killed at each step; .ci/profiles.env has the numbers.
const ROUNDS: &str = "CONTEXT_KILLS";
/// How many messages wait at a time.
const MESSAGES: u64 = 16;
/// A lease, and the time to do all of it on a busy machine.
const SOON: Duration = Duration::from_secs(120);

/// When the process is killed: once a watcher sees this.
#[derive(Debug, Clone, Copy, PartialEq)]
enum When {
    Resolved,
    Stage,
    Answer,
}

impl When {
    fn is(self, event: &Event) -> bool {
        match event {
            Event::Resolved(_) => self == Self::Resolved,
            Event::Stage(_) => self == Self::Stage,
            Event::Message(message) => self == Self::Answer && message.role() == Role::Assistant,
            _ => false,
        }
    }
}

/// Each waits for a lease at most; one test for each, so that none takes minutes.
macro_rules! kills {
    ($($name:ident: $service:ident, $when:ident;)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            killed(Service::$service, When::$when).await;
        }
    )*};
}

kills! {
    the_gateway_when_a_request_ends: Gateway, Resolved;
    the_gateway_when_an_answer_begins: Gateway, Stage;
    the_gateway_when_an_answer_is_stored: Gateway, Answer;
    the_store_when_a_request_ends: Session, Resolved;
    the_store_when_an_answer_begins: Session, Stage;
    the_store_when_an_answer_is_stored: Session, Answer;
}

async fn killed(service: Service, when: When) {
    let options = Options::new().twice(Service::Gateway);
    let mut suite = Deployment::five_processes(options).await;
    for round in 0..count(ROUNDS, 1) {
        one_round(&mut suite, service, when, round).await;
    }
    suite.nothing_panicked();
}

async fn one_round(suite: &mut Deployment, service: Service, when: When, round: u64) {
    let waiting: Vec<(Student, Thread, String)> = stream::iter(0..MESSAGES)
        .map(|n| {
            let student = suite.student(&format!("student-{round}-{n}"));
            async move {
                let thread = student.open(DEMO_COURSE).await;
                let required = check(&student, &thread).await;
                (student, thread, required.request_id)
            }
        })
        .buffer_unordered(8)
        .collect()
        .await;
    // A watcher at the gateway that is not killed.
    let (first, thread, _) = &waiting[0];
    let watcher = suite.at_second_gateway(first);
    let mut stream = watch(&watcher, thread, 0).await.unwrap();
    let supplying = stream::iter(&waiting).for_each_concurrent(8, async |waits| {
        let (student, thread, id) = waits;
        let give = student.request(supply(thread, id, BUDGET));
        // What the kill breaks off is supplied again below.
        let _ = supplied(&student.channel, give).await;
    });
    let seen = async {
        while let Ok(Some(next)) = stream.message().await {
            if next.event.is_some_and(|event| when.is(&event)) {
                return;
            }
        }
    };
    futures_util::join!(supplying, seen);
    suite.restart(service);
    for (student, thread, id) in &waiting {
        let student = suite.student(&student.id);
        eventually("the request is satisfied", SOON, || async {
            let found = requests(&student, thread).await.ok()?;
            if found[0].supplied.is_empty() {
                let give = student.request(supply(thread, id, BUDGET));
                let _ = supplied(&student.channel, give).await;
                return None;
            }
            found[0].answered.then_some(())
        })
        .await;
        assert_eq!(replies(&student, thread, 1).await.len(), 1, "{when:?}");
    }
}
