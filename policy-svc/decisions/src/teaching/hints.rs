//! The ladder of hints on an open drill: what to look at, the rule, the first step. The author's, else derived from the
//! algebra. No rung says what comes of a step.

use turnwise_grading::{Step, Task, next_step, task};
use turnwise_messages::{Key, Texts, keys};
use turnwise_reply_guard::OpenDrill;

use super::said;
use crate::{course::Unit, teaching::Open};

/// The hints of a drill, from the least telling on.
pub(crate) fn ladder(unit: &Unit, open: &Open<'_>, texts: &Texts) -> Vec<String> {
    let (prompt, question_latex) = (open.drill.prompt, open.drill.question_latex);
    let authored = unit
        .drill_like(prompt, question_latex)
        .and_then(|drill| unit.teaching.drills.get(&drill.id))
        .map(|help| help.hints.clone())
        .filter(|hints| !hints.is_empty());
    authored.unwrap_or_else(|| derived_hints(texts, prompt, question_latex))
}

/// The hints on an exercise of the student's own. The last one has the rule in it, as far as the last reply did not say it.
pub(crate) fn on_own(own: &OpenDrill<'_>, texts: &Texts, said: &[String]) -> Vec<String> {
    let mut hints = derived_hints(texts, own.prompt, own.question_latex);
    if let [_, rule, step] = hints.as_mut_slice() {
        let is_new = |sentence: &&str| !said::repeats(sentence, said);
        let fresh: String = rule.split_inclusive(". ").filter(is_new).collect();
        *step = format!("{} {step}", fresh.trim()).trim().to_owned();
    }
    hints
}

/// The hints of a drill whose author wrote none.
#[must_use]
pub fn derived_hints(texts: &Texts, prompt: &str, question_latex: &str) -> Vec<String> {
    let Some(step) = next_step(prompt, question_latex) else {
        return vec![texts.text(general(task(prompt, question_latex)), &[])];
    };
    let (point, rule) = before(&step);
    vec![
        texts.text(point, &[]),
        texts.text(rule, &[]),
        first_step(texts, step),
    ]
}

/// What to ask where no step is known.
fn general(task: Task) -> Key {
    match task {
        Task::Solve => keys::CHAT_HINT_EQUATION,
        Task::Evaluate => keys::CHAT_HINT_CALCULATION,
        Task::Simplify => keys::CHAT_HINT_SIMPLIFY,
        Task::Expand => keys::CHAT_HINT_EXPAND,
        Task::Factor => keys::CHAT_HINT_FACTOR,
        Task::Convert | Task::Compare | Task::Unknown => keys::CHAT_HINT_GENERAL,
    }
}

/// What to look at, and the rule.
fn before(step: &Step) -> (Key, Key) {
    match step {
        Step::Add(_) | Step::Subtract(_) => (keys::TEACHING_POINT_TERM, keys::TEACHING_RULE_TERM),
        Step::Multiply(_) | Step::Divide(_) => {
            (keys::TEACHING_POINT_FACTOR, keys::TEACHING_RULE_FACTOR)
        }
        Step::DivideAndTurn(_) => (keys::TEACHING_POINT_FACTOR, keys::TEACHING_RULE_TURN),
        Step::MultiplyOut => (keys::TEACHING_POINT_BRACKETS, keys::TEACHING_RULE_BRACKETS),
        Step::PowerOfSum => (keys::TEACHING_POINT_POWER, keys::TEACHING_RULE_POWER_OF_SUM),
        Step::PutTogether => (keys::TEACHING_POINT_LIKE, keys::TEACHING_RULE_LIKE),
        Step::WorkOutNumbers => (keys::TEACHING_POINT_LIKE, keys::TEACHING_RULE_NUMBERS),
        Step::TakeRoot => (keys::TEACHING_POINT_ROOT, keys::TEACHING_RULE_ROOT),
        Step::SquareSign => (keys::TEACHING_POINT_SIGNS, keys::TEACHING_RULE_SQUARE_SIGN),
        Step::ZeroProduct => (keys::TEACHING_POINT_PRODUCT, keys::TEACHING_RULE_PRODUCT),
        Step::TakeOut => (keys::TEACHING_POINT_COMMON, keys::TEACHING_RULE_COMMON),
        Step::TwoNumbers => (keys::TEACHING_POINT_PAIR, keys::TEACHING_RULE_PAIR),
        Step::Brackets | Step::Powers | Step::Products => {
            (keys::TEACHING_POINT_ORDER, keys::TEACHING_RULE_ORDER)
        }
        Step::LeftToRight => (keys::TEACHING_POINT_ORDER, keys::TEACHING_RULE_LEFT),
        Step::CommonDenominator => (
            keys::TEACHING_POINT_DENOMINATOR,
            keys::TEACHING_RULE_DENOMINATOR,
        ),
        Step::Numerators => (
            keys::TEACHING_POINT_DENOMINATOR,
            keys::TEACHING_RULE_NUMERATORS,
        ),
        Step::MultiplyFractions => (keys::TEACHING_POINT_BARS, keys::TEACHING_RULE_BARS),
        Step::PowerOfFraction => (
            keys::TEACHING_POINT_POWER,
            keys::TEACHING_RULE_POWER_OF_FRACTION,
        ),
        Step::CompareSigns => (keys::TEACHING_POINT_SIGNS, keys::TEACHING_RULE_SIGNS_ADD),
        Step::AddOpposite => (keys::TEACHING_POINT_SIGNS, keys::TEACHING_RULE_OPPOSITE),
        Step::SignFirst => (
            keys::TEACHING_POINT_SIGNS,
            keys::TEACHING_RULE_SIGNS_MULTIPLY,
        ),
        Step::PutIn => (keys::TEACHING_POINT_PUT_IN, keys::TEACHING_RULE_PUT_IN),
    }
}

fn first_step(texts: &Texts, step: Step) -> String {
    let (key, term) = match step {
        Step::Add(term) => (keys::TEACHING_STEP_ADD, term),
        Step::Subtract(term) => (keys::TEACHING_STEP_SUBTRACT, term),
        Step::Multiply(term) => (keys::TEACHING_STEP_MULTIPLY, term),
        Step::Divide(term) => (keys::TEACHING_STEP_DIVIDE, term),
        Step::DivideAndTurn(term) => (keys::TEACHING_STEP_TURN, term),
        Step::MultiplyOut => (keys::TEACHING_STEP_MULTIPLY_OUT, String::new()),
        Step::PowerOfSum => (keys::TEACHING_STEP_POWER_OF_SUM, String::new()),
        Step::PutTogether => (keys::TEACHING_STEP_PUT_TOGETHER, String::new()),
        Step::WorkOutNumbers => (keys::TEACHING_STEP_NUMBERS, String::new()),
        Step::TakeRoot => (keys::TEACHING_STEP_ROOT, String::new()),
        Step::SquareSign => (keys::TEACHING_STEP_SQUARE_SIGN, String::new()),
        Step::ZeroProduct => (keys::TEACHING_STEP_PRODUCT_ZERO, String::new()),
        Step::TakeOut => (keys::TEACHING_STEP_TAKE_OUT, String::new()),
        Step::TwoNumbers => (keys::TEACHING_STEP_PAIR, String::new()),
        Step::Brackets => (keys::TEACHING_STEP_BRACKETS, String::new()),
        Step::Powers => (keys::TEACHING_STEP_POWERS, String::new()),
        Step::Products => (keys::TEACHING_STEP_PRODUCTS, String::new()),
        Step::LeftToRight => (keys::TEACHING_STEP_LEFT, String::new()),
        Step::CommonDenominator => (keys::TEACHING_STEP_DENOMINATOR, String::new()),
        Step::Numerators => (keys::TEACHING_STEP_NUMERATORS, String::new()),
        Step::MultiplyFractions => (keys::TEACHING_STEP_BARS, String::new()),
        Step::PowerOfFraction => (keys::TEACHING_STEP_POWER_OF_FRACTION, String::new()),
        Step::CompareSigns => (keys::TEACHING_STEP_COMPARE_SIGNS, String::new()),
        Step::AddOpposite => (keys::TEACHING_STEP_OPPOSITE, String::new()),
        Step::SignFirst => (keys::TEACHING_STEP_SIGN_FIRST, String::new()),
        Step::PutIn => (keys::TEACHING_STEP_PUT_IN, String::new()),
    };
    texts.text(key, &[("term", term.into())])
}
