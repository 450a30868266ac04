//! What a conversation remembers: for its scope and its time, and nobody else's.

use turnwise_proto::{session::v1::ConversationMemory, tutor::v1::Role};
use turnwise_session_store::StudentKey;
use turnwise_session_svc::sessions::Sessions;

use crate::{
    bench::{
        Bench, CONVERSATION, begin, begin_in, commit, full_commit, make_thread, remembered,
        started, take_full_turn, texts,
    },
    cases,
};

cases!(
    #[tokio::test]
    a_conversation_remembers_its_turns,
    scopes_are_kept_apart,
    threads_are_kept_apart,
    memory_ends_after_its_time,
    a_turn_without_a_scope_remembers_nothing,
    memory_can_be_switched_off,
    what_a_turn_carries_of_a_conversation_is_bounded,
);

/// More bytes than the longest memory of the bench has, with what else a turn carries.
const MOST_CARRIED: usize = 2400 + 900 + 300;

async fn what_a_turn_carries_of_a_conversation_is_bounded(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "h1").await;
    let text = "a long question ".repeat(100);
    let mut carried = 0;
    for at in 0..20 {
        let key = format!("k{at}");
        let start = started(sessions, &ada, begin_in("h1", &key, 1)).await;
        carried = start.carry.len();
        assert!(carried <= MOST_CARRIED, "turn {at}: {carried}");
        let turn = full_commit(&start, &key, &text);
        sessions.commit_turn(&ada, turn).await.unwrap();
    }
    // The memory goes with it: what is bounded is not nothing.
    assert!(carried > text.len() / 4, "{carried}");
}

/// What the next turn would remember.
async fn memory(
    sessions: &Sessions,
    ada: &StudentKey,
    thread: &str,
    scope: u8,
) -> Option<ConversationMemory> {
    let start = started(sessions, ada, begin_in(thread, "look", scope)).await;
    let token = start.fencing_token;
    sessions.abandon_turn(ada, thread, token).await.unwrap();
    start.memory
}

fn said(memory: Option<ConversationMemory>) -> Vec<String> {
    let turns = memory.into_iter().flat_map(|memory| memory.turns);
    turns.map(|turn| turn.text).collect()
}

async fn a_conversation_remembers_its_turns(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "h1").await;
    let start = started(sessions, &ada, begin_in("h1", "k", 1)).await;
    assert_eq!(start.memory, None);
    let mut turn = commit(&start, "k", "k");
    turn.memory_turns = vec![
        remembered(Role::User, "a question"),
        remembered(Role::Assistant, "an answer"),
    ];
    let turns = turn.memory_turns.clone();
    sessions.commit_turn(&ada, turn).await.unwrap();
    let found = memory(sessions, &ada, "h1", 1).await.unwrap();
    assert_eq!(
        found,
        ConversationMemory {
            summary: String::new(),
            turns
        }
    );
    take_full_turn(sessions, &ada, "h1", "more").await;
    let found = said(memory(sessions, &ada, "h1", 1).await);
    assert_eq!(found, ["a question", "an answer", "more"]);
}

async fn scopes_are_kept_apart(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "h1").await;
    for number in [1, 2] {
        let key = format!("k{number}");
        let start = started(sessions, &ada, begin_in("h1", &key, number)).await;
        assert_eq!(start.memory, None);
        let turn = full_commit(&start, &key, &key);
        sessions.commit_turn(&ada, turn).await.unwrap();
    }
    assert_eq!(said(memory(sessions, &ada, "h1", 1).await), ["k1"]);
    assert_eq!(said(memory(sessions, &ada, "h1", 2).await), ["k2"]);
    assert_eq!(memory(sessions, &ada, "h1", 3).await, None);
    let without = started(sessions, &ada, begin("h1", "without")).await;
    assert_eq!(without.memory, None);
}

async fn threads_are_kept_apart(bench: &mut Bench) {
    let (ada, bob, sessions) = (bench.student("ada"), bench.student("bob"), bench.sessions());
    for (who, thread) in [(&ada, "h1"), (&ada, "h2"), (&bob, "h1")] {
        make_thread(sessions, who, thread).await;
    }
    take_full_turn(sessions, &ada, "h1", "k").await;
    assert_eq!(said(memory(sessions, &ada, "h1", 1).await), ["k"]);
    assert_eq!(memory(sessions, &ada, "h2", 1).await, None);
    assert_eq!(memory(sessions, &bob, "h1", 1).await, None);
}

async fn memory_ends_after_its_time(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "h1").await;
    take_full_turn(sessions, &ada, "h1", "k").await;
    assert_eq!(said(memory(sessions, &ada, "h1", 1).await), ["k"]);
    bench.runs_out("memory:h1", CONVERSATION);
    assert_eq!(memory(sessions, &ada, "h1", 1).await, None);
    // The timeline is not forgotten.
    assert_eq!(texts(sessions, &ada, "h1").await, ["k", "k"]);
    take_full_turn(sessions, &ada, "h1", "anew").await;
    assert_eq!(said(memory(sessions, &ada, "h1", 1).await), ["anew"]);
}

async fn a_turn_without_a_scope_remembers_nothing(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let turn = full_commit(&start, "k", "k");
    sessions.commit_turn(&ada, turn).await.unwrap();
    let stored = bench.dump().only(|name| name.contains(":memory:"));
    assert_eq!(stored.names(), [""; 0]);
}

async fn memory_can_be_switched_off(bench: &mut Bench) {
    let ada = bench.student("ada");
    make_thread(bench.sessions(), &ada, "h1").await;
    take_full_turn(bench.sessions(), &ada, "h1", "k").await;
    assert!(memory(bench.sessions(), &ada, "h1", 1).await.is_some());
    let before = bench.dump().only(|name| name.contains(":memory:"));

    bench.limit(|limits| limits.memory = None).await;
    let sessions = bench.sessions();
    // What is there is neither read nor written until its time is over.
    assert_eq!(memory(sessions, &ada, "h1", 1).await, None);
    take_full_turn(sessions, &ada, "h1", "more").await;
    make_thread(sessions, &ada, "h2").await;
    take_full_turn(sessions, &ada, "h2", "another").await;
    let after = bench.dump().only(|name| name.contains(":memory:"));
    assert_eq!(after, before);
}
