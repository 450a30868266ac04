//! What a thread's log says of its context requests, and what a turn names when it opens one.

use std::time::Duration;

use turnwise_proto::{
    session::v1::{
        AnswerContextRequest, ContextRequestChange, PendingChange, pending_change::Step,
        pending_interaction::Interaction,
    },
    tutor::v1::StudentInput,
};
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    error::SessionError,
    pending::PendingError,
    sessions::{Sessions, events::Page},
};

use super::interactions::{listed, request_context, requested, step, supply};
use crate::{
    bench::{Bench, begin, commit, make_thread, refused, started},
    cases,
};

cases!(
    #[tokio::test]
    every_step_of_a_request_is_an_event,
    a_request_has_the_id_and_the_query_that_the_turn_names,
);

/// What the log says of context requests: kind, related id, and facts but for the id.
async fn told(sessions: &Sessions, ada: &StudentKey) -> Vec<(String, String, String)> {
    let page = sessions.list_events(ada, "t1", Page::After(0), 200).await;
    let events = page.unwrap().events.into_iter();
    let of_requests = events.filter(|event| event.kind.starts_with("context:"));
    of_requests
        .map(|event| {
            let mut facts: Vec<_> = event.facts.into_iter().collect();
            facts.sort();
            assert!(facts.contains(&("request_id".to_owned(), event.related_id.clone())));
            let facts = facts.iter().filter(|(name, _)| name != "request_id");
            let facts: Vec<_> = facts.map(|(name, fact)| format!("{name}={fact}")).collect();
            (event.kind, event.related_id, facts.join(" "))
        })
        .collect()
}

async fn every_step_of_a_request_is_an_event(bench: &mut Bench) {
    let id = requested(bench, &["log", "json"]).await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let mut watched = sessions
        .watch_events(ada.clone(), "t1".to_owned(), 0)
        .await
        .unwrap();
    let change = async |id: &str, change| {
        let changed = sessions.change_context_request(&ada, "t1", id, change);
        changed.await.unwrap()
    };
    for _ in 0..2 {
        change(&id, ContextRequestChange::Remind).await;
    }
    for (slot, kind) in [(0, "log"), (1, "json")] {
        let given = sessions.supply_context(&ada, "t1", supply(&id, slot, kind));
        given.await.unwrap();
    }
    let request_id = id.clone();
    let closes = Step::AnswerContextRequest(AnswerContextRequest {
        request_id,
        turn_id: "t1".to_owned(),
    });
    step(sessions, &ada, "answers", closes).await.unwrap();
    let update = |slot, kind, size| {
        format!("artifact_type={kind} size_bytes={size} slot={slot} supplier_role=teacher")
    };
    let mut expected = [
        ("request", "message_id=1 must_have=false slots=2".to_owned()),
        ("reminder", String::new()),
        ("update", update(0, "log", 14)),
        ("update", update(1, "json", 15)),
        ("resolved", "state=satisfied".to_owned()),
    ]
    .map(|(kind, facts)| (format!("context:{kind}"), id.clone(), facts))
    .to_vec();
    assert_eq!(told(sessions, &ada).await, expected);
    // Who watches hears of them.
    let mut heard = Vec::new();
    while heard.len() < expected.len() {
        let event = watched.recv().await.unwrap().unwrap();
        if event.kind.starts_with("context:") {
            heard.push(event.kind);
        }
    }
    assert_eq!(heard.last().unwrap(), "context:resolved");
    for (key, wanted, state) in [
        ("skip", ContextRequestChange::Skip, "skipped"),
        ("force", ContextRequestChange::Force, "forced"),
        ("cancel", ContextRequestChange::Cancel, "cancelled"),
        ("expire", ContextRequestChange::Expire, "expired"),
    ] {
        let pending = step(sessions, &ada, key, request_context(&["log"])).await;
        let Some(Interaction::ContextRequest(opened)) = pending.unwrap().unwrap().interaction
        else {
            panic!("nothing is asked for");
        };
        let request_id = opened.request_id;
        if wanted == ContextRequestChange::Expire {
            bench.clock.advance(Duration::from_secs(301));
        }
        for _ in 0..2 {
            change(&request_id, wanted).await;
        }
        let facts = "message_id=1 must_have=false slots=1".to_owned();
        expected.push(("context:request".to_owned(), request_id.clone(), facts));
        let facts = format!("state={state}");
        expected.push(("context:resolved".to_owned(), request_id.clone(), facts));
        if state != "cancelled" {
            let closes = Step::AnswerContextRequest(AnswerContextRequest {
                request_id,
                turn_id: "t1".to_owned(),
            });
            let answers = format!("answers-{key}");
            step(sessions, &ada, &answers, closes).await.unwrap();
        }
    }
    assert_eq!(told(sessions, &ada).await, expected);
}

async fn a_request_has_the_id_and_the_query_that_the_turn_names(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let id = uuid::Uuid::new_v4().to_string();
    let Step::RequestContext(mut asked) = request_context(&["log"]) else {
        panic!("another step");
    };
    asked.request_id.clone_from(&id);
    asked.query = Some(StudentInput {
        text: "I am ada@example.org".to_owned(),
        latex: "x^2".to_owned(),
        voice_transcript: "write to ada@example.org".to_owned(),
    });
    let start = started(sessions, &ada, begin("t1", "ask")).await;
    let mut turn = commit(&start, "ask", "ask");
    turn.pending_change = Some(PendingChange {
        step: Some(Step::RequestContext(asked.clone())),
    });
    // Sent again it is the same request.
    for _ in 0..2 {
        sessions.commit_turn(&ada, turn.clone()).await.unwrap();
    }
    let requests = listed(sessions, &ada).await;
    assert_eq!(requests.len(), 1);
    let request = &requests[0];
    assert_eq!(request.request_id, id);
    assert!(request.create_time.is_some());
    let query = request.query.as_ref().unwrap();
    assert_eq!(query.latex, "x^2");
    for text in [&query.text, &query.voice_transcript] {
        assert!(!text.contains("ada@example.org"), "{text}");
    }
    let cancel = ContextRequestChange::Cancel;
    let cancelled = sessions.change_context_request(&ada, "t1", &id, cancel);
    cancelled.await.unwrap();
    let before = told(sessions, &ada).await;
    let again = step(sessions, &ada, "again", Step::RequestContext(asked)).await;
    let refused = refused(again);
    assert!(
        matches!(
            refused,
            SessionError::Pending(PendingError::Invalid {
                field: "request_context.request_id",
                ..
            })
        ),
        "{refused}"
    );
    assert_eq!(told(sessions, &ada).await, before);
}
