//! Just enough of a Redis client to ask a server something.

use std::{
    io::{self, BufRead, BufReader, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    time::Duration,
};

/// How long a connection waits for a reply. Longer than any command of a test is meant to block.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// No value.
    Nil,
    /// A number.
    Int(i64),
    /// A status or a string.
    Bytes(Vec<u8>),
    /// Several values.
    Array(Vec<Value>),
    /// An error inside an array, as `EXEC` has them. An error by itself is the command's error.
    Error(String),
}

impl Value {
    /// The number, if this is one.
    pub fn int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The text of a status or a string; empty for everything else. Bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        match self {
            Self::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            _ => String::new(),
        }
    }

    /// The values of an array; none for everything else.
    pub fn items(&self) -> &[Value] {
        match self {
            Self::Array(values) => values,
            _ => &[],
        }
    }
}

/// A connection to a server, for commands that have to go the same way, as a write and its `WAIT`.
#[derive(Debug)]
pub struct Connection(BufReader<TcpStream>);

impl Connection {
    /// Connects to the server on this port of 127.0.0.1. Each step from now on may take 30 s.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached.
    pub fn open(port: u16) -> io::Result<Self> {
        Self::open_within(port, PATIENCE)
    }

    /// As [`Connection::open`], with another time-out for each step.
    pub(super) fn open_within(port: u16, limit: Duration) -> io::Result<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let stream = TcpStream::connect_timeout(&address, limit)?;
        stream.set_read_timeout(Some(limit))?;
        stream.set_write_timeout(Some(limit))?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Sends a command and waits for the reply.
    ///
    /// # Errors
    ///
    /// If the server does not reply in time, or if its reply is an error: then the message is the server's, beginning
    /// with its code (`READONLY`, `NOREPLICAS`, `MOVED`).
    pub fn command(&mut self, parts: &[&str]) -> io::Result<Value> {
        let mut request = format!("*{}\r\n", parts.len());
        for part in parts {
            request.push_str(&format!("${}\r\n{part}\r\n", part.len()));
        }
        self.0.get_mut().write_all(request.as_bytes())?;
        self.read()
    }

    /// Waits for the next reply: after `MONITOR` there are many.
    pub(super) fn read(&mut self) -> io::Result<Value> {
        match read_value(&mut self.0)? {
            Value::Error(message) => Err(io::Error::other(message)),
            value => Ok(value),
        }
    }
}

/// Sends a command to the server on this port of 127.0.0.1, on a connection of its own, and waits up to 30 s for the
/// reply.
///
/// # Errors
///
/// As [`Connection::open`] and [`Connection::command`].
pub fn command(port: u16, parts: &[&str]) -> io::Result<Value> {
    Connection::open(port)?.command(parts)
}

fn read_value(stream: &mut impl BufRead) -> io::Result<Value> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let malformed = || io::Error::other(format!("no reply of a Redis server: {line:?}"));
    let rest = line.strip_suffix("\r\n").ok_or_else(malformed)?;
    let kind = rest.chars().next().ok_or_else(malformed)?;
    let rest = rest.get(1..).ok_or_else(malformed)?;
    let number = || rest.parse::<i64>().map_err(|_| malformed());
    Ok(match kind {
        '+' => Value::Bytes(rest.as_bytes().to_vec()),
        '-' => Value::Error(rest.to_owned()),
        ':' => Value::Int(number()?),
        '$' => match usize::try_from(number()?) {
            Ok(length) => {
                let mut bytes = vec![0; length + 2];
                stream.read_exact(&mut bytes)?;
                bytes.truncate(length);
                Value::Bytes(bytes)
            }
            Err(_) => Value::Nil,
        },
        '*' => match usize::try_from(number()?) {
            Ok(length) => Value::Array(
                (0..length)
                    .map(|_| read_value(stream))
                    .collect::<io::Result<_>>()?,
            ),
            Err(_) => Value::Nil,
        },
        _ => return Err(malformed()),
    })
}
