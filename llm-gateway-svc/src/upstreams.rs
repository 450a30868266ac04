//! Upstreams: one for each model of a backend, with the queue in front of its slots and the name of its circuit breaker.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;
use turnwise_kit::Kit;
use turnwise_llm_backends::Backend;
use turnwise_llm_queue::{Ordinals, Queue, QueueOptions};
use turnwise_redis::Redis;

use crate::{
    error::Error,
    metrics::{CallMetrics, ModelMetrics, Operation},
    settings::QueueSettings,
};

/// The most models whose queues are kept at the same time.
const UPSTREAMS_MAX: usize = 128;

/// One model of a backend, and what stands before it.
pub struct Upstream {
    /// What it is called for.
    pub operation: Operation,
    /// The backend that has it.
    pub backend: Arc<dyn Backend>,
    /// Its name.
    pub model: String,
    /// The queue in front of its slots.
    pub queue: Queue,
    /// How many slots it has, all replicas together.
    pub slots: usize,
    /// Its name among the breakers.
    pub breaker: String,
    /// Its metrics.
    pub metrics: Arc<ModelMetrics>,
}

/// The upstreams. Each is made when it is first used.
pub struct Upstreams {
    settings: QueueSettings,
    redis: Option<Redis>,
    /// Which of the replicas this one is, if that is leased.
    ordinals: Option<Ordinals>,
    kit: Kit,
    metrics: Arc<CallMetrics>,
    upstreams: Mutex<BTreeMap<Key, Arc<Upstream>>>,
    /// How many there are.
    count: watch::Sender<usize>,
}

type Key = (Operation, &'static str, String);

impl Upstreams {
    /// No upstreams yet; shared through Redis, if there is one. To be called within a runtime.
    pub fn new(
        settings: QueueSettings,
        redis: Option<Redis>,
        kit: Kit,
        metrics: Arc<CallMetrics>,
    ) -> Self {
        let leased = redis.as_ref().filter(|_| settings.set_replica().is_none());
        let slot_ttl = settings.helper_queue_slot_ttl_seconds;
        let ordinals = leased.map(|redis| Ordinals::lease(redis.clone(), slot_ttl, &kit));
        Self {
            settings,
            redis,
            ordinals,
            kit,
            metrics,
            upstreams: Mutex::default(),
            count: watch::Sender::new(0),
        }
    }

    /// The upstream of this model.
    pub fn get(
        &self,
        operation: Operation,
        backend: &Arc<dyn Backend>,
        model: &str,
    ) -> Result<Arc<Upstream>, Error> {
        let key = (operation, backend.name(), model.to_owned());
        let mut upstreams = self
            .upstreams
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(upstream) = upstreams.get(&key) {
            return Ok(Arc::clone(upstream));
        }
        if upstreams.len() >= UPSTREAMS_MAX {
            // An upstream that a request still holds is in use; the others are made again when they are.
            upstreams.retain(|_, upstream| Arc::strong_count(upstream) > 1);
            self.count.send_replace(upstreams.len());
            if upstreams.len() >= UPSTREAMS_MAX {
                return Err(Error::TooManyModels);
            }
        }
        let upstream = Arc::new(self.make(operation, backend, model)?);
        upstreams.insert(key, Arc::clone(&upstream));
        self.count.send_replace(upstreams.len());
        Ok(upstream)
    }

    /// How many there are: changes when one is made or forgotten.
    pub fn count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    /// All upstreams, by kind, backend and model.
    pub fn all(&self) -> Vec<Arc<Upstream>> {
        let upstreams = self
            .upstreams
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        upstreams.values().cloned().collect()
    }

    /// Forgets the upstream of a model that is not there, unless others use it.
    pub fn forget(&self, upstream: &Arc<Upstream>) {
        let key = (
            upstream.operation,
            upstream.backend.name(),
            upstream.model.clone(),
        );
        let mut upstreams = self
            .upstreams
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // The map's and the caller's.
        if upstreams
            .get(&key)
            .is_some_and(|kept| Arc::strong_count(kept) <= 2)
        {
            upstreams.remove(&key);
            self.count.send_replace(upstreams.len());
        }
    }

    fn make(
        &self,
        operation: Operation,
        backend: &Arc<dyn Backend>,
        model: &str,
    ) -> Result<Upstream, Error> {
        let slots = self.settings.slots(operation, model);
        let options = self.settings.queue(slots);
        let name = format!("{}/{}/{model}", operation.queue_kind(), backend.name());
        let queue = match (&self.redis, &self.ordinals) {
            (Some(redis), Some(ordinals)) => {
                Queue::leased(options, redis.clone(), &name, &self.kit, ordinals)
            }
            (Some(redis), None) => Queue::shared(options, redis.clone(), &name, &self.kit),
            (None, _) => Queue::local(options),
        };
        Ok(Upstream {
            operation,
            backend: Arc::clone(backend),
            model: model.to_owned(),
            metrics: Arc::new(ModelMetrics::new(
                Arc::clone(&self.metrics),
                operation,
                backend.name(),
                model,
            )),
            queue: queue.map_err(Error::Misconfigured)?,
            slots,
            breaker: name,
        })
    }
}

impl QueueSettings {
    /// How many slots a model has.
    fn slots(&self, operation: Operation, model: &str) -> usize {
        let slots = match operation {
            Operation::Embeddings => self.embed_max_concurrency,
            Operation::Chat => self
                .llm_model_concurrency
                .0
                .get(model)
                .copied()
                .unwrap_or(self.helper_max_concurrency),
        };
        slots as usize
    }

    fn queue(&self, slots: usize) -> QueueOptions {
        let (index, replicas) = self.set_replica().unwrap_or((0, 1));
        QueueOptions {
            slots,
            replicas: replicas as usize,
            replica_index: index as usize,
            weights: self.queue_class_weights.0.clone(),
            max_entries: self.queue_max_entries as usize,
            max_bytes: self.queue_max_bytes as usize,
            aging: self.queue_batch_aging_seconds,
            place_grace: self.queue_place_grace_seconds,
            service_time: self.queue_expected_call_seconds,
            poll: self.helper_queue_poll_seconds,
            slot_ttl: self.helper_queue_slot_ttl_seconds,
        }
    }
}
