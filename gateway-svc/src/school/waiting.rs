//! Who of a class waits for a model. The queues know students by hashes; whoever knows the students of a class knows whose
//! they are.

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_stream::stream;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use futures_util::Stream;
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use tokio::time::{Instant, sleep};
use turnwise_kit::{CallContext, Clock, time};
use turnwise_proto::{
    llm::v1::{Queue, QueueEntry, QueueKind, WatchQueuesRequest},
    school::v1::{Waiting, WaitingStudent},
    session::v1::ListClassStudentsRequest,
};

use super::{School, students};
use crate::upstream::{Step, Upstreams};

/// The most who are shown.
const MOST: i32 = 1000;
/// The least time between two looks at the queues.
const INTERVAL: prost_types::Duration = prost_types::Duration {
    seconds: 1,
    nanos: 0,
};
/// How soon the queues are looked at again that could not be.
const AGAIN: Duration = Duration::from_secs(2);
/// How often a stranger makes the class be read again.
const READ_AGAIN: Duration = Duration::from_secs(5);
/// Times that differ by less are the same: a forecast moves all the time.
const SAME_MS: i64 = 2_000;
/// The bytes of a hash.
const HASH_BYTES: usize = 16;

impl School {
    /// Who waits: at once, and when it changes. Without the queues there is no news, and the rest of a watch goes on.
    pub(super) fn waiting(
        &self,
        context: CallContext,
        class_id: String,
    ) -> impl Stream<Item = Waiting> + Send + use<> {
        let (upstreams, clock) = (self.upstreams.clone(), Arc::clone(&self.clock));
        let mut names = Names::of(&upstreams, &context, &class_id);
        stream! {
            let mut last: Option<Waiting> = None;
            loop {
                let request = WatchQueuesRequest {
                    max_waiting: MOST,
                    interval: Some(INTERVAL),
                    class_id: class_id.clone(),
                };
                match upstreams.llm_queue.clone().watch_queues(context.request(request)).await {
                    Ok(answer) => {
                        let mut views = answer.into_inner();
                        while let Ok(Some(view)) = views.message().await {
                            let now = seen(&view.queues, &mut names, &*clock).await;
                            let now = steadied(now, last.as_ref());
                            if last.as_ref() != Some(&now) {
                                last = Some(now.clone());
                                yield now;
                            }
                        }
                    }
                    Err(status) => {
                        tracing::warn!(code = ?status.code(), "the queues cannot be watched");
                    }
                }
                sleep(AGAIN).await;
            }
        }
    }
}

/// Who waits in these queues, each once, those who start first, first.
async fn seen(queues: &[Queue], names: &mut Names, clock: &dyn Clock) -> Waiting {
    let now = clock.now();
    let mut entries: Vec<&QueueEntry> = queues
        .iter()
        .filter(|queue| queue.kind() == QueueKind::Completions)
        .flat_map(|queue| &queue.waiting)
        .filter(|entry| !entry.student_hash.is_empty())
        .collect();
    entries.sort_by_key(|entry| (millis(entry.wait.as_ref()), entry.position));
    names.learn(&entries).await;
    let mut students: Vec<WaitingStudent> = Vec::with_capacity(entries.len());
    let mut shown: Vec<&str> = Vec::with_capacity(entries.len());
    for entry in entries {
        if shown.contains(&entry.student_hash.as_str()) {
            continue;
        }
        shown.push(&entry.student_hash);
        students.push(WaitingStudent {
            student_id: names.find(&entry.student_hash),
            position: entry.position,
            wait_start_time: shifted(now, millis(entry.waited.as_ref()).map(|ms| -ms)),
            expected_start_time: shifted(now, millis(entry.wait.as_ref())),
        });
    }
    Waiting { students }
}

/// The same with times as they were told last where they have hardly moved.
fn steadied(mut now: Waiting, last: Option<&Waiting>) -> Waiting {
    let Some(last) = last else {
        return now;
    };
    for (student, before) in now.students.iter_mut().zip(&last.students) {
        if student.student_id != before.student_id || student.position != before.position {
            continue;
        }
        for (time, before) in [
            (&mut student.wait_start_time, &before.wait_start_time),
            (
                &mut student.expected_start_time,
                &before.expected_start_time,
            ),
        ] {
            if is_near(time.as_ref(), before.as_ref()) {
                time.clone_from(before);
            }
        }
    }
    now
}

fn is_near(a: Option<&prost_types::Timestamp>, b: Option<&prost_types::Timestamp>) -> bool {
    match (a.and_then(time::from_proto), b.and_then(time::from_proto)) {
        (Some(a), Some(b)) => (a.as_millisecond() - b.as_millisecond()).abs() < SAME_MS,
        _ => false,
    }
}

fn millis(duration: Option<&prost_types::Duration>) -> Option<i64> {
    let duration = duration?;
    Some(duration.seconds.saturating_mul(1000) + i64::from(duration.nanos) / 1_000_000)
}

fn shifted(now: Timestamp, by_ms: Option<i64>) -> Option<prost_types::Timestamp> {
    let at = now.as_millisecond().saturating_add(by_ms?);
    Timestamp::from_millisecond(at).ok().map(time::to_proto)
}

/// The students of a class by their hashes in the queues.
struct Names {
    upstreams: Upstreams,
    context: CallContext,
    class_id: String,
    /// The class as the queues name it.
    key: String,
    known: HashMap<String, String>,
    read_at: Option<Instant>,
}

impl Names {
    fn of(upstreams: &Upstreams, context: &CallContext, class_id: &str) -> Self {
        let tenant = context.caller_opt().map_or("", |caller| &caller.tenant);
        Self {
            upstreams: upstreams.clone(),
            context: context.clone(),
            class_id: class_id.to_owned(),
            key: format!("{tenant}/{class_id}"),
            known: HashMap::new(),
            read_at: None,
        }
    }

    /// The student; empty for one who is not known yet.
    fn find(&self, hash: &str) -> String {
        self.known.get(hash).cloned().unwrap_or_default()
    }

    /// Reads the class if somebody waits who is not known, but not for every view.
    async fn learn(&mut self, entries: &[&QueueEntry]) {
        let stranger = entries
            .iter()
            .any(|entry| !self.known.contains_key(&entry.student_hash));
        let lately = |at: Instant| at.elapsed() < READ_AGAIN;
        if !stranger || self.read_at.is_some_and(lately) {
            return;
        }
        self.read_at = Some(Instant::now());
        if let Err(status) = self.read().await {
            tracing::warn!(code = ?status.code(), "the students of a class cannot be read");
        }
    }

    async fn read(&mut self) -> Result<(), tonic::Status> {
        let mut page_token = String::new();
        for _ in 0..students::MOST / students::PAGE {
            let request = ListClassStudentsRequest {
                class_id: self.class_id.clone(),
                page_size: students::PAGE as i32,
                page_token,
                ..ListClassStudentsRequest::default()
            };
            let page = self
                .upstreams
                .session_admin
                .clone()
                .list_class_students(Step::Session.of(&self.context).request(request))
                .await?
                .into_inner();
            for student in page.students {
                let hash = student_hash(&self.key, &student.student_id);
                self.known.insert(hash, student.student_id);
            }
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        Ok(())
    }
}

/// A student's hash, as `QueueEntry.student_hash` defines it.
fn student_hash(class: &str, student: &str) -> String {
    let mut hash = Sha256::new();
    for word in [class, student] {
        hash.update((word.len() as u64).to_be_bytes());
        hash.update(word);
    }
    BASE64.encode(&hash.finalize()[..HASH_BYTES])
}
