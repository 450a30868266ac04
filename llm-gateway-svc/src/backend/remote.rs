//! Which model servers are remote, and the backend that stands in for one that nobody agreed to.

use std::net::{IpAddr, Ipv4Addr};

use futures_util::{StreamExt, stream};
use reqwest::Url;

use crate::{
    completion::{Backend, Pieces, Prompt},
    config::Settings,
    error::Error,
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

/// The host that calls are refused for, if they are.
pub(super) fn refusal(settings: &Settings, url: &Url) -> Option<String> {
    if settings.helper_remote_mode_acknowledged || !is_remote(url) {
        return None;
    }
    let host = url.host_str().unwrap_or_default().to_owned();
    tracing::warn!(
        host,
        "the model server is remote: calls are refused until HELPER_REMOTE_MODE_ACKNOWLEDGED=1"
    );
    Some(host)
}

/// Stands in for a remote backend that nobody agreed to: it refuses every call and holds nothing that could connect.
pub(super) struct NotAcknowledged {
    pub(super) backend: &'static str,
    pub(super) model: String,
    pub(super) host: String,
}

impl NotAcknowledged {
    fn error(&self) -> Error {
        Error::RemoteNotAcknowledged {
            host: self.host.clone(),
        }
    }
}

impl Backend for NotAcknowledged {
    fn name(&self) -> &'static str {
        self.backend
    }

    fn default_model(&self) -> &str {
        &self.model
    }

    fn admit(&self, _model: &str) -> Result<(), Error> {
        Err(self.error())
    }

    fn stream(&self, _prompt: Prompt) -> Pieces {
        stream::iter([Err(self.error())]).boxed()
    }
}
