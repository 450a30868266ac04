//! What a student may send: checked before a turn begins, and redacted before anything is made of it.

use turnwise_kit::{Fault, ids};
use turnwise_proto::{
    common::v1::ErrorReason,
    tutor::v1::{
        ClientEvent, ClientEventKind, DrillResult, ExamResult, StudentInput, TakeTurnRequest,
    },
};
use turnwise_redaction::{Roster, is_blank, redact_with};

use crate::{conversation::clarification::is_of_clarification, tokens::TOKEN_MAX_BYTES};

/// A turn's input, checked. There is nothing to do with it but to redact it.
#[derive(Debug, Clone, Default)]
pub struct Unredacted {
    input: StudentInput,
    event: Option<ClientEvent>,
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
        let input = request.input.clone().unwrap_or_default();
        check_input("input", &input, max_chars)?;
        match (input.text.is_empty(), input.latex.is_empty()) {
            (false, false) => Err(missing(
                "input",
                "has both `text` and `latex`; send one of them",
            )),
            (true, true) if event.is_none() => Err(missing(
                "input",
                "has neither `text` nor `latex`, and there is no event; send one of them",
            )),
            _ => Ok(Self { input, event }),
        }
    }

    /// Checks the answer to a drill: exactly one of text and LaTeX.
    pub fn read_answer(answer: Option<&StudentInput>, max_chars: usize) -> Result<Self, Fault> {
        let input = answer.cloned().unwrap_or_default();
        check_input("answer", &input, max_chars)?;
        if input.text.is_empty() == input.latex.is_empty() {
            return Err(missing(
                "answer",
                "must have exactly one of `text` and `latex`",
            ));
        }
        Ok(Self { input, event: None })
    }

    /// The input without what identifies a person, the names of the class included, and the button.
    #[must_use]
    pub fn redact(self, roster: &Roster) -> (StudentInput, Option<ClientEvent>) {
        let clean = |text: &str| redact_with(text, roster).into_owned();
        let input = StudentInput {
            text: clean(&self.input.text),
            latex: clean(&self.input.latex),
            voice_transcript: clean(&self.input.voice_transcript),
        };
        (input, self.event)
    }
}

/// What the student said, whichever way; empty for a button alone.
#[must_use]
pub fn said(input: &StudentInput) -> &str {
    if input.text.is_empty() {
        &input.latex
    } else {
        &input.text
    }
}

fn check_input(field: &str, input: &StudentInput, max_chars: usize) -> Result<(), Fault> {
    check_text(&format!("{field}.text"), &input.text, max_chars)?;
    check_text(&format!("{field}.latex"), &input.latex, max_chars)?;
    check_text(
        &format!("{field}.voice_transcript"),
        &input.voice_transcript,
        max_chars,
    )
}

fn missing(field: &str, problem: &str) -> Fault {
    Fault::new(ErrorReason::MissingMessage, format!("`{field}` {problem}")).field(field, problem)
}

pub(crate) fn check_event(event: &ClientEvent) -> Result<Option<ClientEvent>, Fault> {
    match ClientEventKind::try_from(event.kind) {
        Ok(ClientEventKind::Unspecified) if event.unit_id.is_empty() => Ok(None),
        Ok(ClientEventKind::Unspecified) | Err(_) => Err(Fault::invalid(
            "event.kind",
            "must be one of the kinds of ClientEventKind",
        )),
        Ok(kind) => {
            check_clarification(event, kind)?;
            if !is_of_clarification(event) {
                ids::check("event.unit_id", &event.unit_id)?;
            }
            check_token(event, kind)?;
            check_result(event, kind)?;
            Ok(Some(event.clone()))
        }
    }
}

/// The buttons below a question have no unit, and one of them has a question.
fn check_clarification(event: &ClientEvent, kind: ClientEventKind) -> Result<(), Fault> {
    if event.question_index != 0 && kind != ClientEventKind::ClarificationCorrect {
        return Err(Fault::invalid(
            "event.question_index",
            "goes only with CLARIFICATION_CORRECT",
        ));
    }
    if is_of_clarification(event) && !event.unit_id.is_empty() {
        return Err(Fault::invalid(
            "event.unit_id",
            "must be empty with the buttons of a clarification",
        ));
    }
    Ok(())
}

/// A card's token belongs to the hint on it.
fn check_token(event: &ClientEvent, kind: ClientEventKind) -> Result<(), Fault> {
    if event.card_token.is_empty() {
        return Ok(());
    }
    let problem = if kind != ClientEventKind::StuckHint {
        "goes only with STUCK_HINT"
    } else if event.card_token.len() >= TOKEN_MAX_BYTES {
        "is no token; send the button's as it came"
    } else {
        return Ok(());
    };
    Err(Fault::invalid("event.card_token", problem))
}

/// What the client says of a result belongs to the buttons that follow one.
fn check_result(event: &ClientEvent, kind: ClientEventKind) -> Result<(), Fault> {
    let only = |field: &str, with: &str| Fault::invalid(field, format!("goes only with {with}"));
    if event.drill_result != 0 && kind != ClientEventKind::DrillContinue {
        return Err(only("event.drill_result", "DRILL_CONTINUE"));
    }
    let exam = kind == ClientEventKind::ExamContinue;
    if event.exam_result != 0 && !exam {
        return Err(only("event.exam_result", "EXAM_CONTINUE"));
    }
    if !event.question_id.is_empty() {
        if !exam && kind != ClientEventKind::RequestExam {
            return Err(only("event.question_id", "EXAM_CONTINUE and REQUEST_EXAM"));
        }
        ids::check("event.question_id", &event.question_id)?;
    }
    if DrillResult::try_from(event.drill_result).is_err() {
        return Err(Fault::invalid(
            "event.drill_result",
            "must be one of DrillResult",
        ));
    }
    if ExamResult::try_from(event.exam_result).is_err() {
        return Err(Fault::invalid(
            "event.exam_result",
            "must be one of ExamResult",
        ));
    }
    Ok(())
}

/// Checks a text of a client: its length, control characters, and that it says something. Empty is fine.
pub(crate) fn check_text(field: &str, text: &str, max_chars: usize) -> Result<(), Fault> {
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
    if control || is_blank(text) {
        let problem = if control {
            "holds control characters; only tab and line breaks are allowed"
        } else {
            "is nothing but white space and characters that nobody sees"
        };
        return Err(
            Fault::new(ErrorReason::InvalidText, format!("`{field}` {problem}"))
                .field(field, problem)
                .meta("field", field),
        );
    }
    Ok(())
}
