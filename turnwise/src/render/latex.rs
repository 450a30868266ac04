//! LaTeX as a terminal can show it: signs for commands, a stroke for a fraction, raised digits for powers. What it does not
//! know stays as it was written.

/// Commands that are one sign.
const SIGNS: &[(&str, &str)] = &[
    ("times", "×"),
    ("cdot", "·"),
    ("div", "÷"),
    ("pm", "±"),
    ("mp", "∓"),
    ("le", "≤"),
    ("leq", "≤"),
    ("ge", "≥"),
    ("geq", "≥"),
    ("ne", "≠"),
    ("neq", "≠"),
    ("lt", "<"),
    ("gt", ">"),
    ("approx", "≈"),
    ("equiv", "≡"),
    ("to", "→"),
    ("rightarrow", "→"),
    ("Rightarrow", "⇒"),
    ("implies", "⇒"),
    ("iff", "⇔"),
    ("infty", "∞"),
    ("circ", "°"),
    ("degree", "°"),
    ("angle", "∠"),
    ("triangle", "△"),
    ("square", "□"),
    ("pi", "π"),
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("theta", "θ"),
    ("Delta", "Δ"),
    ("in", "∈"),
    ("cup", "∪"),
    ("cap", "∩"),
    ("emptyset", "∅"),
    ("mathbb", ""),
    ("ldots", "…"),
    ("dots", "…"),
    ("cdots", "⋯"),
    ("quad", "  "),
    ("qquad", "    "),
    ("left", ""),
    ("right", ""),
    ("displaystyle", ""),
];

/// Commands that only say how their braces are set.
const PLAIN: &[&str] = &[
    "text",
    "mathrm",
    "mathbf",
    "mathit",
    "operatorname",
    "textbf",
    "boxed",
    "overline",
];

/// Deeper braces are shown as they are written.
const DEPTH: usize = 32;

/// A formula for a terminal.
pub fn shown(latex: &str) -> String {
    let chars: Vec<char> = latex.chars().collect();
    let mut reader = Reader {
        chars: &chars,
        at: 0,
        depth: 0,
    };
    reader.run()
}

/// A text for a terminal, in which the formulas stand between dollar signs or `\( … \)`.
pub fn shown_in_text(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, formula, after)) = next_formula(rest) {
        out.push_str(before);
        out.push_str(&shown(formula));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The next formula of a text, with what stands before and after it.
fn next_formula(text: &str) -> Option<(&str, &str, &str)> {
    [("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]"), ("$", "$")]
        .iter()
        .filter_map(|(open, close)| {
            text.match_indices(open)
                .find_map(|(start, _)| formula_at(text, start, open, close))
                .map(|parts| (parts.0.len(), parts))
        })
        .min_by_key(|(start, _)| *start)
        .map(|(_, parts)| parts)
}

/// The formula that opens here, if one does. One dollar sign is money unless it holds tight to what is inside and no digit
/// follows the second.
fn formula_at<'t>(
    text: &'t str,
    start: usize,
    open: &str,
    close: &str,
) -> Option<(&'t str, &'t str, &'t str)> {
    let inner = &text[start + open.len()..];
    let formula = &inner[..inner.find(close)?];
    let after = &inner[formula.len() + close.len()..];
    let tight = !formula.is_empty()
        && !formula.contains('\n')
        && !formula.starts_with(char::is_whitespace)
        && !formula.ends_with(char::is_whitespace)
        && !after.starts_with(|c: char| c.is_ascii_digit());
    (open != "$" || tight).then_some((&text[..start], formula, after))
}

struct Reader<'c> {
    chars: &'c [char],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn run(&mut self) -> String {
        let mut out = String::new();
        while let Some(c) = self.next() {
            match c {
                '\\' => self.command(&mut out),
                '{' => {
                    self.at -= 1;
                    out.push_str(&self.argument());
                }
                '}' | '&' => {}
                '~' => out.push(' '),
                '^' => out.push_str(&raised(&self.argument())),
                '_' => out.push_str(&lowered(&self.argument())),
                c => out.push(c),
            }
        }
        out
    }

    fn next(&mut self) -> Option<char> {
        let c = self.chars.get(self.at).copied()?;
        self.at += 1;
        Some(c)
    }

    fn command(&mut self, out: &mut String) {
        let begin = self.at;
        while self
            .chars
            .get(self.at)
            .is_some_and(char::is_ascii_alphabetic)
        {
            self.at += 1;
        }
        let name: String = self.chars[begin..self.at].iter().collect();
        match name.as_str() {
            "" => match self.next() {
                Some(',' | ' ' | ';' | ':') => out.push(' '),
                Some('!') | None => {}
                Some('\\') => out.push_str("; "),
                Some(c) => out.push(c),
            },
            "frac" | "dfrac" | "tfrac" => {
                let above = grouped(&self.argument());
                let below = grouped(&self.argument());
                out.push_str(&above);
                out.push('/');
                out.push_str(&below);
            }
            "sqrt" => {
                let root = self.index();
                out.push_str(&root);
                out.push('√');
                out.push_str(&grouped(&self.argument()));
            }
            "begin" | "end" => {
                self.argument();
            }
            name if PLAIN.contains(&name) => out.push_str(&self.argument()),
            name => match SIGNS.iter().find(|(command, _)| *command == name) {
                Some((_, sign)) => out.push_str(sign),
                None => {
                    out.push('\\');
                    out.push_str(name);
                }
            },
        }
    }

    /// What stands in the next braces, or the next sign alone.
    fn argument(&mut self) -> String {
        while self.chars.get(self.at) == Some(&' ') {
            self.at += 1;
        }
        match self.next() {
            Some('{') => {
                let begin = self.at;
                let end = self.closing('{', '}');
                self.at = (end + 1).min(self.chars.len());
                let inner = &self.chars[begin..end];
                if self.depth >= DEPTH {
                    return inner.iter().collect();
                }
                Reader {
                    chars: inner,
                    at: 0,
                    depth: self.depth + 1,
                }
                .run()
            }
            Some('\\') => {
                let mut out = String::new();
                if self.depth >= DEPTH {
                    return "\\".to_owned();
                }
                self.depth += 1;
                self.command(&mut out);
                self.depth -= 1;
                out
            }
            Some(c) => c.to_string(),
            None => String::new(),
        }
    }

    /// The root's index in brackets, raised; empty for a square root.
    fn index(&mut self) -> String {
        if self.chars.get(self.at) != Some(&'[') {
            return String::new();
        }
        self.at += 1;
        let begin = self.at;
        let end = self.closing('[', ']');
        self.at = (end + 1).min(self.chars.len());
        raised(&self.chars[begin..end].iter().collect::<String>())
    }

    /// Where the bracket that is open at `at` closes; the end if it never does.
    fn closing(&self, open: char, close: char) -> usize {
        let mut depth = 0usize;
        for (place, c) in self.chars.iter().enumerate().skip(self.at) {
            if *c == open {
                depth += 1;
            } else if *c == close {
                if depth == 0 {
                    return place;
                }
                depth -= 1;
            }
        }
        self.chars.len()
    }
}

/// In parentheses if it is more than one number or name.
fn grouped(text: &str) -> String {
    let text = text.trim();
    let digits = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    if digits || text.chars().count() <= 1 {
        text.to_owned()
    } else {
        format!("({text})")
    }
}

/// An exponent.
fn raised(text: &str) -> String {
    scripted(text, "0123456789+-=()n°", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ°", '^')
}

/// An index.
fn lowered(text: &str) -> String {
    scripted(text, "0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", '_')
}

fn scripted(text: &str, from: &str, to: &str, mark: char) -> String {
    let text = text.trim();
    if text.is_empty() {
        return mark.to_string();
    }
    let signs: Option<String> = text
        .chars()
        .map(|c| {
            let place = from.chars().position(|known| known == c)?;
            to.chars().nth(place)
        })
        .collect();
    signs.unwrap_or_else(|| format!("{mark}{}", grouped(text)))
}
