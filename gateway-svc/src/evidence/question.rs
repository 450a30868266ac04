//! GetExamQuestion: a question that was offered, with its state now.

use turnwise_kit::{CallContext, Caller, Fault};
use turnwise_proto::{
    exam::v1::{QuestionState, QuestionStatus},
    tutor::v1::{
        ButtonCall, DegradedReason, ExamCard, GetExamQuestionRequest, GetExamQuestionResponse,
        TutorCard, tutor_card::Content,
    },
};

use super::{
    Evidence,
    offered::{Offered, check_belongs},
};
use crate::error::internal;

impl Evidence {
    /// Reads an offered question.
    pub(crate) async fn get_exam_question(
        &self,
        context: &CallContext,
        caller: &Caller,
        request: GetExamQuestionRequest,
    ) -> Result<GetExamQuestionResponse, Fault> {
        let offered = Offered {
            thread_id: &request.thread_id,
            course_id: &request.course_id,
            unit_id: &request.unit_id,
            question_id: &request.question_id,
            tier: Some(request.tier()),
            token: &request.offer_token,
        };
        offered.check_fields()?;
        let tier = self.check_offered(caller, self.core.kit.clock.now(), &offered)?;
        let upstreams = &self.core.upstreams;
        let known = upstreams.exam_question(context, &request.course_id, "", &request.question_id);
        let (known, status) =
            futures_util::try_join!(known, self.status_now(context, caller, &request))?;
        let card = known.card.ok_or_else(internal)?;
        check_belongs(&known.unit_ids, card.tier(), &request.unit_id, tier)?;
        let exam = &self.core.exam;
        let worded = exam.worded(context, &request.course_id, card.clone()).await;
        // What cannot be read now is away as a whole.
        let status = status.filter(|_| worded.is_some());
        let card = worded.unwrap_or(card);

        // What is not known is not offered.
        let state = status.as_ref().map_or(QuestionState::Locked, |s| s.state());
        let mut buttons = known.buttons;
        if state != QuestionState::Available {
            buttons.retain(|button| button.call() != ButtonCall::SubmitExam);
        }
        Ok(GetExamQuestionResponse {
            degraded_reasons: status
                .is_none()
                .then_some(DegradedReason::ExamApiUnavailable.into())
                .into_iter()
                .collect(),
            card: Some(TutorCard {
                unit_id: request.unit_id,
                content: Some(Content::Exam(ExamCard {
                    state: state.into(),
                    locked_until: status.and_then(|status| status.locked_until),
                    offer_token: request.offer_token,
                    ..card
                })),
                buttons,
            }),
        })
    }

    /// The exam system's word on the question; `None` if it is away.
    async fn status_now(
        &self,
        context: &CallContext,
        caller: &Caller,
        request: &GetExamQuestionRequest,
    ) -> Result<Option<QuestionStatus>, Fault> {
        let records = if self.core.exam.needs_call() {
            Vec::new()
        } else {
            self.core
                .snapshot(context, caller, &request.course_id)
                .await?
                .question_records
        };
        let ids = vec![request.question_id.clone()];
        let statuses = self
            .core
            .exam
            .statuses(context, &caller.subject, &request.course_id, ids, &records)
            .await;
        Ok(statuses.and_then(|statuses| statuses.into_iter().next()))
    }
}
