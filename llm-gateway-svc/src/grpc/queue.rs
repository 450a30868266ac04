//! `turnwise.llm.v1.LlmQueueService`.

use std::{future::pending, pin::Pin, sync::Arc, time::Duration};

use async_stream::try_stream;
use futures_util::{Stream, future::select_all};
use tokio::{
    sync::{broadcast, watch},
    time::{Instant, sleep_until},
};
use tonic::{Request, Response, Status};
use turnwise_breaker::{Change, State};
use turnwise_kit::{CallContext, Fault};
use turnwise_llm_queue::{QueueView, view::Scope};
use turnwise_proto::llm::v1::{
    BreakerState, GetQueuesRequest, GetQueuesResponse, Purpose, Queue, QueueClass, QueueEntry,
    QueueKind, QueueScope, QueueSlot, RunningCall, WatchQueuesRequest, WatchQueuesResponse,
    llm_queue_service_server::LlmQueueService,
};

use super::{count, duration};
use crate::{call::Calls, metrics::Operation, upstreams::Upstream};

/// How many of those who wait are listed where a caller asks for nothing else, and at most.
const WAITING: (usize, usize) = (100, 1000);
/// The least and the longest time between two answers of a live view, and the usual one.
const INTERVALS: (Duration, Duration, Duration) = (
    Duration::from_millis(100),
    Duration::from_secs(60),
    Duration::from_secs(1),
);

/// The service.
#[derive(Clone)]
pub struct LlmQueue {
    calls: Arc<Calls>,
}

/// Whose classes are shown by name.
#[derive(Clone)]
enum Viewer {
    /// A process of ours: all tenants'.
    All,
    /// Somebody of this tenant: its own.
    Tenant(String),
}

impl LlmQueue {
    pub(crate) fn new(calls: Arc<Calls>) -> Self {
        Self { calls }
    }

    /// The queues, with the first `max` of those who wait: for this class alone, where one is named.
    async fn queues(&self, max: usize, class_id: &str, viewer: &Viewer) -> Vec<Queue> {
        let mut queues = Vec::new();
        for upstream in self.calls.upstreams.all() {
            let mut view = match class_id {
                "" => upstream.queue.view(max).await,
                _ => upstream.queue.view(usize::MAX).await,
            };
            if !class_id.is_empty() {
                view.waiting
                    .retain(|entry| viewer.class(&entry.class) == class_id);
                view.waiting.truncate(max);
            }
            let breaker = self.calls.breakers.state(&upstream.breaker);
            queues.push(queue(&upstream, view, breaker, viewer));
        }
        queues
    }

    /// What tells of changes from now on.
    fn changes(&self) -> Changes {
        let upstreams = &self.calls.upstreams;
        let count = upstreams.count();
        Changes {
            queues: upstreams
                .all()
                .iter()
                .map(|upstream| upstream.queue.changes())
                .collect(),
            breakers: self.calls.breakers.changes(),
            count,
        }
    }
}

/// What tells of changes.
struct Changes {
    queues: Vec<watch::Receiver<()>>,
    breakers: broadcast::Receiver<Change>,
    count: watch::Receiver<usize>,
}

impl Changes {
    /// Returns when a queue or a breaker has changed, or a queue was made or forgotten.
    async fn any(mut self) {
        let queues = async {
            if self.queues.is_empty() {
                pending::<()>().await;
            }
            let each = self
                .queues
                .iter_mut()
                .map(|queue| Box::pin(queue.changed()));
            let _ = select_all(each).await;
        };
        tokio::select! {
            () = queues => {}
            _ = self.breakers.recv() => {}
            _ = self.count.changed() => {}
        }
    }
}

fn max_waiting(asked: i32) -> Result<usize, Fault> {
    match usize::try_from(asked) {
        Ok(0) => Ok(WAITING.0),
        Ok(max) if max <= WAITING.1 => Ok(max),
        _ => Err(Fault::invalid(
            "max_waiting",
            format!("must be 0 to {}", WAITING.1),
        )),
    }
}

fn viewer<T>(request: &Request<T>) -> Viewer {
    match CallContext::of(request).caller_opt() {
        Some(caller) => Viewer::Tenant(caller.tenant.clone()),
        None => Viewer::All,
    }
}

#[tonic::async_trait]
impl LlmQueueService for LlmQueue {
    async fn get_queues(
        &self,
        request: Request<GetQueuesRequest>,
    ) -> Result<Response<GetQueuesResponse>, Status> {
        let viewer = viewer(&request);
        let max = max_waiting(request.get_ref().max_waiting)?;
        let queues = Box::pin(self.queues(max, "", &viewer)).await;
        Ok(Response::new(GetQueuesResponse { queues }))
    }

    type WatchQueuesStream =
        Pin<Box<dyn Stream<Item = Result<WatchQueuesResponse, Status>> + Send>>;

    async fn watch_queues(
        &self,
        request: Request<WatchQueuesRequest>,
    ) -> Result<Response<Self::WatchQueuesStream>, Status> {
        let viewer = viewer(&request);
        let max = max_waiting(request.get_ref().max_waiting)?;
        let (least, most, usual) = INTERVALS;
        let interval = match request.get_ref().interval {
            None => usual,
            Some(interval) => Duration::try_from(interval)
                .ok()
                .filter(|interval| (least..=most).contains(interval))
                .ok_or_else(|| Fault::invalid("interval", "must be 100 ms to 1 minute"))?,
        };
        let class_id = request.into_inner().class_id;
        let this = self.clone();
        let views = try_stream! {
            loop {
                let next = Instant::now() + interval;
                // Before the look, so that nothing is missed in between.
                let changes = this.changes();
                yield WatchQueuesResponse { queues: Box::pin(this.queues(max, &class_id, &viewer)).await };
                // Times pass, even where nothing else happens.
                let _ = tokio::time::timeout(most.min(interval * 10), changes.any()).await;
                sleep_until(next).await;
            }
        };
        Ok(Response::new(Box::pin(views)))
    }
}

fn queue(upstream: &Upstream, view: QueueView, breaker: State, viewer: &Viewer) -> Queue {
    Queue {
        kind: match upstream.operation {
            Operation::Chat => QueueKind::Completions,
            Operation::Embeddings => QueueKind::Embeddings,
        }
        .into(),
        backend: upstream.backend.name().to_owned(),
        model: upstream.model.clone(),
        scope: match view.scope {
            Scope::Process => QueueScope::Process,
            Scope::Shared => QueueScope::Shared,
            Scope::Detached => QueueScope::Detached,
        }
        .into(),
        breaker: match breaker {
            State::Closed { .. } => BreakerState::Closed,
            State::Open { .. } => BreakerState::Open,
            State::HalfOpen { .. } => BreakerState::HalfOpen,
        }
        .into(),
        slots: view
            .slots
            .into_iter()
            .map(|slot| QueueSlot {
                index: count(slot.index),
                call: slot.call.map(|call| RunningCall {
                    class_id: viewer.class(&call.class),
                    purpose: purpose(&call.purpose).into(),
                    running: duration(call.running),
                    replica: call.replica.to_string(),
                }),
            })
            .collect(),
        waiting: view
            .waiting
            .into_iter()
            .map(|entry| QueueEntry {
                position: count(entry.position),
                student_hash: match viewer.shows(&entry.class) {
                    true => entry.student,
                    false => String::new(),
                },
                class_id: viewer.class(&entry.class),
                purpose: purpose(&entry.purpose).into(),
                waited: duration(entry.waited),
                wait: duration(entry.wait),
                replica: entry.replica.to_string(),
                held: entry.held,
            })
            .collect(),
        classes: view
            .classes
            .into_iter()
            .map(|class| QueueClass {
                class_id: viewer.class(&class.class),
                waiting: count(class.waiting),
                students: count(class.students),
                weight: count(class.weight),
            })
            .collect(),
        waiting_total: count(view.waiting_total),
        service_time: view.service_time.and_then(duration),
    }
}

impl Viewer {
    /// Whether the name of a class is shown.
    fn shows(&self, key: &str) -> bool {
        matches!(self, Self::All) || !self.class(key).is_empty()
    }

    /// A class as it is shown: `TENANT/CLASS` to a process of ours, its own name within its tenant, nothing elsewhere.
    fn class(&self, key: &str) -> String {
        match self {
            Self::All => key.to_owned(),
            Self::Tenant(tenant) => key
                .strip_prefix(tenant.as_str())
                .and_then(|rest| rest.strip_prefix('/'))
                .unwrap_or_default()
                .to_owned(),
        }
    }
}

fn purpose(word: &str) -> Purpose {
    Purpose::from_str_name(&format!("PURPOSE_{}", word.to_ascii_uppercase()))
        .unwrap_or(Purpose::Unspecified)
}
