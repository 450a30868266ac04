//! The rules of a language: what a tutor never says, in patterns over plain words.

use std::collections::BTreeMap;

use regex::{RegexSet, RegexSetBuilder};
use serde::Deserialize;

use crate::{
    fold,
    reason::Reason,
    verdicts::{VerdictRules, Verdicts},
};

/// Why a profile cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// It is no profile.
    #[error("the profile cannot be read: {0}")]
    Yaml(String),
    /// A pattern is none.
    #[error("a pattern of the profile cannot be used")]
    Pattern(#[from] regex::Error),
}

/// A profile's file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    /// By reason, each of [`PROFILED`].
    rules: BTreeMap<Profiled, Rules>,
    /// What says of an answer that it is right or wrong.
    verdicts: VerdictRules,
    /// Phrases of the prompt that a tutor may say.
    everyday: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rules {
    /// A sentence that holds one is withheld.
    pub(crate) says: Vec<String>,
    /// Unless it holds one of these as well.
    #[serde(default)]
    pub(crate) unless: Vec<String>,
}

/// The reasons that a profile may have rules for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Profiled {
    PromptLeak,
    MasteryClaim,
    Insult,
    PersonalData,
    Harm,
}

impl Profiled {
    fn reason(self) -> Reason {
        match self {
            Self::PromptLeak => Reason::PromptLeak,
            Self::MasteryClaim => Reason::MasteryClaim,
            Self::Insult => Reason::Insult,
            Self::PersonalData => Reason::PersonalData,
            Self::Harm => Reason::Harm,
        }
    }
}

/// The rules of all languages: a reply may be in any.
#[derive(Debug)]
pub(crate) struct Profile {
    says: RegexSet,
    /// The reason of each pattern of `says`, and which of `unless` excuse it.
    meanings: Vec<(Reason, std::ops::Range<usize>)>,
    unless: RegexSet,
    pub(crate) everyday: Vec<String>,
    pub(crate) verdicts: Verdicts,
}

/// Patterns compiled to more than this are refused.
const MOST_BYTES: usize = 32 << 20;

impl Profile {
    /// The rules of these files.
    pub(crate) fn parse(files: &[&str]) -> Result<Self, ProfileError> {
        let (mut says, mut meanings, mut unless, mut everyday) = (vec![], vec![], vec![], vec![]);
        let mut verdicts = Vec::new();
        for yaml in files {
            let file: ProfileFile = serde_saphyr::from_str(yaml)
                .map_err(|error| ProfileError::Yaml(error.to_string()))?;
            for (profiled, rules) in file.rules {
                let from = unless.len();
                unless.extend(rules.unless.iter().map(|pattern| whole_words(pattern)));
                for pattern in &rules.says {
                    says.push(whole_words(pattern));
                    meanings.push((profiled.reason(), from..unless.len()));
                }
            }
            everyday.extend(file.everyday);
            verdicts.push(file.verdicts);
        }
        Ok(Self {
            says: pattern_set(says)?,
            meanings,
            unless: pattern_set(unless)?,
            everyday,
            verdicts: Verdicts::new(&verdicts)?,
        })
    }

    /// What the first sentence that must not be said is withheld for. `plain` is in the form of [`fold::plain`].
    pub(crate) fn judge(&self, plain: &str) -> Option<Reason> {
        // Most replies break no rule; one look at all of it says so.
        if !self.says.is_match(plain) {
            return None;
        }
        sentences(plain).find_map(|sentence| {
            let matched = self.says.matches(sentence);
            let excused = self.unless.matches(sentence);
            matched.iter().find_map(|at| {
                let (reason, unless) = self.meanings.get(at)?;
                let excuse = unless.clone().any(|at| excused.matched(at));
                (!excuse).then_some(*reason)
            })
        })
    }
}

/// The sentences of a text in the form of [`fold::plain`], each with its end.
pub(crate) fn sentences(plain: &str) -> impl Iterator<Item = &str> {
    let mut rest = plain;
    std::iter::from_fn(move || {
        if rest.trim().is_empty() {
            return None;
        }
        let end = rest
            .match_indices([' '])
            .find(|(at, _)| rest[at + 1..].starts_with(['.', '?', '!']))
            .map_or(rest.len(), |(at, _)| (at + 3).min(rest.len()));
        // The space after a sentence is the space before the next.
        let sentence = &rest[..end];
        rest = &rest[end.saturating_sub(1).max(1).min(rest.len())..];
        Some(sentence)
    })
}

/// Patterns of [`whole_words`], ready to be looked for.
pub(crate) fn pattern_set(
    patterns: impl IntoIterator<Item = String>,
) -> Result<RegexSet, regex::Error> {
    RegexSetBuilder::new(patterns)
        .size_limit(MOST_BYTES)
        .dfa_size_limit(MOST_BYTES)
        .build()
}

/// A pattern as it is looked for: in the spelling of plain words, from a word's beginning to a word's end; with `^`, from a
/// sentence's beginning.
pub(crate) fn whole_words(pattern: &str) -> String {
    let (begins, pattern) = match pattern.strip_prefix('^') {
        Some(pattern) => ("^", pattern),
        None => ("", pattern),
    };
    let mut spelled = String::new();
    for c in fold::folded(pattern).chars() {
        match c {
            'ä' => spelled.push('a'),
            'ö' => spelled.push('o'),
            'ü' => spelled.push('u'),
            'ß' => spelled.push_str("ss"),
            '\'' => {}
            '~' => spelled.push_str("(?:[a-z0-9]+ ){0,3}"),
            c => spelled.push(c),
        }
    }
    format!("{begins} (?:{spelled}) ")
}
