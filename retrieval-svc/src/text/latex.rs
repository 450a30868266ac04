//! LaTeX to plain formulas: fractions, roots and signs are spelled as on a keyboard, all other commands vanish.

/// What an open brace belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Brace {
    Plain,
    Numerator,
    /// The name of an environment, which is dropped.
    Name,
}

/// The text with its LaTeX resolved; braces become parentheses. Text without LaTeX comes out as it went in.
pub(super) fn resolve(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut open: Vec<Brace> = Vec::new();
    // What the next brace will belong to, if it comes at once.
    let mut next = Brace::Plain;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let expected = std::mem::replace(&mut next, Brace::Plain);
        let silent = open.last() == Some(&Brace::Name);
        match character {
            '\\' => {
                let mut name = String::new();
                while let Some(letter) = rest.next_if(char::is_ascii_alphabetic) {
                    name.push(letter);
                }
                match name.as_str() {
                    // `\(`, `\,`, `\\`: a delimiter, a space, a line's end. An escaped percent sign stays.
                    "" => match rest.next() {
                        Some('%') => plain.push('%'),
                        Some(_) | None => plain.push(' '),
                    },
                    "frac" | "dfrac" | "tfrac" => next = Brace::Numerator,
                    "begin" | "end" => next = Brace::Name,
                    name => plain.push_str(spelling(name)),
                }
            }
            '{' => {
                open.push(expected);
                if expected != Brace::Name {
                    plain.push('(');
                }
            }
            '}' => match open.pop() {
                Some(Brace::Numerator) => plain.push_str(")/"),
                Some(Brace::Name) => plain.push(' '),
                Some(Brace::Plain) | None => plain.push(')'),
            },
            '$' => plain.push(' '),
            white if white.is_whitespace() => {
                // `\frac {1} {2}` is the same fraction.
                next = expected;
                plain.push(white);
            }
            _ if silent => {}
            other => plain.push(other),
        }
    }
    plain
}

/// How a command is spelled on a keyboard; a space for those that only set the type.
fn spelling(command: &str) -> &'static str {
    match command {
        "times" | "cdot" | "ast" => "*",
        "div" => "/",
        "sqrt" => " sqrt ",
        "le" | "leq" | "leqslant" => "<=",
        "ge" | "geq" | "geqslant" => ">=",
        "lt" => "<",
        "gt" => ">",
        "pm" => "+",
        "pi" => " pi ",
        "sin" => " sin ",
        "cos" => " cos ",
        "tan" => " tan ",
        "log" => " log ",
        "ln" => " ln ",
        "angle" => " angle ",
        "degree" => " degree ",
        "percent" => "%",
        _ => " ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_spelled_out_or_vanish() {
        assert_eq!(resolve("\\frac{3}{4}"), "(3)/(4)");
        assert_eq!(resolve("\\frac{\\frac{1}{2}}{3}"), "((1)/(2))/(3)");
        assert_eq!(resolve("\\left(x\\right)"), " (x )");
        assert_eq!(resolve("\\begin{cases}x\\end{cases}"), " x ");
        assert_eq!(resolve("\\text{slope}"), " (slope)");
        assert_eq!(resolve("no latex, 5 % of it"), "no latex, 5 % of it");
    }
}
