//! What the LaTeX commands of school mathematics mean.

use super::signs::greek_command;

/// What a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    /// A sign, typed as its character is.
    Sign(char),
    /// The name of a function or a Greek letter, or a sign that is ASCII already.
    Text(&'static str),
    /// White space.
    Space,
    /// Nothing to be seen: a setting of type, or a size. What it is applied to stays.
    Dress,
    /// Nothing to be seen, and its first argument neither: a colour, a label, a width.
    Hide,
    /// `\left` and its like: a point after them stands for no delimiter.
    Delimiter,
    /// A numerator and a denominator.
    Fraction,
    /// Two numbers, the second to be chosen of the first.
    Binomial,
    /// A root, with its degree in brackets.
    Root,
    /// The begin of an environment.
    Begin,
    /// The end of an environment.
    End,
}

/// The command of that name, without its backslash; `None` for those that no formula needs.
pub(super) fn named(name: &str) -> Option<Command> {
    use Command::{
        Begin, Binomial, Delimiter, Dress, End, Fraction, Hide, Root, Sign, Space, Text,
    };
    Some(match name {
        "frac" | "dfrac" | "tfrac" | "cfrac" => Fraction,
        "binom" | "dbinom" | "tbinom" => Binomial,
        "sqrt" => Root,
        "begin" => Begin,
        "end" => End,
        "left" | "right" | "big" | "Big" | "bigg" | "Bigg" | "bigl" | "bigr" | "Bigl" | "Bigr"
        | "middle" => Delimiter,
        "times" | "cdot" | "ast" | "bullet" => Sign('×'),
        "div" => Sign('÷'),
        "over" => Text("/"),
        "pm" => Sign('±'),
        "mp" => Sign('∓'),
        "le" | "leq" | "leqslant" => Sign('≤'),
        "ge" | "geq" | "geqslant" => Sign('≥'),
        "lt" => Text("<"),
        "gt" => Text(">"),
        "ne" | "neq" => Sign('≠'),
        "approx" | "thickapprox" => Sign('≈'),
        "sim" => Sign('∼'),
        "cong" => Sign('≅'),
        "equiv" => Sign('≡'),
        "propto" => Sign('∝'),
        "circ" => Sign('∘'),
        "degree" => Sign('°'),
        "percent" => Text("%"),
        "prime" => Text("'"),
        "infty" => Sign('∞'),
        "angle" => Sign('∠'),
        "triangle" => Sign('△'),
        "perp" => Sign('⊥'),
        "parallel" => Sign('∥'),
        "sum" => Sign('∑'),
        "int" => Sign('∫'),
        "cup" => Sign('∪'),
        "cap" => Sign('∩'),
        "emptyset" | "varnothing" => Sign('∅'),
        "in" => Sign('∈'),
        "notin" => Sign('∉'),
        "subset" => Sign('⊂'),
        "subseteq" => Sign('⊆'),
        "to" | "rightarrow" | "longrightarrow" | "mapsto" => Sign('→'),
        "implies" | "Rightarrow" => Sign('⇒'),
        "iff" | "Leftrightarrow" => Sign('⇔'),
        "therefore" => Sign('∴'),
        "dots" | "ldots" | "cdots" | "dotsc" => Text("..."),
        "mid" | "vert" | "lvert" | "rvert" => Text("|"),
        "lbrace" => Text("("),
        "rbrace" => Text(")"),
        "lbrack" => Text("["),
        "rbrack" => Text("]"),
        "sin" => Text("sin"),
        "cos" => Text("cos"),
        "tan" => Text("tan"),
        "cot" => Text("cot"),
        "sec" => Text("sec"),
        "csc" => Text("csc"),
        "arcsin" => Text("arcsin"),
        "arccos" => Text("arccos"),
        "arctan" => Text("arctan"),
        "log" => Text("log"),
        "ln" => Text("ln"),
        "lg" => Text("lg"),
        "exp" => Text("exp"),
        "lim" => Text("lim"),
        "max" => Text("max"),
        "min" => Text("min"),
        "gcd" => Text("gcd"),
        "det" => Text("det"),
        "mod" | "bmod" | "pmod" => Text("mod"),
        "quad" | "qquad" | "newline" | "item" | "hfill" | "par" => Space,
        "color" | "textcolor" | "href" | "hspace" | "vspace" | "phantom" | "label" | "ref"
        | "hphantom" | "vphantom" | "colorbox" => Hide,
        "text" | "textbf" | "textit" | "textrm" | "mbox" | "emph" | "mathrm" | "mathbf"
        | "mathit" | "mathsf" | "mathbb" | "mathcal" | "operatorname" | "overline"
        | "underline" | "bar" | "hat" | "vec" | "tilde" | "dot" | "widehat" | "overrightarrow"
        | "overleftrightarrow" | "boxed" | "cancel" | "bcancel" | "underbrace" | "overbrace"
        | "displaystyle" | "textstyle" | "limits" => Dress,
        name => Text(greek_command(name)?),
    })
}

/// Whether an environment lays its cells out in rows and columns.
pub(super) fn is_matrix(environment: &str) -> bool {
    environment.ends_with("matrix") || matches!(environment, "array" | "tabular")
}
