//! What keeps a call that began before an erasure from writing after it. The erasure's token stands in the student's
//! partition, in those of the student's classes and in the due set, before anything is removed there: whoever writes into
//! one of them checks that no erasure has come since the call began.

use bytes::Bytes;
use turnwise_session_store::{Check, Key, Partition, Read, StudentKey, Transaction, Write};

use super::{
    Sessions,
    classes::activity,
    fields::{Fields, decimal},
    keys,
    stored::StoredThread,
    threads::{field, unknown},
};
use crate::error::SessionError;

const FENCE: &str = "fence";
/// The field that says that an erasure is under way, and which.
const RUNNING: &str = "running";

/// Since when a call runs: erasures with lower tokens were before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Since(i64);

impl Since {
    /// A call that holds a token of the student's partition.
    pub(super) fn token(token: i64) -> Self {
        Self(token)
    }

    /// Reads what [`Self::decode`] needs.
    pub(super) fn read() -> Read {
        Read::Fields {
            key: keys::erased(),
            fields: vec![FENCE.into(), RUNNING.into()],
        }
    }

    /// A call that begins now.
    ///
    /// # Errors
    ///
    /// If the student is being erased.
    pub(super) fn decode(mut fields: Fields) -> Result<Self, SessionError> {
        let fence = fields.number("erasure")?;
        match fields.take() {
            None => Ok(Self(fence + 1)),
            Some(_) => Err(SessionError::ErasureUnderWay),
        }
    }

    /// Holds in the student's partition if the student was not erased since.
    pub(super) fn check(self) -> Check {
        self.below(keys::erased())
    }

    fn below(self, key: Key) -> Check {
        Check::FenceBelow {
            key,
            field: FENCE,
            token: self.0,
        }
    }
}

/// Holds in the student's partition while no erasure of the student is under way.
pub(super) fn none_under_way() -> Check {
    Check::FieldIs {
        key: keys::erased(),
        field: RUNNING,
        value: None,
        tell: Vec::new(),
    }
}

/// Begins an erasure in the student's partition; [`ended`] names the same one.
pub(super) fn begun(erasure: &str) -> [Write; 2] {
    [
        Write::Fence {
            key: keys::erased(),
            field: FENCE,
        },
        // Nothing new begins meanwhile.
        Write::Put {
            key: keys::erased(),
            fields: vec![field(RUNNING, erasure.to_owned().into())],
        },
    ]
}

/// Ends an erasure, unless another has begun since.
pub(super) fn ended(erasure: &str) -> Transaction {
    Transaction {
        checks: vec![Check::FieldIs {
            key: keys::erased(),
            field: RUNNING,
            value: Some(erasure.to_owned().into()),
            tell: Vec::new(),
        }],
        writes: vec![Write::Unset {
            key: keys::erased(),
            fields: vec![RUNNING.into()],
        }],
        reads: Vec::new(),
    }
}

/// A thread that is about to be added to outside of a turn, as it was when the call began.
pub(super) struct Opened {
    pub(super) stored: StoredThread,
    pub(super) since: Since,
    floor: Option<Bytes>,
}

impl Opened {
    /// They hold if neither the student was erased nor the thread was reset since.
    pub(super) fn checks(&self) -> [Check; 3] {
        let thread_id = &self.stored.thread.thread_id;
        [
            none_under_way(),
            self.since.check(),
            Check::FieldIs {
                key: keys::thread(thread_id),
                field: "floor",
                value: self.floor.clone(),
                tell: Vec::new(),
            },
        ]
    }
}

impl Sessions {
    /// A thread of the student to which something is added.
    ///
    /// # Errors
    ///
    /// If there is none, and while the student is being erased.
    pub(super) async fn opened(
        &self,
        student: &StudentKey,
        thread_id: &str,
    ) -> Result<Opened, SessionError> {
        let key = keys::thread(thread_id);
        let wanted = vec![
            StoredThread::read(&key),
            Since::read(),
            Read::Fields {
                key,
                fields: vec!["floor".into()],
            },
        ];
        let mut reads = self.read(&self.partition(student).await?, wanted).await?;
        let stored = StoredThread::decode(reads.fields()?)?.ok_or_else(|| unknown(thread_id))?;
        Ok(Opened {
            stored,
            since: Since::decode(reads.fields()?)?,
            floor: reads.fields()?.take(),
        })
    }

    /// Notes in the student's partition where the student is about to work, before anything of the student stands
    /// elsewhere: an erasure finds it by this.
    pub(super) fn about_to_work(&self, class_id: &str, course_id: &str) -> Transaction {
        Transaction {
            checks: vec![none_under_way()],
            writes: vec![activity::worked_in(class_id, course_id)],
            reads: vec![Since::read()],
        }
    }

    /// Holds outside of the student's partition if the student was not erased since.
    pub(super) async fn not_erased_since(
        &self,
        student: &StudentKey,
        since: Since,
    ) -> Result<Check, SessionError> {
        let pseudonym = self.pseudonym(&student.tenant, &student.student).await?;
        Ok(since.below(keys::erased_student(&pseudonym)))
    }

    /// Leaves an erasure's token outside of the student's partition; a later one stays.
    pub(super) async fn fence(
        &self,
        student: &StudentKey,
        partition: &Partition,
        token: i64,
    ) -> Result<(), SessionError> {
        let pseudonym = self.pseudonym(&student.tenant, &student.student).await?;
        let key = keys::erased_student(&pseudonym);
        let transaction = Transaction {
            checks: vec![Since(token).below(key.clone())],
            writes: vec![
                Write::Put {
                    key: key.clone(),
                    fields: vec![field(FENCE, decimal(token))],
                },
                Write::Expire {
                    key,
                    after: self.limits().idempotency_ttl,
                },
            ],
            reads: Vec::new(),
        };
        self.transact(partition, transaction).await.map(drop)
    }
}
