//! A small pack on disk, a service over it, and short ways to ask.

use std::{fs, path::Path};

use prost_types::Timestamp;
use tempfile::TempDir;
use tonic::{Status, service::Routes};
use turnwise_kit::{Fault, Kit};
use turnwise_policy_svc::{Settings, routes};
use turnwise_proto::{
    exam::v1::{QuestionState, QuestionStatus},
    policy::v1::{
        DecideRequest, DecideResponse, Plan, PlanRequest, Policy, ResolveReplyRequest,
        ResolveReplyResponse, policy_service_client::PolicyServiceClient,
        resolve_reply_request::Outcome,
    },
    session::v1::{DrillCounters, Evidence, MappedUnit, StudentSnapshot, TurnState, UnitProgress},
    tutor::v1::{ClientEvent, ClientEventKind, MasteryTier},
};

pub const COURSE: &str = "small";
pub const NOW: Timestamp = Timestamp {
    seconds: 1_772_445_600,
    nanos: 0,
};
pub const TURN: &str = "0b5c6f2e-1d0f-4b52-9a43-0d6f5c6d7e8f";

/// A service over a small pack, and the folder that it was loaded from.
pub struct Service {
    pub client: PolicyServiceClient<Routes>,
    pub kit: Kit,
    pub hash: String,
    _folder: TempDir,
}

/// START → ONE → TWO; ONE and TWO have drills and questions at bronze, and ONE at silver and gold. The answer to ONE-S2 is
/// typed. There is help for ONE-S1, a memo, and for ONE-G1, a video and two memos.
pub fn write_pack(folder: &Path, course: &str) {
    for sub in ["units", "exams", "content", "support"] {
        fs::create_dir_all(folder.join(sub)).unwrap();
    }
    let course_yaml =
        format!("format: 1\nid: {course}\ntitle: A small course\nlocale: en\nentry_unit: START\n");
    fs::write(folder.join("course.yaml"), course_yaml).unwrap();
    let mut units = String::from("units:\n");
    for (id, needs, extra) in [
        ("START", "", "assessable: false"),
        ("ONE", "START", ""),
        ("TWO", "ONE", ""),
    ] {
        units += &format!("  - id: {id}\n    title: Unit {id}\n    summary: About {id}.\n");
        units += &format!("    prerequisites: [{needs}]\n    anchors: [all about {id}]\n");
        if extra.is_empty() {
            units += &format!(
                "    misconceptions: [A wrong idea about {id}.]\n    mistake_tags:\n      - id: slip\n        meaning: A slip.\n    drills:\n      - id: {id}-D1\n        prompt: Work out the value.\n        question_latex: '2 + 3'\n        answer: '5'\n"
            );
        } else {
            units += &format!("    {extra}\n");
        }
    }
    fs::write(folder.join("units/units.yaml"), units).unwrap();
    let mut questions = String::from("questions:\n");
    for (id, unit, tier) in [
        ("ONE-B1", "ONE", "bronze"),
        ("ONE-B2", "ONE", "bronze"),
        ("ONE-S1", "ONE", "silver"),
        ("ONE-G1", "ONE", "gold"),
        ("TWO-B1", "TWO", "bronze"),
    ] {
        questions += &format!(
            "  - id: {id}\n    units: [{unit}]\n    tier: {tier}\n    prompt: Choose the value.\n    question_latex: '2 + 2'\n    options:\n      - {{id: a, text: '4'}}\n      - {{id: b, text: '5'}}\n    answer: a\n"
        );
    }
    questions += "  - id: ONE-S2\n    units: [ONE]\n    tier: silver\n    prompt: Solve for x.\n    question_latex: '2x = 3'\n    answer: 'x = 3/2'\n";
    fs::write(folder.join("exams/exams.yaml"), questions).unwrap();
    for (name, question, kind) in [
        ("memo-1", "ONE-S1", "memo"),
        ("video-1", "ONE-G1", "video"),
        ("memo-2", "ONE-G1", "memo"),
        ("memo-3", "ONE-G1", "memo"),
    ] {
        let text = format!(
            "---\nquestion: {question}\nkind: {kind}\n---\nHelp. https://example.org/{name}\n"
        );
        fs::write(folder.join(format!("support/{name}.md")), text).unwrap();
    }
}

pub async fn start(courses_dir: &Path, kit: &Kit) -> PolicyServiceClient<Routes> {
    let settings = Settings::new(courses_dir.to_owned(), 0);
    PolicyServiceClient::new(routes(&settings, kit).await.unwrap().prepare())
}

pub async fn service() -> Service {
    let folder = tempfile::tempdir().unwrap();
    write_pack(&folder.path().join(COURSE), COURSE);
    service_of(folder).await
}

/// A service over a folder that has the course.
pub async fn service_of(folder: TempDir) -> Service {
    let kit = Kit::for_tests();
    let mut client = start(folder.path(), &kit).await;
    let request = turnwise_proto::policy::v1::GetCourseRequest {
        course_id: COURSE.to_owned(),
    };
    let course = client.get_course(request).await.unwrap().into_inner();
    Service {
        hash: course.course.unwrap().pack_hash,
        client,
        kit,
        _folder: folder,
    }
}

impl Service {
    pub async fn plan(&self, request: PlanRequest) -> Result<Plan, Status> {
        let response = self.client.clone().plan(request).await?.into_inner();
        Ok(response.plan.unwrap())
    }

    pub async fn decide(&self, request: DecideRequest) -> Result<DecideResponse, Status> {
        Ok(self.client.clone().decide(request).await?.into_inner())
    }

    pub async fn resolve(
        &self,
        policy: Policy,
        outcome: Outcome,
    ) -> Result<ResolveReplyResponse, Status> {
        let request = ResolveReplyRequest {
            policy: Some(policy),
            outcome: Some(outcome),
            ..ResolveReplyRequest::default()
        };
        Ok(self
            .client
            .clone()
            .resolve_reply(request)
            .await?
            .into_inner())
    }

    /// The policy for a student who is ready for ONE's bronze question.
    pub async fn exam_policy(&self) -> Policy {
        let plan = self.plan(plan_request(ready())).await.unwrap();
        let decision = self.decide(decide_request(plan)).await.unwrap();
        decision.policy.unwrap()
    }
}

/// A record that stands on this unit with these drills.
pub fn snapshot(focus: &str, drills: &[(&str, DrillCounters)]) -> StudentSnapshot {
    StudentSnapshot {
        student_id: "ana".to_owned(),
        course_id: COURSE.to_owned(),
        turn: Some(TurnState {
            focus_unit_id: focus.to_owned(),
            ..TurnState::default()
        }),
        evidence: Some(Evidence {
            unit_progress: drills
                .iter()
                .map(|(unit, drill)| UnitProgress {
                    unit_id: (*unit).to_owned(),
                    mastery_tier: MasteryTier::None.into(),
                    drill: Some(*drill),
                    ..UnitProgress::default()
                })
                .collect(),
            ..Evidence::default()
        }),
        evidence_version: 1,
        class_placement: false,
        evidence_size: 0,
    }
}

pub fn drills(attempts: i32, streak: i32) -> DrillCounters {
    DrillCounters {
        attempts,
        correct: streak,
        streak_correct: streak,
        streak_wrong: attempts - streak,
    }
}

/// A record that is ready for ONE's bronze question.
pub fn ready() -> StudentSnapshot {
    snapshot("ONE", &[("ONE", drills(2, 2))])
}

pub fn plan_request(snapshot: StudentSnapshot) -> PlanRequest {
    PlanRequest {
        course_id: COURSE.to_owned(),
        snapshot: Some(snapshot),
        target_locked: true,
        now: Some(NOW),
        ..PlanRequest::default()
    }
}

pub fn mapped(unit: &str, confidence: f64) -> MappedUnit {
    MappedUnit {
        unit_id: unit.to_owned(),
        confidence,
    }
}

pub fn event(kind: ClientEventKind, unit: &str) -> ClientEvent {
    ClientEvent {
        kind: kind.into(),
        unit_id: unit.to_owned(),
        ..ClientEvent::default()
    }
}

pub fn status(question: &str, state: QuestionState) -> QuestionStatus {
    QuestionStatus {
        question_id: question.to_owned(),
        state: state.into(),
        locked_until: None,
    }
}

/// Both of ONE's bronze questions are found and available.
pub fn decide_request(plan: Plan) -> DecideRequest {
    DecideRequest {
        plan: Some(plan),
        turn_id: TURN.to_owned(),
        candidate_question_ids: vec!["ONE-B2".to_owned(), "ONE-B1".to_owned()],
        statuses: vec![
            status("ONE-B1", QuestionState::Available),
            status("ONE-B2", QuestionState::Available),
        ],
        exam_system_unavailable: false,
        way_told: false,
        open_drill_unit_id: String::new(),
        matched_unit_id: String::new(),
        name_schema: false,
    }
}

/// The reason, and the fields at fault.
pub fn fault(status: Status) -> (String, Vec<String>) {
    let fault = Fault::from_status(&status);
    let fields = fault.fields().map(str::to_owned).collect();
    (fault.reason().wire_name().to_owned(), fields)
}
