//! Records of students who have shown something, written the way the suite itself writes evidence.

use sha2::{Digest, Sha256};
use tonic::Request;
use turnwise_kit::{CallContext, Caller, client::GrpcClient};
use turnwise_proto::{
    session::v1::{
        CommitEvidenceRequest, DrillCounters, Evidence, PassedByTier, QuestionRecord, UnitProgress,
        commit_evidence_response::Outcome, session_service_client::SessionServiceClient,
    },
    tutor::v1::MasteryTier,
};

use crate::student::fresh_key;

/// What a student has shown in a course.
#[derive(Debug, Clone)]
pub struct Seed {
    /// The student.
    pub student: String,
    /// The course.
    pub course: String,
    /// Everything shown.
    pub evidence: Evidence,
    /// What the exam system knows.
    pub question_records: Vec<QuestionRecord>,
}

impl Seed {
    /// These units, and nothing else.
    pub fn units(student: &str, course: &str, units: Vec<UnitProgress>) -> Self {
        Self {
            student: student.to_owned(),
            course: course.to_owned(),
            evidence: Evidence {
                units_in_progress: units.iter().map(|unit| unit.unit_id.clone()).collect(),
                unit_progress: units,
                ..Evidence::default()
            },
            question_records: Vec::new(),
        }
    }
}

/// Two right drills in a row: ready for the exam.
pub fn drilled(unit: &str) -> UnitProgress {
    UnitProgress {
        unit_id: unit.to_owned(),
        mastery_tier: MasteryTier::None.into(),
        drill: Some(DrillCounters {
            attempts: 2,
            correct: 2,
            streak_correct: 2,
            streak_wrong: 0,
        }),
        ..UnitProgress::default()
    }
}

/// Bronze, and ready for silver.
pub fn bronze(unit: &str) -> UnitProgress {
    UnitProgress {
        mastery_tier: MasteryTier::Bronze.into(),
        passed_by_tier: Some(PassedByTier {
            bronze: 1,
            ..PassedByTier::default()
        }),
        ..drilled(unit)
    }
}

/// Two wrong drills in a row: stuck.
pub fn stuck(unit: &str) -> UnitProgress {
    UnitProgress {
        drill: Some(DrillCounters {
            attempts: 2,
            correct: 0,
            streak_correct: 0,
            streak_wrong: 2,
        }),
        ..drilled(unit)
    }
}

/// A call of one of our own services on behalf of the suite.
pub fn as_service<T>(message: T) -> Request<T> {
    let caller = Caller {
        tenant: "default".to_owned(),
        subject: "tests".to_owned(),
        role: "service".to_owned(),
        groups: Vec::new(),
    };
    CallContext::background(Some(caller), std::time::Duration::from_secs(10)).request(message)
}

/// Writes the record of a student who has none.
pub async fn commit(session: GrpcClient, seed: &Seed) {
    let response = SessionServiceClient::new(session)
        .commit_evidence(as_service(CommitEvidenceRequest {
            student_id: seed.student.clone(),
            course_id: seed.course.clone(),
            expected_version: 0,
            evidence: Some(seed.evidence.clone()),
            question_records: seed.question_records.clone(),
            idempotency_key: fresh_key(),
            body_hash: Sha256::digest(&seed.student).to_vec().into(),
            ..CommitEvidenceRequest::default()
        }))
        .await
        .unwrap();
    assert!(matches!(
        response.into_inner().outcome,
        Some(Outcome::CommittedVersion(1))
    ));
}
