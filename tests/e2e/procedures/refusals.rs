//! What is refused, with its status, its reason and the field at fault.

use tonic::{Code, Status};
use turnwise_proto::{
    common::v1::ErrorReason,
    procedure::v1::{Observation, OpenHelpSessionRequest, OverlayState, Variable, variable::Value},
};
use turnwise_tests::{
    options::Kind,
    procedure::{Run, client, later_by, on, open, opening, variable},
    refusal::check_refusal,
    student::{Student, fresh_key},
    token,
};

use super::without_model;

in_both_deployments!(bad_requests_say_what_is_wrong, nobody_speaks_for_others);

fn refused<T: std::fmt::Debug>(
    answer: Result<T, Status>,
    code: Code,
    reason: ErrorReason,
    field: &str,
) {
    check_refusal(&answer.unwrap_err(), code, reason, field);
}

fn invalid<T: std::fmt::Debug>(answer: Result<T, Status>, field: &str) {
    refused(
        answer,
        Code::InvalidArgument,
        ErrorReason::InvalidArgument,
        field,
    );
}

async fn bad_requests_say_what_is_wrong(kind: Kind) {
    let suite = without_model(kind).await;
    let ada = suite.student("ada");
    let asked = |change: fn(&mut OpenHelpSessionRequest)| {
        let mut request = opening();
        change(&mut request);
        open(&ada, request)
    };
    invalid(
        asked(|r| r.procedure_id = "brewing".to_owned()).await,
        "procedure_id",
    );
    invalid(asked(|r| r.procedure_id.clear()).await, "procedure_id");
    invalid(asked(|r| r.class_id.clear()).await, "class_id");
    invalid(
        asked(|r| r.idempotency_key.clear()).await,
        "idempotency_key",
    );
    let unknown = asked(|r| r.course_id = "geology".to_owned()).await;
    refused(
        unknown,
        Code::NotFound,
        ErrorReason::UnknownCourse,
        "course_id",
    );
    let request = opening();
    let first = open(&ada, request.clone()).await.unwrap();
    assert_eq!(open(&ada, request.clone()).await.unwrap(), first);
    let other = OpenHelpSessionRequest {
        text_only: true,
        ..request
    };
    let conflict = open(&ada, other).await;
    refused(
        conflict,
        Code::Aborted,
        ErrorReason::IdempotencyConflict,
        "",
    );

    let mut run = Run::titration(&ada).await;
    let fine = run.next(vec![on("PPE.GOGGLES")]);
    let many = |count: usize| {
        let variables = (0..count).map(|n| on(&format!("V{n}")));
        variables.collect::<Vec<_>>()
    };
    let long = "x".repeat(201);
    let rows: [(Observation, &str); 9] = [
        (
            Observation {
                sequence: 0,
                ..fine.clone()
            },
            "observation.sequence",
        ),
        (
            Observation {
                sequence: -1,
                ..fine.clone()
            },
            "observation.sequence",
        ),
        (
            Observation {
                client_time: None,
                ..fine.clone()
            },
            "observation.client_time",
        ),
        (
            Observation {
                client_time: Some(later_by(120)),
                ..fine.clone()
            },
            "observation.client_time",
        ),
        (
            Observation {
                client_time: Some(later_by(-7200)),
                ..fine.clone()
            },
            "observation.client_time",
        ),
        (
            Observation {
                variables: many(257),
                ..fine.clone()
            },
            "observation.variables",
        ),
        (
            Observation {
                variables: many(10_000),
                ..fine.clone()
            },
            "observation.variables",
        ),
        (
            Observation {
                variables: vec![Variable::default()],
                ..fine.clone()
            },
            "observation.variables",
        ),
        (
            Observation {
                variables: vec![variable("BURETTE.TAP", Value::Word(long))],
                ..fine.clone()
            },
            "observation.variables",
        ),
    ];
    for (observation, field) in rows {
        invalid(run.send(observation).await, field);
    }
    let none = turnwise_proto::procedure::v1::RecordObservationRequest {
        session_id: run.id(),
        ..Default::default()
    };
    invalid(
        client(&ada).record_observation(ada.request(none)).await,
        "observation",
    );
    run.send(Observation {
        variables: many(256),
        ..fine
    })
    .await
    .unwrap();
    invalid(run.try_help("").await, "idempotency_key");

    let shown = run.help().await.overlay.unwrap().overlay_id;
    for outcome in [OverlayState::Unspecified, OverlayState::Requested] {
        invalid(run.acknowledge(&shown, outcome, "").await, "outcome");
    }
    let failed = OverlayState::Failed;
    invalid(
        run.acknowledge(&shown, failed, "No such element!").await,
        "problem",
    );
    for id in [
        "",
        "x",
        &format!("{}.9223372036854775807", run.id()),
        &format!("{}.", run.id()),
    ] {
        invalid(run.acknowledge(id, failed, "").await, "overlay_id");
    }

    // A session that is not there, in every call.
    let missing = "00000000-0000-4000-8000-000000000000";
    let mut nowhere = run.seen_by(&ada);
    nowhere.session.session_id = missing.to_owned();
    unknown_everywhere(&nowhere).await;
}

async fn unknown_everywhere(run: &Run) {
    let unknown = |status: Status, field: &str| {
        check_refusal(&status, Code::NotFound, ErrorReason::UnknownThread, field);
    };
    let observation = Observation {
        sequence: 1,
        client_time: Some(later_by(0)),
        variables: vec![on("PPE.GOGGLES")],
    };
    unknown(run.send(observation).await.unwrap_err(), "session_id");
    unknown(run.try_help(&fresh_key()).await.unwrap_err(), "session_id");
    let id = format!("{}.1", run.id());
    let acknowledged = run.acknowledge(&id, OverlayState::Applied, "").await;
    unknown(acknowledged.unwrap_err(), "session_id");
}

async fn nobody_speaks_for_others(kind: Kind) {
    let suite = without_model(kind).await;
    let (ada, bob) = (suite.student("ada"), suite.student("bob"));
    let run = Run::titration(&ada).await;
    // What is another learner's is not there.
    unknown_everywhere(&run.seen_by(&bob)).await;
    let of_bob = OpenHelpSessionRequest {
        student_id: "bob".to_owned(),
        ..opening()
    };
    refused(
        open(&ada, of_bob.clone()).await,
        Code::PermissionDenied,
        ErrorReason::PermissionDenied,
        "student_id",
    );

    let caller = |role: &str, learner: Option<&str>| {
        let mut claims = token::claims("lab-simulator", Student::CLASS, 3600);
        claims["role"] = role.into();
        if let Some(learner) = learner {
            claims["on_behalf_of"] = learner.into();
        }
        let token = token::signed(&suite.data_dir, &token::header(), &claims);
        Student::new("lab-simulator", &token, suite.channel())
    };
    let simulator = caller("service", Some("ada"));
    assert!(run.seen_by(&simulator).try_help(&fresh_key()).await.is_ok());
    refused(
        open(&simulator, of_bob.clone()).await,
        Code::PermissionDenied,
        ErrorReason::PermissionDenied,
        "student_id",
    );
    // It can do nothing else in its learner's name, nor in its own.
    let thread = simulator
        .create_thread(turnwise_tests::student::new_thread("algebra-foundations"))
        .await;
    refused(
        thread,
        Code::PermissionDenied,
        ErrorReason::PermissionDenied,
        "",
    );
    // A service without a learner has nobody to speak for, and only services can have one.
    let nobody = open(&caller("service", None), opening()).await;
    refused(
        nobody,
        Code::PermissionDenied,
        ErrorReason::PermissionDenied,
        "",
    );
    for role in ["student", "staff", "teacher"] {
        let spoilt = open(&caller(role, Some("ada")), opening())
            .await
            .unwrap_err();
        check_refusal(
            &spoilt,
            Code::Unauthenticated,
            ErrorReason::Unauthenticated,
            "",
        );
    }
    refused(
        open(&caller("teacher", None), opening()).await,
        Code::PermissionDenied,
        ErrorReason::PermissionDenied,
        "",
    );
    let odd = open(&caller("service", Some("ada:bob")), opening())
        .await
        .unwrap_err();
    check_refusal(
        &odd,
        Code::Unauthenticated,
        ErrorReason::Unauthenticated,
        "",
    );
    // Staff name a learner.
    let staff = caller("staff", None);
    invalid(open(&staff, opening()).await, "student_id");
    assert_eq!(open(&staff, of_bob).await.unwrap().student_id, "bob");
    // Who left the class adds nothing, and can still read.
    let mut moved = suite.student("ada");
    moved.token = token::student(&suite.data_dir, "ada", "8a");
    let gone = run.seen_by(&moved);
    refused(
        gone.try_help(&fresh_key()).await,
        Code::PermissionDenied,
        ErrorReason::PermissionDenied,
        "",
    );
    assert_eq!(gone.read().await.session.unwrap().session_id, run.id());
    let elsewhere = OpenHelpSessionRequest {
        class_id: "8a".to_owned(),
        ..opening()
    };
    refused(
        open(&ada, elsewhere).await,
        Code::PermissionDenied,
        ErrorReason::PermissionDenied,
        "",
    );
}
