//! Reading what the store found, in the order in which it was asked for.

use bytes::Bytes;
use turnwise_session_store::Found;

use crate::error::SessionError;

/// What a transaction's reads found.
pub(super) struct Reads(std::vec::IntoIter<Found>);

impl Reads {
    pub(super) fn new(found: Vec<Found>) -> Self {
        Self(found.into_iter())
    }

    /// The named fields of the next read.
    pub(super) fn fields(&mut self) -> Result<Fields, SessionError> {
        match self.0.next() {
            Some(Found::Fields(fields)) => Ok(Fields(fields.into_iter())),
            _ => Err(unexpected()),
        }
    }

    /// All fields of the next read.
    pub(super) fn record(&mut self) -> Result<Vec<(String, Bytes)>, SessionError> {
        match self.0.next() {
            Some(Found::Record(fields)) => Ok(fields),
            _ => Err(unexpected()),
        }
    }

    /// The log entries of the next read.
    pub(super) fn entries(&mut self) -> Result<Vec<(i64, Bytes)>, SessionError> {
        match self.0.next() {
            Some(Found::Entries(entries)) => Ok(entries),
            _ => Err(unexpected()),
        }
    }

    /// The members of the next read.
    pub(super) fn members(&mut self) -> Result<Vec<(String, i64)>, SessionError> {
        match self.0.next() {
            Some(Found::Members(members)) => Ok(members),
            _ => Err(unexpected()),
        }
    }
}

/// Fields of a record, taken one after another.
pub(super) struct Fields(std::vec::IntoIter<Option<Bytes>>);

impl Fields {
    pub(super) fn of(fields: Vec<Option<Bytes>>) -> Self {
        Self(fields.into_iter())
    }

    /// The next field, if the record had it.
    pub(super) fn take(&mut self) -> Option<Bytes> {
        self.0.next().flatten()
    }

    /// The next field as a number, 0 where the record lacks it; `record` names it in errors.
    pub(super) fn number(&mut self, record: &'static str) -> Result<i64, SessionError> {
        self.take().map_or(Ok(0), |bytes| number(record, &bytes))
    }
}

/// A number as it is stored: decimal text.
pub(super) fn number(record: &'static str, bytes: &[u8]) -> Result<i64, SessionError> {
    std::str::from_utf8(bytes)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or(SessionError::RecordCorrupted { record })
}

/// A number to store.
pub(super) fn decimal(number: i64) -> Bytes {
    number.to_string().into()
}

fn unexpected() -> SessionError {
    tracing::error!("the store answered something else than it was asked for");
    SessionError::Unavailable
}
