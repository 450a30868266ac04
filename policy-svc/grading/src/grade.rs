//! What a grader says about an answer.

/// A drill as the student saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drill<'a> {
    /// What to do, in words: `Solve the equation.` The formula may stand here as well: `Solve: 2x+1=7`.
    pub prompt: &'a str,
    /// The formula to work on, in LaTeX or plain text. May be empty.
    pub question_latex: &'a str,
    /// The answer that the course gives, where the drill is one of the course's own.
    pub key: Option<&'a str>,
}

/// Whether an answer is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Certainly right.
    Right,
    /// Certainly wrong.
    Wrong,
    /// Mathematics alone does not decide it.
    CannotTell,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 3] = [Self::Right, Self::Wrong, Self::CannotTell];

    /// The verdict's code, for logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::CannotTell => "cannot_tell",
        }
    }
}

/// What a drill asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Task {
    /// All real solutions of an equation, an inequality or a system.
    Solve,
    /// The value of an expression.
    Evaluate,
    /// An equal expression in a simpler form.
    Simplify,
    /// An equal expression without products of sums.
    Expand,
    /// An equal product that cannot be factored further over the integers.
    Factor,
    /// The same quantity in another form: fraction, decimal, percent, mixed number, unit.
    Convert,
    /// Whether one number is less than, equal to or greater than another.
    Compare,
    /// Not one of these, or not readable.
    Unknown,
}

impl Task {
    /// The task's code, for logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Solve => "solve",
            Self::Evaluate => "evaluate",
            Self::Simplify => "simplify",
            Self::Expand => "expand",
            Self::Factor => "factor",
            Self::Convert => "convert",
            Self::Compare => "compare",
            Self::Unknown => "unknown",
        }
    }
}

/// Why a verdict is what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The answer is the whole solution set.
    EqualToSolution,
    /// The answer equals the question and has the form that the task asks for.
    EqualInForm,
    /// The answer matches the course's key and has the form that the task asks for.
    MatchesKey,
    /// Each value solves the question, but some solutions are missing.
    IncompleteSolutionSet,
    /// Some value in the answer does not solve the question.
    NotASolution,
    /// The answer does not equal the question.
    NotEqual,
    /// The answer does not match the course's key.
    DiffersFromKey,
    /// The answer is the question's own expression again.
    CopiedQuestion,
    /// Equal, but not a product, or not factored completely.
    NotFactored,
    /// Equal, but products of sums remain.
    NotExpanded,
    /// Equal, but not simplified.
    NotSimplified,
    /// Equal, but still to be worked out.
    NotEvaluated,
    /// The answer is right, and a step or reason beside it is not, or was not understood.
    UnclearSteps,
    /// Equal, but not in the form asked for.
    NotConverted,
    /// The answer's number is right and its unit is not.
    WrongUnit,
    /// The answer cannot be read as mathematics.
    UnreadableAnswer,
    /// The task cannot be read from the prompt, and no key decides.
    UnreadableTask,
    /// The question cannot be read as mathematics, and no key decides.
    UnreadableQuestion,
    /// All was read, but the mathematics is beyond these rules.
    Undecided,
}

impl Reason {
    /// The reason's code, for logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EqualToSolution => "equal_to_solution",
            Self::EqualInForm => "equal_in_form",
            Self::MatchesKey => "matches_key",
            Self::IncompleteSolutionSet => "incomplete_solution_set",
            Self::NotASolution => "not_a_solution",
            Self::NotEqual => "not_equal",
            Self::DiffersFromKey => "differs_from_key",
            Self::CopiedQuestion => "copied_question",
            Self::NotFactored => "not_factored",
            Self::NotExpanded => "not_expanded",
            Self::NotSimplified => "not_simplified",
            Self::NotEvaluated => "not_evaluated",
            Self::UnclearSteps => "unclear_steps",
            Self::NotConverted => "not_converted",
            Self::WrongUnit => "wrong_unit",
            Self::UnreadableAnswer => "unreadable_answer",
            Self::UnreadableTask => "unreadable_task",
            Self::UnreadableQuestion => "unreadable_question",
            Self::Undecided => "undecided",
        }
    }
}

/// A verdict with the task it was judged by and its reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Grade {
    /// Whether the answer is right.
    pub verdict: Verdict,
    /// The task that the prompt was read as.
    pub task: Task,
    /// Why.
    pub reason: Reason,
}
