//! Where the student's words stand in a prompt.
//!
//! The last message of the user role that has the JSON string `messageText` or `messageLatex` holds them there, in
//! whichever of the two stands last in it (null does not count). In a prompt that holds no data of a turn they are the
//! whole last message.

use std::borrow::Cow;

use serde_json::Deserializer;

use super::obey::FRAME_KEYS;
use crate::completion::{Message, Role};

/// The keys that the student's words stand under.
const KEYS: [&str; 2] = ["\"messageText\"", "\"messageLatex\""];

/// The student's latest message; empty if there is none.
pub fn message(messages: &[Message]) -> Cow<'_, str> {
    let users = || messages.iter().rev().filter(|m| m.role == Role::User);
    if let Some(text) = users().find_map(|message| words(&message.content)) {
        return Cow::Owned(text);
    }
    // A turn without words, such as a pressed button.
    let is_data = |message: &Message| FRAME_KEYS.iter().any(|key| message.content.contains(key));
    if users().any(is_data) {
        return Cow::Borrowed("");
    }
    let last = users().next();
    Cow::Borrowed(last.map_or("", |message| message.content.as_str()))
}

/// The student's words in a message that holds data of a turn.
fn words(content: &str) -> Option<String> {
    KEYS.iter()
        .filter_map(|key| content.rfind(key).map(|at| at + key.len()))
        .filter_map(|at| Some((at, string_after_colon(&content[at..])?)))
        .max_by_key(|(at, _)| *at)
        .map(|(_, text)| text)
}

fn string_after_colon(text: &str) -> Option<String> {
    let value = text.trim_start().strip_prefix(':')?;
    Deserializer::from_str(value)
        .into_iter::<String>()
        .next()?
        .ok()
}
