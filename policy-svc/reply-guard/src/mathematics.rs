//! What is said of numbers: whether it is true.

use turnwise_grading::{Findings, check_example, check_text};

use crate::guard::{Context, Spoken};

/// How many statements of mathematics were looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statements {
    /// True or false for certain.
    pub decided: usize,
    /// Neither: they pass.
    pub undecided: usize,
}

impl Statements {
    fn add(&mut self, findings: &Findings) {
        self.decided += findings.decided;
        self.undecided += findings.undecided;
    }
}

/// Looks at all statements; whether none of them is false. What an exercise says is posed and no claim.
pub(crate) fn statements(spoken: &Spoken<'_>, context: &Context<'_>) -> (Statements, bool) {
    let is_posed = |text: &str| {
        spoken
            .exercise
            .is_some_and(|(prompt, question)| text == prompt || text == question)
    };
    let mut statements = Statements::default();
    let mut hold = true;
    for text in spoken.texts.iter().filter(|text| !is_posed(text.text)) {
        let findings = check_text(text.text, context.said);
        statements.add(&findings);
        hold &= findings.holds();
    }
    if let Some(example) = &spoken.example {
        let findings = check_example(example);
        statements.add(&findings);
        hold &= findings.holds();
    }
    (statements, hold)
}
