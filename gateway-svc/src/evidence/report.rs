//! Evidence in the log and in metrics: ids and codes, no text of a student's.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family},
};
use turnwise_kit::Metrics;
use turnwise_proto::{
    exam::v1::SupportKind,
    policy::v1::ResolveGradeResponse,
    tutor::v1::{
        DrillResult, ExamResult, GradeDrillResponse, GradedBy, RecordSupportViewResponse,
        SubmitExamAnswerResponse,
    },
};

use super::store::EvidenceRequest;
use crate::tokens::TokenFault;

/// Counts evidence. Cheap to clone; the clones count together.
#[derive(Clone, Default)]
pub struct EvidenceMetrics {
    drills: Family<DrillLabels, Counter>,
    answers: Family<AnswerLabels, Counter>,
    views: Family<ViewLabels, Counter>,
    refused: Family<TokenLabels, Counter>,
    conflicts: Counter,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct TokenLabels {
    /// `drill`, `offer` or `placement`.
    card: &'static str,
    cause: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct DrillLabels {
    result: &'static str,
    graded_by: &'static str,
    /// `counted`, `again`, `not_counted`.
    evidence: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct AnswerLabels {
    result: &'static str,
    /// `yes` or `no`.
    recorded: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ViewLabels {
    kind: &'static str,
    /// `yes` or `no`.
    locked: &'static str,
}

/// A graded drill.
pub(super) struct Graded<'a> {
    pub(super) asked: &'a EvidenceRequest<'a>,
    pub(super) unit_id: &'a str,
    pub(super) pack_hash: &'a str,
    pub(super) answer: &'a GradeDrillResponse,
    pub(super) resolved: &'a ResolveGradeResponse,
    pub(super) model: &'a str,
    pub(super) task: &'a str,
    pub(super) reason: &'a str,
    pub(super) token: Option<TokenFault>,
}

impl EvidenceMetrics {
    /// Registers the metrics.
    #[must_use]
    pub fn register(metrics: &Metrics) -> Self {
        let own = Self::default();
        metrics.registry(|registry| {
            registry.register(
                "drills_graded",
                "Answers to drills, by result, by who decided and by whether they counted",
                own.drills.clone(),
            );
            registry.register(
                "exam_answers",
                "Answers to exam questions, by result and by whether the exam system took them",
                own.answers.clone(),
            );
            registry.register(
                "support_views",
                "Looks at help for exam questions, by kind and by whether the question is locked then",
                own.views.clone(),
            );
            registry.register(
                "card_tokens_refused",
                "Tokens of drills, exam questions and placements that proved nothing, by cause",
                own.refused.clone(),
            );
            registry.register(
                "evidence_conflicts",
                "Commits of evidence that came second and were tried again",
                own.conflicts.clone(),
            );
        });
        own
    }

    pub(super) fn conflict(&self) {
        self.conflicts.inc();
    }

    pub(super) fn offer_refused(&self, fault: TokenFault) {
        self.refuse("offer", fault);
    }

    pub(super) fn question_refused(&self, fault: TokenFault) {
        self.refuse("placement", fault);
    }

    fn refuse(&self, card: &'static str, fault: TokenFault) {
        let cause = fault.cause();
        self.refused
            .get_or_create(&TokenLabels { card, cause })
            .inc();
    }

    pub(super) fn graded(&self, graded: &Graded<'_>) {
        let Graded {
            asked,
            unit_id,
            pack_hash,
            answer,
            resolved,
            model,
            task,
            reason,
            token,
        } = graded;
        let evidence = if answer.evidence_recorded {
            "counted"
        } else {
            "not_counted"
        };
        self.count_drill(answer, evidence);
        if let Some(fault) = *token {
            self.refuse("drill", fault);
        }
        tracing::info!(
            thread_id = asked.request.thread_id,
            course_id = asked.request.course_id,
            unit_id,
            pack_hash,
            task,
            reason,
            result = answer.result().as_str_name(),
            graded_by = answer.graded_by().as_str_name(),
            mistake = answer.common_mistake_tag,
            fallback = resolved.fallback_reason().as_str_name(),
            observations = ?resolved.observations,
            token = token.map_or("good", TokenFault::cause),
            evidence,
            tier = answer.mastery_tier().as_str_name(),
            model,
            "drill graded"
        );
    }

    pub(super) fn graded_again(
        &self,
        asked: &EvidenceRequest<'_>,
        unit_id: &str,
        answer: &GradeDrillResponse,
    ) {
        self.count_drill(answer, "again");
        tracing::info!(
            thread_id = asked.request.thread_id,
            course_id = asked.request.course_id,
            unit_id,
            result = answer.result().as_str_name(),
            evidence = "again",
            "drill graded before"
        );
    }

    fn count_drill(&self, answer: &GradeDrillResponse, evidence: &'static str) {
        self.drills
            .get_or_create(&DrillLabels {
                result: match answer.result() {
                    DrillResult::Correct => "correct",
                    DrillResult::Incorrect => "incorrect",
                    DrillResult::Unspecified => "not_checked",
                },
                graded_by: match answer.graded_by() {
                    GradedBy::Rules => "rules",
                    GradedBy::Llm => "llm",
                    GradedBy::Unspecified => "nobody",
                },
                evidence,
            })
            .inc();
    }

    pub(super) fn submitted(
        &self,
        asked: &EvidenceRequest<'_>,
        unit_id: &str,
        question_id: &str,
        answer: &SubmitExamAnswerResponse,
    ) {
        self.answers
            .get_or_create(&AnswerLabels {
                result: match answer.result() {
                    ExamResult::Passed => "passed",
                    ExamResult::Locked => "locked",
                    ExamResult::Unspecified => "unknown",
                },
                recorded: yes(answer.recorded),
            })
            .inc();
        tracing::info!(
            thread_id = asked.request.thread_id,
            course_id = asked.request.course_id,
            unit_id,
            question_id,
            result = answer.result().as_str_name(),
            recorded = answer.recorded,
            tier_before = answer.mastery_tier_before().as_str_name(),
            tier = answer.mastery_tier().as_str_name(),
            mismatch = !answer.notices.is_empty(),
            "exam answer"
        );
    }

    pub(super) fn viewed(
        &self,
        asked: &EvidenceRequest<'_>,
        unit_id: &str,
        question_id: &str,
        kind: SupportKind,
        answer: &RecordSupportViewResponse,
    ) {
        self.views
            .get_or_create(&ViewLabels {
                kind: match kind {
                    SupportKind::Video => "video",
                    SupportKind::Memo | SupportKind::Unspecified => "memo",
                },
                locked: yes(answer.locked),
            })
            .inc();
        tracing::info!(
            thread_id = asked.request.thread_id,
            course_id = asked.request.course_id,
            unit_id,
            question_id,
            kind = kind.as_str_name(),
            locked = answer.locked,
            "support viewed"
        );
    }
}

fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}
