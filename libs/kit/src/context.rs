//! What travels with a call: its deadline, its verified caller and its request id.

use std::{sync::Arc, time::Duration};

use http::Extensions;
use tokio::time::Instant;
use turnwise_proto::common::v1::ErrorReason;

use crate::{Caller, Fault};

/// When the caller stops waiting.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(pub Instant);

/// The id that connects a call's logs; the caller's own, or made by the first service.
#[derive(Debug, Clone)]
pub struct RequestId(pub Arc<str>);

/// What a handler knows of the call it serves, and passes on with the calls it makes.
#[derive(Debug, Clone, Default)]
pub struct CallContext {
    deadline: Option<Deadline>,
    caller: Option<Arc<Caller>>,
    request_id: Option<RequestId>,
}

impl CallContext {
    /// The context of a request that came through the server stack.
    pub fn of<T>(request: &tonic::Request<T>) -> Self {
        Self::from_extensions(request.extensions())
    }

    /// The context that an HTTP request carries.
    pub fn from_extensions(extensions: &Extensions) -> Self {
        Self {
            deadline: extensions.get::<Deadline>().copied(),
            caller: extensions.get::<Arc<Caller>>().cloned(),
            request_id: extensions.get::<RequestId>().cloned(),
        }
    }

    /// A context for a call that nobody asked for: a command line, a test, a background task.
    pub fn background(caller: Option<Caller>, timeout: Duration) -> Self {
        Self {
            deadline: Some(Deadline(Instant::now() + timeout)),
            caller: caller.map(Arc::new),
            request_id: None,
        }
    }

    /// The verified caller; refused if there is none.
    pub fn caller(&self) -> Result<&Caller, Fault> {
        self.caller.as_deref().ok_or_else(|| {
            Fault::new(
                ErrorReason::Unauthenticated,
                "this call needs a verified caller",
            )
            .meta("cause", "missing")
        })
    }

    /// The verified caller, if there is one.
    pub fn caller_opt(&self) -> Option<&Caller> {
        self.caller.as_deref()
    }

    /// When the caller stops waiting.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline.map(|d| d.0)
    }

    /// How long the caller still waits; zero if it has stopped, `None` if it waits for ever.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline
            .map(|d| d.0.saturating_duration_since(Instant::now()))
    }

    /// The request id, if the call has one.
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_ref().map(|id| &*id.0)
    }

    /// The same context with a deadline no later than `deadline`: a part of a call spends less than the whole.
    #[must_use]
    pub fn until(&self, deadline: Instant) -> Self {
        let nearest = self.deadline.map_or(deadline, |d| d.0.min(deadline));
        Self {
            deadline: Some(Deadline(nearest)),
            ..self.clone()
        }
    }

    /// The same context with `reserve` kept back from its deadline.
    #[must_use]
    pub fn keeping_back(&self, reserve: Duration) -> Self {
        match self.deadline {
            Some(Deadline(at)) => self.until(at.checked_sub(reserve).unwrap_or_else(Instant::now)),
            None => self.clone(),
        }
    }

    /// The same context on behalf of somebody else: of a process itself, where its caller has no right of their own.
    #[must_use]
    pub fn on_behalf_of(&self, caller: Caller) -> Self {
        Self {
            caller: Some(Arc::new(caller)),
            ..self.clone()
        }
    }

    /// An outgoing request that carries this context; the client turns it into metadata.
    pub fn request<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        let extensions = request.extensions_mut();
        if let Some(deadline) = self.deadline {
            extensions.insert(deadline);
        }
        if let Some(caller) = &self.caller {
            extensions.insert(Arc::clone(caller));
        }
        if let Some(id) = &self.request_id {
            extensions.insert(id.clone());
        }
        request
    }
}
