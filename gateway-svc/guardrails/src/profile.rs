//! The profile's file: what it may hold, and what is refused.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

use serde::Deserialize;
use serde_saphyr::Spanned;

use crate::{fault::ProfileError, guardrails::HitKind, words};

/// The largest file, in bytes.
pub(crate) const MAX_FILE_BYTES: usize = 256 << 10;
const MAX_LOCALES: usize = 64;
const MAX_BLOCKED_TERMS: usize = 2000;
const MAX_PHRASES: usize = 500;
const MAX_PHRASE_CHARS: usize = 100;
const MAX_PHRASE_WORDS: usize = 12;
const MAX_TEXT_CHARS: usize = 1000;

/// A profile that keeps its bounds. Terms and phrases are in the form of [`words::of`].
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) blocked_terms: Vec<String>,
    /// Whether the model judges beside the phrases.
    pub(crate) model: bool,
    /// By language tag in lower case.
    pub(crate) locales: BTreeMap<String, LocaleProfile>,
    /// All phrases of all locales, and the texts of `en` or of the first one by name.
    pub(crate) other: LocaleProfile,
}

#[derive(Debug, Clone)]
pub(crate) struct LocaleProfile {
    /// The phrases of each kind.
    pub(crate) safeguarding: Vec<(HitKind, Vec<String>)>,
    pub(crate) safeguarding_text: String,
    /// That staff are told; empty: nothing is said of it.
    pub(crate) told_text: String,
    pub(crate) blocked_text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    blocked_terms: Vec<Spanned<String>>,
    #[serde(default = "yes")]
    model: bool,
    locales: HashMap<Spanned<String>, LocaleFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LocaleFile {
    safeguarding: SafeguardingFile,
    texts: TextsFile,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SafeguardingFile {
    self_harm: Vec<Spanned<String>>,
    abuse: Vec<Spanned<String>>,
    #[serde(default)]
    danger: Vec<Spanned<String>>,
    #[serde(default)]
    bullying: Vec<Spanned<String>>,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextsFile {
    safeguarding: Spanned<String>,
    #[serde(default)]
    told: Option<Spanned<String>>,
    blocked: Spanned<String>,
}

/// What is wrong, and on which line.
type Fault = (Option<u64>, String);

impl Profile {
    /// Reads a file's content.
    pub(crate) fn parse(file: &Path, yaml: &str) -> Result<Self, ProfileError> {
        let faulty = |(line, message): Fault| ProfileError::Faulty {
            file: file.to_owned(),
            line,
            message,
        };
        if yaml.len() > MAX_FILE_BYTES {
            return Err(faulty((
                None,
                format!("a profile has at most {MAX_FILE_BYTES} bytes; shorten it"),
            )));
        }
        let read: ProfileFile = serde_saphyr::from_str(yaml).map_err(|error| {
            let line = error.location().map(|location| location.line());
            faulty((line, error.without_snippet().to_string()))
        })?;
        Self::of(read).map_err(faulty)
    }

    fn of(read: ProfileFile) -> Result<Self, Fault> {
        let count = read.locales.len();
        let bounds = (
            None,
            format!("`locales` has {count} entries; give 1 to {MAX_LOCALES}"),
        );
        if count > MAX_LOCALES {
            return Err(bounds);
        }
        let blocked_terms = phrases("blocked_terms", read.blocked_terms, MAX_BLOCKED_TERMS)?;
        let mut locales: BTreeMap<String, LocaleProfile> = BTreeMap::new();
        for (tag, locale) in read.locales {
            let line = Some(tag.referenced.line());
            if !is_language_tag(&tag.value) {
                let message = format!(
                    "`{}` is not a language tag; write one such as `en` or `de-CH`",
                    tag.value
                );
                return Err((line, message));
            }
            let SafeguardingFile {
                self_harm,
                abuse,
                danger,
                bullying,
            } = locale.safeguarding;
            let read = [
                (HitKind::SelfHarm, self_harm),
                (HitKind::Abuse, abuse),
                (HitKind::Danger, danger),
                (HitKind::Bullying, bullying),
            ];
            let safeguarding = read
                .into_iter()
                .map(|(kind, read)| Ok((kind, phrases(kind.name(), read, MAX_PHRASES)?)));
            let told = locale.texts.told.map(|told| text("texts.told", told));
            let profile = LocaleProfile {
                safeguarding: safeguarding.collect::<Result<_, Fault>>()?,
                safeguarding_text: text("texts.safeguarding", locale.texts.safeguarding)?,
                told_text: told.transpose()?.unwrap_or_default(),
                blocked_text: text("texts.blocked", locale.texts.blocked)?,
            };
            let key = tag.value.to_ascii_lowercase();
            if locales.insert(key, profile).is_some() {
                let message = format!("`{}` is there twice; remove one", tag.value);
                return Err((line, message));
            }
        }
        let spoken = locales.get("en").or_else(|| locales.values().next());
        let mut other: LocaleProfile = spoken.cloned().ok_or(bounds)?;
        let all = locales
            .values()
            .flat_map(|locale| locale.safeguarding.clone());
        other.safeguarding = all.collect();
        Ok(Self {
            blocked_terms,
            model: read.model,
            locales,
            other,
        })
    }
}

fn phrases(key: &str, read: Vec<Spanned<String>>, most: usize) -> Result<Vec<String>, Fault> {
    if let Some(first_too_many) = read.get(most) {
        return Err((
            Some(first_too_many.referenced.line()),
            format!("`{key}` has more than {most} entries; shorten it"),
        ));
    }
    read.into_iter()
        .map(|phrase| {
            let line = Some(phrase.referenced.line());
            let mut words = words::of(&phrase.value);
            let count = words.split_whitespace().count();
            if count == 0 {
                return Err((
                    line,
                    format!("`{key}` has an entry without a word; remove it"),
                ));
            }
            if count > MAX_PHRASE_WORDS || phrase.value.chars().count() > MAX_PHRASE_CHARS {
                return Err((
                    line,
                    format!(
                        "an entry of `{key}` has more than {MAX_PHRASE_WORDS} words or {MAX_PHRASE_CHARS} characters; \
                         shorten it"
                    ),
                ));
            }
            if phrase.value.ends_with('.') {
                words.push(words::EDGE);
            }
            if phrase.value.starts_with('.') {
                words.insert(0, words::EDGE);
            }
            Ok(words)
        })
        .collect()
}

fn text(key: &str, read: Spanned<String>) -> Result<String, Fault> {
    let trimmed = read.value.trim();
    if trimmed.is_empty() || trimmed.chars().count() > MAX_TEXT_CHARS {
        return Err((
            Some(read.referenced.line()),
            format!("`{key}` is empty or longer than {MAX_TEXT_CHARS} characters"),
        ));
    }
    Ok(trimmed.to_owned())
}

/// Whether a text has the form of a language tag: subtags of 1 to 8 ASCII letters or digits with hyphens between, the
/// first of letters (RFC 5646, 2.1).
fn is_language_tag(text: &str) -> bool {
    let subtag = |s: &str| matches!(s.len(), 1..=8) && s.bytes().all(|b| b.is_ascii_alphanumeric());
    let mut subtags = text.split('-');
    subtags
        .next()
        .is_some_and(|s| subtag(s) && s.len() > 1 && s.bytes().all(|b| b.is_ascii_alphabetic()))
        && subtags.all(subtag)
}
