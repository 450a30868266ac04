//! What a class's teacher sets: the names that are redacted, the policy, and the courses in which a placement is begun.
//! Every turn needs them, so they are read through a cache; a change is news in the class's partition, which every replica
//! follows.

use std::{borrow::Cow, collections::HashSet, sync::Arc, time::Duration};

use bytes::Bytes;
use moka::future::Cache;
use tokio::sync::watch;
use turnwise_proto::{
    classes::v1::ClassPolicy,
    session::v1::{ClassRoster, SetClassPolicyResponse, SetClassRosterResponse},
};
use turnwise_redaction::{Roster, redact_with};
use turnwise_session_store::{Outcome, Partition, Read, Store, Transaction, Write};

use crate::{
    error::SessionError,
    record,
    sessions::{
        Idempotency, Sessions,
        audit::{Actor, Deed},
        fields::Reads,
        keys,
        threads::field,
    },
};

/// How long settings are used at most, even if no news of a change came: the nodes of a Redis Cluster can lose news on
/// the way to each other.
const FRESH: Duration = Duration::from_secs(300);
/// The most classes whose settings are kept in memory.
const CLASSES: u64 = 10_000;

/// Settings of classes, read through a cache.
pub(in crate::sessions) struct ClassSettings {
    store: Arc<dyn Store>,
    cache: Cache<Partition, Cached>,
}

#[derive(Clone)]
struct Cached {
    redactor: ClassRedactor,
    policy: ClassPolicy,
    placements: Arc<HashSet<String>>,
    /// Changes when the settings may have.
    news: watch::Receiver<u64>,
}

/// The settings of a class as they are stored.
struct Settings {
    names: Vec<String>,
    policy: ClassPolicy,
    /// The courses in which a placement is begun for the class.
    placements: HashSet<String>,
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

impl ClassSettings {
    pub(in crate::sessions) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            cache: Cache::builder()
                .max_capacity(CLASSES)
                .time_to_live(FRESH)
                .build(),
        }
    }

    async fn of(&self, tenant: &str, class_id: &str) -> Result<Cached, SessionError> {
        let class = Partition::class(tenant, class_id);
        if let Some(found) = self.cache.get(&class).await
            && !found.news.has_changed().unwrap_or(true)
        {
            return Ok(found);
        }
        let mut news = self.store.watch(&class, &keys::settings());
        // Marked before the settings are read: what comes later is news.
        news.borrow_and_update();
        let Settings {
            names,
            policy,
            placements,
        } = self.read(&class).await?;
        // Names were checked when they were stored.
        let roster =
            Roster::new(&names).map_err(|_| SessionError::RecordCorrupted { record: "roster" })?;
        let made = Cached {
            redactor: ClassRedactor { roster },
            policy,
            placements: Arc::new(placements),
            news,
        };
        self.cache.insert(class, made.clone()).await;
        Ok(made)
    }

    async fn read(&self, class: &Partition) -> Result<Settings, SessionError> {
        let fields = |key, name: &'static str| Read::Fields {
            key,
            fields: vec![name.into()],
        };
        let wanted = Transaction {
            reads: vec![
                fields(keys::roster(), "names"),
                fields(keys::class_policy(), "policy"),
                Read::Record {
                    key: keys::class_placements(),
                },
            ],
            ..Transaction::default()
        };
        let Outcome::Applied(applied) = self.store.transact(class, wanted).await? else {
            return Err(SessionError::Unavailable);
        };
        let mut reads = Reads::new(applied.found);
        let names = match reads.fields()?.take() {
            Some(bytes) => record::look::<ClassRoster>("roster", &bytes)?.names,
            None => Vec::new(),
        };
        let policy = match reads.fields()?.take() {
            Some(bytes) => record::look("class_policy", &bytes)?,
            None => ClassPolicy::default(),
        };
        let placements = reads.record()?.into_iter().map(|(course, _)| course);
        Ok(Settings {
            names,
            policy,
            placements: placements.collect(),
        })
    }
}

impl Sessions {
    /// What redacts the text of a class's students.
    pub(in crate::sessions) async fn roster(
        &self,
        tenant: &str,
        class_id: &str,
    ) -> Result<ClassRedactor, SessionError> {
        Ok(self.inner.classes.of(tenant, class_id).await?.redactor)
    }

    /// What a class's teacher decided, as turns have it that begin now, and whether a placement in the course is begun.
    pub(in crate::sessions) async fn decided_of_class(
        &self,
        tenant: &str,
        class_id: &str,
        course_id: &str,
    ) -> Result<(ClassPolicy, bool), SessionError> {
        let class = self.inner.classes.of(tenant, class_id).await?;
        Ok((class.policy, class.placements.contains(course_id)))
    }

    /// Whether a placement in a course is begun for one of these classes.
    pub async fn class_placement(
        &self,
        tenant: &str,
        class_ids: &[String],
        course_id: &str,
    ) -> Result<bool, SessionError> {
        for class_id in class_ids {
            let class = self.inner.classes.of(tenant, class_id).await?;
            if class.placements.contains(course_id) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Begins a placement in a course for a class.
    pub(super) async fn set_class_placement(
        &self,
        tenant: &str,
        class_id: &str,
        course_id: &str,
    ) -> Result<(), SessionError> {
        let write = Write::Put {
            key: keys::class_placements(),
            fields: vec![(Cow::Owned(course_id.to_owned()), Bytes::from_static(b"1"))],
        };
        self.set(tenant, class_id, write).await
    }

    /// Replaces the names of a class.
    pub async fn set_roster(
        &self,
        actor: &Actor,
        class_id: &str,
        names: Vec<String>,
        idempotency: &Idempotency,
    ) -> Result<(), SessionError> {
        let deed = Deed {
            kind: "class-roster-set",
            class_id,
            facts: vec![("names", names.len().to_string())],
            ..Deed::default()
        };
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
        let set = self.set(&actor.tenant, class_id, write);
        self.once(actor, idempotency, deed, async {
            set.await.map(|()| SetClassRosterResponse {})
        })
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
        Ok(self.inner.classes.read(&class).await?.names)
    }

    /// Replaces the policy of a class.
    pub async fn set_class_policy(
        &self,
        actor: &Actor,
        class_id: &str,
        policy: ClassPolicy,
        idempotency: &Idempotency,
    ) -> Result<(), SessionError> {
        let deed = Deed {
            kind: "class-policy-changed",
            class_id,
            facts: vec![
                ("strictness", policy.strictness().as_str_name().to_owned()),
                ("scope_mode", policy.scope_mode().as_str_name().to_owned()),
                (
                    "topic_filter",
                    policy.topic_filter().as_str_name().to_owned(),
                ),
                ("model_use", policy.model_use().as_str_name().to_owned()),
                ("exam_use", policy.exam_use().as_str_name().to_owned()),
                (
                    "drill_source",
                    policy.drill_source().as_str_name().to_owned(),
                ),
            ],
            ..Deed::default()
        };
        let write = Write::Put {
            key: keys::class_policy(),
            fields: vec![field("policy", record::encode(&policy))],
        };
        self.once(actor, idempotency, deed, async {
            self.knows_class_policy(&actor.tenant, class_id).await?;
            let set = self.set(&actor.tenant, class_id, write).await;
            set.map(|()| SetClassPolicyResponse {})
        })
        .await?;
        Ok(())
    }

    /// Refuses to replace a policy of which this version does not know everything.
    async fn knows_class_policy(&self, tenant: &str, class_id: &str) -> Result<(), SessionError> {
        let wanted = vec![Read::Fields {
            key: keys::class_policy(),
            fields: vec!["policy".into()],
        }];
        let class = Partition::class(tenant, class_id);
        let stored = self.read(&class, wanted).await?.fields()?.take();
        let known = stored.map(|bytes| record::decode::<ClassPolicy>("class_policy", &bytes));
        match known {
            Some(Err(error @ SessionError::SchemaTooNew { .. })) => Err(error),
            // A new one takes the place of one that is damaged.
            _ => Ok(()),
        }
    }

    /// The policy of a class.
    pub async fn get_class_policy(
        &self,
        tenant: &str,
        class_id: &str,
    ) -> Result<ClassPolicy, SessionError> {
        let class = Partition::class(tenant, class_id);
        Ok(self.inner.classes.read(&class).await?.policy)
    }

    /// Writes a setting and tells all replicas; this one has it at once.
    async fn set(&self, tenant: &str, class_id: &str, write: Write) -> Result<(), SessionError> {
        let class = Partition::class(tenant, class_id);
        let writes = vec![
            write,
            Write::Append {
                key: keys::settings(),
                entries: vec![Bytes::new()],
            },
            Write::Trim {
                key: keys::settings(),
                keep: 0,
            },
        ];
        self.write(&class, writes).await?;
        self.inner.classes.cache.invalidate(&class).await;
        Ok(())
    }
}
