//! A clarification: questions to the student, one after another.

use jiff::Timestamp;
use turnwise_kit::time;
use turnwise_proto::session::v1::{
    Clarification, ClarificationAnswer, StartClarification, pending_interaction::Interaction,
};

use super::{Interactions, PendingError, Stepped, invalid};

const QUESTIONS_MAX: usize = 20;
const QUESTION_MAX_CHARS: usize = 500;
const DOC_CONTENT_MAX_BYTES: usize = 16_384;
const ANSWER_MAX_CHARS: usize = 4000;
/// Far longer than any language tag.
const LOCALE_MAX_BYTES: usize = 100;

/// Begins a loop that ends by itself at `expire_time`. Without questions, or for a document that was clarified before, it
/// does nothing.
pub(super) fn start(
    state: &Interactions,
    start: &StartClarification,
    expire_time: Timestamp,
) -> Result<Option<Stepped>, PendingError> {
    if start.questions.is_empty() {
        return Ok(None);
    }
    check(start)?;
    if state.clarified_documents.contains(&start.document_id) {
        return Ok(None);
    }
    state.must_be_idle()?;
    Ok(Some(ask(
        state,
        Clarification {
            document_id: start.document_id.clone(),
            original_query: start.original_query.clone(),
            original_message_id: start.original_message_id,
            original_doc_content: start.original_doc_content.clone(),
            requires_handoff: start.requires_handoff,
            questions: start.questions.clone(),
            answers: Vec::new(),
            expire_time: Some(time::to_proto(expire_time)),
            document_title: start.document_title.clone(),
            unit_id: start.unit_id.clone(),
            locale: start.locale.clone(),
        },
    )))
}

/// Stores the answer to the open question; after the last one the loop ends.
pub(super) fn answer(state: &Interactions, answer: &str) -> Result<Stepped, PendingError> {
    let mut clarification = active(state)?.clone();
    if answer.chars().count() > ANSWER_MAX_CHARS {
        let problem = "must have at most 4000 characters";
        return Err(invalid("answer_clarification.answer", problem));
    }
    let index = clarification.answers.len();
    // A loop without an open question has ended; none is stored like that.
    let question = clarification.questions.get(index);
    let question = question.ok_or(PendingError::NothingPending)?.clone();
    clarification.answers.push(ClarificationAnswer {
        index: i32::try_from(index).unwrap_or(i32::MAX),
        question,
        answer: answer.to_owned(),
    });
    if clarification.answers.len() < clarification.questions.len() {
        Ok(ask(state, clarification))
    } else {
        Ok(done(state, &clarification))
    }
}

/// Drops the answers from one on, so that its question is open again.
pub(super) fn correct(state: &Interactions, index: i32) -> Result<Stepped, PendingError> {
    let mut clarification = active(state)?.clone();
    let index = usize::try_from(index).unwrap_or(usize::MAX);
    if index >= clarification.answers.len() {
        let field = "correct_clarification.index";
        return Err(invalid(field, "must be a question that was answered"));
    }
    clarification.answers.truncate(index);
    Ok(ask(state, clarification))
}

/// Ends the loop; what was answered so far counts, and the document is not asked about again.
pub(super) fn skip(state: &Interactions) -> Result<Stepped, PendingError> {
    Ok(done(state, active(state)?))
}

/// Ends the loop as if it had never begun.
pub(super) fn cancel(state: &Interactions) -> Result<Stepped, PendingError> {
    active(state)?;
    Ok(stepped(state.waiting_for(None)))
}

fn active(state: &Interactions) -> Result<&Clarification, PendingError> {
    state.clarification().ok_or(PendingError::NothingPending)
}

fn ask(state: &Interactions, clarification: Clarification) -> Stepped {
    stepped(state.waiting_for(Some(Interaction::Clarification(clarification))))
}

fn done(state: &Interactions, clarification: &Clarification) -> Stepped {
    let mut after = state.waiting_for(None);
    after
        .clarified_documents
        .push(clarification.document_id.clone());
    stepped(after)
}

fn stepped(after: Interactions) -> Stepped {
    Stepped {
        after,
        request: None,
        schedules: Vec::new(),
    }
}

fn check(start: &StartClarification) -> Result<(), PendingError> {
    let questions = &start.questions;
    if start.document_id.is_empty() {
        return Err(invalid("start_clarification.document_id", "must be given"));
    }
    if start.original_message_id < 1 {
        let field = "start_clarification.original_message_id";
        return Err(invalid(field, "must be the id of a message"));
    }
    if start.original_doc_content.len() > DOC_CONTENT_MAX_BYTES {
        let field = "start_clarification.original_doc_content";
        return Err(invalid(field, "must have at most 16384 bytes"));
    }
    if start.document_title.chars().count() > QUESTION_MAX_CHARS {
        let field = "start_clarification.document_title";
        return Err(invalid(field, "must have at most 500 characters"));
    }
    if start.locale.len() > LOCALE_MAX_BYTES {
        let field = "start_clarification.locale";
        return Err(invalid(field, "must have at most 100 bytes"));
    }
    let field = "start_clarification.questions";
    if questions.len() > QUESTIONS_MAX {
        return Err(invalid(field, "must be at most 20"));
    }
    if questions
        .iter()
        .any(|q| q.chars().count() > QUESTION_MAX_CHARS)
    {
        return Err(invalid(field, "must have at most 500 characters each"));
    }
    Ok(())
}
