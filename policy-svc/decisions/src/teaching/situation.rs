//! What a reply without a model goes by, beside the policy.

use turnwise_reply_guard::OpenDrill;

use super::Passage;
use crate::{drill_terms::DrillTerms, policy::Policy};

/// What the student asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Asks {
    /// Nothing that can be told.
    #[default]
    Nothing,
    /// What something is, or why.
    Explanation,
    /// Nothing any more: what something is, or why, was said before.
    Explained,
    /// How to go on.
    Help,
    /// Whether what was done is right, or nothing: the student says that it is done.
    Check,
    /// Whether work of their own is right that nobody has seen, and no drill is open.
    Work,
    /// What comes next: the student says that something is understood.
    Next,
    /// An exercise.
    Exercise,
    /// A worked example.
    Example,
}

/// A turn as a reply without a model sees it. The default knows nothing of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Situation<'a> {
    /// What the student asks for.
    pub asks: Asks,
    /// The drill that the student works on.
    pub open: Option<Open<'a>>,
    /// An exercise of the student's own, where no drill is open: no reply states its answer. Where no first step is known, it is of
    /// the unit that the policy is about.
    pub own: Option<OpenDrill<'a>>,
    /// The unit that has such exercises, where one has.
    pub own_unit: Option<&'a str>,
    /// Whether the message says which values solve that exercise, an equation.
    pub own_is_solved: bool,
    /// Whether that exercise is an exam question: it gets no step.
    pub own_is_question: bool,
    /// Whether that exercise is a single operation on whole numbers for which no step is known: no key idea helps with it.
    pub own_is_plain: bool,
    /// Whether the message reads as the answer to the open drill, so that a button has it checked.
    pub is_answer: bool,
    /// The question of the student's placement, where the student brought it into the conversation: no reply states its
    /// answer.
    pub placement: Option<OpenDrill<'a>>,
    /// The exam question that waits for an answer: no reply states it.
    pub exam: Option<OpenDrill<'a>>,
    /// Whether no drill is open, the focus is met and the next unit leads on to the target: going on is no drill on the focus.
    pub leads_on: bool,
    /// What the tutor said last in this thread, the latest last.
    pub said: &'a [String],
    /// The places of those of the focus's misconceptions that have something in common with the message, the nearest first:
    /// they are asked about before the others.
    pub doubts: &'a [usize],
    /// The course text on the focus that fits the message.
    pub passage: Option<Passage<'a>>,
    /// The course text on what is asked about, where that is another unit and has a text that fits better.
    pub passage_elsewhere: Option<Passage<'a>>,
    /// Which drills may be set.
    pub terms: Option<&'a DrillTerms>,
}

impl Situation<'_> {
    /// Whether a lesson that answers comes first: an explanation is asked for, or help where no drill of the unit that the
    /// message is about is open to give hints on.
    pub(crate) fn asks_for_lesson(&self, policy: &Policy) -> bool {
        match self.asks {
            Asks::Explanation => true,
            Asks::Help => self.open.is_none_or(|open| open.unit_id != policy.about()),
            Asks::Nothing
            | Asks::Explained
            | Asks::Check
            | Asks::Work
            | Asks::Next
            | Asks::Exercise
            | Asks::Example => false,
        }
    }
}

/// A drill that the student works on.
#[derive(Debug, Clone, Copy)]
pub struct Open<'a> {
    /// Its unit.
    pub unit_id: &'a str,
    /// What it says, with its answer where the course has one: no reply states it.
    pub drill: OpenDrill<'a>,
    /// How often a hint was asked for on it before this turn.
    pub hints_given: usize,
}
