//! How sheets are named, and which one a locale gets.

use std::fmt;

/// What a prompt is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    Turn,
    Grade,
    Chat,
    Translate,
    Help,
}

/// Which message of the prompt a sheet makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    System,
    User,
    /// The second message of the system role; of turns only.
    Policy,
    /// The last message of the user role; of turns only.
    Input,
}

/// What a sheet makes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A message of a prompt.
    Message(Mode, Part),
    /// How an answer is to be written, by the name of the style.
    Style(String),
}

/// A sheet's name: `MODE.ROLE[.LOCALE].md`, or `styles/STYLE[.LOCALE].md`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SheetName {
    pub(crate) kind: Kind,
    /// In lower case; empty: for every locale that has no sheet of its own.
    pub(crate) locale: String,
}

/// The folder of styles.
pub(crate) const STYLES: &str = "styles";
/// The longest name of a style.
const STYLE_MAX_CHARS: usize = 64;

impl Mode {
    pub(crate) const ALL: [Self; 5] = [
        Self::Turn,
        Self::Grade,
        Self::Chat,
        Self::Translate,
        Self::Help,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Grade => "grade",
            Self::Chat => "chat",
            Self::Translate => "translate",
            Self::Help => "help",
        }
    }
}

impl Part {
    pub(crate) const ALL: [Self; 4] = [Self::System, Self::User, Self::Policy, Self::Input];

    fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Policy => "policy",
            Self::Input => "input",
        }
    }

    /// Whether prompts of this kind have such a message.
    pub(crate) fn is_of(self, mode: Mode) -> bool {
        mode == Mode::Turn || matches!(self, Self::System | Self::User)
    }
}

impl SheetName {
    /// Reads a file's name, or says what is wrong with it. `of_style`: it is in the folder of styles.
    pub(crate) fn parse(file: &str, of_style: bool) -> Result<Self, String> {
        let form = if of_style {
            "STYLE.md or STYLE.LOCALE.md"
        } else {
            "MODE.ROLE.md or MODE.ROLE.LOCALE.md"
        };
        let Some(stem) = file.strip_suffix(".md") else {
            return Err(format!("a sheet is named {form}; rename or remove it"));
        };
        let (kind, locale) = if of_style {
            let (name, locale) = parted(stem);
            (style(name)?, locale)
        } else {
            let (mode, rest) = parted(stem);
            let (part, locale) = parted(rest.unwrap_or_default());
            (message(mode, part)?, locale)
        };
        let locale = match locale {
            None => String::new(),
            Some(tag) if is_language_tag(tag) => tag.to_ascii_lowercase(),
            Some(tag) => {
                return Err(format!(
                    "`{tag}` is not a language tag; write one such as `en` or `de-CH`"
                ));
            }
        };
        Ok(Self { kind, locale })
    }

    /// The names to look for, in this order: `de-CH`, `de`, none.
    pub(crate) fn candidates(kind: Kind, locale: &str) -> impl Iterator<Item = Self> + use<> {
        let mut tag = Some(locale.to_ascii_lowercase());
        std::iter::from_fn(move || {
            let locale = tag.take()?;
            if !locale.is_empty() {
                let shorter = locale.rfind('-').map_or("", |end| &locale[..end]);
                tag = Some(shorter.to_owned());
            }
            let kind = kind.clone();
            Some(Self { kind, locale })
        })
    }
}

fn parted(text: &str) -> (&str, Option<&str>) {
    match text.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (text, None),
    }
}

fn message(mode: &str, part: &str) -> Result<Kind, String> {
    let known = Mode::ALL.into_iter().find(|m| m.name() == mode);
    let mode = known.ok_or_else(|| {
        format!("`{mode}` is no mode; there are `turn`, `grade`, `chat`, `translate` and `help`")
    })?;
    let known = Part::ALL
        .into_iter()
        .find(|p| p.name() == part && p.is_of(mode));
    let part = known.ok_or_else(|| match mode {
        Mode::Turn => {
            format!("`{part}` is no role; there are `system`, `user`, `policy` and `input`")
        }
        _ => format!("`{part}` is no role; there are `system` and `user`"),
    })?;
    Ok(Kind::Message(mode, part))
}

fn style(name: &str) -> Result<Kind, String> {
    let is_fit = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    if !(1..=STYLE_MAX_CHARS).contains(&name.len()) || !name.bytes().all(is_fit) {
        return Err(format!(
            "`{name}` is no name of a style; use lower-case letters, digits and hyphens"
        ));
    }
    Ok(Kind::Style(name.to_owned()))
}

impl fmt::Display for SheetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Message(mode, part) => write!(f, "{}.{}", mode.name(), part.name())?,
            Kind::Style(name) => write!(f, "{STYLES}/{name}")?,
        }
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
