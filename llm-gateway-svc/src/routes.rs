//! Which models a request goes to.

use std::sync::Arc;

use turnwise_llm_backends::Backend;
use turnwise_llm_queue::HeldPlace;

use crate::{
    call::{Calls, open_for},
    error::Error,
    job::{Job, Requester},
    metrics::Operation,
    upstreams::Upstream,
};

/// A model to call, and who has it.
pub(crate) struct Route {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) model: String,
}

impl Calls {
    /// Makes the upstreams of the configured models, so that replicas know each other's slots before the first call.
    pub(crate) fn open_upstreams(&self) {
        let targets = self.targets.in_order().iter();
        let chats = targets
            .clone()
            .map(|target| (Operation::Chat, &target.backend, target.model.as_str()));
        // Only the first is asked for vectors.
        let embeddings = targets.take(1).map(|target| {
            let operation = Operation::Embeddings;
            let model = target.backend.default_model(operation.of_backend());
            (operation, &target.backend, model)
        });
        for (operation, backend, model) in chats.chain(embeddings) {
            // A backend that refuses every call has no slots.
            if backend.admit(model, operation.of_backend()).is_ok()
                && let Err(error) = self.upstreams.get(operation, backend, model)
            {
                tracing::error!(%error, model, "a queue cannot be made");
            }
        }
    }

    /// The name of the first backend, and whether it or one that stands in for it would be asked now.
    pub(crate) fn first_backend(&self) -> (&'static str, bool) {
        let first = self.targets.in_order().first();
        let name = first.map_or("", |target| target.backend.name());
        (name, self.open_for_completions().next().is_some())
    }

    /// Ends the completion of the same owner that waits, in whichever queue, and holds its place in the first.
    pub(crate) async fn take_over_place(&self, requester: &Requester) -> Option<HeldPlace> {
        let mut first = None;
        for upstream in self.open_for_completions() {
            let queue = &upstream.queue;
            let held = queue.take_over(requester.owner(), requester.band).await;
            first = first.or(held);
        }
        first
    }

    /// The configured models that would be asked now, in their order.
    fn open_for_completions(&self) -> impl Iterator<Item = Arc<Upstream>> + Send + '_ {
        let operation = Operation::Chat;
        let targets = self.targets.in_order().iter();
        targets.filter_map(move |target| {
            let admitted = target.backend.admit(&target.model, operation.of_backend());
            admitted.ok()?;
            let upstream = self
                .upstreams
                .get(operation, &target.backend, &target.model);
            let upstream = upstream.ok()?;
            open_for(self.breakers.state(&upstream.breaker))
                .is_none()
                .then_some(upstream)
        })
    }

    /// The models to call, one after the other. Who names a backend or a model wants that one.
    pub(crate) fn routes(&self, job: &Job) -> Result<Vec<Route>, Error> {
        let operation = job.work.operation().of_backend();
        let named = |backend: &Arc<dyn Backend>| Route {
            backend: Arc::clone(backend),
            model: match &job.model {
                Some(model) => model.clone(),
                None => backend.default_model(operation).to_owned(),
            },
        };
        let first = || {
            let target = self.targets.in_order().first();
            Ok(target.map(|t| named(&t.backend)).into_iter().collect())
        };
        match (&job.backend, &job.model) {
            (Some(name), _) => {
                let backend = self.targets.backend(name);
                let backend = backend.ok_or_else(|| Error::UnknownBackend {
                    backend: name.clone(),
                })?;
                Ok(vec![named(backend)])
            }
            (None, Some(_)) => first(),
            // Vectors of another model are no substitute: they cannot be compared with the others.
            (None, None) if job.work.operation() == Operation::Embeddings => first(),
            (None, None) => Ok(self
                .targets
                .in_order()
                .iter()
                .map(|target| Route {
                    backend: Arc::clone(&target.backend),
                    model: target.model.clone(),
                })
                .collect()),
        }
    }
}
