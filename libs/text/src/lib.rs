//! Text to terms: one way for everything that is indexed and everything that is asked.
//!
//! [`normalise`] makes one spelling of the many that people and documents use; [`Analyser`] cuts that into terms: stemmed
//! words, numbers, variables, and the shapes of formulas.

mod languages;
mod lexer;
mod normalise;

use std::collections::BTreeMap;

pub use self::normalise::{normalise, normalise_signs};
use self::{languages::Language, lexer::Symbol};

/// Names the rules of this crate. It goes into every index id: raise it with any change that can change a term.
pub const NORMALISER: &str = "lexical-4";

/// What a term is made from. A query weighs its terms by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TermKind {
    /// A word, stemmed where the course's language has a stemmer.
    Word,
    /// A number.
    Number,
    /// A single letter that stands for a quantity.
    Variable,
    /// Two or three neighbouring symbols of a formula, or the whole of it, with numbers and variables reduced to
    /// placeholders: `3x + 7` and `5y + 2` have the same shapes, and so an exercise finds its like.
    Shape,
}

/// One term of a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term {
    /// What it is made from.
    pub kind: TermKind,
    /// Its spelling; terms of different kinds never share one.
    pub text: String,
}

/// Marks a shape, so that the shape `nv` is not the word `nv`. Words hold letters and marks only.
const SHAPE_MARK: char = '§';

/// Formulas are cut into shapes of two and of three symbols. Four were tried on the development queries and bought
/// nothing.
const SHAPE_LENGTHS: [usize; 2] = [2, 3];

/// A formula of fewer symbols says nothing by itself: `x = 4`, `3/4`.
const TELLING_FORMULA: usize = 4;

/// A telling formula of up to so many symbols is a shape as a whole, too, with plus and minus alike: `2x + 5 = 11` is a
/// two-step equation, whatever its parts have in common with others.
const LONGEST_WHOLE: usize = 24;

/// The terms of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Analysis {
    /// The terms in the text's order, repeated as often as they occur.
    pub terms: Vec<Term>,
    /// For each term, whether it may say what the text is about: words, and the shapes of formulas of some length.
    /// Numbers, variables and scraps of formulas may not.
    pub telling: Vec<bool>,
}

/// Cuts texts of one language into terms. It holds no state: copies are free, and threads share it.
#[derive(Clone, Copy)]
pub struct Analyser {
    language: Option<&'static Language>,
}

impl Analyser {
    /// The analyser for a BCP 47 language tag. English, German, French, Spanish, Italian, Portuguese and Dutch are
    /// stemmed and lose their function words; other languages keep their words as they are.
    pub fn new(locale: &str) -> Self {
        Self {
            language: Language::of_locale(locale),
        }
    }

    /// Whether words are stemmed: if not, `equation` and `equations` are two terms.
    pub fn is_stemmed(&self) -> bool {
        self.language.is_some()
    }

    /// The terms of `text`.
    pub fn analyse(&self, text: &str) -> Analysis {
        let normalised = normalise(text);
        let symbols = lexer::symbols(&normalised, self.language);
        let mut analysis = Analysis::default();
        let mut formula = String::new();
        for symbol in &symbols {
            match symbol {
                Symbol::Word(word) => {
                    analysis.close(&mut formula);
                    self.word(word, &mut analysis);
                }
                Symbol::Product(word) => {
                    formula.extend(word.chars().map(|_| 'v'));
                    self.word(word, &mut analysis);
                }
                Symbol::Number(number) => {
                    formula.push(if number.contains('.') { 'd' } else { 'n' });
                    analysis.push(TermKind::Number, number.clone(), false);
                }
                Symbol::Variable(letter) => {
                    formula.push('v');
                    analysis.push(TermKind::Variable, (*letter).to_owned(), false);
                }
                Symbol::Root(name) => {
                    formula.push(if *name == "sqrt" { 'r' } else { 'q' });
                    analysis.push(TermKind::Word, (*name).to_owned(), true);
                }
                Symbol::Constant(name) => {
                    formula.push('v');
                    self.word(name, &mut analysis);
                }
                Symbol::Operator(operator) => formula.push(*operator),
                Symbol::Break => analysis.close(&mut formula),
            }
        }
        analysis.close(&mut formula);
        analysis
    }

    fn word(&self, word: &str, analysis: &mut Analysis) {
        match self.language {
            Some(language) => {
                for stem in language.stems(word) {
                    analysis.push(TermKind::Word, stem, true);
                }
            }
            None => {
                for part in word.split('\'').filter(|part| !part.is_empty()) {
                    analysis.push(TermKind::Word, part.to_owned(), true);
                }
            }
        }
    }
}

/// The spellings of an analysis' terms, each once, ascending, with how often it occurs.
pub fn count_terms(analysis: &Analysis) -> Vec<(Box<str>, u32)> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for term in &analysis.terms {
        let count = counts.entry(&term.text).or_default();
        *count = count.saturating_add(1);
    }
    counts
        .into_iter()
        .map(|(text, count)| (text.into(), count))
        .collect()
}

impl Analysis {
    fn push(&mut self, kind: TermKind, text: String, telling: bool) {
        self.terms.push(Term { kind, text });
        self.telling.push(telling);
    }

    /// Ends a formula and adds its shapes.
    fn close(&mut self, formula: &mut String) {
        // One character a symbol, so windows of characters are windows of symbols.
        let symbols: Vec<char> = formula.drain(..).collect();
        let telling = symbols.len() >= TELLING_FORMULA;
        for length in SHAPE_LENGTHS {
            for window in symbols.windows(length) {
                let shape = std::iter::once(&SHAPE_MARK).chain(window).collect();
                self.push(TermKind::Shape, shape, telling);
            }
        }
        if (TELLING_FORMULA..=LONGEST_WHOLE).contains(&symbols.len()) {
            let whole = symbols
                .iter()
                .map(|symbol| if *symbol == '-' { '+' } else { *symbol });
            let shape = std::iter::once(SHAPE_MARK).chain(whole).collect();
            self.push(TermKind::Shape, shape, telling);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn terms(locale: &str, text: &str) -> String {
        Analyser::new(locale)
            .analyse(text)
            .terms
            .into_iter()
            .filter(|term| term.kind != TermKind::Shape)
            .map(|term| term.text)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn shapes(text: &str) -> String {
        Analyser::new("en")
            .analyse(text)
            .terms
            .into_iter()
            .filter(|term| term.kind == TermKind::Shape)
            .map(|term| term.text.replace(SHAPE_MARK, ""))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn words_are_stemmed_and_lose_function_words() {
        assert_eq!(terms("en", "How do I solve the Equations?"), "solv equat");
        assert_eq!(
            terms("en-GB", "the student’s fractions"),
            "student fraction"
        );
    }

    #[test]
    fn other_languages_keep_their_words() {
        assert_eq!(
            terms("sv-SE", "Lös de här Ekvationerna"),
            "lös de här ekvationerna"
        );
        assert_eq!(terms("ca", "l’equació"), "l equació");
    }

    #[test]
    fn numbers_have_one_spelling() {
        assert_eq!(terms("en", "1,200 and 1200"), "1200 1200");
        assert_eq!(terms("en", "0.5 and .5"), "0.5 0.5");
        assert_eq!(terms("en", "ends with 7."), "end 7");
        assert_eq!(terms("en", "1,2,3"), "1 2 3");
    }

    #[test]
    fn letters_in_formulas_are_variables_and_articles_are_not() {
        assert_eq!(terms("en", "a slope is a number"), "slope number");
        assert_eq!(terms("en", "a = 4"), "4");
        assert_eq!(terms("en", "a=4"), "a 4");
        assert_eq!(terms("en", "2x"), "2 x");
    }

    #[test]
    fn shapes_ignore_which_numbers_and_letters() {
        assert_eq!(shapes("3x + 7"), shapes("5y+2"));
        assert_eq!(shapes("3x+7"), "nv v+ +n nv+ v+n nv+n");
        assert_eq!(shapes("solve"), "");
    }

    #[test]
    fn one_formula_has_one_shape_however_it_is_written() {
        for same in ["(3)/(4)", "\\frac{3}{4}", "$\\dfrac{3}{4}$", "3÷4", "¾"] {
            assert_eq!(shapes(same), shapes("3/4"), "{same}");
        }
        for same in ["x²−4", "x^{2} - 4", "x^2–4", "x^(2)-4"] {
            assert_eq!(shapes(same), shapes("x^2-4"), "{same}");
        }
        for same in ["\\sqrt{9}", "√9", "√(9)"] {
            assert_eq!(shapes(same), shapes("sqrt(9)"), "{same}");
        }
        assert_eq!(shapes("x ≤ 3"), shapes("x <= 3"));
        assert_eq!(shapes("2 \\times 3"), shapes("2 × 3"));
    }

    #[test]
    fn only_words_and_longer_formulas_tell_anything() {
        let telling = |text: &str| Analyser::new("en").analyse(text).telling.contains(&true);
        for little in [
            "ok", "yes", "idk", "4 m", "90", "x=4", "3/4", "-3", "5?", "", "🙂",
        ] {
            assert!(!telling(little), "{little}");
        }
        for much in ["slope", "2x+3=7", "-8 + 5"] {
            assert!(telling(much), "{much}");
        }
    }

    #[test]
    fn odd_text_is_cut_without_harm() {
        for odd in [
            "\\",
            "\\frac{",
            "\\frac{1}",
            "}}}{{{",
            "\\frac{\\frac{1}{2}}{3}",
            "((((",
            "\u{0}\u{7}\u{202e}",
            "ﷺ½²³",
            "'''",
            "....",
        ] {
            let analysis = Analyser::new("en").analyse(odd);
            assert_eq!(analysis.terms.len(), analysis.telling.len());
        }
    }
}
