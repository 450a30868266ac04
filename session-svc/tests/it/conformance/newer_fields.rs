//! Records with a field that only a newer version knows: they are read without it, and nothing that would lose it is done.

use std::time::Duration;

use prost::Message;
use turnwise_kit::{Clock, time};
use turnwise_proto::{
    classes::v1::{AlertFilter, AlertKind, ClassPolicy},
    session::v1::{
        ClaimedStream, ConversationMemory, DueWork, EventDestination, NewAlert, UnitProgress,
        WorkKind,
    },
    tutor::v1::Thread,
};
use turnwise_session_store::{Key, Partition, Write};
use turnwise_session_svc::{
    error::SessionError,
    record::SCHEMA_VERSION,
    sessions::{classes::prerequisites::Mark, events::AppendEvents},
};

use crate::{
    bench::{
        Bench, CLASS, COURSE, TUTOR, attempts, begin, begin_in, count_attempts, event, fresh,
        idempotency, make_thread, newer, one_more, refused, scope, sealed, take_full_turn,
        take_turn,
    },
    cases,
};

cases!(
    #[tokio::test]
    a_thread_goes_on_and_is_not_reset,
    evidence_is_read_and_not_edited,
    a_memory_that_would_be_written_again_is_refused,
    an_alert_is_listed_and_not_taken_on,
    a_class_policy_holds_and_is_not_replaced,
    work_and_webhooks_of_a_newer_version_wait_for_it,
);

/// A message with one more field.
fn with_more(message: &impl Message) -> Vec<u8> {
    // Number 1000, a varint.
    sealed(
        1,
        &[&message.encode_to_vec()[..], &[0xc0, 0x3e, 1]].concat(),
    )
}

fn too_new(record: &'static str) -> SessionError {
    SessionError::SchemaTooNew {
        record,
        version: SCHEMA_VERSION + 1,
    }
}

async fn a_thread_goes_on_and_is_not_reset(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let thread: Thread = make_thread(sessions, &ada, "t1").await;
    let partition = bench.partition(&ada).await;
    let more = with_more(&thread);
    bench.put(&partition, "thread:t1", "record", &more).await;
    take_turn(sessions, &ada, "t1", "k").await;
    let read = sessions.get_thread(&ada, TUTOR, "t1", 0, 10).await.unwrap();
    assert_eq!((read.thread.message_count, read.messages.len()), (2, 2));
    assert!(holds(bench, "thread:t1", &more));
    let reset = sessions
        .reset_class(&bench.actor(), CLASS, "", &fresh(), Duration::from_secs(60))
        .await;
    assert_eq!(refused(reset), too_new("thread"));
    assert!(holds(bench, "thread:t1", &more));
}

/// Whether what is stored under a name of a student has these bytes; an embedded file's are shown without their head.
fn holds(bench: &Bench, name: &str, record: &[u8]) -> bool {
    let dump = bench.dump();
    let found = dump
        .0
        .iter()
        .find(|(at, _)| at.ends_with(&format!(":{name}")));
    let bytes = &found.unwrap().1.bytes;
    let body = &record[5..];
    bytes.windows(body.len()).any(|part| part == body)
}

async fn evidence_is_read_and_not_edited(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_turn(sessions, &ada, "t1", "k").await;
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    sessions
        .commit_evidence(&ada, one_more(&cold, "g1"))
        .await
        .unwrap();
    let read = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let known = attempts(1).encoded_len();
    assert_eq!(read.evidence_size, i64::try_from(known).unwrap());

    // In a message of the message.
    let unit = attempts(1).unit_progress.pop().unwrap();
    let unit = [&unit.encode_to_vec()[..], &[0xc0, 0x3e, 1]].concat();
    let length = u8::try_from(unit.len()).unwrap();
    let evidence = [&[0x0a, length], &unit[..]].concat();
    assert_eq!(UnitProgress::decode(&*unit).unwrap().unit_id, "ALG-01");
    let more = sealed(1, &evidence);
    let partition = bench.partition(&ada).await;
    let snapshot = format!("snapshot:{COURSE}");
    bench.put(&partition, &snapshot, "evidence", &more).await;
    // Who reads it is told that there is more: the policy then makes no other evidence of it.
    let read = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!(count_attempts(&read), 1);
    assert_eq!(read.evidence_size, i64::try_from(evidence.len()).unwrap());
    assert!(evidence.len() > known);
    let mark = Mark {
        class_id: CLASS.to_owned(),
        student: ada.clone(),
        course_id: COURSE.to_owned(),
        unit_id: "ALG-02".to_owned(),
        met: true,
        idempotency: fresh(),
    };
    let marked = sessions.mark_prerequisite(&bench.actor(), mark).await;
    assert_eq!(refused(marked), too_new("evidence"));
    assert!(holds(bench, &snapshot, &more));
}

async fn a_memory_that_would_be_written_again_is_refused(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_full_turn(sessions, &ada, "t1", "k").await;
    let partition = bench.partition(&ada).await;
    let stored = with_more(&ConversationMemory::default());
    // The name of a scope's field is the scope in hexadecimal.
    let field: &'static str = Box::leak("01".repeat(scope(1).len()).into_boxed_str());
    bench.put(&partition, "memory:t1", field, &stored).await;
    let begun = sessions.begin_turn(&ada, begin_in("t1", "next", 1)).await;
    assert_eq!(refused(begun), too_new("memory"));
    assert!(holds(bench, "memory:t1", &stored));
    // A turn that has no use for it goes on.
    sessions
        .begin_turn(&ada, begin("t1", "other"))
        .await
        .unwrap();
}

async fn an_alert_is_listed_and_not_taken_on(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let append = AppendEvents {
        thread_id: "t1".to_owned(),
        events: vec![event("safeguarding-alert", "a")],
        idempotency: idempotency("a", 4),
        alert: Some(NewAlert {
            kind: AlertKind::Danger.into(),
            ..NewAlert::default()
        }),
    };
    sessions.append_events(&ada, append).await.unwrap();
    let list = async || {
        let open = (false, AlertFilter::Open);
        let page = sessions.list_alerts(&bench.tenant, CLASS, open, None, 10);
        page.await.unwrap().alerts
    };
    let alert = list().await.pop().unwrap();
    let class = Partition::class(&bench.tenant, CLASS);
    let name = format!("alert:{}", alert.alert_id);
    let more = with_more(&alert);
    bench.put(&class, &name, "alert", &more).await;
    assert_eq!(list().await, std::slice::from_ref(&alert));
    let id = (false, alert.alert_id.as_str());
    let taken = sessions
        .acknowledge_alert(&bench.actor(), CLASS, id, &fresh())
        .await;
    assert_eq!(refused(taken), too_new("alert"));
    assert!(holds(bench, &name, &more));
}

async fn a_class_policy_holds_and_is_not_replaced(bench: &mut Bench) {
    let sessions = bench.sessions();
    let policy = ClassPolicy {
        exam_use: 1,
        ..ClassPolicy::default()
    };
    let more = with_more(&policy);
    let class = Partition::class(&bench.tenant, CLASS);
    bench.put(&class, "policy", "policy", &more).await;
    let read = sessions.get_class_policy(&bench.tenant, CLASS).await;
    assert_eq!(read, Ok(policy));
    let set = sessions
        .set_class_policy(&bench.actor(), CLASS, policy, &fresh())
        .await;
    assert_eq!(refused(set), too_new("class_policy"));
    assert!(holds(bench, "policy", &more));
    // One that cannot be read is replaced.
    bench.put(&class, "policy", "policy", &[1, 0]).await;
    let (actor, key) = (bench.actor(), fresh());
    let set = sessions.set_class_policy(&actor, CLASS, policy, &key);
    set.await.unwrap();
}

async fn work_and_webhooks_of_a_newer_version_wait_for_it(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let work_id = format!("{}.work", bench.tenant);
    let work = DueWork {
        work_id: work_id.clone(),
        kind: WorkKind::DeferredTurn.into(),
        student_id: "ada".to_owned(),
        thread_id: "t1".to_owned(),
        due_time: Some(time::to_proto(bench.clock.now())),
        ..DueWork::default()
    };
    sessions.defer(&ada, work).await.unwrap();
    let due = Partition::system("due");
    let name = format!("work:{work_id}");
    bench.put(&due, &name, "item", &newer(b"work")).await;
    bench.clock.advance(Duration::from_secs(1));
    let claimed = sessions.claim_due(100).await.unwrap().claimed;
    let is_ours = |work: &DueWork| work.tenant == bench.tenant;
    assert!(!claimed.iter().filter_map(|c| c.work.as_ref()).any(is_ours));
    assert!(holds(bench, &name, &newer(b"work")));

    // What staff do is told in order: an event that cannot be read yet holds up its stream, and is not skipped.
    let names = vec!["Grace Hopper".to_owned()];
    let (actor, key) = (bench.actor(), fresh());
    let set = sessions.set_roster(&actor, CLASS, names, &key);
    set.await.unwrap();
    let event = Write::Append {
        key: Key::new(format!("outbox:class:{CLASS}")),
        entries: vec![newer(b"event").into()],
    };
    bench.write(&Partition::tenant(&bench.tenant), event).await;
    let claims = sessions.claim_streams(EventDestination::Audit, 100, 100);
    let streams = claims.await.unwrap().streams;
    let is_ours = |stream: &ClaimedStream| stream.events[0].tenant == bench.tenant;
    assert!(!streams.iter().any(is_ours));
}
