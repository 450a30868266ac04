//! What identifies a person is removed before anything is stored.

use bytes::Bytes;
use turnwise_proto::{
    session::v1::{NewEvent, PendingChange, StartClarification, pending_change::Step},
    tutor::v1::Role,
};
use turnwise_session_svc::sessions::events::{AppendEvents, Page};

use crate::{
    bench::{
        Bench, CLASS, TUTOR, begin_in, commit, event, fresh, idempotency, make_thread, message,
        new_thread, remembered, started, texts,
    },
    cases,
};

cases!(
    #[tokio::test]
    no_stored_byte_identifies_a_person,
    a_roster_is_its_class_s,
    a_roster_that_is_replaced_redacts_no_longer,
);

const EMAIL: &str = "grace@example.org";
const PHONE: &str = "0170 1234567";
const NAME: &str = "Hopper";

/// A text with all that must not be stored.
fn planted(words: &str) -> String {
    format!("{words}: I am Grace {NAME}, mail {EMAIL}, my phone: {PHONE}, what is x?")
}

fn redacted(words: &str) -> String {
    format!("{words}: I am [name], mail [e-mail], my phone: [phone], what is x?")
}

async fn no_stored_byte_identifies_a_person(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let names = vec![format!("Grace {NAME}"), "Ada Lovelace".to_owned()];
    let set = sessions
        .set_roster(&bench.actor(), CLASS, names, &fresh())
        .await;
    assert_eq!(set, Ok(()));
    let mut new = new_thread("t1");
    new.thread.title = planted("title");
    let made = sessions.create_thread(&ada, new.clone()).await.unwrap();
    assert_eq!(made.title, redacted("title"));
    let again = sessions.create_thread(&ada, new).await.unwrap();
    assert_eq!(again.title, redacted("title"));

    let start = started(sessions, &ada, begin_in("t1", "k", 1)).await;
    let mut turn = commit(&start, "k", "ALG");
    turn.messages = vec![
        message("t1", 1, Role::User, &planted("message")),
        message("t1", 2, Role::Assistant, "answer"),
    ];
    turn.messages[0].latex = planted("latex");
    turn.answer = Bytes::from_static(b"the caller's to redact");
    turn.memory_turns = vec![remembered(Role::User, &planted("memory"))];
    let told = NewEvent {
        facts: [("fact".to_owned(), planted("fact"))].into(),
        ..event("turn", &planted("event"))
    };
    turn.events = vec![told.clone()];
    turn.pending_change = Some(PendingChange {
        step: Some(Step::StartClarification(StartClarification {
            document_id: "doc".to_owned(),
            original_query: planted("query"),
            original_message_id: 1,
            original_doc_content: planted("document"),
            requires_handoff: false,
            questions: vec!["Which?".to_owned()],
            ..StartClarification::default()
        })),
    });
    sessions.commit_turn(&ada, turn).await.unwrap();
    let append = AppendEvents {
        thread_id: "t1".to_owned(),
        events: vec![told],
        idempotency: idempotency("e", 4),
        alert: None,
    };
    sessions.append_events(&ada, append).await.unwrap();

    let page = sessions.get_thread(&ada, TUTOR, "t1", 0, 10).await.unwrap();
    assert_eq!(page.messages[0].text, redacted("message"));
    assert_eq!(page.messages[0].latex, redacted("latex"));
    let page = sessions.list_events(&ada, "t1", Page::After(2), 10).await;
    for event in page.unwrap().events {
        assert_eq!(event.text, redacted("event"));
        assert_eq!(event.facts["fact"], redacted("fact"));
    }
    let start = started(sessions, &ada, begin_in("t1", "next", 1)).await;
    assert_eq!(start.memory.unwrap().turns[0].text, redacted("memory"));
    let pending = format!("{:?}", start.pending.unwrap());
    assert!(pending.contains(&redacted("query")), "{pending}");
    assert!(pending.contains(&redacted("document")), "{pending}");

    // The roster itself holds names, and nothing else does.
    let dump = bench.dump().only(|name| !name.ends_with(":roster"));
    for text in [EMAIL, PHONE, NAME, "Grace", "1234567"] {
        assert_eq!(dump.holding(text), [""; 0], "{text}");
    }
    assert_eq!(dump.holding("[name]").len(), 6);
}

async fn a_roster_is_its_class_s(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let names = vec![NAME.to_owned()];
    sessions
        .set_roster(&bench.actor(), "8a", names.clone(), &fresh())
        .await
        .unwrap();
    assert_eq!(sessions.get_roster(&bench.tenant, "8a").await, Ok(names));
    assert_eq!(sessions.get_roster(&bench.tenant, CLASS).await, Ok(vec![]));
    let elsewhere = format!("{}x", bench.tenant);
    assert_eq!(sessions.get_roster(&elsewhere, "8a").await, Ok(vec![]));
    for (id, class, expected) in [("t1", CLASS, NAME), ("t2", "8a", "[name]")] {
        let mut new = new_thread(id);
        new.thread.class_id = class.to_owned();
        sessions.create_thread(&ada, new).await.unwrap();
        let start = started(sessions, &ada, begin_in(id, id, 1)).await;
        let turn = commit(&start, id, NAME);
        sessions.commit_turn(&ada, turn).await.unwrap();
        assert_eq!(texts(sessions, &ada, id).await, [expected, expected]);
    }
}

async fn a_roster_that_is_replaced_redacts_no_longer(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let rosters = [vec![NAME.to_owned()], vec!["Noether".to_owned()], vec![]];
    for (roster, expected) in rosters.into_iter().zip(["[name]", NAME, NAME]) {
        let set = sessions
            .set_roster(&bench.actor(), CLASS, roster, &fresh())
            .await;
        assert_eq!(set, Ok(()));
        let key = uuid::Uuid::new_v4().to_string();
        let start = started(sessions, &ada, begin_in("t1", &key, 1)).await;
        let turn = commit(&start, &key, NAME);
        sessions.commit_turn(&ada, turn).await.unwrap();
        let said = texts(sessions, &ada, "t1").await;
        assert_eq!(said.last().unwrap(), expected);
    }
    let stored = bench.dump().only(|name| name.ends_with(":roster"));
    assert_eq!(stored.names(), [""; 0]);
}
