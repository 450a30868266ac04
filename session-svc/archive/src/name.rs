//! The names of archives: `20261122T061000Z-<class>-<uuid>.jsonl`, made here and nowhere else.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use uuid::Uuid;

use crate::error::ArchiveError;

const TIME_FORM: &str = "%Y%m%dT%H%M%SZ";
const TIME_LEN: usize = 16;
const UUID_LEN: usize = 36;
const ENDING: &str = ".jsonl";
const PARTIAL_ENDING: &str = ".partial";

/// A name that [`ArchiveName::new`] may have made. It has no separator and begins with a digit, so that joined to a
/// directory it names something in that directory and nowhere else.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ArchiveName(String);

impl ArchiveName {
    /// A new name, which no other archive has.
    pub(crate) fn new(time: Timestamp, class_id: &str) -> Result<Self, ArchiveError> {
        let name = format!(
            "{}-{class_id}-{}{ENDING}",
            time.strftime(TIME_FORM),
            Uuid::new_v4()
        );
        Self::parse(&name).ok_or_else(|| ArchiveError::NotNameable {
            class_id: class_id.to_owned(),
        })
    }

    /// The name, if it is in the form of one.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let stem = name.strip_suffix(ENDING)?;
        let (time, rest) = stem.split_at_checked(TIME_LEN)?;
        parse_time(time)?;
        let rest = rest.strip_prefix('-')?;
        let (class_id, id) = rest.split_at_checked(rest.len().checked_sub(UUID_LEN)?)?;
        let class_id = class_id.strip_suffix('-')?;
        let known = is_class(class_id) && Uuid::try_parse(id).ok()?.to_string() == id;
        known.then(|| Self(name.to_owned()))
    }

    /// The archive whose unfinished file has this name.
    pub(crate) fn parse_partial(name: &str) -> Option<Self> {
        Self::parse(name.strip_suffix(PARTIAL_ENDING)?)
    }

    /// The name while the file is not finished.
    pub(crate) fn partial(&self) -> String {
        format!("{}{PARTIAL_ENDING}", self.0)
    }

    /// The name.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// When the archive was begun, to the second.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        parse_time(self.0.get(..TIME_LEN)?)
    }
}

fn parse_time(text: &str) -> Option<Timestamp> {
    // The parser takes signs and spaces as well; the writer makes digits only.
    let digits = text
        .bytes()
        .enumerate()
        .all(|(place, b)| matches!(place, 8 | 15) || b.is_ascii_digit());
    if !digits || text.len() != TIME_LEN {
        return None;
    }
    let time = DateTime::strptime(TIME_FORM, text).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

fn is_class(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._~@-".contains(&b))
}
