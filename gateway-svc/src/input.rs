//! What a student may send: checked before a turn begins, and redacted before anything is made of it.

use turnwise_kit::{Fault, ids};
use turnwise_proto::{
    common::v1::ErrorReason,
    tutor::v1::{ClientEvent, ClientEventKind, StudentInput, TakeTurnRequest},
};
use turnwise_redaction::{Roster, redact_with};

/// A turn's input, checked. There is nothing to do with it but to redact it.
#[derive(Debug, Clone, Default)]
pub struct Unredacted(Input);

/// A turn's input, checked and redacted.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// Plain text; empty where there is LaTeX or only a button.
    pub text: String,
    /// LaTeX; empty where there is text or only a button.
    pub latex: String,
    /// What a recogniser heard beside it; may be empty.
    pub voice_transcript: String,
    /// The button.
    pub event: Option<ClientEvent>,
}

impl Unredacted {
    /// Checks the input of a turn.
    pub fn read(request: &TakeTurnRequest, max_chars: usize) -> Result<Self, Fault> {
        let event = request
            .event
            .as_ref()
            .map(check_event)
            .transpose()?
            .flatten();
        let empty = StudentInput::default();
        let input = request.input.as_ref().unwrap_or(&empty);
        check_text("input.text", &input.text, max_chars)?;
        check_text("input.latex", &input.latex, max_chars)?;
        check_text("input.voice_transcript", &input.voice_transcript, max_chars)?;
        match (input.text.is_empty(), input.latex.is_empty()) {
            (false, false) => Err(missing("has both `text` and `latex`; send one of them")),
            (true, true) if event.is_none() => Err(missing(
                "has neither `text` nor `latex`, and there is no event; send one of them",
            )),
            _ => Ok(Self(Input {
                text: input.text.clone(),
                latex: input.latex.clone(),
                voice_transcript: input.voice_transcript.clone(),
                event,
            })),
        }
    }

    /// The input without what identifies a person, the names of the class included.
    pub fn redact(self, roster: &Roster) -> Input {
        let clean = |text: &str| redact_with(text, roster).into_owned();
        let Input {
            text,
            latex,
            voice_transcript,
            event,
        } = self.0;
        Input {
            text: clean(&text),
            latex: clean(&latex),
            voice_transcript: clean(&voice_transcript),
            event,
        }
    }
}

impl Input {
    /// What the student said, whichever way; empty for a button alone.
    pub fn said(&self) -> &str {
        if self.text.is_empty() {
            &self.latex
        } else {
            &self.text
        }
    }
}

fn missing(problem: &str) -> Fault {
    Fault::new(ErrorReason::MissingMessage, format!("`input` {problem}")).field("input", problem)
}

fn check_event(event: &ClientEvent) -> Result<Option<ClientEvent>, Fault> {
    match ClientEventKind::try_from(event.kind) {
        Ok(ClientEventKind::Unspecified) if event.unit_id.is_empty() => Ok(None),
        Ok(ClientEventKind::Unspecified) | Err(_) => Err(Fault::invalid(
            "event.kind",
            "must be one of the kinds of ClientEventKind",
        )),
        Ok(_) => {
            ids::check("event.unit_id", &event.unit_id)?;
            Ok(Some(event.clone()))
        }
    }
}

fn check_text(field: &str, text: &str, max_chars: usize) -> Result<(), Fault> {
    if text.is_empty() {
        return Ok(());
    }
    // Counting characters walks the text; a text is never longer in characters than in bytes.
    if text.len() > max_chars {
        let chars = text.chars().count();
        if chars > max_chars {
            let problem = format!("has {chars} characters; at most {max_chars} are read");
            return Err(
                Fault::new(ErrorReason::MessageTooLong, format!("`{field}` {problem}"))
                    .field(field, problem)
                    .meta("max_chars", max_chars.to_string())
                    .meta("chars", chars.to_string()),
            );
        }
    }
    let control = text
        .chars()
        .any(|c| c.is_control() && !matches!(c, '\t' | '\n' | '\r'));
    if control || text.trim().is_empty() {
        let problem = if control {
            "holds control characters; only tab and line breaks are allowed"
        } else {
            "is nothing but white space"
        };
        return Err(
            Fault::new(ErrorReason::InvalidText, format!("`{field}` {problem}"))
                .field(field, problem)
                .meta("field", field),
        );
    }
    Ok(())
}
