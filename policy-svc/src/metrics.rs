//! The service's own metrics.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family},
};
use turnwise_decisions::{Action, Grade, GradeObservation, GradedBy, Observation, Resolution};
use turnwise_kit::Metrics;
use turnwise_reply_guard::{Reason, Statements};

/// Counts what became of the model's replies. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct ReplyMetrics {
    outcomes: Family<OutcomeLabels, Counter>,
    observations: Family<ObservationLabels, Counter>,
    withheld: Family<WithheldLabels, Counter>,
    drills: Family<DrillLabels, Counter>,
    statements: Family<StatementLabels, Counter>,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct StatementLabels {
    verdict: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct WithheldLabels {
    reason: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct DrillLabels {
    origin: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ObservationLabels {
    observation: &'static str,
}

impl ReplyMetrics {
    /// Registers the metrics.
    pub fn register(metrics: &Metrics) -> Self {
        let own = Self::default();
        metrics.registry(|registry| {
            registry.register(
                "policy_drills",
                "Drills asked for, by whose is set: a model's, one of the course's, one of the course's in the place of a model's that mathematics cannot grade (not_checkable) or that repeats one (repeated), or none",
                own.drills.clone(),
            );
            registry.register(
                "policy_reply_statements",
                "Statements of mathematics in a model's replies, by whether algebra could decide them (decided) or not (undecided)",
                own.statements.clone(),
            );
            registry.register(
                "policy_replies_withheld",
                "Valid replies of a model that the reply guard withheld, by its reason",
                own.withheld.clone(),
            );
            registry.register(
                "policy_replies",
                "Replies resolved, by outcome: accepted, no_model where none was to be called, or the reason of the fallback",
                own.outcomes.clone(),
            );
            registry.register(
                "policy_reply_observations",
                "Accepted replies with something worth counting that is no fault",
                own.observations.clone(),
            );
        });
        own
    }

    /// Counts one reply that the guard withheld.
    pub fn withheld(&self, reason: Reason) {
        let reason = reason.as_str();
        self.withheld
            .get_or_create(&WithheldLabels { reason })
            .inc();
    }

    /// Counts the statements of mathematics in a reply.
    pub fn looked_at(&self, statements: Statements) {
        for (verdict, count) in [
            ("decided", statements.decided),
            ("undecided", statements.undecided),
        ] {
            self.statements
                .get_or_create(&StatementLabels { verdict })
                .inc_by(u64::try_from(count).unwrap_or(u64::MAX));
        }
    }

    /// Counts one resolved reply; `no_model`: none was to be called.
    pub fn count(&self, resolution: &Resolution, no_model: bool) {
        let outcome = match resolution.fallback_reason {
            _ if no_model => "no_model",
            None => "accepted",
            Some(reason) => reason.as_str(),
        };
        self.outcomes
            .get_or_create(&OutcomeLabels { outcome })
            .inc();
        if resolution.action == Action::DrillCard {
            let origin = drill_origin(resolution);
            self.drills.get_or_create(&DrillLabels { origin }).inc();
        }
        for observation in &resolution.observations {
            self.observations
                .get_or_create(&ObservationLabels {
                    observation: observation.as_str(),
                })
                .inc();
        }
    }
}

/// Whose drill a reply sets, and why.
fn drill_origin(resolution: &Resolution) -> &'static str {
    let observed = |observation| resolution.observations.contains(&observation);
    if observed(Observation::DrillNotCheckable) {
        "not_checkable"
    } else if observed(Observation::DrillRepeated) {
        "repeated"
    } else if resolution.card.is_none() {
        "none"
    } else if resolution.drill_id.is_some() {
        "course"
    } else {
        "model"
    }
}

/// Counts what answers to drills were graded as, and by whom. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct GradeMetrics {
    checks: Family<CheckLabels, Counter>,
    grades: Family<GradeLabels, Counter>,
    observations: Family<ObservationLabels, Counter>,
    withheld: Family<WithheldLabels, Counter>,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct CheckLabels {
    task: &'static str,
    verdict: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct GradeLabels {
    verdict: &'static str,
    graded_by: &'static str,
    model: &'static str,
}

impl GradeMetrics {
    /// Registers the metrics.
    pub fn register(metrics: &Metrics) -> Self {
        let own = Self::default();
        metrics.registry(|registry| {
            registry.register(
                "policy_drill_feedback_withheld",
                "A model's feedback on answers that the reply guard withheld, by its reason",
                own.withheld.clone(),
            );
            registry.register(
                "policy_drill_checks",
                "Answers to drills that mathematics looked at, by the task as it was read and the verdict",
                own.checks.clone(),
            );
            registry.register(
                "policy_drill_grades",
                "Drills graded, by verdict, by who decided (rules, llm, or none), and by what came of the model: accepted, not_asked, overruled, or why its grade is not used",
                own.grades.clone(),
            );
            registry.register(
                "policy_drill_grade_observations",
                "Grades of a model with something worth counting that is no fault",
                own.observations.clone(),
            );
        });
        own
    }

    /// Counts feedback that the guard withheld.
    pub fn withheld(&self, reason: Reason) {
        let reason = reason.as_str();
        self.withheld
            .get_or_create(&WithheldLabels { reason })
            .inc();
    }

    /// Counts one check.
    pub fn count_check(&self, grade: &turnwise_grading::Grade) {
        self.checks
            .get_or_create(&CheckLabels {
                task: grade.task.as_str(),
                verdict: grade.verdict.as_str(),
            })
            .inc();
    }

    /// Counts one grade.
    pub fn count(&self, grade: &Grade, asked_model: bool) {
        let overruled = grade
            .observations
            .contains(&GradeObservation::GradeDisagreement);
        let model = match grade.fallback_reason {
            Some(reason) => reason.as_str(),
            None if !asked_model => "not_asked",
            None if overruled => "overruled",
            None => "accepted",
        };
        self.grades
            .get_or_create(&GradeLabels {
                verdict: grade.verdict.as_str(),
                graded_by: grade.graded_by.map_or("none", GradedBy::as_str),
                model,
            })
            .inc();
        for observation in &grade.observations {
            self.observations
                .get_or_create(&ObservationLabels {
                    observation: observation.as_str(),
                })
                .inc();
        }
    }
}
