//! One spelling for what people, keyboards and documents write in many ways.

use unicode_normalization::{UnicodeNormalization, char::decompose_compatible};

use super::latex;

/// What Unicode puts between the halves of `½` when it takes it apart.
const FRACTION_SLASH: char = '\u{2044}';

/// The text in compatibility form (NFKC) and lower case, with the signs of arithmetic, quotes and powers in ASCII and
/// LaTeX commands resolved.
pub fn normalise(text: &str) -> String {
    let compatible: String = spell_out_powers_and_fractions(text).nfkc().collect();
    let mut plain = String::with_capacity(compatible.len());
    for character in compatible.chars() {
        match character {
            '\u{2212}' | '\u{2010}'..='\u{2013}' | '\u{FE63}' => plain.push('-'),
            '\u{D7}' | '\u{22C5}' | '\u{B7}' | '\u{2219}' | '\u{2217}' => plain.push('*'),
            '\u{F7}' | '\u{2215}' | FRACTION_SLASH => plain.push('/'),
            '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{2032}' => plain.push('\''),
            '\u{201C}' | '\u{201D}' | '\u{201F}' | '\u{2033}' => plain.push('"'),
            '\u{2264}' => plain.push_str("<="),
            '\u{2265}' => plain.push_str(">="),
            '\u{221A}' => plain.push_str(" sqrt "),
            '\u{2014}' => plain.push(' '),
            other => plain.extend(other.to_lowercase()),
        }
    }
    latex::resolve(&plain)
}

/// Compatibility form would turn `x²` into `x2` and `2½` into `21/2`: says `x^2` and `2 1/2` instead.
fn spell_out_powers_and_fractions(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    let mut in_power = false;
    for character in text.chars() {
        let power = power(character);
        match power {
            Some(digit) => {
                if !in_power {
                    spelled.push('^');
                }
                spelled.push(digit);
            }
            None if is_vulgar_fraction(character) => {
                spelled.push(' ');
                spelled.push(character);
            }
            None => spelled.push(character),
        }
        in_power = power.is_some();
    }
    spelled
}

fn power(character: char) -> Option<char> {
    Some(match character {
        '⁰' => '0',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁴' => '4',
        '⁵' => '5',
        '⁶' => '6',
        '⁷' => '7',
        '⁸' => '8',
        '⁹' => '9',
        'ⁿ' => 'n',
        'ˣ' => 'x',
        '⁻' => '-',
        _ => return None,
    })
}

fn is_vulgar_fraction(character: char) -> bool {
    let mut has_slash = false;
    if !character.is_ascii() {
        decompose_compatible(character, |part| has_slash |= part == FRACTION_SLASH);
    }
    has_slash && character != FRACTION_SLASH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_get_one_spelling() {
        assert_eq!(normalise("6 − 2 × 3 ÷ 1"), "6 - 2 * 3 / 1");
        assert_eq!(normalise("“It’s” ＡＢＣ"), "\"it's\" abc");
        assert_eq!(normalise("x² + 2½ + m¹²"), "x^2 + 2 1/2 + m^12");
    }
}
