//! The service against a model of a few lines: any order of turns, grades, retries, restarts, resets and erasures.

use std::collections::{HashMap, hash_map::Entry};

use bytes::Bytes;
use proptest::prelude::*;
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    error::SessionError,
    sessions::{
        Sessions,
        evidence::{EvidenceBegun, EvidenceNow, EvidenceOutcome},
        turns::Begun,
    },
};

use crate::bench::{
    Bench, COURSE, Kind, TUTOR, begin, begin_evidence, commit, count_attempts, idempotency,
    make_thread, one_more,
};

const THREADS: usize = 2;

#[derive(Debug, Clone, Copy)]
enum Step {
    /// A turn with this key, which is committed so often; a grade comes in between, if there is one.
    Turn {
        thread: usize,
        key: u8,
        commits: u8,
        grade: Option<u8>,
    },
    /// A turn with this key that is given back.
    Abandoned { thread: usize, key: u8 },
    /// A turn with this key that the class's reset or the student's erasure comes before.
    Overtaken { thread: usize, key: u8, erase: bool },
    /// A grade with this key, sent so often, first with an old version if `late`.
    Grade { key: u8, times: u8, late: bool },
    /// The same key with another body.
    OtherBody { key: u8 },
    /// The service stops and starts.
    Restart,
    /// The class is reset.
    Reset,
    /// The student is erased, and starts anew.
    Erase,
}

fn step() -> impl Strategy<Value = Step> {
    let (thread, key) = (0..THREADS, 0..6_u8);
    prop_oneof![
        6 => (thread.clone(), key.clone(), 1..3_u8, prop::option::of(key.clone()))
            .prop_map(|(thread, key, commits, grade)| Step::Turn { thread, key, commits, grade }),
        1 => (thread.clone(), key.clone())
            .prop_map(|(thread, key)| Step::Abandoned { thread, key }),
        1 => (thread, key.clone(), any::<bool>())
            .prop_map(|(thread, key, erase)| Step::Overtaken { thread, key, erase }),
        4 => (key.clone(), 1..3_u8, any::<bool>())
            .prop_map(|(key, times, late)| Step::Grade { key, times, late }),
        1 => key.prop_map(|key| Step::OtherBody { key }),
        1 => Just(Step::Restart),
        1 => Just(Step::Reset),
        1 => Just(Step::Erase),
    ]
}

/// What became of a turn's key.
#[derive(Debug, Clone, Copy)]
struct Used {
    /// The thread, counted over all erasures.
    thread: usize,
    /// Whether its text was erased since.
    erased: bool,
}

/// What became of a grade's key.
#[derive(Debug, Clone, Copy)]
struct Graded {
    /// Whether its answer is kept.
    kept: bool,
}

impl Graded {
    fn answer(self, name: &str) -> Bytes {
        let answer = if self.kept {
            format!("answer to {name}")
        } else {
            String::new()
        };
        answer.into()
    }
}

/// What must be stored.
#[derive(Default)]
struct Model {
    /// How often the student was erased.
    life: usize,
    /// The texts of each thread's turns.
    turns: [Vec<String>; THREADS],
    /// How many turns of each thread were taken by resets.
    taken: [usize; THREADS],
    turn_keys: HashMap<u8, Used>,
    /// What became of each grade's key.
    grades: HashMap<u8, Graded>,
    /// The version before this life's first grade, and how many there were since.
    version: i64,
    attempts: i64,
    focus: Option<String>,
    /// Whether a reset took text a moment ago: then answers to grades are not kept.
    cleared: bool,
}

proptest! {
    // A case is a whole history with restarts, so it runs a tenth of what the profile asks for.
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.div_ceil(10)))]

    #[test]
    fn an_embedded_store_does_what_the_model_does(steps in prop::collection::vec(step(), 1..40)) {
        run(Kind::Embedded, &steps);
    }

    #[test]
    fn redis_does_what_the_model_does(steps in prop::collection::vec(step(), 1..40)) {
        run(Kind::Redis, &steps);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn run(kind: Kind, steps: &[Step]) {
    let mut bench = Bench::new(kind, "model").await;
    let mut model = Model::default();
    model.begin_life(&bench).await;
    for &step in steps {
        match step {
            Step::Restart => bench.reopen().await,
            Step::Reset => model.reset(&bench).await,
            Step::Erase => model.erase(&bench).await,
            _ => model.take(&bench, step).await,
        }
        model.check(&bench).await;
    }
}

impl Model {
    /// The number of a thread over all lives.
    fn number(&self, thread: usize) -> usize {
        self.life * THREADS + thread
    }

    fn id(&self, thread: usize) -> String {
        self.number(thread).to_string()
    }

    async fn begin_life(&mut self, bench: &Bench) {
        let ada = bench.student("ada");
        for thread in 0..THREADS {
            make_thread(bench.sessions(), &ada, &self.id(thread)).await;
        }
        let record = bench.sessions().get_snapshot(&ada, COURSE).await.unwrap();
        self.version = record.evidence_version;
        self.attempts = 0;
    }

    async fn reset(&mut self, bench: &Bench) {
        bench.reset().await;
        for (turns, taken) in self.turns.iter_mut().zip(&mut self.taken) {
            *taken += turns.len();
            turns.clear();
        }
        self.forget_answers();
        self.cleared = true;
    }

    async fn erase(&mut self, bench: &Bench) {
        let ada = bench.student("ada");
        let erased = bench
            .sessions()
            .erase_student(bench.actor(), ada, String::new())
            .await;
        assert_eq!(erased.unwrap().threads, THREADS as u64);
        self.life += 1;
        self.turns = Default::default();
        self.taken = Default::default();
        self.focus = None;
        self.forget_answers();
        self.cleared = false;
        self.begin_life(bench).await;
    }

    fn forget_answers(&mut self) {
        for used in self.turn_keys.values_mut() {
            used.erased = true;
        }
        for graded in self.grades.values_mut() {
            graded.kept = false;
        }
    }

    /// What a key that was used before gets in this thread.
    fn answer(&self, key: u8, thread: usize) -> Option<Result<Begun, SessionError>> {
        let used = self.turn_keys.get(&key)?;
        Some(if used.thread != self.number(thread) {
            Err(SessionError::IdempotencyConflict)
        } else if used.erased {
            Err(SessionError::TurnErased)
        } else {
            Ok(Begun::Answered(format!("answer to turn{key}").into()))
        })
    }

    async fn take(&mut self, bench: &Bench, step: Step) {
        let (ada, sessions) = (&bench.student("ada"), bench.sessions());
        match step {
            Step::Turn {
                thread,
                key,
                commits,
                grade,
            } => {
                let (id, name) = (self.id(thread), format!("turn{key}"));
                let begun = sessions.begin_turn(ada, begin(&id, &name)).await;
                if let Some(expected) = self.answer(key, thread) {
                    assert_eq!(begun, expected);
                    return;
                }
                let Ok(Begun::Started(start)) = begun else {
                    panic!("{begun:?}");
                };
                if let Some(key) = grade {
                    self.grade(sessions, ada, key, 1, false).await;
                }
                for _ in 0..commits {
                    let turn = commit(&start, &name, &name);
                    sessions.commit_turn(ada, turn).await.unwrap();
                }
                let thread_of_all = self.number(thread);
                let used = Used {
                    thread: thread_of_all,
                    erased: false,
                };
                self.turn_keys.insert(key, used);
                self.turns[thread].push(name.clone());
                self.focus = Some(name);
            }
            Step::Abandoned { thread, key } => {
                let (id, name) = (self.id(thread), format!("turn{key}"));
                let begun = sessions.begin_turn(ada, begin(&id, &name)).await;
                if let Ok(Begun::Started(start)) = begun {
                    let token = start.fencing_token;
                    sessions.abandon_turn(ada, &id, token).await.unwrap();
                }
            }
            Step::Overtaken { thread, key, erase } => {
                let (id, name) = (self.id(thread), format!("turn{key}"));
                let begun = sessions.begin_turn(ada, begin(&id, &name)).await;
                let Ok(Begun::Started(start)) = begun else {
                    assert_eq!(Some(begun), self.answer(key, thread));
                    return;
                };
                if erase {
                    self.erase(bench).await;
                } else {
                    self.reset(bench).await;
                }
                let late = sessions
                    .commit_turn(ada, commit(&start, &name, &name))
                    .await;
                // A reset looks for threads of the class's index, and there every thread is that has text.
                if erase || self.taken[thread] > 0 || late.is_err() {
                    assert_eq!(late, Err(SessionError::TurnErased));
                } else {
                    let used = Used {
                        thread: self.number(thread),
                        erased: false,
                    };
                    self.turn_keys.insert(key, used);
                    self.turns[thread].push(name.clone());
                    self.focus = Some(name);
                }
            }
            Step::Grade { key, times, late } => self.grade(sessions, ada, key, times, late).await,
            Step::OtherBody { key } => {
                if self.grades.contains_key(&key) {
                    let record = sessions.get_snapshot(ada, COURSE).await.unwrap();
                    let mut other = one_more(&record, "");
                    other.idempotency = idempotency(&format!("grade{key}"), 1);
                    let outcome = sessions.commit_evidence(ada, other).await;
                    assert_eq!(outcome, Err(SessionError::IdempotencyConflict));
                }
            }
            Step::Restart | Step::Reset | Step::Erase => {}
        }
    }

    async fn grade(
        &mut self,
        sessions: &Sessions,
        ada: &StudentKey,
        key: u8,
        times: u8,
        late: bool,
    ) {
        let name = format!("grade{key}");
        let record = sessions.get_snapshot(ada, COURSE).await.unwrap();
        if late && self.attempts > 0 && !self.grades.contains_key(&key) {
            let mut old = record.clone();
            old.evidence_version -= 1;
            let outcome = sessions.commit_evidence(ada, one_more(&old, &name)).await;
            let now = EvidenceNow {
                snapshot: record.clone(),
                question_records: Vec::new(),
            };
            assert_eq!(outcome, Ok(EvidenceOutcome::Conflict(Box::new(now))));
        }
        for _ in 0..times {
            let outcome = sessions
                .commit_evidence(ada, one_more(&record, &name))
                .await;
            let next = record.evidence_version + 1;
            let expected = match self.grades.get(&key) {
                Some(graded) => EvidenceOutcome::Answered(graded.answer(&name)),
                None => EvidenceOutcome::Committed(next),
            };
            assert_eq!(outcome, Ok(expected));
            if let Entry::Vacant(entry) = self.grades.entry(key) {
                let kept = !self.cleared;
                entry.insert(Graded { kept });
                self.attempts += 1;
            }
            let begun = sessions.begin_evidence(ada, begin_evidence(&self.id(0), &name));
            let answer = self.grades[&key].answer(&name);
            assert_eq!(begun.await, Ok(EvidenceBegun::Answered(answer)));
        }
    }

    async fn check(&self, bench: &Bench) {
        let (ada, sessions) = (bench.student("ada"), bench.sessions());
        let record = sessions.get_snapshot(&ada, COURSE).await.unwrap();
        assert_eq!(i64::from(count_attempts(&record)), self.attempts);
        assert_eq!(record.evidence_version, self.version + self.attempts);
        assert_eq!(record.turn.map(|turn| turn.focus_unit_id), self.focus);
        let listed = sessions.list_threads(&ada, TUTOR, None, 100).await.unwrap();
        assert_eq!(listed.threads.len(), THREADS);
        for (thread, turns) in self.turns.iter().enumerate() {
            let page = sessions
                .get_thread(&ada, TUTOR, &self.id(thread), 0, 1000)
                .await;
            let page = page.unwrap();
            let count = (self.taken[thread] + turns.len()) as i64 * 2;
            assert_eq!(page.thread.message_count, count);
            let twice = turns.iter().flat_map(|text| [text, text]);
            assert!(page.messages.iter().map(|m| &m.text).eq(twice));
            let first = self.taken[thread] as i64 * 2 + 1;
            assert!(page.messages.iter().map(|m| m.id).eq(first..=count));
        }
    }
}
