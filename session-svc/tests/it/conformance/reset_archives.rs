//! Nothing that a class reset deletes is in no archive.

use std::{collections::BTreeSet, fs, sync::Arc};

use tokio::task::JoinSet;
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    error::SessionError,
    sessions::{Sessions, turns::Begun},
};

use crate::{
    bench::{
        Bench, CLASS, HELPER, PATIENCE, TUTOR, begin, begin_in, commit, fresh, full_commit,
        gate::{Gate, makes_thread, strips},
        make_thread, new_thread, refused, started, take_full_turn, texts,
    },
    cases,
};

cases!(
    #[tokio::test]
    an_archive_holds_what_was_deleted,
    an_archive_holds_the_latest_messages,
    an_export_deletes_nothing,
    what_cannot_be_archived_is_not_deleted,
    a_class_is_reset_without_archives_where_none_are_wanted,
    a_turn_between_export_and_deletion_is_exported_too,
    a_thread_that_is_made_meanwhile_is_found_by_the_next_reset,
    a_reset_goes_on_without_its_caller,
    every_acknowledged_message_is_readable_or_archived,
);

async fn an_archive_holds_what_was_deleted(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    make_thread(sessions, &ada, "h2").await;
    for thread in ["t1", "h2"] {
        take_full_turn(sessions, &ada, thread, &format!("text-{thread}")).await;
    }
    bench.reset().await;
    let mut bodies = bench.archived();
    bodies.sort_by_key(|body| body["thread_id"].to_string());
    assert_eq!(bodies.len(), 2);
    for (body, (thread, kind)) in bodies.iter().zip([("h2", "helper"), ("t1", "tutor")]) {
        let text = format!("text-{thread}");
        assert_eq!(
            (&body["student_id"], &body["kind"]),
            (&"ada".into(), &kind.into())
        );
        assert_eq!(body["title"], format!("about {thread}"));
        assert_eq!(body["truncated"], false);
        let messages = body["messages"].as_array().unwrap();
        assert_eq!(
            (messages.len(), &messages[0]["role"], &messages[1]["role"]),
            (2, &"ROLE_USER".into(), &"ROLE_ASSISTANT".into())
        );
        assert!(messages.iter().all(|said| said["text"] == text.as_str()));
        assert_eq!(body["memories"][0]["turns"][0]["text"], text);
        assert_eq!(body["events"].as_array().unwrap().len(), 3);
        assert_eq!(body["events"][2]["text"], text);
    }
}

async fn an_archive_holds_the_latest_messages(bench: &mut Bench) {
    bench.limit(|limits| limits.archive_max_messages = 5).await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    for key in ["a", "b", "c"] {
        take_full_turn(sessions, &ada, "t1", key).await;
    }
    bench.reset().await;
    assert_eq!(bench.archived()[0]["truncated"], true);
    assert_eq!(bench.archived_texts(), ["a", "b", "b", "c", "c"]);
}

async fn an_export_deletes_nothing(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_full_turn(sessions, &ada, "t1", "text").await;
    let ada_s = format!("{}:", bench.partition(&ada).await.as_str());
    let of_ada = |name: &str| name.starts_with(&ada_s) || name.contains("/class:");
    let before = bench.dump().only(of_ada);
    let exported = sessions
        .export_class(&bench.actor(), CLASS, &fresh())
        .await
        .unwrap();
    assert_eq!(exported.conversations, 1);
    assert_eq!(bench.archives().names().unwrap(), [exported.archive_name]);
    assert_eq!(bench.archived_texts(), ["text", "text"]);
    assert_eq!(bench.dump().only(of_ada), before);
}

async fn what_cannot_be_archived_is_not_deleted(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    make_thread(sessions, &ada, "h2").await;
    for thread in ["t1", "h2"] {
        take_full_turn(sessions, &ada, thread, thread).await;
    }
    // Rights would not stop the superuser; a folder that is gone does.
    fs::remove_dir_all(bench.archives().root()).unwrap();
    // What is begun, and that it failed, stands in the class's record and in the audit log.
    let of_students = |name: &str| name.contains("/ada:") || name.ends_with(":conversations");
    let before = bench.dump().only(of_students);
    let failed = SessionError::ArchiveFailed {
        class_id: CLASS.to_owned(),
    };
    let (actor, class) = (bench.actor(), CLASS.to_owned());
    let reset = sessions
        .reset_class(&actor, &class, "", &fresh(), PATIENCE)
        .await;
    assert_eq!(refused(reset), failed);
    assert_eq!(bench.dump().only(of_students), before);
    let exported = sessions.export_class(&actor, &class, &fresh()).await;
    assert_eq!(refused(exported), failed);
    bench.archives();
    assert_eq!(bench.reset().await.threads, 1);
    assert_eq!(bench.archived().len(), 2);
}

async fn a_class_is_reset_without_archives_where_none_are_wanted(bench: &mut Bench) {
    bench
        .limit(|limits| limits.export_before_reset = false)
        .await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_full_turn(sessions, &ada, "t1", "k").await;
    let report = bench.reset().await;
    assert_eq!((report.threads, report.archive_names), (1, vec![]));
    assert_eq!(bench.archives().names().unwrap(), [""; 0]);
    assert_eq!(texts(sessions, &ada, "t1").await, [""; 0]);
}

async fn a_turn_between_export_and_deletion_is_exported_too(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "h1").await;
    take_full_turn(sessions, &ada, "h1", "before").await;
    let running = started(sessions, &ada, begin_in("h1", "between", 1)).await;
    let gate = Gate::new(bench.store(), strips);
    let gated = bench.sessions_over(Arc::clone(&gate) as _);
    let actor = bench.actor();
    let reset = tokio::spawn(async move {
        gated
            .reset_class(&actor, CLASS, "", &fresh(), PATIENCE)
            .await
    });
    gate.arrival().await;
    let turn = full_commit(&running, "between", "between");
    sessions.commit_turn(&ada, turn).await.unwrap();
    gate.open();
    let report = reset.await.unwrap().unwrap();
    assert_eq!((report.conversations, report.archive_names.len()), (1, 2));
    let mut archived = bench.archived_texts();
    archived.sort();
    assert_eq!(
        archived,
        ["before", "before", "before", "before", "between", "between"]
    );
}

async fn a_thread_that_is_made_meanwhile_is_found_by_the_next_reset(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let gate = Gate::new(bench.store(), makes_thread);
    let gated = bench.sessions_over(Arc::clone(&gate) as _);
    let making = {
        let ada = ada.clone();
        tokio::spawn(async move { gated.create_thread(&ada, new_thread("t1")).await })
    };
    gate.arrival().await;
    let report = bench.reset().await;
    assert_eq!((report.threads, report.conversations), (0, 0));
    gate.open();
    making.await.unwrap().unwrap();
    take_full_turn(sessions, &ada, "t1", "k").await;
    assert_eq!(bench.reset().await.threads, 1);
    assert_eq!(texts(sessions, &ada, "t1").await, [""; 0]);
}

async fn a_reset_goes_on_without_its_caller(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_full_turn(sessions, &ada, "t1", "k").await;
    let gate = Gate::new(bench.store(), strips);
    let gated = bench.sessions_over(Arc::clone(&gate) as _);
    let reset = tokio::spawn({
        let (gated, actor) = (gated.clone(), bench.actor());
        async move {
            gated
                .reset_class(&actor, CLASS, "", &fresh(), PATIENCE)
                .await
        }
    });
    gate.arrival().await;
    reset.abort();
    assert!(reset.await.unwrap_err().is_cancelled());
    gate.open();
    gated.tasks().close();
    gated.tasks().wait().await;
    assert_eq!(texts(sessions, &ada, "t1").await, [""; 0]);
    let audited = bench.audited().await;
    assert_eq!(audited[0].kind, "class-reset");
}

/// Turns of one student, one after the other, until the reset is over; answers what was acknowledged.
async fn chat(sessions: Sessions, student: StudentKey, kind: &str) -> Vec<String> {
    let mut acknowledged = Vec::new();
    let mut thread = String::new();
    for number in 0..25 {
        if thread.is_empty() {
            thread = format!("{kind}{number}");
            make_thread(&sessions, &student, &thread).await;
        }
        let key = format!("{}-{thread}-{number}", student.student);
        let start = match sessions.begin_turn(&student, begin(&thread, &key)).await {
            Ok(Begun::Started(start)) => start,
            Err(SessionError::UnknownThread { .. }) => {
                thread.clear();
                continue;
            }
            other => panic!("{other:?}"),
        };
        tokio::task::yield_now().await;
        match sessions
            .commit_turn(&student, commit(&start, &key, &key))
            .await
        {
            Ok(_) => acknowledged.push(key),
            Err(SessionError::TurnErased) => {}
            Err(other) => panic!("{other}"),
        }
    }
    acknowledged
}

async fn every_acknowledged_message_is_readable_or_archived(bench: &mut Bench) {
    let replicas = [bench.sessions().clone(), bench.replica().await];
    let mut chats = JoinSet::new();
    for number in 0..6 {
        let sessions = replicas[number % 2].clone();
        let student = bench.student(&format!("s{number}"));
        let kind = ["tutor", "helper"][number / 3];
        chats.spawn(async move { chat(sessions, student, kind).await });
    }
    let mut acknowledged = BTreeSet::new();
    let mut erased = 0;
    while !chats.is_empty() {
        let report = bench.reset().await;
        erased += report.threads + report.conversations;
        while let Some(done) = chats.try_join_next() {
            acknowledged.extend(done.unwrap());
        }
    }
    assert!(
        erased > 0 && acknowledged.len() > 20,
        "{erased} {acknowledged:?}"
    );
    let mut found: BTreeSet<_> = bench.archived_texts().into_iter().collect();
    for number in 0..6 {
        let student = bench.student(&format!("s{number}"));
        let sessions = bench.sessions();
        for kind in [TUTOR, HELPER] {
            let listed = sessions.list_threads(&student, kind, None, 100).await;
            for thread in listed.unwrap().threads {
                found.extend(texts(sessions, &student, &thread.thread_id).await);
            }
        }
    }
    let lost: Vec<_> = acknowledged.difference(&found).collect();
    assert_eq!(lost, [""; 0]);
    // And nothing is found that was never acknowledged.
    assert_eq!(found.difference(&acknowledged).next(), None);
}
