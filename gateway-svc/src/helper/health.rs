//! Whether the helper can answer.

use std::time::Duration;

use turnwise_kit::CallContext;
use turnwise_proto::{helper::v1::GetHelperHealthResponse, llm::v1::GetBackendRequest};

use super::Helper;
use crate::upstream::own;

/// The longest that the model gateway is waited for.
const WAIT: Duration = Duration::from_secs(2);
/// The backend that calls no model: the policy's own answers are the answers.
const NO_MODEL: &str = "none";

impl Helper {
    /// Up or down, and the backend's name; nothing else. Without a model that is to be called the helper is up.
    pub(crate) async fn health(
        &self,
        context: &CallContext,
        tenant: &str,
    ) -> GetHelperHealthResponse {
        let own = own(context, tenant, WAIT);
        let mut llm = self.core.upstreams.llm.clone();
        match llm.get_backend(own.request(GetBackendRequest {})).await {
            Ok(found) => {
                let found = found.into_inner();
                GetHelperHealthResponse {
                    up: found.available || found.backend == NO_MODEL,
                    backend: found.backend,
                }
            }
            Err(status) => {
                tracing::warn!(code = ?status.code(), "the model gateway does not say how it is");
                GetHelperHealthResponse::default()
            }
        }
    }
}
