//! A prompt that is ready to be sent.

use sha2::{Digest, Sha256};
use turnwise_proto::llm::v1::{ChatMessage, ChatRole};

/// What a model is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// A turn's: rules, material, POLICY and the student's words, by turns of the system and the user role. Of other
    /// prompts the system message, then the user message.
    pub messages: Vec<ChatMessage>,
    /// SHA-256 over roles and contents, in hex: of each message its role's number as four bytes, the length of its
    /// content in bytes as eight (both big-endian), and the content.
    pub hash: String,
    /// How many tokens it takes, as [`estimate`](crate::estimate) counts them, with what a chat template adds.
    pub tokens: usize,
    /// What was left out so that it fits.
    pub trimmed: Trimmed,
}

/// What was left out of a prompt so that it fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Trimmed {
    /// Chunks that are not in it.
    pub chunks_dropped: usize,
    /// Chunks that are in it in part: at most one.
    pub chunks_cut: usize,
    /// Earlier messages that are not in it.
    pub messages_dropped: usize,
    /// Earlier messages that are in it in part, since they are longer than
    /// [`EARLIER_MESSAGE_CHARS`](crate::EARLIER_MESSAGE_CHARS); budget or not.
    pub messages_cut: usize,
    /// Leading texts of the focus that are not in it.
    pub unit_texts_dropped: usize,
    /// Anchors that are not in it.
    pub anchors_dropped: usize,
    /// Anchors that are in it in part: at most one, the focus.
    pub anchors_cut: usize,
    /// Other texts that were shortened or left out: units in progress, the last answer, attachments, meanings of mistake
    /// tags, the unit's title in a grade.
    pub texts_cut: usize,
    /// It takes more than was allowed although nothing more can be left out.
    pub over_budget: bool,
}

impl Prompt {
    /// A prompt of these messages, which speak by turns: the system role first, then the user role.
    pub(crate) fn new(
        contents: impl IntoIterator<Item = String>,
        tokens: usize,
        trimmed: Trimmed,
        max_tokens: usize,
    ) -> Self {
        let roles = [ChatRole::System, ChatRole::User].into_iter().cycle();
        let messages: Vec<ChatMessage> = roles
            .zip(contents)
            .map(|(role, content)| ChatMessage {
                role: role.into(),
                content,
            })
            .collect();
        Self {
            hash: hash(&messages),
            messages,
            tokens,
            trimmed: Trimmed {
                over_budget: tokens > max_tokens,
                ..trimmed
            },
        }
    }
}

fn hash(messages: &[ChatMessage]) -> String {
    let mut hasher = Sha256::new();
    for message in messages {
        hasher.update(message.role.to_be_bytes());
        hasher.update((message.content.len() as u64).to_be_bytes());
        hasher.update(&message.content);
    }
    hex::encode(hasher.finalize())
}
