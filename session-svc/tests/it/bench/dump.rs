//! All that is stored, read from the file or the servers themselves.

use std::collections::BTreeMap;

use bytes::Bytes;
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use turnwise_session_svc::record;
use turnwise_testing::redis::{RedisServer, Value};

use super::Home;

/// What is stored under one name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Held {
    /// Field names, values, entries, members and scores, one after the other.
    pub bytes: Vec<u8>,
    /// Whether it goes by itself some time.
    pub expires: bool,
}

/// What is stored, by `PARTITION:NAME`. Leases of an embedded store are in no file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dump(pub BTreeMap<String, Held>);

impl Dump {
    /// What belongs to a tenant: its partitions, and what the installation has that holds its name.
    pub fn of_tenant(&self, tenant: &str) -> Self {
        let start = format!("{tenant}/");
        let holding = self.holding(tenant);
        self.only(|name| {
            name.starts_with(&start)
                || name.starts_with("/system:due:work:") && holding.contains(&name)
        })
    }

    pub fn only(&self, wanted: impl Fn(&str) -> bool) -> Self {
        let found = self.0.iter().filter(|(name, _)| wanted(name));
        Self(
            found
                .map(|(name, held)| (name.clone(), held.clone()))
                .collect(),
        )
    }

    pub fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// The names that hold this text, in themselves or in what is stored.
    pub fn holding(&self, text: &str) -> Vec<&str> {
        let text = text.as_bytes();
        let holds = |bytes: &[u8]| bytes.windows(text.len()).any(|part| part == text);
        let found = self
            .0
            .iter()
            .filter(|(name, held)| holds(name.as_bytes()) || holds(&held.bytes));
        found.map(|(name, _)| name.as_str()).collect()
    }
}

impl Home {
    /// Everything that is stored, of all tenants.
    pub fn dump(&self) -> Dump {
        if let Some(options) = self.embedded_options() {
            // What is acknowledged is on disk: a copy is what a crash in this moment would leave.
            let copy = tempfile::NamedTempFile::new().unwrap();
            std::fs::copy(&options.path, copy.path()).unwrap();
            return of_file(&Database::open(copy.path()).unwrap());
        }
        let mut dump = Dump::default();
        for server in self.primaries() {
            let keys = server.command(&["KEYS", "turnwise:*"]).unwrap();
            for key in keys.items().iter().map(Value::text) {
                let name = key.replacen("turnwise:{", "", 1).replacen('}', "", 1);
                let held = of_key(server, &key);
                if let Some(held) = held {
                    dump.0.insert(name, held);
                }
            }
        }
        dump
    }
}

fn of_file(database: &Database) -> Dump {
    const ROWS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");
    /// Rows of this kind say when a name expires; see the store's tables.
    const EXPIRY: u8 = 1;
    /// Before every value.
    const HEAD: usize = 5;
    let mut dump = Dump::default();
    let reading = database.begin_read().unwrap();
    for row in reading.open_table(ROWS).unwrap().iter().unwrap() {
        let (key, value) = row.unwrap();
        let (partition, rest) = part(key.value());
        let (name, rest) = part(rest);
        let held = dump.0.entry(format!("{partition}:{name}")).or_default();
        if rest[0] == EXPIRY {
            held.expires = true;
        } else {
            held.bytes.extend_from_slice(rest);
            // Without its checksum.
            held.bytes.extend(plain(&value.value()[HEAD..]));
        }
    }
    dump
}

/// A value as it was before it became a record: what was compressed holds its texts in other bytes.
fn plain(value: &[u8]) -> Bytes {
    // What is stored in part is a record within a record.
    let value = value
        .strip_prefix(&[3])
        .and_then(|record| record.get(4..))
        .unwrap_or(value);
    let value = Bytes::copy_from_slice(value);
    record::unstamp("value", &value).unwrap_or(value)
}

/// A part of a name, which a zero ends.
fn part(row: &[u8]) -> (&str, &[u8]) {
    let end = row.iter().position(|byte| *byte == 0).unwrap();
    (std::str::from_utf8(&row[..end]).unwrap(), &row[end + 1..])
}

fn of_key(server: &RedisServer, key: &str) -> Option<Held> {
    let kind = server.command(&["TYPE", key]).unwrap().text();
    let held = match kind.as_str() {
        "hash" => {
            let fields = server.command(&["HGETALL", key]).unwrap();
            let mut pairs: Vec<_> = fields.items().chunks(2).map(flat).collect();
            pairs.sort();
            pairs.concat()
        }
        "stream" => flat(&[server.command(&["XRANGE", key, "-", "+"]).unwrap()]),
        "zset" => flat(&[server
            .command(&["ZRANGE", key, "0", "-1", "WITHSCORES"])
            .unwrap()]),
        "string" => flat(&[server.command(&["GET", key]).unwrap()]),
        // It has run out in the meantime.
        "none" => return None,
        other => panic!("{key} is a {other}"),
    };
    let rest = server.command(&["PTTL", key]).unwrap().int().unwrap();
    Some(Held {
        bytes: held,
        expires: rest >= 0,
    })
}

fn flat(values: &[Value]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values {
        match value {
            Value::Bytes(text) => bytes.extend(plain(text)),
            Value::Array(values) => bytes.extend(flat(values)),
            other => bytes.extend(format!("{other:?}").bytes()),
        }
        bytes.push(b' ');
    }
    bytes
}
