//! What the policy says where a model's answer may not be read: a question that leads on.

use turnwise_messages::{Key, keys, text};
use turnwise_reply_guard::{Form, form_fault};

use crate::problem::{Kind, OwnProblems};

/// The most characters of a formula that a hint repeats.
const MOST_CHARS: usize = 80;

/// What a hint is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// The student's own problem, or whatever the student works on.
    Problem,
    /// A program.
    Program,
}

/// The hint for the student's own problem. It states no solution.
pub(crate) fn hint(locale: &str, about: About, own: &OwnProblems) -> String {
    let Some(problem) = own.first() else {
        let key = match about {
            About::Problem => keys::CHAT_HINT_GENERAL,
            About::Program => keys::CHAT_HINT_PROGRAM,
        };
        return text(locale, key, &[]);
    };
    let hint = text(locale, key(problem.kind), &[]);
    let shown = &problem.shown;
    if shown.is_empty() || shown.chars().count() > MOST_CHARS {
        return hint;
    }
    let formula = shown.clone().into();
    let named = text(locale, keys::CHAT_HINT_ABOUT, &[("formula", formula)]);
    let named = format!("{named} {hint}");
    if form_fault(&named, Form::Prose).is_some() || own.solved_by(&named) {
        return hint;
    }
    named
}

fn key(kind: Kind) -> Key {
    match kind {
        Kind::Equation => keys::CHAT_HINT_EQUATION,
        Kind::System => keys::CHAT_HINT_SYSTEM,
        Kind::Inequality => keys::CHAT_HINT_INEQUALITY,
        Kind::Calculation => keys::CHAT_HINT_CALCULATION,
        Kind::Fraction => keys::CHAT_HINT_FRACTION,
        Kind::Percent => keys::CHAT_HINT_PERCENT,
        Kind::Simplify => keys::CHAT_HINT_SIMPLIFY,
        Kind::Expand => keys::CHAT_HINT_EXPAND,
        Kind::Factor => keys::CHAT_HINT_FACTOR,
        Kind::Other => keys::CHAT_HINT_GENERAL,
    }
}
