//! Going through all that one server holds of the store.

use std::collections::BTreeSet;

use futures_util::{StreamExt, TryStreamExt, stream};
use turnwise_redis::{cmd, from_redis_value};

use super::{RedisStore, failure::Failure};
use crate::{
    Found, Key, Outcome, Partition, Read, Store, StoreError, Transaction, inventory::Named,
};

/// How many names the server is asked for at a time.
const PAGE: usize = 1000;
/// How many names are read at a time.
const SIDE_BY_SIDE: usize = 64;
/// The end of every log and ranking.
const ALL: usize = usize::MAX >> 1;

/// What a name stands for, as Redis calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Hash,
    Stream,
    Zset,
}

impl RedisStore {
    /// Shows every name of the server, ordered by partition and name; of a cluster those of one node alone. What is written
    /// meanwhile may be shown or not. Names of other services on the server are shown as well.
    ///
    /// # Errors
    ///
    /// The server does not answer.
    pub async fn inventory(&self, visit: &mut (dyn FnMut(Named) + Send)) -> Result<(), StoreError> {
        let mut names = BTreeSet::new();
        for kind in [Kind::Hash, Kind::Stream, Kind::Zset] {
            self.names(kind, &mut names).await?;
        }
        let mut shown = stream::iter(names)
            .map(|(partition, key, kind)| self.named(Partition(partition), Key::new(key), kind))
            .buffered(SIDE_BY_SIDE);
        while let Some(named) = shown.try_next().await? {
            named.into_iter().for_each(&mut *visit);
        }
        Ok(())
    }

    /// Collects the names of a kind.
    async fn names(
        &self,
        kind: Kind,
        names: &mut BTreeSet<(String, String, Kind)>,
    ) -> Result<(), StoreError> {
        let name = match kind {
            Kind::Hash => "hash",
            Kind::Stream => "stream",
            Kind::Zset => "zset",
        };
        let mut cursor = 0_u64;
        loop {
            let mut scan = cmd("SCAN");
            scan.arg(cursor).arg("MATCH").arg("turnwise:{*}:*");
            scan.arg("COUNT").arg(PAGE).arg("TYPE").arg(name);
            let answer = self.redis.send("", vec![scan]).await;
            let answer = answer.map_err(|failure| Failure::Redis(failure).kind())?;
            let page = answer.into_iter().next().ok_or(StoreError::Corrupted)?;
            let page = from_redis_value::<(u64, Vec<String>)>(page);
            let (next, found) = page.map_err(|_| StoreError::Corrupted)?;
            for full in found {
                let parts = full.strip_prefix("turnwise:{");
                if let Some((partition, key)) = parts.and_then(|rest| rest.split_once("}:")) {
                    names.insert((partition.to_owned(), key.to_owned(), kind));
                }
            }
            cursor = next;
            if cursor == 0 {
                return Ok(());
            }
        }
    }

    /// What stands under a name; nothing if it is gone by now.
    async fn named(
        &self,
        partition: Partition,
        key: Key,
        kind: Kind,
    ) -> Result<Option<Named>, StoreError> {
        let of = key.clone();
        let read = match kind {
            Kind::Hash => Read::Record { key: of },
            Kind::Stream => Read::LogAfter {
                key: of,
                after: 0,
                limit: ALL,
            },
            Kind::Zset => Read::Lowest {
                key: of,
                from: i64::MIN,
                to: i64::MAX,
                limit: ALL,
            },
        };
        let transaction = Transaction {
            reads: vec![read],
            ..Transaction::default()
        };
        let found = match self.transact(&partition, transaction).await? {
            Outcome::Applied(applied) => applied.found.into_iter().next(),
            Outcome::Refused(_) => None,
        };
        let is_there = |found: &Found| match found {
            Found::Record(fields) => !fields.is_empty(),
            Found::Entries(entries) => !entries.is_empty(),
            Found::Members(members) => !members.is_empty(),
            Found::Fields(_) => false,
        };
        Ok(found.filter(is_there).map(|found| Named {
            partition,
            key,
            found,
        }))
    }
}
