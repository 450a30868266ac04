//! Whether what a text says of numbers is true: its equalities and inequalities, its identities, its worked example.
//!
//! `scan` finds the formulas with a relation in them and what stands beside them, `verdict` and `identity` decide them,
//! `doubt` tells a claim from what is asked, denied, quoted or supposed, `example` follows a worked example. A text without
//! a relation sign costs one look at its bytes.
//!
//! False is said only where it is certain in every reading of the text. What cannot be read or decided is counted, and
//! passes. `docs/false-mathematics.md` has the rules.

mod cues;
mod doubt;
mod example;
mod identity;
mod scan;
mod verdict;

use std::ops::Range;

pub use self::example::{WorkedExample, check_example};
use self::verdict::Chain;
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

/// Checks the statements of a text: words with formulas in them, in plain text or LaTeX, or one formula. `said` is what the
/// student wrote: a false statement that stands there may be repeated.
#[must_use]
pub fn check_text(text: &str, said: &[&str]) -> Findings {
    let mut findings = Findings::default();
    if text.len() > MAX_BYTES || !scan::may_relate(text) {
        return findings;
    }
    for run in scan::runs(text) {
        let judged = verdict::judge(&run.formula, &|| !doubt::is_posed(text));
        match judged.holds {
            Some(true) => findings.decided += 1,
            Some(false)
                if !doubt::is_cut(&run, judged.chain.as_ref())
                    && !doubt::is_no_claim(text, &run.range)
                    && !is_repeated(&judged.wrong, said) =>
            {
                findings.decided += 1;
                findings.false_statements.push(run.range);
            }
            _ => findings.undecided += 1,
        }
    }
    findings
}

/// Whether everything that is wrong stands in what the student wrote.
fn is_repeated(wrong: &[Shape], said: &[&str]) -> bool {
    let texts = said
        .iter()
        .filter(|text| text.len() <= MAX_BYTES && scan::may_relate(text));
    let own: Vec<Shape> = texts
        .flat_map(|text| scan::runs(text))
        .filter_map(|run| Chain::readings(&run.formula).into_iter().next())
        .flat_map(|chain| chain.relations().collect::<Vec<_>>())
        .map(|relation| relation_shape(&relation))
        .collect();
    wrong.iter().all(|shape| own.contains(shape))
}
