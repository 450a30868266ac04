//! The text of idempotency entries of evidence. It belongs to a course and not to one thread, so it goes with the text of any thread
//! of that course; the evidence itself, the key and its outcome stay.

use std::time::Duration;

use bytes::Bytes;
use turnwise_session_store::{Check, Read, StudentKey, Write};

use super::{
    END, Limits, Sessions,
    conversations::{self, before},
    entered,
    idempotency::{self, IdempotencyEntry},
    keys,
};
use crate::error::SessionError;

/// For so long after text was erased, the text of evidence is not kept: whatever began before is over then.
const CLEARED_FOR: Duration = Duration::from_secs(600);

/// Holds if no text of the student was erased a moment ago.
pub(super) fn not_cleared() -> Check {
    Check::Absent {
        key: keys::cleared(),
        tell: Vec::new(),
    }
}

/// Notes that text of the student is erased now, so that evidence in flight leaves none.
pub(super) fn clear() -> [Write; 2] {
    [
        Write::Put {
            key: keys::cleared(),
            fields: vec![("at".into(), Bytes::from_static(b"1"))],
        },
        Write::Expire {
            key: keys::cleared(),
            after: CLEARED_FOR,
        },
    ]
}

/// Notes that an entry holds text, and forgets notes of entries that are gone.
pub(super) fn note(
    entry: &IdempotencyEntry,
    course_id: &str,
    now: i64,
    limits: &Limits,
) -> [Write; 3] {
    let member = format!("{course_id}/{}", entry.name());
    entered(keys::graded(), member, now, limits.idempotency_ttl)
}

/// Reads the latest notes.
pub(super) fn names() -> Read {
    conversations::names(keys::graded(), END)
}

impl Sessions {
    /// Takes the text out of the entries of a course, or of all; `page` holds the latest notes.
    pub(super) async fn strip_graded(
        &self,
        student: &StudentKey,
        course_id: Option<&str>,
        mut page: Vec<(String, i64)>,
    ) -> Result<(), SessionError> {
        let partition = self.partition(student).await?;
        loop {
            let writes: Vec<_> = named(&page)
                .filter(|(course, _)| course_id.is_none_or(|id| id == *course))
                .map(|(_, entry)| idempotency::without_stored_text(entry))
                .collect();
            if !writes.is_empty() {
                self.write(&partition, writes).await?;
            }
            let Some(to) = before(&page) else {
                return Ok(());
            };
            let wanted = vec![conversations::names(keys::graded(), to)];
            page = self.read(&partition, wanted).await?.members()?;
        }
    }

    /// Takes the text out of all of a student's entries of evidence, and forgets that there were any.
    pub(super) async fn remove_graded(&self, student: &StudentKey) -> Result<(), SessionError> {
        let partition = self.partition(student).await?;
        let page = self.read(&partition, vec![names()]).await?.members()?;
        self.strip_graded(student, None, page).await?;
        let left = [keys::graded(), keys::cleared()];
        self.write(&partition, left.map(|key| Write::Remove { key }).into())
            .await?;
        Ok(())
    }
}

/// Course and entry of each note.
fn named(page: &[(String, i64)]) -> impl Iterator<Item = (&str, &str)> {
    page.iter().filter_map(|(member, _)| member.split_once('/'))
}
