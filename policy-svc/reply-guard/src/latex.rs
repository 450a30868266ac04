//! LaTeX by an allowlist: commands that only draw mathematics, sizes within bounds, braces that match.

use std::{collections::HashSet, sync::LazyLock};

/// Commands that draw mathematics and nothing else, by name; those that are missing are refused.
const COMMANDS: &str = "
    frac dfrac tfrac cfrac binom dbinom tbinom sqrt root of over
    cdot cdots ldots dots dotsc dotsb vdots ddots times div pm mp ast star circ bullet oplus ominus otimes odot
    leq le geq ge neq ne lt gt ll gg approx approxeq equiv cong sim simeq propto doteq coloneqq nless ngtr nleq ngeq
    leqslant geqslant lesssim gtrsim
    in notin ni subset supset subseteq supseteq subsetneq nsubseteq cup cap setminus emptyset varnothing complement
    forall exists nexists neg lnot land lor wedge vee implies impliedby iff Rightarrow Leftarrow Leftrightarrow
    rightarrow leftarrow leftrightarrow longrightarrow longleftarrow Longrightarrow Longleftarrow Longleftrightarrow
    to gets mapsto longmapsto uparrow downarrow updownarrow Uparrow Downarrow nearrow searrow swarrow nwarrow
    hookrightarrow rightharpoonup rightleftharpoons xrightarrow xleftarrow
    therefore because top bot perp parallel nparallel mid nmid angle measuredangle sphericalangle triangle square
    degree infty partial nabla hbar ell Re Im aleph
    sum prod int iint oint lim limsup liminf max min sup inf gcd lcm ggT kgV bmod pmod mod
    sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp det dim ker arg deg
    alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho
    sigma varsigma tau upsilon phi varphi chi psi omega
    Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
    left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr lvert rvert lVert rVert vert Vert
    langle rangle lfloor rfloor lceil rceil lbrace rbrace lbrack rbrack backslash
    overline underline overbrace underbrace overset underset stackrel widehat widetilde hat bar vec dot ddot tilde
    overrightarrow overleftarrow boxed fbox cancel bcancel xcancel not prime
    text textbf textit textrm textsf texttt mathrm mathbf mathit mathsf mathtt mathbb mathcal mathfrak mathscr
    boldsymbol bm operatorname mbox displaystyle textstyle scriptstyle limits nolimits
    quad qquad newline hline begin end smash mathstrut strut
    euro pounds textdegree celsius percent checkmark blacksquare Box diamond clubsuit heartsuit
    N Z Q R C item colon cdotp dotsm tag substack
";
static KNOWN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| COMMANDS.split_ascii_whitespace().collect());
/// Environments that arrange mathematics.
const ENVIRONMENTS: [&str; 24] = [
    "aligned",
    "align",
    "align*",
    "alignedat",
    "array",
    "cases",
    "dcases",
    "rcases",
    "matrix",
    "pmatrix",
    "bmatrix",
    "vmatrix",
    "Vmatrix",
    "Bmatrix",
    "smallmatrix",
    "gathered",
    "gather",
    "gather*",
    "equation",
    "equation*",
    "split",
    "eqnarray",
    "eqnarray*",
    "tabular",
];
/// Commands that take a length: bounded, not refused.
const LENGTHS: [&str; 7] = [
    "hspace", "vspace", "hskip", "kern", "mkern", "rule", "raisebox",
];
/// The longest length, in em.
const MOST_EM: f64 = 4.0;
/// The most braces, or pairs of `\left` and `\right`, within one another.
const DEEPEST: usize = 12;

/// Whether a text holds LaTeX that may not be drawn. `whole`: the text is a formula; otherwise formulas stand between
/// dollars or `\(`, `\[` and their ends, and a command may stand anywhere.
pub(crate) fn is_refused(text: &str, whole: bool) -> bool {
    if !whole && !text.contains(['\\', '$']) {
        return false;
    }
    has_unknown_command(text)
        || (if whole {
            !is_balanced(text)
        } else {
            !formulas_are_balanced(text)
        })
        || environments_do_not_match(text)
}

/// The name behind each backslash; one sign where it is no letter.
fn commands(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let at = rest.find('\\')?;
        let after = &rest[at + 1..];
        let letters = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let end = match letters {
            0 => after.chars().next().map_or(0, char::len_utf8),
            letters => letters,
        };
        let (name, behind) = after.split_at(end);
        rest = behind;
        Some((name, behind))
    })
}

fn has_unknown_command(text: &str) -> bool {
    commands(text).any(|(name, behind)| {
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            // An escaped sign, a space, a line break, the begin or end of a formula; not the end of the text.
            return name.is_empty() || !" ,;:!>\\{}()[]|%$#&_/.-\n~^'\"=".contains(name);
        }
        if LENGTHS.contains(&name) {
            return is_too_long(name, behind);
        }
        !KNOWN.contains(name)
    })
}

/// Whether a command that takes lengths has one that cannot be read or exceeds the bound.
fn is_too_long(name: &str, behind: &str) -> bool {
    let behind = behind.trim_start_matches('*').trim_start();
    let count = if name == "rule" { 2 } else { 1 };
    let mut rest = behind;
    for _ in 0..count {
        rest = rest.trim_start();
        let length = if let Some(inner) = rest.strip_prefix('{') {
            let Some((length, after)) = inner.split_once('}') else {
                return true;
            };
            rest = after;
            length
        } else {
            let end = rest
                .find(|c: char| c.is_whitespace() || c == '$' || c == '\\')
                .unwrap_or(rest.len());
            let (length, after) = rest.split_at(end);
            rest = after;
            length
        };
        if em(length).is_none_or(|em| em.abs() > MOST_EM) {
            return true;
        }
    }
    false
}

fn em(length: &str) -> Option<f64> {
    let length = length.trim();
    let end = length.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = length.split_at(end);
    let number: f64 = number.trim().parse().ok()?;
    // Whatever follows the unit belongs to the formula.
    let em = match unit.get(..2)? {
        "em" => 1.0,
        "ex" => 0.5,
        "mu" => 1.0 / 18.0,
        "pt" | "px" => 0.1,
        "mm" => 0.28,
        "cm" => 2.8,
        _ => return None,
    };
    Some(number * em)
}

/// Whether the braces of a formula match, within the bound.
fn is_balanced(formula: &str) -> bool {
    let mut depth = 0usize;
    let mut lefts = 0usize;
    let mut escaped = false;
    for c in formula.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => {
                depth += 1;
                if depth > DEEPEST {
                    return false;
                }
            }
            '}' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            _ => {}
        }
    }
    for (name, _) in commands(formula) {
        match name {
            "left" => {
                lefts += 1;
                if lefts > DEEPEST {
                    return false;
                }
            }
            "right" => match lefts.checked_sub(1) {
                Some(less) => lefts = less,
                None => return false,
            },
            _ => {}
        }
    }
    depth == 0 && lefts == 0 && has_arguments(formula)
}

/// Whether `\frac` and its like have two arguments, and `\sqrt` one.
fn has_arguments(formula: &str) -> bool {
    commands(formula).all(|(name, behind)| {
        let count = match name {
            "frac" | "dfrac" | "tfrac" | "binom" => 2,
            "sqrt" | "text" | "overline" | "boxed" => 1,
            _ => 0,
        };
        let mut rest = behind.trim_start();
        if name == "sqrt"
            && let Some((_, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        {
            rest = after.trim_start();
        }
        for _ in 0..count {
            rest = rest.trim_start();
            let Some(end) = argument_end(rest) else {
                return false;
            };
            rest = &rest[end..];
        }
        true
    })
}

/// Where the first argument ends: a group, a command, or one sign.
fn argument_end(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    if first == '}' || first == '$' {
        return None;
    }
    if first != '{' {
        return Some(match text.strip_prefix('\\') {
            Some(name) => {
                1 + name
                    .find(|c: char| !c.is_ascii_alphabetic())
                    .unwrap_or(name.len())
            }
            None => first.len_utf8(),
        });
    }
    let mut depth = 0usize;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The formulas of a text are balanced each, and commands that take braces outside of them as well.
fn formulas_are_balanced(text: &str) -> bool {
    for (open, close) in [("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")] {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once(open) {
            // An amount of money is no formula.
            let Some((formula, behind)) = after.split_once(close) else {
                break;
            };
            let is_formula = open != "$" || formula.contains(['\\', '{', '}', '^', '_']);
            if is_formula && !is_balanced(formula) {
                return false;
            }
            rest = behind;
        }
    }
    // Commands outside of a formula: their braces must match, too.
    !commands(text).any(|(name, _)| name.starts_with(|c: char| c.is_ascii_alphabetic()))
        || is_balanced(text)
}

/// Whether an environment is not known, or ends without a beginning.
fn environments_do_not_match(text: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for (name, behind) in commands(text) {
        if name != "begin" && name != "end" {
            continue;
        }
        let environment = behind
            .strip_prefix('{')
            .and_then(|rest| rest.split_once('}'))
            .map(|(environment, _)| environment);
        let Some(environment) = environment.filter(|name| ENVIRONMENTS.contains(name)) else {
            return true;
        };
        if name == "begin" {
            open.push(environment);
            if open.len() > 3 {
                return true;
            }
        } else if open.pop() != Some(environment) {
            return true;
        }
    }
    !open.is_empty()
}
