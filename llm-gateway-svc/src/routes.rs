//! Which models a request goes to.

use std::sync::Arc;

use turnwise_llm_backends::Backend;

use crate::{
    call::{Calls, open_for},
    error::Error,
    job::Job,
    metrics::Operation,
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
        let targets = self.targets.in_order();
        let operation = Operation::Chat;
        let available = targets.iter().any(|target| {
            let admitted = target.backend.admit(&target.model, operation.of_backend());
            admitted.is_ok()
                && self
                    .upstreams
                    .get(operation, &target.backend, &target.model)
                    .is_ok_and(|upstream| {
                        open_for(self.breakers.state(&upstream.breaker)).is_none()
                    })
        });
        let name = targets.first().map_or("", |target| target.backend.name());
        (name, available)
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
