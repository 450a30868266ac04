//! The guard: every text that a model says to a student, against everything that must not be said.

use turnwise_fingerprint::{Letters, RunSet, Words, runs};
use turnwise_grading::WorkedExample;
use turnwise_text_classifier::{Classifier, Level, WeightsError};

use crate::{
    address,
    answer::{OpenDrill, states_solution},
    exam::ExamQuestions,
    fold, invisible, latex, markup,
    mathematics::{self, Statements},
    profile::{Profile, ProfileError},
    prompt,
    reason::Reason,
    verdicts::Graded,
};

const ENGLISH: &str = include_str!("../profiles/en.yaml");
const GERMAN: &str = include_str!("../profiles/de.yaml");
const WEIGHTS: &[u8] = include_bytes!("../data/weights.bin");

/// What form a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Words, with formulas between dollars or `\(` and `\)`.
    Prose,
    /// One formula in LaTeX.
    Formula,
}

/// A text that a student reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'a> {
    /// What it says.
    pub text: &'a str,
    /// How it is drawn.
    pub form: Form,
}

/// What a model says to a student at one time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spoken<'a> {
    /// Every text of it.
    pub texts: &'a [Text<'a>],
    /// An exercise or a worked problem among the texts: its words and its formula.
    pub exercise: Option<(&'a str, &'a str)>,
    /// A worked example among the texts: its steps must follow.
    pub example: Option<WorkedExample<'a>>,
}

/// What the guard must know beside what is said.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// An id that stands in the prompt; empty: none.
    pub turn_id: &'a str,
    /// Runs of the prompt's sheets.
    pub prompt: &'a RunSet,
    /// Exam questions, from wherever they are known.
    pub exams: &'a [&'a ExamQuestions],
    /// Phrases that the school does not want.
    pub blocked_terms: &'a RunSet,
    /// The exercise that the student works on, if there is one.
    pub open_drill: Option<OpenDrill<'a>>,
    /// What the student wrote in the conversation, the latest first: to repeat it claims nothing.
    pub said: &'a [&'a str],
}

/// What is said, judged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// What it is withheld for; `None`: the student may read it.
    pub withheld: Option<Reason>,
    /// Those of the context's hashes that it holds, each list in order. A context of these alone makes the same verdict.
    pub met: Met,
    /// The statements of mathematics in it, where nothing else withholds it.
    pub statements: Statements,
}

/// Hashes of a context that a text holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Met {
    /// Runs of the prompt.
    pub prompt_runs: Vec<u64>,
    /// Runs of exam questions.
    pub exam_runs: Vec<u64>,
    /// Expressions of exam questions.
    pub exam_expressions: Vec<u64>,
    /// Blocked terms.
    pub blocked_terms: Vec<u64>,
}

impl Met {
    fn sort(&mut self) {
        for list in [
            &mut self.prompt_runs,
            &mut self.exam_runs,
            &mut self.exam_expressions,
            &mut self.blocked_terms,
        ] {
            list.sort_unstable();
            list.dedup();
        }
    }
}

/// Why a guard cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// A profile is broken.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The model's weights are broken.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

/// Judges what a model says to a student.
#[derive(Debug)]
pub struct Guard {
    profile: Profile,
    everyday: RunSet,
    model: Classifier,
}

impl Guard {
    /// The guard with the profiles and the model of this crate.
    ///
    /// # Errors
    /// A file of this crate is broken, which its tests rule out.
    pub fn built_in() -> Result<Self, GuardError> {
        let profile = Profile::parse(&[ENGLISH, GERMAN])?;
        let everyday = profile.everyday.iter().flat_map(|phrase| runs(phrase));
        Ok(Self {
            everyday: RunSet::new(everyday.collect()),
            profile,
            model: Classifier::read(WEIGHTS)?,
        })
    }

    /// Names the model, for records.
    #[must_use]
    pub fn version(&self) -> String {
        self.model.version()
    }

    /// Judges what is said. Pure: the same input gives the same verdict.
    #[must_use]
    pub fn judge(&self, spoken: &Spoken<'_>, context: &Context<'_>) -> Verdict {
        let mut verdict = Verdict::default();
        for text in spoken.texts {
            let reason = form_fault(text.text, text.form)
                .or_else(|| self.repeated(text.text, context, &mut verdict.met));
            verdict.withheld = verdict.withheld.or(reason);
        }
        if let Some((prompt, question_latex)) = spoken.exercise {
            for exams in context.exams {
                let found = exams.expressions_in(prompt, question_latex);
                if !found.is_empty() {
                    verdict.withheld = verdict.withheld.or(Some(Reason::ExamQuestion));
                }
                verdict.met.exam_expressions.extend(found);
            }
        }
        verdict.met.sort();
        if verdict.withheld.is_none()
            && let Some(open) = &context.open_drill
            && states_solution(spoken.texts.iter().map(|text| text.text), open)
        {
            verdict.withheld = Some(Reason::AnswerGiven);
        }
        if verdict.withheld.is_none() {
            verdict.withheld = spoken.texts.iter().find_map(|text| self.unsaid(text));
        }
        if verdict.withheld.is_none() {
            let (statements, hold) = mathematics::statements(spoken, context);
            verdict.statements = statements;
            verdict.withheld = (!hold).then_some(Reason::FalseMathematics);
        }
        verdict
    }

    /// Whether a text says of a graded answer what its verdict is not: [`Reason::FalseVerdict`].
    #[must_use]
    pub fn contradicts(&self, text: &str, graded: &Graded<'_>) -> bool {
        self.profile.verdicts.are_contradicted(text, graded)
    }

    /// What the text repeats of what its speaker was told.
    fn repeated(&self, text: &str, context: &Context<'_>, met: &mut Met) -> Option<Reason> {
        let mut reason = None;
        if !context.turn_id.is_empty() && text.contains(context.turn_id) {
            reason = Some(Reason::PromptLeak);
        }
        let letters = Letters::of(text);
        let (found, leaks) = prompt::passages(text, &letters, context.prompt, &self.everyday);
        met.prompt_runs.extend(found);
        if leaks || prompt::has_parts(text) {
            reason = reason.or(Some(Reason::PromptLeak));
        }
        for exams in context.exams {
            let (found, copied) = exams.words(&letters);
            met.exam_runs.extend(found);
            if copied || exams.is_named(&letters) {
                reason = reason.or(Some(Reason::ExamQuestion));
            }
        }
        if !context.blocked_terms.is_empty() {
            let words = Words::of(&letters);
            let found = words
                .phrases()
                .filter(|hash| context.blocked_terms.contains(*hash));
            let before = met.blocked_terms.len();
            met.blocked_terms.extend(found);
            if met.blocked_terms.len() > before {
                reason = reason.or(Some(Reason::BlockedTerm));
            }
        }
        reason
    }

    /// What of the text's meaning must not be said.
    fn unsaid(&self, text: &Text<'_>) -> Option<Reason> {
        let folded = fold::folded(text.text);
        let plain = fold::plain(&folded);
        if let Some(reason) = self.profile.judge(&plain) {
            return Some(reason);
        }
        if text.form == Form::Formula && !has_words(&plain) {
            return None;
        }
        let verdict = self.model.judge(text.text);
        (verdict.level == Level::Certain).then_some(match verdict.class {
            "mastery" => Reason::MasteryClaim,
            "insult" => Reason::Insult,
            "personal" => Reason::PersonalData,
            _ => Reason::Harm,
        })
    }
}

/// Whether a formula's text holds two words in a row.
fn has_words(plain: &str) -> bool {
    let is_word = |word: &str| word.len() > 2 && word.bytes().all(|b| b.is_ascii_alphabetic());
    let words: Vec<bool> = plain.split_whitespace().map(is_word).collect();
    words.windows(2).any(|two| two[0] && two[1])
}

/// What is wrong with a text whatever it means: text that cannot be seen, markup, LaTeX, addresses.
#[must_use]
pub fn form_fault(text: &str, form: Form) -> Option<Reason> {
    if invisible::is_found(text) {
        return Some(Reason::InvisibleText);
    }
    let folded = fold::folded(text);
    if markup::is_found(&folded) {
        Some(Reason::Markup)
    } else if latex::is_refused(text, form == Form::Formula) {
        Some(Reason::Latex)
    } else if address::is_found(&folded) {
        Some(Reason::Address)
    } else {
        None
    }
}
