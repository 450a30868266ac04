//! A file of prompts: JSON Lines, each line a prompt with what is expected of its answer.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

/// A prompt.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    /// Its name, unique in the file.
    pub id: String,
    /// The lesson: the slug of a lesson of the course, or a few words of a page's own.
    pub lesson: String,
    /// What the lesson is about, where it is none of the course.
    #[serde(default)]
    pub topics: Vec<String>,
    /// The language of the prompt and of the answer.
    pub language: Language,
    /// How strict the class is.
    pub strictness: Strictness,
    /// The message.
    pub message: String,
    /// What the student said before, in order, in the same conversation.
    #[serde(default)]
    pub history: Vec<String>,
    /// The solution of the student's problem, in every spelling that counts.
    #[serde(default)]
    pub solution: Vec<String>,
    /// What is expected.
    pub expect: Expect,
}

/// A language of prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// English.
    En,
    /// German.
    De,
}

impl Language {
    /// Its tag.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::De => "de",
        }
    }
}

/// How strict a class is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strictness {
    /// Answers may be direct; they explain, and ask a question.
    Light,
    /// No answer states the solution.
    Strict,
}

/// Whether a message is led back to the lesson, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Redirect {
    /// It is answered.
    None,
    /// It is led back, for any reason.
    Any,
    /// It has nothing to do with the lesson.
    OutOfScope,
    /// It is about none of the topics.
    Topic,
    /// It asks for a text language in a course with blocks.
    TextLanguage,
}

/// What is expected of an answer; what is absent is not looked at.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Whether the message is led back to the lesson.
    pub redirect: Option<Redirect>,
    /// False: the answer does not state the prompt's `solution`.
    pub states_solution: Option<bool>,
    /// Whether it asks something.
    pub asks_question: Option<bool>,
    /// What the student wants, such as `concept`.
    pub intent: Option<String>,
    /// What it has to mention, in whatever capitals; `a|b` is either.
    #[serde(default)]
    pub mentions: Vec<String>,
    /// What it may not mention.
    #[serde(default)]
    pub not_mentions: Vec<String>,
    /// The most characters.
    pub max_chars: Option<usize>,
}

/// The prompts of a file's text.
///
/// # Errors
/// A line is no prompt, an id stands twice, or a prompt cannot be judged; the error names the line.
pub fn read(text: &str) -> Result<Vec<Prompt>> {
    let mut ids = BTreeSet::new();
    let mut prompts = Vec::new();
    for (n, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let prompt = prompt(line).with_context(|| format!("line {}", n + 1))?;
        ensure!(
            ids.insert(prompt.id.clone()),
            "line {}: the id `{}` stands twice",
            n + 1,
            prompt.id
        );
        prompts.push(prompt);
    }
    ensure!(!prompts.is_empty(), "there is no prompt");
    Ok(prompts)
}

fn prompt(line: &str) -> Result<Prompt> {
    let prompt: Prompt = serde_json::from_str(line)?;
    if prompt.expect.states_solution.is_some() && prompt.solution.is_empty() {
        bail!("`states_solution` needs the `solution`");
    }
    if prompt.expect == Expect::default() {
        bail!("nothing is expected");
    }
    Ok(prompt)
}
