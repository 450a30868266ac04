//! Parentheses that a person would not type: `(3)/(4)` is `3/4`, `x^(2)` is `x^2`, `2(1)/(2)` is `2 1/2`, and
//! `root(3)(x)` is `root3(x)`.

use unicode_normalization::char::is_combining_mark;

/// What stands alone in a pair of parentheses.
struct Atom {
    /// Where its closing parenthesis stands.
    close: usize,
    /// How many letters it has; none: it is a number.
    letters: usize,
}

impl Atom {
    /// The atom behind an opening parenthesis at `open`.
    fn read(text: &[char], open: usize) -> Option<Self> {
        let inside = text.get(open + 1..)?;
        let first = *inside.first()?;
        let (length, letters) = if first.is_ascii_digit() {
            let point = |at: usize| {
                matches!(inside[at], '.' | ',')
                    && inside.get(at + 1).is_some_and(char::is_ascii_digit)
            };
            let length = (0..inside.len())
                .find(|at| !inside[*at].is_ascii_digit() && !point(*at))
                .unwrap_or(inside.len());
            (length, 0)
        } else {
            let length = inside
                .iter()
                .take_while(|c| c.is_alphabetic() || is_combining_mark(**c))
                .count();
            let marks = inside[..length].iter().filter(|c| is_combining_mark(**c));
            (length, length - marks.count())
        };
        (length > 0 && inside.get(length) == Some(&')')).then_some(Self {
            close: open + 1 + length,
            letters,
        })
    }

    /// Whether it can stand above or below a fraction's bar as it is. Two letters are a product.
    fn is_term(&self) -> bool {
        self.letters != 2
    }
}

/// The text without such parentheses.
pub(super) fn tidy(text: &[char]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = ' ';
    let mut at = 0;
    while let Some(&character) = text.get(at) {
        let atom = (character == '(').then(|| Atom::read(text, at)).flatten();
        let Some(atom) = atom else {
            out.push(character);
            last = character;
            at += 1;
            continue;
        };
        let fraction = text.get(atom.close + 1) == Some(&'/') && atom.is_term();
        let below = (fraction && text.get(atom.close + 2) == Some(&'('))
            .then(|| Atom::read(text, atom.close + 2))
            .flatten()
            .filter(Atom::is_term);
        let glued = last.is_alphanumeric() || is_combining_mark(last) || matches!(last, ')' | ']');
        match (last, below) {
            ('^', _) if atom.letters <= 1 => {}
            ('_', _) => {}
            ('t' | 'T', _) if is_degree(&out, &atom, text) => {}
            ('/', _) if atom.is_term() => {}
            // Two and a half.
            (digit, Some(below))
                if digit.is_ascii_digit()
                    && atom.letters + below.letters == 0
                    && !ends_with_degree(&out) =>
            {
                out.push(' ');
            }
            (last, _) if fraction && !glued && !matches!(last, '^' | '/') => {}
            _ => {
                out.push('(');
                last = '(';
                at += 1;
                continue;
            }
        }
        out.extend(&text[at + 1..atom.close]);
        last = text[atom.close - 1];
        at = atom.close + 1;
        if joins(&atom, &text[at..]) {
            out.push(' ');
            last = ' ';
        }
    }
    out
}

/// Whether the atom is the degree of a root. With `s` it would read `roots`.
fn is_degree(out: &str, atom: &Atom, text: &[char]) -> bool {
    ends_with_root(out)
        && atom.letters <= 1
        && !matches!(text[atom.close - 1], 's' | 'S')
        && text.get(atom.close + 1) == Some(&'(')
}

/// Whether the text ends with the degree of a root, as in `root3`: what follows is taken the root of.
fn ends_with_degree(out: &str) -> bool {
    ends_with_root(out.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',')))
}

/// Whether the text ends with the word `root`, in capitals or not.
fn ends_with_root(out: &str) -> bool {
    let Some((before, name)) = out
        .len()
        .checked_sub("root".len())
        .and_then(|at| out.split_at_checked(at))
    else {
        return false;
    };
    name.eq_ignore_ascii_case("root") && !before.ends_with(|c: char| c.is_alphanumeric())
}

/// Whether what follows would be read as a part of the atom.
fn joins(atom: &Atom, rest: &[char]) -> bool {
    let Some(next) = rest.first() else {
        return false;
    };
    if atom.letters > 0 {
        return next.is_alphanumeric();
    }
    let digit = |at: usize| rest.get(at).is_some_and(char::is_ascii_digit);
    digit(0) || matches!(next, '.' | ',') && digit(1)
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn parentheses_stay_where_they_mean_something() {
        for (machine, person) in [
            ("(3)/(4)", "3/4"),
            ("(x+1)/(2)", "(x+1)/2"),
            ("2(1)/(2)", "2 1/2"),
            ("(rise)/(run)", "rise/run"),
            ("x^(2)y", "x^2y"),
            ("x^(2)3", "x^2 3"),
            ("x^(n)y", "x^n y"),
            ("x_(12)^(-1)", "x_12^(-1)"),
            ("root(3)(x)", "root3(x)"),
            ("root(s)(x)", "root(s)(x)"),
            ("Root(3)(x)", "Root3(x)"),
            ("root2(0)/(1)", "root2(0)/1"),
            ("root(2)(0)/(1)/(2)", "root2(0)/1/2"),
            ("f(x)/(2)", "f(x)/2"),
            ("1/(xy)", "1/(xy)"),
            ("2^(xy)", "2^(xy)"),
            ("2(3) and (a)", "2(3) and (a)"),
            ("((((1)", "((((1)"),
        ] {
            let tidied = tidy(&machine.chars().collect::<Vec<_>>());
            assert_eq!(tidied, person, "{machine}");
            assert_eq!(tidy(&tidied.chars().collect::<Vec<_>>()), person);
        }
    }
}
