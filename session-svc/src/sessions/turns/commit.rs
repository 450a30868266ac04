//! Committing a turn: one transaction writes all of it and gives the lease back.

use turnwise_proto::{
    classes::v1::AlertKind,
    session::v1::{MemoryTurn, PendingInteraction, ThreadFocus},
    tutor::v1::{SessionStatus, TutorMessage, tutor_card::Content},
};
use turnwise_session_store::{Check, Outcome, StudentKey, Transaction, Write};

use super::{CommitTurn, answer, known, scope};
use crate::{
    error::SessionError,
    memory,
    pending::PendingError,
    record,
    sessions::classes::alerts::Raised,
    sessions::{
        Sessions,
        classes::settings::ClassRedactor,
        events,
        fence::Since,
        fields::{Fields, decimal},
        idempotency::IdempotencyEntry,
        interactions,
        keys::{self, Operation},
        threads::{field, is_about, not_about, stamp},
    },
};

impl Sessions {
    /// Writes a turn and gives its lease back: one atomic step. Sent again it changes nothing.
    pub async fn commit_turn(
        &self,
        student: &StudentKey,
        mut commit: CommitTurn,
    ) -> Result<Option<PendingInteraction>, SessionError> {
        let partition = self.partition(student).await?;
        let roster = self.roster(&student.tenant, &commit.carry.class_id).await?;
        for message in &mut commit.messages {
            message.text = roster.redact(&message.text);
            message.latex = roster.redact(&message.latex);
        }
        let entry = IdempotencyEntry::new(
            Operation::Turn(commit.carry.kind()),
            &commit.idempotency,
            &commit.thread_id,
        );
        let change = commit.pending_change.as_ref();
        if self
            .has_had_request(&partition, &commit.thread_id, change)
            .await?
        {
            // Sent again, it is answered as before; another turn may not use the id.
            let unused = Transaction {
                checks: vec![entry.unused()],
                ..Transaction::default()
            };
            return match self.transact(&partition, unused).await? {
                Outcome::Refused(refused) => entry.stored(refused).map(|_| None),
                Outcome::Applied(_) => Err(SessionError::Pending(PendingError::Invalid {
                    field: "request_context.request_id",
                    problem: "must be an id that no request of this thread had",
                })),
            };
        }
        let interactions = commit.carry.interactions.clone().unwrap_or_default();
        let step = match change {
            Some(change) => {
                let kind = commit.carry.kind;
                interactions::step(
                    self,
                    &roster,
                    kind,
                    &commit.thread_id,
                    &interactions,
                    change,
                )?
            }
            None => None,
        };
        let first = first_message_id(&commit.messages)
            .ok_or(SessionError::MessageIds { expected: None })?;
        let mut checks = vec![
            entry.unused(),
            Since::token(commit.fencing_token).check(),
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
        let since = Since::token(commit.fencing_token);
        let mut writes = self.turn_writes(&commit, first, &roster);
        if let Some(alert) = &commit.alert {
            let (class_id, call) = (&commit.carry.class_id, (&commit.idempotency, first));
            self.raise(
                student,
                class_id,
                &commit.thread_id,
                call,
                alert.into(),
                since,
            )
            .await?;
        }
        if let Some(asked) = &commit.escalation {
            // A place that no alert has.
            let (class_id, call) = (&commit.carry.class_id, (&commit.idempotency, -first));
            let raised = Raised {
                turn_id: &asked.turn_id,
                kind: AlertKind::Handoff,
                uncertain: false,
                document_id: &asked.document_id,
            };
            self.raise(student, class_id, &commit.thread_id, call, raised, since)
                .await?;
        }
        if let Some(turn) = &commit.activity {
            writes.extend(self.count_turn(&commit.carry.class_id, &commit.course_id, turn));
        }
        let mut pending = interactions.pending;
        let (mut over, mut works) = (Vec::new(), Vec::new());
        if let Some(step) = step {
            (over, works) = (step.over, step.works);
            checks.push(step.check);
            writes.extend(step.writes);
            pending = step.pending;
        }
        if let Some(new) = &commit.overlay {
            let step = self.requested_overlay(&commit.thread_id, commit.fencing_token, new);
            works.extend(step.works);
            writes.extend(step.writes);
        }
        let limits = self.limits();
        // Half of their time is left to the messages at least: without them the answer would be none.
        let answer = if limits.idempotency_ttl < limits.thread_retention / 2 {
            answer::stored(&commit.answer, &commit.messages)
        } else {
            record::stamp(&commit.answer)
        };
        writes.extend(entry.store(answer, self.limits()));
        writes.extend(entry.note(&commit.thread_id, self.now_millis(), self.limits()));
        writes.push(Write::ReleaseLease {
            key: keys::lease(&commit.thread_id),
        });

        let transaction = Transaction {
            checks,
            writes,
            reads: Vec::new(),
        };
        let at = (student, &partition);
        let promised = self.promising(at, &commit.thread_id, &works, since, transaction);
        let refused = match promised.await? {
            Outcome::Applied(_) => {
                self.withdraw_done(over).await;
                return Ok(pending);
            }
            Outcome::Refused(refused) => refused,
        };
        match refused.check {
            0 => entry.stored(refused).map(|_| None),
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
        let (thread_id, messages) = (&commit.thread_id, &commit.messages);
        let now = stamp(self);
        let said = messages
            .iter()
            .map(|m| events::of_message(thread_id, m, now));
        let told = commit
            .events
            .iter()
            .map(|event| events::stored(thread_id, event, now, roster));
        let mut thread = vec![
            field("count", decimal(first - 1 + count(messages))),
            field("updated", record::encode(&now)),
        ];
        let card = messages.iter().rfind(|message| message.card.is_some());
        // The first turn says that there was none before.
        if card.is_some() || first == 1 {
            thread.push(field("card", decimal(card.map_or(0, |message| message.id))));
        }
        let is_exam = |message: &&TutorMessage| {
            let content = message.card.as_ref().and_then(|card| card.content.as_ref());
            matches!(content, Some(Content::Exam(_)))
        };
        if let Some(exam) = messages.iter().rfind(is_exam) {
            thread.push(field("exam", decimal(exam.id)));
        }
        if commit.target_locked {
            thread.push(field("locked", decimal(1)));
        }
        if let Some(state) = &commit.turn_state {
            let focus = ThreadFocus {
                focus_unit_id: state.focus_unit_id.clone(),
                target_unit_id: state.target_unit_id.clone(),
            };
            thread.push(field("focus", record::encode(&focus)));
        }
        if commit.escalation.is_some() {
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
                key: keys::timeline(thread_id),
                entries: messages.iter().map(record::encode).collect(),
            },
            Write::Append {
                key: keys::events(thread_id),
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
            writes.extend(self.kept_anew(thread_id));
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
            writes.extend(self.turn_log_writes(thread_id, commit.carry.kind(), log));
        }
        writes
    }
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
