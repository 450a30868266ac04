//! One spelling for what people, keyboards and documents write in many ways.
//!
//! In three steps: what Unicode's compatibility form would garble is written out (`scripts`), signs and LaTeX are typed as
//! on a keyboard (`typist`), and parentheses that only a machine needs are dropped (`parentheses`).

mod commands;
mod parentheses;
mod scripts;
mod signs;
mod typist;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

pub(crate) use self::signs::is_greek_name;

/// The text as a person would type it on a plain keyboard, case kept: this is what is embedded and shown to models.
///
/// Compatibility form (NFKC); minus signs, ×, ÷, ·, quotes, powers, roots and Greek letters of formulas in ASCII; LaTeX
/// resolved: `\frac{3}{4}` and `¾` are `3/4`, `x^{2}` and `x²` are `x^2`. Other letters and signs stay as they are.
/// Applied twice it does what it does once.
pub fn normalise_signs(text: &str) -> String {
    let characters: Vec<char> = compatible(scripts::write_out(text)).chars().collect();
    compatible(parentheses::tidy(&typist::type_out(&characters)))
}

/// The text as it is indexed: as [`normalise_signs`] spells it, in lower case.
pub fn normalise(text: &str) -> String {
    let mut spelled = normalise_signs(text);
    if spelled.is_ascii() {
        spelled.make_ascii_lowercase();
        return spelled;
    }
    compatible(spelled.chars().flat_map(char::to_lowercase).collect())
}

/// The text in compatibility form. It is needed again after each step: in lower case, for one, a letter and a mark may
/// have a common form that they did not have before (`J` with a caron has none, `ǰ` is one).
fn compatible(text: String) -> String {
    if text.is_ascii() {
        return text;
    }
    match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => text,
        IsNormalized::No | IsNormalized::Maybe => text.nfkc().collect(),
    }
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
