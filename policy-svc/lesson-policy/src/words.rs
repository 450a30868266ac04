//! How the words of a message and of a topic are compared.

use std::{collections::HashMap, sync::LazyLock};

use turnwise_text::{Analyser, normalise};

/// Shorter stems are not looked for inside compounds.
const SHORTEST_PART: usize = 5;
/// Words of so many letters may differ by one slip.
const SHORTEST_SLIP: usize = 7;
/// Longer runs of letters are no words.
const LONGEST_WORD: usize = 40;
/// So many words of a text are looked at: more than any message of a student has.
pub(crate) const MOST_WORDS: usize = 1500;

static ENGLISH: LazyLock<Analyser> = LazyLock::new(|| Analyser::new("en"));
static GERMAN: LazyLock<Analyser> = LazyLock::new(|| Analyser::new("de"));

/// A language whose words carry no topic are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    German,
}

impl Language {
    /// The language of a BCP 47 tag; all but German count as English.
    pub(crate) fn of_locale(locale: &str) -> Self {
        let tag = locale.split(['-', '_']).next().unwrap_or_default();
        if tag.eq_ignore_ascii_case("de") {
            Self::German
        } else {
            Self::English
        }
    }

    /// The language whose function words a text has more of; where neither has more, `otherwise`.
    pub(crate) fn of_words(words: &[Word], otherwise: Self) -> Self {
        let english = words.iter().filter(|word| word.english.is_empty()).count();
        let german = words.iter().filter(|word| word.german.is_empty()).count();
        match english.cmp(&german) {
            std::cmp::Ordering::Greater => Self::English,
            std::cmp::Ordering::Less => Self::German,
            std::cmp::Ordering::Equal => otherwise,
        }
    }
}

/// A word of at least two letters, in lower case, with its stems. A stem is empty where the word is a function word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    english: String,
    german: String,
}

impl Word {
    fn new(text: &str) -> Self {
        let stem = |analyser: &Analyser| {
            let terms = analyser.analyse(text).terms;
            terms.into_iter().next().map(|t| t.text).unwrap_or_default()
        };
        Self {
            text: text.to_owned(),
            english: stem(&ENGLISH).replace("ph", "f"),
            german: plain(&stem(&GERMAN)),
        }
    }

    /// Whether it may say what a text in this language is about.
    pub(crate) fn tells(&self, language: Language) -> bool {
        match language {
            Language::English => !self.english.is_empty(),
            Language::German => !self.german.is_empty(),
        }
    }

    /// Whether both are forms of one word.
    pub(crate) fn is_form_of(&self, other: &Self) -> bool {
        let same = |a: &str, b: &str| !a.is_empty() && a == b;
        self.text == other.text
            || same(&self.english, &other.english)
            || same(&self.german, &other.german)
    }

    /// Whether a student who writes `self` may mean `topic`: another form, one slip in a long word, or a German compound.
    pub(crate) fn means(&self, topic: &Self) -> bool {
        self.is_form_of(topic)
            || is_slip(&self.text, &topic.text)
            || is_slip(&self.english, &topic.english)
            || is_part(&topic.german, &self.german)
            || (topic.german.len() > self.german.len()
                && self.german.len() >= SHORTEST_PART
                && topic.german.starts_with(&self.german))
    }
}

/// Whether the compound begins or ends with this stem, and the rest is a word's length.
fn is_part(stem: &str, compound: &str) -> bool {
    stem.len() >= SHORTEST_PART
        && compound.len() >= stem.len() + 3
        && (compound.starts_with(stem) || compound.ends_with(stem))
}

/// Whether two long words with one first letter differ by one insertion, deletion, substitution or swap of neighbours.
fn is_slip(a: &str, b: &str) -> bool {
    // Most pairs end here. A character has up to four bytes.
    if a.len().abs_diff(b.len()) > 4 || a.chars().next() != b.chars().next() {
        return false;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if a.len() < SHORTEST_SLIP || b.len() - a.len() > 1 {
        return false;
    }
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (rest_a, rest_b) = (&a[same..], &b[same..]);
    if a.len() < b.len() {
        return *rest_a == rest_b[1..];
    }
    match (rest_a, rest_b) {
        ([], []) => true,
        ([_, tail_a @ ..], [_, tail_b @ ..]) if tail_a == tail_b => true,
        ([a1, a2, tail_a @ ..], [b1, b2, tail_b @ ..]) => a1 == b2 && a2 == b1 && tail_a == tail_b,
        _ => false,
    }
}

/// Umlauts as they are typed on keyboards without them, and as stemmers fold them, in one spelling; `ph` as `f`.
fn plain(stem: &str) -> String {
    stem.replace('ß', "ss")
        .replace(['ä', 'Ä'], "a")
        .replace('ö', "o")
        .replace('ü', "u")
        .replace("ae", "a")
        .replace("oe", "o")
        .replace("ue", "u")
        .replace("ph", "f")
}

/// Lists of words, looked up by their forms: what [`Word::is_form_of`] says of each, without comparing with each.
#[derive(Debug, Default)]
pub(crate) struct Index {
    texts: HashMap<String, Vec<usize>>,
    english: HashMap<String, Vec<usize>>,
    german: HashMap<String, Vec<usize>>,
}

impl Index {
    /// Of lists, each known by its place.
    pub(crate) fn of<'w>(lists: impl IntoIterator<Item = &'w [Word]>) -> Self {
        let mut index = Self::default();
        for (place, list) in lists.into_iter().enumerate() {
            for word in list {
                let add = |map: &mut HashMap<String, Vec<usize>>, key: &str| {
                    if !key.is_empty() {
                        map.entry(key.to_owned()).or_default().push(place);
                    }
                };
                add(&mut index.texts, &word.text);
                add(&mut index.english, &word.english);
                add(&mut index.german, &word.german);
            }
        }
        index
    }

    /// The lists with a form of the word; some more than once.
    pub(crate) fn lists(&self, word: &Word) -> impl Iterator<Item = usize> {
        let found = [
            self.texts.get(&word.text),
            self.english.get(&word.english),
            self.german.get(&word.german),
        ];
        found.into_iter().flatten().flatten().copied()
    }

    /// The lists with a word that begins or ends a German compound: `Biologietest`.
    pub(crate) fn parts(&self, word: &Word) -> Vec<usize> {
        // Not of the stem: a stemmer takes the ends of compounds for endings.
        let word = plain(&word.text);
        let cuts = (0..word.len()).filter(|at| word.is_char_boundary(*at));
        let parts = cuts.flat_map(|at| [&word[..at], &word[at..]]);
        let found = parts
            .filter(|part| part.len() > SHORTEST_PART && is_part(part, &word))
            .filter_map(|part| self.german.get(part));
        found.flatten().copied().collect()
    }
}

/// The words of a text, in its order.
pub(crate) fn words(text: &str) -> Vec<Word> {
    of_normalised(&normalise(text)).collect()
}

/// The words of normalised text.
pub(crate) fn of_normalised(text: &str) -> impl Iterator<Item = Word> {
    spelled(text).map(|word| Word::new(&word))
}

/// The words of normalised text as they are spelled: runs of letters of at least two; apostrophes are part of them.
pub(crate) fn spelled(normalised: &str) -> impl Iterator<Item = String> + '_ {
    normalised
        .split(|c: char| !c.is_alphabetic() && c != '\'')
        .map(|word| word.trim_matches('\''))
        .filter(|word| (2..=LONGEST_WORD).contains(&word.chars().count()))
        .take(MOST_WORDS)
        .map(str::to_owned)
}
