//! The words that say what a number is.

use crate::text::{MASK, Text};

/// What a cue says of the number after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cue {
    /// A phone number.
    Phone,
    /// A phone number, if it looks like one: "my number is", "call", "phone =".
    PhoneShaped,
    /// A card number.
    Card,
    /// An ID number.
    Id,
}

/// How many words may stand between a cue and its number.
const MAX_FILLERS: usize = 5;

/// How many spaces and marks may stand between two words on the way to a cue.
const MAX_GAP: usize = 6;

/// The cue before a place, if there is one.
pub fn before(text: &Text, place: usize) -> Option<Cue> {
    let mut place = place;
    let mut is_shaped = false;
    for _ in 0..=MAX_FILLERS {
        let is_gap = |c: char| c.is_whitespace() || ":=#-.,'\"()*>_?".contains(c);
        let gap = (0..=MAX_GAP)
            .map_while(|count| place.checked_sub(count))
            .find(|gap| !text.before(*gap).is_some_and(is_gap))?;
        let between = &text.chars()[gap..place];
        let lines = between.iter().filter(|c| **c == '\n').count();
        if lines > 1 || text.before(gap) == Some(MASK) {
            return None;
        }
        is_shaped |= between.contains(&'=');
        let index = text.word_ending_at(gap)?;
        let word = text.lower(Some(index));
        let is_abbreviation = matches!(
            word,
            "no" | "tel" | "nr" | "mob" | "ph" | "id" | "num" | "nos"
        );
        if between.contains(&'.') && !is_abbreviation {
            return None;
        }
        let before = text.lower(text.word_before(index));
        match of_words(before, word) {
            Some(Cue::Phone) if is_shaped => return Some(Cue::PhoneShaped),
            Some(cue) => return Some(cue),
            None if is_filler(word) => place = text.words()[index].range.start,
            None => return None,
        }
    }
    None
}

/// The cue after a place: "… is my number".
pub fn after(text: &Text, place: usize) -> Option<Cue> {
    let first = text.skip(place, |c| c == ' ' || c == ',');
    let index = text.word_starting_at(first)?;
    let is = text.lower(Some(index));
    let whose = text.word_after(index)?;
    if !matches!(is, "is" | "s") || !matches!(text.lower(Some(whose)), "my" | "our" | "her" | "his")
    {
        return None;
    }
    let mut before = text.lower(Some(whose));
    let mut place = whose;
    for steps in 0..3 {
        place = text.word_after(place)?;
        let word = text.lower(Some(place));
        if steps == 0 && word == "number" {
            return Some(Cue::PhoneShaped);
        }
        if let Some(cue) = of_words(before, word) {
            return Some(cue);
        }
        before = word;
    }
    None
}

fn of_words(before: &str, word: &str) -> Option<Cue> {
    let is_number = matches!(
        word,
        "number" | "no" | "nr" | "num" | "id" | "code" | "nos" | "numbers"
    );
    match (before, word) {
        (
            _,
            "phone" | "mobile" | "cell" | "cellphone" | "tel" | "telephone" | "fax" | "whatsapp"
            | "smartphone" | "landline" | "sms" | "dial" | "viber" | "mob",
        ) => Some(Cue::Phone),
        (
            "call" | "text" | "ring" | "phone" | "reach" | "contact" | "message" | "msg" | "buzz",
            "me" | "us" | "him" | "her" | "them" | "mum" | "mom" | "dad",
        ) => Some(Cue::Phone),
        ("contact" | "emergency", _) if is_number => Some(Cue::Phone),
        (_, "visa" | "mastercard" | "amex" | "maestro") => Some(Cue::Card),
        ("credit" | "debit" | "bank" | "payment" | "my", "card") => Some(Cue::Card),
        ("card", _) if is_number => Some(Cue::Card),
        (_, "passport" | "ssn" | "iban" | "nino" | "id" | "studentid" | "matriculation") => {
            Some(Cue::Id)
        }
        ("social", "security") | ("national", "insurance") | ("sort", "code") => Some(Cue::Id),
        (
            "student" | "pupil" | "school" | "roll" | "enrolment" | "enrollment" | "registration"
            | "matric" | "admission" | "member" | "membership" | "employee" | "customer"
            | "licence" | "license" | "account" | "candidate" | "medicare" | "tax" | "insurance"
            | "badge" | "login" | "user" | "patient" | "policy" | "nhs",
            _,
        ) if is_number => Some(Cue::Id),
        ("my" | "his" | "her" | "our" | "your" | "their", "number") => Some(Cue::PhoneShaped),
        (_, "call" | "ring" | "text" | "message" | "contact") => Some(Cue::PhoneShaped),
        _ => None,
    }
}

fn is_filler(word: &str) -> bool {
    matches!(
        word,
        "number"
            | "numbers"
            | "no"
            | "nr"
            | "num"
            | "is"
            | "was"
            | "are"
            | "s"
            | "my"
            | "the"
            | "at"
            | "on"
            | "me"
            | "it"
            | "to"
            | "using"
            | "via"
            | "new"
            | "home"
            | "work"
            | "please"
            | "now"
            | "with"
            | "here"
            | "also"
            | "that"
            | "code"
            | "m"
            | "ends"
            | "mum"
            | "mom"
            | "dad"
            | "or"
            | "and"
    )
}
