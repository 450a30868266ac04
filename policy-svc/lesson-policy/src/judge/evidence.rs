//! What speaks for a message being about the topics, and what against it.

use std::{collections::BTreeSet, ops::Range};

use turnwise_text::normalise;

use super::Judge;
use crate::{
    formulas::{self, Shape},
    lexicon::{OVERRIDES, SUBJECT_FORMS, SUBJECTS, Weight, is_chat, is_generic, is_listed},
    words::{Language, MOST_WORDS, Word, of_normalised, spelled},
};

/// What a word of another subject weighs. However often a message names the topics, it is about none of them then.
const OTHER_SUBJECT: u32 = 3;

/// So many words may be an answer to the helper's question, whatever they are.
const SHORT_ANSWER: usize = 5;

/// A word problem has at least so many words.
const WORD_PROBLEM: usize = 8;

/// A word of so many letters is special to what it is about.
const SPECIAL_WORD: usize = 9;

/// What begins a question or an order.
const ASKS: [&str; 28] = [
    "who",
    "what",
    "when",
    "where",
    "tell",
    "write",
    "give",
    "list",
    "describe",
    "name",
    "recommend",
    "summarize",
    "summarise",
    "compose",
    "wer",
    "was",
    "wann",
    "wo",
    "erzähl",
    "erzähle",
    "schreib",
    "schreibe",
    "nenne",
    "nenn",
    "beschreibe",
    "empfiehl",
    "fasse",
    "liste",
];

/// Forms of `kriegen`, which a stemmer takes for wars.
const GETS: [&str; 4] = ["kriege", "kriegen", "kriegst", "kriegt"];

/// Verbs that order a text.
const ORDERS: [&str; 24] = [
    "write",
    "tell",
    "give",
    "make",
    "compose",
    "create",
    "sing",
    "read",
    "need",
    "want",
    "summarise",
    "summarize",
    "schreib",
    "schreibe",
    "schreiben",
    "erzähl",
    "erzähle",
    "gib",
    "mach",
    "mache",
    "dichte",
    "erfinde",
    "brauche",
    "lies",
];

/// One message, read.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) normalised: String,
    pub(super) words: Vec<Word>,
    /// Each sentence with the range of its words.
    pub(super) sentences: Vec<(Range<usize>, String)>,
    pub(super) language: Language,
    pub(super) shapes: Vec<Shape>,
}

/// What was found in a message.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    pub(super) topic: Option<usize>,
    /// For the topics, and for the lesson only.
    pub(super) topical: u32,
    pub(super) lesson: u32,
    pub(super) against: u32,
    /// Content words of no meaning here.
    pub(super) unknown: u32,
    pub(super) known: u32,
    pub(super) chat_only: bool,
    pub(super) has_shape: bool,
    pub(super) formula_only: bool,
    /// Too few words of meaning to ask for much.
    pub(super) is_short: bool,
}

impl Judge<'_> {
    /// The message, cut into words.
    pub(super) fn read(&self, message: &str) -> Reading {
        let normalised = normalise(message);
        let mut words = Vec::new();
        let mut sentences = Vec::new();
        for sentence in normalised.split(['.', '!', '?', ';', '\n', ':']) {
            let start = words.len();
            words.extend(of_normalised(sentence).take(MOST_WORDS - start));
            if words.len() > start {
                sentences.push((start..words.len(), sentence.to_owned()));
            }
        }
        Reading {
            language: Language::of_words(&words, self.language),
            shapes: formulas::shapes(message),
            normalised,
            words,
            sentences,
        }
    }

    /// What speaks for the topics and against them.
    pub(super) fn evidence(&self, message: &str) -> Evidence {
        if let Some(topic) = self.suggested(message) {
            // Without a topic it goes with what was said before.
            return Evidence {
                topic,
                topical: 2 * u32::from(topic.is_some()),
                chat_only: true,
                ..Evidence::default()
            };
        }
        let reading = self.read(message);
        let mut evidence = Evidence::default();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let is_problem = self.is_mathematical && is_word_problem(&reading);
        let mut unit_hits = 0;
        let mut long_unit_word = false;
        for word in &reading.words {
            if !word.tells(reading.language) || !seen.insert(&word.text) {
                continue;
            }
            if let Some(topic) = self.named_by(word, &reading.words) {
                // The first word of a topic counts most: repeating them proves nothing.
                evidence.topical += if evidence.topical == 0 { 2 } else { 1 };
                evidence.known += 1;
                evidence.topic = evidence.topic.or(topic);
                continue;
            }
            let chat = is_chat(word);
            let is_in = |of: &[&str]| of.contains(&word.text.as_str());
            let weight = if chat || is_in(&ASKS) || is_in(&GETS) {
                0
            } else {
                self.against(word, is_problem)
            };
            if weight > 0 {
                evidence.against += weight;
                evidence.unknown += 1;
            } else if chat {
                evidence.known += 1;
            } else if self.unit_words.iter().any(|unit| word.is_form_of(unit)) {
                evidence.known += 1;
                if !is_generic(word) {
                    unit_hits += 1;
                    long_unit_word |= word.text.chars().count() >= SPECIAL_WORD;
                }
            } else if self.context.iter().any(|context| word.is_form_of(context)) {
                evidence.known += 1;
                evidence.lesson += u32::from(!is_generic(word));
            } else {
                evidence.unknown += 1;
            }
        }
        evidence.lesson += unit_hits;
        // A short word of a unit may be anybody's; several, or a long one, are its own.
        if unit_hits >= 2 || long_unit_word {
            evidence.topical += 1;
        }
        // Another's formula is none of the concepts'.
        let chemical = formulas::is_chemical(message);
        let letters = reading.normalised.split(|c: char| !c.is_alphanumeric());
        let letters: Vec<&str> = letters.filter(|word| !word.is_empty()).collect();
        let run = format!(" {} ", letters.join(" "));
        for (topic, concept) in &self.concepts {
            let is_of = |shape: &Shape| !chemical && concept.shapes.contains(shape);
            let says = |phrase: &&str| run.contains(&format!(" {phrase} "));
            if reading.shapes.iter().any(is_of) || concept.phrases.iter().any(says) {
                evidence.topical += if evidence.topical == 0 { 2 } else { 1 };
                evidence.topic = evidence
                    .topic
                    .or(Some(*topic).filter(|t| *t < self.topics.len()));
            }
        }
        if evidence.topical == 0 && is_problem {
            evidence.topical = 2;
        }
        evidence.topical = evidence.topical.min(OTHER_SUBJECT);
        let exercise = [Shape::Equation, Shape::Quadratic];
        let foreign = if chemical {
            !self.is_scientific
        } else {
            !self.calculates && reading.shapes.iter().any(|shape| exercise.contains(shape))
        };
        if foreign || self.repeats_a_topic(&reading.words) {
            evidence.against += OTHER_SUBJECT;
        }
        evidence.against += self.requests(&reading, &evidence);
        evidence.has_shape = !reading.shapes.is_empty();
        evidence.chat_only =
            evidence.unknown == 0 && !reading.words.is_empty() && evidence.against == 0;
        let asks = |word: &Word| {
            ASKS.contains(&word.text.as_str()) || ORDERS.contains(&word.text.as_str())
        };
        evidence.is_short = evidence.unknown <= 2
            && evidence.against == 0
            && reading.words.len() <= SHORT_ANSWER
            && !reading.words.iter().any(asks);
        evidence.formula_only =
            evidence.unknown == 0 && formulas::has_formula(message) && evidence.against == 0;
        evidence
    }

    /// Whether a word of a topic stands there again and again: a pretext.
    fn repeats_a_topic(&self, spoken: &[Word]) -> bool {
        spoken.windows(3).any(|three| {
            three.iter().all(|word| word.text == three[0].text)
                && self.named_by(&three[0], spoken).is_some()
        })
    }

    /// Whether the word holds a word of a topic and means something else (`Beinbruch`).
    fn is_unlike(&self, word: &Word) -> bool {
        SUBJECT_FORMS
            .lists(word)
            .any(|place| SUBJECTS[place].name == "unlike" && !self.own_subjects[place])
    }

    /// The topic that this word, with its neighbours in the message, is about; the place is none for the title.
    fn named_by(&self, word: &Word, message: &[Word]) -> Option<Option<usize>> {
        if self.is_unlike(word) {
            return None;
        }
        let place = |place: usize| (place < self.topics.len()).then_some(place);
        for (topic, name) in &self.names {
            if !name.iter().any(|part| word.means(part)) {
                continue;
            }
            let whole = || {
                name.iter()
                    .all(|part| message.iter().any(|w| w.means(part)))
            };
            if !is_generic(word) || (name.len() > 1 || *topic != usize::MAX) && whole() {
                return Some(place(*topic));
            }
        }
        for (topic, concept) in &self.concepts {
            let named = concept.names.iter().any(|name| word.means(name))
                || concept.words.iter().any(|other| word.is_form_of(other));
            let exact = concept.words.iter().any(|other| word.text == other.text);
            if (named && !is_generic(word)) || (exact && !is_listed(&word.text)) {
                return Some(place(*topic));
            }
        }
        None
    }

    /// How much the word speaks for something else.
    fn against(&self, word: &Word, in_problem: bool) -> u32 {
        let mut weight = 0;
        for place in SUBJECT_FORMS.lists(word).chain(SUBJECT_FORMS.parts(word)) {
            if self.own_subjects[place] {
                return 0;
            }
            weight = match SUBJECTS[place].weight {
                Weight::Leisure if in_problem => weight,
                Weight::Subject | Weight::Leisure => OTHER_SUBJECT,
                Weight::Everyday | Weight::Product => weight.max(1),
            };
        }
        weight
    }

    /// How much whole phrases and sentences speak for something else.
    fn requests(&self, reading: &Reading, evidence: &Evidence) -> u32 {
        let run: Vec<String> = spelled(&reading.normalised).collect();
        let run = format!(" {} ", run.join(" "));
        let overrides = OVERRIDES
            .iter()
            .any(|phrase| run.contains(&format!(" {phrase} ")));
        let mut weight = if overrides { OTHER_SUBJECT } else { 0 };
        // "Write a poem" is a request; "a recipe needs 1/2 cup" is an exercise.
        let asked = run.split(' ').any(|word| ORDERS.contains(&word));
        let is_product = |word: &Word| {
            let mut subjects = SUBJECT_FORMS.lists(word);
            subjects.any(|place| SUBJECTS[place].weight == Weight::Product)
        };
        if asked && reading.words.iter().any(is_product) {
            weight += OTHER_SUBJECT;
        }
        if evidence.topical > 0 {
            // A message that names a topic and then asks for something else.
            for (range, sentence) in &reading.sentences {
                let asks = self.asks_elsewhere(&reading.words[range.clone()], sentence);
                weight += u32::from(asks) * OTHER_SUBJECT;
            }
        }
        weight
    }

    /// Whether a sentence asks for something that is not known here. A topic that it names beside much else is a pretext.
    fn asks_elsewhere(&self, spoken: &[Word], sentence: &str) -> bool {
        let asks = |word: &Word| ASKS.contains(&word.text.as_str());
        if !spoken.iter().any(asks) || formulas::has_formula(sentence) {
            return false;
        }
        let language = Language::of_words(spoken, self.language);
        let (mut named, mut unknown) = (0, 0);
        for word in spoken.iter().filter(|word| word.tells(language)) {
            let listed = |of: &[Word]| of.iter().any(|other| word.is_form_of(other));
            if self.named_by(word, spoken).is_some() {
                named += 1;
            } else if !(is_chat(word)
                || asks(word)
                || listed(self.unit_words)
                || listed(&self.context))
            {
                unknown += 1;
            }
        }
        match named {
            0 => unknown >= 2,
            1 => unknown >= 3 && spoken.first().is_some_and(asks),
            _ => false,
        }
    }
}

/// Whether a message asks for a quantity and gives some, in sentences: what such a problem is about cannot be told from
/// its words.
fn is_word_problem(reading: &Reading) -> bool {
    const QUANTITIES: [&str; 10] = [
        "many",
        "much",
        "find",
        "what",
        "total",
        "wie",
        "wieviel",
        "berechne",
        "bestimme",
        "insgesamt",
    ];
    const NUMBERS: [&str; 24] = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twenty", "half",
        "twice", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn",
        "zwanzig", "halb", "doppelt",
    ];
    let is = |of: &[&str]| {
        reading
            .words
            .iter()
            .filter(|w| of.contains(&w.text.as_str()))
            .count()
    };
    let digits = reading
        .normalised
        .split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    let digits = digits
        .filter(|part| part.contains(|c: char| c.is_ascii_digit()))
        .count();
    reading.words.len() >= WORD_PROBLEM && is(&QUANTITIES) > 0 && digits + is(&NUMBERS) >= 2
}
