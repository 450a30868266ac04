//! The languages that are stemmed: their stemmers, their words without a topic, and their words of one letter.

use std::{collections::HashSet, sync::LazyLock};

use frostem::{Algorithm, Stemmer};

/// Longer runs of letters are no words. A stemmer's work on them can grow with the square of their length.
const LONGEST_WORD: usize = 64;

/// What the analyser knows of a language.
pub(crate) struct Language {
    /// Its BCP 47 primary subtag.
    tag: &'static str,
    stemmer: Stemmer,
    /// Function words and what people say in a chat, as normalised text spells them. Words that are terms in mathematics
    /// (`mean`, `right`, `plus`, `durch`, `menos`) are not among them.
    stop_words: HashSet<&'static str>,
    /// Letters that are words when they stand alone outside a formula.
    letters: &'static str,
    /// Whether what follows an apostrophe is grammar (`student's`); elsewhere what precedes it is (`l'équation`).
    head_first: bool,
}

static LANGUAGES: LazyLock<[Language; 7]> = LazyLock::new(|| {
    use Algorithm::{Dutch, English, French, German, Italian, Portuguese, Spanish};
    let language = |tag, algorithm, letters, stop_words: &'static str| Language {
        tag,
        stemmer: Stemmer::new(algorithm),
        stop_words: stop_words.split_whitespace().collect(),
        letters,
        head_first: algorithm == English,
    };
    [
        language("en", English, "ai", include_str!("stop_words/en.txt")),
        language("de", German, "", include_str!("stop_words/de.txt")),
        language("fr", French, "ay", include_str!("stop_words/fr.txt")),
        language("es", Spanish, "aeouy", include_str!("stop_words/es.txt")),
        language("it", Italian, "aeio", include_str!("stop_words/it.txt")),
        language("pt", Portuguese, "aeo", include_str!("stop_words/pt.txt")),
        language("nl", Dutch, "u", include_str!("stop_words/nl.txt")),
    ]
});

impl Language {
    /// The language of a BCP 47 tag, if it is stemmed.
    pub(crate) fn of_locale(locale: &str) -> Option<&'static Self> {
        let tag = locale.split(['-', '_']).next().unwrap_or_default();
        LANGUAGES
            .iter()
            .find(|language| language.tag.eq_ignore_ascii_case(tag))
    }

    /// Whether a normalised word carries no topic.
    pub(crate) fn is_stop_word(&self, word: &str) -> bool {
        self.stop_words.contains(word)
    }

    /// Whether a letter outside a formula is a word of no meaning.
    pub(crate) fn is_word(&self, letter: &str) -> bool {
        self.letters.contains(letter)
    }

    /// The stems of a word that may hold apostrophes, those with a topic only.
    pub(crate) fn stems(&self, word: &str) -> impl Iterator<Item = String> {
        let parts = if self.is_stop_word(word) { "" } else { word };
        let most = if self.head_first { 1 } else { usize::MAX };
        parts
            .split('\'')
            .take(most)
            .filter(|part| !part.is_empty() && !self.is_stop_word(part))
            .map(|part| self.stem(part))
    }

    fn stem(&self, word: &str) -> String {
        if word.chars().nth(LONGEST_WORD).is_some() {
            return word.to_owned();
        }
        self.stemmer.stem(word).into_owned()
    }
}
