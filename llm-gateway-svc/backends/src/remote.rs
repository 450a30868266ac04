//! Which model servers are remote, and to which of these somebody agreed.

use std::{
    net::{IpAddr, Ipv4Addr},
    str::FromStr,
};

use clap::ValueEnum;
use reqwest::Url;

use crate::settings::{BackendKind, BackendSettings};

/// What host names end with that only a private network resolves; each begins with a dot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrivateSuffixes(Vec<String>);

impl FromStr for PrivateSuffixes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let suffix = |suffix: &str| {
            let suffix = suffix.trim().to_ascii_lowercase();
            let labels = suffix.strip_prefix('.').unwrap_or_default();
            let is_label = |label: &str| {
                !label.is_empty()
                    && label
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            };
            if labels.split('.').all(is_label) {
                Ok(suffix)
            } else {
                Err(format!(
                    "`{suffix}` is no suffix of host names: give a dot and a name, such as .internal"
                ))
            }
        };
        text.split(',')
            .map(suffix)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

/// To which remote backends somebody agreed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acknowledged {
    /// To none.
    None,
    /// To the configured one, and to none of those that stand in for it.
    Configured,
    /// To these.
    Backends(Vec<BackendKind>),
}

impl FromStr for Acknowledged {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "0" => return Ok(Self::None),
            "1" => return Ok(Self::Configured),
            _ => {}
        }
        let backend = |name: &str| {
            let name = name.trim();
            match BackendKind::from_str(name, false) {
                Ok(kind) if kind.has_server() => Ok(kind),
                _ => Err(format!(
                    "`{name}` is no backend that could be remote: give 0, 1 for the configured one, or names separated by \
                     commas of ollama, openai and openai_compatible"
                )),
            }
        };
        text.split(',')
            .map(backend)
            .collect::<Result<_, _>>()
            .map(Self::Backends)
    }
}

impl BackendSettings {
    /// Whether the server of this address is neither on this machine nor in its private network.
    ///
    /// Local are loopback, unspecified, private and link-local addresses, `localhost`, host names of one label, which
    /// only a private network resolves (a Compose service, a machine in the same room), and those with a suffix of
    /// PRIVATE_HOST_SUFFIXES. Every other name is remote, wherever it may resolve to: the answer must not depend on DNS.
    pub fn is_remote(&self, url: &Url) -> bool {
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
        let absolute = name.strip_suffix('.').unwrap_or(&name);
        let PrivateSuffixes(suffixes) = &self.private_host_suffixes;
        let is_private = suffixes.iter().any(|suffix| {
            let rest = absolute.strip_suffix(suffix.as_str());
            rest.is_some_and(|rest| !rest.is_empty())
        });
        name.contains('.') && !name.ends_with(".localhost") && name != "localhost." && !is_private
    }

    /// Whether text may be sent to the server of a backend: it is not remote, or somebody agreed to it.
    pub(crate) fn may_call(&self, kind: BackendKind, url: &Url) -> bool {
        let agreed = match &self.helper_remote_mode_acknowledged {
            Acknowledged::None => false,
            Acknowledged::Configured => kind == self.helper_llm_backend,
            Acknowledged::Backends(kinds) => kinds.contains(&kind),
        };
        agreed || !self.is_remote(url)
    }
}

fn is_local_v4(address: Ipv4Addr) -> bool {
    address.is_loopback()
        || address.is_unspecified()
        || address.is_private()
        || address.is_link_local()
}
