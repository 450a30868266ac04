//! What a store lives in: a folder, or processes of Redis.

use std::{sync::Arc, time::Duration};

use tempfile::TempDir;
use turnwise_session_store::{
    Store,
    embedded::EmbeddedOptions,
    redis::{RedisOptions, RedisStore},
};
use turnwise_testing::redis::{Cluster, RedisServer, SentinelSet, ServerOptions, User, Value};

/// A kind of store. All of them pass the same suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Embedded,
    Redis,
    Sentinel,
    Cluster,
}

/// Where a store's data is, for as long as the value lives.
pub enum Home {
    Embedded(TempDir),
    /// One server, used as the user that deploy/ makes for this service.
    Redis(RedisServer),
    Sentinel(SentinelSet),
    Cluster(Cluster),
}

fn user() -> User {
    User::deployed("session").unwrap()
}

impl Home {
    pub fn start(kind: Kind) -> Self {
        match kind {
            Kind::Embedded => Self::Embedded(tempfile::tempdir().unwrap()),
            Kind::Redis => {
                let options = user().known_to(ServerOptions::default());
                Self::Redis(RedisServer::start_with(&options).unwrap())
            }
            Kind::Sentinel => Self::Sentinel(SentinelSet::start().unwrap()),
            Kind::Cluster => Self::Cluster(Cluster::start().unwrap()),
        }
    }

    /// The address, if it is Redis.
    pub fn address(&self) -> Option<String> {
        match self {
            Self::Embedded(_) => None,
            Self::Redis(server) => Some(user().url(server)),
            Self::Sentinel(set) => Some(set.url()),
            Self::Cluster(cluster) => Some(cluster.url()),
        }
    }

    pub fn embedded_options(&self) -> Option<EmbeddedOptions> {
        match self {
            Self::Embedded(directory) => Some(EmbeddedOptions {
                path: directory.path().join("data/session.redb"),
                fsync: true,
            }),
            _ => None,
        }
    }

    pub async fn open_redis(&self) -> Arc<dyn Store> {
        let options = RedisOptions::new(self.address().unwrap());
        Arc::new(RedisStore::open(&options).await.unwrap())
    }

    /// The servers that hold data and take writes.
    pub fn primaries(&self) -> Vec<&RedisServer> {
        let servers = match self {
            Self::Embedded(_) => &[],
            Self::Redis(server) => std::slice::from_ref(server),
            Self::Sentinel(set) => set.nodes(),
            Self::Cluster(cluster) => cluster.nodes(),
        };
        let is_primary = |server: &&RedisServer| {
            let role = server.command(&["ROLE"]).unwrap();
            role.items()[0].text() == "master"
        };
        servers.iter().filter(is_primary).collect()
    }

    /// Takes all data off the servers.
    pub fn clear(&self) {
        for server in self.primaries() {
            server.command(&["FLUSHALL"]).unwrap();
        }
    }

    /// Asks the server that holds this key.
    pub fn ask(&self, parts: &[&str]) -> Value {
        let primaries = self.primaries();
        let replies = primaries.iter().map(|server| server.command(parts));
        replies.flatten().next().expect("a server has the key")
    }

    /// The names of keys that match.
    pub fn keys(&self, pattern: &str) -> Vec<String> {
        let primaries = self.primaries();
        let found = primaries.iter().map(|server| {
            let found = server.command(&["KEYS", pattern]).unwrap();
            found.items().iter().map(Value::text).collect::<Vec<_>>()
        });
        found.flatten().collect()
    }

    /// Lets keys end so soon; each of them must be there.
    pub fn expire(&self, keys: &[String], rest: Duration) {
        let rest = rest.as_millis().to_string();
        for key in keys {
            let set = self.ask(&["PEXPIRE", key, &rest]);
            assert_eq!(set, Value::Int(1), "{key}");
        }
    }

    /// How long a key will be there; none: for ever.
    pub fn rest(&self, key: &str) -> Option<Duration> {
        let rest = self.ask(&["PTTL", key]).int().unwrap();
        u64::try_from(rest).ok().map(Duration::from_millis)
    }
}
