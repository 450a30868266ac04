//! Staff, who see why turns went as they did, and with it what is recorded of a student.

use std::sync::OnceLock;

use tonic::{Request, Status, transport::Channel};
use turnwise_course_pack::{Pack, load_all};
use turnwise_proto::{
    explain::v1::{
        ExplainTurnRequest, ExplainTurnResponse, TurnRecord,
        explain_service_client::ExplainServiceClient,
    },
    session::v1::{Evidence, StudentSnapshot, UnitProgress},
    tutor::v1::ClientEventKind,
};
use turnwise_retrieval_svc::grpc::put_in_words;

use crate::{
    deployment::Deployment,
    process::repository,
    student::{DEMO_COURSE, Student},
    token,
};

/// Somebody with a token of the role `staff`.
#[derive(Clone)]
pub struct Staff {
    /// The token.
    pub token: String,
    /// The connection.
    pub channel: Channel,
}

impl Staff {
    /// Staff of the students' tenant.
    pub fn of(suite: &Deployment) -> Self {
        Self::of_tenant(suite, "default")
    }

    /// Staff of any tenant.
    pub fn of_tenant(suite: &Deployment, tenant: &str) -> Self {
        Self {
            token: token::of_tenant(&suite.data_dir, tenant, "staff-1", Student::CLASS, "staff"),
            channel: suite.channel(),
        }
    }

    /// Why a turn went as it did, or the refusal.
    pub async fn explain_turn(
        &self,
        student_id: &str,
        turn_id: &str,
    ) -> Result<ExplainTurnResponse, Status> {
        explain_turn(self.channel.clone(), &self.token, student_id, turn_id).await
    }

    /// The chain of a turn, with the words of the demo courses that it names.
    pub async fn record(&self, student_id: &str, turn_id: &str) -> TurnRecord {
        let explained = self.explain_turn(student_id, turn_id).await.unwrap();
        let mut record = explained.record.expect("an explained turn has a record");
        let plan = record.facts.as_ref().and_then(|facts| facts.plan.as_ref());
        let hash = plan.map(|plan| plan.pack_hash.clone());
        let mut packs = demo_courses().iter();
        if let Some(pack) = packs.find(|pack| Some(&pack.hash) == hash.as_ref()) {
            put_in_words(&mut record, pack);
        }
        record
    }

    /// What is recorded of a student in the demo course. The student asks for a hint where they stand, in a thread of its
    /// own: such a turn changes nothing, and its record says how it found the student's.
    pub async fn recorded(&self, student: &Student) -> Recorded {
        let standing = student.standing(DEMO_COURSE).await.unwrap();
        let focus = standing.focus.expect("a student stands somewhere").unit_id;
        let thread = student.open(DEMO_COURSE).await;
        let answer = student
            .press(&thread, ClientEventKind::StuckHint, &focus)
            .await;
        let record = self.record(&student.id, &answer.turn_id).await;
        Recorded::of(record.facts.expect("facts").snapshot.unwrap_or_default())
    }
}

fn demo_courses() -> &'static [Pack] {
    static COURSES: OnceLock<Vec<Pack>> = OnceLock::new();
    COURSES.get_or_init(|| {
        let packs = load_all(&repository().join("courses")).unwrap();
        packs.into_iter().map(|(_, pack)| pack.unwrap()).collect()
    })
}

/// A call of ExplainTurn with any token.
pub async fn explain_turn(
    channel: Channel,
    token: &str,
    student_id: &str,
    turn_id: &str,
) -> Result<ExplainTurnResponse, Status> {
    let mut request = Request::new(ExplainTurnRequest {
        student_id: student_id.to_owned(),
        turn_id: turn_id.to_owned(),
    });
    let authorization = format!("Bearer {token}").parse().unwrap();
    request
        .metadata_mut()
        .insert("authorization", authorization);
    let response = ExplainServiceClient::new(channel)
        .explain_turn(request)
        .await?;
    Ok(response.into_inner())
}

/// What a student has shown, as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// How often it was written.
    pub version: i64,
    /// All of it.
    pub evidence: Evidence,
}

impl Recorded {
    /// The part of a record that hard evidence writes.
    pub fn of(snapshot: StudentSnapshot) -> Self {
        Self {
            version: snapshot.evidence_version,
            evidence: snapshot.evidence.unwrap_or_default(),
        }
    }

    /// A unit's progress; nothing for a unit without evidence.
    pub fn unit(&self, unit_id: &str) -> UnitProgress {
        let mut units = self.evidence.unit_progress.iter();
        units
            .find(|unit| unit.unit_id == unit_id)
            .cloned()
            .unwrap_or_default()
    }
}
