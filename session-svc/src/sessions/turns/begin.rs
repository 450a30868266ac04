//! Beginning a turn: one transaction takes the lease and reads all that the turn needs.

use bytes::Bytes;
use prost::Message;
use turnwise_proto::{
    session::v1::{ConversationMemory, ThreadKind, TurnStart},
    tutor::v1::TutorMessage,
};
use turnwise_session_store::{
    Check, Outcome, Partition, Read, Refused, StudentKey, Transaction, Write,
};

use super::{BeginTurn, Begun, Carry, HISTORY_MAX, scope};
use crate::{
    error::SessionError,
    record,
    sessions::{
        Sessions, evidence,
        fence::{Since, none_under_way},
        fields::{Fields, Reads},
        help_sessions,
        idempotency::IdempotencyEntry,
        interactions::Interactions,
        keys::{self, Operation},
        stored::StoredThread,
        threads::{is_about, is_of_kind, messages, not_about, not_of_kind},
    },
};

/// How a holder begins from whom anybody else may take the lease; no key begins so.
const IN_BACKGROUND: [u8; 1] = [0];

/// How long a card may be worked on, however many messages came after it: no drill's token is good for longer.
const CARD_SECONDS: i64 = 86_400;

impl Sessions {
    /// Takes a thread's lease and reads all that the turn needs, or answers what the idempotency key stored before.
    pub async fn begin_turn(
        &self,
        student: &StudentKey,
        mut begin: BeginTurn,
    ) -> Result<Begun, SessionError> {
        if self.limits().memory.is_none() {
            // What was remembered before this was switched off stays unread until its time is over.
            begin.memory_scope = Bytes::new();
        }
        let partition = self.partition(student).await?;
        let entry = IdempotencyEntry::new(
            Operation::Turn(begin.kind),
            &begin.idempotency,
            &begin.thread_id,
        );
        let lease = keys::lease(&begin.thread_id);
        let holder = holder(&begin.idempotency.key, &entry);
        // A turn in the background gives way to any other that is not.
        let (holder, or_of) = if begin.in_background {
            ([&IN_BACKGROUND, &holder[..]].concat().into(), Bytes::new())
        } else {
            (holder, Bytes::from_static(&IN_BACKGROUND))
        };
        let transaction = Transaction {
            checks: vec![
                entry.unused(),
                is_of_kind(&begin.thread_id, begin.kind),
                is_about(&begin.thread_id, &begin.course_id),
                Check::LeaseFree {
                    key: lease.clone(),
                    or_of,
                },
                none_under_way(),
            ],
            writes: vec![Write::TakeLease {
                key: lease,
                ttl: self.limits().lease_ttl,
                holder,
            }],
            reads: begin_reads(&begin),
        };
        let applied = match self.transact(&partition, transaction).await? {
            Outcome::Applied(applied) => applied,
            Outcome::Refused(refused) if refused.check == 0 => {
                let stored = entry.stored(refused)?;
                let answer = self.whole_answer(&partition, &begin.thread_id, &stored);
                return Ok(Begun::Answered(answer.await?));
            }
            Outcome::Refused(refused) => return Err(refused_begin(refused, &entry, &begin)),
        };
        let token = applied.token.ok_or(SessionError::Unavailable)?;
        let since = Since::token(token);
        let found = Reads::new(applied.found);
        let whose = (student, &partition);
        match self.start(whose, &begin, since, found).await {
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

    /// The messages before these, from the last card or the last exam question on, whichever is older; none where none of
    /// both is within [`HISTORY_MAX`] and before these. A last card beyond that comes alone, if it is not too old.
    async fn since_last_card(
        &self,
        partition: &Partition,
        begin: &BeginTurn,
        cards: Option<[i64; 2]>,
        latest: &[TutorMessage],
    ) -> Result<Vec<TutorMessage>, SessionError> {
        let limit = HISTORY_MAX.saturating_sub(latest.len());
        let oldest = latest.first().map_or(0, |oldest| oldest.id);
        let first = oldest.saturating_sub_unsigned(limit as u64).max(1);
        let last = cards.map_or(0, |[card, _]| card);
        if (1..first).contains(&last) {
            return self.card_beyond(partition, begin, last).await;
        }
        let since = match cards {
            Some(cards) => cards.into_iter().filter(|card| *card >= first).min(),
            // Nobody noted where they are.
            None if latest.iter().all(|message| message.card.is_none()) => Some(first),
            None => None,
        };
        let Some(since) = since.filter(|since| *since < oldest) else {
            return Ok(Vec::new());
        };
        let wanted = vec![Read::LogAfter {
            key: keys::timeline(&begin.thread_id),
            after: since - 1,
            limit: usize::try_from(oldest - since).unwrap_or(limit),
        }];
        let mut older = messages(self.read(partition, wanted).await?.entries()?)?;
        let card = older.iter().position(|message| message.card.is_some());
        Ok(older.split_off(card.unwrap_or(older.len())))
    }

    /// The message with this card, where it may still be worked on.
    async fn card_beyond(
        &self,
        partition: &Partition,
        begin: &BeginTurn,
        card: i64,
    ) -> Result<Vec<TutorMessage>, SessionError> {
        let wanted = vec![Read::LogAfter {
            key: keys::timeline(&begin.thread_id),
            after: card - 1,
            limit: 1,
        }];
        let mut found = messages(self.read(partition, wanted).await?.entries()?)?;
        let oldest = self.now().as_second() - CARD_SECONDS;
        found.retain(|message| {
            let set = message.create_time.map_or(i64::MIN, |set| set.seconds);
            message.id == card && set >= oldest
        });
        Ok(found)
    }

    async fn start(
        &self,
        (student, partition): (&StudentKey, &Partition),
        begin: &BeginTurn,
        since: Since,
        mut reads: Reads,
    ) -> Result<TurnStart, SessionError> {
        let stored = StoredThread::decode(reads.fields()?)?
            .ok_or(SessionError::RecordCorrupted { record: "thread" })?;
        let (halves, erasure) = (reads.fields()?, evidence::erasure(reads.fields()?)?);
        let mut snapshot = evidence::snapshot(student, &begin.course_id, halves, erasure)?;
        let question_records = evidence::question_records(reads.record()?)?;
        // Whichever turn stored a state noted the course.
        let course_known = snapshot.turn.is_some();
        let now = self.now();
        let interactions = Interactions::decode(reads.fields()?)?.at(now);
        let memory = if begin.memory_scope.is_empty() {
            None
        } else {
            let stored = reads.fields()?.take();
            stored
                .map(|bytes| record::decode::<ConversationMemory>("memory", &bytes))
                .transpose()?
        };
        let help = match begin.kind {
            ThreadKind::Procedure => help_sessions::decode(reads.fields()?)?,
            _ => None,
        };
        let mut recent_messages = if begin.history_limit > 0 {
            let mut newest_first = reads.entries()?;
            newest_first.reverse();
            messages(newest_first)?
        } else {
            Vec::new()
        };
        if begin.kind == ThreadKind::Tutor && recent_messages.len() == begin.history_limit {
            let older = self.since_last_card(partition, begin, stored.cards, &recent_messages);
            let mut older = match older.await {
                // Nobody asked for these, and most turns need none of them.
                Err(error @ SessionError::RecordCorrupted { .. }) => {
                    tracing::error!(%error, "a turn begins without its older messages");
                    Vec::new()
                }
                older => older?,
            };
            older.append(&mut recent_messages);
            recent_messages = older;
        }

        let class_id = stored.thread.class_id.clone();
        let (class_policy, is_placed) = self
            .decided_of_class(&student.tenant, &class_id, &begin.course_id)
            .await?;
        snapshot.class_placement = is_placed;
        let extended = self.is_to_be_indexed(&stored);
        let kept_until = if extended {
            self.index(student, &class_id, &begin.thread_id, since)
                .await?
        } else {
            0
        };
        let nothing = Interactions::default();
        let carry = Carry {
            class_id,
            kept_until,
            extended,
            memory_scope: begin.memory_scope.clone(),
            memory: memory.clone(),
            interactions: (interactions != nothing).then(|| interactions.clone()),
            course_known,
            kind: stored.kind.into(),
        };
        Ok(TurnStart {
            thread: Some(stored.thread),
            target_locked: stored.target_locked,
            thread_focus: stored.focus,
            graded: stored.graded.map(Box::new),
            snapshot: Some(snapshot),
            recent_messages,
            memory,
            pending: interactions.pending,
            clarified_documents: interactions.clarified_documents,
            session_status: stored.status.into(),
            kind: stored.kind.into(),
            carry: carry.encode_to_vec().into(),
            question_records,
            class_policy: Some(class_policy),
            help: help.map(Box::new),
            ..TurnStart::default()
        })
    }
}

fn begin_reads(begin: &BeginTurn) -> Vec<Read> {
    let [halves, fence] = evidence::snapshot_reads(&begin.course_id);
    let mut reads = vec![
        StoredThread::read(&keys::thread(&begin.thread_id)),
        halves,
        fence,
        evidence::questions(&begin.course_id),
        Interactions::read(&begin.thread_id),
    ];
    if !begin.memory_scope.is_empty() {
        reads.push(Read::Fields {
            key: keys::memory(&begin.thread_id),
            fields: vec![scope(&begin.memory_scope)],
        });
    }
    if begin.kind == ThreadKind::Procedure {
        reads.push(help_sessions::read(&begin.thread_id));
    }
    // Last: what is long is read beside the script, and so is what follows it.
    if begin.history_limit > 0 {
        reads.push(Read::LogBefore {
            key: keys::timeline(&begin.thread_id),
            before: i64::MAX,
            limit: begin.history_limit,
        });
    }
    reads
}

fn refused_begin(refused: Refused, entry: &IdempotencyEntry, begin: &BeginTurn) -> SessionError {
    match refused.check {
        1 => not_of_kind(refused.told, &begin.thread_id),
        2 => not_about(refused.told, &begin.thread_id, &begin.course_id),
        4 => SessionError::ErasureUnderWay,
        _ => {
            let held_for = Fields::of(refused.told).take().unwrap_or_default();
            let same_request = held_for.starts_with(&holder_key(&begin.idempotency.key));
            if same_request && held_for != holder(&begin.idempotency.key, entry) {
                return SessionError::IdempotencyConflict;
            }
            SessionError::TurnInProgress {
                same_request,
                lease_remainder: refused.lease_remainder.unwrap_or_default(),
            }
        }
    }
}

/// Who holds a lease: the idempotency key, a byte that no key has, and the fingerprint.
fn holder(idempotency_key: &str, entry: &IdempotencyEntry) -> Bytes {
    [&holder_key(idempotency_key)[..], entry.fingerprint()]
        .concat()
        .into()
}

fn holder_key(idempotency_key: &str) -> Vec<u8> {
    [idempotency_key.as_bytes(), &[0]].concat()
}
