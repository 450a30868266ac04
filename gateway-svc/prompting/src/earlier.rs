//! Earlier messages of a thread, as a prompt repeats them.

use serde::Serialize;
use turnwise_proto::tutor::v1::{Role, TutorMessage};

/// How much of an earlier message a prompt repeats, in characters.
pub const EARLIER_MESSAGE_CHARS: usize = 400;

/// One earlier message. Cards are left out: a prompt says what was said.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct EarlierTurn<'a> {
    role: &'static str,
    text: &'a str,
    #[serde(skip)]
    pub(crate) cut: bool,
}

impl<'a> EarlierTurn<'a> {
    /// The message as a prompt repeats it; none if it says nothing, such as a button alone.
    pub(crate) fn of(message: &'a TutorMessage) -> Option<Self> {
        let said = if message.text.is_empty() {
            &message.latex
        } else {
            &message.text
        };
        if said.is_empty() {
            return None;
        }
        let end = said
            .char_indices()
            .nth(EARLIER_MESSAGE_CHARS)
            .map_or(said.len(), |(at, _)| at);
        Some(Self {
            role: match message.role() {
                Role::Assistant => "tutor",
                Role::User | Role::Unspecified => "student",
            },
            text: &said[..end],
            cut: end < said.len(),
        })
    }
}
