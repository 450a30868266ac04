//! Letters among the words: which are variables.

use super::{Edge, Scanner, cues, is_operator, relation};

/// Names of functions that stand before their argument.
const FUNCTIONS: &[&str] = &["sqrt", "cbrt", "abs"];

/// Signs of a formula that is to be worked out.
pub(super) const WORKING: [char; 7] = ['^', '²', '³', '(', '+', '·', '*'];

/// Words of a language have so many letters or more.
const WORD: usize = 4;

/// Whether a text has a word in it that is no product of variables: then it is no formula as a whole.
pub(super) fn has_long_word(text: &str) -> bool {
    let is_command = |at: usize| text.get(..at).is_some_and(|before| before.ends_with('\\'));
    let mut start = None;
    for (at, character) in text.char_indices() {
        match (character.is_alphabetic(), start) {
            (true, None) => start = Some((at, 1)),
            (true, Some((first, count))) if count + 1 >= WORD && !is_command(first) => {
                return true;
            }
            (true, Some((first, count))) => start = Some((first, count + 1)),
            (false, _) => start = None,
        }
    }
    false
}

/// The first word of a text.
pub(super) fn first_word(text: &str) -> Option<&str> {
    let start = text.find(char::is_alphabetic)?;
    let word = text.get(start..)?;
    word.get(..length(word))
}

/// How long the word is that a text begins with: letters, and an apostrophe between two.
fn length(text: &str) -> usize {
    let mut end = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let joins = matches!(character, '\'' | '’')
            && characters
                .peek()
                .is_some_and(|(_, next)| next.is_alphabetic());
        if !(character.is_alphabetic() || joins) {
            break;
        }
        end = at + character.len_utf8();
    }
    end
}

impl Scanner<'_> {
    pub(super) fn word(&mut self) {
        let rest = self.rest();
        let mut relations = cues::RELATIONS.iter();
        if !self.formula.is_empty()
            && let Some((phrase, sign)) = relations.find(|(phrase, _)| rest.starts_with(phrase))
        {
            return self.relate(*sign, phrase.len());
        }
        if let Some(verb) = self.equation(rest) {
            return self.relate('=', verb.len());
        }
        let length = length(rest);
        let word = self.piece(length);
        let after = rest.get(length..).unwrap_or_default();
        let next = after.trim_start_matches([' ', '$']).chars().next();
        if word.chars().count() == 1 {
            if self.is_times(word, after, next) {
                return self.push("*", length);
            }
            let is_article = !(self.inside || self.whole)
                && matches!(word, "a" | "A" | "I")
                && after.starts_with(' ')
                && (self.formula.is_empty() || self.gap)
                && next.is_some_and(|c| {
                    !is_operator(c) && relation(c).is_none() && !matches!(c, ')' | ',' | '.')
                });
            if is_article {
                return self.saw(Edge::Word(word), length);
            }
            return self.push(word, length);
        }
        let touches = !self.gap
            && self
                .last()
                .is_some_and(|last| last.is_alphanumeric() || matches!(last, ')' | '}'));
        let is_short = word.len() < WORD && word.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_product = touches || (self.inside || self.whole) && !cues::is_joining(word);
        if is_short && is_product || word == "pi" || FUNCTIONS.contains(&word) && next == Some('(')
        {
            return self.push(word, length);
        }
        // `sin(30)` is no 30.
        let edge = if after.starts_with(|c: char| c == '(' || c.is_ascii_digit()) {
            Edge::Unknown
        } else {
            Edge::Word(word)
        };
        self.saw(edge, length);
    }

    /// The words with which a text begins that say of the formula before them what it is, where it is to be worked out and has a
    /// variable.
    pub(super) fn equation(&self, text: &str) -> Option<&'static str> {
        let verb = cues::EQUATING.iter().find(|verb| text.starts_with(*verb))?;
        let mut in_command = false;
        let mut is_variable = |character: char| {
            in_command = character == '\\' || in_command && character.is_alphabetic();
            character.is_alphabetic() && !in_command
        };
        let is_term = self.relations == 0
            && self.depth == 0
            && self.formula.contains(WORKING)
            && self.formula.contains(&mut is_variable);
        is_term.then_some(*verb)
    }

    /// `3 x 4`, `3x4`
    fn is_times(&self, word: &str, after: &str, next: Option<char>) -> bool {
        matches!(word, "x" | "X")
            && self
                .last()
                .is_some_and(|last| last.is_ascii_digit() || last == ')')
            && next.is_some_and(|next| next.is_ascii_digit())
            && self.gap == after.starts_with(' ')
            && !after.starts_with('$')
    }
}
