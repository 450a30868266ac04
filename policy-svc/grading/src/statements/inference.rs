//! An equation that is said to follow from the one before it, in the middle of a text: `2x = 8, so x = 3`.

use super::{
    cues,
    doubt::{Told, is_cut},
    example::step_follows,
    scan::{Edge, Run},
    verdict::Chain,
};

/// What stands between two equations of which the second follows from the first.
const INFERRING: &[&str] = &[
    "so",
    "and so",
    "therefore",
    "hence",
    "thus",
    "gives",
    "which gives",
    "this gives",
    "that gives",
    "so you get",
    "so we get",
    "so you have",
    "so we have",
    "which means",
    "this means",
    "that means",
    "it follows that",
    "follows",
    "also",
    "also ist",
    "somit",
    "daher",
    "folglich",
    "ergibt",
    "das ergibt",
    "das gibt",
    "daraus folgt",
    "folgt",
    "und somit",
    "und damit",
    "has the solution",
    "hat die lösung",
];
/// The same where the first is one of which a solution is told.
const TELLING_SOLUTIONS: &[&str] = &["is", "ist"];
/// The same where something is done to the first.
const COMING_OUT: &[&str] = &["", "gives", "ergibt", "gives you", "to get", "and you get"];

/// Whether the second of two neighbouring equations is said to follow from the first and does not. Rounded values may.
pub(super) fn is_false(text: &str, told: &Told<'_>, first: &Run<'_>, then: &Run<'_>) -> bool {
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let beside = |part: &str| {
        let marks = |c: char| c.is_whitespace() || ",;.:$→⇒".contains(c);
        part.trim_matches(marks).to_lowercase()
    };
    let between = beside(part(first.range.end, then.range.start));
    let before = beside(part(0, first.range.start));
    let ends = |ends: &[&str]| ends.iter().any(|end| before.ends_with(end));
    let is = |list: &[&str]| list.contains(&between.as_str());
    let has_arrow = || part(first.range.end, then.range.start).contains(['→', '⇒']);
    let is_inferred = is(INFERRING)
        || between.is_empty() && has_arrow()
        || is(TELLING_SOLUTIONS)
            && ends(&[
                "solution of",
                "lösung von",
                "solution of the equation",
                "lösung der gleichung",
            ])
        || is(COMING_OUT) && ends(&["both sides of", "beiden seiten von"]);
    let is_tried = matches!(first.before, Edge::Word(word) if cues::TRYING.has(word));
    let is_exact = !then.formula.contains(['.', ',', '≈']);
    let is_whole = |run: &Run<'_>| {
        let chain = Chain::usual(&run.formula);
        !is_cut(run, chain.as_ref()) && !told.is_no_claim(&run.range)
    };
    // `The solution of 2x = 8 is …`, `From 2x = 8 follows …`
    let led_to = Run {
        before: match first.before {
            Edge::Word("of" | "von" | "from" | "From" | "aus" | "Aus") => Edge::Clean,
            before => before,
        },
        ..first.clone()
    };
    is_inferred
        && is_exact
        && !is_tried
        && is_whole(&led_to)
        && is_whole(then)
        && step_follows(first, &then.formula) == Some(false)
}
