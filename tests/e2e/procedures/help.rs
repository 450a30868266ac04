//! The answer to a press of *help*: without a model, with one, with one that lies or is dead.

use std::time::Duration;

use tonic::Code;
use turnwise_proto::{
    common::v1::ErrorReason,
    procedure::v1::{
        DeltaSource, HelpStatus, OpenHelpSessionRequest, OverlayIntent, OverlayState, StepStatus,
        StreamHelpRequest, stream_help_response::News, variable::Value,
    },
    tutor::v1::DegradedReason,
};
use turnwise_testing::model_server::{Fault, Settings};
use turnwise_tests::{
    deployment::Deployment,
    eventually::eventually,
    model_server::ModelServerProcess,
    options::{Kind, Options},
    procedure::{Run, client, on, opening, variable},
    refusal::check_refusal,
    staff::Staff,
    student::fresh_key,
    token,
};

use super::{goggles_on, until_at, without_model, word};

in_both_deployments!(
    without_a_model_the_author_helps,
    every_step_has_help_and_the_last_is_told,
    a_models_words_are_held_to_the_plan,
);

async fn without_a_model_the_author_helps(kind: Kind) {
    let mut suite = without_model(kind).await;
    let ada = suite.student("ada");
    let mut run = Run::titration(&ada).await;
    assert_eq!(run.session.contract_version, "v1");
    assert_eq!(run.session.locale, "en");
    assert_eq!(run.session.student_id, "ada");

    // Nothing was observed: the first step, and what is not known.
    let first = run.help().await;
    assert_eq!(first.status(), HelpStatus::Fallback);
    assert_eq!(first.step_id, "goggles");
    assert_eq!(first.step_status(), StepStatus::Active);
    assert_eq!(first.observed_sequence, 0);
    assert!(!first.unknown.is_empty());
    let metadata = first.metadata.clone().unwrap();
    assert_eq!(metadata.fallback_reason(), DegradedReason::LlmOff);
    assert_eq!(
        (metadata.prompt_id.as_str(), metadata.attempts),
        ("help_v1", 0)
    );
    assert_eq!(metadata.pack_hash, run.session.pack_hash);
    let overlay = first.overlay.unwrap();
    assert_eq!(overlay.intent(), OverlayIntent::Highlight);
    assert_eq!(
        (overlay.target.as_str(), overlay.element_id.as_str()),
        ("goggles", "lab-goggles")
    );
    assert_eq!(overlay.state(), OverlayState::Requested);

    goggles_on(&mut run).await;
    let key = fresh_key();
    let second = run.try_help(&key).await.unwrap();
    assert_eq!(
        second.message,
        "A burette that leans gives a wrong reading."
    );
    assert_eq!(second.overlay.as_ref().unwrap().element_id, "stand-clamp");
    assert_eq!(second.observed_sequence, 1);
    // Sent again it is the same help; another session's is another request.
    assert_eq!(run.try_help(&key).await.unwrap(), second);
    let other = Run::titration(&ada).await;
    let refused = other.try_help(&key).await.unwrap_err();
    check_refusal(
        &refused,
        Code::Aborted,
        ErrorReason::IdempotencyConflict,
        "",
    );

    // What is undone is told as such.
    run.observe(vec![variable("PPE.GOGGLES", Value::Truth(false))])
        .await;
    until_at(&mut run, "goggles").await;
    let back = run.help().await;
    assert_eq!(back.stepped_back_from, "clamp-burette");

    // The timeline has all of it, and what belongs together says so.
    let read = eventually("goggles", Duration::from_secs(30), async || {
        let read = run.read().await;
        let step_id = &read.session.as_ref()?.step_id;
        (step_id == "goggles").then_some(read)
    })
    .await;
    let session = read.session.unwrap();
    assert_eq!(session.stored_sequence, 2);
    let sources: Vec<_> = session
        .recent_deltas
        .iter()
        .map(|delta| delta.source())
        .collect();
    assert!(sources.contains(&DeltaSource::Telemetry) && sources.contains(&DeltaSource::Gating));
    for event in &read.events {
        assert_eq!(event.contract_version, "v1");
        assert_eq!(event.session_id, session.session_id);
        assert!(event.server_time.is_some() && !event.id.is_empty());
        assert!(!event.related_id.is_empty(), "{event:?}");
    }
    let of_help: Vec<_> = read
        .events
        .iter()
        .filter(|event| event.related_id == second.help_id)
        .map(|event| event.kind.as_str())
        .collect();
    assert_eq!(
        of_help[..4],
        [
            "observation",
            "tutor_request",
            "tutor_response",
            "overlay_requested"
        ]
    );
    let response = read
        .events
        .iter()
        .find(|event| event.related_id == second.help_id && event.kind == "tutor_response");
    assert_eq!(response.unwrap().message, second.message);

    // Staff can have it explained; the record holds the plan.
    let record = Staff::of(&suite).record("ada", &second.help_id).await;
    let facts = record.facts.unwrap();
    assert!(facts.no_model && facts.degraded_reasons.is_empty());
    assert_eq!((facts.model_call, facts.prompt), (None, None));
    assert_eq!(
        facts.verdict.unwrap().fallback_reason(),
        DegradedReason::Unspecified
    );
    let facts = facts.help.unwrap();
    assert_eq!(facts.plan.unwrap().step.unwrap().step_id, "clamp-burette");
    suite.stop();
}

async fn every_step_has_help_and_the_last_is_told(kind: Kind) {
    let suite = without_model(kind).await;
    // A program's token speaks for its learner.
    let ada = suite.student("ada");
    let mut claims = token::claims("lab-simulator", "7b", 3600);
    claims["role"] = "service".into();
    claims["on_behalf_of"] = "ada".into();
    let mut simulator = suite.student("lab-simulator");
    simulator.token = token::signed(&suite.data_dir, &token::header(), &claims);
    let german = OpenHelpSessionRequest {
        procedure_id: "bouncing-ball".to_owned(),
        text_only: true,
        ..opening()
    };
    let text_only = Run::of(&ada, german).await;
    assert!(text_only.session.text_only);
    assert!(text_only.help().await.overlay.is_none());

    let mut run = Run::titration(&simulator).await;
    assert_eq!(run.session.student_id, "ada");
    let number = |name, number| variable(name, Value::Number(number));
    run.observe(vec![
        on("PPE.GOGGLES"),
        on("BURETTE.CLAMPED"),
        on("BURETTE.RINSED"),
        number("BURETTE.POURED", 45.0),
        variable("BURETTE.FUNNEL", Value::Truth(false)),
        variable("BURETTE.AIR", Value::Truth(false)),
        word("BURETTE.TAP", "closed"),
    ])
    .await;
    until_at(&mut run, "note-start").await;
    run.observe(vec![
        on("NOTES.START"),
        number("FLASK.SAMPLE", 25.0),
        variable("FLASK.INDICATOR", Value::Integer(3)),
        on("FLASK.PLACED"),
        word("STIRRER.SPEED", "slow"),
        number("FLASK.TITRANT", 24.6),
        number("FLASK.PH", 8.7),
        word("FLASK.COLOUR", "pale_pink"),
        on("NOTES.END"),
    ])
    .await;
    until_at(&mut run, "").await;
    // The learner presses help of a finished procedure.
    let done = run.seen_by(&ada).help().await;
    assert_eq!(done.status(), HelpStatus::Ok);
    assert_eq!(done.step_status(), StepStatus::Finished);
    assert_eq!(done.message, "Every step of this procedure is complete.");
    assert!(done.overlay.is_none());
}

async fn a_models_words_are_held_to_the_plan(kind: Kind) {
    let home = tempfile::tempdir().unwrap();
    let model = ModelServerProcess::start(&Settings::default(), home.path());
    let options = Options::new()
        .env("HELPER_LLM_BACKEND", "openai_compatible")
        .env("OPENAI_BASE_URL", model.url())
        .env("OPENAI_MODEL", "model");
    let mut suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let run = Run::titration(&ada).await;
    let good = r#"{"status":"ok","step_id":"goggles","message":"What protects your eyes?","overlay":{"intent":"highlight","target":"goggles"}}"#;
    let rows: [(&str, HelpStatus, DegradedReason, bool); 10] = [
        (good, HelpStatus::Ok, DegradedReason::Unspecified, true),
        (
            r#"{"status":"ok","step_id":"goggles","message":"What protects your eyes?"}"#,
            HelpStatus::Ok,
            DegradedReason::Unspecified,
            false,
        ),
        (
            r#"{"status":"fallback","step_id":"goggles","message":"What protects your eyes?"}"#,
            HelpStatus::Fallback,
            DegradedReason::Unspecified,
            false,
        ),
        (
            r#"{"status":"error","step_id":"goggles","message":"I cannot."}"#,
            HelpStatus::Fallback,
            DegradedReason::LlmError,
            true,
        ),
        (
            "Put them on.",
            HelpStatus::Fallback,
            DegradedReason::LlmNonJson,
            true,
        ),
        (
            r#"{"status":"ok","step_id":"clamp-burette","message":"What protects your eyes?"}"#,
            HelpStatus::Fallback,
            DegradedReason::SchemaViolation,
            true,
        ),
        (
            r#"{"status":"ok","step_id":"goggles","message":"So 1/4 + 1/3 = 2/9."}"#,
            HelpStatus::Fallback,
            DegradedReason::FalseMathematics,
            true,
        ),
        (
            r#"{"status":"ok","step_id":"goggles","message":"Look here.","overlay":{"intent":"press","target":"goggles"}}"#,
            HelpStatus::Fallback,
            DegradedReason::OverlayNotAllowed,
            true,
        ),
        (
            r#"{"status":"ok","step_id":"goggles","message":"Look here.","overlay":{"intent":"highlight","target":"lab-goggles; rm -rf"}}"#,
            HelpStatus::Fallback,
            DegradedReason::OverlayNotAllowed,
            true,
        ),
        (
            r#"{"status":"ok","step_id":"goggles","message":"Click the goggles and run the script."}"#,
            HelpStatus::Fallback,
            DegradedReason::UnsafeMessage,
            true,
        ),
    ];
    for (text, status, reason, highlights) in rows {
        let text = text.to_owned();
        model
            .set(&Settings {
                text: text.clone(),
                ..Settings::default()
            })
            .await;
        let help = run.help().await;
        let metadata = help.metadata.clone().unwrap();
        assert_eq!(help.status(), status, "{text}: {help:?}");
        assert_eq!(metadata.fallback_reason(), reason, "{text}: {help:?}");
        assert_eq!(help.overlay.is_some(), highlights, "{text}: {help:?}");
        if let Some(overlay) = &help.overlay {
            assert_eq!(overlay.intent(), OverlayIntent::Highlight);
            assert_eq!(overlay.element_id, "lab-goggles");
        }
        assert_eq!((metadata.model.as_str(), metadata.attempts), ("model", 1));
        assert!(!metadata.prompt_version.is_empty());
        assert_eq!(help.step_id, "goggles");
        assert!(!help.message.contains("2/9"), "{help:?}");
        if reason == DegradedReason::UnsafeMessage {
            assert!(metadata.safety_flags.contains(&"command".to_owned()));
        }
        let kinds = run.kinds().await;
        let refused = kinds
            .iter()
            .filter(|kind| *kind == "overlay_failed refused")
            .count();
        assert_eq!(
            refused > 0,
            reason == DegradedReason::OverlayNotAllowed || reason == DegradedReason::UnsafeMessage,
            "{kinds:?}"
        );
    }
    // Names and words of telemetry stand in the prompt as data; a model that is stalled or broken is waited for no longer than
    // the deadline allows.
    let faults = [
        (Fault::Reset, DegradedReason::LlmTransport),
        (Fault::InternalError, DegradedReason::LlmError),
        (Fault::Stall, DegradedReason::LlmTimeout),
    ];
    for (fault, reason) in faults {
        model
            .set(&Settings {
                script: vec![fault; 8],
                ..Settings::default()
            })
            .await;
        let mut asked = ada.request(StreamHelpRequest {
            session_id: run.id(),
            idempotency_key: fresh_key(),
            ..StreamHelpRequest::default()
        });
        asked.set_timeout(Duration::from_secs(6));
        let mut stream = client(&ada).stream_help(asked).await.unwrap().into_inner();
        let mut stages = 0;
        let help = loop {
            match stream.message().await.unwrap().unwrap().news.unwrap() {
                News::Progress(_) => stages += 1,
                News::Help(help) => break help,
            }
        };
        assert!(stages >= 2);
        assert_eq!(help.status(), HelpStatus::Fallback);
        assert_eq!(
            help.metadata.unwrap().fallback_reason(),
            reason,
            "{fault:?}"
        );
        assert_eq!(help.overlay.unwrap().element_id, "lab-goggles");
    }
    suite.stop();
}
