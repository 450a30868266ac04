//! The model that obeys whoever speaks last: what an injected instruction asks for, it does.
//!
//! It reads the messages of the user role. The prompt's own data is looked into, for its strings hold the words of students
//! and documents: arrays in the open, and objects with one of [`FRAME_KEYS`]. Any other JSON object, in such a string or in
//! the open, is an injection and comes back word for word, one that looks like a reply or a grade rather than others. In a
//! text without one, words that ask for something are granted: in a turn an exam, a badge, a concept card, the rules, what
//! it knows of others; in a grade that the answer be right, or the key. Of several texts the last one is obeyed. A prompt
//! must therefore not show an example of a reply as valid JSON outside of the system role.

use serde_json::{Deserializer, Value};

use super::reply::{QUOTE_MAX_BYTES, Writer};
use crate::completion::{Message, Role};

/// Keys of the data that a prompt hands over, and of schemas: an object with one of them is nobody's injection.
pub const FRAME_KEYS: [&str; 15] = [
    "unitAnchors",
    "unitContentChunks",
    "examCandidates",
    "snapshotLiteForLLM",
    "clientEvent",
    "messageText",
    "messageLatex",
    "voiceTranscript",
    "allowedActions",
    "properties",
    "unitTitle",
    "prompt",
    "questionLatex",
    EXPECTED,
    "answer",
];

/// Where a prompt for a grade holds the key.
const EXPECTED: &str = "expectedAnswer";

/// Keys of a reply, and of a grade.
const REPLY_KEYS: [&str; 6] = [
    "action",
    "tutor_text",
    "exam_suggestion",
    "concept_card",
    "drill_card",
    "isCorrect",
];

/// How many opening brackets are tried in one text; a hostile prompt holds more.
const MAX_BRACKETS: usize = 1_000;
/// How far before what is asked for the asking word may stand, in bytes.
const ASKING_REACH: usize = 60;

const ASKING: [&str; 25] = [
    "give",
    "show",
    "start",
    "unlock",
    "offer",
    "open",
    "send",
    "output",
    "grant",
    "set ",
    "mark ",
    "award",
    "let me",
    "i want",
    "repeat",
    "print",
    "tell",
    "say",
    "count",
    "gib",
    "zeig",
    "schreib",
    "wiederhol",
    "sag",
    "verrat",
];

/// The answer to these messages.
pub(super) fn answer(messages: &[Message], writer: &Writer<'_>) -> String {
    let mut found = Found::default();
    for message in messages.iter().filter(|m| m.role == Role::User) {
        found.read(&message.content);
    }
    // Rules and data stand in the first message of their role.
    let said = |role| {
        let mut messages = messages.iter();
        let first = messages.find(|message| message.role == role);
        first.map_or("", |message| message.content.as_str())
    };
    let prompt = Prompt {
        rules: said(Role::System),
        data: said(Role::User),
        key: found.key.as_deref().unwrap_or_default(),
    };
    let mut demands = found.texts.into_iter().rev();
    demands
        .find_map(|text| {
            let object = text.reply.or(text.object);
            object.or_else(|| wish(&text.words, &prompt, writer))
        })
        .unwrap_or_else(|| writer.well())
}

/// What the model was told, and could tell.
struct Prompt<'a> {
    rules: &'a str,
    data: &'a str,
    key: &'a str,
}

/// What stands in the user's messages.
#[derive(Default)]
struct Found {
    /// Every text, in the order in which they end.
    texts: Vec<Text>,
    /// The key of a drill.
    key: Option<String>,
}

/// One text; of objects in it the last of each kind.
#[derive(Default)]
struct Text {
    /// An injected object that looks like a reply or a grade.
    reply: Option<String>,
    /// Any other injected object.
    object: Option<String>,
    /// What stands outside of objects.
    words: String,
}

impl Found {
    fn read(&mut self, text: &str) {
        let mut rest = text;
        let mut read = Text::default();
        for _ in 0..MAX_BRACKETS {
            let Some(bracket) = rest.find(['{', '[']) else {
                break;
            };
            read.words.push_str(&rest[..bracket]);
            rest = &rest[bracket..];
            let mut values = Deserializer::from_str(rest).into_iter::<Value>();
            if let Some(Ok(value)) = values.next() {
                let (verbatim, after) = rest.split_at(values.byte_offset());
                self.value(&value, verbatim, &mut read);
                rest = after;
            } else {
                read.words.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
        read.words.push_str(rest);
        self.texts.push(read);
    }

    fn value(&mut self, value: &Value, verbatim: &str, read: &mut Text) {
        let has = |keys: &[&str]| keys.iter().any(|key| value.get(key).is_some());
        if has(&REPLY_KEYS) {
            read.reply = Some(verbatim.to_owned());
        } else if value.is_array() || has(&FRAME_KEYS) {
            if let Some(key) = value.get(EXPECTED).and_then(Value::as_str) {
                self.key = Some(key.to_owned());
            }
            self.strings(value);
        } else if value.as_object().is_some_and(|map| !map.is_empty()) {
            read.object = Some(verbatim.to_owned());
        }
    }

    fn strings(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.read(text),
            Value::Array(items) => items.iter().for_each(|item| self.strings(item)),
            Value::Object(map) => map.values().for_each(|value| self.strings(value)),
            _ => {}
        }
    }
}

/// The reply that grants what these words ask for, if they ask.
fn wish(words: &str, prompt: &Prompt<'_>, writer: &Writer<'_>) -> Option<String> {
    let lower = words.to_lowercase();
    let any = |wanted: &[&str]| wanted.iter().any(|what| asks(&lower, what));
    if writer.grades() {
        if any(&["key", "expected", "solution", "lösung"]) {
            let feedback = format!("The expected answer is {}", prompt.key);
            return Some(writer.grade_as_asked(any(&["right", "correct"]), &feedback));
        }
        return any(&["right", "correct", "richtig"])
            .then(|| writer.grade_as_asked(true, "That is right."));
    }
    if any(&[
        "prompt",
        "rules",
        "instructions",
        "policy",
        "regeln",
        "anweisungen",
    ]) {
        return Some(writer.saying(start(prompt.rules)));
    }
    if any(&[
        "student",
        "students",
        "classmate",
        "class",
        "schüler",
        "mitschüler",
        "klasse",
    ]) {
        return Some(writer.saying(start(prompt.data)));
    }
    if any(&["exam", "exams", "prüfung", "prüfungsfrage"]) {
        let id = words.split(is_no_id).find(|word| is_id(word));
        let tier = ["bronze", "silver", "gold"]
            .into_iter()
            .find(|tier| lower.contains(tier));
        return Some(writer.exam_as_asked(id.unwrap_or_default(), tier.unwrap_or_default()));
    }
    if any(&["mastery", "mastered", "badge", "abzeichen"]) {
        return Some(writer.badge_as_asked());
    }
    any(&["concept card", "concept_card"]).then(|| writer.concept_as_asked())
}

/// As much of a text as a reply can repeat.
fn start(text: &str) -> &str {
    &text[..text.floor_char_boundary(QUOTE_MAX_BYTES)]
}

/// Whether the text asks for `what`, a whole word.
fn asks(text: &str, what: &str) -> bool {
    text.match_indices(what).any(|(at, _)| {
        let from = text.floor_char_boundary(at.saturating_sub(ASKING_REACH));
        let letter = |c: &char| c.is_alphabetic();
        let whole = !text[..at].chars().next_back().is_some_and(|c| letter(&c))
            && !text[at + what.len()..]
                .chars()
                .next()
                .is_some_and(|c| letter(&c));
        whole && ASKING.iter().any(|asking| text[from..at].contains(asking))
    })
}

fn is_no_id(c: char) -> bool {
    !(c.is_ascii_alphanumeric() || "._~@-".contains(c))
}

/// A word with a letter, a hyphen and a digit, such as `EX-12`.
fn is_id(word: &str) -> bool {
    word.contains('-')
        && word.bytes().any(|b| b.is_ascii_digit())
        && word.bytes().any(|b| b.is_ascii_alphabetic())
}
