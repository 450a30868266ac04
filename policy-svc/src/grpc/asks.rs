//! What a student asks for, by the button or by the words of the message.

use std::{collections::HashMap, sync::LazyLock};

use turnwise_decisions::Asks;
use turnwise_lesson_policy::intent::{Intent, intent};
use turnwise_messages::{Key, LOCALES, keys, text};
use turnwise_proto::{session::v1::MappedUnit, tutor::v1::ClientEventKind};

/// Longer messages are more than a word.
const MOST_WORDS: usize = 12;

/// What a mapping by what was said before counts beside one by the message: alone it makes nothing certain.
const WEIGHT_OF_CONTEXT: f64 = 0.5;

type List = LazyLock<Phrases>;

static ANSWER: List = List::new(|| Phrases::of(keys::ANSWER_WORDS));
static EXAMPLE: List = List::new(|| Phrases::of(keys::EXAMPLE_WORDS));
static EXERCISE: List = List::new(|| Phrases::of(keys::EXERCISE_WORDS));
static FILLER: List = List::new(|| Phrases::of(keys::FILLER_WORDS));
static GO_ON: List = List::new(|| Phrases::of(keys::GO_ON_WORDS));
static GOODBYE: List = List::new(|| Phrases::of(keys::GOODBYE_WORDS));
static GREETING: List = List::new(|| Phrases::of(keys::GREETING_WORDS));
static NEXT: List = List::new(|| Phrases::of(keys::NEXT_WORDS));
static OWN_WORK: List = List::new(|| Phrases::of(keys::OWN_WORK_WORDS));
static OWN_WORK_FILLER: List = List::new(|| Phrases::of(keys::OWN_WORK_FILLER_WORDS));
static SAD: List = List::new(|| Phrases::of(keys::SAD_WORDS));
static SAD_FILLER: List = List::new(|| Phrases::of(keys::SAD_FILLER_WORDS));
static SHOW: List = List::new(|| Phrases::of(keys::SHOW_WORDS));
static STUCK: List = List::new(|| Phrases::of(keys::STUCK_WORDS));
static THANKS: List = List::new(|| Phrases::of(keys::THANKS_WORDS));
static UNDERSTOOD: List = List::new(|| Phrases::of(keys::UNDERSTOOD_WORDS));
static WHY: List = List::new(|| Phrases::of(keys::WHY_WORDS));

/// The phrases that a text of the catalogue lists, in every language, as pupils write in any: as [`row`]s, by their first
/// words, the longest first.
struct Phrases(HashMap<String, Vec<String>>);

impl Phrases {
    fn of(listed: Key) -> Self {
        let mut phrases: HashMap<String, Vec<String>> = HashMap::new();
        for (locale, _) in LOCALES {
            for phrase in text(locale, listed, &[]).split('|').map(row) {
                let first = phrase.split(' ').next().unwrap_or_default().to_owned();
                phrases.entry(first).or_default().push(phrase);
            }
        }
        for beginning in phrases.values_mut() {
            beginning.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        }
        Self(phrases)
    }

    /// What is behind the longest phrase that a row begins with.
    fn behind<'a>(&self, row: &'a str) -> Option<&'a str> {
        let beginning = self.0.get(row.split(' ').next()?)?;
        beginning
            .iter()
            .find_map(|phrase| row.strip_prefix(phrase.as_str()))
    }

    /// Whether a phrase stands in a message.
    fn stand_in(&self, message: &Said<'_>) -> bool {
        let mut rest = message.row.as_str();
        while let Some((_, behind)) = rest.split_once(' ') {
            if self.behind(rest).is_some() {
                return true;
            }
            rest = behind;
        }
        false
    }
}

/// A message, and its [`row`].
pub(super) struct Said<'a> {
    text: &'a str,
    row: String,
}

impl<'a> Said<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let row = row(text);
        Self { text, row }
    }
}

/// What the student asks for. Who chooses a unit wants to hear of it. Where the way `leads_on` from the focus, what comes next is
/// no exercise.
pub(super) fn asks(pressed: i32, message: &Said<'_>, leads_on: bool) -> Asks {
    if pressed == i32::from(ClientEventKind::StuckHint) {
        return Asks::Help;
    }
    if let Some(asks) = wish(message, leads_on) {
        return asks;
    }
    if EXERCISE.stand_in(message) {
        return Asks::Exercise;
    }
    if EXAMPLE.stand_in(message) {
        return Asks::Example;
    }
    // "what is the answer" asks for no explanation.
    if is_only_stuck(message) {
        return Asks::Help;
    }
    match intent(message.text) {
        Intent::Concept => Asks::Explanation,
        Intent::Strategy | Intent::Debug => Asks::Help,
        Intent::Reflection | Intent::Status | Intent::General if STUCK.stand_in(message) => {
            Asks::Help
        }
        _ if pressed == i32::from(ClientEventKind::ChooseUnit) => Asks::Explanation,
        Intent::Reflection | Intent::Status => Asks::Check,
        Intent::General => Asks::Nothing,
    }
}

/// What is said back to a message that only greets, says goodbye, says that something is understood or that the student is
/// sad, and what is asked for with it; `None` for any other.
pub(super) fn word_back(message: &Said<'_>) -> Option<(Key, Asks)> {
    if is_sad(message) {
        return Some((keys::TEACHING_SAD, Asks::Nothing));
    }
    // Of two the first counts.
    let kinds: [&List; 5] = [&GOODBYE, &GREETING, &THANKS, &UNDERSTOOD, &FILLER];
    let (said, asks) = match made_of(&kinds, message)? {
        0 => (keys::TEACHING_GOODBYE, Asks::Check),
        1 => (keys::TEACHING_GREETING, Asks::Check),
        2 => (keys::TEACHING_THANKS, Asks::Next),
        3 => (keys::TEACHING_UNDERSTOOD, Asks::Next),
        _ => return None,
    };
    // `ok?` asks for something.
    (asks != Asks::Next || !message.text.contains('?')).then_some((said, asks))
}

/// What a message asks to be set or shown that says nothing else.
fn wish(message: &Said<'_>, leads_on: bool) -> Option<Asks> {
    let wishes: [&List; 5] = [&EXERCISE, &NEXT, &GO_ON, &SHOW, &EXAMPLE];
    let beside: [&List; 4] = [&FILLER, &UNDERSTOOD, &THANKS, &GREETING];
    match made_of(&[&wishes[..], &beside[..]].concat(), message)? {
        2 if leads_on => Some(Asks::Next),
        0..=2 => Some(Asks::Exercise),
        3 | 4 => Some(Asks::Example),
        _ => None,
    }
}

/// Whether a message says that the student is sad, or has lost somebody, and nothing else.
fn is_sad(message: &Said<'_>) -> bool {
    let beside: [&List; 5] = [&GREETING, &GOODBYE, &THANKS, &UNDERSTOOD, &FILLER];
    made_of(&[&[&SAD, &SAD_FILLER], &beside[..]].concat(), message) == Some(0)
}

/// Whether a message is about work of the student's own that does not stand in it, and nothing else.
pub(super) fn is_own_work(message: &Said<'_>) -> bool {
    made_of(&[&OWN_WORK, &OWN_WORK_FILLER, &FILLER], message) == Some(0)
}

/// Whether a message says that the student is stuck, and not with what, or names the answer and nothing else.
pub(super) fn is_only_stuck(message: &Said<'_>) -> bool {
    matches!(made_of(&[&STUCK, &ANSWER, &FILLER], message), Some(0 | 1))
}

/// Leaves a message the units that it may be about. Thanks and wishes are about none. With what somebody is stuck, or done,
/// is told by nothing but what was said before, which makes nothing certain; where nothing was said, it is about none either.
pub(super) fn keep_topics(mapped: &mut Vec<MappedUnit>, message: &str, is_first: bool) {
    let message = &Said::of(message);
    let goes_by_context = is_own_work(message) || is_only_stuck(message);
    if word_back(message).is_some() || wish(message, false).is_some() || goes_by_context && is_first
    {
        mapped.clear();
    } else if goes_by_context {
        for unit in mapped {
            unit.confidence *= WEIGHT_OF_CONTEXT;
        }
    }
}

/// The first of these kinds of phrases that stands in a message which is made of them alone; `None` for any other message.
fn made_of(kinds: &[&List], message: &Said<'_>) -> Option<usize> {
    if message.row.split(' ').count() > MOST_WORDS + 1 {
        return None;
    }
    let mut found = None;
    let mut rest = message.row.as_str();
    while !rest.is_empty() {
        let behind = kinds.iter().enumerate();
        let behind = behind.filter_map(|(kind, list)| Some((list.behind(rest)?, kind)));
        // The longest phrase leaves the least.
        let (left, kind) = behind.min_by_key(|(left, kind)| (left.len(), *kind))?;
        found = Some(found.map_or(kind, |before: usize| before.min(kind)));
        rest = left;
    }
    found
}

/// Whether a message asks for a reason.
pub(super) fn is_why(message: &Said<'_>) -> bool {
    WHY.stand_in(message)
}

/// What a question for a reason asks the reason of: `no solution?` of `why no solution?`; `None` for any other message.
pub(super) fn asked_why(message: &str) -> Option<&str> {
    let row = row(message);
    let behind = WHY.behind(&row)?.split(' ').count();
    let mut rest = message.trim_start();
    for _ in behind..row.split(' ').count() {
        rest = rest.split_once(char::is_whitespace)?.1.trim_start();
    }
    Some(rest)
}

/// The words of a text in small letters, each with a space behind it, without ß, and no letter three times in a row: `offf`.
fn row(text: &str) -> String {
    let small = text.to_lowercase().replace(['’', '`'], "'");
    let small = small.replace('ß', "ss");
    let mut plain = String::with_capacity(small.len());
    for letter in small.chars() {
        if !letter.is_alphabetic() || !plain.chars().rev().take(2).eq([letter, letter]) {
            plain.push(letter);
        }
    }
    let words = plain.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    let words = words.filter(|word| !word.is_empty());
    words.flat_map(|word| [word, " "]).collect()
}
