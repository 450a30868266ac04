//! Which model servers are remote, and the backend that stands in for one that nobody agreed to.

use std::net::{IpAddr, Ipv4Addr};

use futures_util::{FutureExt, StreamExt, future, stream};
use reqwest::Url;

use crate::{
    backend::{Backend, Operation, Pieces, Vectors, Whole},
    completion::Prompt,
    failure::Failure,
    settings::{BackendKind, BackendSettings},
};

/// Whether the server of this address is neither on this machine nor in its private network.
///
/// Local are loopback, unspecified, private and link-local addresses, `localhost`, and host names of one label, which
/// only a private network resolves (a Compose service, a machine in the same room). Every other name is remote, wherever
/// it may resolve to: the answer must not depend on DNS.
pub fn is_remote(url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return true;
    };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return match address.to_canonical() {
            IpAddr::V4(v4) => !is_local_v4(v4),
            IpAddr::V6(v6) => {
                !(v6.is_loopback()
                    || v6.is_unspecified()
                    || v6.is_unique_local()
                    || v6.is_unicast_link_local())
            }
        };
    }
    let name = host.to_ascii_lowercase();
    name.contains('.') && !name.ends_with(".localhost") && name != "localhost."
}

fn is_local_v4(address: Ipv4Addr) -> bool {
    address.is_loopback()
        || address.is_unspecified()
        || address.is_private()
        || address.is_link_local()
}

/// Stands in for a remote backend that nobody agreed to: it refuses every call and holds nothing that could connect.
pub(crate) struct NotAcknowledged {
    backend: &'static str,
    model: String,
    embed_model: String,
    host: String,
}

impl NotAcknowledged {
    /// The one that stands in for the server at `url`, if it is remote and nobody agreed to that.
    pub(crate) fn instead_of(
        kind: BackendKind,
        url: &Url,
        settings: &BackendSettings,
    ) -> Option<Self> {
        if settings.helper_remote_mode_acknowledged || !is_remote(url) {
            return None;
        }
        let host = url.host_str().unwrap_or_default().to_owned();
        tracing::warn!(
            host,
            "the model server is remote: calls are refused until HELPER_REMOTE_MODE_ACKNOWLEDGED=1"
        );
        let (model, embed_model) = match kind {
            BackendKind::Ollama => (&settings.ollama_model, &settings.ollama_embed_model),
            _ => (&settings.openai_model, &settings.openai_embed_model),
        };
        Some(Self {
            backend: kind.as_str(),
            model: model.clone(),
            embed_model: embed_model.clone(),
            host,
        })
    }

    fn refusal(&self) -> Failure {
        Failure::RemoteNotAcknowledged {
            backend: self.backend,
            host: self.host.clone(),
        }
    }
}

impl Backend for NotAcknowledged {
    fn name(&self) -> &'static str {
        self.backend
    }

    fn default_model(&self, operation: Operation) -> &str {
        match operation {
            Operation::Completion => &self.model,
            Operation::Embedding => &self.embed_model,
        }
    }

    fn admit(&self, _model: &str, _operation: Operation) -> Result<(), Failure> {
        Err(self.refusal())
    }

    fn stream(&self, _model: &str, _prompt: &Prompt) -> Pieces {
        stream::iter([Err(self.refusal())]).boxed()
    }

    fn complete(&self, _model: &str, _prompt: &Prompt) -> Whole {
        future::ready(Err(self.refusal())).boxed()
    }

    fn embed(&self, _model: &str, _texts: &[String]) -> Vectors {
        future::ready(Err(self.refusal())).boxed()
    }
}
