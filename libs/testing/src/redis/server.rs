//! One redis-server process: its life, its log and what it says of itself.

use std::{
    collections::BTreeMap,
    fmt::Write,
    fs::{self, File},
    io::{self, ErrorKind},
    process::{Child, Command, Stdio},
    time::Duration,
};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use tempfile::TempDir;

use super::{
    client::{Connection, Value},
    options::{ServerOptions, quoted},
};
use crate::{
    port::{ReservedPort, with_free_ports},
    wait::wait_until,
};

/// How long a server may take to be ready.
const START_LIMIT: Duration = Duration::from_secs(20);
/// How long one question whether it is ready may take; another one follows.
const LOOK_LIMIT: Duration = Duration::from_secs(2);
/// How long a server may take to reply to a command.
const REPLY_LIMIT: Duration = Duration::from_secs(30);
/// How much of a log an error shows, in lines from its end.
const LOG_LINES: usize = 30;

/// A redis-server. It is killed when the value is dropped.
#[derive(Debug)]
pub struct RedisServer {
    port: ReservedPort,
    password: Option<String>,
    /// Whether it is a sentinel: the same program, with other commands.
    sentinel: bool,
    process: Option<Child>,
    stopped: bool,
    /// Its configuration, its data and its log.
    directory: TempDir,
}

impl RedisServer {
    /// Starts a server with the default options and returns once it takes connections.
    ///
    /// # Errors
    ///
    /// If there is no `redis-server` on the PATH (the message says how to get one), or if it ends before it is ready
    /// (the message holds what it wrote).
    pub fn start() -> io::Result<Self> {
        Self::start_with(&ServerOptions::default())
    }

    /// Starts a server with these options and returns once it takes connections.
    ///
    /// # Errors
    ///
    /// As [`RedisServer::start`].
    pub fn start_with(options: &ServerOptions) -> io::Result<Self> {
        with_free_ports(|| {
            let mut server = Self::launch(ReservedPort::new()?, options, "")?;
            server.wait_until_ready()?;
            Ok(server)
        })
    }

    /// Starts a sentinel with these lines of its configuration, and returns once it takes connections.
    ///
    /// # Errors
    ///
    /// As [`RedisServer::start`].
    pub fn start_sentinel(config: &str) -> io::Result<Self> {
        with_free_ports(|| {
            let mut sentinel = Self::launch_sentinel(ReservedPort::new()?, config)?;
            sentinel.wait_until_ready()?;
            Ok(sentinel)
        })
    }

    /// Starts a server and does not wait until it is ready. `more` goes into its configuration.
    pub(super) fn launch(
        port: ReservedPort,
        options: &ServerOptions,
        more: &str,
    ) -> io::Result<Self> {
        let config = options.config() + more;
        Self::launch_as(false, port, options.password_needed(), &config)
    }

    /// Starts a sentinel and does not wait until it is ready.
    pub(super) fn launch_sentinel(port: ReservedPort, config: &str) -> io::Result<Self> {
        Self::launch_as(true, port, None, config)
    }

    fn launch_as(
        sentinel: bool,
        port: ReservedPort,
        password: Option<&str>,
        config: &str,
    ) -> io::Result<Self> {
        let directory = tempfile::tempdir()?;
        let place = quoted(&directory.path().display().to_string());
        let config = format!(
            "port {}\nbind 127.0.0.1\ndir {place}\n{config}",
            port.number()
        );
        fs::write(directory.path().join("redis.conf"), config)?;
        let mut server = Self {
            port,
            password: password.map(str::to_owned),
            sentinel,
            process: None,
            stopped: false,
            directory,
        };
        server.spawn()?;
        Ok(server)
    }

    fn spawn(&mut self) -> io::Result<()> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.directory.path().join("log"))?;
        let mut program = Command::new("redis-server");
        program.arg(self.directory.path().join("redis.conf"));
        if self.sentinel {
            program.arg("--sentinel");
        }
        let process = program
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => io::Error::new(
                    ErrorKind::NotFound,
                    "this test needs a redis-server on the PATH; get one with `apt-get install redis-server`",
                ),
                _ => error,
            })?;
        self.process = Some(process);
        self.stopped = false;
        Ok(())
    }

    /// Waits until the process takes commands: this one, and no other that happens to be on the port.
    pub(super) fn wait_until_ready(&mut self) -> io::Result<()> {
        let Some(mut process) = self.process.take() else {
            return Err(io::Error::other("the server was not started"));
        };
        let itself = format!("process_id:{}\r\n", process.id());
        let ended = wait_until("a redis-server to be ready", START_LIMIT, || {
            if let Some(status) = process.try_wait().map_err(|error| error.to_string())? {
                return Ok(Some(status));
            }
            let info = self
                .command_within(LOOK_LIMIT, &["INFO", "everything"])
                .map_err(|error| error.to_string())?
                .text();
            if info.contains(&itself) && !info.contains("loading:1") {
                Ok(None)
            } else {
                Err(info)
            }
        });
        self.process = Some(process);
        match ended {
            Ok(None) => Ok(()),
            Ok(Some(status)) => {
                let log = self.log_tail();
                let kind = if log.contains("Address already in use") {
                    ErrorKind::AddrInUse
                } else {
                    ErrorKind::Other
                };
                let message = format!("redis-server ended ({status}) before it was ready:\n{log}");
                Err(io::Error::new(kind, message))
            }
            Err(error) => Err(with_logs(error, [&*self])),
        }
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port.number()
    }

    /// The address as a URL, without the password.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port())
    }

    /// Whether the process runs: it was neither killed nor stopped.
    pub fn is_running(&self) -> bool {
        self.process.is_some() && !self.stopped
    }

    /// Sends a command with the server's password, on a connection of its own, and waits up to 30 s for the reply.
    ///
    /// # Errors
    ///
    /// As [`Connection::command`].
    pub fn command(&self, parts: &[&str]) -> io::Result<Value> {
        self.command_within(REPLY_LIMIT, parts)
    }

    fn command_within(&self, limit: Duration, parts: &[&str]) -> io::Result<Value> {
        let mut connection = Connection::open_within(self.port(), limit)?;
        if let Some(password) = &self.password {
            connection.command(&["AUTH", password])?;
        }
        connection.command(parts)
    }

    /// Kills the server (SIGKILL), as a crash would: what it held is lost unless it is persistent. A second call does
    /// nothing.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            // Both fail only if the process is gone already.
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Stops the process (SIGSTOP): its connections stay, and nothing is answered until [`RedisServer::cont`].
    ///
    /// # Errors
    ///
    /// If it was killed, or ended by itself.
    pub fn stop(&mut self) -> io::Result<()> {
        let pid = self.signal(Signal::STOP)?;
        self.stopped = true;
        // The signal was only sent; this returns when it has taken effect.
        let taken_effect = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(pid), taken_effect)?;
        Ok(())
    }

    /// Lets a stopped process go on (SIGCONT).
    ///
    /// # Errors
    ///
    /// As [`RedisServer::stop`].
    pub fn cont(&mut self) -> io::Result<()> {
        self.signal(Signal::CONT)?;
        self.stopped = false;
        Ok(())
    }

    fn signal(&self, signal: Signal) -> io::Result<Pid> {
        let Some(process) = &self.process else {
            return Err(io::Error::other("the server does not run"));
        };
        let pid = Pid::from_child(process);
        kill_process(pid, signal)?;
        Ok(pid)
    }

    /// Starts the server again on the same port, and returns once it takes commands: empty, or with what it wrote if it
    /// is persistent. It is killed first if it still runs.
    ///
    /// # Errors
    ///
    /// As [`RedisServer::start`].
    pub fn start_again(&mut self) -> io::Result<()> {
        self.kill();
        self.spawn()?;
        self.wait_until_ready()
    }

    /// The end of what the server logged, over all its lives.
    pub fn log_tail(&self) -> String {
        let log = fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
    }
}

impl RedisServer {
    /// Says why it is not a replica in step with this primary, if it is not.
    pub(super) fn follows(&self, primary: u16) -> io::Result<()> {
        let info = self.command(&["INFO", "replication"])?.text();
        let wanted = [
            "role:slave".to_owned(),
            format!("master_port:{primary}"),
            "master_link_status:up".to_owned(),
        ];
        if wanted.iter().all(|line| info.lines().any(|it| it == line)) {
            return Ok(());
        }
        let port = self.port();
        let message = format!("node {port} is not in step with {primary}: {info}");
        Err(io::Error::other(message))
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The error, with the logs of these servers.
pub(super) fn with_logs<'a>(
    error: io::Error,
    servers: impl IntoIterator<Item = &'a RedisServer>,
) -> io::Error {
    let mut message = error.to_string();
    for server in servers {
        let state = match (&server.process, server.stopped) {
            (None, _) => "killed",
            (Some(_), true) => "stopped",
            (Some(_), false) => "running",
        };
        // Writing to a string never fails.
        let _ = write!(
            message,
            "\n--- {} ({state}):\n{}",
            server.port(),
            server.log_tail()
        );
    }
    io::Error::new(error.kind(), message)
}

/// The server on this port.
pub(super) fn find(servers: &mut [RedisServer], port: u16) -> io::Result<&mut RedisServer> {
    servers
        .iter_mut()
        .find(|server| server.port() == port)
        .ok_or_else(|| io::Error::new(ErrorKind::NotFound, format!("no node has port {port}")))
}

/// The port that most of those asked name.
pub(super) fn named_by_most(asked: impl Iterator<Item = io::Result<u16>>) -> io::Result<u16> {
    let mut votes: BTreeMap<u16, usize> = BTreeMap::new();
    let mut last_error = io::Error::other("nobody runs who could tell");
    for named in asked {
        match named {
            Ok(port) => *votes.entry(port).or_default() += 1,
            Err(error) => last_error = error,
        }
    }
    let most = votes.into_iter().max_by_key(|(_, votes)| *votes);
    most.map(|(port, _)| port).ok_or(last_error)
}
