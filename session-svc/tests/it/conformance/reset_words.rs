//! Every word that a class reset takes away is in an archive, whatever field of whatever message holds it.

use std::{collections::BTreeSet, fs, sync::Arc};

use bytes::Bytes;
use prost::Message;
use prost_reflect::DescriptorPool;
use turnwise_proto::session::v1::ResetClassResponse;
use turnwise_proto::{
    session::v1::{
        AnswerClarification, ContextSlot, DueWork, MemoryTurn, NewEvent, PendingChange,
        RequestContext, StartClarification, pending_change::Step, pending_interaction::Interaction,
    },
    tutor::v1::{Role, TutorMessage},
};
use turnwise_session_store::{Read, StudentKey, Transaction};
use turnwise_session_svc::sessions::{context::Supply, turns::CommitTurn};
use turnwise_testing::filled::filled;

use crate::{
    bench::{
        Bench, CLASS, COURSE, PATIENCE, begin_in, fresh, full_commit,
        gate::{Gate, strips},
        make_thread, new_thread, one_more, started, turn_log,
    },
    cases,
};

cases!(
    #[tokio::test]
    every_word_that_a_reset_takes_is_archived,
    an_artifact_between_export_and_deletion_is_exported_too,
    work_deferred_between_export_and_deletion_is_exported_too,
);

/// Words that a reset takes and no archive holds: copies, what a model was shown, and callers as the gateway sealed them.
/// The decision record on what an archive holds says why.
const NOT_ARCHIVED: [&str; 4] = ["<answer>", "<log>", "<verdict>", "<claims>"];
/// Work's payload, which is bytes, and as JSON spells it.
const PAYLOAD: (&str, &str) = ("<payload>", "PHBheWxvYWQ+");

/// The words that were planted.
#[derive(Default)]
struct Words(BTreeSet<String>);

impl Words {
    fn one(&mut self, word: &str) -> String {
        self.0.insert(word.to_owned());
        word.to_owned()
    }

    /// Messages with a word in every string, each with another field of their oneofs.
    fn messages<M: Message + Default>(&mut self, name: &str) -> Vec<M> {
        let pool = DescriptorPool::decode(turnwise_proto::DESCRIPTORS).unwrap();
        let of = pool.get_message_by_name(name).unwrap();
        let filled = filled(&of, "turnwise.", |name| format!("<{name}>"));
        self.0.extend(filled.words);
        let bytes = filled.messages.iter().map(Message::encode_to_vec);
        bytes.map(|bytes| M::decode(&*bytes).unwrap()).collect()
    }

    fn message<M: Message + Default>(&mut self, name: &str) -> M {
        self.messages(name).remove(0)
    }
}

/// A turn with a step.
async fn turn(
    bench: &Bench,
    ada: &StudentKey,
    thread: &str,
    change: impl FnOnce(&mut CommitTurn),
) -> Option<Interaction> {
    let sessions = bench.sessions();
    let key = uuid::Uuid::new_v4().to_string();
    let start = started(sessions, ada, begin_in(thread, &key, 1)).await;
    let mut turn = full_commit(&start, &key, "said");
    change(&mut turn);
    let pending = sessions.commit_turn(ada, turn).await.unwrap();
    pending.and_then(|pending| pending.interaction)
}

fn with(step: Step) -> Option<PendingChange> {
    Some(PendingChange { step: Some(step) })
}

/// A conversation with a word in every place for text.
async fn converse(bench: &Bench, ada: &StudentKey, words: &mut Words) {
    let sessions = bench.sessions();
    let mut new = new_thread("t1");
    new.thread.title = words.one("<title>");
    sessions.create_thread(ada, new).await.unwrap();
    turn(bench, ada, "t1", |turn| {
        turn.messages = words.messages::<TutorMessage>("turnwise.tutor.v1.TutorMessage");
        for (id, message) in (1..).zip(&mut turn.messages) {
            message.id = id;
            message.role = Role::Assistant.into();
        }
        turn.memory_turns = vec![MemoryTurn {
            role: Role::User.into(),
            ..words.message("turnwise.session.v1.MemoryTurn")
        }];
        turn.events = vec![NewEvent {
            facts: [(words.one("<fact>"), words.one("<value>"))].into(),
            ..words.message("turnwise.session.v1.NewEvent")
        }];
        let mut start: StartClarification = words.message("turnwise.session.v1.StartClarification");
        start.original_message_id = 1;
        start.questions.push(words.one("<another question>"));
        turn.pending_change = with(Step::StartClarification(start));
        turn.answer = words.one("<answer>").into();
        turn.turn_log = Some(turn_log("turn", &words.one("<log>")));
    })
    .await;
    let answer = AnswerClarification {
        answer: words.one("<answer to a question>"),
    };
    let asked = turn(bench, ada, "t1", |turn| {
        turn.pending_change = with(Step::AnswerClarification(answer));
    });
    assert!(matches!(asked.await, Some(Interaction::Clarification(_))));
    let graded = sessions.get_snapshot(ada, COURSE).await.unwrap();
    let mut graded = one_more(&graded, "graded");
    graded.answer = words.one("<verdict>").into();
    sessions.commit_evidence(ada, graded).await.unwrap();
}

/// A thread that waits for artifacts; answers the request's id.
async fn request(bench: &Bench, ada: &StudentKey, words: &mut Words) -> String {
    make_thread(bench.sessions(), ada, "h2").await;
    let mut asked: RequestContext = words.message("turnwise.session.v1.RequestContext");
    asked.message_id = 1;
    asked.claims = words.one("<claims>").into();
    // Neither is a word: an id of the service's form, and roles.
    asked.request_id.clear();
    for name in ["RequestContext.request_id", "ContextSlot.suppliers"] {
        words.0.remove(&format!("<turnwise.session.v1.{name}>"));
    }
    let slot = ContextSlot {
        size_limit: 1000,
        suppliers: Vec::new(),
        ..asked.slots.remove(0)
    };
    asked.slots = vec![slot.clone(), slot];
    let pending = turn(bench, ada, "h2", |turn| {
        turn.pending_change = with(Step::RequestContext(asked));
    });
    match pending.await {
        Some(Interaction::ContextRequest(request)) => request.request_id,
        other => panic!("{other:?}"),
    }
}

async fn supply(bench: &Bench, ada: &StudentKey, request_id: String, slot: i32, words: &mut Words) {
    let supply = Supply {
        request_id,
        slot,
        artifact_type: "<turnwise.session.v1.ContextSlot.artifact_type>".to_owned(),
        content: words.one(&format!("<content {slot}>")),
        supplier_id: words.one("<supplier>"),
        supplier_role: words.one("<role>"),
    };
    let sessions = bench.sessions();
    sessions.supply_context(ada, "h2", supply).await.unwrap();
}

async fn defer(bench: &Bench, ada: &StudentKey, thread: &str, words: &mut Words) {
    let work = DueWork {
        // The installation's, so it holds the tenant.
        work_id: format!("{}.work", bench.tenant),
        thread_id: thread.to_owned(),
        subject_id: words.one("<subject>"),
        claims: words.one("<claims>").into(),
        payload: Bytes::from_static(PAYLOAD.0.as_bytes()),
        ..DueWork::default()
    };
    bench.sessions().defer(ada, work).await.unwrap();
}

/// All that the archives hold, which must be what was written.
fn archived(bench: &Bench) -> String {
    assert!(!bench.archived().is_empty());
    let archives = bench.archives();
    let names = archives.names().unwrap();
    let text = |name| fs::read_to_string(archives.root().join(name)).unwrap();
    names.iter().map(text).collect()
}

async fn every_word_that_a_reset_takes_is_archived(bench: &mut Bench) {
    let ada = bench.student("ada");
    let mut words = Words::default();
    converse(bench, &ada, &mut words).await;
    let id = request(bench, &ada, &mut words).await;
    supply(bench, &ada, id, 0, &mut words).await;
    defer(bench, &ada, "t1", &mut words).await;
    assert!(words.0.len() > 40, "{:?}", words.0);

    let before = bench.dump();
    bench.reset().await;
    assert_eq!(bench.audited().await[0].facts["unreadable_records"], "0");
    let (after, archives) = (bench.dump(), archived(bench));
    for word in &words.0 {
        assert_ne!(before.holding(word), [""; 0], "{word} was never stored");
        assert_eq!(after.holding(word), [""; 0], "{word} is left");
        let not_archived = NOT_ARCHIVED.contains(&word.as_str());
        assert_ne!(archives.contains(word), not_archived, "{word}");
    }
    assert_eq!(after.holding(PAYLOAD.0), [""; 0]);
    assert!(archives.contains(PAYLOAD.1));

    // And an erasure finds all of it.
    let erased = bench
        .sessions()
        .erase_student(bench.actor(), ada, String::new())
        .await;
    assert_eq!(erased.unwrap().archive_records, 3);
    let archives = archived(bench);
    for word in &words.0 {
        assert!(!archives.contains(word), "{word} outlives an erasure");
    }
    assert!(!archives.contains(PAYLOAD.1));
}

/// Resets the class and does something before the transaction that `waits` tells.
async fn reset_around(
    bench: &Bench,
    waits: fn(&Transaction) -> bool,
    meanwhile: impl Future<Output = ()>,
) -> ResetClassResponse {
    let gate = Gate::new(bench.store(), waits);
    let gated = bench.sessions_over(Arc::clone(&gate) as _);
    let actor = bench.actor();
    let reset = tokio::spawn(async move {
        let class = CLASS.to_owned();
        gated
            .reset_class(&actor, &class, "", &fresh(), PATIENCE)
            .await
    });
    gate.arrival().await;
    meanwhile.await;
    gate.open();
    reset.await.unwrap().unwrap()
}

async fn an_artifact_between_export_and_deletion_is_exported_too(bench: &mut Bench) {
    let ada = bench.student("ada");
    let mut words = Words::default();
    let id = request(bench, &ada, &mut words).await;
    let report = reset_around(bench, strips, supply(bench, &ada, id, 1, &mut words)).await;
    assert_eq!(report.archive_names.len(), 2);
    assert!(archived(bench).contains("<content 1>"));
    assert_eq!(bench.dump().holding("<content 1>"), [""; 0]);
}

/// Whether a transaction looks at what is to be deleted of a thread.
fn looks(transaction: &Transaction) -> bool {
    let turns =
        |read: &Read| matches!(read, Read::Highest { key, .. } if key.as_str() == "turns:t1");
    transaction.reads.iter().any(turns)
}

async fn work_deferred_between_export_and_deletion_is_exported_too(bench: &mut Bench) {
    let ada = bench.student("ada");
    let mut words = Words::default();
    make_thread(bench.sessions(), &ada, "t1").await;
    let report = reset_around(bench, looks, defer(bench, &ada, "t1", &mut words)).await;
    assert_eq!(report.archive_names.len(), 2);
    assert!(archived(bench).contains(PAYLOAD.1));
    assert_eq!(bench.dump().holding(PAYLOAD.0), [""; 0]);
}
