//! Words of concepts, of subjects and of chats: the files in `data/`.

use std::{collections::HashSet, sync::LazyLock};

use crate::{
    formulas::Shape,
    words::{Index, Word, words},
};

/// Something that lessons are about, with the words that students use for it.
pub(crate) struct Concept {
    /// A topic with one of these words is about it.
    pub(crate) names: Vec<Word>,
    /// A message with one of these, or of the names, is about it.
    pub(crate) words: Vec<Word>,
    /// A formula of one of these shapes is about it.
    pub(crate) shapes: Vec<Shape>,
    /// So is a message with one of these runs of words.
    pub(crate) phrases: Vec<&'static str>,
}

/// A school subject, or something else that people talk about.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) words: Vec<Word>,
    pub(crate) weight: Weight,
}

/// What a word of a subject says against a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    /// It is about that subject.
    Subject,
    /// It is about that, except in a word problem, which may be about films or football.
    Leisure,
    /// Little: an exercise may hold it (`pizza`).
    Everyday,
    /// Much where it is ordered (`write a poem`), else little.
    Product,
}

/// `names | words | shapes | phrases`, a line each.
pub(crate) static CONCEPTS: LazyLock<Vec<Concept>> = LazyLock::new(|| {
    lines(include_str!("../data/concepts.txt"))
        .map(|line| {
            let mut parts = line.split('|');
            let mut part = || parts.next().unwrap_or_default();
            Concept {
                names: words(part()),
                words: words(part()),
                shapes: part().split_whitespace().filter_map(Shape::read).collect(),
                phrases: part()
                    .split(',')
                    .map(str::trim)
                    .filter(|phrase| !phrase.is_empty())
                    .collect(),
            }
        })
        .collect()
});

/// `name: words`, a line each; a name with `!` is of products, one with `~` of everyday things, one with `+` of leisure.
pub(crate) static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    lines(include_str!("../data/subjects.txt"))
        .filter_map(|line| line.split_once(':'))
        .map(|(name, listed)| Subject {
            name: name.trim_end_matches(['!', '~', '+']),
            words: words(listed),
            weight: match name.chars().last() {
                Some('!') => Weight::Product,
                Some('+') => Weight::Leisure,
                Some('~') => Weight::Everyday,
                _ => Weight::Subject,
            },
        })
        .collect()
});

/// Words of chats about any lesson: asking for help, going on, checking.
static CHAT: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    lines(include_str!("../data/chat.txt"))
        .flat_map(str::split_whitespace)
        .collect()
});

static CHAT_FORMS: LazyLock<Index> = LazyLock::new(|| {
    let listed: Vec<&str> = CHAT.iter().copied().collect();
    Index::of([words(&listed.join(" ")).as_slice()])
});

/// The subjects' words, by the place of the subject.
pub(crate) static SUBJECT_FORMS: LazyLock<Index> =
    LazyLock::new(|| Index::of(SUBJECTS.iter().map(|subject| subject.words.as_slice())));

/// The concepts' names, by the place of the concept.
pub(crate) static CONCEPT_FORMS: LazyLock<Index> =
    LazyLock::new(|| Index::of(CONCEPTS.iter().map(|concept| concept.names.as_slice())));

/// Words of topics that say too little alone: `number`, `line`, `rule`.
static GENERIC: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    lines(include_str!("../data/generic.txt"))
        .flat_map(str::split_whitespace)
        .collect()
});

/// What asks for other rules or another role, as normalised text has it.
pub(crate) static OVERRIDES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| lines(include_str!("../data/overrides.txt")).collect());

/// Whether the word says nothing of any subject.
pub(crate) fn is_chat(word: &Word) -> bool {
    CHAT.contains(word.text.as_str())
        || (word.text.chars().count() >= 4 && CHAT_FORMS.lists(word).next().is_some())
}

/// Whether the word itself, and not only a form of it, is in a list of words that say too little.
pub(crate) fn is_listed(word: &str) -> bool {
    GENERIC.contains(word) || CHAT.contains(word)
}

/// Whether the word says too little alone to make a topic of several words.
pub(crate) fn is_generic(word: &Word) -> bool {
    GENERIC.contains(word.text.as_str()) || is_chat(word)
}

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Words of lessons in which programs are written; words that mathematics has, too, are not among them.
static PROGRAMS: LazyLock<Vec<Word>> = LazyLock::new(|| {
    words(
        "program programming coding code python javascript typescript java kotlin html css sql arduino algorithm loop \
         sprite debugging programmieren programmierung programm algorithmus schleife code calliope microbit robot roboter",
    )
});

/// Whether a lesson with this word asks for programs.
pub(crate) fn is_of_programs(word: &Word) -> bool {
    PROGRAMS.iter().any(|listed| word.is_form_of(listed))
}
