//! Where Redis is: the address of one server, of the sentinels of a set, or of some nodes of a cluster.

use std::fmt;

use redis::Value;

/// The port of a Redis server if the address names none.
const REDIS_PORT: u16 = 6379;
/// The port of a sentinel if the address names none.
const SENTINEL_PORT: u16 = 26379;

/// Redis cannot be opened. Nothing of its address, which may hold a password, is told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The address cannot be read.
    #[error("the address of Redis cannot be read: {problem}")]
    Address {
        /// What is wrong with it, and how one looks.
        problem: String,
    },
    /// A connection with TLS, and nobody vouches for the certificate at its other end.
    #[error(
        "the address of Redis begins with `rediss`, for TLS, but nobody vouches for its certificate; name the file of its authority (…_REDIS_CA_FILE), which may be this system's bundle"
    )]
    NoAuthority,
    /// An authority for a connection without TLS.
    #[error(
        "there is an authority for Redis's certificate, but the address does not begin with `rediss`, so nothing is encrypted; correct one of them"
    )]
    Plain,
    /// The server may throw away what must not be lost.
    #[error(
        "the Redis at {server} may throw away records when its memory is full (maxmemory-policy {policy}); set `maxmemory-policy noeviction` there, in its configuration and with CONFIG SET"
    )]
    Evicts {
        /// Which server.
        server: HostPort,
        /// Its policy.
        policy: String,
    },
}

/// A host and a port.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct HostPort {
    /// A name, or an address of version 4 or 6 without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl HostPort {
    /// The host and port that a server tells as two parts of a reply.
    pub fn told(host: &Value, port: &Value) -> Option<Self> {
        let port = match port {
            Value::Int(port) => u16::try_from(*port).ok()?,
            port => parse_text(port)?.parse().ok()?,
        };
        Some(Self {
            host: parse_text(host)?.to_owned(),
            port,
        })
    }
}

/// The text of a part of a reply.
pub(crate) fn parse_text(value: &Value) -> Option<&str> {
    match value {
        Value::BulkString(bytes) => std::str::from_utf8(bytes).ok(),
        Value::SimpleString(text) => Some(text),
        _ => None,
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// How servers are laid out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Layout {
    /// One server.
    Standalone(HostPort),
    /// A primary with replicas that sentinels watch under a name.
    Sentinel {
        sentinels: Vec<HostPort>,
        name: String,
    },
    /// A cluster, through some of its nodes.
    Cluster(Vec<HostPort>),
}

/// An address with what a connection needs besides the host.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) layout: Layout,
    /// Whether servers and sentinels are called with TLS.
    pub(crate) tls: bool,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) database: i64,
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    ///
    /// If it is none of the three forms. The message holds nothing of the address, which may hold a password.
    pub(crate) fn parse(text: &str) -> Result<Self, OpenError> {
        parse(text).map_err(|problem| OpenError::Address {
            problem: format!(
                "{problem}; write `redis://HOST:PORT/DATABASE`, \
                 `redis+sentinel://HOST:PORT,HOST:PORT/NAME` or `redis+cluster://HOST:PORT,HOST:PORT`, and `rediss` in place of `redis` for TLS"
            ),
        })
    }
}

fn parse(text: &str) -> Result<Address, &'static str> {
    let (scheme, rest) = text.split_once("://").ok_or("it has no scheme")?;
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    // A password may hold an `@` that was not written as `%40`.
    let (credentials, hosts) = match authority.rsplit_once('@') {
        Some((credentials, hosts)) => (Some(credentials), hosts),
        None => (None, authority),
    };
    let (user, password) = match credentials.map(|both| both.split_once(':').unwrap_or((both, "")))
    {
        Some((user, password)) => (decoded(user)?, decoded(password)?),
        None => (None, None),
    };
    let plain = scheme
        .strip_prefix("rediss")
        .map(|rest| format!("redis{rest}"));
    let (layout, database) = match plain.as_deref().unwrap_or(scheme) {
        "redis" => {
            let hosts = parse_hosts(hosts, REDIS_PORT)?;
            let [host] = hosts.try_into().map_err(|_| "one server is one host")?;
            (Layout::Standalone(host), path)
        }
        "redis+sentinel" => {
            let (name, database) = path.split_once('/').unwrap_or((path, ""));
            if name.is_empty() {
                return Err("the sentinels' name of the primary is missing");
            }
            let sentinels = parse_hosts(hosts, SENTINEL_PORT)?;
            let name = name.to_owned();
            (Layout::Sentinel { sentinels, name }, database)
        }
        "redis+cluster" => {
            if !path.is_empty() {
                return Err("a cluster has no databases");
            }
            (Layout::Cluster(parse_hosts(hosts, REDIS_PORT)?), "")
        }
        _ => return Err("its scheme is none of a Redis server's"),
    };
    let database = match database {
        "" => 0,
        number => number
            .parse()
            .ok()
            .filter(|number| *number >= 0)
            .ok_or("the database is no number")?,
    };
    Ok(Address {
        layout,
        tls: plain.is_some(),
        user,
        password,
        database,
    })
}

fn parse_hosts(list: &str, default_port: u16) -> Result<Vec<HostPort>, &'static str> {
    list.split(',')
        .map(|one| parse_host(one, default_port))
        .collect()
}

fn parse_host(text: &str, default_port: u16) -> Result<HostPort, &'static str> {
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':')),
        None => match text.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        },
    };
    if host.is_empty() || host.contains(['?', '#', ' ', '@']) {
        return Err("a host is missing or cannot be read");
    }
    let port = match port {
        Some(port) => port.parse().map_err(|_| "a port is no port number")?,
        None => default_port,
    };
    Ok(HostPort {
        host: host.to_owned(),
        port,
    })
}

/// A user or a password, with `%` escapes resolved; none if it is empty.
fn decoded(text: &str) -> Result<Option<String>, &'static str> {
    const PROBLEM: &str = "the user or the password cannot be read; write special signs as %XX";
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            let value = digit().zip(digit()).map(|(high, low)| high * 16 + low);
            let value = value.and_then(|value| u8::try_from(value).ok());
            bytes.push(value.ok_or(PROBLEM)?);
        } else {
            bytes.push(byte);
        }
    }
    let text = String::from_utf8(bytes).map_err(|_| PROBLEM)?;
    Ok((!text.is_empty()).then_some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str, port: u16) -> HostPort {
        HostPort {
            host: name.to_owned(),
            port,
        }
    }

    #[test]
    fn addresses_of_all_three_layouts_are_read() {
        let one = Address::parse("redis://u:p%40%2f%3a@h:7/3").unwrap();
        assert_eq!(one.layout, Layout::Standalone(host("h", 7)));
        assert_eq!(one.user.as_deref(), Some("u"));
        assert_eq!(one.password.as_deref(), Some("p@/:"));
        assert_eq!(one.database, 3);

        let set = Address::parse("redis+sentinel://:pw@a,b:9,[::1]:8/main/2").unwrap();
        assert_eq!(
            set.layout,
            Layout::Sentinel {
                sentinels: vec![host("a", SENTINEL_PORT), host("b", 9), host("::1", 8)],
                name: "main".to_owned(),
            }
        );
        assert_eq!((set.user, set.password.as_deref()), (None, Some("pw")));
        assert_eq!(set.database, 2);

        let cluster = Address::parse("redis+cluster://a:1,b").unwrap();
        assert_eq!(
            cluster.layout,
            Layout::Cluster(vec![host("a", 1), host("b", REDIS_PORT)])
        );
        assert_eq!((cluster.user, cluster.password), (None, None));

        for (text, plain) in [
            ("rediss://u:pw@h:7/3", "redis://u:pw@h:7/3"),
            ("rediss+sentinel://a,b/main", "redis+sentinel://a,b/main"),
            ("rediss+cluster://a,b", "redis+cluster://a,b"),
        ] {
            let (encrypted, plain) = (
                Address::parse(text).unwrap(),
                Address::parse(plain).unwrap(),
            );
            assert!(encrypted.tls && !plain.tls);
            assert!(
                Address {
                    tls: false,
                    ..encrypted
                } == plain,
                "{text}"
            );
        }
    }

    #[test]
    fn an_address_that_cannot_be_read_is_refused_without_its_password() {
        for text in [
            "h:1",
            "http://:hunter2@h",
            "redisss://:hunter2@h",
            "redis://:hunter2@a,b",
            "redis://:hunter2@",
            "redis://:hunter2@h:port",
            "redis://:hunter2@h:99999",
            "redis://:hunter2@h/-1",
            "redis://:hunter2@h/one",
            "redis://:hunter2@h?x=1",
            "redis://:hunter2%zz@h",
            "redis://:hunter2%ff@h",
            "redis+sentinel://:hunter2@h",
            "redis+sentinel://:hunter2@h/",
            "redis+cluster://:hunter2@h/1",
        ] {
            let Err(error) = Address::parse(text) else {
                panic!("{text} was read");
            };
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("hunter2"), "{shown}");
        }
    }
}
