//! The scripts, one file for each operation that writes. Each file says what it takes and returns.

use redis::{Script, Value};

use crate::error::SessionError;

/// All scripts, hashed once. They are sent by their hash; only a server that does not know one yet is sent the text.
pub(super) struct Scripts {
    pub(super) create_thread: Script,
    pub(super) begin_turn: Script,
    pub(super) commit_turn: Script,
    pub(super) renew_lease: Script,
    pub(super) abandon_turn: Script,
    pub(super) commit_evidence: Script,
}

impl Scripts {
    pub(super) fn new() -> Self {
        Self {
            create_thread: Script::new(include_str!("create_thread.lua")),
            begin_turn: Script::new(include_str!("begin_turn.lua")),
            commit_turn: Script::new(include_str!("commit_turn.lua")),
            renew_lease: Script::new(include_str!("renew_lease.lua")),
            abandon_turn: Script::new(include_str!("abandon_turn.lua")),
            commit_evidence: Script::new(include_str!("commit_evidence.lua")),
        }
    }
}

/// What a script returned: a word that says how it went, and fields in the order that its file gives.
pub(super) struct Returned {
    pub(super) word: String,
    fields: std::vec::IntoIter<Value>,
}

impl Returned {
    pub(super) fn new(values: Vec<Value>) -> Result<Self, SessionError> {
        let mut fields = values.into_iter();
        match fields.next() {
            Some(Value::BulkString(word)) => Ok(Self {
                word: String::from_utf8_lossy(&word).into_owned(),
                fields,
            }),
            _ => Err(unreadable()),
        }
    }

    /// The next field, if the store had it.
    pub(super) fn optional(&mut self) -> Result<Option<Vec<u8>>, SessionError> {
        match self.fields.next() {
            Some(Value::BulkString(bytes)) => Ok(Some(bytes)),
            Some(Value::Nil) => Ok(None),
            _ => Err(unreadable()),
        }
    }

    /// The next field; `record` names it where the store lacks it.
    pub(super) fn required(&mut self, record: &'static str) -> Result<Vec<u8>, SessionError> {
        self.optional()?
            .ok_or(SessionError::RecordCorrupted { record })
    }

    /// The next field as a number, 0 where the store lacks it.
    pub(super) fn number(&mut self, record: &'static str) -> Result<i64, SessionError> {
        match self.fields.next() {
            Some(Value::Int(number)) => Ok(number),
            Some(Value::BulkString(bytes)) => number(record, Some(&bytes)),
            Some(Value::Nil) => Ok(0),
            _ => Err(unreadable()),
        }
    }

    /// The next field as a list.
    pub(super) fn list(&mut self) -> Result<Vec<Vec<u8>>, SessionError> {
        let Some(Value::Array(values)) = self.fields.next() else {
            return Err(unreadable());
        };
        values
            .into_iter()
            .map(|value| match value {
                Value::BulkString(bytes) => Ok(bytes),
                _ => Err(unreadable()),
            })
            .collect()
    }
}

/// A number as Redis keeps it, 0 where it is not there.
pub(super) fn number(record: &'static str, bytes: Option<&[u8]>) -> Result<i64, SessionError> {
    let Some(bytes) = bytes else { return Ok(0) };
    std::str::from_utf8(bytes)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or(SessionError::RecordCorrupted { record })
}

fn unreadable() -> SessionError {
    tracing::error!("a script of the session store returned something that its file does not say");
    SessionError::Unavailable
}
