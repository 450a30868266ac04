//! Whether a message is about the topics of a chat.
//!
//! What speaks for it: words of a topic, of its synonyms or its concept, the lesson's title, formulas of its kind, several
//! words of its units. What speaks against it: words of another subject, requests that no lesson has, attempts to change the
//! rules, and sentences that ask for something else. A message that says nothing of any subject follows the conversation.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use turnwise_text::normalise;

use crate::{
    decide::{Memory, Scope},
    formulas::{self, Shape},
    lesson::Lesson,
    lexicon::{
        CONCEPT_FORMS, CONCEPTS, Concept, OVERRIDES, SUBJECT_FORMS, SUBJECTS, Weight, is_chat,
        is_generic,
    },
    words::{Language, MOST_WORDS, Word, of_normalised, spelled, words},
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

/// What a message is, seen from the topics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// About a topic.
    Topic,
    /// About the lesson, but no topic of it.
    Lesson,
    /// About something else.
    Elsewhere,
}

/// What a chat may be about, ready to be compared.
pub(crate) struct Judge<'a> {
    language: Language,
    /// The spelling of each topic.
    pub(crate) topics: Vec<String>,
    /// Each way to name a topic: the topic's place, its words.
    names: Vec<(usize, Vec<Word>)>,
    /// The concepts that topics are about, with the topic's place.
    concepts: Vec<(usize, &'static Concept)>,
    unit_words: &'a [Word],
    context: Vec<Word>,
    /// Whether there is any topic; otherwise the words of the lesson decide.
    has_topics: bool,
    own_subjects: Vec<bool>,
    /// Whether formulas may belong to the lesson: one of mathematics, science or programming.
    calculates: bool,
    /// Whether word problems may belong to the lesson.
    is_mathematical: bool,
}

/// One message, read.
#[derive(Debug)]
struct Reading {
    normalised: String,
    words: Vec<Word>,
    /// Each sentence with the range of its words.
    sentences: Vec<(Range<usize>, String)>,
    language: Language,
    shapes: Vec<Shape>,
}

/// What was found in a message.
#[derive(Debug, Default)]
struct Evidence {
    topic: Option<usize>,
    /// For the topics, and for the lesson only.
    topical: u32,
    lesson: u32,
    against: u32,
    /// Content words of no meaning here.
    unknown: u32,
    known: u32,
    chat_only: bool,
    has_shape: bool,
    formula_only: bool,
    /// Too few words of meaning to ask for much.
    is_short: bool,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(scope: &Scope, lesson: Option<&'a Lesson>, locale: &str) -> Self {
        let mut topics: Vec<String> = Vec::new();
        let mut add = |topic: &String| {
            if !topic.trim().is_empty() && !topics.contains(topic) {
                topics.push(topic.clone());
            }
        };
        scope
            .topics
            .iter()
            .chain(&scope.allowed_topics)
            .for_each(&mut add);
        if let Some(lesson) =
            lesson.filter(|_| scope.topics.is_empty() && scope.allowed_topics.is_empty())
        {
            lesson.allowed_topics.iter().for_each(&mut add);
        }
        let mut names: Vec<(usize, Vec<Word>)> = Vec::new();
        let language = Language::of_locale(locale);
        let name = |text: &str| {
            let mut name = words(text);
            name.retain(|word| word.tells(language));
            name
        };
        for (place, topic) in topics.iter().enumerate() {
            names.push((place, name(topic)));
            for (named, synonyms) in lesson.iter().flat_map(|lesson| &lesson.synonyms) {
                if named.to_lowercase() == topic.to_lowercase() {
                    names.extend(synonyms.iter().map(|synonym| (place, name(synonym))));
                }
            }
        }
        let title = lesson.map(|lesson| name(&lesson.title)).unwrap_or_default();
        let context = name(&scope.context);
        let has_topics = !topics.is_empty();
        // The first topic of each concept; the title stands for none.
        let mut named: BTreeMap<usize, usize> = BTreeMap::new();
        let mut own_subjects = vec![false; SUBJECTS.len()];
        let of_title = title.iter().map(|word| (usize::MAX, word));
        let of_names = names
            .iter()
            .flat_map(|(place, name)| name.iter().map(|word| (*place, word)));
        for (place, word) in of_names.chain(of_title) {
            for concept in CONCEPT_FORMS.lists(word) {
                named.entry(concept).or_insert(place);
            }
            for subject in SUBJECT_FORMS.lists(word) {
                own_subjects[subject] = true;
            }
        }
        for subject in context.iter().flat_map(|word| SUBJECT_FORMS.lists(word)) {
            own_subjects[subject] = true;
        }
        for (own, subject) in own_subjects.iter_mut().zip(SUBJECTS.iter()) {
            *own &= subject.weight == Weight::Subject;
        }
        let concepts: Vec<(usize, &Concept)> = named
            .into_iter()
            .map(|(concept, place)| (place, &CONCEPTS[concept]))
            .collect();
        let owns = |name: &str| {
            let mut subjects = SUBJECTS.iter().zip(&own_subjects);
            subjects.any(|(subject, own)| *own && subject.name == name)
        };
        let calculates =
            !concepts.is_empty() || ["maths", "science", "programming"].into_iter().any(&owns);
        let is_mathematical = owns("maths")
            || concepts
                .iter()
                .any(|(_, concept)| !concept.shapes.is_empty());
        names.push((usize::MAX, title));
        Self {
            language,
            topics,
            names,
            concepts,
            unit_words: lesson
                .map(|lesson| lesson.unit_texts.words())
                .unwrap_or_default(),
            context,
            has_topics,
            own_subjects,
            calculates,
            is_mathematical,
        }
    }

    /// What the message is, after what was said before, and the topic that it names.
    pub(crate) fn judge(&self, message: &str, memory: &Memory) -> (Standing, Option<usize>) {
        let evidence = self.evidence(message);
        let alone = self.alone(&evidence);
        if alone == Standing::Topic || evidence.against > 0 {
            return (alone, evidence.topic);
        }
        match self.follows(message, &evidence, memory) {
            Standing::Elsewhere => (alone, evidence.topic),
            standing => (standing, evidence.topic),
        }
    }

    /// What it is by itself.
    fn alone(&self, evidence: &Evidence) -> Standing {
        let topical = evidence.topical + if self.has_topics { 0 } else { evidence.lesson };
        if topical > evidence.against {
            Standing::Topic
        } else if evidence.against == 0 && topical + evidence.lesson > 0 {
            Standing::Lesson
        } else {
            Standing::Elsewhere
        }
    }

    /// A message that does not say what it is about goes with the latest one that did.
    fn follows(&self, message: &str, evidence: &Evidence, memory: &Memory) -> Standing {
        let answers = memory
            .turns
            .last()
            .is_some_and(|(is_student, _)| !is_student);
        let vague = evidence.chat_only || evidence.formula_only || (answers && evidence.is_short);
        let mut said: Vec<&str> = Vec::new();
        for (is_student, text) in memory.turns.iter().rev() {
            if !is_student {
                said.push(text);
                continue;
            }
            let earlier = self.evidence(text);
            match self.alone(&earlier) {
                Standing::Elsewhere
                    if earlier.against == 0
                        && (earlier.chat_only || earlier.formula_only || earlier.is_short) => {}
                Standing::Elsewhere => return Standing::Elsewhere,
                standing => {
                    said.push(text);
                    let follows = vague || self.echoes(message, evidence, &said);
                    return if follows {
                        standing
                    } else {
                        Standing::Elsewhere
                    };
                }
            }
        }
        let summary = self.evidence(&memory.summary);
        match self.alone(&summary) {
            // Nothing was off topic so far, or it would have been met above.
            Standing::Elsewhere if memory.summary.trim().is_empty() || summary.chat_only => {
                let opens = evidence.chat_only && !evidence.has_shape;
                if opens || (answers && vague) {
                    Standing::Topic
                } else {
                    Standing::Elsewhere
                }
            }
            Standing::Elsewhere => Standing::Elsewhere,
            standing if vague => standing,
            _ => Standing::Elsewhere,
        }
    }

    /// Whether at least half of what the message says was said before.
    fn echoes(&self, message: &str, evidence: &Evidence, said: &[&str]) -> bool {
        let before: Vec<Word> = said.iter().flat_map(|text| words(text)).collect();
        let reading = self.read(message);
        let telling = reading
            .words
            .iter()
            .filter(|w| w.tells(reading.language) && !is_chat(w));
        let new = telling
            .filter(|w| !before.iter().any(|b| w.is_form_of(b)))
            .count();
        new == 0 || (evidence.unknown + evidence.known) as usize >= 2 * new
    }

    fn read(&self, message: &str) -> Reading {
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

    fn evidence(&self, message: &str) -> Evidence {
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
            let weight = if chat || ASKS.contains(&word.text.as_str()) {
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
        for (topic, concept) in &self.concepts {
            if reading
                .shapes
                .iter()
                .any(|shape| concept.shapes.contains(shape))
            {
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
        if !self.calculates && reading.shapes.iter().any(|shape| exercise.contains(shape)) {
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

    /// The topic that this word, with its neighbours in the message, is about; the place is none for the title.
    fn named_by(&self, word: &Word, message: &[Word]) -> Option<Option<usize>> {
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
            if named && !is_generic(word) {
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
