//! How signs and Greek letters are typed on a keyboard.

/// How a sign is typed: in ASCII, as a sign or as words. `None` for characters that stay as they are.
pub(super) fn spelling(sign: char) -> Option<&'static str> {
    Some(match sign {
        '\u{2010}'..='\u{2013}' | '\u{2212}' | '➖' => "-",
        '\u{2014}' | '\u{2015}' => " ",
        '×' | '·' | '⋅' | '∙' | '∗' | '⨯' | '✕' | '✖' => "*",
        '÷' | '∕' | super::scripts::FRACTION_SLASH | '➗' => "/",
        '➕' => "+",
        '±' => "+-",
        '∓' => "-+",
        '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}' | '\u{2BC}' | '\u{2032}' => "'",
        '\u{201C}'..='\u{201F}' | '\u{2033}' | '«' | '»' | '‹' | '›' => "\"",
        '≤' | '≦' | '⩽' => "<=",
        '≥' | '≧' | '⩾' => ">=",
        '≠' => "!=",
        '≈' => "~=",
        '∼' => "~",
        '≟' => "=?",
        '∶' => ":",
        '∣' => "|",
        '∞' => "infinity",
        '∠' => "angle",
        '△' => "triangle",
        '⊥' => "perpendicular to",
        '∥' => "parallel to",
        '≅' => "congruent to",
        '∝' => "proportional to",
        '∑' => "sum",
        '∫' => "integral",
        '∪' => "union",
        '∩' => "intersection",
        '∅' => "empty set",
        '∆' => "Delta",
        _ => return None,
    })
}

/// Greek letters of formulas, small and capital, with their English names. Eta and omicron are not among them: each is
/// also a Greek word.
const GREEK: [(char, char, &str, &str); 22] = [
    ('α', 'Α', "alpha", "Alpha"),
    ('β', 'Β', "beta", "Beta"),
    ('γ', 'Γ', "gamma", "Gamma"),
    ('δ', 'Δ', "delta", "Delta"),
    ('ε', 'Ε', "epsilon", "Epsilon"),
    ('ζ', 'Ζ', "zeta", "Zeta"),
    ('θ', 'Θ', "theta", "Theta"),
    ('ι', 'Ι', "iota", "Iota"),
    ('κ', 'Κ', "kappa", "Kappa"),
    ('λ', 'Λ', "lambda", "Lambda"),
    ('μ', 'Μ', "mu", "Mu"),
    ('ν', 'Ν', "nu", "Nu"),
    ('ξ', 'Ξ', "xi", "Xi"),
    ('π', 'Π', "pi", "Pi"),
    ('ρ', 'Ρ', "rho", "Rho"),
    ('σ', 'Σ', "sigma", "Sigma"),
    ('τ', 'Τ', "tau", "Tau"),
    ('υ', 'Υ', "upsilon", "Upsilon"),
    ('φ', 'Φ', "phi", "Phi"),
    ('χ', 'Χ', "chi", "Chi"),
    ('ψ', 'Ψ', "psi", "Psi"),
    ('ω', 'Ω', "omega", "Omega"),
];

/// The English name of a Greek letter that stands alone.
pub(super) fn greek_name(letter: char) -> Option<&'static str> {
    GREEK
        .iter()
        .find_map(|(small, capital, name, capital_name)| {
            if letter == *small {
                Some(*name)
            } else if letter == *capital {
                Some(*capital_name)
            } else {
                None
            }
        })
}

/// The name that a LaTeX command for a Greek letter is typed as.
pub(super) fn greek_command(command: &str) -> Option<&'static str> {
    let plain = command.strip_prefix("var").unwrap_or(command);
    GREEK
        .iter()
        .flat_map(|(_, _, name, capital_name)| [*name, *capital_name])
        .chain(["eta", "Eta"])
        .find(|name| *name == plain)
}

/// Whether a word in lower case is the name of a Greek letter, and so a quantity in a formula.
pub(crate) fn is_greek_name(word: &str) -> bool {
    word == "eta" || GREEK.iter().any(|(_, _, name, _)| *name == word)
}

/// Whether a character belongs to a word in Greek letters.
pub(super) fn is_greek(character: char) -> bool {
    matches!(character, '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}')
}
