//! A seeded schedule: who comes when, how long calls take, who leaves, and who returns with a ticket.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    time::Duration,
};

use tokio::time::Instant;
use turnwise_llm_queue::{Band, QueueOptions, Refusal, SlotRequest};
use turnwise_testing::choices::Choices;

use super::{
    percent,
    world::{Ended, Request, Started, World, ask},
};

/// How long calls take.
#[derive(Debug, Clone, Copy)]
pub enum Law {
    Constant,
    Uniform,
    Exponential,
}

impl Law {
    pub fn draw(self, choices: &mut Choices, mean: Duration) -> Duration {
        match self {
            Self::Constant => mean,
            Self::Uniform => mean.mul_f64(2.0 * choices.share()),
            Self::Exponential => mean.mul_f64(-(1.0 - choices.share()).ln()),
        }
    }
}

/// What people do in a schedule.
#[derive(Debug, Clone, Copy)]
pub struct Habits {
    /// Percent of requests that are given up at some time.
    pub leave: usize,
    /// Percent of requests that are only made for a short wait.
    pub hasty: usize,
    /// Percent of those with a retry hint who return.
    pub return_: usize,
    /// Percent of the requests that nobody in particular makes.
    pub nobody: usize,
    /// How many threads a student has at the most.
    pub threads: usize,
    /// How many classes there are at the most; the last may be a batch class.
    pub classes: usize,
}

/// What came of a schedule.
#[derive(Debug, Default)]
pub struct Outcome {
    pub started: Vec<Started>,
    /// When requests of each class came.
    pub arrivals: Vec<(Instant, String)>,
    pub returned: usize,
    pub superseded: usize,
    pub left: usize,
}

#[derive(Debug)]
enum Event {
    Come(Box<SlotRequest>),
    Finish(Request),
    Leave(Request),
}

struct Run {
    world: World,
    choices: Choices,
    events: BinaryHeap<Reverse<(Instant, u64)>>,
    what: BTreeMap<u64, Event>,
    last_event: u64,
    asked: BTreeMap<Request, SlotRequest>,
    habits: Habits,
    law: Law,
    mean: Duration,
    outcome: Outcome,
}

/// Runs the schedule of a seed, and checks what must hold at each step.
pub async fn run(seed: u64, law: Law, habits: Habits) -> Outcome {
    let mut choices = Choices::new(seed);
    let slots = 1 + choices.below(4);
    let mean = Duration::from_millis(200 + choices.below(2800) as u64);
    let options = QueueOptions {
        aging: mean * (5 + choices.below(20) as u32),
        place_grace: mean.mul_f64(4.0 * choices.share()),
        service_time: mean.mul_f64(0.3 + 3.0 * choices.share()),
        weights: [("class 0".to_owned(), 1 + choices.below(3) as u32)].into(),
        ..QueueOptions::with_slots(slots)
    };
    let mut run = Run {
        world: World::new(options),
        choices,
        events: BinaryHeap::new(),
        what: BTreeMap::new(),
        last_event: 0,
        asked: BTreeMap::new(),
        habits,
        law,
        mean,
        outcome: Outcome::default(),
    };
    run.arrange(slots);
    run.through().await;
    run.outcome.arrivals = run.world.arrivals;
    run.outcome
}

impl Run {
    /// Draws who comes when.
    fn arrange(&mut self, slots: usize) {
        let requests = 30 + self.choices.below(90);
        let classes = 1 + self.choices.below(self.habits.classes);
        let students = 1 + self.choices.below(12);
        let load = 0.6 + 1.5 * self.choices.share();
        let length = self.mean.mul_f64(requests as f64 / slots as f64 / load);
        let begin = Instant::now();
        for _ in 0..requests {
            let at = begin + length.mul_f64(self.choices.share());
            let class = self.choices.below(classes);
            // The last of several classes may be one of batch requests.
            let batch = class > 0 && class + 1 == classes && classes.is_multiple_of(2);
            let class = if batch {
                "batch".to_owned()
            } else {
                format!("class {class}")
            };
            let student = match percent(&mut self.choices, self.habits.nobody) {
                true => String::new(),
                false => self.choices.below(students).to_string(),
            };
            let mut ask = ask(&class, &student, self.choices.below(self.habits.threads));
            ask.band = if batch {
                Band::Batch
            } else {
                Band::Interactive
            };
            if percent(&mut self.choices, self.habits.hasty) {
                ask.max_wait = self.mean.mul_f64(4.0 * self.choices.share());
            }
            self.at(at, Event::Come(Box::new(ask)));
        }
    }

    fn at(&mut self, at: Instant, event: Event) {
        self.last_event += 1;
        self.events.push(Reverse((at, self.last_event)));
        self.what.insert(self.last_event, event);
    }

    async fn through(&mut self) {
        loop {
            let event = self.events.peek().map(|Reverse((at, _))| *at);
            let Some(next) = event.into_iter().chain(self.world.next_end()).min() else {
                break;
            };
            self.world.advance(next).await;
            if event != Some(next) {
                let ended = self.world.tick();
                self.see(ended);
                continue;
            }
            let Some(Reverse((_, number))) = self.events.pop() else {
                break;
            };
            let ended = match self.what.remove(&number).expect("an event") {
                Event::Finish(request) => {
                    let measured = percent(&mut self.choices, 90);
                    self.world.finish(request, measured)
                }
                Event::Leave(request) => {
                    self.outcome.left += usize::from(self.world.is_waiting(request));
                    self.world.leave(request)
                }
                Event::Come(ask) => {
                    let (request, ended) = self.world.enter((*ask).clone(), true).await;
                    if percent(&mut self.choices, self.habits.leave) {
                        let at = Instant::now() + self.mean.mul_f64(10.0 * self.choices.share());
                        self.at(at, Event::Leave(request));
                    }
                    self.asked.insert(request, *ask);
                    ended
                }
            };
            self.see(ended);
        }
        assert!(self.world.is_empty(), "every request ends");
    }

    fn see(&mut self, ended: Vec<Ended>) {
        for ended in ended {
            match ended {
                Ended::Started(started) => {
                    let at = Instant::now() + self.law.draw(&mut self.choices, self.mean);
                    self.at(at, Event::Finish(started.request));
                    self.outcome.started.push(started);
                }
                Ended::Refused(_, Refusal::Superseded) => self.outcome.superseded += 1,
                Ended::Refused(request, Refusal::TooLong(hint)) => {
                    if !percent(&mut self.choices, self.habits.return_) {
                        continue;
                    }
                    let Some(mut ask) = self.asked.get(&request).cloned() else {
                        continue;
                    };
                    self.outcome.returned += 1;
                    ask.ticket = hint.held.map(|held| held.ticket);
                    let late = if percent(&mut self.choices, 70) {
                        0.0
                    } else {
                        6.0 * self.choices.share()
                    };
                    let at = Instant::now() + hint.after + self.mean.mul_f64(late);
                    self.at(at, Event::Come(Box::new(ask)));
                }
                Ended::Refused(_, refusal) => panic!("{refusal:?}"),
            }
        }
    }
}
