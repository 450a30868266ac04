//! What the exam system says of questions that decide nothing in a turn: those to come back to, and the one that the client
//! comes from. No turn waits for it longer than a moment.

use turnwise_kit::CallContext;
use turnwise_proto::{
    classes::v1::ExamUse,
    exam::v1::{QuestionState, QuestionStatus},
    policy::v1::{Plan, Reply},
    session::v1::StudentSnapshot,
    tutor::v1::{DegradedReason, ExamCard, SnapshotLite, tutor_card::Content},
};

use super::{compose::Composing, passes};
use crate::{record, standing::revisited};

impl Composing<'_> {
    /// Whether the exam system is asked beside the turn: a call is needed, and nothing is decided by it.
    pub(super) fn asks_beside(&self, plan: &Plan) -> bool {
        !plan.exam_ready && self.core.exam.needs_call()
    }

    /// What was told beside the turn. `None`: the exam system has not answered yet; `Some(None)`: it is away.
    pub(super) fn told_beside(
        &mut self,
        told: Option<Option<Vec<QuestionStatus>>>,
    ) -> Vec<QuestionStatus> {
        if told == Some(None) {
            self.degrade(DegradedReason::ExamApiUnavailable);
        }
        let mut told = told.flatten().unwrap_or_default();
        if record::class_policy(&self.facts).exam_use() == ExamUse::Closed {
            told.retain(|status| status.state() != QuestionState::Available);
        }
        told
    }

    /// What the student sees of the record after the turn: as it was decided, with the locks that were told beside it, and
    /// with passes that only the platform knew.
    pub(super) async fn standing_after(
        &self,
        plan: &Plan,
        decided: SnapshotLite,
        is_beside: bool,
        statuses: &[QuestionStatus],
    ) -> SnapshotLite {
        let credited = passes::credit(self.core, self.request, &self.facts, plan, statuses).await;
        let is_credited = credited.is_some();
        let snapshot = match credited {
            Some(snapshot) => Some(StudentSnapshot {
                turn: self.facts.turn_state.clone(),
                ..snapshot
            }),
            None if is_beside && !statuses.is_empty() => record::seen_from_thread(&self.facts),
            None => return decided,
        };
        let (context, course_id) = (self.request.context, &self.facts.course_id);
        let now = self.core.kit.clock.now();
        let described = self
            .core
            .describe_standing(context, course_id, snapshot, statuses.to_vec(), now)
            .await;
        match described.ok().flatten() {
            Some(described) if is_credited => described,
            Some(described) => SnapshotLite {
                revisit: described.revisit,
                ..decided
            },
            None => decided,
        }
    }

    /// What the student sees of the record where nothing is decided, with the locks as they are.
    pub(super) async fn standing(&mut self) -> Option<SnapshotLite> {
        let snapshot = record::seen_from_thread(&self.facts);
        let queue = snapshot.as_ref().map(revisited).unwrap_or_default();
        let context = self.request.context;
        let statuses = match queue.is_empty() {
            true => Some(Vec::new()),
            false => {
                let (student_id, course_id) = (&self.facts.student_id, &self.facts.course_id);
                let records = &self.start.question_records;
                self.core
                    .exam
                    .statuses(context, student_id, course_id, queue, records)
                    .await
            }
        };
        if statuses.is_none() {
            self.degrade(DegradedReason::ExamApiUnavailable);
        }
        let statuses = statuses.unwrap_or_default();
        let now = self.core.kit.clock.now();
        let course_id = &self.facts.course_id;
        let standing = self
            .core
            .describe_standing(context, course_id, snapshot, statuses, now)
            .await;
        standing.ok().flatten()
    }

    /// The exam question of a reply as a platform words it; `None` where there is none, or the course pack words it.
    pub(super) async fn worded(
        &mut self,
        working: &CallContext,
        reply: Option<&Reply>,
    ) -> Option<ExamCard> {
        let content = reply.and_then(|reply| reply.card.as_ref()?.content.as_ref());
        let Some(Content::Exam(card)) = content else {
            return None;
        };
        if !card.prompt.is_empty() {
            return None;
        }
        let course_id = &self.facts.course_id;
        let worded = (self.core.exam)
            .worded(working, course_id, card.clone())
            .await;
        if worded.is_none() {
            self.degrade(DegradedReason::ExamApiUnavailable);
        }
        worded
    }
}
