//! A class's names, compiled once for the finder of names.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::{Arc, LazyLock},
};

use crate::text::{Text, is_unspaced};

/// The most names in a roster.
pub const MAX_NAMES: usize = 2000;

/// The most characters in a name.
pub const MAX_NAME_CHARS: usize = 200;

/// The most words that are matched as one name; of a longer name its single words are still known.
const MAX_WORDS: usize = 8;

/// The most words of a name that is also known without its first or last words.
const MAX_SHORTENED: usize = 6;

/// English words, terms of mathematics, and particles that are names too: one a line, in lower case, `#` a comment.
static COMMON_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    include_str!("../data/words_that_are_names.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace)
        .collect()
});

/// Titles and the like, which are no part of a name.
const TITLES: [&str; 14] = [
    "mr",
    "mrs",
    "ms",
    "mx",
    "miss",
    "dr",
    "prof",
    "professor",
    "sir",
    "madam",
    "jr",
    "sr",
    "ii",
    "iii",
];

/// Why a list of names is no roster. No message repeats a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RosterError {
    /// More names than [`MAX_NAMES`].
    #[error("the roster has more than {MAX_NAMES} names")]
    TooManyNames,
    /// A name of more characters than [`MAX_NAME_CHARS`].
    #[error("name {index} of the roster has more than {MAX_NAME_CHARS} characters")]
    NameTooLong {
        /// Which name, counted from 0.
        index: usize,
    },
}

/// The names of a class. Cheap to clone; the default is empty.
///
/// Of a name are known the whole of it, also with the family name first, and each of its words alone. A word that is
/// also a common word, or has fewer than three letters, is a name only with a cue.
#[derive(Clone, Default)]
pub struct Roster {
    tree: Arc<Tree>,
}

/// Only the size: a log line must not hold the names.
impl fmt::Debug for Roster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Roster")
            .field("names", &self.tree.names)
            .finish_non_exhaustive()
    }
}

impl Roster {
    /// Compiles a list of names, `Ada Lovelace` or `Lovelace, Ada`. One without any letter is left out.
    pub fn new<I>(names: I) -> Result<Self, RosterError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let mut tree = Tree::default();
        for (index, name) in names.into_iter().enumerate() {
            let name = name.as_ref();
            if index == MAX_NAMES {
                return Err(RosterError::TooManyNames);
            }
            if name.chars().count() > MAX_NAME_CHARS {
                return Err(RosterError::NameTooLong { index });
            }
            tree.insert(name);
        }
        Ok(Self {
            tree: Arc::new(tree),
        })
    }

    /// Whether there is no name in it.
    pub fn is_empty(&self) -> bool {
        self.tree.names == 0
    }

    /// How many names are in it.
    pub fn len(&self) -> usize {
        self.tree.names
    }

    /// The node of the empty name.
    pub(crate) fn root(&self) -> &Node {
        &self.tree.nodes.0
    }

    /// The node that a word in lower case leads to.
    pub(crate) fn step(&self, node: &Node, word: &str) -> Option<&Node> {
        let next = node.next.get(word)?;
        self.tree.nodes.1.get(*next)
    }
}

/// Names by their words.
#[derive(Default)]
struct Tree {
    names: usize,
    /// The root, and every other node.
    nodes: (Node, Vec<Node>),
}

/// What is known of the words on the way here.
#[derive(Default)]
pub(crate) struct Node {
    next: HashMap<Box<str>, usize>,
    /// A name ends here: with a cue in any case.
    pub ends: bool,
    /// The name needs no cue in any case.
    pub any_case: bool,
    /// The writings, words joined by spaces, that need no cue.
    pub plain: HashSet<Box<str>>,
}

/// How a writing of a name is recognised.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Cue,
    Case,
    Nothing,
}

impl Tree {
    fn insert(&mut self, name: &str) {
        let words = name_words(name);
        if words.is_empty() {
            return;
        }
        self.names += 1;
        let lower_case = !name.chars().any(char::is_uppercase);
        for word in &words {
            let is_particle =
                !lower_case && words.len() > 1 && word[0].starts_with(char::is_lowercase);
            if is_particle {
                continue;
            }
            self.add(word, word_needs(word));
            if word.len() > 1 {
                for part in word
                    .iter()
                    .filter(|part| letters(part) >= 3 && !starts_unspaced(part))
                {
                    let part = std::slice::from_ref(part);
                    self.add(part, word_needs(part));
                }
            }
        }
        // Of a name of several words, also what somebody calls it in short.
        let shortest = if words.len() <= MAX_SHORTENED {
            2
        } else {
            words.len()
        };
        for count in shortest.max(2)..=words.len() {
            for part in words.windows(count) {
                self.insert_whole(part);
            }
        }
    }

    /// The whole name, with the family name first, without what stands in the middle, and as one word.
    fn insert_whole(&mut self, words: &[Vec<String>]) {
        let distinct = words.iter().any(|word| word_needs(word) == Needs::Case);
        let all: Vec<String> = words.concat();
        let count: usize = all.iter().map(|word| letters(word)).sum();
        let small = all.iter().any(|word| word.contains(char::is_lowercase));
        let needs = match (distinct, count >= 4 && small) {
            (true, _) => Needs::Nothing,
            (false, true) => Needs::Case,
            (false, false) => Needs::Cue,
        };
        let (first, last) = (&words[0], &words[words.len() - 1]);
        let mut family_first = last.clone();
        family_first.extend(words[..words.len() - 1].concat());
        let ends = [first.clone(), last.clone()].concat();
        let ends_needs = match [first, last]
            .iter()
            .any(|word| word_needs(word) == Needs::Case)
        {
            true => Needs::Nothing,
            false => needs.min(Needs::Case),
        };
        self.add(&all, needs);
        self.add(&family_first, needs);
        self.add(&ends, ends_needs);
        if needs == Needs::Nothing {
            self.add(&[all.concat()], Needs::Nothing);
            self.add(&[ends.concat()], ends_needs);
        }
    }

    fn add(&mut self, words: &[String], needs: Needs) {
        if words.is_empty() || words.len() > MAX_WORDS && !starts_unspaced(&words[0]) {
            return;
        }
        let mut at = None;
        for word in words {
            let count = self.nodes.1.len();
            let lower: Box<str> = word.to_lowercase().into();
            let next = *self.node(at).next.entry(lower).or_insert(count);
            if next == count {
                self.nodes.1.push(Node::default());
            }
            at = Some(next);
        }
        let node = self.node(at);
        node.ends = true;
        match needs {
            Needs::Nothing => node.any_case = true,
            Needs::Case => {
                for writing in writings(words) {
                    node.plain.insert(writing.join(" ").into());
                }
            }
            Needs::Cue => {}
        }
    }

    fn node(&mut self, at: Option<usize>) -> &mut Node {
        match at {
            Some(at) => &mut self.nodes.1[at],
            None => &mut self.nodes.0,
        }
    }
}

impl Needs {
    fn min(self, other: Self) -> Self {
        match self {
            Self::Nothing => other,
            kept => kept,
        }
    }
}

/// The words of a name, the family name last, without titles; each split where the finder splits.
fn name_words(name: &str) -> Vec<Vec<String>> {
    let (family, given) = match name.split_once([',', '\u{ff0c}']) {
        Some((family, given)) => (family, given),
        None => ("", name),
    };
    [given, family]
        .into_iter()
        .flat_map(str::split_whitespace)
        .map(|word| {
            let text = Text::new(word);
            let parts = text.words().iter();
            parts
                .map(|part| text.chars()[part.range.clone()].iter().collect())
                .collect::<Vec<String>>()
        })
        .filter(|word| !word.is_empty())
        .filter(|word| word.len() > 1 || !TITLES.contains(&word[0].to_lowercase().as_str()))
        .collect()
}

/// The words of a name that alone are a name only with a cue: they are common words, too, or very short.
pub fn cue_words(name: &str) -> Vec<String> {
    let lower_case = !name.chars().any(char::is_uppercase);
    let words = name_words(name);
    let single = words.len() == 1;
    words
        .into_iter()
        // Particles are no names alone, cue or not.
        .filter(|word| lower_case || single || !word[0].starts_with(char::is_lowercase))
        .filter(|word| word_needs(word) == Needs::Cue)
        .map(|word| word.concat())
        .collect()
}

/// What one word of a name needs.
fn word_needs(word: &[String]) -> Needs {
    let count: usize = word.iter().map(|part| letters(part)).sum();
    let common = COMMON_WORDS.contains(word.concat().to_lowercase().as_str());
    let least = if starts_unspaced(&word[0]) { 2 } else { 3 };
    if common || count < least {
        Needs::Cue
    } else {
        Needs::Case
    }
}

/// Letters; of Korean, whose syllables are taken apart, the syllables.
fn letters(word: &str) -> usize {
    word.chars()
        .filter(|c| !matches!(c, '\u{1160}'..='\u{11ff}'))
        .count()
}

fn starts_unspaced(word: &str) -> bool {
    word.starts_with(is_unspaced)
}

/// A name as it was given; one all in capitals or all in small letters also with a capital first.
fn writings(words: &[String]) -> Vec<Vec<String>> {
    let joined = words.concat();
    let mut writings = vec![words.to_vec()];
    let capitals = letters(&joined) > 1 && !joined.contains(char::is_lowercase);
    if capitals || !joined.contains(char::is_uppercase) {
        writings.push(words.iter().map(|word| title_case(word)).collect());
    }
    writings
}

fn title_case(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars.as_str().to_lowercase().chars()).collect()
}
