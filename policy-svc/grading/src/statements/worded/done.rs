//! What is said to come out where something is done to a number or two: `If you add 3 and 4 you get 7`, `Squaring 5 gives 25`.

use super::{
    Reader, after, bracketed,
    tokens::{Kind, Token},
};
use crate::statements::{
    cues::{self, Words},
    doubt::goes_on,
    scan::{Edge, Run},
};

/// Something that is done to two numbers, or to one.
struct Task {
    /// Its verbs before the numbers, and behind them, where German has some of them in a question's order before them.
    before: &'static [&'static str],
    behind: &'static [&'static str],
    /// The word between the numbers; empty: there is one number, and the sign is what it is multiplied with, or its power.
    between: &'static str,
    sign: &'static str,
}

#[rustfmt::skip]
const TASKS: &[Task] = &[
    Task { before: &["add", "adding"], behind: &[], between: "and", sign: "+" },
    Task { before: &["add", "adding"], behind: &[], between: "to", sign: "+" },
    Task { before: &["subtract", "subtracting"], behind: &[], between: "from", sign: "-" },
    Task { before: &["multiply", "multiplying"], behind: &[], between: "by", sign: "·" },
    Task { before: &["multiply", "multiplying"], behind: &[], between: "and", sign: "·" },
    Task { before: &["divide", "dividing"], behind: &[], between: "by", sign: "÷" },
    Task { before: &["addiere"], behind: &["addierst", "addiert"], between: "und", sign: "+" },
    Task { before: &["addiere"], behind: &["addierst", "addiert"], between: "zu", sign: "+" },
    Task { before: &["subtrahiere"], behind: &["subtrahierst", "subtrahiert"], between: "von", sign: "-" },
    Task { before: &["multipliziere"], behind: &["multiplizierst", "multipliziert"], between: "mit", sign: "·" },
    Task { before: &["dividiere", "teile"], behind: &["dividierst", "dividiert", "teilst", "teilt"], between: "durch", sign: "÷" },
    Task { before: &["square", "squaring", "quadriere"], behind: &["quadrierst", "quadriert"], between: "", sign: "^2" },
    Task { before: &["cube", "cubing"], behind: &[], between: "", sign: "^3" },
    Task { before: &["double", "doubling", "verdopple"], behind: &["verdoppelst", "verdoppelt"], between: "", sign: "·2" },
    Task { before: &["halve", "halving", "halbiere"], behind: &["halbierst", "halbiert"], between: "", sign: "÷2" },
];

/// All of these verbs.
static VERBS: Words = Words::new(
    "add adding subtract subtracting multiply multiplying divide dividing addiere addierst addiert subtrahiere subtrahierst \
    subtrahiert multipliziere multiplizierst multipliziert dividiere dividierst dividiert teile teilst teilt \
    square squaring quadriere quadrierst quadriert cube cubing double doubling verdopple verdoppelst verdoppelt halve halving \
    halbiere halbierst halbiert",
);

/// Who does it, behind a verb that begins the clause.
static DOING: Words = Words::new("du man wir");

/// Words before a verb for one number, where nothing else is done to it.
static BEGINNING: Words = Words::new("you we i if when then now so du man wir wenn dann");

/// So many tokens the numbers and the word between them are: `5`, `-3 und -4`.
const NUMBERS: std::ops::RangeInclusive<usize> = 1..=5;

/// Words that lead to what comes out.
static LEADING: Words = Words::new("and then so und dann");

/// Words behind which it stands.
const YIELDING: &[&[&str]] = &[
    &["you", "get"],
    &["to", "get"],
    &["get"],
    &["you", "have"],
    &["we", "get"],
    &["we", "have"],
    &["gives"],
    &["makes"],
    &["is"],
    &["it", "is"],
    &["that", "is"],
    &["that", "gives"],
    &["the", "result", "is"],
    &["erhältst", "du"],
    &["bekommst", "du"],
    &["erhält", "man"],
    &["bekommt", "man"],
    &["ergibt", "sich"],
    &["ergibt", "das"],
    &["ergibt"],
    &["ist", "das"],
];

/// The statements of this kind.
pub(super) fn runs<'t>(text: &str, tokens: &[Token<'t>]) -> Vec<Run<'t>> {
    let is_verb = |token: &Token<'_>| matches!(token.kind, Kind::Word(word) if VERBS.has(word));
    let places = 0..tokens.len();
    let verbs = places.filter(|at| tokens.get(*at).is_some_and(is_verb));
    verbs.filter_map(|at| statement(text, tokens, at)).collect()
}

/// The statement with a verb at a place.
fn statement<'t>(text: &str, tokens: &[Token<'t>], at: usize) -> Option<Run<'t>> {
    let (begin, task, numbers, mut reader) = TASKS.iter().find_map(|task| {
        let (begin, numbers, reader) =
            before(task, tokens, at).or_else(|| behind(task, tokens, at))?;
        Some((begin, task, numbers, reader))
    })?;
    let start = tokens.get(begin)?.range.start;
    // `Take 5, add 3 and 4` adds both to something.
    let is_sum_of_both = cues::AND.has(task.between);
    if is_sum_of_both && text.get(..start)?.contains(char::is_numeric) {
        return None;
    }
    if reader.kind() == Some(Kind::Stop) {
        reader.at += 1;
    }
    while reader.takes_one(&LEADING) {}
    YIELDING.iter().find(|words| reader.takes(words))?;
    let result = reader.side()?;
    let last = tokens.get(reader.at.checked_sub(1)?)?;
    // `3 and a half`, `3, carry 1`
    if goes_on(text, last.range.end) {
        return None;
    }
    Some(Run {
        range: start..last.range.end,
        formula: format!("{numbers} = {result}"),
        before: Edge::Clean,
        after: after(tokens, reader.at),
    })
}

/// Where a task begins whose verb stands before its numbers, what they come to, and a reader behind them.
fn before<'a, 't>(
    task: &Task,
    tokens: &'a [Token<'t>],
    at: usize,
) -> Option<(usize, String, Reader<'a, 't>)> {
    let mut reader = Reader::new(tokens, at);
    let is_first = task.before.iter().any(|verb| reader.takes(&[verb]))
        || task.behind.iter().any(|verb| reader.takes(&[verb])) && reader.takes_one(&DOING);
    // `Add 3 to double 4`
    let is_alone = || match tokens.get(at.wrapping_sub(1)).map(|token| token.kind) {
        None | Some(Kind::Stop) => true,
        Some(Kind::Word(word)) => BEGINNING.has(word),
        Some(_) => false,
    };
    let begins = is_first && (!task.between.is_empty() || is_alone());
    let numbers = begins.then(|| numbers(task, &mut reader))??;
    Some((at, numbers, reader))
}

/// The same where the verb stands behind them.
fn behind<'a, 't>(
    task: &Task,
    tokens: &'a [Token<'t>],
    at: usize,
) -> Option<(usize, String, Reader<'a, 't>)> {
    let mut begins = NUMBERS.filter_map(|length| at.checked_sub(length));
    begins.find_map(|begin| {
        let mut reader = Reader::new(tokens, begin);
        let numbers = numbers(task, &mut reader).filter(|_| reader.at == at)?;
        // `Wenn du 3 + 5 verdoppelst`
        let is_all = || matches!(tokens.get(begin.wrapping_sub(1)).map(|token| token.kind), Some(Kind::Word(word)) if DOING.has(word));
        if task.between.is_empty() && !is_all() {
            return None;
        }
        task.behind.iter().find(|verb| reader.takes(&[verb]))?;
        Some((begin, numbers, reader))
    })
}

fn numbers(task: &Task, reader: &mut Reader<'_, '_>) -> Option<String> {
    let first = reader.term()?;
    if task.between.is_empty() {
        return Some(format!("({first}){}", task.sign));
    }
    if !reader.takes(&[task.between]) {
        return None;
    }
    let second = reader.term()?;
    let (left, right) = match task.sign {
        "-" => (second, first),
        _ => (first, second),
    };
    Some(format!("{left} {} {}", task.sign, bracketed(right)))
}
