//! Identical requests of one class that are under way at the same time may share one completion. Off unless it is
//! configured; never across classes.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use async_stream::try_stream;
use futures_util::{Stream, StreamExt};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;
use tracing::Span;
use turnwise_llm_backends::{Prompt, Role};
use turnwise_llm_queue::HeldPlace;

use crate::{
    call::{Calls, Part, Spent, Summary},
    error::Error,
    job::{Job, Requester, Work},
    telemetry::{Parts, RequestTelemetry},
};

/// Works on requests, and lets identical ones share.
pub struct Coalescing {
    calls: Arc<Calls>,
    /// `None`: nothing is shared.
    groups: Option<Arc<Groups>>,
}

/// What is under way.
type Groups = Mutex<HashMap<Key, Weak<Group>>>;

/// What must be the same: the class, the form of the answer, what is asked for, and of whom.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    streams: bool,
    class: String,
    backend: Option<String>,
    model: Option<String>,
    max_chars: Option<usize>,
    max_output_tokens: Option<u32>,
    schema: Option<String>,
    messages: Vec<(Role, String)>,
}

/// Requests that share a completion. Its work ends with the last of them, and each keeps its own deadline.
struct Group {
    key: Key,
    groups: Arc<Groups>,
    /// What has come so far.
    parts: watch::Receiver<Vec<Result<Part, Error>>>,
    _work: AbortOnDropHandle<()>,
}

impl Coalescing {
    /// Works on requests with these calls.
    pub fn new(calls: Arc<Calls>, coalesce: bool) -> Self {
        Self {
            calls,
            groups: coalesce.then(Arc::default),
        }
    }

    /// The name of the first backend, and whether a request would be sent now.
    pub fn first_backend(&self) -> (&'static str, bool) {
        self.calls.first_backend()
    }

    /// Ends the completion that waits for the same, and holds its place.
    pub async fn take_over_place(&self, requester: &Requester) -> Option<HeldPlace> {
        self.calls.take_over_place(requester).await
    }

    /// Works on a request, or shares the work on one like it.
    pub fn run(&self, job: Job) -> Parts {
        let calls = Arc::clone(&self.calls);
        // The key is a copy of the whole prompt.
        let shared = self.groups.as_ref();
        let Some((groups, key)) = shared.and_then(|groups| Some((groups, Key::of(&job)?))) else {
            return calls.run(job);
        };
        let telemetry = RequestTelemetry::new(&job, Arc::clone(&calls.metrics));
        let (groups, span) = (Arc::clone(groups), telemetry.span().clone());
        telemetry.around(try_stream! {
            calls.admit(&job).await?;
            loop {
                let (group, leads) = join(&groups, &key, &job, &calls, &span);
                let mut begun = false;
                let mut parts = std::pin::pin!(follow(group));
                while let Some(part) = parts.next().await {
                    match part {
                        Ok(Part::End(summary)) if leads => {
                            yield Part::End(summary);
                            return;
                        }
                        Ok(Part::End(summary)) => {
                            calls.metrics.coalesced();
                            yield Part::End(Summary { spent: Spent::default(), ..summary });
                            return;
                        }
                        Ok(part) => {
                            begun |= matches!(part, Part::Delta(_));
                            yield part;
                        }
                        // The one in front was refused; this one may fare better.
                        Err(error) if !leads && !begun && error.is_about_the_caller() => break,
                        Err(error) => {
                            Err(error)?;
                            return;
                        }
                    }
                }
                if leads || begun {
                    return;
                }
            }
        })
    }
}

/// The group that works on such a request, and whether it was made for this one, whose span this is.
fn join(
    groups: &Arc<Groups>,
    key: &Key,
    job: &Job,
    calls: &Arc<Calls>,
    span: &Span,
) -> (Arc<Group>, bool) {
    // Dropped after the lock, since the last of a group takes that.
    let known;
    let mut under_way = groups.lock().unwrap_or_else(PoisonError::into_inner);
    known = under_way.get(key).and_then(Weak::upgrade);
    if let Some(group) = &known
        && !group.has_ended()
    {
        return (Arc::clone(group), false);
    }
    let (told, parts) = watch::channel(Vec::new());
    let work = Arc::clone(calls).work(job.clone(), span.clone(), true);
    let work = calls.tasks.spawn(async move {
        let mut work = std::pin::pin!(work);
        while let Some(part) = work.next().await {
            told.send_modify(|parts| parts.push(part));
        }
    });
    let group = Arc::new(Group {
        key: key.clone(),
        groups: Arc::clone(groups),
        parts,
        _work: AbortOnDropHandle::new(work),
    });
    under_way.insert(key.clone(), Arc::downgrade(&group));
    (group, true)
}

/// The parts of a group's work, from the first on.
fn follow(group: Arc<Group>) -> impl Stream<Item = Result<Part, Error>> + Send {
    let mut parts = group.parts.clone();
    try_stream! {
        // Kept until the end, so that the work goes on.
        let _group = group;
        let mut seen = 0;
        loop {
            let new = parts.borrow_and_update()[seen..].to_vec();
            seen += new.len();
            for part in new {
                yield part?;
            }
            if parts.changed().await.is_err() {
                // What came after the last look.
                let rest = parts.borrow()[seen..].to_vec();
                for part in rest {
                    yield part?;
                }
                break;
            }
        }
    }
}

impl Group {
    fn has_ended(&self) -> bool {
        // The work is over, or was aborted.
        if self.parts.has_changed().is_err() {
            return true;
        }
        let parts = self.parts.borrow();
        matches!(parts.last(), Some(Ok(Part::End(_)) | Err(_)))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let mut under_way = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        // Another group may have taken its place.
        if under_way
            .get(&self.key)
            .is_some_and(|group| group.strong_count() == 0)
        {
            under_way.remove(&self.key);
        }
    }
}

impl Key {
    /// `None`: such requests are not shared.
    fn of(job: &Job) -> Option<Self> {
        let (Work::Stream(prompt) | Work::Complete(prompt)) = &job.work else {
            return None;
        };
        if job.requester.class_id.is_empty() {
            return None;
        }
        let Prompt {
            messages,
            schema,
            max_output_tokens,
        } = &**prompt;
        Some(Self {
            streams: matches!(job.work, Work::Stream(_)),
            class: job.requester.class(),
            backend: job.backend.clone(),
            model: job.model.clone(),
            max_chars: job.max_chars,
            max_output_tokens: *max_output_tokens,
            schema: schema.as_ref().map(|schema| schema.as_str().to_owned()),
            messages: messages
                .iter()
                .map(|message| (message.role, message.content.clone()))
                .collect(),
        })
    }
}
