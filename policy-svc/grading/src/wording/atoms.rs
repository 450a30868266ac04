//! The pieces of an answer: words, numbers, commands of LaTeX and single signs.

/// A piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Atom {
    kind: Kind,
    /// As it stands in the answer.
    text: String,
    /// Whether white space stood before it.
    spaced: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// A word, in lower case.
    Word(String),
    Number,
    Command,
    Sign(char),
}

impl Atom {
    /// A word in lower case.
    pub(super) fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// A number's digits.
    pub(super) fn number(&self) -> Option<&str> {
        (self.kind == Kind::Number).then_some(self.text.as_str())
    }

    /// A word of one letter.
    pub(super) fn letter(&self) -> Option<char> {
        let mut letters = self.word()?.chars();
        letters.next().filter(|_| letters.next().is_none())
    }

    /// The piece as it stands in the answer.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    pub(super) fn is(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }

    pub(super) fn is_spaced(&self) -> bool {
        self.spaced
    }

    pub(super) fn sign(sign: char) -> Self {
        Self {
            kind: Kind::Sign(sign),
            text: sign.to_string(),
            spaced: false,
        }
    }

    pub(super) fn of_number(number: usize) -> Self {
        Self {
            kind: Kind::Number,
            text: number.to_string(),
            spaced: true,
        }
    }

    /// The same word, spelled so.
    pub(super) fn spelled(&self, text: String) -> Self {
        Self {
            text,
            ..self.clone()
        }
    }

    /// The atoms of a sign's own text: ` or `, `^2`.
    pub(super) fn signs(text: &str) -> Vec<Self> {
        atoms(text, text.len()).unwrap_or_default()
    }
}

/// The pieces as text.
pub(super) fn text(atoms: &[Atom]) -> String {
    let mut text = String::new();
    for atom in atoms {
        if atom.spaced && !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&atom.text);
    }
    text
}

/// Cuts a text; nothing where there are more than `most` pieces.
pub(super) fn atoms(text: &str, most: usize) -> Option<Vec<Atom>> {
    // Thousands and decimals of LaTeX: `3{,}000`, `3\,000`.
    let text = text.replace("{,}", ",").replace("\\,", " ");
    let characters: Vec<char> = with_plain_indices(&without_text_commands(&text))
        .chars()
        .map(plain)
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    let mut spaced = false;
    while let Some(&character) = characters.get(at) {
        if character != '\n' && character.is_whitespace() {
            spaced = true;
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        let peek = |at: usize| characters.get(at).copied();
        let kind = if character == '\\' {
            while peek(at).is_some_and(|next| next.is_ascii_alphabetic()) {
                at += 1;
            }
            // `\\`, `\{`, `\,`
            if at == start + 1 {
                at += usize::from(peek(at).is_some());
            }
            Kind::Command
        } else if character.is_alphabetic() {
            while peek(at).is_some_and(|next| {
                next.is_alphabetic()
                    || next == '\'' && peek(at + 1).is_some_and(char::is_alphabetic)
            }) {
                at += 1;
            }
            Kind::Word(String::new())
        } else if character.is_ascii_digit() {
            while peek(at).is_some_and(|next| {
                next.is_ascii_digit()
                    || matches!(next, '.' | ',' | '\'')
                        && peek(at + 1).is_some_and(|digit| digit.is_ascii_digit())
            }) {
                at += 1;
            }
            Kind::Number
        } else if character == '.' && peek(at) == Some('.') {
            while peek(at) == Some('.') {
                at += 1;
            }
            Kind::Sign('…')
        } else if matches!((character, peek(at)), ('=' | '-', Some('>'))) {
            at += 1;
            Kind::Sign('⇒')
        } else if character == '<' && (peek(at), peek(at + 1)) == (Some('='), Some('>')) {
            at += 2;
            Kind::Sign('⇒')
        } else {
            Kind::Sign(character)
        };
        let text: String = characters
            .get(start..at)
            .unwrap_or_default()
            .iter()
            .collect();
        let text = if kind == Kind::Sign('…') {
            "…".to_owned()
        } else {
            text
        };
        // `15,- €`
        if kind == Kind::Number
            && matches!(peek(at), Some(',' | '.'))
            && matches!(peek(at + 1), Some('-' | '–' | '—'))
            && !peek(at + 2).is_some_and(char::is_alphanumeric)
        {
            at += 2;
        }
        let kind = match (kind, text.as_str()) {
            (Kind::Word(_), _) => Kind::Word(text.to_lowercase()),
            (
                Kind::Command,
                "\\Rightarrow" | "\\rightarrow" | "\\to" | "\\implies" | "\\Leftrightarrow"
                | "\\iff" | "\\therefore" | "\\Longrightarrow" | "\\leftrightarrow",
            ) => Kind::Sign('⇒'),
            (kind, _) => kind,
        };
        if found.len() >= most {
            return None;
        }
        found.push(Atom {
            kind,
            text,
            spaced: std::mem::take(&mut spaced),
        });
    }
    Some(found)
}

/// One sign for those that mean the same between words.
fn plain(character: char) -> char {
    match character {
        '’' | '‘' | '´' | '`' => '\'',
        '“' | '”' | '„' => '"',
        '→' | '⟹' | '⟶' | '⇔' | '⟺' | '↔' | '➔' | '➜' | '∴' => '⇒',
        '＝' => '=',
        '？' => '?',
        '！' => '!',
        '（' => '(',
        '）' => ')',
        other => other,
    }
}

/// The text with `x₁` as `x_1`.
fn with_plain_indices(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut before = ' ';
    for character in text.chars() {
        let index = "₀₁₂₃₄₅₆₇₈₉".chars().position(|own| own == character);
        match index.filter(|_| before.is_alphabetic()) {
            Some(index) => written.push_str(&format!("_{index}")),
            None => written.push(character),
        }
        before = character;
    }
    written
}

/// The text with the contents of `\text{…}` in its place.
fn without_text_commands(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\text") {
        let content = after
            .trim_start_matches(char::is_alphabetic)
            .strip_prefix('{')
            .and_then(|after| after.split_once('}'));
        plain.push_str(before);
        match content {
            Some((content, after)) => {
                plain.push_str(&format!(" {content} "));
                rest = after;
            }
            None => {
                plain.push_str("\\text");
                rest = after;
            }
        }
    }
    plain + rest
}
