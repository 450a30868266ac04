//! Earlier messages of a thread, as a prompt repeats them.

use serde::Serialize;
use turnwise_proto::tutor::v1::{Role, TutorMessage};

use crate::{conversation::CardView, words::event};

/// How much of an earlier message a prompt repeats, in characters.
pub const EARLIER_MESSAGE_CHARS: usize = 400;

/// One earlier message: what was said, below who said it, the card that was shown, the button that was pressed. A button is a
/// student's, a card a tutor's.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct EarlierTurn<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    student: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    tutor: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pressed: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    card: Option<CardView<'a>>,
    #[serde(skip)]
    pub(crate) cut: bool,
}

impl<'a> EarlierTurn<'a> {
    /// The message as a prompt repeats it; none if it says nothing.
    pub(crate) fn of(message: &'a TutorMessage) -> Option<Self> {
        let said = if message.text.is_empty() {
            &message.latex
        } else {
            &message.text
        };
        let pressed = message.event.as_ref().map(|pressed| event(pressed.kind()));
        let card = message.card.as_ref().and_then(CardView::of);
        if said.is_empty() && pressed.is_none() && card.is_none() {
            return None;
        }
        let end = said
            .char_indices()
            .nth(EARLIER_MESSAGE_CHARS)
            .map_or(said.len(), |(at, _)| at);
        let (student, tutor) = match message.role() {
            Role::Assistant => ("", &said[..end]),
            Role::User | Role::Unspecified => (&said[..end], ""),
        };
        Some(Self {
            student,
            tutor,
            pressed,
            card,
            cut: end < said.len(),
        })
    }
}
