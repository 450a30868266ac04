//! Calls for help. An alert is written into its class's partition before what belongs to it is committed, under an id that
//! the same call makes again: none is lost, and none comes twice.

use bytes::Bytes;
use sha2::{Digest, Sha256};
use turnwise_kit::time;
use turnwise_proto::{
    classes::v1::{AlertFilter, AlertKind, SafeguardingAlert},
    session::v1::{AcknowledgeAlertResponse, NewAlert},
    tutor::v1::SessionStatus,
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
        fields::decimal,
        keys, millis,
        outbox::{self, News, Stream},
        threads::field,
    },
};

/// Changes that are kept for watchers who come back.
const CHANGES_KEPT: usize = 1000;
/// Alerts raised in the same millisecond that one page can still tell apart.
const TIES: usize = 64;
/// What tells that an alert, or an escalation, was taken care of.
const ACKNOWLEDGED: [&str; 2] = ["alert-acknowledged", "escalation-resolved"];

/// An alert to raise.
pub(in crate::sessions) struct Raised<'a> {
    pub(in crate::sessions) turn_id: &'a str,
    pub(in crate::sessions) kind: AlertKind,
    pub(in crate::sessions) uncertain: bool,
    pub(in crate::sessions) document_id: &'a str,
}

impl<'a> From<&'a NewAlert> for Raised<'a> {
    fn from(new: &'a NewAlert) -> Self {
        Self {
            turn_id: &new.turn_id,
            kind: new.kind(),
            uncertain: new.uncertain,
            document_id: "",
        }
    }
}

/// Whether a person was asked to step in, which is listed and told apart from calls for help.
fn is_handoff(alert: &SafeguardingAlert) -> bool {
    alert.kind() == AlertKind::Handoff
}

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
        new: Raised<'_>,
        since: Since,
    ) -> Result<(), SessionError> {
        let now = self.now();
        let alert = SafeguardingAlert {
            alert_id: alert_id(student, thread_id, call, place),
            class_id: class_id.to_owned(),
            student_id: student.student.clone(),
            thread_id: thread_id.to_owned(),
            turn_id: new.turn_id.to_owned(),
            kind: new.kind.into(),
            uncertain: new.uncertain,
            document_id: new.document_id.to_owned(),
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
        for ranking in keys::alerts(is_handoff(&alert)) {
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
        let told = self.told_of(
            &student.tenant,
            &alert,
            outbox::RAISED[usize::from(is_handoff(&alert))],
        );
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
        (handoffs, filter): (bool, AlertFilter),
        before: Option<Cursor>,
        limit: usize,
    ) -> Result<AlertPage, SessionError> {
        let class = Partition::class(tenant, class_id);
        let [all, open] = keys::alerts(handoffs);
        let wanted = vec![Read::Highest {
            key: match filter {
                AlertFilter::All => all,
                AlertFilter::Unspecified | AlertFilter::Open => open,
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
                alerts.push(record::look("alert", &bytes)?);
            }
        }
        Ok(alerts)
    }

    /// Notes who has taken care of an alert; the first stays named. After a hand-off the thread is the tutor's alone again.
    pub async fn acknowledge_alert(
        &self,
        actor: &Actor,
        class_id: &str,
        (handoff, alert_id): (bool, &str),
        idempotency: &Idempotency,
    ) -> Result<SafeguardingAlert, SessionError> {
        let class = Partition::class(&actor.tenant, class_id);
        let found = self.alert(&class, alert_id).await?;
        if is_handoff(&found) != handoff {
            return Err(unknown(alert_id));
        }
        if !found.acknowledged_by.is_empty() {
            return Ok(found);
        }
        let deed = Deed {
            kind: ACKNOWLEDGED[usize::from(handoff)],
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
        let handoff = is_handoff(&found);
        if handoff {
            // Before it is noted: a call that breaks off between is sent again.
            self.end_handoff(&actor.tenant, &found).await?;
        }
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
                key: keys::alerts(handoff)[1].clone(),
                members: vec![member(&alert.student_id, &alert.alert_id)],
            },
        ];
        writes.extend(changed(&alert.alert_id));
        let told = self.told_of(&actor.tenant, &alert, ACKNOWLEDGED[usize::from(handoff)]);
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

    /// Makes the thread of a hand-off active; nothing where it is gone.
    async fn end_handoff(
        &self,
        tenant: &str,
        alert: &SafeguardingAlert,
    ) -> Result<(), SessionError> {
        let student = StudentKey {
            tenant: tenant.to_owned(),
            student: alert.student_id.clone(),
        };
        let thread = keys::thread(&alert.thread_id);
        let transaction = Transaction {
            checks: vec![Check::Present {
                key: thread.clone(),
            }],
            writes: vec![Write::Put {
                key: thread,
                fields: vec![field(
                    "status",
                    decimal((SessionStatus::Active as i32).into()),
                )],
            }],
            reads: Vec::new(),
        };
        let partition = self.partition(&student).await?;
        self.transact(&partition, transaction).await.map(drop)
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

    /// An alert that may be written again.
    async fn alert(
        &self,
        class: &Partition,
        alert_id: &str,
    ) -> Result<SafeguardingAlert, SessionError> {
        let mut found = self.read(class, vec![read(alert_id)]).await?;
        let found = found.fields()?.take().ok_or_else(|| unknown(alert_id))?;
        record::decode("alert", &found)
    }

    /// Removes a student's alerts from a class.
    pub(in crate::sessions) async fn forget_alerts(
        &self,
        student: &StudentKey,
        class_id: &str,
    ) -> Result<(), SessionError> {
        let class = &Partition::class(&student.tenant, class_id);
        let lists = [false, true].map(keys::alerts);
        let all = lists.each_ref().map(|[all, _]| Read::Lowest {
            key: all.clone(),
            from: 0,
            to: END,
            limit: usize::MAX >> 1,
        });
        let mut reads = self.read(class, all.to_vec()).await?;
        let members = [reads.members()?, reads.members()?].concat();
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
        for key in lists.into_iter().flatten() {
            writes.push(Write::Unrank {
                key,
                members: members.clone(),
            });
        }
        self.write(class, writes).await?;
        Ok(())
    }
}

fn unknown(alert_id: &str) -> SessionError {
    SessionError::UnknownAlert {
        alert_id: alert_id.to_owned(),
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
