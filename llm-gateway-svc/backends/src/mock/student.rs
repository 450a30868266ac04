//! Where the student's words stand in a prompt.
//!
//! The last message of the user role holds them: as the JSON string `messageText` or `messageLatex`, whichever stands
//! last in it (null does not count); or as the whole message, in a prompt that holds no data of a turn.

use std::borrow::Cow;

use serde_json::Deserializer;

use super::obey::FRAME_KEYS;
use crate::completion::{Message, Role};

/// The keys that the student's words stand under.
const KEYS: [&str; 2] = ["\"messageText\"", "\"messageLatex\""];

/// The student's latest message; empty if there is none.
pub fn message(messages: &[Message]) -> Cow<'_, str> {
    let last = messages.iter().rev().find(|m| m.role == Role::User);
    let Some(content) = last.map(|m| m.content.as_str()) else {
        return Cow::Borrowed("");
    };
    let said = KEYS
        .iter()
        .filter_map(|key| content.rfind(key).map(|at| at + key.len()))
        .filter_map(|at| Some((at, string_after_colon(&content[at..])?)))
        .max_by_key(|(at, _)| *at);
    match said {
        Some((_, text)) => Cow::Owned(text),
        // A turn without words, such as a pressed button.
        None if FRAME_KEYS.iter().any(|key| content.contains(key)) => Cow::Borrowed(""),
        None => Cow::Borrowed(content),
    }
}

fn string_after_colon(text: &str) -> Option<String> {
    let value = text.trim_start().strip_prefix(':')?;
    Deserializer::from_str(value)
        .into_iter::<String>()
        .next()?
        .ok()
}
