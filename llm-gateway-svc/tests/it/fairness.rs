//! Fair between classes by their weights, and between the students of a class.

use std::sync::{Arc, Mutex};

use tokio::task::JoinSet;
use turnwise_proto::llm::v1::CompleteRequest;

use crate::harness::{Gateway, LONG, in_class, mock_taking, settle, with_wait};

/// Who was served, in order.
#[derive(Debug, Clone, Default)]
struct Served(Arc<Mutex<Vec<&'static str>>>);

impl Served {
    fn note(&self, name: &'static str) {
        self.0.lock().unwrap().push(name);
    }

    /// How many of the first so many are this one's.
    fn among(&self, first: usize, name: &str) -> usize {
        let served = self.0.lock().unwrap();
        served.iter().take(first).filter(|n| **n == name).count()
    }
}

fn request_of(class: &str, thread: usize) -> CompleteRequest {
    CompleteRequest {
        thread_id: thread.to_string(),
        ..with_wait(LONG, in_class(class))
    }
}

/// Puts so many requests of one student each into the queue.
async fn students(
    gateway: &Gateway,
    calls: &mut JoinSet<()>,
    served: &Served,
    class: &'static str,
    count: usize,
) {
    for number in 0..count {
        let (gateway, served) = (gateway.clone(), served.clone());
        calls.spawn(async move {
            let name = format!("{class} {number}");
            gateway
                .complete_as(&name, request_of(class, 0))
                .await
                .unwrap();
            served.note(class);
        });
    }
    settle().await;
}

#[tokio::test(start_paused = true)]
async fn a_small_class_beside_a_large_one_has_half_of_the_model() {
    let gateway = mock_taking(100, 2, &[]).await;
    let (mut calls, served) = (JoinSet::new(), Served::default());
    students(&gateway, &mut calls, &served, "large", 60).await;
    students(&gateway, &mut calls, &served, "small", 10).await;
    while calls.join_next().await.is_some() {}
    // Two were served before the small class came, and two calls run at once.
    let small = served.among(22, "small");
    assert!((9..=10).contains(&small), "{small}");
}

#[tokio::test(start_paused = true)]
async fn weights_share_the_model_accordingly() {
    let weights = ["--queue-class-weights", "school/heavy=3"];
    let gateway = mock_taking(100, 1, &weights).await;
    let (mut calls, served) = (JoinSet::new(), Served::default());
    students(&gateway, &mut calls, &served, "light", 40).await;
    students(&gateway, &mut calls, &served, "heavy", 40).await;
    while calls.join_next().await.is_some() {}
    let heavy = served.among(41, "heavy");
    assert!((29..=31).contains(&heavy), "{heavy}");
}

#[tokio::test(start_paused = true)]
async fn a_student_with_many_requests_gets_no_more_than_another() {
    let gateway = mock_taking(100, 1, &[]).await;
    let (mut calls, served) = (JoinSet::new(), Served::default());
    for thread in 0..8 {
        let (gateway, served) = (gateway.clone(), served.clone());
        calls.spawn(async move {
            gateway
                .complete_as("busy", request_of("7a", thread))
                .await
                .unwrap();
            served.note("busy");
        });
    }
    settle().await;
    for name in ["ada", "ben", "cid"] {
        let (gateway, served) = (gateway.clone(), served.clone());
        calls.spawn(async move {
            for thread in 0..2 {
                gateway
                    .complete_as(name, request_of("7a", thread))
                    .await
                    .unwrap();
                served.note(name);
            }
        });
    }
    while calls.join_next().await.is_some() {}
    // Between a student's entry and start at most one call of each other student starts: after the one that ran already, these
    // are two rounds, and one more call of who never stopped asking.
    for name in ["ada", "ben", "cid"] {
        assert_eq!(served.among(10, name), 2, "{served:?}");
    }
}
