//! A real redis-server on a free port of this machine, gone when the value is dropped.

use std::io::{self, BufRead, BufReader, ErrorKind};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;

use tempfile::TempDir;

/// How often another port is tried when somebody else takes the one that was free a moment before.
const PORT_TRIES: u32 = 5;

/// A running redis-server without persistence.
#[derive(Debug)]
pub struct RedisServer {
    port: u16,
    process: Option<Child>,
    directory: TempDir,
}

impl RedisServer {
    /// Starts a server and returns once it takes connections.
    ///
    /// # Errors
    ///
    /// If there is no `redis-server` on the PATH (the message says how to get one), or if it ends before it is ready
    /// (the message holds what it wrote).
    pub fn start() -> io::Result<Self> {
        let directory = tempfile::tempdir()?;
        let mut tries = 1;
        loop {
            let port = free_port()?;
            match spawn(port, &directory) {
                Ok(process) => {
                    return Ok(Self {
                        port,
                        process: Some(process),
                        directory,
                    });
                }
                Err(error) if error.kind() == ErrorKind::AddrInUse && tries < PORT_TRIES => {
                    tries += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address as a URL.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Ends the server at once, as a crash would: what it held is lost. A second call does nothing.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            // Both fail only if the process is gone already.
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Starts the server again on the same port, empty.
    ///
    /// # Errors
    ///
    /// As [`RedisServer::start`].
    pub fn start_again(&mut self) -> io::Result<()> {
        self.kill();
        self.process = Some(spawn(self.port, &self.directory)?);
        Ok(())
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
}

fn spawn(port: u16, directory: &TempDir) -> io::Result<Child> {
    let mut process = Command::new("redis-server")
        .args(["--port", &port.to_string()])
        .args(["--bind", "127.0.0.1"])
        .args(["--save", ""])
        .args(["--appendonly", "no"])
        .args(["--maxmemory-policy", "noeviction"])
        .arg("--dir")
        .arg(directory.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => io::Error::new(
                ErrorKind::NotFound,
                "this test needs a redis-server on the PATH; get one with `apt-get install redis-server`",
            ),
            _ => error,
        })?;
    let ready = match process.stdout.take() {
        Some(output) => wait_until_ready(output),
        None => Err(io::Error::other("redis-server has no standard output")),
    };
    if let Err(error) = ready {
        let _ = process.kill();
        let _ = process.wait();
        return Err(error);
    }
    Ok(process)
}

/// Reads the server's log until it says that it is ready, and goes on reading in the background, so that the server
/// never waits for somebody to read.
fn wait_until_ready(output: ChildStdout) -> io::Result<()> {
    let mut lines = BufReader::new(output).lines();
    let mut log = String::new();
    for line in lines.by_ref() {
        let line = line?;
        if line.contains("Ready to accept connections") {
            thread::spawn(move || lines.for_each(drop));
            return Ok(());
        }
        log.push_str(&line);
        log.push('\n');
    }
    let kind = if log.contains("Address already in use") {
        ErrorKind::AddrInUse
    } else {
        ErrorKind::Other
    };
    Err(io::Error::new(
        kind,
        format!("redis-server ended before it was ready:\n{log}"),
    ))
}
