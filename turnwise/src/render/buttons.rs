//! Buttons: what they say, and what is typed to press them.

use turnwise_proto::tutor::v1::{Button, ButtonCall, ExamCard};

use super::ink::{Ink, line};
use turnwise_proto::exam::v1::QuestionState;

/// What a button stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A card.
    Card,
    /// The tutor's message.
    Message,
    /// The result of a drill, an exam question or a look at help.
    Result,
}

/// A button that can be pressed: its number is its place in the list, from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The button.
    pub button: Button,
    /// What it stands on.
    pub place: Place,
}

impl Choice {
    /// The buttons of one place.
    pub fn all(buttons: &[Button], place: Place) -> impl Iterator<Item = Self> {
        buttons.iter().map(move |button| Self {
            button: button.clone(),
            place,
        })
    }

    /// What it says, in the course's language: with its unit where it stands below a message, by its title where the button
    /// tells it, or with the answer that it fills in.
    fn words(&self) -> String {
        let words = match line(&self.button.label) {
            said if said.is_empty() => label(&self.button.label_key, self.place),
            said => said,
        };
        if let Some(typed) = &self.button.typed_answer {
            return format!("{words}: {}", super::input(typed));
        }
        let title = line(&self.button.unit_title);
        match &self.button.event {
            Some(_) if !title.is_empty() => format!("{words}: {title}"),
            Some(event) if self.place == Place::Message && !event.unit_id.is_empty() => {
                format!("{words} ({})", line(&event.unit_id))
            }
            _ => words,
        }
    }
}

/// What a button says that says nothing itself; the key of one that this client does not know.
pub fn label(key: &str, place: Place) -> String {
    match (key, place) {
        ("ask_hint", Place::Card) => "I'm stuck",
        ("ask_hint", _) => "Give me a hint",
        ("try_drill", _) => "Try a drill",
        ("take_exam", _) => "Take the exam question",
        ("check_prerequisite", _) => "Check this first",
        ("next_unit", _) => "Go on with the next unit",
        ("choose_unit", _) => "It is about",
        ("ask_follow_up", _) => "Ask a follow-up",
        ("check_answer", _) => "Check answer",
        ("check_typed", _) => "Check this as my answer",
        ("submit_answer", _) => "Submit",
        ("view_memo", _) => "View memo",
        ("view_video", _) => "Watch video",
        ("continue", _) => "Continue",
        ("try_another", _) => "Try another",
        ("skip_questions", _) => "No more questions, answer now",
        ("correct_answer", _) => "Correct my last answer",
        ("cancel_questions", _) => "Answer without all this",
        (key, _) => return line(key),
    }
    .to_owned()
}

/// Whether a question takes no answer now: its options and its button for submitting are shown and do nothing.
pub fn is_closed(exam: &ExamCard) -> bool {
    exam.state() != QuestionState::Available
}

/// The choices of a place on one line, with what is typed for each. `enter` says that the primary one is pressed by Enter.
pub fn row(choices: &[Choice], place: Place, closed: bool, ink: Ink, enter: bool) -> String {
    let words: Vec<String> = numbered(choices, place)
        .map(|(number, choice)| {
            let words = choice.words();
            if closed && choice.button.call() == ButtonCall::SubmitExam {
                return format!("[—] {words} (closed)");
            }
            let text = format!("[{}] {words}", key(number));
            if choice.button.primary {
                let text = if enter { format!("{text} ⏎") } else { text };
                ink.strong(&text)
            } else {
                text
            }
        })
        .collect();
    words.join("   ")
}

/// The choices below a message, a line each.
pub fn column(choices: &[Choice], ink: Ink) -> String {
    numbered(choices, Place::Message)
        .map(|(number, choice)| {
            let text = format!("[{}] {}", key(number), choice.words());
            let text = if choice.button.primary {
                ink.strong(&text)
            } else {
                text
            };
            format!("        {text}\n")
        })
        .collect()
}

/// What is typed to press a button.
pub fn key(number: usize) -> String {
    format!("/{number}")
}

fn numbered(choices: &[Choice], place: Place) -> impl Iterator<Item = (usize, &Choice)> {
    choices
        .iter()
        .enumerate()
        .filter(move |(_, choice)| choice.place == place)
        .map(|(at, choice)| (at + 1, choice))
}
