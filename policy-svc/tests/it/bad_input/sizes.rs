//! Very small and very large: courses, records, mappings, completions.

use std::{fs, path::Path, sync::Arc};

use tonic::{Code, service::Routes};
use turnwise_course_pack::Version;
use turnwise_decisions::{Course, CourseSpec, ExamQuestion, Rules, Tier, UnitSpec};
use turnwise_kit::{Fault, Kit, sizes::INTERNAL_MESSAGE};
use turnwise_policy_svc::{
    Courses, HelperSettings, StartError, answers::Answers, artifacts::Context,
    courses::LoadedCourse, exam_drills::DrillExpressions, exercise_units::ExerciseUnits,
    routes_over,
};
use turnwise_proto::{
    common::v1::ErrorReason,
    policy::v1::{
        ApplyEvidenceRequest, DecideRequest, DecideResponse, DescribeStandingRequest, DrillGraded,
        ExplainRequest, Plan, PlanRequest, Policy, ResolveReplyRequest, ResolveReplyResponse,
        apply_evidence_request::Event, policy_service_client::PolicyServiceClient,
        resolve_reply_request::Outcome,
    },
    session::v1::{RevisitEntry, StudentSnapshot, UnitProgress},
    tutor::v1::{DegradedReason, MasteryTier, TutorAction},
};

use crate::fixture::*;

const MANY: usize = 100_000;

struct Client(PolicyServiceClient<Routes>);

/// Serves a course that was built here. One chain of units is many files' worth of YAML, and this is not about reading.
fn serve(spec: CourseSpec) -> Client {
    let loaded = LoadedCourse {
        id: COURSE.to_owned(),
        title: "A built course".to_owned(),
        pack_hash: "0".repeat(64),
        locale: "en".to_owned(),
        course: Course::new(spec).unwrap(),
        answers: Answers::default(),
        checkable_drills: false,
        exercise_units: ExerciseUnits::default(),
        exams: turnwise_reply_guard::ExamQuestions::default(),
        drill_expressions: DrillExpressions::default(),
        chat: turnwise_lesson_policy::Course::default(),
        context: Context::default(),
        procedures: Vec::new(),
        placement: turnwise_placement::Graph::default(),
    };
    let courses = Courses::default();
    courses.serve_only(&[Version {
        course_id: loaded.id.clone(),
        hash: loaded.pack_hash.clone(),
        value: Arc::new(loaded),
    }]);
    Client(PolicyServiceClient::new(
        routes_over(
            Arc::new(courses),
            &HelperSettings::default(),
            true,
            &Kit::for_tests(),
        )
        .unwrap()
        .prepare(),
    ))
}

impl Client {
    async fn plan(&mut self, request: PlanRequest) -> Plan {
        let response = self.0.plan(request).await.unwrap().into_inner();
        response.plan.unwrap()
    }

    async fn decide(&mut self, plan: Plan) -> DecideResponse {
        let request = DecideRequest {
            plan: Some(plan),
            turn_id: TURN.to_owned(),
            ..DecideRequest::default()
        };
        self.0.decide(request).await.unwrap().into_inner()
    }

    async fn resolve(&mut self, policy: Policy, outcome: Outcome) -> ResolveReplyResponse {
        let request = ResolveReplyRequest {
            policy: Some(policy),
            outcome: Some(outcome),
            ..ResolveReplyRequest::default()
        };
        self.0.resolve_reply(request).await.unwrap().into_inner()
    }

    /// A turn from beginning to end, with a model and without: the focus, and what stands before it.
    async fn whole_turn(&mut self, request: PlanRequest) -> (String, String) {
        let snapshot = request.snapshot.clone();
        let plan = self.plan(request).await;
        let decision = self.decide(plan.clone()).await;
        let policy = decision.policy.unwrap();
        assert!(policy.scoped_unit_ids.len() <= 6);
        assert!(policy.scoped_unit_ids.contains(&plan.focus_unit_id));
        let reply = format!(
            "{{\"action\":\"SOCRATIC_QUESTION\",\"target_unit_id\":\"{}\",\"tutor_text\":\"What now?\",\
             \"mapped_units\":[],\"turn_analysis\":{{\"student_intent\":\"solve\",\
             \"understanding_signal\":\"confused\",\"suggested_prereq_units\":[]}}}}",
            plan.focus_unit_id
        );
        let model = Outcome::Completion(reply.into_bytes().into());
        let resolved = self.resolve(policy.clone(), model).await;
        assert_eq!(resolved.violation, "");
        assert_eq!(resolved.reply.unwrap().target_unit_id, plan.focus_unit_id);
        let failure = Outcome::Failure(DegradedReason::LlmTimeout.into());
        let resolved = self.resolve(policy, failure).await;
        assert_eq!(resolved.reply.unwrap().target_unit_id, plan.focus_unit_id);

        let explained = self.0.explain(ExplainRequest {
            decide: Some(DecideRequest {
                plan: Some(plan.clone()),
                turn_id: TURN.to_owned(),
                ..DecideRequest::default()
            }),
        });
        let explanation = explained.await.unwrap().into_inner().explanation.unwrap();
        assert_eq!(explanation.focus.unwrap().unit_id, plan.focus_unit_id);
        let standing = self.0.describe_standing(DescribeStandingRequest {
            course_id: COURSE.to_owned(),
            snapshot,
            statuses: Vec::new(),
            now: Some(NOW),
        });
        let standing = standing.await.unwrap().into_inner().standing.unwrap();
        assert!(standing.focus.is_some());
        (plan.focus_unit_id, plan.prereq_blocking_unit_id)
    }
}

fn unit(id: usize, prerequisites: impl IntoIterator<Item = usize>) -> UnitSpec {
    UnitSpec {
        id: format!("U{id}"),
        title: format!("Unit {id}"),
        prerequisites: prerequisites.into_iter().map(|n| format!("U{n}")).collect(),
        assessable: true,
        ..UnitSpec::default()
    }
}

/// U0 is the entry unit; each other one needs the one before.
fn chain() -> CourseSpec {
    CourseSpec {
        entry_unit: "U0".to_owned(),
        units: (0..MANY).map(|n| unit(n, n.checked_sub(1))).collect(),
        questions: vec![ExamQuestion {
            id: "Q1".to_owned(),
            units: vec!["U1".to_owned()],
            tier: Tier::Bronze,
            prompt: String::new(),
            question_latex: String::new(),
            options: Vec::new(),
            support: Vec::new(),
        }],
        rules: Rules::default(),
    }
}

fn asks(unit: usize, snapshot: StudentSnapshot) -> PlanRequest {
    PlanRequest {
        mapped_units: vec![mapped(&format!("U{unit}"), 0.9)],
        ..plan_request(snapshot)
    }
}

/// A record that stands on `focus`, with bronze on the units from 1 up to this one.
fn bronze_up_to(last: usize, focus: usize) -> StudentSnapshot {
    let mut record = snapshot(&format!("U{focus}"), &[]);
    record.evidence.as_mut().unwrap().unit_progress = (1..=last)
        .map(|n| UnitProgress {
            unit_id: format!("U{n}"),
            mastery_tier: MasteryTier::Bronze.into(),
            ..UnitProgress::default()
        })
        .collect();
    record
}

#[tokio::test]
async fn a_chain_of_a_hundred_thousand_units() {
    let mut client = serve(chain());
    let last = MANY - 1;
    for (record, expected) in [
        (bronze_up_to(0, 0), 1),
        (bronze_up_to(0, last), 1),
        (bronze_up_to(60_000, last), 60_001),
        (bronze_up_to(60_000, 7), 60_001),
    ] {
        let (focus, blocker) = client.whole_turn(asks(last, record)).await;
        assert_eq!(focus, format!("U{expected}"));
        assert_eq!(blocker, focus);
    }
    let applied = client.0.apply_evidence(ApplyEvidenceRequest {
        course_id: COURSE.to_owned(),
        snapshot: Some(bronze_up_to(60_000, last)),
        now: Some(NOW),
        event: Some(Event::DrillGraded(DrillGraded {
            unit_id: format!("U{last}"),
            correct: true,
            mistake_tag: String::new(),
            exercise: 1,
        })),
        ..ApplyEvidenceRequest::default()
    });
    let evidence = applied.await.unwrap().into_inner().evidence.unwrap();
    assert_eq!(evidence.unit_progress.len(), 60_001);
}

#[tokio::test]
async fn a_ring_of_a_hundred_thousand_units_ends() {
    // A pack with a ring is refused when it loads; this is what happens if one gets here all the same.
    let mut ring = chain();
    ring.units[1].prerequisites.push(format!("U{}", MANY - 1));
    let mut client = serve(ring);
    let (focus, blocker) = client.whole_turn(asks(5, snapshot("U0", &[]))).await;
    assert_eq!((focus.as_str(), blocker.as_str()), ("U6", "U6"));
}

#[tokio::test]
async fn a_unit_that_needs_ten_thousand_others() {
    const NEEDED: usize = 10_000;
    let mut star = chain();
    star.units.truncate(1);
    star.units.extend((1..=NEEDED).map(|n| unit(n, [0])));
    star.units.push(unit(NEEDED + 1, 1..=NEEDED));
    let mut client = serve(star);
    let request = asks(NEEDED + 1, snapshot("U0", &[]));
    let (focus, _) = client.whole_turn(request.clone()).await;
    assert_eq!(focus, "U1");
    let met = asks(NEEDED + 1, bronze_up_to(NEEDED, 0));
    let (focus, blocker) = client.whole_turn(met).await;
    assert_eq!((focus.as_str(), blocker.as_str()), ("U10001", ""));
}

#[tokio::test]
async fn a_record_of_ten_thousand_units() {
    let service = service().await;
    let expected = service.plan(plan_request(ready())).await.unwrap();
    let mut record = ready();
    let evidence = record.evidence.as_mut().unwrap();
    for n in 0..10_000 {
        evidence.unit_progress.push(UnitProgress {
            unit_id: format!("U{n}"),
            mastery_tier: MasteryTier::Gold.into(),
            last_touched_at: Some(NOW),
            drill: Some(drills(9, 9)),
            ..UnitProgress::default()
        });
        evidence.units_in_progress.push(format!("U{n}"));
        evidence.prerequisite_overrides.push(format!("U{n}"));
        evidence.exam_touched.push(format!("U{n}-B1"));
        evidence.revisit_queue.push(RevisitEntry {
            question_id: format!("U{n}-B1"),
            unit_id: format!("U{n}"),
            tier: MasteryTier::Bronze.into(),
        });
    }
    assert_eq!(service.plan(plan_request(record)).await.unwrap(), expected);
}

#[tokio::test]
async fn a_thousand_mapped_units_and_no_more() {
    let service = service().await;
    let mut request = plan_request(ready());
    request.mapped_units = (0..998).map(|n| mapped(&format!("U{n}"), 1.0)).collect();
    request.mapped_units.push(mapped("TWO", 0.2));
    request.mapped_units.push(mapped("TWO", 0.3));
    let plan = service.plan(request.clone()).await.unwrap();
    assert_eq!(plan.mapped_units, [mapped("TWO", 0.3)]);
    assert_eq!(plan.focus_unit_id, "ONE");

    request.mapped_units.push(mapped("ONE", 0.1));
    let refused = service.plan(request.clone()).await.unwrap_err();
    assert_eq!(
        refused.message(),
        "`mapped_units` must hold at most 1000 units"
    );
    assert_eq!(
        fault(refused),
        (
            "INVALID_ARGUMENT".to_owned(),
            vec!["mapped_units".to_owned()]
        )
    );
}

#[tokio::test]
async fn a_thousand_mapped_units_of_a_large_course() {
    let mut client = serve(chain());
    let mut request = plan_request(snapshot("U0", &[]));
    request.mapped_units = (1..=1000)
        .map(|n| mapped(&format!("U{n}"), 0.3 + f64::from(n % 7) / 100.0))
        .collect();
    let plan = client.plan(request).await;
    assert_eq!(plan.mapped_units.len(), 1000);
    // Of equals the score and then the id decide, and as text 1000 comes before 104, 13 and 6.
    assert_eq!(plan.mapped_units[0].unit_id, "U1000");
    assert!(plan.candidates.len() <= 8);
}

#[tokio::test]
async fn completions_of_any_size() {
    const MIB: usize = 1024 * 1024;
    let service = service().await;
    let policy = service.exam_policy().await;
    for size in [64 * 1024 + 1, MIB, INTERNAL_MESSAGE - 4096] {
        let long = Outcome::Completion(vec![b'{'; size].into());
        let resolved = service.resolve(policy.clone(), long).await.unwrap();
        assert_eq!(resolved.fallback_reason(), DegradedReason::LimitsExceeded);
        assert_eq!(
            resolved.reply.unwrap().action(),
            TutorAction::SocraticQuestion
        );
    }
    let deep = Outcome::Completion(vec![b'['; 64 * 1024].into());
    let resolved = service.resolve(policy.clone(), deep).await.unwrap();
    assert_eq!(resolved.fallback_reason(), DegradedReason::SchemaViolation);
    // More than a message may hold never gets here.
    let too_long = Outcome::Completion(vec![b'{'; INTERNAL_MESSAGE].into());
    let refused = service.resolve(policy, too_long).await.unwrap_err();
    assert_eq!(refused.code(), Code::OutOfRange);
    assert_eq!(
        Fault::from_status(&refused).reason(),
        ErrorReason::PayloadTooLarge
    );
}

/// Writes a pack whose units file is this.
fn pack_with_units(folder: &Path, units: &str) {
    write_pack(folder, COURSE);
    for sub in ["exams", "support"] {
        fs::remove_dir_all(folder.join(sub)).unwrap();
    }
    fs::write(folder.join("units/units.yaml"), units).unwrap();
}

async fn start_error(folder: &Path) -> StartError {
    let settings = turnwise_policy_svc::Settings::new(folder.to_owned(), 0);
    match turnwise_policy_svc::routes(&settings, &Kit::for_tests()).await {
        Err(error) => error,
        Ok(_) => panic!("the service started"),
    }
}

#[tokio::test]
async fn an_empty_course_is_refused() {
    for (units, expected) in [
        (
            "units: []\n",
            "course.yaml:5: the course has no units; write them in units/",
        ),
        (
            "",
            "units.yaml:1: the units file is written as keys with values, but this is nothing",
        ),
        ("units:\n", "units.yaml:1: `units` has no value"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        pack_with_units(folder.path(), units);
        let text = start_error(folder.path()).await.to_string();
        assert!(text.contains(expected), "{text}");
    }
}

#[tokio::test]
async fn a_course_of_one_unit_is_served() {
    let folder = tempfile::tempdir().unwrap();
    pack_with_units(
        folder.path(),
        "units:\n  - id: START\n    title: All there is\n    summary: All there is.\n    assessable: false\n",
    );
    let mut client = Client(start(folder.path(), &Kit::for_tests()).await);
    let (focus, blocker) = client.whole_turn(plan_request(snapshot("", &[]))).await;
    assert_eq!((focus.as_str(), blocker.as_str()), ("START", ""));
    let plan = client.plan(plan_request(snapshot("START", &[]))).await;
    let decision = client.decide(plan).await;
    let policy = decision.policy.unwrap();
    assert_eq!(
        policy.allowed_actions().collect::<Vec<_>>(),
        [TutorAction::SocraticQuestion]
    );
    let labels: Vec<_> = decision
        .buttons
        .iter()
        .map(|button| (button.label_key.as_str(), button.primary))
        .collect();
    assert_eq!(labels, [("ask_hint", true)]);
    assert_eq!(decision.standing.unwrap().progress.unwrap().total, 0);
}
