//! Whether a model is to be called at all. A class's teacher decides that for the class, and the operator for all: the
//! setting is llm-gateway-svc's, which answers LLM_OFF, and its word is remembered for a moment. So most turns without a
//! model make no prompt and ask nobody.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;
use turnwise_proto::classes::v1::{ClassPolicy, ModelUse};

use super::Core;

/// How long the word counts. After that it is asked for again, and a model that was configured meanwhile is called.
const REMEMBERED: Duration = Duration::from_secs(5);

/// What llm-gateway-svc said last.
#[derive(Debug, Default)]
pub(crate) struct NoModel {
    told: Mutex<Option<Instant>>,
}

impl NoModel {
    /// It said that no model is to be called.
    pub(super) fn told(&self) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn is_known(&self) -> bool {
        let told = *self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.is_some_and(|told| told.elapsed() < REMEMBERED)
    }
}

impl Core {
    /// Whether it is known without asking that no model is to be called for a class with this policy.
    pub(crate) fn is_model_off(&self, policy: ClassPolicy) -> bool {
        policy.model_use() == ModelUse::Off || self.no_model.is_known()
    }
}
