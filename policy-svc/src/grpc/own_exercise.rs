//! An exercise that a student brings: it gets the rule and the first step, by the algebra alone; where no step is known, its
//! unit's rule.

use turnwise_decisions::teaching::derived_hints;
use turnwise_grading::{Drill, Step, Task, answer_in, exercise_in, kind, next_step, task};
use turnwise_messages::{Texts, keys};
use turnwise_reply_guard::OpenDrill;

use crate::{courses::LoadedCourse, exercise_units::ExerciseUnits};

/// How many earlier messages may hold the exercise that a message goes on with, or asks for help with again.
const MOST_BEFORE: usize = 6;

/// Signs of something to work out.
const OPERATIONS: &[char] = &[
    '+', '-', '−', '–', '*', '×', '·', '⋅', '/', '÷', ':', '^', '(', '\\', '√', '%',
];

/// The words and the formula of an exercise.
#[derive(Debug, Clone)]
pub(super) struct OwnExercise {
    prompt: String,
    question_latex: String,
}

impl OwnExercise {
    /// The exercise in a message; `None` where there is none, or more than one.
    pub(super) fn read(message: &str) -> Option<Self> {
        let (prompt, question_latex) = exercise_in(message)?;
        Some(Self {
            prompt,
            question_latex,
        })
    }

    /// Whether its first step is known.
    pub(super) fn has_step(&self) -> bool {
        next_step(&self.prompt, &self.question_latex).is_some()
    }

    /// Whether it is a single operation on whole numbers for which no step is known.
    pub(super) fn is_plain(&self) -> bool {
        let kind = kind(&self.prompt, &self.question_latex);
        kind.is_some_and(|kind| kind.is_plain()) && !self.has_step()
    }

    /// Its first step, as replies say it.
    pub(super) fn step(&self, texts: &Texts) -> Option<String> {
        let mut hints = derived_hints(texts, &self.prompt, &self.question_latex);
        // Without a step there is one hint.
        hints.pop().filter(|_| !hints.is_empty())
    }

    /// Whether a message says which value solves it.
    pub(super) fn is_solved_in(&self, message: &str) -> bool {
        let drill = Drill {
            prompt: &self.prompt,
            question_latex: &self.question_latex,
            key: None,
        };
        self.task() == Task::Solve
            && answer_in(&drill, message).is_some_and(|answer| answer.contains('='))
    }

    /// What it asks for.
    pub(super) fn task(&self) -> Task {
        task(&self.prompt, &self.question_latex)
    }

    /// The unit that teaches such exercises.
    pub(super) fn unit<'u>(&self, units: &'u ExerciseUnits) -> Option<&'u str> {
        units.unit_of_kind(&kind(&self.prompt, &self.question_latex)?)
    }

    /// The exercise of an earlier message that was helped with in what was said last, by its first step, its unit's key idea or
    /// the words for plain ones, and that what is written now goes on with.
    pub(super) fn again(
        loaded: &LoadedCourse,
        written: &[&str],
        before: &[String],
        said: &[String],
    ) -> Option<Self> {
        if said.is_empty() {
            return None;
        }
        let texts = loaded.course.texts();
        let was_said = |help: String| said.iter().any(|said| said.contains(&help));
        let key_idea = |own: &Self| {
            let at = loaded.course.find(own.unit(&loaded.exercise_units)?)?;
            let idea = loaded.course.unit(at).teaching.key_idea.as_ref()?;
            Some(idea.text.clone())
        };
        // What is written now was helped with by nobody yet, though it may share a key idea with what was.
        let earlier = (before.iter().take(MOST_BEFORE))
            .filter(|message| !written.contains(&message.as_str()));
        let mut helped = earlier.filter_map(|message| {
            let own = Self::read(message)?;
            // An exam question got the key idea though its step is known.
            let is_helped = own.step(texts).is_some_and(was_said)
                || key_idea(&own).is_some_and(was_said)
                || own.is_plain() && was_said(texts.text(keys::TEACHING_PLAIN, &[]));
            is_helped.then_some(own)
        });
        helped
            .next()
            .filter(|own| written.iter().all(|text| own.goes_on_in(text)))
    }

    /// Whether a message goes on with it: it is no exercise, or one that may be a line of working this one out.
    fn goes_on_in(&self, message: &str) -> bool {
        Self::read(message).is_none_or(|line| self.may_lead_to(&line))
    }

    /// Whether an exercise may be a line of working this one out. Equations lead to equations, terms to terms, and numbers to
    /// numbers where there is more than one operation.
    fn may_lead_to(&self, line: &Self) -> bool {
        let step = next_step(&self.prompt, &self.question_latex);
        let of_numbers = |own: &Self| {
            kind(&own.prompt, &own.question_latex).is_some_and(|kind| kind.is_of_numbers())
        };
        match (self.is_relation(), line.is_relation()) {
            (true, true) => true,
            // Each side is worked out alone.
            (true, false) => step == Some(Step::PutIn) && of_numbers(line),
            (false, true) => false,
            (false, false) if of_numbers(self) => {
                let has_more = matches!(
                    step,
                    Some(
                        Step::Brackets
                            | Step::Powers
                            | Step::Products
                            | Step::LeftToRight
                            | Step::CommonDenominator
                    )
                );
                has_more && of_numbers(line)
            }
            (false, false) => !of_numbers(line),
        }
    }

    fn is_relation(&self) -> bool {
        let signs = ["=", "<", ">", "≤", "≥", "\\leq", "\\geq", "\\lt", "\\gt"];
        let has = |text: &str| signs.iter().any(|sign| text.contains(*sign));
        has(&self.prompt) || has(&self.question_latex)
    }

    /// The exercise in all forms in which it may be asked elsewhere: as it is, with an equality for each inequality, as its steps
    /// are the same, and each side alone: `x = 5 - 9` asks for `5 - 9`. A fraction alone asks for nothing, nor do the sides where
    /// a number is put in.
    pub(super) fn forms(&self) -> Vec<Self> {
        let equated = |text: &str| {
            let signs = [
                "\\leq", "\\geq", "\\le", "\\ge", "\\lt", "\\gt", "<=", ">=", "<", ">", "≤", "≥",
            ];
            let text = signs
                .iter()
                .fold(text.to_owned(), |text, sign| text.replace(sign, "="));
            text.replace("==", "=")
        };
        let (prompt, question_latex) = (equated(&self.prompt), equated(&self.question_latex));
        let form = |prompt: &str, question_latex: &str| Self {
            prompt: prompt.to_owned(),
            question_latex: question_latex.to_owned(),
        };
        let is_put_in = next_step(&self.prompt, &self.question_latex) == Some(Step::PutIn);
        let works_out = |side: &&str| {
            let side = side.trim().trim_start_matches(['+', '-', '−', '–']);
            side.contains(OPERATIONS) && !is_fraction(side) && !is_put_in
        };
        let said = prompt.split('=').filter(works_out);
        let asked = question_latex.split('=').filter(works_out);
        let sides = said
            .map(|side| form(side, ""))
            .chain(asked.map(|side| form("", side)));
        [self.clone(), form(&prompt, &question_latex)]
            .into_iter()
            .chain(sides)
            .collect()
    }

    /// The exercise as replies see it.
    pub(super) fn guarded(&self) -> OpenDrill<'_> {
        OpenDrill {
            prompt: &self.prompt,
            question_latex: &self.question_latex,
            key: None,
            said: "",
        }
    }
}

/// Whether a side is a fraction of two numbers and no more, whatever words stand beside it: `3/4 please`.
fn is_fraction(side: &str) -> bool {
    let is_word =
        |token: &&str| token.chars().nth(1).is_some() && token.chars().all(char::is_alphabetic);
    let tokens = side.split_whitespace();
    let tokens = tokens.map(|token| token.trim_end_matches(['.', ',', '?', '!', ':']));
    let formula: String = tokens.filter(|token| !is_word(token)).collect();
    let formula = formula
        .replace(['(', ')', '{', '}', '$'], "")
        .replace("\\frac", "/");
    formula.matches('/').count() == 1 && formula.chars().all(|c| c == '/' || c.is_ascii_digit())
}
