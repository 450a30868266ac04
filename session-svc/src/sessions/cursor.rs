//! Where a page of a ranking goes on.

use std::{fmt, str::FromStr};

/// The score of the last member of a page, and the member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The score.
    pub(super) score: i64,
    /// The member.
    pub(super) member: String,
}

/// As in a page token.
impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.score, self.member)
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (score, member) = text.split_once(':').ok_or(())?;
        Ok(Self {
            score: score.parse().map_err(|_| ())?,
            member: member.to_owned(),
        })
    }
}
