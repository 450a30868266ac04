//! What a schema cannot say of a reply's text: words, questions, the steps of a drill.

/// The most characters of a reply's text.
pub const MOST_TEXT_CHARS: usize = 2200;

/// The most characters of any other text or formula in a reply.
pub const MOST_PART_CHARS: usize = 600;

/// The most questions of a Socratic reply; it should ask one.
pub const MOST_QUESTIONS: usize = 2;

/// How many operators a drill may have for each of its steps. One step of algebra touches two terms on two sides.
const OPERATORS_PER_STEP: usize = 4;

/// The number of question marks.
#[must_use]
pub fn question_marks(text: &str) -> usize {
    text.chars().filter(|c| is_question_mark(*c)).count()
}

/// Whether a character ends a question, in the scripts that mark one.
#[must_use]
pub fn is_question_mark(c: char) -> bool {
    matches!(c, '?' | '？' | '؟' | '⁇' | '⁈' | '⁉')
}

/// Whether a text holds control characters other than line breaks and tabs. In JSON, LaTeX with a single backslash turns
/// into these (`\frac` begins with a form feed), so they mark a text that was damaged on its way.
#[must_use]
pub fn has_control_characters(text: &str) -> bool {
    text.chars()
        .any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

/// Why an exercise looks longer than a drill of `max_steps` steps; `None` if it does not. A rule of thumb: more than one
/// equation, too many operators, or several parts.
#[must_use]
pub fn drill_fault(prompt: &str, question_latex: &str, max_steps: u32) -> Option<&'static str> {
    if has_two_equations(prompt, question_latex) {
        return Some("more than one equation");
    }
    let most = OPERATORS_PER_STEP * usize::try_from(max_steps).unwrap_or(usize::MAX / 8);
    let operators = if question_latex.trim().is_empty() {
        // In prose a hyphen or a slash is no operator.
        count_operators(&prompt.replace(['-', '/'], " "))
    } else {
        count_operators(question_latex)
    };
    if operators > most {
        return Some("too many operators");
    }
    let parts = question_marks(prompt) > 1
        || question_latex.contains(r"\item")
        || ["a", "1"]
            .iter()
            .zip(["b", "2"])
            .any(|(first, second)| has_marker(prompt, first) && has_marker(prompt, second));
    parts.then_some("several parts")
}

/// Two signs of `=` are two equations, wherever they stand, unless the prompt says the question again or only gives the
/// value of a letter: `Work out y for x = 4.`
#[must_use]
pub fn has_two_equations(prompt: &str, question_latex: &str) -> bool {
    let (in_prompt, in_question) = (equals_signs(prompt), equals_signs(question_latex));
    match (in_prompt.as_slice(), in_question.len()) {
        ([at], 1) => !gives_value(prompt, *at) && !is_said_again(prompt, question_latex),
        (signs, count) => signs.len() > 1 || count > 1,
    }
}

/// Where the signs of equality stand; those of `<=`, `>=` and `!=` are none.
fn equals_signs(text: &str) -> Vec<usize> {
    text.match_indices(['=', '＝'])
        .map(|(at, _)| at)
        .filter(|at| !text[..*at].ends_with(['<', '>', '!']))
        .collect()
}

/// Whether the sign gives a single letter its value: `x = 4`.
fn gives_value(text: &str, at: usize) -> bool {
    let (left, right) = text.split_at(at);
    let around = |c: char| c.is_whitespace() || matches!(c, '$' | '{' | '}');
    let mut before = left.trim_end_matches(around).chars().rev();
    let is_letter = before.next().is_some_and(char::is_alphabetic);
    let is_single = before
        .next()
        .is_none_or(|c| !c.is_alphanumeric() && !is_operator(c));
    let is_part = before.find(|c| !around(*c)).is_some_and(is_operator);
    let value = right
        .trim_start_matches(['=', '＝'])
        .trim_start_matches(around);
    let rest = value.trim_start_matches(|c: char| {
        c.is_ascii_digit() || matches!(c, '-' | '−' | '.' | ',' | '/' | '_' | '…')
    });
    let goes_on = rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '(' | '\\'))
        || rest.trim_start_matches(around).starts_with(is_operator);
    is_letter && is_single && !is_part && !goes_on
}

fn is_said_again(prompt: &str, question_latex: &str) -> bool {
    let plain = |text: &str| -> String {
        let kept = text.chars().filter(|c| !c.is_whitespace() && *c != '$');
        kept.collect()
    };
    plain(prompt).contains(&plain(question_latex))
}

fn is_operator(c: char) -> bool {
    matches!(c, '+' | '-' | '−' | '*' | '/' | '×' | '÷' | '·' | '^')
}

fn count_operators(expression: &str) -> usize {
    let signs = expression.chars().filter(|c| is_operator(*c)).count();
    let commands = [
        r"\times", r"\cdot", r"\div", r"\frac", r"\dfrac", r"\tfrac", r"\sqrt", r"\pm",
    ]
    .iter()
    .map(|command| expression.matches(command).count())
    .sum::<usize>();
    signs + commands
}

/// Whether a list marker such as `a)`, `(a)` or `a.` stands alone in the text.
fn has_marker(text: &str, name: &str) -> bool {
    text.split_whitespace().any(|word| {
        let word = word.strip_prefix('(').unwrap_or(word);
        word.strip_prefix(name)
            .is_some_and(|rest| matches!(rest, ")" | "." | "):" | ".)"))
    })
}
