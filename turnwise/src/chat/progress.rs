//! How far a call is, on one line: drawn over itself on a terminal; elsewhere only what is news of the line for a model.

use std::{io::Write, time::Duration};

use turnwise_proto::tutor::v1::{TurnProgress, TurnStage};

use crate::{
    edge::span,
    render::{Ink, ink},
};

/// Goes to the beginning of the line and clears it.
const CLEAR: &str = "\r\x1b[2K";
/// From when on it is said how long a call has taken.
const LONG: Duration = Duration::from_secs(3);

/// The line.
pub struct Progress<'o> {
    out: &'o mut dyn Write,
    /// Whether the output is a terminal.
    live: bool,
    ink: Ink,
    drawn: bool,
    noted: String,
}

impl<'o> Progress<'o> {
    /// A line with nothing on it.
    pub fn new(out: &'o mut dyn Write, live: bool, ink: Ink) -> Self {
        Self {
            out,
            live,
            ink,
            drawn: false,
            noted: String::new(),
        }
    }

    /// What is done now, and for how long.
    pub fn draw(&mut self, doing: &str, elapsed: Duration) {
        if !self.live {
            return;
        }
        let text = if elapsed < LONG {
            format!("{doing} …")
        } else {
            format!("{doing} … {} s", elapsed.as_secs())
        };
        let text: String = text.chars().take(ink::WIDTH).collect();
        self.put(&format!("{CLEAR}  {}", self.ink.faint(&text)));
        self.drawn = true;
    }

    /// News of a turn. Where nothing can be drawn over itself, each place in line is one line of text.
    pub fn stage(&mut self, news: &TurnProgress, elapsed: Duration) {
        let words = words(news);
        let known = news.queue_position > 0 || news.queue_wait.is_some();
        if self.live {
            self.draw(&words, elapsed);
        } else if news.stage() == TurnStage::Waiting && known && self.noted != words {
            self.put(&format!("  ({words})\n"));
            self.noted = words;
        }
    }

    /// Something to remember, on a line of its own.
    pub fn note(&mut self, text: &str) {
        self.clear();
        let text = self.ink.faint(&format!("({text})"));
        self.put(&format!("  {text}\n"));
    }

    /// Leaves the line empty.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            self.put(CLEAR);
        }
    }

    fn put(&mut self, text: &str) {
        // A terminal that is gone shows nothing; the call goes on.
        let _ = self
            .out
            .write_all(text.as_bytes())
            .and_then(|()| self.out.flush());
    }
}

/// How far a turn is, in words.
pub fn words(news: &TurnProgress) -> String {
    match news.stage() {
        TurnStage::Waiting => {
            let mut text = "waiting for a tutor".to_owned();
            if news.queue_position > 0 {
                text.push_str(&format!(": place {}", news.queue_position));
            }
            let wait = news
                .queue_wait
                .and_then(|wait| Duration::try_from(wait).ok());
            if let Some(wait) = wait {
                let joint = if news.queue_position > 0 { ", " } else { ": " };
                text.push_str(&format!("{joint}about {}", span(wait)));
            }
            text
        }
        TurnStage::Writing => "the tutor is writing".to_owned(),
        TurnStage::Checking => "checking the answer".to_owned(),
        TurnStage::Reading | TurnStage::Unspecified => "reading your message".to_owned(),
    }
}
