//! What a student asks for, by the button or by the words of the message.

use std::iter;

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

/// What a message may ask to be set or shown: its phrases, and what is asked for. Those in the middle ask only where they are
/// the whole message.
const WISHES: [(Key, Asks); 4] = [
    (keys::EXERCISE_WORDS, Asks::Exercise),
    (keys::NEXT_WORDS, Asks::Exercise),
    (keys::SHOW_WORDS, Asks::Example),
    (keys::EXAMPLE_WORDS, Asks::Example),
];

/// What the student asks for. Who chooses a unit wants to hear of it.
pub(super) fn asks(locale: &str, pressed: i32, message: &str) -> Asks {
    if pressed == i32::from(ClientEventKind::StuckHint) {
        return Asks::Help;
    }
    let wished = wish(locale, message).or_else(|| {
        let [exercise, _, _, example] = WISHES;
        let mut runs = [exercise, example].into_iter();
        runs.find_map(|(listed, asks)| holds(locale, listed, message).then_some(asks))
    });
    if let Some(asks) = wished {
        return asks;
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

/// What is said back to a message that only greets, says goodbye, says that something is understood or that the student is
/// sad, and what is asked for with it; `None` for any other.
pub(super) fn word_back(locale: &str, message: &str) -> Option<(Key, Asks)> {
    if is_sad(locale, message) {
        return Some((keys::TEACHING_SAD, Asks::Nothing));
    }
    let [goodbye, greeting, understood] = WORDS.map(|(listed, ..)| listed);
    let kinds = [goodbye, greeting, understood, keys::FILLER_WORDS];
    let (_, said, asks) = *WORDS.get(made_of(locale, &kinds, message)?)?;
    // `ok?` asks for something.
    (asks != Asks::Next || !message.contains('?')).then_some((said, asks))
}

/// What a message asks to be set or shown that says nothing else.
fn wish(locale: &str, message: &str) -> Option<Asks> {
    let [exercise, next, show, example] = WISHES.map(|(listed, _)| listed);
    let kinds = [
        exercise,
        next,
        show,
        example,
        keys::FILLER_WORDS,
        keys::UNDERSTOOD_WORDS,
        keys::GREETING_WORDS,
    ];
    let (_, asks) = WISHES.get(made_of(locale, &kinds, message)?)?;
    Some(*asks)
}

/// Whether a message says that the student is sad, or has lost somebody, and nothing else.
fn is_sad(locale: &str, message: &str) -> bool {
    let kinds = [
        keys::SAD_WORDS,
        keys::SAD_FILLER_WORDS,
        keys::GREETING_WORDS,
        keys::GOODBYE_WORDS,
        keys::UNDERSTOOD_WORDS,
        keys::FILLER_WORDS,
    ];
    made_of(locale, &kinds, message) == Some(0)
}

/// Whether a message is about work of the student's own that does not stand in it, and nothing else.
pub(super) fn is_own_work(locale: &str, message: &str) -> bool {
    let kinds = [
        keys::OWN_WORK_WORDS,
        keys::OWN_WORK_FILLER_WORDS,
        keys::FILLER_WORDS,
    ];
    made_of(locale, &kinds, message) == Some(0)
}

/// Whether a message says that the student is stuck, and not with what.
pub(super) fn is_only_stuck(locale: &str, message: &str) -> bool {
    made_of(locale, &[keys::STUCK_WORDS, keys::FILLER_WORDS], message) == Some(0)
}

/// Whether a message is known to be about no topic of the course. Doubts after the tutor's first text may be about that.
pub(super) fn names_no_topic(locale: &str, message: &str, is_first: bool) -> bool {
    word_back(locale, message).is_some()
        || wish(locale, message).is_some()
        || is_first && (is_own_work(locale, message) || is_only_stuck(locale, message))
}

/// The first of these kinds of phrases that stands in a message which is made of them alone; `None` for any other message.
/// Pupils write them in any language of the catalogue.
fn made_of(locale: &str, kinds: &[Key], message: &str) -> Option<usize> {
    let plain = plain(message);
    let words: Vec<&str> = words(&plain).take(MOST_WORDS + 1).collect();
    if words.is_empty() || words.len() > MOST_WORDS {
        return None;
    }
    let locales = || iter::once(locale).chain(LOCALES.map(|(locale, _)| locale));
    let lists: Vec<(usize, String)> = (kinds.iter().enumerate())
        .flat_map(|(kind, listed)| locales().map(move |locale| (kind, text(locale, *listed, &[]))))
        .collect();
    let run = format!("{} ", words.join(" "));
    let mut found = kinds.len();
    let mut rest = run.as_str();
    while !rest.is_empty() {
        let afters = lists.iter().flat_map(|(kind, list)| {
            phrases(list).filter_map(move |phrase| {
                let after = rest.strip_prefix(phrase)?.strip_prefix(' ')?;
                Some((after, *kind))
            })
        });
        // The longest phrase leaves the least.
        let (after, kind) = afters.min_by_key(|(after, kind)| (after.len(), *kind))?;
        found = found.min(kind);
        rest = after;
    }
    Some(found)
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
