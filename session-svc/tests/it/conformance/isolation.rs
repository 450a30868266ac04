//! One student never sees another, of this tenant or the next.

use turnwise_session_svc::{error::SessionError, store::EvidenceOutcome};

use crate::{
    bench::{
        Bench, COURSE, begin, commit, make_thread, new_thread, of_tenant, one_more, passed,
        refused, started, student,
    },
    cases,
};

cases!(
    #[tokio::test]
    nothing_of_one_student_reaches_another,
    a_thread_of_somebody_else_is_unknown,
);

async fn nothing_of_one_student_reaches_another(bench: &mut Bench) {
    const CANARY: &str = "canary-of-ada";
    let (ada, store) = (student("ada"), bench.store());
    let mut thread = new_thread("t1");
    thread.thread.title = CANARY.to_owned();
    store.create_thread(&ada, thread).await.unwrap();
    let start = started(store, &ada, begin("t1", CANARY)).await;
    let turn = commit(&start, CANARY, CANARY);
    store.commit_turn(&ada, turn.clone()).await.unwrap();
    let mut graded = one_more(start.snapshot.as_ref().unwrap(), CANARY);
    graded.evidence.units_in_progress = vec![CANARY.to_owned()];
    graded.question_records = vec![passed("Q1")];
    store.commit_evidence(&ada, graded).await.unwrap();

    // Somebody else of the tenant, somebody of the same name elsewhere, and names whose keys begin alike.
    let others = [
        student("bob"),
        of_tenant("other", "ada"),
        student("ad"),
        student("ada.a"),
        of_tenant("defaul", "ada"),
    ];
    for other in &others {
        make_thread(store, other, "own").await;
        let ids = ["Q1".to_owned()];
        let mut seen = vec![
            format!("{:?}", store.list_threads(other, None, 100).await),
            format!("{:?}", store.get_thread(other, "own", 0, 100).await),
            format!("{:?}", store.get_thread(other, "t1", 0, 100).await),
            format!("{:?}", store.begin_turn(other, begin("own", CANARY)).await),
            format!("{:?}", store.begin_turn(other, begin("t1", "k")).await),
            format!("{:?}", store.get_snapshot(other, COURSE).await),
            format!("{:?}", store.question_records(other, COURSE, &ids).await),
        ];
        let cold = store.get_snapshot(other, COURSE).await.unwrap();
        let outcome = store.commit_evidence(other, one_more(&cold, CANARY)).await;
        assert_eq!(outcome, Ok(EvidenceOutcome::Committed(1)));
        let late = store.commit_turn(other, turn.clone()).await;
        assert!(matches!(late, Err(SessionError::UnknownThread { .. })));
        seen.push(format!("{:?}", store.get_snapshot(other, COURSE).await));
        for text in seen {
            assert!(!text.contains(CANARY) && !text.contains("Q1"), "{text}");
        }
    }
    let page = store.get_thread(&ada, "t1", 0, 100).await.unwrap();
    assert_eq!(page.messages, turn.messages);
}

async fn a_thread_of_somebody_else_is_unknown(bench: &mut Bench) {
    let (ada, bob, store) = (student("ada"), student("bob"), bench.store());
    make_thread(store, &ada, "t1").await;
    for id in ["t1", "none"] {
        let unknown = SessionError::UnknownThread {
            thread_id: id.to_owned(),
        };
        let read = store.get_thread(&bob, id, 0, 10).await;
        assert_eq!(refused(read), unknown);
        let begun = store.begin_turn(&bob, begin(id, "k")).await;
        assert_eq!(refused(begun), unknown);
    }
}
