//! Help sessions of procedures: what was observed, stored as a whole if nobody else has in between, and the overlay that is
//! shown. The rest of a session is its thread's.

use std::time::Duration;

use jiff::Timestamp;
use turnwise_kit::time;
use turnwise_proto::{
    procedure::v1::{Overlay, OverlayIntent, OverlayState},
    session::v1::{
        DueWork, Event, HelpProcedure, HelpRun, HelpState, NewOverlay, OverlayChange, WorkKind,
    },
    tutor::v1::Thread,
};
use turnwise_session_store::{Check, Outcome, Read, StudentKey, Transaction, Write};

use super::{
    Sessions, due, events,
    fence::none_under_way,
    fields::{Fields, Reads, decimal},
    keys,
    stored::StoredThread,
    threads::{field, stamp, unknown},
};
use crate::{
    error::SessionError,
    overlays::{self, Stepped},
    record,
};

const WHAT: &str = "help_session";
/// A step is tried so often against others that come between.
const TRIES: usize = 8;

/// A step in the life of an overlay.
#[derive(Debug, Clone)]
pub struct ChangeOverlay {
    /// The overlay.
    pub overlay_id: String,
    /// The step.
    pub change: OverlayChange,
    /// The attempt that is overdue.
    pub attempt: i32,
    /// When, by the client's clock.
    pub client_time: Option<Timestamp>,
    /// A word about a failure.
    pub problem: String,
    /// How long an acknowledgement is waited for.
    pub ack_wait: Duration,
}

/// What a commit writes of an overlay, and the work that it promises.
pub(super) struct OverlayWrites {
    pub(super) writes: Vec<Write>,
    /// To be entered first.
    pub(super) works: Vec<DueWork>,
    /// Work that is no longer promised; to be withdrawn afterwards.
    over: Vec<String>,
}

/// Reads what [`decode`] needs.
pub(super) fn read(thread_id: &str) -> Read {
    Read::Fields {
        key: keys::help(thread_id),
        fields: ["procedure", "version", "run", "overlay"]
            .map(Into::into)
            .to_vec(),
    }
}

/// The session in these fields; none if there is no such.
pub(super) fn decode(mut fields: Fields) -> Result<Option<HelpState>, SessionError> {
    let Some(procedure) = fields.take() else {
        return Ok(None);
    };
    let procedure: HelpProcedure = record::decode(WHAT, &procedure)?;
    let version = fields.number(WHAT)?;
    let run = fields.take();
    let run: Option<HelpRun> = run.map(|bytes| record::decode(WHAT, &bytes)).transpose()?;
    Ok(Some(HelpState {
        procedure: Some(procedure),
        run: Some(HelpRun {
            version,
            ..run.unwrap_or_default()
        }),
        overlay: overlay(fields)?,
    }))
}

fn overlay(mut fields: Fields) -> Result<Option<Overlay>, SessionError> {
    let stored = fields.take();
    stored.map(|bytes| record::decode(WHAT, &bytes)).transpose()
}

/// What a new session writes beside its thread.
pub(super) fn created(
    thread_id: &str,
    procedure: &HelpProcedure,
    retention: Duration,
) -> [Write; 2] {
    let key = keys::help(thread_id);
    [
        Write::Put {
            key: key.clone(),
            fields: vec![field("procedure", record::encode(procedure))],
        },
        Write::Expire {
            key,
            after: retention,
        },
    ]
}

impl Sessions {
    /// A session's thread and all that is kept beside it.
    pub async fn help_session(
        &self,
        student: &StudentKey,
        thread_id: &str,
    ) -> Result<(Thread, HelpState), SessionError> {
        let wanted = vec![
            StoredThread::read(&keys::thread(thread_id)),
            read(thread_id),
        ];
        let mut reads = self.read(&self.partition(student).await?, wanted).await?;
        let stored = StoredThread::decode(reads.fields()?)?;
        match (stored, decode(reads.fields()?)?) {
            (Some(stored), Some(state)) => Ok((stored.thread, state)),
            _ => Err(unknown(thread_id)),
        }
    }

    /// Stores what was observed in place of the version that it names; answers the new version and the latest overlay.
    pub async fn store_help_run(
        &self,
        student: &StudentKey,
        thread_id: &str,
        run: HelpRun,
    ) -> Result<(i64, Option<Overlay>), SessionError> {
        let (help, before) = (keys::help(thread_id), run.version);
        let run = HelpRun { version: 0, ..run };
        let transaction = Transaction {
            checks: vec![
                Check::Present {
                    key: keys::thread(thread_id),
                },
                Check::FieldIs {
                    key: help.clone(),
                    field: "version",
                    value: (before > 0).then(|| decimal(before)),
                    tell: vec!["procedure"],
                },
                none_under_way(),
            ],
            writes: vec![Write::Put {
                key: help.clone(),
                fields: vec![
                    field("version", decimal(before + 1)),
                    field("run", record::encode(&run)),
                ],
            }],
            reads: vec![Read::Fields {
                key: help,
                fields: vec!["procedure".into(), "overlay".into()],
            }],
        };
        let partition = self.partition(student).await?;
        match self.transact(&partition, transaction).await? {
            Outcome::Applied(applied) => {
                let mut fields = Reads::new(applied.found).fields()?;
                fields.take().ok_or_else(|| unknown(thread_id))?;
                Ok((before + 1, overlay(fields)?))
            }
            Outcome::Refused(refused) => Err(match refused.check {
                0 => unknown(thread_id),
                1 => match Fields::of(refused.told).take() {
                    Some(_) => SessionError::Contended,
                    None => unknown(thread_id),
                },
                _ => SessionError::ErasureUnderWay,
            }),
        }
    }

    /// Takes a step in the life of an overlay; answers the session's latest then.
    pub async fn change_overlay(
        &self,
        student: &StudentKey,
        thread_id: &str,
        asked: &ChangeOverlay,
    ) -> Result<Overlay, SessionError> {
        for _ in 0..TRIES {
            let opened = self.opened(student, thread_id).await?;
            let partition = self.partition(student).await?;
            let wanted = vec![Read::Fields {
                key: keys::help(thread_id),
                fields: vec!["overlay".into()],
            }];
            let mut fields = self.read(&partition, wanted).await?.fields()?;
            let stored = fields.take();
            let latest = match &stored {
                Some(bytes) => record::decode::<Overlay>(WHAT, bytes)?,
                None => Overlay::default(),
            };
            if !overlays::was_asked_for(&asked.overlay_id, thread_id, &latest) {
                return Err(SessionError::UnknownOverlay);
            }
            let now = self.now();
            let stepped = overlays::step(&latest, asked.change, asked.attempt, &asked.problem, now);
            let Some(stepped) = stepped.filter(|_| latest.overlay_id == asked.overlay_id) else {
                return Ok(latest);
            };
            let overlay = stepped.overlay.clone();
            let step = self.overlay_writes(thread_id, stepped, asked.client_time, asked.ack_wait);
            let mut checks = vec![Check::FieldIs {
                key: keys::help(thread_id),
                field: "overlay",
                value: stored,
                tell: Vec::new(),
            }];
            checks.extend(opened.checks());
            let mut writes = step.writes;
            writes.extend(self.added_to(student, &opened.stored, opened.since).await?);
            let transaction = Transaction {
                checks,
                writes,
                reads: Vec::new(),
            };
            let at = (student, &partition);
            let promised = self.promising(at, thread_id, &step.works, opened.since, transaction);
            match promised.await? {
                Outcome::Applied(_) => {
                    self.withdraw_done(step.over).await;
                    return Ok(overlay);
                }
                Outcome::Refused(refused) if refused.check == 0 => {}
                Outcome::Refused(_) => return Err(SessionError::TurnErased),
            }
        }
        Err(SessionError::Contended)
    }

    /// What a turn's commit writes of the overlay that it asks for: under the turn's token, so that its number rises.
    pub(super) fn requested_overlay(
        &self,
        thread_id: &str,
        token: i64,
        new: &NewOverlay,
    ) -> OverlayWrites {
        let asked = overlays::requested(new.overlay.clone().unwrap_or_default(), thread_id, token);
        let wait = new.ack_wait.and_then(|wait| wait.try_into().ok());
        self.overlay_writes(thread_id, asked, None, wait.unwrap_or_default())
    }

    fn overlay_writes(
        &self,
        thread_id: &str,
        stepped: Stepped,
        client_time: Option<Timestamp>,
        ack_wait: Duration,
    ) -> OverlayWrites {
        let overlay = &stepped.overlay;
        let told = event(thread_id, &stepped, client_time, stamp(self));
        let mut writes = vec![
            Write::Put {
                key: keys::help(thread_id),
                fields: vec![field("overlay", record::encode(overlay))],
            },
            Write::Append {
                key: keys::events(thread_id),
                entries: vec![record::encode(&told)],
            },
        ];
        let (mut works, mut over) = (Vec::new(), Vec::new());
        let work_id = format!("{}:{}", overlay.overlay_id, overlay.attempt);
        if overlay.state() != OverlayState::Requested {
            writes.push(due::kept(vec![work_id.clone()]));
            over.push(work_id);
        } else {
            let work = DueWork {
                work_id,
                kind: WorkKind::OverlayOverdue.into(),
                thread_id: thread_id.to_owned(),
                subject_id: overlay.overlay_id.clone(),
                payload: overlay.attempt.to_string().into(),
                due_time: Some(time::to_proto(self.now() + ack_wait)),
                ..DueWork::default()
            };
            writes.push(due::promise(&work.work_id, thread_id));
            works.push(work);
        }
        OverlayWrites {
            writes,
            works,
            over,
        }
    }
}

/// The event of a step: an overlay as it is then.
fn event(
    thread_id: &str,
    stepped: &Stepped,
    client_time: Option<Timestamp>,
    now: prost_types::Timestamp,
) -> Event {
    let overlay = &stepped.overlay;
    let intent = match overlay.intent() {
        OverlayIntent::Clear => "clear",
        OverlayIntent::Highlight | OverlayIntent::Unspecified => "highlight",
    };
    let end = overlay.expire_time.as_ref().and_then(time::from_proto);
    let facts = [
        ("overlay_id", overlay.overlay_id.clone()),
        ("intent", intent.to_owned()),
        ("target", overlay.target.clone()),
        ("element_id", overlay.element_id.clone()),
        ("label", overlay.label.clone()),
        ("step_id", overlay.step_id.clone()),
        ("attempt", overlay.attempt.to_string()),
        (
            "expire_time",
            end.map_or_else(String::new, |end| end.to_string()),
        ),
        (
            "client_time",
            client_time.map_or_else(String::new, |at| at.to_string()),
        ),
        ("detail", stepped.detail.clone()),
    ];
    Event {
        related_id: overlay.help_id.clone(),
        in_reply_to: match overlay.state() {
            OverlayState::Requested => overlay.help_id.clone(),
            _ => overlay.overlay_id.clone(),
        },
        ..events::own(thread_id, stepped.kind, now, facts)
    }
}
