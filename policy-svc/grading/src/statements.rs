//! Whether what a text says of numbers is true: its equalities and inequalities, its identities, its worked example.
//!
//! `scan` finds the formulas with a relation in them and what stands beside them, `worded` those in words, `verdict` and `identity` decide them,
//! `inference` what is said to follow, `given` what is said to come out for a value, `doubt` tells a claim from what is asked
//! (`question`), made a rule of (`rules`), denied (`denial`), quoted or supposed, `example` follows a worked example. A text without a relation costs one
//! look at its words.
//!
//! False is said only where it is certain in every reading of the text. What cannot be read or decided is counted, and
//! passes. `docs/false-mathematics.md` has the rules.

mod cues;
mod denial;
mod doubt;
mod example;
mod given;
mod identity;
mod inference;
mod question;
mod rules;
mod scan;
mod verdict;
mod worded;

use std::{cell::LazyCell, ops::Range};

pub use self::example::{WorkedExample, check_example};
use self::{doubt::Told, verdict::Chain};
use crate::notation::{Shape, relation_shape};

/// What is known of the statements of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Where the false ones stand, in bytes of the text.
    pub false_statements: Vec<Range<usize>>,
    /// How many are true or false for certain, the false ones included.
    pub decided: usize,
    /// How many are neither.
    pub undecided: usize,
}

impl Findings {
    /// Whether nothing in it is false.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.false_statements.is_empty()
    }
}

/// Longer texts are not read.
const MAX_BYTES: usize = 64 * 1024;

/// So many statements that seem false are looked at in a text: what a person reads has fewer.
const MOST_DOUBTED: usize = 100;

/// The most bytes of what a student wrote that are read.
const MOST_SAID_BYTES: usize = 16 * 1024;

/// Checks the statements of a text: words with formulas in them, in plain text or LaTeX, or one formula. `said` is what the
/// student wrote, the latest first: a false statement that stands in the latest 16 KiB may be repeated. After a hundred
/// statements that seem false, the rest is not read.
#[must_use]
pub fn check_text(text: &str, said: &[&str]) -> Findings {
    let mut findings = Findings::default();
    if text.len() > MAX_BYTES {
        return findings;
    }
    let told = Told::new(text);
    let own = LazyCell::new(|| own_statements(said));
    let mut doubted = 0;
    let mut before: Option<scan::Run<'_>> = None;
    for run in runs(text) {
        let judged = verdict::judge(&run.formula, &|| told.meant(&run.range));
        match judged.holds {
            Some(true) => findings.decided += 1,
            Some(false) => {
                if doubted == MOST_DOUBTED {
                    break;
                }
                doubted += 1;
                // Everything that is wrong may stand in what the student wrote.
                if doubt::is_cut(&run, judged.chain.as_ref())
                    || doubt::is_told_on(text, &run)
                    || told.is_no_claim(&run.range)
                    || judged.wrong.iter().all(|shape| own.contains(shape))
                {
                    findings.undecided += 1;
                } else {
                    findings.decided += 1;
                    findings.false_statements.push(run.range.clone());
                }
            }
            None if before.as_ref().is_some_and(|before| {
                inference::is_false(text, &told, before, &run)
                    || given::is_false(text, &told, before, &run)
            }) =>
            {
                let chain = judged.chain.as_ref();
                let mut relations = chain.into_iter().flat_map(Chain::relations);
                if relations.all(|relation| own.contains(&relation_shape(&relation))) {
                    findings.undecided += 1;
                } else {
                    findings.decided += 1;
                    findings.false_statements.push(run.range.clone());
                }
            }
            None => findings.undecided += 1,
        }
        before = Some(run);
    }
    findings
}

/// The statements of a text, in signs and in words.
fn runs(text: &str) -> impl Iterator<Item = scan::Run<'_>> {
    let in_signs = scan::may_relate(text).then(|| scan::runs(text));
    let in_words = worded::runs(text);
    in_signs.into_iter().flatten().chain(in_words)
}

/// What the student stated lately, true or not.
fn own_statements(said: &[&str]) -> Vec<Shape> {
    let mut left = MOST_SAID_BYTES;
    let latest = said.iter().take_while(|text| {
        let fits = text.len() <= left;
        left = left.saturating_sub(text.len());
        fits
    });
    latest
        .flat_map(|text| runs(text))
        .filter_map(|run| Chain::usual(&run.formula))
        .flat_map(|chain| chain.relations().collect::<Vec<_>>())
        .map(|relation| relation_shape(&relation))
        .collect()
}
