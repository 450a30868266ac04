//! Raised and lowered characters and ready-made fractions, before compatibility form flattens them: it would turn `x²`
//! into `x2` and `2½` into `21/2`.

use unicode_normalization::char::decompose_compatible;

/// What Unicode puts between the halves of `½` when it takes it apart.
pub(super) const FRACTION_SLASH: char = '\u{2044}';

const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ";
const RAISED_BASES: &str = "0123456789+-=()abcdefghijklmnoprstuvwxyz";
const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢᵣᵤᵥⱼ";
const LOWERED_BASES: &str = "0123456789+-=()aeoxhklmnpstiruvj";

/// The text with powers as `^(…)`, indices as `_(…)`, fractions as `(1)/(2)` and roots of a degree as `√[3]`; without
/// characters that are not seen.
pub(super) fn write_out(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        if character.is_ascii() {
            out.push(character);
        } else if let Some(first) = base(RAISED, RAISED_BASES, character) {
            let mut run = String::from(first);
            while let Some(next) = rest.peek().and_then(|c| base(RAISED, RAISED_BASES, *c)) {
                run.push(next);
                rest.next();
            }
            if rest.next_if_eq(&'√').is_some() {
                out.extend(["√[", &run, "]"]);
            } else if is_script(&run) {
                out.extend(["^(", &run, ")"]);
            } else {
                out.push_str(&run);
            }
        } else if let Some(first) = base(LOWERED, LOWERED_BASES, character) {
            let follows = out.ends_with(|c: char| c.is_alphanumeric() || c == ')');
            let mut run = String::from(first);
            while let Some(next) = rest.peek().and_then(|c| base(LOWERED, LOWERED_BASES, *c)) {
                run.push(next);
                rest.next();
            }
            if follows && is_script(&run) {
                out.extend(["_(", &run, ")"]);
            } else {
                out.push_str(&run);
            }
        } else if let Some((numerator, denominator)) = vulgar_fraction(character) {
            if out.ends_with('^') {
                out.extend(["((", &numerator, ")/(", &denominator, "))"]);
            } else {
                out.extend(["(", &numerator, ")/(", &denominator, ")"]);
            }
        } else {
            match character {
                '∛' => out.push_str("√[3]"),
                '∜' => out.push_str("√[4]"),
                // Its compatibility form is a space and a mark; people type it for an apostrophe.
                '\u{B4}' => out.push('\''),
                '\u{200B}' => out.push(' '),
                // Soft hyphens, joiners, marks of direction, invisible operators, variation selectors.
                '\u{AD}'
                | '\u{200E}'
                | '\u{200F}'
                | '\u{202A}'..='\u{202E}'
                | '\u{2060}'..='\u{2064}'
                | '\u{2066}'..='\u{206F}'
                | '\u{FE00}'..='\u{FE0F}'
                | '\u{FEFF}' => {}
                other => out.push(other),
            }
        }
    }
    out
}

/// The plain character of a raised or lowered one.
fn base(scripts: &str, bases: &str, character: char) -> Option<char> {
    let at = scripts.chars().position(|script| script == character)?;
    bases.chars().nth(at)
}

/// Whether a run is a power or an index. Neighbouring letters are an abbreviation (`1ˢᵗ`, `Mᵐᵉ`), and a sign alone is none.
fn is_script(run: &str) -> bool {
    run.contains(|c: char| c.is_ascii_alphanumeric())
        && !run
            .as_bytes()
            .windows(2)
            .any(|pair| pair.iter().all(u8::is_ascii_alphabetic))
}

fn vulgar_fraction(character: char) -> Option<(String, String)> {
    if character == FRACTION_SLASH {
        return None;
    }
    let mut parts = String::new();
    decompose_compatible(character, |part| parts.push(part));
    let (numerator, denominator) = parts.split_once(FRACTION_SLASH)?;
    (!denominator.is_empty()).then(|| (numerator.to_owned(), denominator.to_owned()))
}
