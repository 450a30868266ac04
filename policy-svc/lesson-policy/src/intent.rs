//! What a student wants with a message: a closed set, found by phrases.

use std::{collections::HashMap, sync::LazyLock};

use crate::words::spelled;

/// What a student wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Intent {
    /// Something does not work.
    Debug,
    /// What something is, or why.
    Concept,
    /// How to begin or go on.
    Strategy,
    /// Whether the student's own work is good.
    Reflection,
    /// How far the student is.
    Status,
    /// Anything else.
    General,
}

/// Phrases of each intent, in the order in which they are looked for.
const PHRASES: [(Intent, &[&str]); 8] = [
    (
        Intent::Debug,
        &[
            "bug",
            "bugs",
            "debug",
            "error",
            "errors",
            "crash",
            "crashes",
            "crashed",
            "traceback",
            "exception",
            "broken",
            "doesn't work",
            "doesnt work",
            "does not work",
            "not working",
            "isn't working",
            "isnt working",
            "won't work",
            "won't run",
            "wont run",
            "doesn't run",
            "doesn't move",
            "not moving",
            "stopped working",
            "nothing happens",
            "why doesn't my",
            "why isn't my",
            "why does my",
            "why won't my",
            "what's wrong",
            "whats wrong",
            "what is wrong",
            "where is my mistake",
            "where's my mistake",
            "find my mistake",
            "find the mistake",
            "goes wrong",
            "went wrong",
            "fehler",
            "fehlermeldung",
            "funktioniert nicht",
            "klappt nicht",
            "geht nicht",
            "läuft nicht",
            "bewegt sich nicht",
            "stürzt ab",
            "kaputt",
            "passiert nichts",
            "was ist falsch",
            "warum funktioniert",
            "warum geht mein",
        ],
    ),
    (
        Intent::Reflection,
        &[
            "is this right",
            "is that right",
            "is it right",
            "is this correct",
            "is that correct",
            "is it correct",
            "am i right",
            "am i correct",
            "did i do",
            "check my",
            "check if",
            "check this",
            "my answer",
            "my solution",
            "my idea",
            "i think it is",
            "i think it's",
            "i think the answer",
            "have i done",
            "is my",
            "are my",
            "right so far",
            "does this make sense",
            "does that make sense",
            "what do you think",
            "could i improve",
            "stimmt das",
            "ist das richtig",
            "ist es richtig",
            "ist das so richtig",
            "so richtig",
            "richtig so",
            "habe ich recht",
            "hab ich recht",
            "meine lösung",
            "mein ergebnis",
            "meine antwort",
            "meine idee",
            "ich glaube es ist",
            "ist mein",
            "ist meine",
            "sind meine",
            "habe ich das",
            "hab ich das",
            "was hältst du",
            "macht das sinn",
            "ergibt das sinn",
            "überprüfe",
            "prüf",
            "prüfe",
            "kontrollier",
            "stimmt mein",
            "stimmt meine",
            "stimmt es",
        ],
    ),
    (
        Intent::Status,
        &[
            "i'm done",
            "im done",
            "i am done",
            "i'm finished",
            "im finished",
            "i finished",
            "i have finished",
            "i've finished",
            "all done",
            "done with",
            "finished with",
            "i solved it",
            "i did it",
            "i got it",
            "got it now",
            "how far",
            "i'm at",
            "i am at",
            "i'm on step",
            "i am on step",
            "i have done",
            "i've done",
            "bin fertig",
            "ich bin fertig",
            "fertig mit",
            "habe fertig",
            "geschafft",
            "erledigt",
            "ich habe es gelöst",
            "wie weit",
            "ich bin bei",
            "bin jetzt bei",
            "hab es",
            "habs",
        ],
    ),
    (
        Intent::Strategy,
        &[
            "how do i start",
            "how to start",
            "where do i start",
            "what should i do",
            "what do i do",
            "what to do",
            "first step",
            "next step",
            "what's next",
            "whats next",
            "what next",
            "what comes next",
            "and then",
            "and now",
            "hint",
            "hints",
            "stuck",
            "show me an example",
            "give me an example",
            "an example please",
            "zeig mir ein beispiel",
            "gib mir ein beispiel",
            "wie fange ich an",
            "wie fang ich an",
            "was soll ich",
            "was muss ich",
            "was mache ich",
            "was mach ich",
            "erster schritt",
            "ersten schritt",
            "nächster schritt",
            "nächste schritt",
            "nächsten schritt",
            "wie geht es weiter",
            "wie gehts weiter",
            "wie weiter",
            "und dann",
            "und jetzt",
            "tipp",
            "tipps",
            "hinweis",
            "womit fange",
            "komme nicht weiter",
            "komm nicht weiter",
            "hänge fest",
            "häng fest",
            "stecke fest",
        ],
    ),
    (
        Intent::Concept,
        &[
            "what is",
            "what's",
            "whats",
            "what are",
            "what does",
            "what do",
            "why",
            "mean",
            "means",
            "meaning",
            "difference",
            "explain",
            "definition",
            "define",
            "don't understand",
            "dont understand",
            "do not understand",
            "not understand",
            "can't understand",
            "understand why",
            "understand how",
            "understand what",
            "help me understand",
            "want to understand",
            "don't get",
            "dont get",
            "how does",
            "how come",
            "how do you know",
            "rule",
            "rules",
            "in your own words",
            "convince",
            "describe",
            "was ist",
            "was sind",
            "was heißt",
            "was bedeutet",
            "was bedeuten",
            "warum",
            "wieso",
            "weshalb",
            "bedeutung",
            "unterschied",
            "erklär",
            "erkläre",
            "erklären",
            "definition",
            "verstehe",
            "versteh",
            "kapiere",
            "kapier",
            "wofür",
            "wozu",
            "woher weiß",
            "woher weiss",
            "woher weißt",
            "woher weisst",
            "regel",
            "regeln",
            "in eigenen worten",
            "überzeuge",
            "überzeugen",
            "in deinen eigenen worten",
            "beschreib",
            "beschreibe",
        ],
    ),
    (
        Intent::Strategy,
        &[
            "how do i",
            "how do you",
            "how do we",
            "how can i",
            "how to",
            "how should i",
            "how would",
            "help",
            "solve",
            "wie",
            "hilfe",
            "hilf",
            "anfangen",
            "löse",
        ],
    ),
    // `How do fractions work?` asks what they are, `how do I` what to do.
    (Intent::Concept, &["how do", "tell me about"]),
    (
        Intent::Status,
        &[
            "done",
            "finished",
            "ready",
            "ez",
            "too easy",
            "this is easy",
            "that is easy",
            "that's easy",
            "thats easy",
            "fertig",
            "zu leicht",
            "zu einfach",
            "das ist leicht",
            "das ist einfach",
        ],
    ),
];

/// The phrases by their first words, each with the place of its intent.
static BY_FIRST_WORD: LazyLock<HashMap<&str, Vec<(usize, &str)>>> = LazyLock::new(|| {
    let mut by_first_word: HashMap<&str, Vec<(usize, &str)>> = HashMap::new();
    for (place, (_, phrases)) in PHRASES.iter().enumerate() {
        for &phrase in *phrases {
            let first = phrase.split(' ').next().unwrap_or_default();
            let of_word = by_first_word.entry(first).or_default();
            of_word.push((place, phrase));
        }
    }
    by_first_word
});

/// What the student wants.
pub fn intent(message: &str) -> Intent {
    let words: Vec<String> = spelled_with_letters(message);
    let run = words.join(" ") + " ";
    let mut rest = run.as_str();
    let mut first = None;
    for word in &words {
        let phrases = BY_FIRST_WORD.get(word.as_str()).into_iter().flatten();
        let said = phrases.filter(|(_, phrase)| {
            let after = rest.strip_prefix(*phrase);
            after.is_some_and(|after| after.starts_with(' '))
        });
        first = said.map(|(place, _)| *place).chain(first).min();
        rest = &rest[word.len() + 1..];
    }
    first.map_or(Intent::General, |place| PHRASES[place].0)
}

/// The words, with `i` and other single letters.
fn spelled_with_letters(message: &str) -> Vec<String> {
    let normalised = turnwise_text::normalise(message);
    let mut all = Vec::new();
    for part in normalised.split(|c: char| !c.is_alphabetic() && c != '\'') {
        if part.chars().count() == 1 {
            all.push(part.to_owned());
        } else {
            all.extend(spelled(part));
        }
    }
    all
}
