//! What pupils make of a sentence: slips of the keyboard, and mathematics around it.

use turnwise_text_classifier::{Class, train::Example};

use crate::data::Sentence;

/// What stands around a call for help, and alone is none.
const AROUND: [&str; 16] = [
    "x = 5",
    "i got 3/4",
    "2x + 3 = 11, so x = 4.",
    "the answer is 12",
    "idk how to do this one.",
    "ok so i subtracted 7 from both sides",
    "is the slope 2 or -2?",
    "can you help me with number 3?",
    "ich habe 3/4 raus",
    "die Lösung ist x = 5.",
    "wie geht Aufgabe 4?",
    "also ich hab durch 2 geteilt",
    "keine ahnung wie das geht.",
    "isch das 12?",
    "ok",
    "hi",
];

/// How much a variant counts beside its sentence.
const WEIGHT: f32 = 0.5;

const HARMLESS: &str = "harmless";
/// How much a harmless sentence counts: most messages are, and none of them may stop.
const HARMLESS_WEIGHT: f32 = 2.5;
/// How many harmless sentences make a long one, and how much that counts.
const TOGETHER: usize = 6;
const LONG_WEIGHT: f32 = 2.0;
/// In which steps the harmless ones are gone through, so that others meet.
const STEPS: [usize; 4] = [1, 7, 101, 1009];

/// Examples of all sentences and their variants.
pub fn of(sentences: &[&Sentence], classes: &[Class]) -> Vec<Example> {
    let mut examples = Vec::new();
    for (at, sentence) in sentences.iter().enumerate() {
        let class = classes.iter().position(|class| class.name == sentence.kind);
        let class = class.unwrap_or_else(|| panic!("no kind: {}", sentence.kind));
        let own = if sentence.kind == HARMLESS {
            HARMLESS_WEIGHT
        } else {
            1.0
        };
        let mut add = |text: String, weight| {
            examples.push(Example {
                class,
                text,
                weight: sentence.weight * own * weight,
            });
        };
        let around = AROUND[at % AROUND.len()];
        add(sentence.text.clone(), 1.0);
        add(slipped(&sentence.text, at), WEIGHT);
        add(
            if at % 2 == 0 {
                format!("{around} {}", sentence.text)
            } else {
                format!("{}\n{around}", sentence.text)
            },
            WEIGHT,
        );
    }
    // Long messages are many sentences, none of which may alarm, nor where two meet.
    let harmless: Vec<&str> = sentences
        .iter()
        .filter(|sentence| sentence.kind == HARMLESS)
        .map(|sentence| sentence.text.as_str())
        .collect();
    let class = classes.iter().position(|class| class.name == HARMLESS);
    let class = class.unwrap_or_else(|| panic!("no kind: {HARMLESS}"));
    for step in STEPS {
        let mixed: Vec<&str> = (0..harmless.len())
            .map(|at| harmless[at * step % harmless.len()])
            .collect();
        examples.extend(mixed.chunks(TOGETHER).map(|chunk| Example {
            class,
            text: chunk.join(". "),
            weight: LONG_WEIGHT,
        }));
    }
    examples.extend(AROUND.iter().map(|text| Example {
        class,
        text: (*text).to_owned(),
        weight: 1.0,
    }));
    examples
}

/// A sentence with a slip in each fourth longer word: a letter left out, or two that changed places.
fn slipped(text: &str, seed: usize) -> String {
    let words = text.split(' ').enumerate().map(|(at, word)| {
        let mut letters: Vec<char> = word.chars().collect();
        let turn = seed + at;
        if letters.len() > 3 && turn.is_multiple_of(4) {
            let place = 1 + turn / 4 % (letters.len() - 2);
            if turn.is_multiple_of(8) {
                letters.remove(place);
            } else {
                letters.swap(place, place + 1);
            }
        }
        letters.into_iter().collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}
