//! What stands in for a backend that is not called: it refuses every call and holds nothing that could connect.

use futures_util::{FutureExt, StreamExt, future, stream};
use reqwest::Url;

use crate::{
    backend::{Backend, Operation, Pieces, Vectors, Whole},
    completion::Prompt,
    failure::Failure,
    settings::{BackendKind, BackendSettings},
};

/// The model of a backend that has none.
const NO_MODEL: &str = "none";

/// Refuses every call with the same failure.
pub(crate) struct Refusing {
    failure: Failure,
    model: String,
    embed_model: String,
}

impl Refusing {
    /// In the place of models that nobody configured.
    pub(crate) fn without_models() -> Self {
        Self {
            failure: Failure::Off,
            model: NO_MODEL.to_owned(),
            embed_model: NO_MODEL.to_owned(),
        }
    }

    /// In the place of the server at `url`, if it is remote and nobody agreed to that.
    pub(crate) fn instead_of(
        kind: BackendKind,
        url: &Url,
        settings: &BackendSettings,
    ) -> Option<Self> {
        if settings.may_call(kind, url) {
            return None;
        }
        let host = url.host_str().unwrap_or_default().to_owned();
        let backend = kind.as_str();
        tracing::warn!(
            host,
            backend,
            "the model server is remote: calls are refused until HELPER_REMOTE_MODE_ACKNOWLEDGED names the backend"
        );
        let (model, embed_model) = match kind {
            BackendKind::Ollama => (&settings.ollama_model, &settings.ollama_embed_model),
            _ => (&settings.openai_model, &settings.openai_embed_model),
        };
        Some(Self {
            failure: Failure::RemoteNotAcknowledged { backend, host },
            model: model.clone(),
            embed_model: embed_model.clone(),
        })
    }
}

impl Backend for Refusing {
    fn name(&self) -> &'static str {
        self.failure.backend()
    }

    fn default_model(&self, operation: Operation) -> &str {
        match operation {
            Operation::Completion => &self.model,
            Operation::Embedding => &self.embed_model,
        }
    }

    fn admit(&self, _model: &str, _operation: Operation) -> Result<(), Failure> {
        Err(self.failure.clone())
    }

    fn stream(&self, _model: &str, _prompt: &Prompt) -> Pieces {
        stream::iter([Err(self.failure.clone())]).boxed()
    }

    fn complete(&self, _model: &str, _prompt: &Prompt) -> Whole {
        future::ready(Err(self.failure.clone())).boxed()
    }

    fn embed(&self, _model: &str, _texts: &[String]) -> Vectors {
        future::ready(Err(self.failure.clone())).boxed()
    }
}
