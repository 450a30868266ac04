//! The decision: what an answer to a message may be.

use crate::{
    intent::{Intent, intent},
    judge::{Judge, Standing},
    lesson::{Course, Lesson},
    lexicon, text_language, texts,
    words::words,
};

/// How much of a solution an answer may give away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Hints may come close.
    Light,
    /// The solution is never stated before the student did.
    Strict,
}

/// What happens to messages outside the lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeMode {
    /// The model leads back.
    Soft,
    /// They are redirected without a model.
    Strict,
}

/// What happens to messages outside the topics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicFilter {
    /// The model stays with the topics.
    Soft,
    /// They are redirected without a model.
    Strict,
}

/// Why a message is led back to the lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redirect {
    /// It has nothing to do with the lesson.
    OutOfScope,
    /// It is about none of the topics.
    Topic,
    /// It asks for a text language in a course with blocks.
    TextLanguage,
}

/// What the settings say, where no class policy says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defaults {
    /// HELPER_STRICTNESS.
    pub strictness: Strictness,
    /// HELPER_SCOPE_MODE.
    pub scope_mode: ScopeMode,
    /// HELPER_TOPIC_FILTER_MODE.
    pub topic_filter: TopicFilter,
    /// HELPER_TEXT_LANGUAGE_KEYWORDS.
    pub text_languages: Vec<String>,
    /// HELPER_FOLLOW_UP_SUGGESTIONS_MAX.
    pub suggestions_max: usize,
}

/// What a scope token says of a lesson.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// The lesson's slug, or a few words.
    pub context: String,
    /// What the lesson is about.
    pub topics: Vec<String>,
    /// What else a chat may be about.
    pub allowed_topics: Vec<String>,
    /// The key of the lesson's reference text; may be empty.
    pub reference: String,
    /// The language of answers, a BCP 47 tag; may be empty.
    pub language: String,
}

/// What was said before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    /// Of turns that are not held any more.
    pub summary: String,
    /// Whether the student spoke, and what was said; oldest first.
    pub turns: Vec<(bool, String)>,
}

/// A message, and what is known for certain.
#[derive(Debug, Clone, Default)]
pub struct Input<'a> {
    /// The course; none is known without a token.
    pub course: Option<&'a Course>,
    /// The signed scope; none without a token.
    pub scope: Option<Scope>,
    /// What the class's teacher decided.
    pub strictness: Option<Strictness>,
    /// What the class's teacher decided.
    pub scope_mode: Option<ScopeMode>,
    /// What the class's teacher decided.
    pub topic_filter: Option<TopicFilter>,
    /// What the student said.
    pub message: String,
    /// What was said before.
    pub memory: Memory,
}

/// What an answer may be.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision<'a> {
    /// The language of the answer, a BCP 47 tag.
    pub locale: String,
    /// What holds.
    pub strictness: Strictness,
    /// What holds.
    pub scope_mode: ScopeMode,
    /// What holds.
    pub topic_filter: TopicFilter,
    /// What the student wants.
    pub intent: Intent,
    /// Why no model is to be asked, and the whole answer then.
    pub redirect: Option<(Redirect, String)>,
    /// Whether the message is about none of the topics.
    pub off_topic: bool,
    /// Messages to send next.
    pub suggestions: Vec<String>,
    /// What a light answer ends with where the model asked nothing; empty in strict mode.
    pub check_question: String,
    /// The lesson that the scope names.
    pub lesson: Option<&'a Lesson>,
    /// What the chat may be about.
    pub topics: Vec<String>,
    /// Whether the lesson asks for programs.
    pub writes_programs: bool,
}

/// Decides. The same input gives the same decision; any text is allowed.
pub fn decide<'a>(input: &Input<'a>, defaults: &Defaults) -> Decision<'a> {
    let strictness = input.strictness.unwrap_or(defaults.strictness);
    let intent = intent(&input.message);
    let course_locale = input.course.map(|course| course.locale.as_str());
    let most = defaults.suggestions_max;
    let Some(scope) = &input.scope else {
        let locale = course_locale.unwrap_or("en");
        return Decision {
            locale: locale.to_owned(),
            strictness,
            scope_mode: ScopeMode::Soft,
            topic_filter: TopicFilter::Soft,
            intent,
            redirect: None,
            off_topic: false,
            suggestions: texts::suggestions(locale, intent, &[], None, false, most),
            check_question: check_question(strictness, None, locale, intent),
            lesson: None,
            topics: Vec::new(),
            writes_programs: false,
        };
    };
    let locale = if is_language_tag(&scope.language) {
        scope.language.as_str()
    } else {
        course_locale
            .filter(|locale| is_language_tag(locale))
            .unwrap_or("en")
    };
    let scope_mode = input.scope_mode.unwrap_or(defaults.scope_mode);
    let topic_filter = input.topic_filter.unwrap_or(defaults.topic_filter);
    let lesson = input.course.and_then(|course| named(course, scope));
    let courses = course_locale.filter(|locale| is_language_tag(locale));
    // The author's words are for readers of the author's language.
    let authors = courses.is_none_or(|course| language(course) == language(locale));
    let judge = Judge::new(scope, lesson, locale, courses.unwrap_or(locale));
    let is_suggestion = judge.suggested(&input.message).is_some();
    let (standing, at_hand) = judge.judge(&input.message, &input.memory);
    let topics = judge.topics;
    let title = lesson.map(|lesson| lesson.title.as_str());
    let about: Vec<&str> = topics
        .iter()
        .map(String::as_str)
        .chain([scope.context.as_str()])
        .chain(title)
        .collect();
    let text_language = !is_suggestion
        && text_language::has_blocks(about.iter().copied())
        && text_language::asks_for(&input.message, &defaults.text_languages, &about);
    let reason = if text_language {
        Some(Redirect::TextLanguage)
    } else if standing == Standing::Elsewhere && scope_mode == ScopeMode::Strict {
        Some(Redirect::OutOfScope)
    } else if standing != Standing::Topic && topic_filter == TopicFilter::Strict {
        Some(Redirect::Topic)
    } else {
        None
    };
    let redirect = reason.map(|reason| {
        let written = lesson.filter(|_| authors).map(|l| l.redirect.clone());
        let text = written.filter(|text| !text.is_empty()).unwrap_or_else(|| {
            texts::redirect(locale, reason, &topics, title.unwrap_or(&scope.context))
        });
        (reason, text)
    });
    let named: &[String] = if authors { &topics } else { &[] };
    let suggestions = texts::suggestions(locale, intent, named, at_hand, redirect.is_some(), most);
    Decision {
        locale: locale.to_owned(),
        strictness,
        scope_mode,
        topic_filter,
        intent,
        redirect,
        off_topic: standing != Standing::Topic,
        suggestions,
        check_question: check_question(strictness, lesson.filter(|_| authors), locale, intent),
        lesson,
        writes_programs: writes_programs(&about),
        topics,
    }
}

fn check_question(
    strictness: Strictness,
    lesson: Option<&Lesson>,
    locale: &str,
    intent: Intent,
) -> String {
    if strictness == Strictness::Strict {
        return String::new();
    }
    let authors = lesson.map(|lesson| lesson.check_question.clone());
    authors
        .filter(|question| !question.is_empty())
        .unwrap_or_else(|| texts::check_question(locale, intent))
}

/// The lesson that the scope names: by slug, else by title, else by the key of its reference.
fn named<'a>(course: &'a Course, scope: &Scope) -> Option<&'a Lesson> {
    let context = scope.context.trim();
    let title = context.to_lowercase();
    let find = |is: &dyn Fn(&Lesson) -> bool| course.lessons.iter().find(|lesson| is(lesson));
    find(&|lesson| lesson.slug == context)
        .or_else(|| find(&|lesson| lesson.title.to_lowercase() == title))
        .or_else(|| {
            find(&|lesson| !lesson.reference.is_empty() && lesson.reference == scope.reference)
        })
}

fn writes_programs(about: &[&str]) -> bool {
    text_language::has_blocks(about.iter().copied())
        || about.iter().any(|text| {
            let words = words(text);
            words.iter().any(lexicon::is_of_programs)
        })
}

/// The language of a tag, without its region.
fn language(tag: &str) -> String {
    tag.split('-').next().unwrap_or_default().to_lowercase()
}

/// Whether this has the form of a BCP 47 tag: `de`, `de-CH`, `zh-Hant-TW`.
fn is_language_tag(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let language = parts.next().unwrap_or_default();
    let letters = |part: &str| part.bytes().all(|b| b.is_ascii_alphabetic());
    (2..=3).contains(&language.len())
        && letters(language)
        && tag.len() <= 35
        && parts.all(|part| {
            (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
        })
}
