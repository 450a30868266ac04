//! The names of a class, and the redaction of what its students write.

use std::{sync::Arc, time::Duration};

use moka::future::Cache;
use turnwise_proto::session::v1::ClassRoster;
use turnwise_redaction::{Roster, redact_with};
use turnwise_session_store::{Outcome, Partition, Read, Store, Transaction, Write};

use super::{Sessions, audit::Actor, fields::Reads, keys, threads::field};
use crate::{error::SessionError, record};

/// How long a replica may redact by a roster that another replica has replaced.
const FRESH: Duration = Duration::from_secs(15);
/// The most classes whose rosters are kept in memory.
const CLASSES: u64 = 10_000;

/// Rosters, read through a cache.
pub(super) struct Rosters {
    store: Arc<dyn Store>,
    cache: Cache<Partition, ClassRedactor>,
}

/// Redacts what students of one class write.
#[derive(Clone)]
pub struct ClassRedactor {
    roster: Roster,
}

impl ClassRedactor {
    /// The text without what identifies a person.
    pub fn redact(&self, text: &str) -> String {
        redact_with(text, &self.roster).into_owned()
    }
}

impl Rosters {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            cache: Cache::builder()
                .max_capacity(CLASSES)
                .time_to_live(FRESH)
                .build(),
        }
    }

    async fn names(&self, class: &Partition) -> Result<Vec<String>, SessionError> {
        let wanted = Transaction {
            reads: vec![Read::Fields {
                key: keys::roster(),
                fields: vec!["names".into()],
            }],
            ..Transaction::default()
        };
        let Outcome::Applied(applied) = self.store.transact(class, wanted).await? else {
            return Err(SessionError::Unavailable);
        };
        match Reads::new(applied.found).fields()?.take() {
            Some(bytes) => Ok(record::decode::<ClassRoster>("roster", &bytes)?.names),
            None => Ok(Vec::new()),
        }
    }
}

impl Sessions {
    /// What redacts the text of a class's students.
    pub(super) async fn roster(
        &self,
        tenant: &str,
        class_id: &str,
    ) -> Result<ClassRedactor, SessionError> {
        let rosters = &self.inner.rosters;
        let class = Partition::class(tenant, class_id);
        if let Some(found) = rosters.cache.get(&class).await {
            return Ok(found);
        }
        let names = rosters.names(&class).await?;
        // Names were checked when they were stored.
        let roster =
            Roster::new(&names).map_err(|_| SessionError::RecordCorrupted { record: "roster" })?;
        let made = ClassRedactor { roster };
        rosters.cache.insert(class, made.clone()).await;
        Ok(made)
    }

    /// Replaces the names of a class. Other replicas follow within fifteen seconds.
    pub async fn set_roster(
        &self,
        actor: &Actor,
        class_id: &str,
        names: Vec<String>,
    ) -> Result<(), SessionError> {
        let class = Partition::class(&actor.tenant, class_id);
        let facts = [("names", names.len().to_string())];
        let write = if names.is_empty() {
            Write::Remove {
                key: keys::roster(),
            }
        } else {
            Write::Put {
                key: keys::roster(),
                fields: vec![field("names", record::encode(&ClassRoster { names }))],
            }
        };
        self.apply(
            &class,
            Transaction {
                writes: vec![write],
                ..Transaction::default()
            },
        )
        .await?;
        self.inner.rosters.cache.invalidate(&class).await;
        self.audit(actor, "class-roster-set", class_id, facts)
            .await?;
        Ok(())
    }

    /// The names of a class.
    pub async fn get_roster(
        &self,
        tenant: &str,
        class_id: &str,
    ) -> Result<Vec<String>, SessionError> {
        let class = Partition::class(tenant, class_id);
        self.inner.rosters.names(&class).await
    }
}
