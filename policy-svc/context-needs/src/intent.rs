//! What a message wants, by its words, in English and in German.
//!
//! The rules are tried from the top; the first with a pattern that fits decides. Students mix languages, so both are tried on
//! every message.

use std::sync::LazyLock;

use turnwise_course_pack::MessageIntent::{self, Action, Debug, Plan, Question, Review};
use turnwise_text::normalise;

/// So many characters of a text are looked at: a message says at once what it wants.
const MOST_CHARS: usize = 2_000;
/// The most words that `~` stands for.
const GAP: usize = 3;

/// The most words of [`POLITE`] before the one that says what is wanted.
const MOST_POLITE: usize = 6;

/// Patterns are runs of words, between commas. `^` is the start of a sentence, behind words of [`POLITE`]; `*` is any end of
/// a word; `~` is up to three words. Umlauts are written `ae`, `oe`, `ue`.
const RULES: [(MessageIntent, &str); 8] = [
    // That something does not work is no matter of taste.
    (
        Debug,
        "doesn't work, does not work, don't work, isn't working, not working, won't work, didn't work, error message, crash*, \
         i'm stuck, we're stuck, am stuck, are stuck, doesn't add up, does not add up, don't add up, doesn't match, \
         don't match, makes no sense, doesn't make sense, why do i ~ get, why do we ~ get, why am i getting, keep getting, \
         fehlermeldung, funktioniert ~ nicht, klappt ~ nicht, geht ~ nicht auf, es geht nicht, das geht nicht, \
         stuerzt ~ ab, komm* ~ nicht weiter, haenge ~ fest, stecke ~ fest, ergibt ~ keinen sinn, warum kommt, wieso kommt, \
         warum bekomm*, wieso bekomm*, bekomm* ~ immer",
    ),
    (
        Review,
        "^check, ^review, ^proofread, ^look over, ^look at my, ^look at our, ^have a look, ^take a look, ^correct my, \
         ^correct our, ^give ~ feedback, feedback, double check, look it over, go over my, go over our, ^pruef*, \
         ^kontrollier*, ^korrigier*, ^ueberpruef*, pruefen, ueberpruefen, kontrollieren, korrigieren, durchlesen, \
         durchsehen, gegenlesen, drueberschau*, anschauen, ^schau ~ an, ^lies, rueckmeldung",
    ),
    (
        Debug,
        "error*, bug, bugs, broken, wrong, mistake*, fail, fails, failed, instead of, why is ~ negative, fehler*, falsch*, \
         kaputt, stimm* ~ nicht, passt ~ nicht, statt, anstatt",
    ),
    (
        Review,
        "is ~ right, is ~ correct, is ~ ok, is ~ okay, is ~ good enough, are ~ right, are ~ correct, did i ~ right, \
         did we ~ right, what do you think, good enough, can ~ be improved, how can i improve, how can we improve, \
         ist ~ richtig, ist ~ korrekt, sind ~ richtig, stimmt das, stimmt mein*, stimmt unser*, stimmt die, stimmen, \
         passt das, passt mein*, passt unser*, was haeltst du, gut genug, verbesser*, hab* ~ richtig",
    ),
    (
        Plan,
        "^plan, to plan, planning, help ~ plan, make a plan, a plan for, schedule, timetable, outline, next step*, \
         first step*, which steps, what steps, what order, which order, ^organi*, break ~ down, where do i ~ start, \
         where do we ~ start, where should i ~ start, where should we ~ start, how do i start, how do we start, \
         how should i start, how should we start, how do i begin, how do we begin, where do i begin, where do we begin, \
         do first, do next, comes first, comes next, what's next, what now, planen, planung, einen plan, zeitplan, \
         ablauf*, naechste* schritt*, erste* schritt*, welche schritte, reihenfolge, fange ~ an, fangen ~ an, \
         soll* ~ anfangen, zuerst, als naechstes, gliederung, aufteilen, einteilen, vorgehen",
    ),
    (
        Question,
        "explain, ^tell me, ^show me how, ^show us how, ^show me why, erklaer*, ^zeig* ~ wie, ^zeig* ~ warum, kannst du ~ \
         sagen",
    ),
    (
        Action,
        "^make, ^write, ^calculate, ^compute, ^work out, ^draw, ^sketch, ^solve, ^create, ^show, ^convert, ^fill, ^give, \
         ^change, ^put, ^add, ^update, ^replace, ^set, ^find, ^turn, ^do it, ^do the, ^do my, ^do this, ^do that, ^build, \
         ^list, ^sort, ^multiply, ^divide, ^subtract, ^scale, ^split, ^share, ^round, ^plot, ^simplify, ^factor, ^expand, \
         ^remove, ^delete, ^finish, ^continue, ^translate, ^use, ^let's, ^let us, want you to, need you to, ^mach, ^mache, \
         ^schreib*, ^berechne*, ^rechne*, ^zeichne*, ^erstell*, ^loes*, ^fuell*, ^ergaenz*, ^aender*, ^gib, ^zeig*, \
         ^trag*, ^setz*, ^ersetz*, ^fueg*, ^wandle*, ^teil*, ^verteil*, ^suche, ^nimm, ^bau*, ^sortier*, ^rund*, ^kuerz*, \
         ^verdopple*, ^aktualisier*, ^streich*, ^loesch*, ^uebersetz*, ^lass uns, ^kannst du, ^koenntest du, \
         ^koennen wir",
    ),
    (
        Question,
        "^what*, ^why, ^how, ^when, ^where, ^who, ^which, ^is, ^are, ^does, ^do, ^did, ^was, ^wie*, ^warum, ^wieso, \
         ^weshalb, ^wann, ^wo, ^wer, ^welche*, ^ist, ^sind, ^hat, ^habe*, ^muss*, ^darf*",
    ),
];

/// Words before the one that says what is wanted.
const POLITE: &str = "please can could would will you hey hi hello ok okay now then so also and just but help me us i \
                      need to bitte jetzt dann und also nun hallo mal aber hilf mir uns zu";

/// A word that is expected.
enum Part {
    Start,
    Gap,
    Word(&'static str),
    Beginning(&'static str),
}

static PATTERNS: LazyLock<Vec<(MessageIntent, Vec<Vec<Part>>)>> = LazyLock::new(|| {
    let patterns = |text: &'static str| text.split(',').map(pattern).collect();
    RULES.map(|(intent, text)| (intent, patterns(text))).into()
});

fn pattern(text: &'static str) -> Vec<Part> {
    let text = text.trim();
    let start = text.strip_prefix('^');
    let words = start.unwrap_or(text).split_whitespace().map(|word| {
        if word == "~" {
            return Part::Gap;
        }
        match word.strip_suffix('*') {
            Some(beginning) => Part::Beginning(beginning),
            None => Part::Word(word),
        }
    });
    start
        .map(|_| Part::Start)
        .into_iter()
        .chain(words)
        .collect()
}

/// What the words of a text want; `None` if they do not say. A question mark makes a question of what says nothing else.
#[must_use]
pub fn of_words(text: &str) -> Option<MessageIntent> {
    let text: String = text.chars().take(MOST_CHARS).collect();
    let text = normalise(&text)
        .replace('ä', "ae")
        .replace('ö', "oe")
        .replace('ü', "ue")
        .replace('ß', "ss");
    let sentences: Vec<Vec<&str>> = text
        .split(['.', '!', '?', ';', ':', '\n'])
        .map(|sentence| {
            let words = sentence.split(|c: char| !c.is_alphabetic() && c != '\'');
            words.filter(|word| !word.is_empty()).collect()
        })
        .collect();
    let found = PATTERNS.iter().find(|(_, patterns)| {
        let fits = |pattern: &Vec<Part>| sentences.iter().any(|words| stands_in(pattern, words));
        patterns.iter().any(fits)
    });
    found
        .map(|(intent, _)| *intent)
        .or_else(|| text.contains('?').then_some(Question))
}

fn stands_in(pattern: &[Part], words: &[&str]) -> bool {
    if let [Part::Start, rest @ ..] = pattern {
        let polite = |word: &&str| POLITE.split(' ').any(|known| known == *word);
        // Such a word may itself be the one that counts, as in `let us`.
        let most = words
            .iter()
            .take(MOST_POLITE)
            .take_while(|word| polite(word))
            .count();
        return (0..=most).any(|from| begins(rest, &words[from..]));
    }
    (0..words.len()).any(|from| begins(pattern, &words[from..]))
}

fn begins(pattern: &[Part], words: &[&str]) -> bool {
    let rest = || words.get(1..).unwrap_or_default();
    match pattern {
        [] => true,
        [Part::Start, ..] => false,
        [Part::Gap, after @ ..] => {
            (0..=GAP.min(words.len())).any(|skipped| begins(after, &words[skipped..]))
        }
        [Part::Word(word), after @ ..] => words.first() == Some(word) && begins(after, rest()),
        [Part::Beginning(beginning), after @ ..] => {
            words
                .first()
                .is_some_and(|word| word.starts_with(beginning))
                && begins(after, rest())
        }
    }
}
