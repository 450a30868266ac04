//! All replicas of all services are restarted one after the other while a school works: who sends again what failed, as it is
//! told, misses nothing, and nothing is done twice.
//!
//! `ROLLING_PUPILS` says how many pupils there are: as many as in the benchmark of the queue, 300, in `.ci/soak`.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::{StreamExt, stream};
use tokio::{
    task::{JoinSet, block_in_place},
    time::{Instant, MissedTickBehavior, interval},
};
use turnwise_proto::tutor::v1::{DegradedReason, Thread};
use turnwise_tests::{
    deployment::Deployment,
    eventually::eventually,
    mixed_load,
    options::Service,
    patient::{Met, Patient},
    student::Student,
};

/// Pupils, unless the variable says how many.
const PUPILS: usize = 24;
/// Rounds of ten calls that all pupils together begin in a second: work, but no more than two cores can do.
const ROUNDS_PER_SECOND: u32 = 6;
/// Rounds between one replacement and the next.
const BETWEEN: usize = 16;
/// The drain, and what a busy machine may take beyond it.
const DRAIN: Duration = Duration::from_secs(15);
const SLACK: Duration = Duration::from_secs(10);
/// Pupils whose answers are asked for again at a time.
const AT_ONCE: usize = 16;
/// How long the model needs for a call, and how many it works on at once.
const MODEL: &str = "mock:delay:50";
const SLOTS: usize = 8;
/// In the order in which a cluster may do it, and in which nothing helps: each service before those that call it.
const SERVICES: [Service; 5] = [
    Service::Session,
    Service::Llm,
    Service::Retrieval,
    Service::Policy,
    Service::Gateway,
];

/// Why an answer is degraded where a service was missed.
const AWAY: [DegradedReason; 5] = [
    DegradedReason::PolicyUnavailable,
    DegradedReason::RetrievalUnavailable,
    DegradedReason::LlmTransport,
    DegradedReason::QueueBusy,
    DegradedReason::Deadline,
];

/// The lessons that go on.
struct School {
    stop: Arc<AtomicBool>,
    rounds: Arc<AtomicUsize>,
    lessons: JoinSet<(Patient, Thread)>,
}

impl School {
    fn begin(suite: &Deployment, pupils: usize) -> Self {
        let mut school = Self {
            stop: Arc::default(),
            rounds: Arc::default(),
            lessons: JoinSet::new(),
        };
        for number in 0..pupils {
            let pupil = mixed_load::pupil(suite, number);
            let (stop, rounds) = (Arc::clone(&school.stop), Arc::clone(&school.rounds));
            let own =
                Duration::from_secs(1) * u32::try_from(pupils).expect("pupils") / ROUNDS_PER_SECOND;
            school.lessons.spawn(async move {
                let thread = mixed_load::open(&pupil).await;
                let mut clock = interval(own);
                clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
                for round in number.. {
                    clock.tick().await;
                    mixed_load::one_round(&pupil, &thread, round).await;
                    rounds.fetch_add(1, Ordering::SeqCst);
                    if stop.load(Ordering::SeqCst) {
                        break;
                    }
                }
                (pupil, thread)
            });
        }
        school
    }

    /// Waits until so many more rounds are done.
    async fn goes_on(&self, rounds: usize) {
        let enough = self.rounds.load(Ordering::SeqCst) + rounds;
        eventually("lessons go on", Duration::from_secs(120), async || {
            (self.rounds.load(Ordering::SeqCst) >= enough).then_some(())
        })
        .await;
    }

    async fn ends(self) -> Vec<(Patient, Thread)> {
        self.stop.store(true, Ordering::SeqCst);
        self.lessons.join_all().await
    }
}

/// Replaces one replica of a service as a cluster does, and returns how long its end took.
fn replace(suite: &mut Deployment, service: Service, is_second: bool) -> Duration {
    let told = Instant::now();
    let process = match is_second {
        true => suite.second(service),
        false => suite.process(service),
    };
    process.stop();
    let took = told.elapsed();
    match is_second {
        true => suite.restart_second(service),
        false => suite.restart(service),
    }
    took
}

/// Everything that was answered is there, once, and nothing else is.
async fn is_there_once(student: &Student, thread: &Thread, met: &Met) {
    let answers = met.turns.iter().map(|(_, answer)| answer);
    let said: Vec<_> = answers.flat_map(|answer| answer.messages.clone()).collect();
    let there = student.messages(&thread.thread_id, 200).await;
    assert_eq!(there, said, "{}", student.id);
    for (asked, answer) in &met.turns {
        assert_eq!(student.turn(asked.clone()).await.unwrap(), *answer);
    }
    for (asked, answer) in &met.grades {
        let again = student.grade_drill(asked.clone()).await.unwrap();
        let [again, first] =
            [&again, answer].map(|graded| (graded.result, graded.evidence_recorded));
        assert_eq!(again, first, "{}", student.id);
    }
    for (asked, answer) in &met.exams {
        let again = student.submit_exam(asked.clone()).await.unwrap();
        assert_eq!(
            (again.result, again.recorded),
            (answer.result, answer.recorded)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_and_nothing_is_done_twice() {
    let pupils = std::env::var("ROLLING_PUPILS").map_or(PUPILS, |pupils| {
        pupils.parse().expect("ROLLING_PUPILS is a number")
    });
    let options = SERVICES
        .into_iter()
        .fold(mixed_load::options(pupils), |options, service| {
            options.twice(service)
        })
        .model(MODEL)
        .env("HELPER_MAX_CONCURRENCY", SLOTS.to_string())
        .env("HELPER_QUEUE_MAX_WAIT_SECONDS", "60")
        .env("QUEUE_EXPECTED_CALL_SECONDS", "0.05")
        .env("DRAIN_TIMEOUT_SECONDS", DRAIN.as_secs().to_string());
    let mut suite = Deployment::five_processes(options).await;
    let school = School::begin(&suite, pupils);
    school.goes_on(pupils).await;
    for service in SERVICES {
        for is_second in [false, true] {
            let took = block_in_place(|| replace(&mut suite, service, is_second));
            println!("{service:?}, the second: {is_second}: ended after {took:?}");
            assert!(took < DRAIN + SLACK, "{service:?}: {took:?}");
            school.goes_on(BETWEEN).await;
        }
    }

    let mut all = Met::default();
    let mut degraded: BTreeMap<DegradedReason, usize> = BTreeMap::new();
    let mut checks = Vec::new();
    for (pupil, thread) in school.ends().await {
        // What is asked now is asked anew, not on a connection that a restart has broken.
        let student = suite.student(&pupil.student().id);
        let met = pupil.into_met();
        for (_, answer) in &met.turns {
            for reason in answer.degraded_reasons().filter(|why| AWAY.contains(why)) {
                *degraded.entry(reason).or_default() += 1;
            }
        }
        all.calls += met.calls;
        all.longest = all.longest.max(met.longest);
        for (why, count) in &met.again {
            *all.again.entry(why.clone()).or_default() += count;
        }
        checks.push((student, thread, met));
    }
    stream::iter(&checks)
        .for_each_concurrent(AT_ONCE, |(student, thread, met)| {
            is_there_once(student, thread, met)
        })
        .await;
    let count = |of: fn(&Met) -> usize| checks.iter().map(|(_, _, met)| of(met)).sum::<usize>();
    let (drills, exams) = (count(|met| met.grades.len()), count(|met| met.exams.len()));
    println!(
        "{} calls answered, {drills} drills and {exams} exams among them, the longest after {:?}; sent again: {:?}; \
         degraded: {degraded:?}",
        all.calls, all.longest, all.again
    );
    assert!(drills > 0 && exams > 0, "{drills} drills, {exams} exams");
    assert!(all.longest < DRAIN + SLACK, "{:?}", all.longest);
    // The drain is longer than all that runs, and what was not begun goes to the other replica.
    assert!(degraded.is_empty(), "{degraded:?}");
    for service in SERVICES.into_iter().rev() {
        block_in_place(|| suite.second(service).stop());
    }
    suite.stop();
}
