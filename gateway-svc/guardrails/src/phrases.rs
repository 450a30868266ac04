//! Looks for many phrases at once, in one pass over a text.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError};

use crate::guardrails::HitKind;

/// Phrases to look for.
pub(crate) struct Phrases {
    automaton: AhoCorasick,
    /// What each pattern of the automaton means.
    kinds: Vec<HitKind>,
}

impl Phrases {
    /// Phrases in the form of [`words::of`](crate::words::of), with what each means.
    pub(crate) fn new<'a>(
        phrases: impl Iterator<Item = (HitKind, &'a String)>,
    ) -> Result<Self, BuildError> {
        // Each once, with its gravest meaning, so that a word cannot end more matches than it ends phrases.
        let mut once = BTreeMap::new();
        for (kind, phrase) in phrases {
            let known = once.entry(phrase.as_str()).or_insert(kind);
            *known = kind.min(*known);
        }
        let (patterns, kinds): (Vec<_>, Vec<_>) = once.into_iter().unzip();
        let automaton = AhoCorasick::builder()
            // Of the three kinds the one whose time does not depend on what it looks for, and that stays small.
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(patterns)?;
        Ok(Self { automaton, kinds })
    }

    /// The gravest that these words hold, wherever it stands.
    pub(crate) fn gravest(&self, words: &str) -> Option<HitKind> {
        self.automaton
            .find_overlapping_iter(words)
            .filter_map(|found| self.kinds.get(found.pattern().as_usize()).copied())
            .min()
    }
}
