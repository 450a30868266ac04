//! Calls for help. An alert is written into its class's partition before what belongs to it is committed, under an id that
//! the same call makes again: none is lost, and none comes twice.

use bytes::Bytes;
use sha2::{Digest, Sha256};
use turnwise_kit::time;
use turnwise_proto::{
    classes::v1::{AlertFilter, SafeguardingAlert},
    session::v1::{AcknowledgeAlertResponse, NewAlert},
};
use turnwise_session_store::{Check, Outcome, Partition, Read, StudentKey, Transaction, Write};

use crate::{
    error::SessionError,
    record,
    sessions::{
        END, Idempotency, Sessions,
        audit::{Actor, Deed},
        cursor::Cursor,
        fence::Since,
        keys, millis,
        outbox::{self, News, Stream},
        threads::field,
    },
};

/// Changes that are kept for watchers who come back.
const CHANGES_KEPT: usize = 1000;
/// Alerts raised in the same millisecond that one page can still tell apart.
const TIES: usize = 64;
/// The kind of what tells that an alert was taken care of.
const ACKNOWLEDGED: &str = "alert-acknowledged";

/// A page of alerts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlertPage {
    /// Newest first.
    pub alerts: Vec<SafeguardingAlert>,
    /// Where the next page goes on; none after the last.
    pub before: Option<Cursor>,
}

/// How an alert is ranked: an erasure finds a student's by the beginning.
fn member(student_id: &str, alert_id: &str) -> String {
    format!("{student_id}/{alert_id}")
}

/// The id of the alert of a call; the same call makes it again.
fn alert_id(student: &StudentKey, thread_id: &str, call: &Idempotency, place: i64) -> String {
    let mut hash = Sha256::new();
    for part in [&student.tenant, &student.student, thread_id, &call.key] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    // A key may come again for another call once its answer is forgotten, and an alert outlives that.
    hash.update(&call.body_hash);
    hash.update(place.to_be_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    uuid::Builder::from_random_bytes(bytes)
        .into_uuid()
        .to_string()
}

impl Sessions {
    /// Raises an alert; one that was raised before stays as it is.
    pub(in crate::sessions) async fn raise(
        &self,
        student: &StudentKey,
        class_id: &str,
        thread_id: &str,
        (call, place): (&Idempotency, i64),
        new: &NewAlert,
        since: Since,
    ) -> Result<(), SessionError> {
        let now = self.now();
        let alert = SafeguardingAlert {
            alert_id: alert_id(student, thread_id, call, place),
            class_id: class_id.to_owned(),
            student_id: student.student.clone(),
            thread_id: thread_id.to_owned(),
            turn_id: new.turn_id.clone(),
            kind: new.kind,
            uncertain: new.uncertain,
            create_time: Some(time::to_proto(now)),
            ..SafeguardingAlert::default()
        };
        let kept = self.limits().thread_retention;
        let long_ago = now.as_millisecond().saturating_sub(millis(kept));
        let (key, member) = (
            keys::alert(&alert.alert_id),
            member(&alert.student_id, &alert.alert_id),
        );
        let mut writes = vec![
            Write::Put {
                key: key.clone(),
                fields: vec![field("alert", record::encode(&alert))],
            },
            Write::Expire {
                key: key.clone(),
                after: kept,
            },
        ];
        for ranking in [keys::alerts(), keys::open_alerts()] {
            writes.push(Write::UnrankUpTo {
                key: ranking.clone(),
                score: long_ago,
            });
            writes.push(Write::Rank {
                key: ranking,
                member: member.clone(),
                score: now.as_millisecond(),
            });
        }
        writes.extend(changed(&alert.alert_id));
        let told = self.told_of(&student.tenant, &alert, outbox::RAISED);
        writes.extend(told.await?);
        let transaction = Transaction {
            checks: vec![
                Check::Absent {
                    key,
                    tell: Vec::new(),
                },
                self.not_erased_since(student, since).await?,
            ],
            writes,
            reads: Vec::new(),
        };
        let class = Partition::class(&student.tenant, class_id);
        match self.transact(&class, transaction).await? {
            Outcome::Applied(_) => self.inner.metrics.raised(&alert),
            Outcome::Refused(refused) if refused.check == 1 => {
                return Err(SessionError::TurnErased);
            }
            Outcome::Refused(_) => {}
        }
        Ok(())
    }

    /// A page of a class's alerts, newest first.
    pub async fn list_alerts(
        &self,
        tenant: &str,
        class_id: &str,
        filter: AlertFilter,
        before: Option<Cursor>,
        limit: usize,
    ) -> Result<AlertPage, SessionError> {
        let class = Partition::class(tenant, class_id);
        let wanted = vec![Read::Highest {
            key: match filter {
                AlertFilter::All => keys::alerts(),
                AlertFilter::Unspecified | AlertFilter::Open => keys::open_alerts(),
            },
            from: 0,
            to: before.as_ref().map_or(END, |before| before.score),
            limit: limit + TIES + 1,
        }];
        let mut members = self.read(&class, wanted).await?.members()?;
        if let Some(before) = &before {
            members.retain(|(id, score)| {
                (*score, id.as_str()) < (before.score, before.member.as_str())
            });
        }
        let more = members.len() > limit;
        members.truncate(limit);
        let before = members.last().filter(|_| more).map(|(id, score)| Cursor {
            score: *score,
            member: id.clone(),
        });
        let ids = members.iter().filter_map(|(id, _)| id.split_once('/'));
        let alerts = self.alerts(&class, ids.map(|(_, id)| id)).await?;
        Ok(AlertPage { alerts, before })
    }

    /// The alerts of these ids, without those that are gone.
    pub(super) async fn alerts(
        &self,
        class: &Partition,
        ids: impl Iterator<Item = &str>,
    ) -> Result<Vec<SafeguardingAlert>, SessionError> {
        let wanted: Vec<_> = ids.map(read).collect();
        let count = wanted.len();
        let mut reads = self.read(class, wanted).await?;
        let mut alerts = Vec::with_capacity(count);
        for _ in 0..count {
            if let Some(bytes) = reads.fields()?.take() {
                alerts.push(record::decode("alert", &bytes)?);
            }
        }
        Ok(alerts)
    }

    /// Notes who has taken care of an alert; the first stays named.
    pub async fn acknowledge_alert(
        &self,
        actor: &Actor,
        class_id: &str,
        alert_id: &str,
        idempotency: &Idempotency,
    ) -> Result<SafeguardingAlert, SessionError> {
        let class = Partition::class(&actor.tenant, class_id);
        let found = self.alert(&class, alert_id).await?;
        if !found.acknowledged_by.is_empty() {
            return Ok(found);
        }
        let deed = Deed {
            kind: ACKNOWLEDGED,
            class_id,
            facts: vec![("alert", alert_id.to_owned())],
            ..Deed::default()
        };
        self.once(actor, idempotency, deed, self.take_on(&class, actor, found))
            .await?;
        self.alert(&class, alert_id).await
    }

    async fn take_on(
        &self,
        class: &Partition,
        actor: &Actor,
        found: SafeguardingAlert,
    ) -> Result<AcknowledgeAlertResponse, SessionError> {
        let alert = SafeguardingAlert {
            acknowledged_by: actor.id.clone(),
            acknowledge_time: Some(time::to_proto(self.now())),
            ..found.clone()
        };
        let key = keys::alert(&alert.alert_id);
        let mut writes = vec![
            Write::Put {
                key: key.clone(),
                fields: vec![field("alert", record::encode(&alert))],
            },
            Write::Unrank {
                key: keys::open_alerts(),
                members: vec![member(&alert.student_id, &alert.alert_id)],
            },
        ];
        writes.extend(changed(&alert.alert_id));
        let told = self.told_of(&actor.tenant, &alert, ACKNOWLEDGED);
        writes.extend(told.await?);
        let transaction = Transaction {
            checks: vec![Check::FieldIs {
                key,
                field: "alert",
                value: Some(record::encode(&found)),
                tell: vec!["alert"],
            }],
            writes,
            reads: Vec::new(),
        };
        // Refused, somebody else was first, or it is gone. What is kept for a retry names no student.
        self.transact(class, transaction).await?;
        Ok(AcknowledgeAlertResponse { alert: None })
    }

    /// The event that tells a platform of an alert; its stream is entered at once. The alert itself is read when the event
    /// is sent.
    async fn told_of(
        &self,
        tenant: &str,
        alert: &SafeguardingAlert,
        kind: &str,
    ) -> Result<[Write; 5], SessionError> {
        let pseudonym = self.pseudonym(tenant, &alert.student_id).await?;
        let stream = Stream::alert(tenant, &alert.class_id, &pseudonym);
        self.announce(&stream).await?;
        Ok(stream.append(News {
            kind,
            created: self.now_millis(),
            subject: format!("{}{}", outbox::ALERT, alert.alert_id),
            data: String::new(),
        }))
    }

    async fn alert(
        &self,
        class: &Partition,
        alert_id: &str,
    ) -> Result<SafeguardingAlert, SessionError> {
        let found = self.alerts(class, [alert_id].into_iter()).await?.pop();
        found.ok_or_else(|| SessionError::UnknownAlert {
            alert_id: alert_id.to_owned(),
        })
    }

    /// Removes a student's alerts from a class.
    pub(in crate::sessions) async fn forget_alerts(
        &self,
        student: &StudentKey,
        class_id: &str,
    ) -> Result<(), SessionError> {
        let class = &Partition::class(&student.tenant, class_id);
        let wanted = vec![Read::Lowest {
            key: keys::alerts(),
            from: 0,
            to: END,
            limit: usize::MAX >> 1,
        }];
        let members = self.read(class, wanted).await?.members()?;
        let of_student = |member: &String| {
            member
                .split_once('/')
                .is_some_and(|(id, _)| id == student.student)
        };
        let members: Vec<String> = members
            .into_iter()
            .map(|(id, _)| id)
            .filter(of_student)
            .collect();
        if members.is_empty() {
            return Ok(());
        }
        let ids = members.iter().filter_map(|member| member.split_once('/'));
        let mut writes: Vec<_> = ids
            .map(|(_, id)| Write::Remove {
                key: keys::alert(id),
            })
            .collect();
        let pseudonym = self.pseudonym(&student.tenant, &student.student).await?;
        writes.extend(Stream::alert(&student.tenant, class_id, &pseudonym).forget());
        for key in [keys::alerts(), keys::open_alerts()] {
            writes.push(Write::Unrank {
                key,
                members: members.clone(),
            });
        }
        self.apply(
            class,
            Transaction {
                writes,
                ..Transaction::default()
            },
        )
        .await?;
        Ok(())
    }
}

fn read(alert_id: &str) -> Read {
    Read::Fields {
        key: keys::alert(alert_id),
        fields: vec!["alert".into()],
    }
}

/// Notes that an alert has changed.
fn changed(alert_id: &str) -> [Write; 2] {
    [
        Write::Append {
            key: keys::alert_changes(),
            entries: vec![Bytes::from(alert_id.to_owned())],
        },
        Write::Trim {
            key: keys::alert_changes(),
            keep: CHANGES_KEPT,
        },
    ]
}
