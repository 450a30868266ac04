//! What is shown: asked for, acknowledged, asked for once more, failed, cleared.

use std::time::Duration;

use tonic::Code;
use turnwise_proto::{
    common::v1::ErrorReason,
    procedure::v1::{OverlayIntent, OverlayState},
};
use turnwise_tests::{
    deployment::Deployment,
    eventually::eventually,
    options::{Kind, Options},
    procedure::{Run, next_overlay, on},
    refusal::check_refusal,
    student::fresh_key,
};

use super::without_model;

in_both_deployments!(
    one_highlight_at_a_time_acknowledged_and_cleared,
    silence_is_asked_once_more_and_then_told,
);

async fn one_highlight_at_a_time_acknowledged_and_cleared(kind: Kind) {
    let suite = without_model(kind).await;
    let ada = suite.student("ada");
    let mut run = Run::titration(&ada).await;
    let mut watched = run.watch(0).await;
    let help = run.help().await;
    let (event, shown) = next_overlay(&mut watched).await;
    assert_eq!(shown, help.overlay.unwrap());
    assert_eq!(
        (event.kind.as_str(), &event.related_id),
        ("overlay_requested", &help.help_id)
    );
    assert_eq!(event.in_reply_to, help.help_id);
    assert!(shown.expire_time.is_some());

    let id = &shown.overlay_id;
    let applied = run
        .acknowledge(id, OverlayState::Applied, "")
        .await
        .unwrap();
    assert_eq!(applied.state(), OverlayState::Applied);
    // Twice is once, and the first word counts.
    for outcome in [OverlayState::Applied, OverlayState::Failed] {
        assert_eq!(run.acknowledge(id, outcome, "").await.unwrap(), applied);
    }
    // Another session's is none of this.
    let mut other = Run::titration(&ada).await;
    let foreign = other.help().await.overlay.unwrap();
    let refused = run
        .acknowledge(&foreign.overlay_id, OverlayState::Applied, "")
        .await;
    let refused = refused.unwrap_err();
    check_refusal(
        &refused,
        Code::InvalidArgument,
        ErrorReason::InvalidArgument,
        "overlay_id",
    );
    assert_eq!(
        other.read().await.session.unwrap().overlay.unwrap().state(),
        OverlayState::Requested
    );
    let failed = other.acknowledge(&foreign.overlay_id, OverlayState::Failed, "no_such_element");
    assert_eq!(failed.await.unwrap().state(), OverlayState::Failed);
    assert!(
        other
            .kinds()
            .await
            .contains(&"overlay_failed no_such_element".to_owned())
    );
    other.observe(vec![on("PPE.GOGGLES")]).await;

    // The next takes its place, and a late word about the one before changes nothing.
    let next = run.help().await.overlay.unwrap();
    let (_, shown) = next_overlay(&mut watched).await;
    assert_eq!(shown, next);
    let late = run.acknowledge(id, OverlayState::Failed, "").await.unwrap();
    assert_eq!(late, next);

    // Once the step is complete the highlight is cleared, though nobody asks.
    run.observe(vec![on("PPE.GOGGLES")]).await;
    let (event, cleared) = next_overlay(&mut watched).await;
    assert_eq!(cleared.intent(), OverlayIntent::Clear);
    assert_eq!(
        (event.detail.as_str(), cleared.element_id.as_str()),
        ("step_over", "lab-goggles")
    );
    let applied = run
        .acknowledge(&cleared.overlay_id, OverlayState::Applied, "")
        .await
        .unwrap();
    assert_eq!(
        (applied.intent(), applied.state()),
        (OverlayIntent::Clear, OverlayState::Applied)
    );
    assert_eq!(
        run.kinds()
            .await
            .into_iter()
            .filter(|kind| kind.starts_with("overlay"))
            .collect::<Vec<_>>(),
        [
            "overlay_requested",
            "overlay_applied",
            "overlay_requested",
            "overlay_requested step_over",
            "overlay_applied",
        ]
    );
    // A watch that was cut goes on behind the last that it had.
    drop(watched);
    let mut watched = run.watch(event.event_id).await;
    let next = run.help().await.overlay.unwrap();
    assert_eq!(next_overlay(&mut watched).await.1, next);
    assert_eq!(next.element_id, "stand-clamp");
}

async fn silence_is_asked_once_more_and_then_told(kind: Kind) {
    let options = Options::new()
        .env("HELPER_LLM_BACKEND", "none")
        .env("HELP_ACK_SECONDS", "1")
        .env("HELP_HIGHLIGHT_SECONDS", "60");
    let mut suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let run = Run::titration(&ada).await;
    let mut watched = run.watch(0).await;
    let first = run.help().await.overlay.unwrap();
    assert_eq!(next_overlay(&mut watched).await.1.attempt, 1);
    // Though whoever was asked dies meanwhile.
    let public = suite.public_service();
    suite.kill(public);
    suite.restart(public);
    let mut watched = run.watch(0).await;
    let mut last = next_overlay(&mut watched).await;
    while last.1.attempt == 1 {
        last = next_overlay(&mut watched).await;
    }
    assert_eq!((last.1.attempt, last.0.detail.as_str()), (2, "again"));
    assert_eq!(last.1.overlay_id, first.overlay_id);
    let failed = eventually("overlay_failed", Duration::from_secs(60), async || {
        let session = run.read().await.session.unwrap();
        session
            .overlay
            .filter(|overlay| overlay.state() == OverlayState::Failed)
    });
    assert_eq!(failed.await.attempt, 2);
    let kinds = run.kinds().await;
    let of_overlays: Vec<_> = kinds
        .iter()
        .filter(|kind| kind.starts_with("overlay"))
        .collect();
    assert_eq!(
        of_overlays,
        [
            "overlay_requested",
            "overlay_requested again",
            "overlay_failed no_ack"
        ]
    );
    // Too late is too late.
    let late = run
        .acknowledge(&first.overlay_id, OverlayState::Applied, "")
        .await
        .unwrap();
    assert_eq!(late.state(), OverlayState::Failed);
    assert!(run.try_help(&fresh_key()).await.is_ok());
    suite.stop();
}
