//! A drill counts once: whatever is sent twice, at the same moment, or lost on the way.

use std::sync::{Arc, Mutex};

use futures_util::future::join_all;
use proptest::prelude::*;
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::SupportKind,
    policy::v1::{ApplyEvidenceRequest, ApplyEvidenceResponse},
    session::v1::ThreadFocus,
    tutor::v1::{DrillResult, GradeDrillRequest, GradeDrillResponse, GradedBy, SnapshotLite},
};

use super::{
    super::open_card::token_hash,
    drills::notices,
    policy::UNIT,
    session::{Kept, Mishap},
    world::World,
};

#[tokio::test]
async fn a_drill_counts_once_under_whatever_key() {
    let world = World::start().await;
    let mut request = world.drill("key-1", "wrong");
    let first = world.grade(request.clone()).await.unwrap();
    assert_eq!(world.grade(request.clone()).await.unwrap(), first);
    assert_eq!(world.completions(), 1);

    // With another key, and an answer that would be right.
    request.idempotency_key = "key-2".to_owned();
    request.answer.as_mut().unwrap().text = "right".to_owned();
    let second = world.grade(request.clone()).await.unwrap();
    assert_eq!(second.result(), DrillResult::Incorrect, "the first verdict");
    assert_eq!(second.graded_by(), GradedBy::Rules);
    assert_eq!(second.common_mistake_tag, "sign");
    assert_eq!(notices(&second), [ErrorReason::DrillAlreadyGraded]);
    let told = "This drill was graded before; its first verdict holds.";
    assert_eq!(second.notice_texts, [told]);
    assert!(!second.evidence_recorded);
    assert_eq!(second.feedback_text, "");
    assert!(second.snapshot_lite.is_some());
    assert_eq!(second.buttons[0].label_key, "continue");
    assert_eq!(world.completions(), 0);
    assert_eq!(world.session.attempts(), 1);

    // The first key with another body is refused.
    request.idempotency_key = "key-1".to_owned();
    let fault = world.grade(request).await.unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::IdempotencyConflict);
}

/// Another card with an exercise that counted before.
#[tokio::test]
async fn a_repeated_exercise_gets_its_verdict_and_counts_no_more() {
    let world = World::start().await;
    world.grade(world.drill("key-1", "right")).await.unwrap();
    world.policy.repeats();
    let before = world.session.kept().nonces.clone();
    let evidence = world.session.kept().evidence.clone();
    for (key, answer, result) in [
        ("key-2", "right", DrillResult::Correct),
        ("key-3", "wrong", DrillResult::Incorrect),
    ] {
        let request = world.drill(key, answer);
        let token = request.drill.clone().unwrap().drill_token;
        let again = world.grade(request.clone()).await.unwrap();
        assert_eq!(again.result(), result);
        assert_eq!(notices(&again), [ErrorReason::ExerciseRepeated]);
        assert!(!again.evidence_recorded);
        assert!(!again.feedback_text.is_empty());
        assert!(again.snapshot_lite.is_some());
        assert_eq!(again.buttons[0].label_key, "continue");
        // The thread knows that this card is answered, and how.
        let told = world.session.kept().graded.clone().unwrap();
        assert_eq!(told.card_token, token);
        assert_eq!((told.answer.as_str(), told.result()), (answer, result));
        assert_eq!(world.grade(request).await.unwrap(), again);
    }
    assert_eq!(world.session.attempts(), 1);
    assert_eq!(world.session.kept().nonces, before);
    assert_eq!(world.session.kept().evidence, evidence);
}

/// The record has the target of the latest turn in any thread.
#[tokio::test]
async fn an_answer_is_applied_to_what_its_thread_is_about() {
    let world = World::start().await;
    world.session.kept().thread_focus = Some(ThreadFocus {
        focus_unit_id: UNIT.to_owned(),
        target_unit_id: "ALG-09".to_owned(),
    });
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let targets = Arc::clone(&seen);
    world.policy.fake.on(
        "turnwise.policy.v1.PolicyService/ApplyEvidence",
        move |request: ApplyEvidenceRequest| {
            let snapshot = request.snapshot.unwrap_or_default();
            let turn = snapshot.turn.unwrap_or_default();
            targets.lock().unwrap().push(turn.target_unit_id);
            let response = ApplyEvidenceResponse {
                evidence: Some(snapshot.evidence.unwrap_or_default()),
                standing: Some(SnapshotLite::default()),
                ..ApplyEvidenceResponse::default()
            };
            async { Ok(response) }
        },
    );
    world.session.next_commit(Mishap::Overtaken(|_| {}));
    world.grade(world.drill("key-1", "right")).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), ["ALG-09", "ALG-09"]);
}

#[tokio::test]
async fn a_key_is_for_one_kind_of_call() {
    let world = World::start().await;
    world.submit(world.submission("key", "a")).await.unwrap();
    let look = world.look("key", SupportKind::Memo);
    let fault = world.view(look).await.unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::IdempotencyConflict);
    let fault = world.grade(world.drill("key", "wrong")).await.unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::IdempotencyConflict);
}

#[tokio::test]
async fn a_verdict_that_is_kept_for_ever_holds_no_text() {
    let world = World::start().await;
    world.model_says("A word about Ada's answer");
    let mut request = world.drill("key-1", "wrong");
    request.answer.as_mut().unwrap().voice_transcript = "wrong, I think".to_owned();
    world.grade(request).await.unwrap();
    let kept = world.session.kept();
    let verdict = kept.nonces.values().next().unwrap();
    let text = String::from_utf8_lossy(verdict);
    assert!(!text.contains("word") && !text.contains("wrong"), "{text}");
}

/// Many requests that have all read the same record.
#[tokio::test]
async fn concurrent_duplicates_count_once() {
    for other_keys in [false, true] {
        let world = World::start().await;
        let request = world.drill("key", "wrong");
        world.session.begin_together(16);
        let graded = join_all((0..16).map(|n| {
            let mut request = request.clone();
            if other_keys {
                request.idempotency_key = format!("key-{n}");
            }
            world.grade(request)
        }))
        .await;
        let graded: Vec<_> = graded.into_iter().map(Result::unwrap).collect();
        assert_eq!(world.session.attempts(), 1);
        let counted = graded.iter().filter(|a| a.evidence_recorded).count();
        if other_keys {
            assert_eq!(counted, 1);
            let again = |a: &&GradeDrillResponse| notices(a) == [ErrorReason::DrillAlreadyGraded];
            assert_eq!(graded.iter().filter(again).count(), 15);
        } else {
            assert!(graded.iter().all(|answer| *answer == graded[0]));
        }
        assert!(graded.iter().all(|a| a.result() == DrillResult::Incorrect));
    }
}

/// Different drills at the same moment: all count, each once.
#[tokio::test]
async fn concurrent_drills_all_count() {
    let world = World::start().await;
    let requests: Vec<_> = (0..8)
        .map(|n| world.drill(&format!("key-{n}"), "right"))
        .collect();
    world.session.begin_together(8);
    let tokens = requests.iter().map(token);
    let mut tokens: Vec<u64> = tokens.map(|token| token_hash(&token)).collect();
    let graded = join_all(requests.into_iter().map(|request| world.grade(request))).await;
    assert!(
        graded
            .iter()
            .all(|answer| answer.as_ref().unwrap().evidence_recorded)
    );
    assert_eq!(world.session.attempts(), 8);
    // The thread knows all of them.
    let latest = world.session.kept().graded.clone().unwrap();
    let mut known = latest.graded_before;
    known.push(token_hash(&latest.card_token));
    known.sort_unstable();
    tokens.sort_unstable();
    assert_eq!(known, tokens);
}

fn token(request: &GradeDrillRequest) -> String {
    request.drill.clone().unwrap().drill_token
}

#[tokio::test]
async fn a_thread_knows_the_drills_that_were_graded_before_the_latest() {
    let world = World::start().await;
    let mut tokens = Vec::new();
    for number in 0..27 {
        let request = world.drill(&format!("key-{number}"), "wrong");
        tokens.push(token_hash(&token(&request)));
        world.grade(request).await.unwrap();
        let latest = world.session.kept().graded.clone().unwrap();
        let before = &tokens[..number];
        let known = &before[before.len().saturating_sub(24)..];
        assert_eq!(latest.graded_before, known, "{number}");
    }
}

#[tokio::test]
async fn after_eight_conflicts_nothing_is_written() {
    let world = World::start().await;
    for _ in 0..8 {
        world.session.next_commit(Mishap::Overtaken(|_| {}));
    }
    let request = world.drill("key-1", "right");
    let fault = world.grade(request.clone()).await.unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::VersionConflict);
    assert!(fault.retry_delay().is_some());
    assert_eq!(world.session.kept().commits, 8);
    assert_eq!(world.session.attempts(), 0);
    assert!(world.grade(request).await.unwrap().evidence_recorded);
    assert_eq!(world.session.attempts(), 1);
}

#[tokio::test]
async fn an_erased_student_gets_no_evidence() {
    let world = World::start().await;
    world.session.next_commit(Mishap::Erased);
    let fault = world
        .grade(world.drill("key-1", "right"))
        .await
        .unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::TurnErased);
    // An answer whose text was erased since is not made again.
    let request = world.drill("key-2", "right");
    world.grade(request.clone()).await.unwrap();
    for (_, answer) in world.session.kept().answers.values_mut() {
        answer.clear();
    }
    let fault = world.grade(request).await.unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::TurnErased);
    assert_eq!(world.session.attempts(), 1);
}

#[derive(Debug, Clone, Copy)]
enum Trouble {
    NotReceived,
    AnswerLost,
    Overtaken,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever goes wrong with commits, and however often the client tries again: each drill counts once in the end.
    #[test]
    fn every_drill_counts_once(
        troubles in prop::collection::vec(
            prop_oneof![Just(Trouble::NotReceived), Just(Trouble::AnswerLost), Just(Trouble::Overtaken)],
            0..12,
        ),
        drills in 1usize..4,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let world = World::start().await;
            for trouble in troubles {
                world.session.next_commit(match trouble {
                    Trouble::NotReceived => Mishap::NotReceived,
                    Trouble::AnswerLost => Mishap::AnswerLost,
                    Trouble::Overtaken => Mishap::Overtaken(|_: &mut Kept| {}),
                });
            }
            for n in 0..drills {
                let request = world.drill(&format!("key-{n}"), "right");
                let mut tries = 0;
                let answer = loop {
                    tries += 1;
                    assert!(tries < 20);
                    if let Ok(answer) = world.grade(request.clone()).await {
                        break answer;
                    }
                };
                assert!(answer.evidence_recorded);
                assert_eq!(world.grade(request).await.unwrap(), answer);
            }
            assert_eq!(world.session.attempts(), drills as i32);
        });
    }
}
