//! What a conversation remembers: its latest turns as they were said, and of those before one short line each. No model
//! is asked; the same turns always leave the same memory.

use std::collections::VecDeque;

use turnwise_proto::{
    session::v1::{ConversationMemory, MemoryTurn},
    tutor::v1::Role,
};

/// How much a conversation remembers. Characters are Unicode scalar values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    /// The most turns that are kept as they were said.
    pub max_messages: usize,
    /// The most characters of one turn; longer ones are cut.
    pub turn_max_chars: usize,
    /// The most characters of all turns together.
    pub history_max_chars: usize,
    /// The most characters of the summary of the turns before.
    pub summary_max_chars: usize,
}

impl Default for MemoryLimits {
    fn default() -> Self {
        Self {
            max_messages: 8,
            turn_max_chars: 800,
            history_max_chars: 2400,
            summary_max_chars: 900,
        }
    }
}

/// Stands where something was left out.
const ELLIPSIS: char = '…';
/// A turn takes at most this part of the summary, so that it holds several.
const SHARES_OF_SUMMARY: usize = 6;
/// A first sentence shorter than this ("Yes.") says too little; the next one is taken as well.
const SHORT_SENTENCE_CHARS: usize = 24;

/// The memory after these turns, oldest first.
///
/// Turns are cut to their limit. While there are too many, or too much in them, the oldest leaves, and its first sentence
/// becomes a line of the summary; a summary that grows too long loses its oldest lines. The limits hold whatever the
/// memory was before, one under larger limits too. The newest turn stays, unless a limit is 0; then nothing can.
pub fn remember(
    memory: ConversationMemory,
    turns: &[MemoryTurn],
    limits: &MemoryLimits,
) -> ConversationMemory {
    // One turn alone must not be more than all may be together.
    let turn_max = limits.turn_max_chars.min(limits.history_max_chars);
    let mut kept: VecDeque<(usize, MemoryTurn)> = memory
        .turns
        .into_iter()
        .chain(turns.iter().cloned())
        .map(|turn| {
            let text = cut(turn.text, turn_max);
            (text.chars().count(), MemoryTurn { text, ..turn })
        })
        .collect();
    let mut chars: usize = kept.iter().map(|(chars, _)| chars).sum();
    let mut lines = Vec::new();
    while kept.len() > limits.max_messages || chars > limits.history_max_chars {
        let Some((left, turn)) = kept.pop_front() else {
            break;
        };
        chars -= left;
        lines.extend(summary_line(&turn, limits.summary_max_chars));
    }
    ConversationMemory {
        summary: summarise(memory.summary, lines, limits.summary_max_chars),
        turns: kept.into_iter().map(|(_, turn)| turn).collect(),
    }
}

/// The summary with these lines after it, without the oldest lines if it would be too long.
fn summarise(summary: String, new_lines: Vec<String>, max_chars: usize) -> String {
    if new_lines.is_empty() && summary.chars().count() <= max_chars {
        return summary;
    }
    let mut lines: VecDeque<&str> = summary
        .lines()
        .chain(new_lines.iter().map(String::as_str))
        .collect();
    // Each line but the last ends with a line break, which counts.
    let mut chars: usize = lines.iter().map(|line| line.chars().count() + 1).sum();
    while chars > max_chars + 1 && lines.len() > 1 {
        if let Some(oldest) = lines.pop_front() {
            chars -= oldest.chars().count() + 1;
        }
    }
    let joined = lines.make_contiguous().join("\n");
    cut(joined, max_chars)
}

/// What the summary says of a turn; nothing where the turn says nothing or there is no room.
fn summary_line(turn: &MemoryTurn, summary_max_chars: usize) -> Option<String> {
    let speaker = match turn.role() {
        Role::User => "Student: ",
        Role::Assistant => "Tutor: ",
        Role::Unspecified => return None,
    };
    let share = summary_max_chars / SHARES_OF_SUMMARY;
    // One letter and an ellipsis would tell nothing.
    let room = share.checked_sub(speaker.len() + 2)? + 2;
    let words: Vec<&str> = turn.text.split_whitespace().collect();
    if words.is_empty() {
        return None;
    }
    let text = words.join(" ");
    let first = first_sentence(&text);
    let said = if first.len() == text.len() {
        text
    } else {
        format!("{first} {ELLIPSIS}")
    };
    Some(format!("{speaker}{}", cut(said, room)))
}

/// The text up to the end of its first sentence, or of a later one where the first is short. A sentence ends with a mark
/// and a space after it, but not before a small letter or a digit: "e.g. this" and "approx. 5" go on.
fn first_sentence(text: &str) -> &str {
    for (count, (place, mark)) in text.char_indices().enumerate() {
        let (said, rest) = text.split_at(place + mark.len_utf8());
        let ends = match mark {
            '。' | '？' | '！' => true,
            '.' | '?' | '!' => rest
                .strip_prefix(' ')
                .and_then(|next| next.chars().next())
                .is_some_and(|next| !next.is_lowercase() && !next.is_numeric()),
            _ => false,
        };
        if ends && count + 1 >= SHORT_SENTENCE_CHARS {
            return said;
        }
    }
    text
}

/// The text, or as much of it as leaves room for an ellipsis: up to the end of a word, unless that word is long.
fn cut(text: String, max_chars: usize) -> String {
    let Some((over, _)) = text.char_indices().nth(max_chars) else {
        return text;
    };
    let Some(room) = max_chars.checked_sub(1) else {
        return String::new();
    };
    let end = text.char_indices().nth(room).map_or(over, |(end, _)| end);
    let (mut kept, rest) = text.split_at(end);
    if !rest.starts_with(char::is_whitespace)
        && let Some(word) = kept.rfind(char::is_whitespace)
        && word >= kept.len() / 2
    {
        kept = &kept[..word];
    }
    format!("{}{ELLIPSIS}", kept.trim_end())
}
