//! What a student asks for, by the button or by the words of the message.

use std::{cmp::Reverse, iter};

use turnwise_decisions::Asks;
use turnwise_lesson_policy::intent::{Intent, intent};
use turnwise_messages::{Key, LOCALES, keys, text};
use turnwise_proto::tutor::v1::ClientEventKind;

/// Longer messages are more than a word.
const MOST_WORDS: usize = 12;

/// Messages that are a word and no more, in any language of the catalogue: their phrases, what is said back, and what is asked
/// for. Of two the first counts.
const WORDS: [(Key, Key, Asks); 3] = [
    (keys::GOODBYE_WORDS, keys::TEACHING_GOODBYE, Asks::Check),
    (keys::GREETING_WORDS, keys::TEACHING_GREETING, Asks::Check),
    (
        keys::UNDERSTOOD_WORDS,
        keys::TEACHING_UNDERSTOOD,
        Asks::Next,
    ),
];

/// What the student asks for. Who chooses a unit wants to hear of it.
pub(super) fn asks(locale: &str, pressed: i32, message: &str) -> Asks {
    if pressed == i32::from(ClientEventKind::StuckHint) {
        return Asks::Help;
    }
    match intent(message) {
        Intent::Concept => Asks::Explanation,
        Intent::Strategy | Intent::Debug => Asks::Help,
        Intent::Reflection | Intent::Status | Intent::General
            if holds(locale, keys::STUCK_WORDS, message) =>
        {
            Asks::Help
        }
        _ if pressed == i32::from(ClientEventKind::ChooseUnit) => Asks::Explanation,
        Intent::Reflection | Intent::Status => Asks::Check,
        Intent::General => Asks::Nothing,
    }
}

/// What is said back to a message that only greets, says goodbye or says that something is understood, and what is asked for
/// with it; `None` for any other.
pub(super) fn word_back(locale: &str, message: &str) -> Option<(Key, Asks)> {
    let plain = plain(message);
    let words: Vec<&str> = words(&plain).take(MOST_WORDS + 1).collect();
    if words.len() > MOST_WORDS {
        return None;
    }
    // Fillers are the last kind, which says nothing alone. Pupils greet in any language.
    let listed = WORDS.map(|(listed, ..)| listed).into_iter();
    let kinds = listed.chain([keys::FILLER_WORDS]).enumerate();
    let locales = || iter::once(locale).chain(LOCALES.map(|(locale, _)| locale));
    let lists: Vec<(usize, String)> = kinds
        .flat_map(|(kind, listed)| locales().map(move |locale| (kind, text(locale, listed, &[]))))
        .collect();
    let phrases: Vec<(Vec<&str>, usize)> = lists
        .iter()
        .flat_map(|(kind, list)| phrases(list).map(move |phrase| (words_of(phrase), *kind)))
        .collect();
    let mut found = WORDS.len();
    let mut rest = words.as_slice();
    while !rest.is_empty() {
        let begins = phrases
            .iter()
            .filter(|(phrase, _)| rest.starts_with(phrase));
        let (phrase, kind) = begins.max_by_key(|(phrase, kind)| (phrase.len(), Reverse(*kind)))?;
        found = found.min(*kind);
        rest = &rest[phrase.len()..];
    }
    let (_, said, asks) = *WORDS.get(found)?;
    // `ok?` asks for something.
    (asks != Asks::Next || !message.contains('?')).then_some((said, asks))
}

/// Whether a message is about work of the student's own that does not stand in it.
pub(super) fn is_own_work(locale: &str, message: &str) -> bool {
    !message.contains(char::is_numeric) && holds(locale, keys::OWN_WORK_WORDS, message)
}

/// Whether a message asks for a reason.
pub(super) fn is_why(locale: &str, message: &str) -> bool {
    holds(locale, keys::WHY_WORDS, message)
}

/// Whether a message holds one of these phrases of the catalogue.
fn holds(locale: &str, listed: Key, message: &str) -> bool {
    let run = format!(" {} ", words_of(&plain(message)).join(" "));
    let listed = text(locale, listed, &[]);
    phrases(&listed).any(|phrase| run.contains(&format!(" {phrase} ")))
}

/// The message in small letters, and none three times in a row: `offf`.
fn plain(message: &str) -> String {
    let small = message.to_lowercase().replace(['’', '`'], "'");
    let mut plain = String::with_capacity(small.len());
    for letter in small.chars() {
        if !letter.is_alphabetic() || !plain.chars().rev().take(2).eq([letter, letter]) {
            plain.push(letter);
        }
    }
    plain
}

fn words_of(plain: &str) -> Vec<&str> {
    words(plain).collect()
}

fn words(plain: &str) -> impl Iterator<Item = &str> {
    let words = plain.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    words.filter(|word| !word.is_empty())
}

/// The phrases of a text of the catalogue that lists some.
fn phrases(listed: &str) -> impl Iterator<Item = &str> {
    let phrases = listed.split('|').map(str::trim);
    phrases.filter(|phrase| !phrase.is_empty())
}
