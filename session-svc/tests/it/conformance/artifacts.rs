//! What is kept beside threads.

use std::time::Duration;

use sha2::{Digest, Sha256};
use turnwise_proto::session::v1::Artifact;
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    error::SessionError,
    pending::PendingError,
    sessions::{
        Sessions,
        artifacts::{ArtifactName, NewArtifact},
    },
};

use super::export;
use crate::{
    bench::{Bench, THREADS, make_thread, new_thread, refused, unknown_thread},
    cases,
};

cases!(
    #[tokio::test]
    an_artifact_is_what_was_put_last,
    a_batch_has_the_artifacts_of_all_its_threads,
    a_thread_keeps_fifty,
    artifacts_go_with_their_thread,
);

fn name(batch_id: &str, artifact_type: &str) -> ArtifactName {
    ArtifactName {
        batch_id: batch_id.to_owned(),
        artifact_type: artifact_type.to_owned(),
    }
}

async fn put(
    sessions: &Sessions,
    student: &StudentKey,
    thread: &str,
    name: ArtifactName,
    content: &str,
) -> Result<Artifact, SessionError> {
    let new = NewArtifact {
        name,
        course_id: crate::bench::COURSE.to_owned(),
        content: content.to_owned(),
        supplier_id: "tess".to_owned(),
        supplier_role: "teacher".to_owned(),
    };
    sessions.put_artifact(student, thread, new).await
}

async fn listed(
    sessions: &Sessions,
    student: &StudentKey,
    thread: &str,
    batch: &str,
) -> Result<Vec<Artifact>, SessionError> {
    let batch = sessions.batch(student, thread, batch).await?;
    Ok(batch.artifacts)
}

async fn an_artifact_is_what_was_put_last(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let budget = || name("trip", "budget");
    put(sessions, &ada, "t1", budget(), "the former text")
        .await
        .unwrap();
    let written = "ask ada@example.org";
    let kept = put(sessions, &ada, "t1", budget(), written).await.unwrap();
    let (read, content) = sessions.artifact(&ada, "t1", &budget()).await.unwrap();
    assert_eq!(read, kept);
    assert!(content.starts_with("ask ") && !content.contains("example.org"));
    assert_eq!(usize::try_from(kept.size_bytes).unwrap(), content.len());
    assert_eq!(kept.sha256[..], Sha256::digest(&content)[..]);
    assert_eq!(listed(sessions, &ada, "t1", "trip").await, Ok(vec![kept]));
    assert_eq!(bench.dump().holding("the former text"), [""; 0]);
    let (exported, _) = export::export(bench, &ada).await;
    let exported = &exported["threads"][0]["artifacts"];
    assert_eq!(exported[0]["content"], *content);
    assert_eq!(exported[0]["artifact"]["artifactType"], "budget");
    let none = sessions.artifact(&ada, "t1", &name("t1", "budget")).await;
    assert!(matches!(
        refused(none),
        SessionError::Pending(PendingError::Invalid { .. })
    ));
    let bob = bench.student("bob");
    let foreign = sessions.artifact(&bob, "t1", &budget()).await;
    assert_eq!(refused(foreign), unknown_thread("t1"));
    let foreign = listed(sessions, &bob, "t1", "trip").await;
    assert_eq!(refused(foreign), unknown_thread("t1"));
}

async fn a_batch_has_the_artifacts_of_all_its_threads(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for thread in ["t1", "t2"] {
        make_thread(sessions, &ada, thread).await;
    }
    let mut elsewhere = new_thread("t3");
    elsewhere.thread.class_id = "8a".to_owned();
    sessions.create_thread(&ada, elsewhere).await.unwrap();
    let mut kept = Vec::new();
    for (thread, batch, kind) in [
        ("t1", "trip", "plan"),
        ("t1", "trip", "budget"),
        ("t1", "other", "letter"),
        ("t2", "trip", "plan"),
        ("t3", "trip", "secret"),
    ] {
        let put = put(sessions, &ada, thread, name(batch, kind), thread).await;
        kept.push(put.unwrap());
        bench.clock.advance(Duration::from_secs(1));
    }
    let trip = vec![kept[1].clone(), kept[3].clone()];
    for thread in ["t1", "t2"] {
        let found = listed(sessions, &ada, thread, "trip").await;
        assert_eq!(found.unwrap(), trip);
    }
    let found = listed(sessions, &ada, "t3", "trip").await;
    assert_eq!(found.unwrap(), [kept[4].clone()]);
    assert_eq!(listed(sessions, &ada, "t1", "none").await, Ok(vec![]));
}

async fn a_thread_keeps_fifty(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    for number in 0..50 {
        let name = name("trip", &format!("kind-{number}"));
        put(sessions, &ada, "t1", name, "x").await.unwrap();
    }
    let more = put(sessions, &ada, "t1", name("trip", "more"), "x").await;
    assert!(matches!(
        refused(more),
        SessionError::Pending(PendingError::Invalid {
            field: "artifact_type",
            ..
        })
    ));
    put(sessions, &ada, "t1", name("trip", "kind-7"), "y")
        .await
        .unwrap();
    let found = listed(sessions, &ada, "t1", "trip").await;
    assert_eq!(found.unwrap().len(), 50);
}

async fn artifacts_go_with_their_thread(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for thread in ["t1", "h1"] {
        make_thread(sessions, &ada, thread).await;
        put(sessions, &ada, thread, name("trip", "plan"), "kept words")
            .await
            .unwrap();
    }
    assert_eq!(bench.dump().holding("kept words").len(), 2);
    bench.reset().await;
    let archived = bench.archived();
    let lines = archived
        .iter()
        .filter(|body| body["content"] == "kept words");
    assert_eq!(lines.count(), 2);
    let sessions = bench.sessions();
    for word in ["kept words", "trip"] {
        assert_eq!(bench.dump().holding(word), [""; 0]);
    }
    assert_eq!(listed(sessions, &ada, "t1", "trip").await, Ok(vec![]));
    put(sessions, &ada, "t1", name("trip", "plan"), "other words")
        .await
        .unwrap();
    assert_eq!(bench.dump().holding("other words").len(), 1);
    sessions
        .erase_student(bench.actor(), ada.clone(), String::new())
        .await
        .unwrap();
    for word in ["other words", "trip"] {
        assert_eq!(bench.dump().holding(word), [""; 0]);
    }
    make_thread(sessions, &ada, "t2").await;
    put(sessions, &ada, "t2", name("trip", "plan"), "x")
        .await
        .unwrap();
    for name in ["artifacts:*", "artifact-texts:*", "batches"] {
        bench.runs_out(name, THREADS);
    }
}
