//! The words of tasks. A prompt that says anything else is not understood, and nothing is decided from it: "the degree of
//! each polynomial" must not be read as a polynomial to simplify.

use crate::{
    grade::Task,
    task::{Pick, Target},
    units,
};

/// Words that name no task and change none.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "a", "above", "absolute", "ac", "add", "adding", "addition", "algebraic", "all", "an", "and", "answer", "answers",
    "any", "appropriate", "are", "as", "associative", "assume", "at", "be", "below", "binomial", "binomials", "blank",
    "both", "bracket", "brackets", "by", "calculate", "can", "carefully", "change", "choose", "collect", "combine",
    "combining", "comma", "common", "commutative", "compare", "completely", "completing", "compute", "conjugates",
    "convert", "coordinate", "coordinates", "correct", "correctly", "decimal", "decimals", "denominator",
    "difference", "distribute", "distributive", "divide", "dividing", "division", "each", "elimination", "enter",
    "equal", "equation", "equations", "equivalent", "error", "evaluate", "every", "exact", "exercise", "exercises",
    "expand", "expanded", "expanding", "exponent", "exponents", "express", "expression", "expressions", "factor",
    "factoring", "factorisation", "factorise", "factorization", "factorize", "factors", "fill", "final", "find",
    "first", "foil", "following", "for", "form", "formula", "fraction", "fractions", "from", "fully", "gcf",
    "general", "give", "given", "greater", "greatest", "grouping", "has", "have", "here", "higher", "hundredth",
    "hundredths", "identity", "if", "improper", "in", "index", "indicated", "inequalities", "inequality", "input",
    "insert", "integer", "integers", "interval", "into", "inverse", "is", "isolate", "it", "its", "label", "larger",
    "largest", "law", "laws", "lesser", "let", "like", "linear", "lowest", "method", "missing", "mixed", "monomial",
    "monomials", "multiple", "multiplication", "multiply", "multiplying", "nearest", "necessary", "needed",
    "negative", "new", "next", "nonnegative", "notation", "now", "number", "numbers", "numerical", "of", "on", "one",
    "operation", "operations", "or", "order", "ordered", "our", "out", "pair", "pairs", "parentheses", "pattern",
    "percent", "percentage", "perfect", "perform", "place", "places", "please", "point", "polynomial", "polynomials",
    "positive", "possible", "power", "powers", "practice", "prime", "principle", "problem", "problems", "product",
    "products", "properties", "property", "proportion", "proportions", "quadratic", "question", "questions",
    "quotient", "radical", "rate", "ratio", "rational", "rationalize", "ratios", "real", "reduce", "reduced",
    "remove", "represent", "result", "results", "rewrite", "root", "roots", "round", "rounded", "rule", "rules",
    "scientific", "separate", "set", "show", "sides", "sign", "similar", "simple", "simplest", "simplified",
    "simplify", "simplifying", "single", "smaller", "smallest", "so", "solution", "solutions", "solve", "space",
    "special", "square", "squares", "step", "steps", "substitution", "subtract", "subtracting", "subtraction", "sum",
    "symbol", "system", "systems", "take", "tenth", "tenths", "term", "terms", "that", "the", "them", "then", "there",
    "these", "this", "those", "thousandth", "thousandths", "three", "to", "trial", "trinomial", "trinomials", "try",
    "two", "type", "unit", "units", "unknown", "us", "use", "using", "value", "values", "variable", "variable's",
    "variables", "vertical", "we", "well", "what", "when", "where", "whole", "with", "work", "worked", "write", "you",
    "your", "yourself", "zero",
];

/// Words shorter than this must be spelled right.
const FORGIVEN_LENGTH: usize = 8;

/// Whether a word is one that tasks are made of. Long words may have one typing error; answers may be numbered.
fn known(word: &str) -> bool {
    let word = word.trim_end_matches(|last: char| last.is_ascii_digit());
    word.is_empty()
        || PLAIN.contains(&word)
        || units::named(word).is_some() && word.chars().count() > 1
        || word.len() >= FORGIVEN_LENGTH && PLAIN.iter().any(|plain| one_error(word, plain))
}

/// Whether one letter more, less or another makes one word the other.
fn one_error(word: &str, plain: &str) -> bool {
    if plain.len() < FORGIVEN_LENGTH || word.len().abs_diff(plain.len()) > 1 {
        return false;
    }
    let (left, right) = (word.as_bytes(), plain.as_bytes());
    let start = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let end = left
        .iter()
        .rev()
        .zip(right.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    start + end + 1 >= left.len().max(right.len())
}

/// Words that name what is to be found: "the number of terms", "the negative of 5", "the sum of the solutions". A formula
/// beside them is not the whole task.
fn names_another_thing(words: &[&str]) -> bool {
    let has = |own: &str| words.contains(&own);
    let verb = words.iter().any(|word| {
        matches!(
            *word,
            "solve"
                | "simplify"
                | "evaluate"
                | "calculate"
                | "compute"
                | "expand"
                | "multiply"
                | "perform"
                | "divide"
                | "subtract"
                | "reduce"
                | "combine"
                | "distribute"
                | "take"
                | "write"
                | "convert"
        )
    });
    if verb || factor_is_verb(words) || words.starts_with(&["add"]) {
        return false;
    }
    let noun = words.iter().any(|word| {
        matches!(
            *word,
            "negative"
                | "inverse"
                | "identity"
                | "cube"
                | "cubes"
                | "terms"
                | "term"
                | "denominator"
                | "index"
                | "ratio"
                | "rate"
                | "exponent"
                | "exponents"
                | "factor"
                | "factors"
                | "zero"
                | "pair"
                | "conjugates"
                | "rule"
                | "formula"
                | "equation"
                | "power"
                | "powers"
        )
    });
    let counted = has("number") && has("of");
    let squared =
        has("square") && !has("root") && !has("roots") && !has("binomial") && !has("binomials");
    let of_solutions =
        (has("sum") || has("product") || has("difference")) && (has("solutions") || has("roots"));
    noun && !has("missing") && !picks(words) && !has("lowest") && !has("single") && !has("work")
        || counted
        || squared
        || of_solutions
}

fn picks(words: &[&str]) -> bool {
    words
        .iter()
        .any(|word| matches!(*word, "solution" | "solutions" | "root"))
}

/// "Factor the polynomial", not "the greatest common factor".
fn factor_is_verb(words: &[&str]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        matches!(*word, "factor" | "factorise" | "factorize")
            && !before.is_some_and(|before| {
                matches!(
                    *before,
                    "common"
                        | "the"
                        | "a"
                        | "each"
                        | "prime"
                        | "of"
                        | "other"
                        | "one"
                        | "zero"
                        | "perfect"
                        | "greatest"
                )
            })
    })
}

/// The task that the words name.
pub(crate) fn task(words: &[&str]) -> Task {
    let has = |own: &[&str]| words.iter().any(|word| own.contains(word));
    if names_another_thing(words) {
        return Task::Unknown;
    }
    // "by factoring" is a way to solve; "factor" is the task.
    if has(&["solve", "isolate"]) {
        return Task::Solve;
    }
    if factor_is_verb(words) && !has(&["simplify", "reduce"]) {
        return Task::Factor;
    }
    if has(&["take"]) && has(&["out"]) && has(&["factor", "factors", "gcf"]) {
        return Task::Factor;
    }
    if has(&["factorisation", "factorization"]) && has(&["write", "find", "give"]) {
        return Task::Factor;
    }
    if has(&["compare", "insert"]) || has(&["fill"]) && has(&["symbol", "sign"]) {
        return Task::Compare;
    }
    if has(&["expand", "distribute", "remove", "multiply", "foil"]) {
        return Task::Expand;
    }
    if has(&["simplify", "reduce", "combine", "collect", "rationalize"]) {
        return Task::Simplify;
    }
    if has(&["convert", "change", "write", "rewrite", "express"]) && target(words).is_some() {
        return Task::Convert;
    }
    if has(&["lowest", "single", "simplest"]) {
        return Task::Simplify;
    }
    if has(&[
        "solution",
        "solutions",
        "root",
        "roots",
        "unknown",
        "missing",
    ]) || asks_for_variable(words)
    {
        return Task::Solve;
    }
    if has(&["square"]) && has(&["binomial", "binomials"]) && !has(&["complete", "completing"]) {
        return Task::Expand;
    }
    if has(&["product", "multiplying"]) && has(&["find", "what"]) {
        return Task::Expand;
    }
    let operates = has(&[
        "evaluate",
        "calculate",
        "compute",
        "perform",
        "add",
        "subtract",
        "divide",
        "sum",
        "difference",
        "quotient",
    ]);
    if operates && wants_simplified(words) {
        return Task::Simplify;
    }
    if operates || has(&["value", "values"]) || has(&["work"]) && has(&["out"]) {
        return Task::Evaluate;
    }
    if has(&["round", "rounded"]) {
        return Task::Evaluate;
    }
    Task::Unknown
}

/// "Find the value of the variable", "find the missing number".
pub(crate) fn asks_for_variable(words: &[&str]) -> bool {
    let has = |own: &str| words.contains(&own);
    has("variable") && (has("find") || has("value"))
        || has("missing")
        || has("find") && words.len() <= 2
}

/// Whether the words ask for a simplified answer.
pub(crate) fn wants_simplified(words: &[&str]) -> bool {
    words.iter().any(|word| {
        matches!(
            *word,
            "simplify"
                | "simplified"
                | "reduce"
                | "reduced"
                | "lowest"
                | "simplest"
                | "combine"
                | "collect"
                | "single"
        )
    })
}

/// Whether only the greatest common factor is to be taken out.
pub(crate) fn wants_common_factor(words: &[&str]) -> bool {
    let has = |own: &str| words.contains(&own);
    (has("gcf") || has("common") && (has("factor") || has("factors")))
        && !has("completely")
        && !has("fully")
}

/// Which of several solutions the words ask for.
pub(crate) fn pick(words: &[&str]) -> Pick {
    let asks = words
        .iter()
        .any(|word| matches!(*word, "solution" | "root" | "value"));
    let has = |own: &[&str]| asks && words.iter().any(|word| own.contains(word));
    if is_not_zero(words) {
        Pick::NotZero
    } else if names_all(words) {
        Pick::All
    } else if has(&["larger", "largest", "greater", "greatest"]) {
        Pick::Largest
    } else if has(&["smaller", "smallest", "lesser"]) {
        Pick::Smallest
    } else if has(&["positive"]) {
        Pick::Positive
    } else if has(&["negative"]) {
        Pick::Negative
    } else {
        Pick::All
    }
}

/// "Enter the smaller solution first", "both the positive and the negative solution"
fn names_all(words: &[&str]) -> bool {
    let ordered = words.windows(2).any(|pair| {
        matches!(
            pair,
            [
                "solution"
                    | "root"
                    | "value"
                    | "number"
                    | "one"
                    | "smaller"
                    | "smallest"
                    | "larger"
                    | "largest",
                "first"
            ]
        )
    });
    ordered || words.contains(&"both") && names_opposites(words)
}

fn names_opposites(words: &[&str]) -> bool {
    let has = |own: &[&str]| words.iter().any(|word| own.contains(word));
    has(&["positive"]) && has(&["negative"])
        || has(&["larger", "largest", "greater", "greatest"])
            && has(&["smaller", "smallest", "lesser"])
}

/// Whether the words say what solutions are looked for in a way that is not understood: "for positive x", "the integer
/// solutions", "first factor, then give the larger solution".
pub(crate) fn restricts(words: &[&str]) -> bool {
    let has = |own: &[&str]| words.iter().any(|word| own.contains(word));
    let is_restricted = match pick(words) {
        _ if names_all(words) => false,
        Pick::All => has(&["positive", "negative"]),
        _ => has(&["first", "order", "both"]) || names_opposites(words),
    };
    let rounded = matches!(rounding(words), Ok(Some(_)));
    is_restricted || has(&["nonnegative"]) || !rounded && has(&["integer", "integers", "whole"])
}

/// "The solution that is not zero"
fn is_not_zero(words: &[&str]) -> bool {
    words.contains(&"nonzero") || words.windows(2).any(|pair| matches!(pair, ["not", "zero"]))
}

/// Whether all words are known: see [`known`].
pub(crate) fn all_known(words: &[&str]) -> bool {
    let not_zero = is_not_zero(words);
    words
        .iter()
        .all(|word| known(word) || not_zero && matches!(*word, "not" | "nonzero"))
}

/// The form that the words ask for: what comes after the last `as`, `to`, `into` or `in` that names one.
pub(crate) fn target(words: &[&str]) -> Option<Target> {
    (0..words.len())
        .rev()
        .filter(|at| matches!(words.get(*at), Some(&("as" | "to" | "into" | "in"))))
        .find_map(|at| target_among(words.get(at + 1..)?))
}

fn target_among(after: &[&str]) -> Option<Target> {
    let has = |own: &str| after.contains(&own);
    if has("mixed") {
        return Some(Target::Mixed);
    }
    if has("improper") {
        return Some(Target::Improper);
    }
    if has("scientific") {
        return Some(Target::Scientific);
    }
    if has("percent") || has("percentage") {
        return Some(Target::Percent);
    }
    if has("decimal") || has("decimals") {
        return Some(Target::Decimal);
    }
    if has("fraction") || has("ratio") && has("integers") {
        return Some(Target::Fraction);
    }
    let mut named = after
        .iter()
        .filter(|word| word.chars().count() > 1)
        .filter_map(|word| Some((word, units::named(word)?)));
    let (word, unit) = named.next()?;
    // "to feet and inches" asks for two numbers.
    named
        .all(|(_, other)| other.dimension == unit.dimension && other.factor == unit.factor)
        .then(|| Target::Unit((*word).to_owned()))
}

/// The decimal places to round to; an error where rounding is asked for in a way that is not understood.
pub(crate) fn rounding(words: &[&str]) -> Result<Option<u32>, ()> {
    let has = |own: &str| words.contains(&own);
    if !(has("round") || has("rounded") || has("nearest")) {
        return Ok(None);
    }
    let places = [
        (0, &["integer", "whole"][..]),
        (1, &["tenth", "tenths"][..]),
        (2, &["hundredth", "hundredths"][..]),
        (3, &["thousandth", "thousandths"][..]),
    ];
    for (count, names) in places {
        if names.iter().any(|name| has(name)) {
            return Ok(Some(count));
        }
    }
    if has("places") || has("place") {
        for (count, name) in [(1, "one"), (2, "two"), (3, "three")] {
            if has(name) {
                return Ok(Some(count));
            }
        }
    }
    Err(())
}
