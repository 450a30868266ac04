//! What transcripts have in common: cues with times, and the tags and entities in their text.

use std::time::Duration;

use crate::{
    document::{Place, Section},
    error::{ExtractError, Reason},
};

/// A stretch of speech.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cue {
    /// When it begins.
    pub(crate) start: Duration,
    /// Who speaks; empty: not said.
    pub(crate) voice: String,
    /// What is said, line by line.
    pub(crate) lines: Vec<String>,
}

/// Joins cues to one section. A new speaker begins a paragraph; names of speakers are dropped, for a lesson's recording
/// also holds students. Captions that roll up repeat the line before: a line that only repeats it is dropped.
pub(crate) fn section(cues: &[Cue]) -> Section {
    let mut section = Section::default();
    let mut last = "";
    let mut voice: &str = "";
    for cue in cues {
        let place = Place {
            page: 0,
            start: Some(cue.start),
        };
        let mut separator = if cue.voice == voice { "\n" } else { "\n\n" };
        for (n, line) in cue.lines.iter().enumerate() {
            if n == 0 && line == last {
                continue;
            }
            section.push(separator, line, place);
            separator = "\n";
            last = line;
        }
        voice = &cue.voice;
    }
    section
}

/// Reads `[hh:]mm:ss.mmm`, with a point or a comma. Hours may have any number of digits up to 5.
pub(crate) fn timestamp(text: &str) -> Option<Duration> {
    let (clock, millis) = text.split_once(['.', ','])?;
    let parts: Vec<&str> = clock.split(':').collect();
    let (hours, minutes, seconds) = match *parts.as_slice() {
        [minutes, seconds] => ("0", minutes, seconds),
        [hours, minutes, seconds] => (hours, minutes, seconds),
        _ => return None,
    };
    if hours.len() > 5 || minutes.len() != 2 || seconds.len() != 2 || millis.len() != 3 {
        return None;
    }
    let number = |digits: &str| {
        digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse::<u64>().ok())
            .flatten()
    };
    let (minutes, seconds) = (number(minutes)?, number(seconds)?);
    if minutes > 59 || seconds > 59 {
        return None;
    }
    let seconds = number(hours)? * 3600 + minutes * 60 + seconds;
    Some(Duration::from_millis(seconds * 1000 + number(millis)?))
}

/// When the cue begins, from its line `start --> end settings`.
pub(crate) fn timing(name: &str, line: &str, number: usize) -> Result<Duration, ExtractError> {
    let read = || {
        let (start, rest) = line.split_once("-->")?;
        // What follows the end are settings of its place on the screen.
        timestamp(rest.split_whitespace().next()?)?;
        timestamp(start.trim())
    };
    read().ok_or_else(|| {
        ExtractError::new(
            name,
            Reason::NotCaptions,
            "the times of this cue cannot be read",
            "write them as `00:01:02.000 --> 00:01:04.500`",
        )
        .at(format!("line {number}"))
    })
}

/// A cue's text without markup, and the name in its voice tag.
pub(crate) fn speech(lines: &[&str]) -> (Vec<String>, String) {
    let mut voice = String::new();
    let lines = lines
        .iter()
        .map(|line| plain(line, &mut voice))
        .filter(|line| !line.is_empty())
        .collect();
    (lines, voice)
}

fn plain(line: &str, voice: &mut String) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '{']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match tag(from) {
            Some(tag) => {
                if let Some(name) = tag.voice
                    && voice.is_empty()
                {
                    name.clone_into(voice);
                }
                rest = from.get(tag.length..).unwrap_or_default();
            }
            None => {
                // `a < b` is text.
                out.push_str(from.get(..1).unwrap_or_default());
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    entities(&out)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

struct Tag<'t> {
    length: usize,
    voice: Option<&'t str>,
}

/// A tag is long only by its name or class; what is longer is text.
const MAX_TAG: usize = 300;

/// The tag that the text begins with: `<b>`, `</c>`, `<c.yellow>`, `<v Ada>`, `<00:01.000>`, `<font …>`, `{\an8}`.
fn tag(text: &str) -> Option<Tag<'_>> {
    let close = if text.starts_with('{') { '}' } else { '>' };
    let end = text
        .char_indices()
        .take(MAX_TAG)
        .find_map(|(at, c)| (c == close).then_some(at))?;
    let inside = text.get(1..end)?;
    let found = Tag {
        length: end + 1,
        voice: None,
    };
    if close == '}' {
        return inside.starts_with('\\').then_some(found);
    }
    if timestamp(inside).is_some() {
        return Some(found);
    }
    let inside = inside.strip_prefix('/').unwrap_or(inside);
    let word = inside.find(['.', ' ', '\t']).unwrap_or(inside.len());
    let (kind, rest) = inside.split_at(word);
    match kind.to_ascii_lowercase().as_str() {
        "v" => Some(Tag {
            voice: rest
                .split_once([' ', '\t'])
                .map(|(_, name)| name.trim())
                .filter(|name| !name.is_empty()),
            ..found
        }),
        "b" | "i" | "u" | "s" | "c" | "ruby" | "rt" | "lang" | "font" => Some(found),
        _ => None,
    }
}

fn entities(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    // `&amp;` comes last: `&amp;lt;` is the text `&lt;`.
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&nbsp;", " ")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&lrm;", "")
        .replace("&rlm;", "")
        .replace("&amp;", "&")
}
