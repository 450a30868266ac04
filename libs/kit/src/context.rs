//! What travels with a call: its deadline, its verified caller, its request id and, where nobody records it, its trace.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use http::{Extensions, HeaderValue};
use opentelemetry::Context;
use tokio::time::Instant;
use turnwise_proto::common::v1::ErrorReason;

use crate::{
    Caller, Fault,
    caller::{InternalToken, seal},
    telemetry,
};

/// What a handler knows of the call it serves, and passes on with the calls it makes.
///
/// Inside a process it travels as it is, among a request's extensions; a socket carries it as metadata.
#[derive(Debug, Clone, Default)]
pub struct CallContext {
    pub(crate) deadline: Option<Instant>,
    pub(crate) caller: Option<Arc<Caller>>,
    /// The caller as metadata, made for the first of the call's own calls that leaves the process.
    sealed: Arc<OnceLock<(Option<HeaderValue>, HeaderValue)>>,
    pub(crate) request_id: Option<Arc<str>>,
    /// The trace that the call belongs to, where its spans are recorded nowhere.
    pub(crate) unrecorded: Option<Context>,
}

impl CallContext {
    /// The context of a request that came through the server stack.
    pub fn of<T>(request: &tonic::Request<T>) -> Self {
        Self::from_extensions(request.extensions())
    }

    /// The context that an HTTP request carries.
    pub fn from_extensions(extensions: &Extensions) -> Self {
        extensions.get().cloned().unwrap_or_default()
    }

    /// A context for a call that nobody asked for: a command line, a test, a background task.
    pub fn background(caller: Option<Caller>, timeout: Duration) -> Self {
        Self {
            deadline: Some(Instant::now() + timeout),
            caller: caller.map(Arc::new),
            unrecorded: telemetry::begin_unless_recorded(),
            ..Self::default()
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

    /// The verified caller as metadata; `None` if there is none.
    pub(crate) fn sealed_caller(&self, token: Option<&InternalToken>) -> Option<HeaderValue> {
        let caller = self.caller.as_deref()?;
        // The token that signs now.
        let with = token.map(InternalToken::bearer);
        let make = || {
            tracing::trace!("the caller is sealed");
            let sealed = HeaderValue::from_str(&seal(caller, token)).ok();
            sealed.map(|sealed| (with.clone(), sealed))
        };
        if self.sealed.get().is_none()
            && let Some(made) = make()
        {
            // Whoever was faster sealed the same.
            let _ = self.sealed.set(made);
        }
        match self.sealed.get() {
            Some((signed, sealed)) if *signed == with => Some(sealed.clone()),
            _ => make().map(|(_, sealed)| sealed),
        }
    }

    /// The caller, now that it is verified.
    pub(crate) fn set_caller(&mut self, caller: Option<Arc<Caller>>) {
        self.caller = caller;
        self.sealed = Arc::default();
    }

    /// When the caller stops waiting.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// How long the caller still waits; zero if it has stopped, `None` if it waits for ever.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline
            .map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// The request id, if the call has one.
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    /// Whether spans of this call go anywhere: there is an exporter, and the call's trace is sampled.
    pub fn is_recorded(&self) -> bool {
        self.unrecorded.is_none() && telemetry::records()
    }

    /// The same context with a deadline no later than `deadline`: a part of a call spends less than the whole.
    #[must_use]
    pub fn until(&self, deadline: Instant) -> Self {
        Self {
            deadline: Some(self.deadline.map_or(deadline, |at| at.min(deadline))),
            ..self.clone()
        }
    }

    /// The same context with `reserve` kept back from its deadline.
    #[must_use]
    pub fn keeping_back(&self, reserve: Duration) -> Self {
        match self.deadline {
            Some(at) => self.until(at.checked_sub(reserve).unwrap_or_else(Instant::now)),
            None => self.clone(),
        }
    }

    /// The same context on behalf of somebody else: of a process itself, where its caller has no right of their own.
    #[must_use]
    pub fn on_behalf_of(&self, caller: Caller) -> Self {
        Self {
            caller: Some(Arc::new(caller)),
            sealed: Arc::default(),
            ..self.clone()
        }
    }

    /// An outgoing request that carries this context.
    pub fn request<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        request.extensions_mut().insert(self.clone());
        request
    }
}
