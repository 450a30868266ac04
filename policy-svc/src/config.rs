//! The service's settings.

use std::path::PathBuf;

use clap::{ArgAction, ValueEnum, builder::RangedU64ValueParser};
use turnwise_course_pack::LibrarySettings;
use turnwise_kit::settings::flag;
use turnwise_lesson_policy as chat;

/// Where the courses are, what answers of the homework helper may be, and whether students are asked for their work.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct Settings {
    /// Where the courses are.
    #[command(flatten)]
    pub courses: LibrarySettings,

    /// The homework helper.
    #[command(flatten)]
    pub helper: HelperSettings,

    /// 1 or 0: whether students may be asked for work that an answer needs, as a course's context.yaml says. With 0
    /// nothing is asked for, and no message waits
    #[arg(long, env = "CONTEXT_HANDOFF_ENABLED", default_value = "1", value_parser = flag, action = ArgAction::Set)]
    pub context_handoff_enabled: bool,
}

impl Settings {
    /// The courses of a folder, looked at so often (0: never), and the rest as it is by default.
    #[must_use]
    pub fn new(courses_dir: PathBuf, courses_reload_seconds: u32) -> Self {
        Self {
            courses: LibrarySettings::new(courses_dir, courses_reload_seconds),
            helper: HelperSettings::default(),
            context_handoff_enabled: true,
        }
    }
}

/// What holds for chats of the homework helper where the class's teacher decided nothing else.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct HelperSettings {
    /// How much an answer of the homework helper may give away: `light` allows direct answers that explain themselves and
    /// ask back; with `strict` the solution is never stated before the student did. A class's policy comes first.
    #[arg(long, env = "HELPER_STRICTNESS", value_enum, default_value = "light")]
    pub helper_strictness: Strictness,

    /// What becomes of messages that have nothing to do with the lesson: `soft` lets the model lead back, `strict`
    /// redirects them without a model. A class's policy comes first.
    #[arg(long, env = "HELPER_SCOPE_MODE", value_enum, default_value = "soft")]
    pub helper_scope_mode: Mode,

    /// What becomes of messages about none of the allowed topics: `soft` lets the model lead back, `strict` redirects them
    /// without a model. A class's policy comes first.
    #[arg(
        long,
        env = "HELPER_TOPIC_FILTER_MODE",
        value_enum,
        default_value = "soft"
    )]
    pub helper_topic_filter_mode: Mode,

    /// Languages that are typed, separated by commas (at most 100, each of at most 40 characters). In a lesson with blocks,
    /// messages that ask for one are redirected. Empty: none.
    #[arg(
        long,
        env = "HELPER_TEXT_LANGUAGE_KEYWORDS",
        default_value = TEXT_LANGUAGES,
        value_parser = keywords
    )]
    pub helper_text_language_keywords: Keywords,

    /// How many messages an answer suggests to send next, at most (0 to 10).
    #[arg(
        long,
        env = "HELPER_FOLLOW_UP_SUGGESTIONS_MAX",
        default_value = "3",
        value_parser = RangedU64ValueParser::<usize>::new().range(0..=10)
    )]
    pub helper_follow_up_suggestions_max: usize,
}

const TEXT_LANGUAGES: &str =
    "pascal,python,java,javascript,typescript,c++,c#,csharp,ruby,php,go,golang,rust,swift,kotlin";

impl Default for HelperSettings {
    fn default() -> Self {
        Self {
            helper_strictness: Strictness::Light,
            helper_scope_mode: Mode::Soft,
            helper_topic_filter_mode: Mode::Soft,
            helper_text_language_keywords: split(TEXT_LANGUAGES),
            helper_follow_up_suggestions_max: 3,
        }
    }
}

impl HelperSettings {
    pub(crate) fn defaults(&self) -> chat::Defaults {
        chat::Defaults {
            strictness: match self.helper_strictness {
                Strictness::Light => chat::Strictness::Light,
                Strictness::Strict => chat::Strictness::Strict,
            },
            scope_mode: match self.helper_scope_mode {
                Mode::Soft => chat::ScopeMode::Soft,
                Mode::Strict => chat::ScopeMode::Strict,
            },
            topic_filter: match self.helper_topic_filter_mode {
                Mode::Soft => chat::TopicFilter::Soft,
                Mode::Strict => chat::TopicFilter::Strict,
            },
            text_languages: self.helper_text_language_keywords.0.clone(),
            suggestions_max: self.helper_follow_up_suggestions_max,
        }
    }
}

/// How much of a solution an answer may give away.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Direct answers that explain themselves.
    Light,
    /// No solution before the student has it.
    Strict,
}

/// How messages outside are led back.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// By the model.
    Soft,
    /// Without a model.
    Strict,
}

/// Names of languages, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keywords(pub Vec<String>);

fn split(text: &str) -> Keywords {
    let words = text.split(',').map(|word| word.trim().to_lowercase());
    Keywords(words.filter(|word| !word.is_empty()).collect())
}

fn keywords(text: &str) -> Result<Keywords, String> {
    let keywords = split(text);
    if keywords.0.len() > 100 {
        return Err("name at most 100 languages".to_owned());
    }
    match keywords.0.iter().find(|word| word.chars().count() > 40) {
        Some(word) => Err(format!(
            "`{word}` has more than 40 characters; separate the names of languages by commas"
        )),
        None => Ok(keywords),
    }
}
