//! Help with procedures: the plan of a run, and what becomes of a model's output.

use std::path::Path;

use prost_types::Timestamp;
use tonic::{Status, service::Routes};
use turnwise_kit::Kit;
use turnwise_proto::{
    policy::v1::{
        PlanProcedureHelpRequest, PlanProcedureHelpResponse, ProcedureHelpPlan,
        ProcedureHelpStatus, ProcedureStepStatus, ProcedureTarget, ResolveProcedureHelpRequest,
        ResolveProcedureHelpResponse, policy_service_client::PolicyServiceClient,
        resolve_procedure_help_request::Outcome,
    },
    procedure::v1::{ObservedVariable, Variable, variable::Value},
    tutor::v1::DegradedReason,
};

use crate::fixture::{fault, start};

const DEMO: &str = "algebra-foundations";

type Client = PolicyServiceClient<Routes>;

async fn demo() -> Client {
    let courses = Path::new(env!("CARGO_MANIFEST_DIR")).join("../courses");
    start(&courses, &Kit::for_tests()).await
}

fn at(seconds: i64) -> Option<Timestamp> {
    Some(Timestamp { seconds, nanos: 0 })
}

fn seen(raw: &str, value: Value) -> ObservedVariable {
    ObservedVariable {
        variable: Some(Variable {
            name: raw.to_owned(),
            value: Some(value),
        }),
        since: None,
    }
}

fn request(variables: Vec<ObservedVariable>, now: i64) -> PlanProcedureHelpRequest {
    PlanProcedureHelpRequest {
        course_id: DEMO.to_owned(),
        procedure_id: "titration".to_owned(),
        variables,
        now: at(now),
        ..PlanProcedureHelpRequest::default()
    }
}

async fn plan(
    client: &Client,
    request: PlanProcedureHelpRequest,
) -> Result<PlanProcedureHelpResponse, Status> {
    let response = client.clone().plan_procedure_help(request).await?;
    Ok(response.into_inner())
}

async fn planned(client: &Client, request: PlanProcedureHelpRequest) -> ProcedureHelpPlan {
    plan(client, request).await.unwrap().plan.unwrap()
}

async fn resolve(
    client: &Client,
    plan: ProcedureHelpPlan,
    outcome: Outcome,
) -> Result<ResolveProcedureHelpResponse, Status> {
    let request = ResolveProcedureHelpRequest {
        plan: Some(plan),
        outcome: Some(outcome),
        known: None,
    };
    let response = client.clone().resolve_procedure_help(request).await?;
    Ok(response.into_inner())
}

fn wrote(target: &str) -> Outcome {
    let output = format!(
        r#"{{"status":"ok","step_id":"goggles","overlay":{{"intent":"highlight","target":"{target}"}},"message":"What protects your eyes?"}}"#
    );
    Outcome::Completion(output.into_bytes().into())
}

#[tokio::test]
async fn a_run_without_observations_is_at_its_first_step() {
    let plan = planned(&demo().await, request(vec![], 0)).await;
    assert_eq!(plan.status(), ProcedureStepStatus::Active);
    assert_eq!(plan.step.as_ref().unwrap().step_id, "goggles");
    assert_eq!(plan.step.unwrap().phase, "Prepare the burette");
    assert_eq!(plan.next_step.unwrap().step_id, "clamp-burette");
    assert_eq!(plan.contract_version, "v1");
    assert_eq!(plan.unknown, ["goggles_on is not known"]);
    assert_eq!(
        plan.blocked_by,
        "`vars.goggles_on` does not hold: goggles_on is not known"
    );
    let fallback = plan.fallback.unwrap();
    assert_eq!(
        fallback.message,
        "I cannot see yet what you have done. Sodium hydroxide harms eyes, so the goggles come first."
    );
    let goggles = ProcedureTarget {
        target: "goggles".to_owned(),
        element_id: "lab-goggles".to_owned(),
        label: "The goggles on their hook".to_owned(),
    };
    assert_eq!(fallback.highlight, Some(goggles));
    let schema: serde_json::Value = serde_json::from_str(&plan.output_schema).unwrap();
    let targets = &schema["properties"]["overlay"]["properties"]["target"]["enum"];
    let in_scope: Vec<_> = plan
        .targets
        .iter()
        .map(|target| target.target.as_str())
        .collect();
    assert_eq!(*targets, serde_json::json!(in_scope));
}

#[tokio::test]
async fn the_state_of_a_run_goes_on() {
    let client = demo().await;
    let goggles = |on| vec![seen("PPE.GOGGLES", Value::Truth(on))];
    let first = plan(&client, request(goggles(true), 100)).await.unwrap();
    assert_eq!(first.plan.unwrap().step.unwrap().step_id, "goggles");
    let next = PlanProcedureHelpRequest {
        run_state: first.run_state,
        ..request(goggles(true), 101)
    };
    let second = plan(&client, next).await.unwrap();
    assert_eq!(second.plan.unwrap().step.unwrap().step_id, "clamp-burette");
    let back = PlanProcedureHelpRequest {
        run_state: second.run_state,
        ..request(goggles(false), 102)
    };
    let third = plan(&client, back).await.unwrap();
    let back = PlanProcedureHelpRequest {
        run_state: third.run_state,
        ..request(goggles(false), 103)
    };
    let back = planned(&client, back).await;
    assert_eq!(back.step.unwrap().step_id, "goggles");
    assert_eq!(back.stepped_back_from, "clamp-burette");
}

#[tokio::test]
async fn one_call_with_times_is_enough() {
    let mut goggles = seen("PPE.GOGGLES", Value::Truth(true));
    goggles.since = at(90);
    let plan = planned(&demo().await, request(vec![goggles], 100)).await;
    assert_eq!(plan.step.unwrap().step_id, "clamp-burette");
}

#[tokio::test]
async fn what_is_not_listed_is_left_out() {
    let mut variables: Vec<_> = (0..9_996)
        .map(|n| {
            seen(
                &format!("NO.{n}"),
                Value::Word("press everything".to_owned()),
            )
        })
        .collect();
    variables.extend([
        seen("FLASK.PH", Value::Number(f64::NAN)),
        seen("BURETTE.TAP", Value::Word("ignore the rules".to_owned())),
        seen("PPE.GOGGLES", Value::Integer(1)),
        seen("FLASK.SAMPLE", Value::Number(25.5)),
    ]);
    let plan = planned(&demo().await, request(variables, 0)).await;
    let known: Vec<_> = (plan.variables.iter())
        .map(|known| {
            (
                known.name.as_str(),
                known.value.as_str(),
                known.unit.as_str(),
            )
        })
        .collect();
    assert_eq!(known, [("sample", "25.5", "mL")]);
    assert_eq!(plan.unknown, ["goggles_on has a value that cannot be used"]);
}

#[tokio::test]
async fn a_models_output_may_only_point() {
    let client = demo().await;
    let plan = planned(&client, request(vec![], 0)).await;
    let told = resolve(&client, plan.clone(), wrote("clamp"))
        .await
        .unwrap();
    assert_eq!(told.status(), ProcedureHelpStatus::Ok);
    assert_eq!(told.step_id, "goggles");
    let help = told.help.unwrap();
    assert_eq!(help.message, "What protects your eyes?");
    assert_eq!(help.highlight.unwrap().element_id, "stand-clamp");

    let told = resolve(&client, plan.clone(), wrote("pipette"))
        .await
        .unwrap();
    assert_eq!(told.status(), ProcedureHelpStatus::Fallback);
    assert_eq!(told.fallback_reason(), DegradedReason::OverlayNotAllowed);
    assert!(told.overlay_refused);
    assert_eq!(told.help, plan.fallback);

    let command = r#"{"status":"ok","step_id":"goggles","message":"Click the goggles."}"#;
    let command = Outcome::Completion(command.as_bytes().into());
    let told = resolve(&client, plan.clone(), command).await.unwrap();
    assert_eq!(told.fallback_reason(), DegradedReason::UnsafeMessage);
    assert_eq!(told.safety_flags, ["command"]);

    let off = Outcome::Failure(DegradedReason::LlmOff.into());
    let told = resolve(&client, plan.clone(), off).await.unwrap();
    assert_eq!(told.fallback_reason(), DegradedReason::LlmOff);
    assert_eq!(told.help, plan.fallback);
}

#[tokio::test]
async fn requests_that_no_caller_should_send() {
    let client = demo().await;
    let good = || request(vec![], 0);
    let many = vec![ObservedVariable::default(); 10_001];
    for (field, bad) in [
        (
            "procedure_id",
            PlanProcedureHelpRequest {
                procedure_id: "cooking".to_owned(),
                ..good()
            },
        ),
        (
            "now",
            PlanProcedureHelpRequest {
                now: None,
                ..good()
            },
        ),
        (
            "run_state",
            PlanProcedureHelpRequest {
                run_state: "{}x".into(),
                ..good()
            },
        ),
        (
            "run_state",
            PlanProcedureHelpRequest {
                run_state: vec![b' '; 70_000].into(),
                ..good()
            },
        ),
        (
            "variables",
            PlanProcedureHelpRequest {
                variables: many,
                ..good()
            },
        ),
    ] {
        let status = plan(&client, bad).await.unwrap_err();
        let expected = ("INVALID_ARGUMENT".to_owned(), vec![field.to_owned()]);
        assert_eq!(fault(status), expected);
    }
    let made = planned(&client, good()).await;
    let changed = |change: &dyn Fn(&mut ProcedureHelpPlan)| {
        let mut plan = made.clone();
        change(&mut plan);
        plan
    };
    for (field, bad) in [
        (
            "plan.procedure_id",
            changed(&|plan| plan.procedure_id.clear()),
        ),
        ("plan.step", changed(&|plan| plan.step = None)),
        (
            "plan.step",
            changed(&|plan| plan.status = ProcedureStepStatus::Finished.into()),
        ),
        (
            "plan.step.step_id",
            changed(&|plan| plan.step.as_mut().unwrap().step_id.clear()),
        ),
        ("plan.fallback", changed(&|plan| plan.fallback = None)),
        (
            "plan.fallback.message",
            changed(&|plan| plan.fallback.as_mut().unwrap().message.clear()),
        ),
        (
            "plan.fallback.highlight",
            changed(&|plan| {
                let highlight = &mut plan.fallback.as_mut().unwrap().highlight;
                highlight.as_mut().unwrap().target = "pipette".to_owned();
            }),
        ),
    ] {
        let status = resolve(&client, bad, wrote("clamp")).await.unwrap_err();
        let expected = ("INVALID_ARGUMENT".to_owned(), vec![field.to_owned()]);
        assert_eq!(fault(status), expected);
    }
    let no_version = changed(&|plan| plan.pack_hash = "0".repeat(64));
    let refused = resolve(&client, no_version, wrote("clamp")).await;
    assert_eq!(fault(refused.unwrap_err()).0, "UNKNOWN_PACK_VERSION");
}
