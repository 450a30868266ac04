//! Why settings are refused.

use std::{net::SocketAddr, path::PathBuf};

use crate::client::ConnectError;

/// Why settings were refused. The message names the setting and what to do.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// Arguments, environment or file hold something unknown or out of bounds; or help was asked for.
    #[error("{0}")]
    Clap(#[from] clap::Error),
    /// The settings file cannot be read.
    #[error(
        "the settings file `{file}` (--config, CONFIG_FILE) cannot be read: {problem}; it holds lines like `MAX_IN_FLIGHT: 100`"
    )]
    File {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The settings file names a setting that does not exist.
    #[error(
        "the settings file `{file}` names `{key}`, which is no setting of this program; see --help"
    )]
    UnknownKey {
        /// The file.
        file: PathBuf,
        /// The name.
        key: String,
    },
    /// More connections are asked for than the process has files.
    #[error(
        "MAX_CONNECTIONS ({asked}) is more than three quarters of the files that this process may open ({files}); the rest is kept for stores and upstreams: raise the limit (ulimit -n) or lower the setting"
    )]
    Connections {
        /// What the setting says.
        asked: u32,
        /// The limit of open files.
        files: u64,
    },
    /// An internal service with nothing to prove that a caller is one of the suite's own.
    #[error(
        "between processes an internal service needs INTERNAL_TOKEN_FILE, or TLS_CERT_FILE, TLS_KEY_FILE and TLS_CLIENT_CA_FILE; nothing opens it without"
    )]
    NoProof,
    /// Nobody said where a service is that this process calls.
    #[error("{setting} is not set; say where {service} is, such as http://HOST:PORT")]
    NoEndpoint {
        /// The setting.
        setting: &'static str,
        /// The service.
        service: &'static str,
    },
    /// An endpoint cannot be used.
    #[error("{setting} cannot be used")]
    Endpoint {
        /// The setting.
        setting: &'static str,
        /// What is wrong with it.
        #[source]
        problem: ConnectError,
    },
    /// An endpoint is where this process listens itself.
    #[error(
        "{setting} leads to this process itself, which listens there ({listener}); say where the other service is, or change {listener}"
    )]
    Itself {
        /// The setting.
        setting: &'static str,
        /// The setting of the listener.
        listener: &'static str,
    },
    /// Two listeners of this process are at one address.
    #[error("{first} and {second} are one address ({address}); give each an address of its own")]
    OneAddress {
        /// The setting of the one.
        first: &'static str,
        /// The setting of the other.
        second: &'static str,
        /// Where the other is.
        address: SocketAddr,
    },
    /// A secret or certificate cannot be used.
    #[error("{setting} (`{file}`) cannot be used: {problem}")]
    Secret {
        /// The setting.
        setting: &'static str,
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}
