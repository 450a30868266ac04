//! The checks themselves.

use std::{collections::BTreeMap, fmt, fs, path::Path};

use crate::{
    fault::ProfileError,
    phrases::Phrases,
    profile::{LocaleProfile, Profile},
    words,
};

const BUILT_IN_FILE: &str = "profile.yaml";
const BUILT_IN: &str = include_str!("../profile.yaml");

/// What was found, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HitKind {
    /// The student may harm themselves.
    SelfHarm,
    /// Somebody may harm the student.
    Abuse,
    /// A term that the school does not want.
    BlockedTerm,
}

impl HitKind {
    /// Whether staff have to know.
    #[must_use]
    pub fn is_safeguarding(self) -> bool {
        matches!(self, Self::SelfHarm | Self::Abuse)
    }
}

/// Why a turn goes no further, and what the student reads instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit<'a> {
    /// What was found: the gravest, if there is more than one.
    pub kind: HitKind,
    /// The profile's answer.
    pub text: &'a str,
}

/// One profile, ready to be used.
pub struct Guardrails {
    /// By language tag in lower case.
    locales: BTreeMap<String, Locale>,
    /// For a locale that the profile does not have.
    other: Locale,
    blocked_terms: Vec<u64>,
}

struct Locale {
    phrases: Phrases,
    safeguarding_text: String,
    blocked_text: String,
}

impl Locale {
    fn text(&self, kind: HitKind) -> &str {
        if kind.is_safeguarding() {
            &self.safeguarding_text
        } else {
            &self.blocked_text
        }
    }
}

impl fmt::Debug for Guardrails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let locales: Vec<_> = self.locales.keys().collect();
        f.debug_struct("Guardrails")
            .field("locales", &locales)
            .finish_non_exhaustive()
    }
}

impl Guardrails {
    /// The profile of this crate, with English and German.
    ///
    /// # Errors
    /// The profile of this crate is broken, which its tests rule out.
    pub fn built_in() -> Result<Self, ProfileError> {
        Self::parse(Path::new(BUILT_IN_FILE), BUILT_IN)
    }

    /// The profile of a file.
    ///
    /// # Errors
    /// The file cannot be read, is no UTF-8, or is no profile within its bounds.
    pub fn load(file: &Path) -> Result<Self, ProfileError> {
        let yaml = fs::read_to_string(file).map_err(|source| ProfileError::Unreadable {
            file: file.to_owned(),
            source,
        })?;
        Self::parse(file, &yaml)
    }

    fn parse(file: &Path, yaml: &str) -> Result<Self, ProfileError> {
        Self::of(&Profile::parse(file, yaml)?).map_err(|error| ProfileError::Faulty {
            file: file.to_owned(),
            line: None,
            message: format!("{error}; use fewer or shorter phrases"),
        })
    }

    fn of(profile: &Profile) -> Result<Self, aho_corasick::BuildError> {
        let locale = |own: &LocaleProfile| {
            let self_harm = own.self_harm.iter().map(|p| (HitKind::SelfHarm, p));
            let abuse = own.abuse.iter().map(|p| (HitKind::Abuse, p));
            let blocked = profile.blocked_terms.iter();
            let blocked = blocked.map(|p| (HitKind::BlockedTerm, p));
            Ok(Locale {
                phrases: Phrases::new(self_harm.chain(abuse).chain(blocked))?,
                safeguarding_text: own.safeguarding_text.clone(),
                blocked_text: own.blocked_text.clone(),
            })
        };
        Ok(Self {
            locales: profile
                .locales
                .iter()
                .map(|(tag, own)| Ok((tag.clone(), locale(own)?)))
                .collect::<Result<_, _>>()?,
            other: locale(&profile.other)?,
            blocked_terms: profile
                .blocked_terms
                .iter()
                .filter_map(|term| turnwise_fingerprint::phrase(term))
                .collect(),
        })
    }

    /// Whether a student's text ends the turn here, and with which answer. The locale is the course's. Time grows with the
    /// length of the text alone.
    #[must_use]
    pub fn check(&self, locale: &str, text: &str) -> Option<Hit<'_>> {
        let locale = self.locale(locale);
        let kind = locale.phrases.gravest(&words::of(text))?;
        Some(Hit {
            kind,
            text: locale.text(kind),
        })
    }

    /// The answer to what was found, in this locale.
    #[must_use]
    pub fn text(&self, locale: &str, kind: HitKind) -> &str {
        self.locale(locale).text(kind)
    }

    /// The blocked terms as hashes of their words, for whoever must not say them either.
    #[must_use]
    pub fn blocked_terms(&self) -> &[u64] {
        &self.blocked_terms
    }

    fn locale(&self, tag: &str) -> &Locale {
        let tag = tag.to_ascii_lowercase();
        let mut tag = tag.as_str();
        loop {
            if let Some(locale) = self.locales.get(tag) {
                return locale;
            }
            let Some((shorter, _)) = tag.rsplit_once('-') else {
                return &self.other;
            };
            tag = shorter;
        }
    }
}
