//! One lane for each model: the line in front of its slots, and its circuit breaker.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;
use turnwise_kit::Kit;
use turnwise_llm_backends::Backend;
use turnwise_llm_queue::{Line, LineOptions};
use turnwise_redis::Redis;

use crate::{
    error::Error,
    metrics::{CallMetrics, ModelMetrics, Operation},
    settings::QueueSettings,
};

/// The most models whose lines are kept at the same time.
const LANES_MAX: usize = 128;

/// The way to one model.
pub struct Lane {
    /// What it is called for.
    pub operation: Operation,
    /// Who has it.
    pub backend: Arc<dyn Backend>,
    /// Its name.
    pub model: String,
    /// The line in front of its slots.
    pub line: Line,
    /// How many slots it has, all replicas together.
    pub slots: usize,
    /// Its name among the breakers.
    pub breaker: String,
    /// Its metrics.
    pub metrics: Arc<ModelMetrics>,
}

/// The lanes. Each is made when it is first used.
pub struct Lanes {
    settings: QueueSettings,
    redis: Option<Redis>,
    kit: Kit,
    metrics: Arc<CallMetrics>,
    lanes: Mutex<BTreeMap<Key, Arc<Lane>>>,
    /// How many there are.
    count: watch::Sender<usize>,
}

type Key = (Operation, &'static str, String);

impl Lanes {
    /// No lanes yet; shared through Redis, if there is one.
    pub fn new(
        settings: QueueSettings,
        redis: Option<Redis>,
        kit: Kit,
        metrics: Arc<CallMetrics>,
    ) -> Self {
        Self {
            settings,
            redis,
            kit,
            metrics,
            lanes: Mutex::default(),
            count: watch::Sender::new(0),
        }
    }

    /// The lane to this model.
    pub fn lane(
        &self,
        operation: Operation,
        backend: &Arc<dyn Backend>,
        model: &str,
    ) -> Result<Arc<Lane>, Error> {
        let key = (operation, backend.name(), model.to_owned());
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = lanes.get(&key) {
            return Ok(Arc::clone(lane));
        }
        if lanes.len() >= LANES_MAX {
            // A lane that a request still holds is in use; the others are made again when they are.
            lanes.retain(|_, lane| Arc::strong_count(lane) > 1);
            self.count.send_replace(lanes.len());
            if lanes.len() >= LANES_MAX {
                return Err(Error::TooManyModels);
            }
        }
        let lane = Arc::new(self.make(operation, backend, model)?);
        lanes.insert(key, Arc::clone(&lane));
        self.count.send_replace(lanes.len());
        Ok(lane)
    }

    /// How many there are: changes when one is made or forgotten.
    pub fn count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    /// All lanes, by kind, backend and model.
    pub fn all(&self) -> Vec<Arc<Lane>> {
        let lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        lanes.values().cloned().collect()
    }

    /// Forgets a lane to a model that is not there, unless others use it.
    pub fn forget(&self, lane: &Arc<Lane>) {
        let key = (lane.operation, lane.backend.name(), lane.model.clone());
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        // The map's and the caller's.
        if lanes
            .get(&key)
            .is_some_and(|kept| Arc::strong_count(kept) <= 2)
        {
            lanes.remove(&key);
            self.count.send_replace(lanes.len());
        }
    }

    fn make(
        &self,
        operation: Operation,
        backend: &Arc<dyn Backend>,
        model: &str,
    ) -> Result<Lane, Error> {
        let slots = self.settings.slots(operation, model);
        let options = self.settings.line(slots);
        let name = format!("{}/{}/{model}", operation.line(), backend.name());
        let line = match &self.redis {
            Some(redis) => Line::shared(options, redis.clone(), &name, &self.kit),
            None => Line::local(options),
        };
        Ok(Lane {
            operation,
            backend: Arc::clone(backend),
            model: model.to_owned(),
            metrics: Arc::new(ModelMetrics::new(
                Arc::clone(&self.metrics),
                operation,
                backend.name(),
                model,
            )),
            line: line.map_err(Error::Misconfigured)?,
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

    fn line(&self, slots: usize) -> LineOptions {
        LineOptions {
            slots,
            replicas: self.queue_replicas as usize,
            replica_index: self.queue_replica_index as usize,
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
