//! What a typed line means. It depends on nothing but the line and on whom the prompt says that it goes to.

use turnwise_proto::tutor::v1::StudentInput;

/// Whom a plain line goes to, as the prompt says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Facing {
    /// The tutor. The number of a button that is offered presses it; every other line is a message.
    Tutor {
        /// How many buttons are offered.
        buttons: usize,
    },
    /// The tutor, after a result: nothing is asked, so that a bare number can only mean a button.
    Result,
    /// The open card: the line is an answer.
    Card,
    /// A question of this program: yes or no.
    Confirm,
}

/// What a line means.
#[derive(Debug, Clone, PartialEq)]
pub enum Typed {
    /// Nothing was typed.
    Enter,
    /// A message to the tutor.
    Say(StudentInput),
    /// A message to the tutor that may be answered later.
    Later(StudentInput),
    /// An answer to the open card.
    Answer(StudentInput),
    /// An answer that is handed in at once, with the word that was typed for it: `check …` or `submit …`.
    HandIn(StudentInput, String),
    /// A button, by its number from 1.
    Press(usize),
    /// Yes to a question of this program.
    Yes,
    /// Anything else to one.
    No,
    /// A file for what a message waits for, by the number of the slot from 1.
    Attach(usize, String),
    /// What was asked of this program.
    Command(Command),
    /// A command that there is not.
    Unknown(String),
}

/// What can be asked of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// How to use it.
    Help,
    /// Where the student stands.
    Standing,
    /// The last messages, at most so many.
    History(usize),
    /// The open card, as it is now.
    Card,
    /// The pieces of what is kept that fit the message that waits.
    Pieces,
    /// The message that waits is to be answered without what is missing.
    Without,
    /// The message that waits needs no answer.
    Withdraw,
    /// The last call once more.
    Again,
    /// Why the last turn went as it did.
    Why,
    /// The policy of the last turn as JSON.
    WhyJson,
    /// End the conversation.
    Quit,
}

/// Messages that `/history` shows where no number is given.
const HISTORY: usize = 20;

/// Reads a line.
pub fn understand(line: &str, facing: Facing) -> Typed {
    let line = line.trim();
    if let Some(command) = line.strip_prefix('/') {
        return asked(command);
    }
    if facing == Facing::Confirm {
        let yes = matches!(line.to_ascii_lowercase().as_str(), "y" | "yes");
        return if yes { Typed::Yes } else { Typed::No };
    }
    if line.is_empty() {
        return Typed::Enter;
    }
    if let Ok(number) = line.parse() {
        match facing {
            Facing::Result => return Typed::Press(number),
            Facing::Tutor { buttons } if (1..=buttons).contains(&number) => {
                return Typed::Press(number);
            }
            _ => {}
        }
    }
    // No answer to an exercise ends in a question mark.
    if line.ends_with('?') {
        return Typed::Say(input(line));
    }
    for word in ["check", "submit"] {
        if let Some(answer) = after_word(line, word) {
            return Typed::HandIn(input(answer), word.to_owned());
        }
    }
    match facing {
        Facing::Card => Typed::Answer(input(line)),
        _ => Typed::Say(input(line)),
    }
}

fn asked(command: &str) -> Typed {
    let (name, rest) = command
        .split_once(char::is_whitespace)
        .map_or((command, ""), |(name, rest)| (name, rest.trim()));
    if let Ok(number) = name.parse() {
        return Typed::Press(number);
    }
    if name == "attach"
        && let Some((number, file)) = rest.split_once(char::is_whitespace)
        && let Ok(number) = number.parse()
    {
        return Typed::Attach(number, file.trim().to_owned());
    }
    Typed::Command(match (name, rest) {
        ("pieces", "") => Command::Pieces,
        ("without", "") => Command::Without,
        ("withdraw", "") => Command::Withdraw,
        ("say" | "later", "") => return Typed::Enter,
        ("later", text) => return Typed::Later(input(text)),
        ("say", text) => return Typed::Say(input(text)),
        ("help" | "h" | "?", "") => Command::Help,
        ("standing", "") => Command::Standing,
        ("history", "") => Command::History(HISTORY),
        ("history", rest) => match rest.parse() {
            Ok(number) => Command::History(number),
            Err(_) => return Typed::Unknown(format!("/{command}")),
        },
        ("card", "") => Command::Card,
        ("again", "") => Command::Again,
        ("why", "") => Command::Why,
        ("why", "json") => Command::WhyJson,
        ("quit" | "q" | "exit", "") => Command::Quit,
        _ => return Typed::Unknown(format!("/{command}")),
    })
}

/// What follows a word at the beginning of a line; the word alone is followed by nothing.
fn after_word<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    let head = line.get(..word.len())?;
    let rest = &line[word.len()..];
    let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (head.eq_ignore_ascii_case(word) && ends).then(|| rest.trim())
}

/// Text, or LaTeX where the line begins with `$ ` or stands between two dollar signs.
pub fn input(line: &str) -> StudentInput {
    let inside = |line: &str| {
        line.strip_prefix('$')
            .and_then(|rest| rest.strip_suffix('$'))
            .filter(|inner| !inner.trim().is_empty() && !inner.contains('$'))
            .map(|inner| inner.trim().to_owned())
    };
    let latex = line
        .strip_prefix("$ ")
        .map(|rest| rest.trim().trim_end_matches('$').trim().to_owned())
        .or_else(|| inside(line));
    match latex {
        Some(latex) => StudentInput {
            latex,
            ..StudentInput::default()
        },
        None => StudentInput {
            text: line.to_owned(),
            ..StudentInput::default()
        },
    }
}
