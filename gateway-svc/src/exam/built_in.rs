//! The built-in exam system: answers from the course pack, by policy-svc; help from retrieval-svc; records in
//! session-svc's store, written with the evidence in one transaction.

use std::{collections::HashMap, sync::Arc, time::Duration};

use turnwise_kit::{CallContext, Clock, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{QuestionState, QuestionStatus, SupportKind},
    policy::v1::{CheckExamAnswerRequest, check_exam_answer_request},
    retrieval::v1::{ExamSupportChunk, Namespace, RetrieveRequest},
    session::v1::QuestionRecord,
    tutor::v1::submit_exam_answer_request::Answer,
};

use super::{Question, Ruling, Support, displayed, status};
use crate::upstream::{Step, Upstreams};

pub(super) struct BuiltIn {
    upstreams: Upstreams,
    lock: Duration,
    clock: Arc<dyn Clock>,
}

impl BuiltIn {
    pub(super) fn new(upstreams: Upstreams, lock: Duration, clock: Arc<dyn Clock>) -> Self {
        Self {
            upstreams,
            lock,
            clock,
        }
    }

    pub(super) fn statuses(
        &self,
        question_ids: &[String],
        records: &[QuestionRecord],
    ) -> Vec<QuestionStatus> {
        let now = self.clock.now();
        let records: HashMap<&str, &QuestionRecord> = records
            .iter()
            .map(|record| (record.question_id.as_str(), record))
            .collect();
        question_ids
            .iter()
            .map(|id| status(id, records.get(id.as_str()).copied(), now))
            .collect()
    }

    /// Compares an answer, unless the question is locked or passed: then it is not even looked at.
    pub(super) async fn submit(
        &self,
        context: &CallContext,
        question: &Question<'_>,
        answer: &Answer,
        records: &[QuestionRecord],
    ) -> Result<Ruling, Fault> {
        let record = records
            .iter()
            .find(|record| record.question_id == question.question_id);
        let state = status(question.question_id, record, self.clock.now()).state();
        if state != QuestionState::Available {
            return Ok(Ruling::NotTaken);
        }
        let step = Step::Policy.of(context);
        let checked = self
            .upstreams
            .policy
            .clone()
            .check_exam_answer(step.request(CheckExamAnswerRequest {
                course_id: question.course_id.to_owned(),
                pack_hash: String::new(),
                question_id: question.question_id.to_owned(),
                answer: Some(match answer.clone() {
                    Answer::OptionId(id) => check_exam_answer_request::Answer::OptionId(id),
                    Answer::AnswerText(text) => check_exam_answer_request::Answer::Text(text),
                }),
            }))
            .await
            .map_err(|status| unreadable(step.fault(&status)))?
            .into_inner();
        Ok(Ruling::Compared {
            correct: checked.correct,
            lock: self.lock,
        })
    }

    pub(super) async fn view_support(
        &self,
        context: &CallContext,
        question: &Question<'_>,
        kind: SupportKind,
    ) -> Result<Support, Fault> {
        let described = self
            .upstreams
            .exam_question(context, question.course_id, "", question.question_id)
            .await?;
        let none = || no_support(question.question_id, kind);
        if !described.support_kinds().any(|had| had == kind) {
            return Err(none());
        }
        let step = Step::Retrieval.of(context);
        let found = self
            .upstreams
            .retrieval
            .clone()
            .retrieve(step.request(search(question)))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner();
        let chunk = found
            .exam_support
            .into_iter()
            .find(|chunk| {
                chunk.question_id == question.question_id
                    && Some(chunk.support_kind.as_str()) == name(kind)
            })
            .ok_or_else(none)?;
        let url = match kind {
            SupportKind::Video => address(&chunk).to_owned(),
            SupportKind::Memo | SupportKind::Unspecified => String::new(),
        };
        Ok(Support {
            text: displayed::text(&chunk.text),
            url,
            ruling: Ruling::Viewed { lock: self.lock },
        })
    }
}

/// The question's own help, by its id: in a unit that has much, a search by words need not find it.
fn search(question: &Question<'_>) -> RetrieveRequest {
    RetrieveRequest {
        course_id: question.course_id.to_owned(),
        focus_unit_id: question.unit_id.to_owned(),
        question_id: question.question_id.to_owned(),
        namespaces: vec![Namespace::ExamSupportChunks.into()],
        ..RetrieveRequest::default()
    }
}

/// Where a video is: the citation's address, else the first in its description.
fn address(chunk: &ExamSupportChunk) -> &str {
    chunk
        .citation
        .as_ref()
        .map(|citation| citation.url.as_str())
        .filter(|url| displayed::is_web_address(url))
        .unwrap_or_else(|| displayed::address_in(&chunk.text))
}

/// The policy's word on an answer that it cannot compare, in the words of the client's request.
fn unreadable(fault: Fault) -> Fault {
    match fault.message().strip_prefix("`text` ") {
        Some(problem) if fault.reason() == ErrorReason::InvalidArgument => {
            Fault::invalid("answer_text", problem)
        }
        _ => fault,
    }
}

/// A kind of help as the index spells it.
fn name(kind: SupportKind) -> Option<&'static str> {
    match kind {
        SupportKind::Memo => Some("memo"),
        SupportKind::Video => Some("video"),
        SupportKind::Unspecified => None,
    }
}

/// The question has no such help.
pub(super) fn no_support(question_id: &str, kind: SupportKind) -> Fault {
    let kind = name(kind).unwrap_or("such help");
    Fault::new(
        ErrorReason::UnknownQuestion,
        format!("the question has no {kind}"),
    )
    .meta("question_id", question_id)
    .field("kind", format!("the question has no {kind}"))
}
