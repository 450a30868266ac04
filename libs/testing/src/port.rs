//! Ports of this machine that no other fixture takes, of this process or another, even while their server is down.

use std::{
    collections::hash_map::RandomState,
    env,
    fs::{self, File},
    hash::{BuildHasher, Hasher},
    io::{self, ErrorKind},
    net::{Ipv4Addr, TcpListener},
    ops::Range,
};

/// The ports to choose from. They and their twins lie below the range from which systems usually take ports for
/// outgoing connections and for listeners on port 0.
const CHOICE: Range<u16> = 11_000..21_000;
/// From a port to its twin. Redis Cluster's nodes talk to each other on it.
const TWIN: u16 = 10_000;
/// How often a fixture is started anew when somebody else takes one of its ports after all.
const STARTS: u32 = 5;

/// A port of 127.0.0.1 whose twin, 10,000 higher, is free too. It is kept for as long as the value lives.
#[derive(Debug)]
pub struct ReservedPort {
    number: u16,
    /// Locked. The system lets the lock go when the process ends, however it ends.
    _lock: File,
}

impl ReservedPort {
    /// A port that was free a moment ago.
    ///
    /// # Errors
    ///
    /// If no port is free, or if the directory of the locks cannot be made.
    pub fn new() -> io::Result<Self> {
        let user = rustix::process::getuid();
        let locks = env::temp_dir().join(format!("turnwise-test-ports-{user}"));
        fs::create_dir_all(&locks)?;
        let choices = CHOICE.len() as u64;
        let first = RandomState::new().build_hasher().finish() % choices;
        let ports = CHOICE.cycle().skip(first as usize).take(CHOICE.len());
        for number in ports {
            let lock = File::create(locks.join(number.to_string()))?;
            if lock.try_lock().is_ok() && is_free(number) && is_free(number + TWIN) {
                return Ok(Self {
                    number,
                    _lock: lock,
                });
            }
        }
        Err(io::Error::new(
            ErrorKind::AddrInUse,
            format!("none of the ports {CHOICE:?} of 127.0.0.1 is free"),
        ))
    }

    /// The port's number.
    pub fn number(&self) -> u16 {
        self.number
    }
}

fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// Starts something, and starts it anew on other ports if it finds a port taken.
pub(crate) fn with_free_ports<T>(mut start: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut starts = 1;
    loop {
        match start() {
            Err(error) if error.kind() == ErrorKind::AddrInUse && starts < STARTS => starts += 1,
            result => return result,
        }
    }
}
