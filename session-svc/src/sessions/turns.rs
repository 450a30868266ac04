//! Turns: begun under a lease, and committed or given up.

use std::{borrow::Cow, time::Duration};

use bytes::Bytes;
use prost::Message;
use turnwise_proto::{
    session::v1::{
        ConversationMemory, MemoryTurn, NewEvent, PendingChange, PendingInteraction, SessionStatus,
        TurnLog, TurnStart, TurnState,
    },
    tutor::v1::TutorMessage,
};
use turnwise_session_store::{
    Check, FieldName, Outcome, Partition, Read, Refused, StudentKey, Transaction, Write,
};

use super::{
    Idempotency, Sessions,
    answers::Slot,
    events,
    evidence::SNAPSHOT_FIELDS,
    fields::{Fields, Reads, decimal},
    interactions::{self, Interactions},
    keys::{self, Operation},
    millis,
    rosters::ClassRedactor,
    threads::{StoredThread, field, is_about, messages, not_about, stamp},
};
use crate::{error::SessionError, memory, record};

/// A turn to begin.
#[derive(Debug, Clone)]
pub struct BeginTurn {
    /// The course that the client named.
    pub course_id: String,
    /// The thread.
    pub thread_id: String,
    /// Makes it safe to send again.
    pub idempotency: Idempotency,
    /// How many of the latest messages are wanted.
    pub history_limit: usize,
    /// Whose memory the turn uses: a hash of verified claims; empty: none.
    pub memory_scope: Bytes,
}

/// A turn that was begun, or its answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Begun {
    /// The turn was committed before: this is its answer.
    Answered(Bytes),
    /// All that the turn needs; it holds the lease now.
    Started(Box<TurnStart>),
}

/// A turn to write.
#[derive(Debug, Clone)]
pub struct CommitTurn {
    /// The thread's course.
    pub course_id: String,
    /// The thread.
    pub thread_id: String,
    /// Proves that the lease is held.
    pub fencing_token: i64,
    /// Makes it safe to send again.
    pub idempotency: Idempotency,
    /// What the start of the turn carried.
    pub carry: Carry,
    /// Where the conversation stands now; none: unchanged.
    pub turn_state: Option<TurnState>,
    /// Set with the thread; never unset.
    pub target_locked: bool,
    /// To append; at least one.
    pub messages: Vec<TutorMessage>,
    /// Stored under the idempotency key.
    pub answer: Bytes,
    /// Added to the conversation's memory.
    pub memory_turns: Vec<MemoryTurn>,
    /// A step of what the thread waits for.
    pub pending_change: Option<PendingChange>,
    /// Whether a person is asked to step in.
    pub escalate: bool,
    /// Appended to the thread's log.
    pub events: Vec<NewEvent>,
    /// The turn's chain.
    pub turn_log: Option<TurnLog>,
}

/// What a turn carries from its start to its commit, so that the commit need not read first. The caller hands it back
/// unread; what must still be true of it is checked when it is written.
#[derive(Clone, PartialEq, Message)]
pub struct Carry {
    #[prost(string, tag = "1")]
    class_id: String,
    #[prost(int64, tag = "2")]
    kept_until: i64,
    /// The class's index was written anew: the records of the thread must be kept as long.
    #[prost(bool, tag = "3")]
    extended: bool,
    #[prost(bytes = "bytes", tag = "4")]
    memory_scope: Bytes,
    #[prost(message, optional, tag = "5")]
    memory: Option<ConversationMemory>,
    #[prost(message, optional, tag = "6")]
    interactions: Option<Interactions>,
    #[prost(bool, tag = "7")]
    course_known: bool,
}

impl Sessions {
    /// Takes a thread's lease and reads all that the turn needs, or answers what the idempotency key stored before.
    pub async fn begin_turn(
        &self,
        student: &StudentKey,
        begin: BeginTurn,
    ) -> Result<Begun, SessionError> {
        let partition = Partition::student(student);
        let slot = Slot::new(Operation::Turn, &begin.idempotency, &begin.thread_id);
        let transaction = Transaction {
            checks: vec![
                slot.unused(),
                is_about(&begin.thread_id, &begin.course_id),
                Check::LeaseFree {
                    key: keys::lease(&begin.thread_id),
                },
            ],
            writes: vec![Write::TakeLease {
                key: keys::lease(&begin.thread_id),
                ttl: self.limits().lease_ttl,
                holder: holder(&begin.idempotency.key, &slot),
            }],
            reads: begin_reads(&begin),
        };
        let applied = match self.transact(&partition, transaction).await? {
            Outcome::Applied(applied) => applied,
            Outcome::Refused(refused) => return refused_begin(refused, &slot, &begin),
        };
        let token = applied.token.ok_or(SessionError::Unavailable)?;
        match self.start(student, &begin, Reads::new(applied.found)).await {
            Ok(start) => Ok(Begun::Started(Box::new(TurnStart {
                fencing_token: token,
                lease_ttl: prost_types::Duration::try_from(self.limits().lease_ttl).ok(),
                ..start
            }))),
            Err(error) => {
                // A record that cannot be read should not lock the thread as well; if this fails, the lease runs out.
                let _ = self.abandon_turn(student, &begin.thread_id, token).await;
                Err(error)
            }
        }
    }

    async fn start(
        &self,
        student: &StudentKey,
        begin: &BeginTurn,
        mut reads: Reads,
    ) -> Result<TurnStart, SessionError> {
        let stored = StoredThread::decode(reads.fields()?)?
            .ok_or(SessionError::RecordCorrupted { record: "thread" })?;
        let snapshot =
            super::evidence::snapshot(student, &begin.course_id, reads.fields()?, reads.fields()?)?;
        let course_known = reads.fields()?.take().is_some();
        let now = self.now();
        let interactions = Interactions::decode(reads.fields()?)?.at(now);
        let recent_messages = if begin.history_limit > 0 {
            let mut newest_first = reads.entries()?;
            newest_first.reverse();
            messages(newest_first)?
        } else {
            Vec::new()
        };
        let memory = if begin.memory_scope.is_empty() {
            None
        } else {
            let stored = reads.fields()?.take();
            stored
                .map(|bytes| record::decode::<ConversationMemory>("memory", &bytes))
                .transpose()?
        };

        let class_id = stored.thread.class_id.clone();
        let half = millis(self.limits().thread_retention) / 2;
        let extended = stored.kept_until.saturating_sub(now.as_millisecond()) < half;
        let kept_until = if extended {
            self.index(student, &class_id, &begin.thread_id).await?
        } else {
            stored.kept_until
        };
        let carry = Carry {
            class_id,
            kept_until,
            extended,
            memory_scope: begin.memory_scope.clone(),
            memory: memory.clone(),
            interactions: Some(interactions.clone()),
            course_known,
        };
        Ok(TurnStart {
            thread: Some(stored.thread),
            target_locked: stored.target_locked,
            snapshot: Some(snapshot),
            recent_messages,
            memory,
            pending: interactions.pending,
            session_status: stored.status.into(),
            kind: stored.kind.into(),
            carry: carry.encode_to_vec().into(),
            ..TurnStart::default()
        })
    }

    /// Writes a turn and gives its lease back: one atomic step. Sent again it changes nothing.
    pub async fn commit_turn(
        &self,
        student: &StudentKey,
        commit: CommitTurn,
    ) -> Result<Option<PendingInteraction>, SessionError> {
        let partition = Partition::student(student);
        let roster = self.roster(&student.tenant, &commit.carry.class_id).await?;
        let slot = Slot::new(Operation::Turn, &commit.idempotency, &commit.thread_id);
        let interactions = commit.carry.interactions.clone().unwrap_or_default();
        let step = match &commit.pending_change {
            Some(change) => {
                interactions::step(self, &roster, &commit.thread_id, &interactions, change)?
            }
            None => None,
        };
        let first = first_message_id(&commit.messages)
            .ok_or(SessionError::MessageIds { expected: None })?;
        let mut checks = vec![
            slot.unused(),
            Check::FenceBelow {
                key: keys::erased(),
                field: "fence",
                token: commit.fencing_token,
            },
            Check::FenceBelow {
                key: keys::thread(&commit.thread_id),
                field: "floor",
                token: commit.fencing_token,
            },
            is_about(&commit.thread_id, &commit.course_id),
            Check::LeaseHeld {
                key: keys::lease(&commit.thread_id),
                token: commit.fencing_token,
            },
            Check::FieldIs {
                key: keys::thread(&commit.thread_id),
                field: "count",
                value: Some(decimal(first - 1)),
                tell: vec!["count"],
            },
        ];
        let mut writes = self.turn_writes(&commit, first, &roster);
        let mut pending = interactions.pending;
        if let Some(step) = step {
            // Work that is due later is entered first: what the turn promises to do is then found, whatever happens.
            self.schedule(student, &commit.thread_id, &step.works)
                .await?;
            checks.push(step.check);
            writes.extend(step.writes);
            pending = step.pending;
        }
        writes.extend(slot.store(record::stamp(&commit.answer), self.limits()));
        writes.extend(slot.note(&commit.thread_id, self.now_millis(), self.limits()));
        writes.push(Write::ReleaseLease {
            key: keys::lease(&commit.thread_id),
        });

        let transaction = Transaction {
            checks,
            writes,
            reads: Vec::new(),
        };
        let refused = match self.transact(&partition, transaction).await? {
            Outcome::Applied(_) => return Ok(pending),
            Outcome::Refused(refused) => refused,
        };
        match refused.check {
            0 => slot.stored(refused).map(|_| None),
            1 | 2 => Err(SessionError::TurnErased),
            3 => Err(not_about(
                refused.told,
                &commit.thread_id,
                &commit.course_id,
            )),
            4 => Err(SessionError::LeaseLost),
            5 => Err(SessionError::MessageIds {
                expected: Some(Fields::of(refused.told).number("thread")? + 1),
            }),
            _ => Err(SessionError::PendingChanged),
        }
    }

    fn turn_writes(&self, commit: &CommitTurn, first: i64, roster: &ClassRedactor) -> Vec<Write> {
        let limits = self.limits();
        let thread_id = &commit.thread_id;
        let now = stamp(self);
        let (timeline, log) = (keys::timeline(thread_id), keys::events(thread_id));
        let entries = commit.messages.iter().map(|message| {
            record::encode(&TutorMessage {
                text: roster.redact(&message.text),
                latex: roster.redact(&message.latex),
                ..message.clone()
            })
        });
        let said = commit
            .messages
            .iter()
            .map(|m| events::of_message(thread_id, m, now));
        let told = commit
            .events
            .iter()
            .map(|event| events::stored(thread_id, event, now, roster));
        let mut thread = vec![
            field("count", decimal(first - 1 + count(&commit.messages))),
            field("updated", record::encode(&now)),
        ];
        if commit.target_locked {
            thread.push(field("locked", decimal(1)));
        }
        if commit.escalate {
            thread.push(field(
                "status",
                decimal((SessionStatus::Escalated as i32).into()),
            ));
        }
        if commit.carry.extended {
            thread.push(field("kept", decimal(commit.carry.kept_until)));
        }
        let mut writes = vec![
            Write::Append {
                key: timeline.clone(),
                entries: entries.collect(),
            },
            Write::Append {
                key: log.clone(),
                entries: said
                    .chain(told)
                    .map(|event| record::encode(&event))
                    .collect(),
            },
            Write::Put {
                key: keys::thread(thread_id),
                fields: thread,
            },
        ];
        if commit.carry.extended || first == 1 {
            for key in [keys::thread(thread_id), timeline, log] {
                writes.push(Write::Expire {
                    key,
                    after: limits.thread_retention,
                });
            }
        }
        if let Some(state) = &commit.turn_state {
            writes.push(Write::Put {
                key: keys::snapshot(&commit.course_id),
                fields: vec![field("turn", record::encode(state))],
            });
            if !commit.carry.course_known {
                writes.push(known(&commit.course_id));
            }
        }
        if let Some(limits_of_memory) = &limits.memory
            && !commit.carry.memory_scope.is_empty()
        {
            let turns: Vec<_> = commit
                .memory_turns
                .iter()
                .map(|turn| MemoryTurn {
                    text: roster.redact(&turn.text),
                    ..turn.clone()
                })
                .collect();
            let before = commit.carry.memory.clone().unwrap_or_default();
            let after = memory::remember(before, &turns, limits_of_memory);
            let key = keys::memory(thread_id);
            writes.push(Write::Put {
                key: key.clone(),
                fields: vec![(scope(&commit.carry.memory_scope), record::encode(&after))],
            });
            writes.push(Write::Expire {
                key,
                after: limits.conversation_ttl,
            });
        }
        if let Some(log) = &commit.turn_log {
            writes.extend(self.turn_log_writes(thread_id, log));
        }
        writes
    }

    fn turn_log_writes(&self, thread_id: &str, log: &TurnLog) -> [Write; 5] {
        let retention = self.limits().turn_log_retention;
        let now = self.now_millis();
        let (turn, turns) = (keys::turn(&log.turn_id), keys::turns(thread_id));
        let facts = TurnLog {
            turn_id: log.turn_id.clone(),
            facts: log.facts.clone(),
            thread_id: thread_id.to_owned(),
            create_time: Some(stamp(self)),
            ..TurnLog::default()
        };
        [
            Write::Put {
                key: turn.clone(),
                fields: vec![
                    field("facts", record::encode(&facts)),
                    field("text", record::stamp(&log.text)),
                ],
            },
            Write::Expire {
                key: turn,
                after: retention,
            },
            Write::Rank {
                key: turns.clone(),
                member: log.turn_id.clone(),
                score: now,
            },
            Write::UnrankUpTo {
                key: turns.clone(),
                score: now.saturating_sub(millis(retention)),
            },
            Write::Expire {
                key: turns,
                after: retention,
            },
        ]
    }

    /// The chain of a turn.
    pub async fn turn_log(
        &self,
        student: &StudentKey,
        turn_id: &str,
    ) -> Result<TurnLog, SessionError> {
        let wanted = vec![Read::Fields {
            key: keys::turn(turn_id),
            fields: ["facts", "text", "erased"].map(Cow::Borrowed).to_vec(),
        }];
        let mut reads = self.read(&Partition::student(student), wanted).await?;
        let mut fields = reads.fields()?;
        let facts = fields.take().ok_or_else(|| SessionError::UnknownTurn {
            turn_id: turn_id.to_owned(),
        })?;
        let text = fields.take();
        Ok(TurnLog {
            text: text
                .map(|text| record::unstamp("turn_log", &text))
                .transpose()?
                .unwrap_or_default(),
            erased: fields.take().is_some(),
            ..record::decode("turn_log", &facts)?
        })
    }

    /// Makes a lease last its full time again and answers that time.
    pub async fn renew_lease(
        &self,
        student: &StudentKey,
        thread_id: &str,
        fencing_token: i64,
    ) -> Result<Duration, SessionError> {
        let key = keys::lease(thread_id);
        let ttl = self.limits().lease_ttl;
        let transaction = Transaction {
            checks: vec![Check::LeaseHeld {
                key: key.clone(),
                token: fencing_token,
            }],
            writes: vec![Write::RenewLease { key, ttl }],
            reads: Vec::new(),
        };
        match self
            .transact(&Partition::student(student), transaction)
            .await?
        {
            Outcome::Applied(_) => Ok(ttl),
            Outcome::Refused(_) => Err(SessionError::LeaseLost),
        }
    }

    /// Gives a lease back; does nothing if it is not held by this turn.
    pub async fn abandon_turn(
        &self,
        student: &StudentKey,
        thread_id: &str,
        fencing_token: i64,
    ) -> Result<(), SessionError> {
        let key = keys::lease(thread_id);
        let transaction = Transaction {
            checks: vec![Check::LeaseHeld {
                key: key.clone(),
                token: fencing_token,
            }],
            writes: vec![Write::ReleaseLease { key }],
            reads: Vec::new(),
        };
        self.transact(&Partition::student(student), transaction)
            .await?;
        Ok(())
    }
}

fn begin_reads(begin: &BeginTurn) -> Vec<Read> {
    let mut reads = vec![
        StoredThread::read(&keys::thread(&begin.thread_id)),
        Read::Fields {
            key: keys::snapshot(&begin.course_id),
            fields: SNAPSHOT_FIELDS.map(Cow::Borrowed).to_vec(),
        },
        Read::Fields {
            key: keys::erased(),
            fields: vec!["fence".into()],
        },
        Read::Fields {
            key: keys::courses(),
            fields: vec![Cow::Owned(begin.course_id.clone())],
        },
        Interactions::read(&begin.thread_id),
    ];
    if begin.history_limit > 0 {
        reads.push(Read::LogBefore {
            key: keys::timeline(&begin.thread_id),
            before: i64::MAX,
            limit: begin.history_limit,
        });
    }
    if !begin.memory_scope.is_empty() {
        reads.push(Read::Fields {
            key: keys::memory(&begin.thread_id),
            fields: vec![scope(&begin.memory_scope)],
        });
    }
    reads
}

fn refused_begin(refused: Refused, slot: &Slot, begin: &BeginTurn) -> Result<Begun, SessionError> {
    match refused.check {
        0 => {
            let answer = slot.stored(refused)?;
            Ok(Begun::Answered(record::unstamp("answer", &answer)?))
        }
        1 => Err(not_about(refused.told, &begin.thread_id, &begin.course_id)),
        _ => {
            let held_for = Fields::of(refused.told).take().unwrap_or_default();
            let mine = holder_key(&begin.idempotency.key);
            if held_for.starts_with(&mine) && held_for != holder(&begin.idempotency.key, slot) {
                return Err(SessionError::IdempotencyConflict);
            }
            Err(SessionError::TurnInProgress {
                lease_remainder: refused.lease_remainder.unwrap_or_default(),
            })
        }
    }
}

/// Who holds a lease: the idempotency key, a byte that no key has, and the fingerprint.
fn holder(idempotency_key: &str, slot: &Slot) -> Bytes {
    [&holder_key(idempotency_key)[..], slot.fingerprint()]
        .concat()
        .into()
}

fn holder_key(idempotency_key: &str) -> Vec<u8> {
    [idempotency_key.as_bytes(), &[0]].concat()
}

/// The id of the first message, if the others go on from it.
fn first_message_id(messages: &[TutorMessage]) -> Option<i64> {
    let first = messages.first()?.id;
    let follow_on = messages.iter().zip(first..).all(|(m, id)| m.id == id);
    (follow_on && first > 0).then_some(first)
}

fn count(messages: &[TutorMessage]) -> i64 {
    i64::try_from(messages.len()).unwrap_or(i64::MAX)
}

/// A memory scope as the name of a field.
fn scope(hash: &Bytes) -> FieldName {
    Cow::Owned(hash.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Notes that the student has a record in this course.
pub(super) fn known(course_id: &str) -> Write {
    Write::Put {
        key: keys::courses(),
        fields: vec![(Cow::Owned(course_id.to_owned()), Bytes::from_static(b"1"))],
    }
}
