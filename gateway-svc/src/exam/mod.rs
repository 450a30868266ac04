//! The exam port: who decides whether a question may be attempted and whether an answer is right. A platform's own exam
//! system, asked over gRPC, or the built-in one, whose records are in session-svc's store.

mod built_in;
mod displayed;
mod questions;
mod remote;
mod ruling;
mod wording;

use std::{sync::Arc, time::Duration};

use turnwise_kit::{CallContext, Clock, Fault, client::GrpcClient};
use turnwise_proto::{
    exam::v1::{
        GetQuestionResponse, QuestionStatus, SupportKind, exam_service_client::ExamServiceClient,
    },
    session::v1::QuestionRecord,
    tutor::v1::{ExamCard, ExamOption, submit_exam_answer_request::Answer},
};

use crate::upstream::Upstreams;
use built_in::BuiltIn;
use remote::Remote;

pub use questions::{PortQuestions, QuestionHashes};
pub use ruling::{Effect, Ruling, status};

/// One of the two exam systems. Cheap to clone.
#[derive(Clone)]
pub struct ExamPort(System);

#[derive(Clone)]
enum System {
    BuiltIn(Arc<BuiltIn>),
    Remote(Remote),
}

/// A question of a course and the student who deals with it.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The student.
    pub student_id: &'a str,
    /// The course.
    pub course_id: &'a str,
    /// A unit that the question tests.
    pub unit_id: &'a str,
    /// The question.
    pub question_id: &'a str,
    /// Makes a platform's record safe to ask for again.
    pub idempotency_key: &'a str,
}

/// Help for a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// The memo, or what the video is about.
    pub text: String,
    /// Where the video is; empty with a memo.
    pub url: String,
    /// What looking at it does.
    pub ruling: Ruling,
}

impl ExamPort {
    /// The built-in exam system, which locks for so long.
    #[must_use]
    pub fn built_in(upstreams: Upstreams, lock: Duration, clock: Arc<dyn Clock>) -> Self {
        Self(System::BuiltIn(Arc::new(BuiltIn::new(
            upstreams, lock, clock,
        ))))
    }

    /// A platform's exam system.
    #[must_use]
    pub fn remote(client: ExamServiceClient<GrpcClient>) -> Self {
        Self(System::Remote(Remote::new(client)))
    }

    /// Whether [`Self::statuses`] makes a call, so that it is better made beside other work.
    #[must_use]
    pub fn needs_call(&self) -> bool {
        matches!(self.0, System::Remote(_))
    }

    /// The status of each question, in the order asked for. `records` are what the store knows of the student in the
    /// course; a platform's system does not look at them. What it answers and cannot be read is not available. `None`: it
    /// is away.
    pub async fn statuses(
        &self,
        context: &CallContext,
        student_id: &str,
        course_id: &str,
        question_ids: Vec<String>,
        records: &[QuestionRecord],
    ) -> Option<Vec<QuestionStatus>> {
        match &self.0 {
            System::BuiltIn(system) => Some(system.statuses(&question_ids, records)),
            System::Remote(system) => {
                system
                    .statuses(context, student_id, course_id, question_ids)
                    .await
            }
        }
    }

    /// Has an answer judged. The built-in system only compares it: what it means depends on the records at the moment of
    /// writing, which [`Ruling::effect`] looks at. A platform's system records it.
    ///
    /// # Errors
    ///
    /// If the exam system is away, knows no such question, or cannot read the answer.
    pub async fn submit(
        &self,
        context: &CallContext,
        question: &Question<'_>,
        answer: &Answer,
        records: &[QuestionRecord],
    ) -> Result<Ruling, Fault> {
        match &self.0 {
            System::BuiltIn(system) => system.submit(context, question, answer, records).await,
            System::Remote(system) => system.submit(context, question, answer).await,
        }
    }

    /// A question as a platform's exam system words it; `None` with the built-in one, which leaves that to the course pack.
    ///
    /// # Errors
    ///
    /// If the exam system is away, knows no such question, or answers what cannot be shown.
    pub async fn question(
        &self,
        context: &CallContext,
        course_id: &str,
        question_id: &str,
    ) -> Result<Option<GetQuestionResponse>, Fault> {
        match &self.0 {
            System::BuiltIn(_) => Ok(None),
            System::Remote(system) => system
                .question(context, course_id, question_id)
                .await
                .map(Some),
        }
    }

    /// A question's card with its words: the course pack's, or, where that leaves them out, the exam system's. `None`: they
    /// cannot be had now.
    pub(crate) async fn worded(
        &self,
        context: &CallContext,
        course_id: &str,
        card: ExamCard,
    ) -> Option<ExamCard> {
        if !card.prompt.is_empty() {
            return Some(card);
        }
        let question_id = &card.question_id;
        match self.question(context, course_id, question_id).await {
            Ok(Some(told)) => Some(ExamCard {
                prompt: told.prompt,
                question_latex: told.question_latex,
                options: (told.options.into_iter())
                    .map(|option| ExamOption {
                        option_id: option.option_id,
                        text: option.text,
                    })
                    .collect(),
                ..card
            }),
            Ok(None) => {
                tracing::error!(
                    course_id,
                    question_id,
                    "the course pack leaves this question to an exam system, and none is set: set EXAM_ENDPOINT"
                );
                None
            }
            Err(fault) => {
                tracing::warn!(
                    course_id,
                    question_id,
                    reason = fault.reason().wire_name(),
                    "the exam system does not say this question"
                );
                None
            }
        }
    }

    /// Fetches help for a question. A platform's system records that.
    ///
    /// # Errors
    ///
    /// If the exam system is away, knows no such question, or has no such help for it.
    pub async fn view_support(
        &self,
        context: &CallContext,
        question: &Question<'_>,
        kind: SupportKind,
    ) -> Result<Support, Fault> {
        match &self.0 {
            System::BuiltIn(system) => system.view_support(context, question, kind).await,
            System::Remote(system) => system.view_support(context, question, kind).await,
        }
    }
}
