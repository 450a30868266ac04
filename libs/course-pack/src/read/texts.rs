//! `texts.yaml`: a course's own wording of what its students read.

use std::collections::BTreeMap;

use turnwise_messages::{COURSE_KEYS, MOST_WORDING_CHARS, WordingFault, wording_faults};

use super::course::is_language_tag;
use crate::fault::Sink;
use crate::fields::{Fields, Located, Wording, shorten};
use crate::yaml;

/// The wordings in the course's language, by key. What is in other languages is checked and left out.
pub(super) fn read(
    text: &str,
    locale: &str,
    sink: &mut Sink<'_>,
) -> BTreeMap<String, Located<String>> {
    let node = yaml::parse(text, 1, sink);
    let fields = node.and_then(|node| Fields::open(node, "texts file", sink));
    let wordings = fields.map(|fields| fields.into_wordings(sink));
    let mut nearest: BTreeMap<String, (Nearness, Located<String>)> = BTreeMap::new();
    let mut lines = BTreeMap::new();
    for Wording {
        key,
        language,
        text,
    } in wordings.unwrap_or_default()
    {
        if let Some(language) = &language
            && !is_language_tag(&language.value)
        {
            sink.add(
                language.line,
                format!("`{}` is not a language tag", shorten(&language.value)),
                "write a language such as `en`, or language and region such as `de-CH`",
            );
        }
        for fault in wording_faults(&key.value, &text.value) {
            let line = match fault {
                WordingFault::UnknownKey => key.line,
                _ => text.line,
            };
            let (message, remedy) = told(&key.value, &fault);
            sink.add(line, message, remedy);
        }
        lines.insert(key.value.clone(), key.line);
        let near = language.map_or(Nearness::Same, |language| nearness(&language.value, locale));
        let known = nearest.get(&key.value);
        if near < known.map_or(Nearness::None, |(near, _)| *near) {
            nearest.insert(key.value, (near, text));
        }
    }
    for (key, line) in lines {
        if !locale.is_empty() && !nearest.contains_key(&key) {
            sink.warn(
                line,
                format!(
                    "`{}` has no text in `{locale}`, the course's language",
                    shorten(&key)
                ),
                "add one, or remove the key: students read the text that all courses have",
            );
        }
    }
    let own = nearest.into_iter();
    own.map(|(key, (_, text))| (key, text)).collect()
}

/// How near a language is to the course's; the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// It is the course's, with its region.
    Same,
    /// It is the course's, for another region or for all.
    Language,
    /// It is another.
    None,
}

fn nearness(tag: &str, locale: &str) -> Nearness {
    let language = |tag: &str| tag.split('-').next().unwrap_or_default().to_lowercase();
    if tag.eq_ignore_ascii_case(locale) {
        Nearness::Same
    } else if language(tag) == language(locale) {
        Nearness::Language
    } else {
        Nearness::None
    }
}

/// What is wrong, and what to do about it.
fn told(key: &str, fault: &WordingFault) -> (String, String) {
    match fault {
        WordingFault::UnknownKey => (
            format!("`{}` is no text that a course may word", shorten(key)),
            format!(
                "correct its spelling, or remove it; docs/texts.md lists the keys, which begin with {}",
                COURSE_KEYS.join(", ")
            ),
        ),
        WordingFault::MissingPlaceholder(name) => (
            format!("`{key}` lacks the placeholder `{{ ${name} }}`"),
            "write it where its value belongs".to_owned(),
        ),
        WordingFault::UnknownPlaceholder(name) => (
            format!("`{key}` has no placeholder `{{ ${} }}`", shorten(name)),
            "correct its spelling, or remove it; docs/texts.md lists the placeholders".to_owned(),
        ),
        WordingFault::Link => (
            format!("`{key}` has a link in it"),
            "leave the link out: what the tutor says holds none".to_owned(),
        ),
        WordingFault::ControlCharacters => (
            format!("`{key}` has line breaks or other control characters in it"),
            "write it on one line, or below `>-`".to_owned(),
        ),
        WordingFault::TooLong(chars) => (
            format!("`{key}` has {chars} characters, but at most {MOST_WORDING_CHARS} are allowed"),
            "shorten it".to_owned(),
        ),
    }
}
