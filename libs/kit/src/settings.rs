//! Settings: default < file < environment < flag. Every setting is a clap argument that names its variable; its value
//! parser holds its bounds. What is unknown or out of bounds stops the start with a message that names the setting.

mod error;

use std::{
    collections::BTreeSet,
    ffi::OsString,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches, parser::ValueSource};
use tonic::transport::Channel;

pub use error::SettingsError;

use crate::{
    Kit,
    caller::InternalToken,
    client::{ClientOptions, GrpcClient, channel, connect},
    connections::ConnectionLimits,
    files::{self, NamedFile},
    telemetry::{LogFormat, Telemetry, TelemetryError, TelemetrySettings},
    tls::Tls,
};

/// The setting of every program and command that reads files with secrets.
#[derive(clap::Args, Debug, Clone, Default)]
#[group(skip)]
pub struct SecretFiles {
    /// Whether everybody on the machine may read files with secrets: 1 or 0. With 0 such a file is refused. 1 is for
    /// containers that get files as they are and have one user, such as Compose's
    #[arg(long, env = "SECRET_FILES_WORLD_READABLE", default_value = "0", value_parser = flag, action = ArgAction::Set)]
    pub secret_files_world_readable: bool,
}

impl SecretFiles {
    /// Takes the decision for this process, before it reads the first of them.
    pub fn decide(&self) {
        files::allow_world_readable(self.secret_files_world_readable);
    }
}

/// Settings that every server has.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct ServerSettings {
    /// Address to listen on; port 0 takes a free one, which is printed
    #[arg(long, env = "LISTEN", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// Where it listens for the suite's other processes as well, if its program has that setting (INTERNAL_LISTEN)
    #[arg(skip)]
    pub internal_listen: Option<SocketAddr>,
    /// Address of the admin port (/metrics, /healthz, /readyz); unset: none
    #[arg(long, env = "ADMIN_LISTEN")]
    pub admin_listen: Option<SocketAddr>,
    /// File with the token that opens internal services, at least 32 visible ASCII characters. With several, one a line, the
    /// first is sent and each is accepted, so that it can be changed; it is read again when it changes
    #[arg(long, env = "INTERNAL_TOKEN_FILE")]
    pub internal_token_file: Option<PathBuf>,
    /// This service's certificate, PEM; with TLS_KEY_FILE it turns TLS on. All three files of TLS are read again when they
    /// change, for the connections that are made from then on
    #[arg(long, env = "TLS_CERT_FILE", requires = "tls_key_file")]
    pub tls_cert_file: Option<PathBuf>,
    /// This service's private key, PEM
    #[arg(long, env = "TLS_KEY_FILE", requires = "tls_cert_file")]
    pub tls_key_file: Option<PathBuf>,
    /// The authority of client certificates, PEM; internal listeners then demand one of every client
    #[arg(long, env = "TLS_CLIENT_CA_FILE", requires = "tls_cert_file")]
    pub tls_client_ca_file: Option<PathBuf>,
    /// Who may read the files with secrets.
    #[command(flatten)]
    pub secret_files: SecretFiles,
    /// Threads that work on calls (1 to 256); unset: as many as the machine has cores
    #[arg(long, env = "WORKER_THREADS", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub worker_threads: Option<u16>,
    /// Calls worked on at once; more are refused with BUSY (1 to 100000)
    #[arg(long, env = "MAX_IN_FLIGHT", default_value = "1024", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub max_in_flight: u32,
    /// Seconds in which a new connection must finish its handshake and the headers of its first call (1 to 60)
    #[arg(long, env = "CONNECTION_PROOF_SECONDS", default_value = "5", value_parser = clap::value_parser!(u64).range(1..=60))]
    pub connection_proof_seconds: u64,
    /// Seconds without a call after which a connection is ended (30 to 86400)
    #[arg(long, env = "CONNECTION_IDLE_SECONDS", default_value = "900", value_parser = clap::value_parser!(u64).range(30..=86_400))]
    pub connection_idle_seconds: u64,
    /// Connections held at once (16 to 100000), a quarter of them for those without a call yet; unset: 10000, or three
    /// quarters of the files that the process may open, if that is less
    #[arg(long, env = "MAX_CONNECTIONS", value_parser = clap::value_parser!(u32).range(16..=100_000))]
    pub max_connections: Option<u32>,
    /// Connections without a call yet that one address may hold; for a further one the oldest is closed (1 to 10000)
    #[arg(long, env = "MAX_UNPROVED_PER_ADDRESS", default_value = "128", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub max_unproved_per_address: u32,
    /// Seconds between NOT_SERVING and the end of new calls, so that endpoints are taken out first (0 to 300)
    #[arg(long, env = "DRAIN_DELAY_SECONDS", default_value = "0", value_parser = clap::value_parser!(u64).range(0..=300))]
    pub drain_delay_seconds: u64,
    /// Seconds that running calls get to finish at the end (1 to 600)
    #[arg(long, env = "DRAIN_TIMEOUT_SECONDS", default_value = "20", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub drain_timeout_seconds: u64,
    /// How logs are written to standard error
    #[arg(long, env = "LOG_FORMAT", default_value = "json", value_enum)]
    pub log_format: LogFormat,
    /// Which logs are kept, such as `info` or `warn,turnwise_kit=debug`
    #[arg(long, env = "LOG_FILTER", default_value = "info")]
    pub log_filter: String,
    /// Where traces go, with its scheme, such as http://localhost:4317; unset: nowhere
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT")]
    pub otel_exporter_otlp_endpoint: Option<String>,
    /// The authority of the certificate of a https:// place of traces, PEM; unset: that of TLS_CLIENT_CA_FILE. TLS_CERT_FILE
    /// is shown to it
    #[arg(
        long,
        env = "OTEL_EXPORTER_OTLP_CERTIFICATE",
        requires = "otel_exporter_otlp_endpoint"
    )]
    pub otel_exporter_otlp_certificate: Option<PathBuf>,
}

/// The settings that were given, and not left at their default.
#[derive(Debug, Default)]
pub struct Given(BTreeSet<String>);

impl Given {
    /// Whether the setting with this variable was given by file, environment or flag.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    fn collect(&mut self, command: &Command, matches: &ArgMatches) {
        for arg in command.get_arguments() {
            let source = matches.value_source(arg.get_id().as_str());
            if let Some(name) = arg.get_env().and_then(|n| n.to_str())
                && matches!(
                    source,
                    Some(ValueSource::EnvVariable | ValueSource::CommandLine)
                )
            {
                self.0.insert(name.to_owned());
            }
        }
        if let Some((name, matches)) = matches.subcommand()
            && let Some(command) = command.find_subcommand(name)
        {
            self.collect(command, matches);
        }
    }
}

/// Reads the settings of a program from its file, environment and arguments, and tells which of them were given.
///
/// `defaults` are this program's own defaults for settings that many programs share, by variable name.
pub fn parse<C: CommandFactory + FromArgMatches>(
    args: impl IntoIterator<Item = OsString>,
    defaults: &[(&str, &str)],
) -> Result<(C, Given), SettingsError> {
    let mut given = Given::default();
    let args: Vec<OsString> = args.into_iter().collect();
    let mut command = C::command().arg(
        clap::Arg::new("config")
            .long("config")
            .env("CONFIG_FILE")
            .value_name("FILE")
            .global(true)
            .action(ArgAction::Set)
            .help("Settings file: YAML lines like `MAX_IN_FLIGHT: 100`; environment and flags win over it"),
    );
    for (name, value) in defaults {
        command = with_default(command, name, value).0;
    }
    if let Some(file) = config_file(&args) {
        for (key, value) in read_file(&file)? {
            let (changed, known) = with_default(command, &key, &value);
            if !known {
                return Err(SettingsError::UnknownKey { file, key });
            }
            command = changed;
            given.0.insert(key);
        }
    }
    let matches = command.try_get_matches_from_mut(args)?;
    given.collect(&command, &matches);
    Ok((C::from_arg_matches(&matches)?, given))
}

/// Gives the setting with this variable a new default, wherever in the command it stands.
fn with_default(command: Command, name: &str, value: &str) -> (Command, bool) {
    let subcommands: Vec<String> = command
        .get_subcommands()
        .map(|c| c.get_name().to_owned())
        .collect();
    let id = command
        .get_arguments()
        .find(|a| a.get_env().is_some_and(|env| env == name))
        .map(|a| a.get_id().clone());
    let mut known = id.is_some();
    let mut command = match id {
        Some(id) => command.mut_arg(id, |a| a.default_value(value.to_owned())),
        None => command,
    };
    for sub in subcommands {
        command = command.mut_subcommand(sub, |c| {
            let (c, found) = with_default(c, name, value);
            known |= found;
            c
        });
    }
    (command, known)
}

fn config_file(args: &[OsString]) -> Option<PathBuf> {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "--config" {
            return args.next().map(PathBuf::from);
        }
        if let Some(file) = arg.to_str().and_then(|a| a.strip_prefix("--config=")) {
            return Some(PathBuf::from(file));
        }
    }
    std::env::var_os("CONFIG_FILE")
        .filter(|f| !f.is_empty())
        .map(PathBuf::from)
}

fn read_file(file: &PathBuf) -> Result<Vec<(String, String)>, SettingsError> {
    let refused = |problem: String| SettingsError::File {
        file: file.clone(),
        problem,
    };
    files::plain(file).map_err(refused)?;
    let text = std::fs::read_to_string(file).map_err(|e| refused(files::explained(&e)))?;
    let map: std::collections::BTreeMap<String, serde_json::Value> =
        serde_saphyr::from_str(&text).map_err(|e| refused(e.to_string()))?;
    map.into_iter()
        .map(|(key, value)| match value {
            serde_json::Value::String(s) => Ok((key, s)),
            serde_json::Value::Number(n) => Ok((key, n.to_string())),
            serde_json::Value::Bool(b) => Ok((key, if b { "1" } else { "0" }.to_owned())),
            _ => Err(refused(format!("`{key}` is no single value"))),
        })
        .collect()
}

impl ServerSettings {
    /// The internal token, if one is configured. A process reads it once, and again when it changes.
    ///
    /// # Errors
    ///
    /// If the file cannot be used.
    pub fn internal_token(&self, kit: &Kit) -> Result<Option<InternalToken>, SettingsError> {
        if let Some(known) = kit.own.token.get() {
            return Ok(known.clone());
        }
        let file = self.internal_token_file.as_ref();
        let token = file.map(|file| read_token("INTERNAL_TOKEN_FILE", file, kit));
        let token = token.transpose()?;
        Ok(kit.own.token.get_or_init(|| token).clone())
    }

    /// Starts logs and traces of a process with this name, and takes what the settings decide for all of it.
    ///
    /// # Errors
    ///
    /// If a setting of them cannot be used.
    pub fn telemetry(&self, service: &'static str, kit: &Kit) -> Result<Telemetry, TelemetryError> {
        self.secret_files.decide();
        let endpoint = self.otel_exporter_otlp_endpoint.as_deref();
        let encrypted = endpoint.filter(|endpoint| endpoint.starts_with("https://"));
        let channel = encrypted.map(|endpoint| self.encrypted_channel(endpoint, kit));
        Telemetry::start(&TelemetrySettings {
            service,
            format: self.log_format,
            filter: self.log_filter.clone(),
            otlp_endpoint: endpoint.map(str::to_owned),
            otlp_channel: channel.transpose()?,
        })
    }

    fn encrypted_channel(&self, endpoint: &str, kit: &Kit) -> Result<Channel, TelemetryError> {
        let authority = match (
            &self.otel_exporter_otlp_certificate,
            &self.tls_client_ca_file,
        ) {
            (Some(file), _) => NamedFile::public("OTEL_EXPORTER_OTLP_CERTIFICATE", file),
            (None, Some(file)) => NamedFile::public("TLS_CLIENT_CA_FILE", file),
            (None, None) => return Err(TelemetryError::NoAuthority),
        };
        let tls = Tls::load(Some(authority), self.identity()).map_err(TelemetryError::Files)?;
        tls.follow(kit);
        channel(endpoint, Some(&tls), kit).map_err(TelemetryError::Endpoint)
    }

    /// A client of an internal service in another process. It connects when it is first used.
    ///
    /// # Errors
    ///
    /// If nobody said where the service is, that cannot be read or is here, or nothing proves to it that we are of the
    /// suite.
    pub fn client(
        &self,
        service: &'static str,
        setting: &'static str,
        endpoint: Option<&str>,
        kit: &Kit,
    ) -> Result<GrpcClient, SettingsError> {
        let endpoint = endpoint.ok_or(SettingsError::NoEndpoint { setting, service })?;
        self.check_elsewhere(setting, endpoint)?;
        let (tls, token) = (self.tls(kit)?, self.internal_token(kit)?);
        if token.is_none() && !tls.as_ref().is_some_and(Tls::trusts) {
            return Err(SettingsError::NoProof);
        }
        let options = ClientOptions {
            peer: service,
            token,
        };
        connect(endpoint, tls.as_ref(), options, kit)
            .map_err(|problem| SettingsError::Endpoint { setting, problem })
    }

    /// Insists that an endpoint is not where this process listens itself.
    ///
    /// # Errors
    ///
    /// If it is, as far as that can be told without looking up a name.
    pub fn check_elsewhere(
        &self,
        setting: &'static str,
        endpoint: &str,
    ) -> Result<(), SettingsError> {
        let listeners = self.listeners();
        let here = listeners.into_iter().find(|(_, address)| {
            let mut uris = endpoint.split(',');
            uris.any(|uri| leads_to(uri.trim(), *address))
        });
        here.map_or(Ok(()), |(listener, _)| {
            Err(SettingsError::Itself { setting, listener })
        })
    }

    /// Insists that each listener has an address of its own.
    ///
    /// # Errors
    ///
    /// If two have one; both are named.
    pub fn check_listeners(&self) -> Result<(), SettingsError> {
        let listeners = self.listeners();
        for (at, &(second, address)) in listeners.iter().enumerate() {
            let same = listeners[..at].iter().find(|(_, other)| {
                let everywhere = other.ip().is_unspecified() || address.ip().is_unspecified();
                other.port() == address.port() && (everywhere || other.ip() == address.ip())
            });
            if let Some(&(first, _)) = same {
                return Err(SettingsError::OneAddress {
                    first,
                    second,
                    address,
                });
            }
        }
        Ok(())
    }

    /// The listeners whose addresses are known: port 0 takes a free one.
    fn listeners(&self) -> Vec<(&'static str, SocketAddr)> {
        let known = |(setting, address): (_, Option<SocketAddr>)| Some((setting, address?));
        [
            ("LISTEN", Some(self.listen)),
            ("INTERNAL_LISTEN", self.internal_listen),
            ("ADMIN_LISTEN", self.admin_listen),
        ]
        .into_iter()
        .filter_map(known)
        .filter(|(_, address)| address.port() != 0)
        .collect()
    }

    /// How many connections the listener holds, and for how long.
    ///
    /// # Errors
    ///
    /// If that is more than the process has files for.
    pub fn connection_limits(&self) -> Result<ConnectionLimits, SettingsError> {
        // Stores, upstreams, the admin port and the log need files, too. `None`: there is no limit.
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let room = files.map_or(u64::MAX, |files| files / 4 * 3);
        let most = match (self.max_connections, files) {
            (Some(asked), Some(files)) if u64::from(asked) > room => {
                return Err(SettingsError::Connections { asked, files });
            }
            (Some(asked), _) => u64::from(asked),
            (None, _) => room.clamp(16, 10_000),
        };
        Ok(ConnectionLimits {
            proof: Duration::from_secs(self.connection_proof_seconds),
            idle: Duration::from_secs(self.connection_idle_seconds),
            most: usize::try_from(most).unwrap_or(usize::MAX),
            unproved_per_address: self.max_unproved_per_address as usize,
        })
    }

    /// The certificates of this process, if any are configured. A process reads them once, and again when they change.
    ///
    /// # Errors
    ///
    /// If a file cannot be used.
    pub fn tls(&self, kit: &Kit) -> Result<Option<Tls>, SettingsError> {
        if let Some(known) = kit.own.tls.get() {
            return Ok(known.clone());
        }
        let authority = self.tls_client_ca_file.as_ref();
        let authority = authority.map(|file| NamedFile::public("TLS_CLIENT_CA_FILE", file));
        let own = self.identity().map(|own| Tls::load(authority, Some(own)));
        let tls = own.transpose()?;
        if let Some(tls) = &tls {
            tls.follow(kit);
        }
        Ok(kit.own.tls.get_or_init(|| tls).clone())
    }

    /// The files of this process's own certificate and its key.
    fn identity(&self) -> Option<[NamedFile; 2]> {
        let (certificate, key) = (self.tls_cert_file.as_ref()?, self.tls_key_file.as_ref()?);
        Some([
            NamedFile::public("TLS_CERT_FILE", certificate),
            NamedFile::secret("TLS_KEY_FILE", key),
        ])
    }
}

/// Whether calls of this address reach a listener of this process.
fn leads_to(uri: &str, listener: SocketAddr) -> bool {
    let Ok(uri) = uri.parse::<http::Uri>() else {
        return false;
    };
    let host = uri.host().unwrap_or_default();
    let ips: Vec<IpAddr> = match host.trim_matches(['[', ']']) {
        "localhost" => vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
        host => host.parse::<IpAddr>().into_iter().collect(),
    };
    let here =
        |ip: &IpAddr| *ip == listener.ip() || listener.ip().is_unspecified() && ip.is_loopback();
    uri.port_u16() == Some(listener.port()) && ips.iter().any(here)
}

/// A switch: `1` or `0`, and `true` or `false`.
///
/// # Errors
/// It is none of these; the message says what to write.
pub fn flag(value: &str) -> Result<bool, String> {
    match value {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => Err("must be 1 or 0".to_owned()),
    }
}

/// A token from a file, or several while it is changed; it is read again when it changes.
///
/// # Errors
///
/// If the file cannot be used, or holds no token.
pub fn read_token(
    setting: &'static str,
    file: &Path,
    kit: &Kit,
) -> Result<InternalToken, SettingsError> {
    let token = InternalToken::load(setting, file)?;
    token.follow(kit);
    Ok(token)
}
