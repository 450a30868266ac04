//! Context requests outside of turns: what is supplied for them, and how they end.

use bytes::Bytes;
use turnwise_proto::session::v1::{ContextRequest, ContextRequestChange};
use turnwise_session_store::{Check, Outcome, Read, StudentKey, Transaction, Write};

use super::{
    END, Sessions,
    fence::{Since, none_under_way},
    interactions::{self, Interactions, claims_field, request_field},
    keys, payloads,
    stored::StoredThread,
    threads::unknown,
};
use crate::{
    error::SessionError,
    pending::{self, PendingError, Stepped, Supplied},
    record,
};

/// A change is tried so often against others that come between.
const TRIES: usize = 8;

/// An artifact for a context request.
#[derive(Debug, Clone)]
pub struct Supply {
    /// The request.
    pub request_id: String,
    /// The slot's place in the request.
    pub slot: i32,
    /// The payload's type.
    pub artifact_type: String,
    /// The payload; redacted before it is stored.
    pub content: String,
    /// Who supplies it.
    pub supplier_id: String,
    /// What they are.
    pub supplier_role: String,
}

/// A page of a thread's context requests.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestPage {
    /// In the order in which they were opened.
    pub requests: Vec<ContextRequest>,
    /// Where the next page begins.
    pub next: Option<i64>,
}

/// A thread's state of waiting, and one of its requests as it is stored.
struct Current {
    stored: StoredThread,
    interactions: Interactions,
    request: Option<ContextRequest>,
    claims: Bytes,
    since: Since,
}

impl Sessions {
    /// The class of a thread.
    pub async fn class_of(
        &self,
        student: &StudentKey,
        thread_id: &str,
    ) -> Result<String, SessionError> {
        Ok(self.thread(student, thread_id).await?.thread.class_id)
    }

    /// Stores an artifact; answers the request as it is then.
    pub async fn supply_context(
        &self,
        student: &StudentKey,
        thread_id: &str,
        supply: Supply,
    ) -> Result<ContextRequest, SessionError> {
        for _ in 0..TRIES {
            let current = self.current(student, thread_id, &supply.request_id).await?;
            let roster = self
                .roster(&student.tenant, &current.stored.thread.class_id)
                .await?;
            let supplied = Supplied {
                slot: supply.slot,
                artifact_type: supply.artifact_type.clone(),
                content: roster.redact(&supply.content),
                supplier_id: supply.supplier_id.clone(),
                supplier_role: supply.supplier_role.clone(),
            };
            let known = current.request.as_ref();
            let known = known.ok_or_else(|| no_request(&supply.request_id))?;
            let stepped = match pending::supply(
                &current.interactions,
                &supply.request_id,
                &supplied,
                self.now(),
            ) {
                Ok(Some(stepped)) => stepped,
                Ok(None) => return Ok(known.clone()),
                Err(error) => return Err(closed(error, known)),
            };
            let (slot, content) = (supplied.slot, &supplied.content);
            let payload = payloads::put(thread_id, &supply.request_id, slot, content);
            let taken = self.take(student, thread_id, &current, stepped, Some(payload));
            if let Some(request) = taken.await? {
                return Ok(request);
            }
        }
        Err(SessionError::PendingChanged)
    }

    /// Cancels, forces, skips, reminds of or expires a request; answers it as it is then.
    pub async fn change_context_request(
        &self,
        student: &StudentKey,
        thread_id: &str,
        request_id: &str,
        change: ContextRequestChange,
    ) -> Result<ContextRequest, SessionError> {
        for _ in 0..TRIES {
            let current = self.current(student, thread_id, request_id).await?;
            let known = current.request.as_ref();
            let known = known.ok_or_else(|| no_request(request_id))?;
            let stepped = pending::change(
                &current.interactions,
                Some(known),
                request_id,
                change,
                self.now(),
            );
            let Some(stepped) = stepped.map_err(|error| closed(error, known))? else {
                return Ok(known.clone());
            };
            let taken = self.take(student, thread_id, &current, stepped, None);
            if let Some(request) = taken.await? {
                return Ok(request);
            }
        }
        Err(SessionError::PendingChanged)
    }

    /// A page of a thread's context requests, open and closed, oldest first: `limit` of those from a position on.
    pub async fn context_requests(
        &self,
        student: &StudentKey,
        thread_id: &str,
        from: i64,
        limit: usize,
    ) -> Result<RequestPage, SessionError> {
        let partition = self.partition(student).await?;
        let wanted = vec![
            StoredThread::read(&keys::thread(thread_id)),
            Read::Lowest {
                key: keys::requests(thread_id),
                from,
                to: END,
                limit: limit + 1,
            },
        ];
        let mut reads = self.read(&partition, wanted).await?;
        if StoredThread::decode(reads.fields()?)?.is_none() {
            return Err(unknown(thread_id));
        }
        let mut opened = reads.members()?;
        let next = opened.get(limit).map(|(_, version)| *version);
        opened.truncate(limit);
        if opened.is_empty() {
            return Ok(RequestPage::default());
        }
        let wanted = vec![Read::Fields {
            key: keys::interactions(thread_id),
            fields: opened.iter().map(|(id, _)| request_field(id)).collect(),
        }];
        let mut found = self.read(&partition, wanted).await?.fields()?;
        // One is gone if the thread was reset between the two.
        let requests = opened.iter().filter_map(|_| found.take());
        let requests =
            requests.map(|bytes| record::look::<ContextRequest>("context_request", &bytes));
        Ok(RequestPage {
            requests: requests.collect::<Result<_, SessionError>>()?,
            next,
        })
    }

    async fn current(
        &self,
        student: &StudentKey,
        thread_id: &str,
        request_id: &str,
    ) -> Result<Current, SessionError> {
        let wanted = vec![
            StoredThread::read(&keys::thread(thread_id)),
            Interactions::read(thread_id),
            Read::Fields {
                key: keys::interactions(thread_id),
                fields: vec![request_field(request_id), claims_field(request_id)],
            },
            Since::read(),
        ];
        let mut reads = self.read(&self.partition(student).await?, wanted).await?;
        let stored = StoredThread::decode(reads.fields()?)?.ok_or_else(|| unknown(thread_id))?;
        let interactions = Interactions::decode(reads.fields()?)?;
        let mut fields = reads.fields()?;
        let request = fields
            .take()
            .map(|bytes| record::decode("context_request", &bytes))
            .transpose()?;
        let claims = fields
            .take()
            .map(|bytes| record::unstamp("context_request", &bytes))
            .transpose()?
            .unwrap_or_default();
        let since = Since::decode(reads.fields()?)?;
        Ok(Current {
            since,
            stored,
            interactions,
            request,
            claims,
        })
    }

    /// Writes a step, with what was supplied in it; none if somebody else came between.
    async fn take(
        &self,
        student: &StudentKey,
        thread_id: &str,
        current: &Current,
        stepped: Stepped,
        payload: Option<Write>,
    ) -> Result<Option<ContextRequest>, SessionError> {
        let claims = current.claims.clone();
        let step = interactions::writes(self, thread_id, &current.interactions, stepped, claims);
        let since = current.since;
        let mut checks = vec![step.check];
        let touched = self.added_to(student, &current.stored, since).await?;
        // The thread may have been reset since it was read.
        checks.push(Check::Present {
            key: keys::thread(thread_id),
        });
        checks.extend([none_under_way(), since.check()]);
        let transaction = Transaction {
            checks,
            // First, since the step's writes say how long it is kept.
            writes: payload
                .into_iter()
                .chain(step.writes)
                .chain(touched)
                .collect(),
            reads: Vec::new(),
        };
        let partition = self.partition(student).await?;
        let at = (student, &partition);
        let promised = self.promising(at, thread_id, &step.works, since, transaction);
        match promised.await? {
            Outcome::Applied(_) => {
                self.withdraw_done(step.over).await;
                Ok(step.request)
            }
            Outcome::Refused(refused) if refused.check >= 2 => Err(SessionError::TurnErased),
            Outcome::Refused(_) => Ok(None),
        }
    }
}

/// The thread has no such request.
pub(super) fn no_request(request_id: &str) -> SessionError {
    PendingError::ContextRequestClosed {
        request_id: request_id.to_owned(),
        state: turnwise_proto::session::v1::ContextRequestState::Unspecified,
    }
    .into()
}

/// A thread that waits for nothing has closed the request: the error says how.
fn closed(error: PendingError, request: &ContextRequest) -> SessionError {
    match error {
        PendingError::NothingPending => PendingError::ContextRequestClosed {
            request_id: request.request_id.clone(),
            state: request.state(),
        }
        .into(),
        other => other.into(),
    }
}
