//! What a thread waits for: taken together with turns, ended once, and gone with the thread's text.

use std::time::Duration;

use bytes::Bytes;
use turnwise_kit::Clock;
use turnwise_proto::session::v1::{
    AnswerClarification, AnswerContextRequest, ClaimedWork, ContextRequest, ContextRequestChange,
    ContextRequestState, ContextSlot, PendingChange, PendingInteraction, RequestContext,
    StartClarification, WorkKind, pending_change::Step, pending_interaction::Interaction,
};
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    error::SessionError,
    pending::PendingError,
    sessions::{Sessions, context::Supply},
};

use crate::{
    bench::{Bench, begin, commit, make_thread, refused, started, take_turn, unknown_thread},
    cases,
};

cases!(
    #[tokio::test]
    a_clarification_goes_from_question_to_question,
    a_context_request_is_satisfied_and_answered,
    two_suppliers_at_once_lose_nothing,
    a_cancelled_request_is_due_no_more,
    a_request_that_nobody_answers_ends,
    a_turn_does_not_step_on_what_has_changed,
    a_refused_step_writes_nothing,
    a_reset_takes_what_the_thread_waits_for,
    a_request_of_somebody_else_is_unknown,
);

/// A turn with a step.
pub(super) async fn step(
    sessions: &Sessions,
    student: &StudentKey,
    key: &str,
    step: Step,
) -> Result<Option<PendingInteraction>, SessionError> {
    let start = started(sessions, student, begin("t1", key)).await;
    let mut turn = commit(&start, key, key);
    turn.pending_change = Some(PendingChange { step: Some(step) });
    let committed = sessions.commit_turn(student, turn).await;
    let token = start.fencing_token;
    sessions.abandon_turn(student, "t1", token).await.unwrap();
    committed
}

fn clarification(questions: &[&str]) -> Step {
    Step::StartClarification(StartClarification {
        document_id: "doc".to_owned(),
        original_query: "how?".to_owned(),
        original_message_id: 1,
        original_doc_content: "so".to_owned(),
        requires_handoff: true,
        questions: questions
            .iter()
            .map(|&question| question.to_owned())
            .collect(),
        ..StartClarification::default()
    })
}

fn answer(text: &str) -> Step {
    Step::AnswerClarification(AnswerClarification {
        answer: text.to_owned(),
    })
}

pub(super) fn request_context(types: &[&str]) -> Step {
    let slots = types.iter().map(|kind| ContextSlot {
        artifact_type: (*kind).to_owned(),
        size_limit: 100,
        ..ContextSlot::default()
    });
    Step::RequestContext(RequestContext {
        message_id: 1,
        slots: slots.collect(),
        claims: Bytes::from_static(b"sealed"),
        ..RequestContext::default()
    })
}

/// A turn that asks for artifacts of these types; answers the request's id.
pub(super) async fn requested(bench: &Bench, types: &[&str]) -> String {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let pending = step(sessions, &ada, "ask", request_context(types)).await;
    match pending.unwrap().unwrap().interaction {
        Some(Interaction::ContextRequest(request)) => request.request_id,
        other => panic!("{other:?}"),
    }
}

pub(super) fn supply(request_id: &str, slot: i32, kind: &str) -> Supply {
    Supply {
        request_id: request_id.to_owned(),
        slot,
        artifact_type: kind.to_owned(),
        content: format!("content of {kind}"),
        supplier_id: "tess".to_owned(),
        supplier_role: "teacher".to_owned(),
    }
}

async fn pending(sessions: &Sessions, ada: &StudentKey) -> Option<PendingInteraction> {
    let start = started(sessions, ada, begin("t1", "look")).await;
    let token = start.fencing_token;
    sessions.abandon_turn(ada, "t1", token).await.unwrap();
    start.pending
}

/// All context requests of the thread.
pub(super) async fn listed(sessions: &Sessions, ada: &StudentKey) -> Vec<ContextRequest> {
    let page = sessions.context_requests(ada, "t1", 0, 50).await.unwrap();
    assert_eq!(page.next, None);
    page.requests
}

async fn state(sessions: &Sessions, ada: &StudentKey) -> ContextRequestState {
    let requests = listed(sessions, ada).await;
    assert_eq!(requests.len(), 1);
    requests[0].state()
}

/// What is due of this tenant.
async fn due(bench: &Bench) -> Vec<(WorkKind, ClaimedWork)> {
    let mut claimed = Vec::new();
    // A store that others use, too, may have more that is due than one pass looks at.
    loop {
        let claims = bench.sessions().claim_due(100).await.unwrap();
        claimed.extend(claims.claimed);
        if claims.next.is_none_or(|next| next > bench.clock.now()) {
            break;
        }
    }
    let of_tenant = claimed.into_iter().filter(|claimed| {
        let work = claimed.work.as_ref().unwrap();
        work.tenant == bench.tenant
    });
    of_tenant
        .map(|claimed| (claimed.work.as_ref().unwrap().kind(), claimed))
        .collect()
}

fn kinds(due: &[(WorkKind, ClaimedWork)]) -> Vec<WorkKind> {
    due.iter().map(|(kind, _)| *kind).collect()
}

async fn a_clarification_goes_from_question_to_question(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let asked = step(sessions, &ada, "k0", clarification(&["a?", "b?"]))
        .await
        .unwrap();
    assert_eq!(pending(sessions, &ada).await, asked);
    assert!(asked.is_some());
    let first = step(sessions, &ada, "k1", answer("12")).await.unwrap();
    let Some(Interaction::Clarification(open)) = first.unwrap().interaction else {
        panic!("it is over");
    };
    let given = &open.answers[0];
    assert_eq!(
        (given.index, given.question.as_str(), given.answer.as_str()),
        (0, "a?", "12")
    );
    // A turn without a step leaves it.
    take_turn(sessions, &ada, "t1", "between").await;
    let last = step(sessions, &ada, "k2", answer("x")).await.unwrap();
    assert_eq!(last, None);
    assert_eq!(pending(sessions, &ada).await, None);
    // The document is not asked about again.
    let again = step(sessions, &ada, "k3", clarification(&["a?"])).await;
    assert_eq!(again, Ok(None));
}

async fn a_context_request_is_satisfied_and_answered(bench: &mut Bench) {
    let id = requested(bench, &["log", "json"]).await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let first = sessions
        .supply_context(&ada, "t1", supply(&id, 0, "log"))
        .await
        .unwrap();
    assert_eq!(first.state(), ContextRequestState::Open);
    bench.clock.advance(Duration::from_secs(1));
    assert_eq!(kinds(&due(bench).await), []);
    let second = sessions
        .supply_context(&ada, "t1", supply(&id, 1, "json"))
        .await
        .unwrap();
    assert_eq!(second.state(), ContextRequestState::Satisfied);
    for (slot, content) in [(0, "content of log"), (1, "content of json")] {
        let read = sessions.context_payload(&ada, "t1", &id, slot).await;
        let place = usize::try_from(slot).unwrap();
        assert_eq!(
            read.unwrap(),
            (second.sources[place].clone(), content.to_owned())
        );
    }
    assert_eq!(second.sources[0].supplier_id, "tess");
    bench.clock.advance(Duration::from_secs(1));
    let resumed = due(bench).await;
    assert_eq!(kinds(&resumed), [WorkKind::ContextResume]);
    let work = resumed[0].1.work.as_ref().unwrap();
    assert_eq!(
        (work.subject_id.as_str(), &work.claims[..]),
        (id.as_str(), &b"sealed"[..])
    );
    let closes = Step::AnswerContextRequest(AnswerContextRequest {
        request_id: id,
        turn_id: "t1".to_owned(),
    });
    assert_eq!(step(sessions, &ada, "resumed", closes).await, Ok(None));
    assert_eq!(state(sessions, &ada).await, ContextRequestState::Answered);
    let token = resumed[0].1.fencing_token;
    sessions.complete_claim(&work.work_id, token).await.unwrap();
    // Neither a reminder nor an end is due any more.
    bench.clock.advance(Duration::from_secs(301));
    assert_eq!(kinds(&due(bench).await), []);
}

async fn two_suppliers_at_once_lose_nothing(bench: &mut Bench) {
    let id = requested(bench, &["log", "json", "text"]).await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let replica = bench.replica().await;
    let (a, b, c) = tokio::join!(
        sessions.supply_context(&ada, "t1", supply(&id, 0, "log")),
        replica.supply_context(&ada, "t1", supply(&id, 1, "json")),
        sessions.supply_context(&ada, "t1", supply(&id, 2, "text")),
    );
    for supplied in [a, b, c] {
        supplied.unwrap();
    }
    let requests = listed(sessions, &ada).await;
    assert_eq!(requests[0].sources.len(), 3);
    assert_eq!(requests[0].state(), ContextRequestState::Satisfied);
}

async fn a_cancelled_request_is_due_no_more(bench: &mut Bench) {
    let id = requested(bench, &["log"]).await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let cancel = ContextRequestChange::Cancel;
    for _ in 0..2 {
        let cancelled = sessions
            .change_context_request(&ada, "t1", &id, cancel)
            .await;
        assert_eq!(cancelled.unwrap().state(), ContextRequestState::Cancelled);
    }
    assert_eq!(pending(sessions, &ada).await, None);
    let late = sessions
        .supply_context(&ada, "t1", supply(&id, 0, "log"))
        .await;
    let closed = PendingError::ContextRequestClosed {
        request_id: id,
        state: ContextRequestState::Cancelled,
    };
    assert_eq!(refused(late), SessionError::Pending(closed));
    bench.clock.advance(Duration::from_secs(301));
    assert_eq!(kinds(&due(bench).await), []);
    // Another one can be opened.
    let again = step(sessions, &ada, "again", request_context(&["log"])).await;
    assert!(again.unwrap().is_some());
    assert_eq!(listed(sessions, &ada).await.len(), 2);
}

async fn a_request_that_nobody_answers_ends(bench: &mut Bench) {
    let id = requested(bench, &["log"]).await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    bench.clock.advance(Duration::from_secs(151));
    let reminder = due(bench).await;
    assert_eq!(kinds(&reminder), [WorkKind::ContextReminder]);
    let change = async |change| {
        sessions
            .change_context_request(&ada, "t1", &id, change)
            .await
    };
    let early = change(ContextRequestChange::Expire).await;
    assert!(matches!(
        early,
        Err(SessionError::Pending(PendingError::Invalid { .. }))
    ));
    let reminded: ContextRequest = change(ContextRequestChange::Remind).await.unwrap();
    assert!(reminded.reminded);
    bench.clock.advance(Duration::from_secs(150));
    assert_eq!(kinds(&due(bench).await), [WorkKind::ContextEnd]);
    let expired = change(ContextRequestChange::Expire).await.unwrap();
    assert_eq!(expired.state(), ContextRequestState::Expired);
    bench.clock.advance(Duration::from_secs(1));
    assert_eq!(kinds(&due(bench).await), [WorkKind::ContextResume]);
}

async fn a_turn_does_not_step_on_what_has_changed(bench: &mut Bench) {
    let id = requested(bench, &["log", "json"]).await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let change = ContextRequestChange::Force;
    sessions
        .change_context_request(&ada, "t1", &id, change)
        .await
        .unwrap();
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let mut turn = commit(&start, "k", "k");
    let closes = AnswerContextRequest {
        request_id: id,
        turn_id: "t1".to_owned(),
    };
    turn.pending_change = Some(PendingChange {
        step: Some(Step::AnswerContextRequest(closes.clone())),
    });
    // Another turn would have to wait; somebody else has answered it by other means.
    let partition = bench.partition(&ada).await;
    bench
        .put(&partition, "interactions:t1", "version", b"77")
        .await;
    let before = bench.dump();
    let stale = sessions.commit_turn(&ada, turn).await;
    assert_eq!(refused(stale), SessionError::PendingChanged);
    assert_eq!(bench.dump(), before);
}

async fn a_refused_step_writes_nothing(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let before = bench.dump();
    let mut turn = commit(&start, "k", "k");
    turn.pending_change = Some(PendingChange {
        step: Some(answer("to nothing")),
    });
    let illegal = sessions.commit_turn(&ada, turn.clone()).await;
    assert_eq!(
        refused(illegal),
        SessionError::Pending(PendingError::NothingPending)
    );
    assert_eq!(bench.dump(), before);
    // The turn can go on without it.
    turn.pending_change = None;
    sessions.commit_turn(&ada, turn).await.unwrap();
}

async fn a_reset_takes_what_the_thread_waits_for(bench: &mut Bench) {
    let id = requested(bench, &["log", "json"]).await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    sessions
        .supply_context(&ada, "t1", supply(&id, 0, "log"))
        .await
        .unwrap();
    assert_eq!(bench.dump().holding("content of log").len(), 1);
    bench.reset().await;
    let dump = bench.dump();
    for text in ["content of log", "sealed"] {
        assert_eq!(dump.holding(text), [""; 0]);
    }
    assert_eq!(dump.holding(&id), [""; 0]);
    assert_eq!(pending(sessions, &ada).await, None);
    let late = sessions
        .supply_context(&ada, "t1", supply(&id, 1, "json"))
        .await;
    let closed = PendingError::ContextRequestClosed {
        request_id: id,
        state: ContextRequestState::Unspecified,
    };
    assert_eq!(refused(late), SessionError::Pending(closed));
    bench.clock.advance(Duration::from_secs(301));
    assert_eq!(kinds(&due(bench).await), []);
}

async fn a_request_of_somebody_else_is_unknown(bench: &mut Bench) {
    let id = requested(bench, &["log"]).await;
    let (bob, sessions) = (bench.student("bob"), bench.sessions());
    let unknown = unknown_thread("t1");
    let supplied = sessions
        .supply_context(&bob, "t1", supply(&id, 0, "log"))
        .await;
    assert_eq!(refused(supplied), unknown);
    let change = ContextRequestChange::Cancel;
    let changed = sessions
        .change_context_request(&bob, "t1", &id, change)
        .await;
    assert_eq!(refused(changed), unknown);
    let listed = sessions.context_requests(&bob, "t1", 0, 50).await;
    assert_eq!(refused(listed), unknown);
    let read = sessions.context_payload(&bob, "t1", &id, 0).await;
    assert_eq!(refused(read), unknown);
}
