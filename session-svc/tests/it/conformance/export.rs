//! A student's whole record as one JSON document.

use serde_json::{Value, json};
use turnwise_proto::session::v1::{
    AnswerClarification, PendingChange, StartClarification, pending_change::Step,
};
use turnwise_session_store::StudentKey;

use crate::{
    bench::{
        Bench, CLASS, COURSE, begin_in, full_commit, graded, make_thread, passed, started,
        take_full_turn,
    },
    cases,
};

cases!(
    #[tokio::test]
    an_export_holds_everything,
    an_export_of_nothing_is_a_document,
    an_export_holds_what_a_thread_waits_for,
    long_threads_come_whole,
    an_export_whose_reader_leaves_ends,
);

/// The document, and in how many pieces it came.
pub(super) async fn export(bench: &Bench, student: &StudentKey) -> (Value, usize) {
    let exported = bench
        .sessions()
        .export_student(bench.actor(), student.clone());
    let mut pieces = exported.await.unwrap();
    let (mut text, mut count) = (Vec::new(), 0);
    while let Some(piece) = pieces.recv().await {
        text.extend_from_slice(&piece.unwrap());
        count += 1;
    }
    (serde_json::from_slice(&text).unwrap(), count)
}

async fn an_export_holds_everything(bench: &mut Bench) {
    let (ada, bob, sessions) = (bench.student("ada"), bench.student("bob"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    make_thread(sessions, &ada, "h2").await;
    make_thread(sessions, &bob, "t3").await;
    for (student, thread) in [(&ada, "t1"), (&ada, "h2"), (&bob, "t3")] {
        take_full_turn(sessions, student, thread, &format!("text-{thread}")).await;
    }
    let read = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let mut drill = graded(&read, "g", "nonce", "verdict");
    drill.question_records = vec![passed("Q1")];
    sessions.commit_evidence(&ada, drill).await.unwrap();

    let (document, pieces) = export(bench, &ada).await;
    assert!(pieces >= 4, "{pieces}");
    assert_eq!(document["tenant"], bench.tenant);
    assert_eq!(document["student_id"], "ada");
    let courses = document["courses"].as_array().unwrap();
    assert_eq!(courses.len(), 1);
    assert_eq!(courses[0]["snapshot"]["courseId"], COURSE);
    assert_eq!(
        courses[0]["snapshot"]["evidence"]["unitProgress"][0]["drill"]["attempts"],
        1
    );
    assert_eq!(courses[0]["snapshot"]["turn"]["focusUnitId"], "text-h2");
    assert_eq!(courses[0]["questions"][0]["questionId"], "Q1");
    let threads = document["threads"].as_array().unwrap();
    let ids: Vec<_> = threads
        .iter()
        .map(|thread| &thread["thread"]["threadId"])
        .collect();
    assert_eq!(ids, ["t1", "h2"]);
    for (thread, id) in threads.iter().zip(["t1", "h2"]) {
        let text = format!("text-{id}");
        assert_eq!(thread["thread"]["classId"], CLASS);
        let messages = thread["messages"].as_array().unwrap();
        assert_eq!(
            (messages.len(), &messages[0]["text"]),
            (2, &Value::from(text.clone()))
        );
        assert_eq!(thread["events"].as_array().unwrap().len(), 3);
        assert_eq!(thread["events"][2]["text"], text);
        assert_eq!(thread["memories"][0]["turns"][0]["text"], text);
        assert_eq!(thread["turn_logs"][0]["turnId"], format!("turn-{text}"));
        assert_eq!(thread["context_requests"], Value::Array(vec![]));
    }
    assert!(!document.to_string().contains("t3"));
    let audited = bench.audited().await;
    assert_eq!(audited[0].kind, "student-exported");
}

async fn an_export_of_nothing_is_a_document(bench: &mut Bench) {
    let (document, _) = export(bench, &bench.student("nobody")).await;
    assert_eq!(document["courses"], Value::Array(vec![]));
    assert_eq!(document["threads"], Value::Array(vec![]));
}

async fn an_export_holds_what_a_thread_waits_for(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for thread in ["t1", "t2"] {
        make_thread(sessions, &ada, thread).await;
    }
    let steps = [
        Step::StartClarification(StartClarification {
            document_id: "doc".to_owned(),
            original_query: "how?".to_owned(),
            original_message_id: 1,
            original_doc_content: "so".to_owned(),
            requires_handoff: false,
            questions: vec!["which one?".to_owned(), "and when?".to_owned()],
            ..StartClarification::default()
        }),
        Step::AnswerClarification(AnswerClarification {
            answer: "the second".to_owned(),
        }),
    ];
    for (number, step) in steps.into_iter().enumerate() {
        let key = format!("k{number}");
        let start = started(sessions, &ada, begin_in("t1", &key, 1)).await;
        let mut turn = full_commit(&start, &key, &key);
        turn.pending_change = Some(PendingChange { step: Some(step) });
        assert!(sessions.commit_turn(&ada, turn).await.unwrap().is_some());
    }

    let (document, _) = export(bench, &ada).await;
    let pending = &document["threads"][0]["pending"];
    assert_eq!(pending["version"], "2");
    let open = &pending["clarification"];
    assert_eq!(
        (&open["documentId"], &open["originalQuery"]),
        (&json!("doc"), &json!("how?"))
    );
    assert_eq!(open["questions"], json!(["which one?", "and when?"]));
    assert_eq!(
        open["answers"],
        json!([{"question": "which one?", "answer": "the second"}])
    );
    // A thread that waits for nothing says nothing of it.
    assert_eq!(document["threads"][1]["thread"]["threadId"], "t2");
    assert_eq!(document["threads"][1].get("pending"), None);
}

async fn long_threads_come_whole(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for thread in ["t1", "t2"] {
        make_thread(sessions, &ada, thread).await;
    }
    for number in 0..230 {
        let key = format!("k{number}");
        let start = started(sessions, &ada, begin_in("t1", &key, 1)).await;
        let turn = full_commit(&start, &key, &key);
        sessions.commit_turn(&ada, turn).await.unwrap();
    }
    let (document, _) = export(bench, &ada).await;
    let thread = &document["threads"][0];
    let messages = thread["messages"].as_array().unwrap();
    let texts: Vec<_> = messages
        .iter()
        .map(|m| m["text"].as_str().unwrap())
        .collect();
    let expected: Vec<_> = (0..460).map(|number| format!("k{}", number / 2)).collect();
    assert_eq!(texts, expected);
    let events = thread["events"].as_array().unwrap();
    let ids = events
        .iter()
        .map(|event| event["id"].as_str().unwrap().to_owned());
    assert!(ids.eq((1..=690).map(|id| id.to_string())));
    assert_eq!(thread["turn_logs"].as_array().unwrap().len(), 230);
    assert_eq!(document["threads"][1]["messages"], Value::Array(vec![]));
}

async fn an_export_whose_reader_leaves_ends(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for number in 0..20 {
        make_thread(sessions, &ada, &format!("t{number}")).await;
    }
    let exported = sessions.export_student(bench.actor(), ada).await.unwrap();
    drop(exported);
    // Stopping waits for what still runs.
    bench.reopen().await;
}
