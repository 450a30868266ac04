//! The embedded store against a model of a few lines: any order of turns, grades, retries and restarts.

use std::collections::HashMap;

use proptest::prelude::*;
use turnwise_session_svc::{
    error::SessionError,
    store::{Begun, EvidenceOutcome, Store},
};

use crate::bench::{
    Bench, COURSE, begin, commit, count_attempts, idempotency, make_thread, one_more, student,
};

const THREADS: usize = 2;

#[derive(Debug, Clone, Copy)]
enum Step {
    /// A turn with this key, which is committed so often.
    Turn { thread: usize, key: u8, commits: u8 },
    /// A turn with this key that is given back.
    Abandoned { thread: usize, key: u8 },
    /// A grade with this key, sent so often, first with an old version if `late`.
    Grade { key: u8, times: u8, late: bool },
    /// The same key with another body.
    OtherBody { key: u8 },
    /// The service stops and starts.
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let (thread, key) = (0..THREADS, 0..6_u8);
    prop_oneof![
        4 => (thread.clone(), key.clone(), 1..3_u8)
            .prop_map(|(thread, key, commits)| Step::Turn { thread, key, commits }),
        1 => (thread, key.clone()).prop_map(|(thread, key)| Step::Abandoned { thread, key }),
        4 => (key.clone(), 1..3_u8, any::<bool>())
            .prop_map(|(key, times, late)| Step::Grade { key, times, late }),
        1 => key.prop_map(|key| Step::OtherBody { key }),
        1 => Just(Step::Restart),
    ]
}

/// What must be stored.
#[derive(Default)]
struct Model {
    /// The texts of each thread's turns.
    turns: [Vec<String>; THREADS],
    /// Which thread a turn's key was used in.
    turn_keys: HashMap<u8, usize>,
    /// The version that each grade's key made.
    grades: HashMap<u8, i64>,
    focus: Option<String>,
}

proptest! {
    // A case is a whole history with restarts, so it runs a tenth of what the profile asks for.
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.div_ceil(10)))]
    #[test]
    fn the_store_does_what_the_model_does(steps in prop::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run(&steps));
    }
}

async fn run(steps: &[Step]) {
    let mut bench = Bench::embedded().await;
    for thread in 0..THREADS {
        make_thread(bench.store(), &student("ada"), &thread.to_string()).await;
    }
    let mut model = Model::default();
    for &step in steps {
        if matches!(step, Step::Restart) {
            bench.reopen().await;
        } else {
            model.take(bench.store(), step).await;
        }
        model.check(bench.store()).await;
    }
}

impl Model {
    async fn take(&mut self, store: &dyn Store, step: Step) {
        let ada = student("ada");
        match step {
            Step::Turn {
                thread,
                key,
                commits,
            } => {
                let id = thread.to_string();
                let name = format!("turn{key}");
                let begun = store.begin_turn(&ada, begin(&id, &name)).await;
                match self.turn_keys.get(&key) {
                    Some(used) if *used == thread => {
                        let text = format!("answer to {name}");
                        assert_eq!(begun, Ok(Begun::Answered(text.into())));
                    }
                    Some(_) => assert_eq!(begun, Err(SessionError::IdempotencyConflict)),
                    None => {
                        let Ok(Begun::Started(start)) = begun else {
                            panic!("{begun:?}");
                        };
                        for _ in 0..commits {
                            let turn = commit(&start, &name, &name);
                            store.commit_turn(&ada, turn).await.unwrap();
                        }
                        self.turn_keys.insert(key, thread);
                        self.turns[thread].push(name.clone());
                        self.focus = Some(name);
                    }
                }
            }
            Step::Abandoned { thread, key } => {
                let id = thread.to_string();
                let begun = store
                    .begin_turn(&ada, begin(&id, &format!("turn{key}")))
                    .await;
                if let Ok(Begun::Started(start)) = begun {
                    let token = start.fencing_token;
                    store.abandon_turn(&ada, &id, token).await.unwrap();
                }
            }
            Step::Grade { key, times, late } => {
                let name = format!("grade{key}");
                let record = store.get_snapshot(&ada, COURSE).await.unwrap();
                if late && record.evidence_version > 0 && !self.grades.contains_key(&key) {
                    let mut old = record.clone();
                    old.evidence_version -= 1;
                    let outcome = store.commit_evidence(&ada, one_more(&old, &name)).await;
                    let current = Box::new(record.clone());
                    assert_eq!(outcome, Ok(EvidenceOutcome::Conflict(current)));
                }
                for _ in 0..times {
                    let outcome = store.commit_evidence(&ada, one_more(&record, &name)).await;
                    let next = record.evidence_version + 1;
                    let version = *self.grades.entry(key).or_insert(next);
                    assert_eq!(outcome, Ok(EvidenceOutcome::Committed(version)));
                }
            }
            Step::OtherBody { key } => {
                if self.grades.contains_key(&key) {
                    let record = store.get_snapshot(&ada, COURSE).await.unwrap();
                    let mut other = one_more(&record, "");
                    other.idempotency = idempotency(&format!("grade{key}"), 1);
                    let outcome = store.commit_evidence(&ada, other).await;
                    assert_eq!(outcome, Err(SessionError::IdempotencyConflict));
                }
            }
            Step::Restart => {}
        }
    }

    async fn check(&self, store: &dyn Store) {
        let ada = student("ada");
        let record = store.get_snapshot(&ada, COURSE).await.unwrap();
        assert_eq!(count_attempts(&record) as usize, self.grades.len());
        assert_eq!(record.evidence_version as usize, self.grades.len());
        assert_eq!(record.turn.map(|turn| turn.focus_unit_id), self.focus);
        for (thread, turns) in self.turns.iter().enumerate() {
            let page = store
                .get_thread(&ada, &thread.to_string(), 0, 1000)
                .await
                .unwrap();
            assert_eq!(page.thread.message_count as usize, turns.len() * 2);
            let twice = turns.iter().flat_map(|text| [text, text]);
            assert!(page.messages.iter().map(|m| &m.text).eq(twice));
            assert!(
                page.messages
                    .iter()
                    .map(|m| m.id)
                    .eq(1..=page.thread.message_count)
            );
        }
    }
}
