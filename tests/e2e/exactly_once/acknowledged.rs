//! What was acknowledged, and what is there.

use std::collections::{BTreeMap, BTreeSet};

use turnwise_kit::client::GrpcClient;
use turnwise_proto::session::v1::{
    GetThreadRequest, ListEventsRequest, session_service_client::SessionServiceClient,
};
use turnwise_tests::evidence::as_service;

use super::calls::{Call, Thread, graded_unit, snapshot};

const PAGE: i32 = 200;

/// The names of grades and turns that were acknowledged.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    grades: BTreeMap<String, BTreeSet<String>>,
    turns: BTreeMap<Thread, BTreeSet<String>>,
}

impl Ledger {
    /// Notes that a call was acknowledged, for the first time or again.
    pub fn note(&mut self, call: &Call) {
        match call {
            Call::Grade(grade) => self
                .grades
                .entry(grade.student.clone())
                .or_default()
                .insert(grade.name.clone()),
            Call::Turn(taken) => self
                .turns
                .entry(taken.turn.thread.clone())
                .or_default()
                .insert(taken.turn.name.clone()),
        };
    }

    /// Whether a call was acknowledged.
    pub fn has(&self, call: &Call) -> bool {
        match call {
            Call::Grade(grade) => self
                .grades
                .get(&grade.student)
                .is_some_and(|names| names.contains(&grade.name)),
            Call::Turn(taken) => self
                .turns
                .get(&taken.turn.thread)
                .is_some_and(|names| names.contains(&taken.turn.name)),
        }
    }

    /// How many calls were acknowledged.
    pub fn count(&self) -> usize {
        let grades: usize = self.grades.values().map(BTreeSet::len).sum();
        let turns: usize = self.turns.values().map(BTreeSet::len).sum();
        grades + turns
    }

    /// Adds what another one holds.
    pub fn extend(&mut self, other: Self) {
        for (student, names) in other.grades {
            self.grades.entry(student).or_default().extend(names);
        }
        for (thread, names) in other.turns {
            self.turns.entry(thread).or_default().extend(names);
        }
    }

    /// Those that are not there although they were acknowledged; what is there must be there once, in order.
    pub async fn lost(&self, client: &GrpcClient) -> Vec<String> {
        self.compare(client, |_, _| ()).await
    }

    /// Insists that everything acknowledged is there, once, and nothing else. For calls that were all sent until they
    /// were acknowledged.
    pub async fn check(&self, client: &GrpcClient) {
        let lost = self
            .compare(client, |noted, there| assert_eq!(there, noted))
            .await;
        assert_eq!(lost, Vec::<String>::new());
    }

    async fn compare(
        &self,
        client: &GrpcClient,
        look: impl Fn(&BTreeSet<String>, &BTreeSet<String>),
    ) -> Vec<String> {
        let mut lost = Vec::new();
        let mut compare = |noted: &BTreeSet<String>, there: BTreeSet<String>| {
            lost.extend(noted.difference(&there).cloned());
            look(noted, &there);
        };
        for (student, noted) in &self.grades {
            compare(noted, grades(client, student).await);
        }
        for (thread, noted) in &self.turns {
            compare(noted, turns(client, thread).await);
        }
        lost
    }
}

/// Whether a call has left its trace.
pub async fn is_there(client: &GrpcClient, call: &Call) -> bool {
    match call {
        Call::Grade(grade) => grades(client, &grade.student).await.contains(&grade.name),
        Call::Turn(taken) => turns(client, &taken.turn.thread)
            .await
            .contains(&taken.turn.name),
    }
}

/// The grades of a student: each counted once, in every count.
pub async fn grades(client: &GrpcClient, student: &str) -> BTreeSet<String> {
    let snapshot = snapshot(client, student).await.unwrap();
    let unit = graded_unit(&snapshot);
    let names: BTreeSet<String> = unit
        .confusion_tags
        .iter()
        .map(|tag| tag.tag.clone())
        .collect();
    assert_eq!(names.len(), unit.confusion_tags.len(), "{unit:?}");
    assert!(
        unit.confusion_tags.iter().all(|tag| tag.count == 1),
        "{unit:?}"
    );
    let count = i64::try_from(names.len()).unwrap();
    assert_eq!(i64::from(unit.drill.unwrap().attempts), count, "{unit:?}");
    assert_eq!(snapshot.evidence_version, count);
    names
}

/// The turns of a thread: each with both its messages, side by side; ids without gaps; one event for each message.
pub async fn turns(client: &GrpcClient, thread: &Thread) -> BTreeSet<String> {
    let mut messages = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = as_service(GetThreadRequest {
            student_id: thread.student.clone(),
            thread_id: thread.id.clone(),
            page_size: PAGE,
            page_token,
            ..GetThreadRequest::default()
        });
        let response = SessionServiceClient::new(client.clone())
            .get_thread(request)
            .await;
        let page = response.unwrap().into_inner();
        messages.extend(page.messages);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            assert_eq!(page.thread.unwrap().message_count, messages.len() as i64);
            break;
        }
    }
    let ids: Vec<i64> = messages.iter().map(|message| message.id).collect();
    let gapless: Vec<i64> = (1..).take(messages.len()).collect();
    assert_eq!(ids, gapless);
    assert_eq!(told_messages(client, thread).await, gapless);

    let mut names = BTreeSet::new();
    for pair in messages.chunks(2) {
        let name = pair[0].text.strip_prefix("question ").unwrap();
        assert_eq!(
            pair.get(1).and_then(|m| m.text.strip_prefix("answer ")),
            Some(name)
        );
        assert!(names.insert(name.to_owned()), "{name} is there twice");
    }
    names
}

/// The ids of the messages that the thread's log tells of.
async fn told_messages(client: &GrpcClient, thread: &Thread) -> Vec<i64> {
    let mut ids = Vec::new();
    let mut after_id = 0;
    loop {
        let request = as_service(ListEventsRequest {
            student_id: thread.student.clone(),
            thread_id: thread.id.clone(),
            after_id,
            page_size: PAGE,
            ..ListEventsRequest::default()
        });
        let response = SessionServiceClient::new(client.clone())
            .list_events(request)
            .await;
        let page = response.unwrap().into_inner();
        ids.extend(
            page.events
                .iter()
                .filter_map(|event| Some(event.message.as_ref()?.id)),
        );
        match page.events.last() {
            Some(last) if page.more => after_id = last.id,
            _ => return ids,
        }
    }
}
