//! The keys of one map, read by name; whatever is wrong or left over becomes a fault.

use std::ops::RangeInclusive;

use crate::fault::Sink;
use crate::ids;
use crate::repeats::repeats;
use crate::yaml::{Entry, Node, Value};

/// A value and the line it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) line: usize,
}

/// A text of a map of texts, and its language where the map has it by language.
pub(crate) struct Wording {
    pub(crate) key: Located<String>,
    pub(crate) language: Option<Located<String>>,
    pub(crate) text: Located<String>,
}

/// A map while it is being read.
pub(crate) struct Fields<'t> {
    /// What the map describes, for messages: `unit`, `question`, ….
    what: &'static str,
    /// The line the map starts on.
    pub(crate) line: usize,
    /// The entries; one that was asked for leaves a gap.
    entries: Vec<Option<Entry<'t>>>,
    /// Where the last one asked for was: the next is likely the next asked for.
    cursor: usize,
    asked: Vec<&'static str>,
}

impl<'t> Fields<'t> {
    /// Opens a node that should be a map.
    pub(crate) fn open(node: Node<'t>, what: &'static str, sink: &mut Sink<'_>) -> Option<Self> {
        match node.value {
            Value::Map(entries) => Some(Self {
                what,
                line: node.line,
                entries: entries.into_iter().map(Some).collect(),
                cursor: 0,
                asked: Vec::with_capacity(16),
            }),
            other => {
                sink.add(
                    node.line,
                    format!(
                        "the {what} is written as keys with values, but this is {}",
                        other.kind()
                    ),
                    format!(
                        "write the {what} as `key: value` lines; text that holds `: ` needs quotes"
                    ),
                );
                None
            }
        }
    }

    fn take(&mut self, key: &'static str) -> Option<Entry<'t>> {
        self.asked.push(key);
        let is_it = |entry: &Option<Entry<'t>>| entry.as_ref().is_some_and(|e| e.key == key);
        let ahead = self.entries[self.cursor..].iter().position(is_it);
        let at = match ahead {
            Some(ahead) => self.cursor + ahead,
            None => self.entries[..self.cursor].iter().position(is_it)?,
        };
        self.cursor = at + 1;
        self.entries[at].take()
    }

    fn missing(&self, key: &str, sink: &mut Sink<'_>) {
        sink.add(
            self.line,
            format!("this {} has no `{key}`", self.what),
            format!("add a line `{key}: …` to it"),
        );
    }

    /// Text that must be there and must not be blank. Surrounding white space is dropped.
    pub(crate) fn text(
        &mut self,
        key: &'static str,
        sink: &mut Sink<'_>,
    ) -> Option<Located<String>> {
        match self.take(key) {
            Some(entry) => scalar(entry.node, key, sink),
            None => {
                self.missing(key, sink);
                None
            }
        }
    }

    /// Text that may be left out, but not be blank.
    pub(crate) fn optional_text(
        &mut self,
        key: &'static str,
        sink: &mut Sink<'_>,
    ) -> Option<Located<String>> {
        scalar(self.take(key)?.node, key, sink)
    }

    /// An id that must be there and be well formed.
    pub(crate) fn id(&mut self, key: &'static str, sink: &mut Sink<'_>) -> Option<Located<String>> {
        let found = self.text(key, sink)?;
        checked_id(found, key, sink)
    }

    /// A list of texts; left out, it is empty.
    pub(crate) fn texts(&mut self, key: &'static str, sink: &mut Sink<'_>) -> Vec<Located<String>> {
        let nodes = self.list(key, sink);
        let mut texts = Vec::with_capacity(nodes.len());
        texts.extend(nodes.into_iter().filter_map(|node| scalar(node, key, sink)));
        texts
    }

    /// A list of ids; left out, it is empty.
    pub(crate) fn ids(&mut self, key: &'static str, sink: &mut Sink<'_>) -> Vec<Located<String>> {
        self.texts(key, sink)
            .into_iter()
            .filter_map(|found| checked_id(found, key, sink))
            .collect()
    }

    /// A list of anything; left out, it is empty.
    pub(crate) fn list(&mut self, key: &'static str, sink: &mut Sink<'_>) -> Vec<Node<'t>> {
        let Some(entry) = self.take(key) else {
            return Vec::new();
        };
        match entry.node.value {
            Value::List(items) => items,
            Value::Null => {
                sink.add(
                    entry.line,
                    format!("`{key}` has no value"),
                    format!("write `{key}: []` for an empty list, or remove the line"),
                );
                Vec::new()
            }
            other => {
                sink.add(
                    entry.node.line,
                    format!("`{key}` is a list, but this is {}", other.kind()),
                    format!("write `{key}: [first, second]`, or one `- item` a line below it"),
                );
                Vec::new()
            }
        }
    }

    /// Whether no key is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.iter().all(Option::is_none)
    }

    /// Whether the value of this key is a map.
    pub(crate) fn is_map(&self, key: &str) -> bool {
        let mut left = self.entries.iter().flatten();
        left.any(|e| e.key == key && matches!(e.node.value, Value::Map(_)))
    }

    /// The line of this key, if the map has it.
    pub(crate) fn line_of(&self, key: &str) -> Option<usize> {
        let mut left = self.entries.iter().flatten();
        left.find(|e| e.key == key).map(|e| e.line)
    }

    /// Yes or no; left out, it is `default`. Anything else is a fault and counts as no, which asks
    /// for the least elsewhere.
    pub(crate) fn flag(&mut self, key: &'static str, default: bool, sink: &mut Sink<'_>) -> bool {
        let stated = self.line_of(key).is_some();
        self.choice(key, &[("true", true), ("false", false)], sink)
            .unwrap_or(!stated && default)
    }

    /// One word of a closed set; left out or wrong, it is `None`.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        choices: &[(&str, T)],
        sink: &mut Sink<'_>,
    ) -> Option<T> {
        chosen(&self.optional_text(key, sink)?, key, choices, sink)
    }

    /// A list of words of a closed set, each once; left out, it is empty.
    pub(crate) fn choices<T: Copy>(
        &mut self,
        key: &'static str,
        choices: &[(&str, T)],
        sink: &mut Sink<'_>,
    ) -> Vec<T> {
        let found = self.texts(key, sink);
        once(&found, key, sink);
        let chosen = found.iter().map(|word| chosen(word, key, choices, sink));
        chosen.flatten().collect()
    }

    /// Whatever stands there, as it was read; left out, it is `None`.
    pub(crate) fn node(&mut self, key: &'static str) -> Option<Node<'t>> {
        Some(self.take(key)?.node)
    }

    /// A text that must be there, in English and in German; one text stands for both.
    pub(crate) fn local_text(
        &mut self,
        key: &'static str,
        sink: &mut Sink<'_>,
    ) -> Option<(Located<String>, Located<String>)> {
        let Some(entry) = self.take(key) else {
            self.missing(key, sink);
            return None;
        };
        if !matches!(entry.node.value, Value::Map(_)) {
            let text = scalar(entry.node, key, sink)?;
            return Some((text.clone(), text));
        }
        let mut languages = Fields::open(entry.node, "text by language", sink)?;
        let (english, german) = (languages.text("en", sink), languages.text("de", sink));
        languages.finish(sink);
        Some((english?, german?))
    }

    /// One word of a closed set that must be there.
    pub(crate) fn required_choice<T: Copy>(
        &mut self,
        key: &'static str,
        choices: &[(&str, T)],
        sink: &mut Sink<'_>,
    ) -> Option<T> {
        if self.line_of(key).is_none() {
            self.missing(key, sink);
        }
        self.choice(key, choices, sink)
    }

    /// A whole number within bounds; left out or wrong, it is `None`.
    pub(crate) fn whole_number(
        &mut self,
        key: &'static str,
        bounds: RangeInclusive<u32>,
        sink: &mut Sink<'_>,
    ) -> Option<u32> {
        let found = self.optional_text(key, sink)?;
        let number = found.value.parse().ok().filter(|n| bounds.contains(n));
        if number.is_none() {
            sink.add(
                found.line,
                format!("`{key}` cannot be `{}`", found.value),
                format!(
                    "write a whole number from {} to {}",
                    bounds.start(),
                    bounds.end()
                ),
            );
        }
        number
    }

    /// A fraction of 1; left out or wrong, it is `None`.
    pub(crate) fn share(&mut self, key: &'static str, sink: &mut Sink<'_>) -> Option<f64> {
        let found = self.optional_text(key, sink)?;
        let number = found
            .value
            .parse()
            .ok()
            .filter(|n: &f64| (0.0..=1.0).contains(n));
        if number.is_none() {
            sink.add(
                found.line,
                format!("`{key}` cannot be `{}`", found.value),
                "write a number from 0 to 1",
            );
        }
        number
    }

    /// A nested map; left out, it is `None`.
    pub(crate) fn map(
        &mut self,
        key: &'static str,
        what: &'static str,
        sink: &mut Sink<'_>,
    ) -> Option<Self> {
        Self::open(self.take(key)?.node, what, sink)
    }

    /// The whole map as texts, by key: each one text, or one by language.
    pub(crate) fn into_wordings(self, sink: &mut Sink<'_>) -> Vec<Wording> {
        let mut wordings = Vec::with_capacity(self.entries.len());
        for entry in self.entries.into_iter().flatten() {
            let key = located(&entry);
            if let Value::Map(by_language) = entry.node.value {
                for said in by_language {
                    let language = Some(located(&said));
                    wordings.extend(scalar(said.node, &key.value, sink).map(|text| Wording {
                        key: key.clone(),
                        language,
                        text,
                    }));
                }
            } else if let Some(text) = scalar(entry.node, &key.value, sink) {
                wordings.push(Wording {
                    key,
                    language: None,
                    text,
                });
            }
        }
        wordings
    }

    /// The whole map as lists of texts, by key, each key with its line.
    pub(crate) fn into_texts(
        self,
        sink: &mut Sink<'_>,
    ) -> Vec<(Located<String>, Vec<Located<String>>)> {
        let mut lists = Vec::with_capacity(self.entries.len());
        for entry in self.entries.into_iter().flatten() {
            let (key, line) = (entry.key.trim().to_owned(), entry.line);
            match entry.node.value {
                Value::List(items) => {
                    let texts = items
                        .into_iter()
                        .filter_map(|node| scalar(node, &key, sink))
                        .collect();
                    lists.push((Located { value: key, line }, texts));
                }
                other => sink.add(
                    line,
                    format!(
                        "`{}` is a list, but this is {}",
                        shorten(&key),
                        other.kind()
                    ),
                    "write `[first, second]` behind it, or one `- item` a line below it",
                ),
            }
        }
        lists
    }

    /// Ends the reading: every key that nobody asked for is a fault.
    pub(crate) fn finish(self, sink: &mut Sink<'_>) {
        if self.is_empty() {
            return;
        }
        let known: Vec<String> = self.asked.iter().map(|k| format!("`{k}`")).collect();
        for entry in self.entries.iter().flatten() {
            let close = self
                .asked
                .iter()
                .find(|known| distance(known, &entry.key) <= 2);
            let hint = close.map_or_else(
                || "remove it or correct its spelling".to_owned(),
                |key| format!("did you mean `{key}`?"),
            );
            sink.add(
                entry.line,
                format!("the {} has no key `{}`", self.what, entry.key),
                format!("{hint} (known keys: {})", known.join(", ")),
            );
        }
    }
}

/// The value of a word of a closed set.
fn chosen<T: Copy>(
    found: &Located<String>,
    key: &str,
    choices: &[(&str, T)],
    sink: &mut Sink<'_>,
) -> Option<T> {
    let choice = choices.iter().find(|(word, _)| *word == found.value);
    if choice.is_none() {
        let words: Vec<String> = choices.iter().map(|(w, _)| format!("`{w}`")).collect();
        sink.add(
            found.line,
            format!("`{key}` cannot be `{}`", shorten(&found.value)),
            format!("write one of {}", words.join(", ")),
        );
    }
    choice.map(|(_, value)| *value)
}

/// Notes what stands in the list of this key more than once.
pub(crate) fn once(found: &[Located<String>], key: &str, sink: &mut Sink<'_>) {
    for (again, first) in repeats(found.iter().map(|found| found.value.as_str())) {
        sink.add(
            found[again].line,
            format!(
                "`{key}` has `{}` twice (first on line {})",
                shorten(&found[again].value),
                found[first].line
            ),
            "keep one of the two",
        );
    }
}

/// The key of an entry.
fn located(entry: &Entry<'_>) -> Located<String> {
    Located {
        value: entry.key.trim().to_owned(),
        line: entry.line,
    }
}

/// Text that is not blank.
pub(crate) fn scalar(node: Node<'_>, key: &str, sink: &mut Sink<'_>) -> Option<Located<String>> {
    match node.value {
        Value::Scalar(text) if !text.trim().is_empty() => Some(Located {
            value: text.trim().to_owned(),
            line: node.line,
        }),
        Value::Scalar(_) | Value::Null => {
            sink.add(
                node.line,
                format!("`{key}` is empty"),
                "write a text; if the word `null` or `~` is meant, put it in quotes",
            );
            None
        }
        other => {
            sink.add(
                node.line,
                format!("`{key}` is text, but this is {}", other.kind()),
                "write plain text; text that holds `: `, or starts with `[` or `{`, needs quotes",
            );
            None
        }
    }
}

fn checked_id(found: Located<String>, key: &str, sink: &mut Sink<'_>) -> Option<Located<String>> {
    if ids::is_id(&found.value) {
        return Some(found);
    }
    sink.add(
        found.line,
        format!(
            "`{key}` has the id `{}`, which is not well formed",
            shorten(&found.value)
        ),
        ids::RULE,
    );
    None
}

/// The text, cut for a message.
pub(crate) fn shorten(text: &str) -> String {
    if text.chars().count() <= 60 {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(59).collect();
    short.push('…');
    short
}

/// Levenshtein distance; keys are short, and a long one is no near miss.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let cost = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
