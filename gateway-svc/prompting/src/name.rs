//! How sheets are named, and which one a locale gets.

use std::fmt;

/// What a prompt is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    Turn,
    Grade,
    Chat,
    Translate,
}

/// Whose message of the prompt a sheet makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    System,
    User,
}

/// A sheet's name: `MODE.ROLE[.LOCALE].md`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SheetName {
    pub(crate) mode: Mode,
    pub(crate) part: Part,
    /// In lower case; empty: for every locale that has no sheet of its own.
    pub(crate) locale: String,
}

impl Mode {
    pub(crate) const ALL: [Self; 4] = [Self::Turn, Self::Grade, Self::Chat, Self::Translate];

    fn name(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Grade => "grade",
            Self::Chat => "chat",
            Self::Translate => "translate",
        }
    }
}

impl Part {
    pub(crate) const ALL: [Self; 2] = [Self::System, Self::User];

    fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
        }
    }
}

impl SheetName {
    /// Reads a file's name, or says what is wrong with it.
    pub(crate) fn parse(file: &str) -> Result<Self, String> {
        let Some(stem) = file.strip_suffix(".md") else {
            return Err(
                "a sheet is named MODE.ROLE.md or MODE.ROLE.LOCALE.md; rename or remove it"
                    .to_owned(),
            );
        };
        let mut words = stem.splitn(3, '.');
        let mode = words.next().unwrap_or_default();
        let part = words.next().unwrap_or_default();
        let locale = words.next();
        let mode = Mode::ALL
            .into_iter()
            .find(|m| m.name() == mode)
            .ok_or_else(|| {
                format!("`{mode}` is no mode; there are `turn`, `grade`, `chat` and `translate`")
            })?;
        let part = Part::ALL
            .into_iter()
            .find(|p| p.name() == part)
            .ok_or_else(|| format!("`{part}` is no role; there are `system` and `user`"))?;
        let locale = match locale {
            None => String::new(),
            Some(tag) if is_language_tag(tag) => tag.to_ascii_lowercase(),
            Some(tag) => {
                return Err(format!(
                    "`{tag}` is not a language tag; write one such as `en` or `de-CH`"
                ));
            }
        };
        Ok(Self { mode, part, locale })
    }

    /// The names to look for, in this order: `de-CH`, `de`, none.
    pub(crate) fn candidates(
        mode: Mode,
        part: Part,
        locale: &str,
    ) -> impl Iterator<Item = Self> + use<> {
        let mut tag = Some(locale.to_ascii_lowercase());
        std::iter::from_fn(move || {
            let locale = tag.take()?;
            if !locale.is_empty() {
                let shorter = locale.rfind('-').map_or("", |end| &locale[..end]);
                tag = Some(shorter.to_owned());
            }
            Some(Self { mode, part, locale })
        })
    }
}

impl fmt::Display for SheetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.mode.name(), self.part.name())?;
        if !self.locale.is_empty() {
            write!(f, ".{}", self.locale)?;
        }
        write!(f, ".md")
    }
}

/// Whether a text has the form of a language tag: subtags of 1 to 8 ASCII letters or digits with hyphens between, the
/// first of letters, at most 35 characters (RFC 5646, 2.1 and 4.4.1).
pub(crate) fn is_language_tag(text: &str) -> bool {
    let subtag = |s: &str| matches!(s.len(), 1..=8) && s.bytes().all(|b| b.is_ascii_alphanumeric());
    text.len() <= 35
        && text.split('-').all(subtag)
        && text
            .split('-')
            .next()
            .is_some_and(|s| s.len() > 1 && s.bytes().all(|b| b.is_ascii_alphabetic()))
}
