//! Characters that stand for others: signs in many forms, raised digits, fractions.

/// One sign for the many that mean the same.
pub(super) fn plain(character: char) -> char {
    match character {
        '−' | '–' | '—' | '‐' | '‑' | '‒' | '﹣' => '-',
        '×' | '⋅' | '·' | '∙' | '∗' | '•' | '✕' | '✖' => '*',
        '÷' | '∕' | '⁄' => '/',
        '≦' | '⩽' => '≤',
        '≧' | '⩾' => '≥',
        '∣' | '｜' => '|',
        // Full-width forms lie at a fixed distance from ASCII.
        '\u{ff01}'..='\u{ff5e}' => {
            char::from_u32(u32::from(character).wrapping_sub(0xfee0)).unwrap_or(character)
        }
        '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{200a}' | '\u{202f}' | '\u{3000}' => ' ',
        other => other,
    }
}

/// The digit that is raised.
pub(super) fn superscript(character: char) -> Option<char> {
    let at = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|own| own == character)?;
    "0123456789".chars().nth(at)
}

/// Numerator and denominator of a fraction that is one character.
pub(super) fn vulgar_fraction(character: char) -> Option<(u8, u8)> {
    Some(match character {
        '½' => (1, 2),
        '⅓' => (1, 3),
        '⅔' => (2, 3),
        '¼' => (1, 4),
        '¾' => (3, 4),
        '⅕' => (1, 5),
        '⅖' => (2, 5),
        '⅗' => (3, 5),
        '⅘' => (4, 5),
        '⅙' => (1, 6),
        '⅚' => (5, 6),
        '⅛' => (1, 8),
        '⅜' => (3, 8),
        '⅝' => (5, 8),
        '⅞' => (7, 8),
        _ => return None,
    })
}

/// The digit that is lowered.
pub(super) fn subscript(character: char) -> Option<char> {
    let at = "₀₁₂₃₄₅₆₇₈₉".chars().position(|own| own == character)?;
    "0123456789".chars().nth(at)
}
