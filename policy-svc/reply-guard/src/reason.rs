//! What a reply is withheld for.

use std::fmt;

/// Why a reply is not for a student: a closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// It holds text that cannot be seen.
    InvisibleText,
    /// It holds markup that a client might run or draw.
    Markup,
    /// It holds LaTeX that is not on the list, too large, or not closed.
    Latex,
    /// It leads out of the course: an address, an account, a phone number.
    Address,
    /// It repeats the prompt, or speaks of it.
    PromptLeak,
    /// It holds an exam question.
    ExamQuestion,
    /// It holds a term that the school does not want.
    BlockedTerm,
    /// It claims what only graded work decides: mastery, a pass, a badge, a grade, a record.
    MasteryClaim,
    /// It insults or demeans.
    Insult,
    /// It asks for or gives what is personal, for secrecy or a meeting, or sets the student against others.
    PersonalData,
    /// It speaks for harm to the student or to others.
    Harm,
    /// It gives the answer of the exercise that the student works on.
    AnswerGiven,
    /// It says what mathematics knows to be false.
    FalseMathematics,
    /// It says that an answer is right where the recorded verdict is wrong, or wrong where it is right, or either of one that was
    /// typed and not graded.
    FalseVerdict,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 14] = [
        Self::InvisibleText,
        Self::Markup,
        Self::Latex,
        Self::Address,
        Self::PromptLeak,
        Self::ExamQuestion,
        Self::BlockedTerm,
        Self::MasteryClaim,
        Self::Insult,
        Self::PersonalData,
        Self::Harm,
        Self::AnswerGiven,
        Self::FalseMathematics,
        Self::FalseVerdict,
    ];

    /// The name that records, logs and metrics use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvisibleText => "invisible_text",
            Self::Markup => "markup",
            Self::Latex => "latex",
            Self::Address => "address",
            Self::PromptLeak => "prompt_leak",
            Self::ExamQuestion => "exam_question",
            Self::BlockedTerm => "blocked_term",
            Self::MasteryClaim => "mastery_claim",
            Self::Insult => "insult",
            Self::PersonalData => "personal_data",
            Self::Harm => "harm",
            Self::AnswerGiven => "answer_given",
            Self::FalseMathematics => "false_mathematics",
            Self::FalseVerdict => "false_verdict",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
