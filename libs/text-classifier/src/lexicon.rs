//! Words that mean alike: a model that knows `dad` and `uncle` as one concept learns from a sentence about the one what a
//! sentence about the other means.

use std::collections::BTreeMap;

use crate::{
    fold,
    hash::{self, Table},
    words::{Token, tokens},
};

/// Words and beginnings of words, each with its concept.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    concepts: Vec<String>,
    /// Words in the form of [`tokens`]; those that end with `*` are beginnings. Which concept each has.
    entries: BTreeMap<String, u8>,
    table: Table,
}

/// What is wrong with a lexicon's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LexiconError {
    /// A line has no tab.
    #[error("line {0}: write a concept, a tab, and its words")]
    NoWords(usize),
    /// An entry is not one word.
    #[error("line {line}: `{entry}` is not one word")]
    NotOneWord {
        /// The line, counted from 1.
        line: usize,
        /// The entry.
        entry: String,
    },
    /// A word has two concepts.
    #[error("line {line}: `{entry}` has a concept already")]
    Twice {
        /// The line, counted from 1.
        line: usize,
        /// The entry.
        entry: String,
    },
    /// There are more concepts than a model can tell apart.
    #[error("more than 255 concepts")]
    TooMany,
}

const BEGINNING: u64 = 0x5bd1_e995;
/// Shorter beginnings would be in too many words.
const SHORTEST_BEGINNING: usize = 3;

impl Lexicon {
    /// Reads lines of a concept, a tab, and words with spaces between; a word that ends with `*` stands for all that begin
    /// so. Empty lines and those that begin with `#` are left out. A concept may have several lines.
    ///
    /// # Errors
    /// A line is no such line.
    pub fn parse(text: &str) -> Result<Self, LexiconError> {
        let mut concepts: Vec<String> = Vec::new();
        let mut entries = BTreeMap::new();
        for (line, row) in (1..).zip(text.lines()) {
            if row.trim().is_empty() || row.starts_with('#') {
                continue;
            }
            let (concept, words) = row.split_once('\t').ok_or(LexiconError::NoWords(line))?;
            let known = concepts.iter().position(|known| known == concept);
            let index = known.unwrap_or_else(|| {
                concepts.push(concept.to_owned());
                concepts.len() - 1
            });
            let index = u8::try_from(index).map_err(|_| LexiconError::TooMany)?;
            for entry in words.split_whitespace() {
                let spelled = spelled(entry).ok_or_else(|| LexiconError::NotOneWord {
                    line,
                    entry: entry.to_owned(),
                })?;
                if entries
                    .insert(spelled, index)
                    .is_some_and(|other| other != index)
                {
                    return Err(LexiconError::Twice {
                        line,
                        entry: entry.to_owned(),
                    });
                }
            }
        }
        Ok(Self::of(concepts, entries))
    }

    pub(crate) fn of(concepts: Vec<String>, entries: BTreeMap<String, u8>) -> Self {
        let mut table = Table::with_room(entries.len());
        for (entry, concept) in &entries {
            let key = match entry.strip_suffix('*') {
                Some(beginning) => hash::word(beginning.as_bytes()) ^ BEGINNING,
                None => hash::word(entry.as_bytes()),
            };
            table.insert(key, *concept);
        }
        Self {
            concepts,
            entries,
            table,
        }
    }

    /// The names of the concepts.
    pub(crate) fn concepts(&self) -> &[String] {
        &self.concepts
    }

    pub(crate) fn entries(&self) -> &BTreeMap<String, u8> {
        &self.entries
    }

    /// The hash of a word, and its concept: that of the word itself, or else of its longest beginning.
    pub(crate) fn look_up(&self, word: &[u8]) -> (u64, Option<u8>) {
        let mut hash = hash::SEED;
        let mut found = None;
        for (at, byte) in word.iter().enumerate() {
            hash = hash::step(hash, *byte);
            if at + 1 >= SHORTEST_BEGINNING {
                found = self.table.get(hash ^ BEGINNING).or(found);
            }
        }
        (hash, self.table.get(hash).or(found))
    }
}

fn spelled(entry: &str) -> Option<String> {
    let (word, end) = match entry.strip_suffix('*') {
        Some(word) => (word, "*"),
        None => (entry, ""),
    };
    let mut found = Vec::new();
    tokens(&fold(word), |token| {
        if let Token::Word(word) = token {
            found.push(String::from_utf8_lossy(word).into_owned());
        }
    });
    match found.as_slice() {
        [one] if end.is_empty() || one.len() >= SHORTEST_BEGINNING => Some(format!("{one}{end}")),
        _ => None,
    }
}
