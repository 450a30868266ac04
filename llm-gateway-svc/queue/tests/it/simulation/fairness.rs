//! How the model's time is shared.

use std::{collections::BTreeMap, time::Duration};

use tokio::time::Instant;
use turnwise_llm_queue::{Band, QueueOptions, SlotRequest};
use turnwise_testing::choices::Choices;

use super::{
    paused,
    schedule::Law,
    world::{Ended, World, ask},
};

/// Clients who each always have one request, one after the other.
struct ClosedLoop {
    world: World,
    choices: Choices,
    law: Law,
    ends: Vec<(Instant, u64, usize)>,
    clients: Vec<SlotRequest>,
    waiting: BTreeMap<u64, usize>,
    /// The clients in the order in which they started, and when.
    started: Vec<(usize, Instant)>,
}

const MEAN: Duration = Duration::from_secs(1);

impl ClosedLoop {
    async fn run(
        options: QueueOptions,
        clients: Vec<SlotRequest>,
        law: Law,
        calls: usize,
    ) -> Vec<(usize, Instant)> {
        let mut closed = Self {
            world: World::new(options),
            choices: Choices::new(1),
            law,
            ends: Vec::new(),
            clients,
            waiting: BTreeMap::new(),
            started: Vec::new(),
        };
        for client in 0..closed.clients.len() {
            closed.come(client).await;
        }
        while closed.started.len() < calls {
            let (index, (at, request, client)) = closed
                .ends
                .iter()
                .copied()
                .enumerate()
                .min_by_key(|(_, end)| *end)
                .expect("a call runs");
            closed.ends.swap_remove(index);
            closed.world.advance(at).await;
            let ended = closed.world.finish(request, true);
            closed.see(ended);
            closed.come(client).await;
        }
        closed.started
    }

    async fn come(&mut self, client: usize) {
        let (request, ended) = self.world.enter(self.clients[client].clone(), false).await;
        self.waiting.insert(request, client);
        self.see(ended);
    }

    fn see(&mut self, ended: Vec<Ended>) {
        for ended in ended {
            let Ended::Started(started) = ended else {
                panic!("{ended:?}")
            };
            let client = self.waiting.remove(&started.request).expect("it waits");
            let end = started.at + self.law.draw(&mut self.choices, MEAN);
            self.ends.push((end, started.request, client));
            self.started.push((client, started.at));
        }
    }
}

/// Jain's index of the calls served to each student of a class of thirty, one of whom has eight threads.
fn jain_of_a_class(student: fn(usize) -> String) -> f64 {
    let student_of = |client: usize| client.saturating_sub(7);
    let clients = (0..37)
        .map(|client| ask("class", &student(student_of(client)), client))
        .collect();
    let started = paused(ClosedLoop::run(
        QueueOptions::with_slots(2),
        clients,
        Law::Uniform,
        600,
    ));
    let mut served = [0.0_f64; 30];
    for (client, _) in started {
        served[student_of(client)] += 1.0;
    }
    let sum: f64 = served.iter().sum();
    let squares: f64 = served.iter().map(|calls| calls * calls).sum();
    sum * sum / (30.0 * squares)
}

#[test]
fn a_student_with_eight_threads_gets_no_more_than_others() {
    let jain = jain_of_a_class(|student| student.to_string());
    assert!(jain >= 0.98, "{jain}");
}

/// All requests are one student's, so they start in the order in which they come.
#[test]
fn first_in_first_out_would_not_be_fair() {
    let jain = jain_of_a_class(|_| "everybody".to_owned());
    assert!(jain < 0.98, "{jain}");
}

#[test]
fn a_small_class_gets_half_beside_a_large_one() {
    let client = |client: usize| {
        let class = if client.is_multiple_of(10) {
            "small"
        } else {
            "large"
        };
        ask(class, &client.to_string(), 0)
    };
    let clients = (0..300).map(client).collect();
    let started = paused(ClosedLoop::run(
        QueueOptions::with_slots(2),
        clients,
        Law::Uniform,
        600,
    ));
    let small = started
        .iter()
        .filter(|(client, _)| client % 10 == 0)
        .count();
    assert!((295..=305).contains(&small), "{small}");
}

#[test]
fn batch_is_not_starved() {
    let options = QueueOptions {
        aging: Duration::from_secs(20),
        ..QueueOptions::with_slots(2)
    };
    let mut clients: Vec<_> = (0..20)
        .map(|client| ask("class", &client.to_string(), 0))
        .collect();
    for client in 20..23 {
        clients.push(SlotRequest {
            band: Band::Batch,
            ..ask("batch", &client.to_string(), 0)
        });
    }
    let started = paused(ClosedLoop::run(options, clients, Law::Constant, 600));
    let batch: Vec<_> = started
        .iter()
        .filter(|(client, _)| *client >= 20)
        .map(|(_, at)| *at)
        .collect();
    let begin = started[0].1;
    let gaps: Vec<_> = [begin]
        .iter()
        .chain(&batch)
        .zip(&batch)
        .map(|(a, b)| *b - *a)
        .collect();
    assert!(batch.len() >= 13, "{}", batch.len());
    // Never later than the first call that ends after the span, and no more often than once in it.
    assert!(
        gaps.iter().all(|gap| *gap <= Duration::from_secs(21)),
        "{gaps:?}"
    );
    assert!(
        gaps[1..].iter().all(|gap| *gap >= Duration::from_secs(20)),
        "{gaps:?}"
    );
}
