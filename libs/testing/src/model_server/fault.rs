//! The ways in which a model server fails, each with a word.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A way to fail. Its word, given by `Display` and read by `FromStr`, stands in settings and, after `fault:`, in names of
/// models: whoever calls the model `fault:reset` is treated accordingly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Fault {
    /// `none`: it does not fail.
    None,
    /// `reset`: the connection is reset before the first byte.
    Reset,
    /// `reset_midway`: it is reset in the middle of the answer.
    ResetMidway,
    /// `stall`: nothing comes until the caller goes away.
    Stall,
    /// `stall_midway`: half of the answer comes, and then nothing.
    StallMidway,
    /// `trickle`: the answer comes whole, but a few bytes at a time.
    Trickle,
    /// `malformed`: the answer is no JSON, in its middle if it is a stream.
    Malformed,
    /// `429`, or `429:SECONDS` with a `Retry-After` of so many seconds.
    TooManyRequests(Option<u32>),
    /// `500`.
    InternalError,
    /// `early_close`: the connection is closed in the middle of the answer.
    EarlyClose,
    /// `large`: the text has a million bytes.
    Large,
    /// `embeddings_missing`: one vector fewer than inputs. Completions are as usual, here and below.
    EmbeddingsMissing,
    /// `embeddings_uneven`: the last vector is shorter than the others.
    EmbeddingsUneven,
    /// `embeddings_null`: a value of the last vector is no number.
    EmbeddingsNull,
}

/// A word that names no fault.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownFault(pub String);

impl fmt::Display for UnknownFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a model server cannot fail by `{}`", self.0)
    }
}

impl std::error::Error for UnknownFault {}

/// Every fault with its word, but those with a number.
const WORDS: [(&str, Fault); 14] = [
    ("none", Fault::None),
    ("reset", Fault::Reset),
    ("reset_midway", Fault::ResetMidway),
    ("stall", Fault::Stall),
    ("stall_midway", Fault::StallMidway),
    ("trickle", Fault::Trickle),
    ("malformed", Fault::Malformed),
    ("429", Fault::TooManyRequests(None)),
    ("500", Fault::InternalError),
    ("early_close", Fault::EarlyClose),
    ("large", Fault::Large),
    ("embeddings_missing", Fault::EmbeddingsMissing),
    ("embeddings_uneven", Fault::EmbeddingsUneven),
    ("embeddings_null", Fault::EmbeddingsNull),
];

impl Fault {
    /// The fault that a model's name asks for: `fault:WORD`.
    pub(super) fn of_model(name: &str) -> Option<Self> {
        name.strip_prefix("fault:")?.parse().ok()
    }
}

impl FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(word: &str) -> Result<Self, UnknownFault> {
        if let Some(seconds) = word.strip_prefix("429:") {
            let seconds = seconds.parse().map_err(|_| UnknownFault(word.to_owned()))?;
            return Ok(Self::TooManyRequests(Some(seconds)));
        }
        WORDS
            .iter()
            .find_map(|(known, fault)| (*known == word).then_some(*fault))
            .ok_or_else(|| UnknownFault(word.to_owned()))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::TooManyRequests(Some(seconds)) = self {
            return write!(f, "429:{seconds}");
        }
        let word = WORDS
            .iter()
            .find_map(|(word, fault)| (fault == self).then_some(*word));
        f.write_str(word.unwrap_or_default())
    }
}

impl TryFrom<String> for Fault {
    type Error = UnknownFault;

    fn try_from(word: String) -> Result<Self, UnknownFault> {
        word.parse()
    }
}

impl From<Fault> for String {
    fn from(fault: Fault) -> Self {
        fault.to_string()
    }
}
