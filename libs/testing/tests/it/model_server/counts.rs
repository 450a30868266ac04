//! What the model server counts, and what a seed repeats.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncReadExt;
use turnwise_testing::{
    choices::Choices,
    model_server::{Fault, Mix, ServiceTime, Settings, Statistics},
};

use super::{ask, chat, post, send, server, until};

#[tokio::test]
async fn a_caller_that_goes_away_is_seen() {
    let server = server(Settings::default()).await;
    for (n, model) in ["fault:stall", "fault:stall_midway"]
        .into_iter()
        .enumerate()
    {
        let mut stream = send(&server, "POST", "/v1/chat/completions", &chat(model, true)).await;
        if model == "fault:stall_midway" {
            assert_ne!(stream.read_u8().await.unwrap(), 0);
        }
        until(&server, |seen| seen.completions.in_flight == 1).await;
        drop(stream);
        until(&server, |seen| seen.completions.cancelled == n as u64 + 1).await;
        assert_eq!(server.statistics().completions.in_flight, 0);
    }
}

#[tokio::test]
async fn calls_at_once_are_counted_and_so_is_their_time() {
    let time = Duration::from_millis(40);
    let settings = Settings {
        service_time: ServiceTime::constant(time),
        ..Settings::default()
    };
    let server = server(settings).await;
    for round in 1..=2 {
        let calls = (0..3).map(|n| post(&server, "/v1/chat/completions", chat("m", n == 0)));
        for answer in futures_util::future::join_all(calls).await {
            assert!(answer.unwrap().whole);
        }
        let seen = server.statistics().completions;
        assert_eq!(
            (seen.begun, seen.ended, seen.max_in_flight),
            (3 * round, 3 * round, 3)
        );
    }
    let seen = server.statistics().completions;
    let three = seen.seconds_with(3);
    assert!(three <= seen.seconds_with(1) && seen.seconds_with(1) >= 2.0 * time.as_secs_f64());
    // From the first begin of the first round to the last one of the second, it had at most three to do.
    let busy = seen.busy_between_begins(3).unwrap();
    assert!(busy > 0.0 && busy <= 1.0, "{busy}");

    server.reset_statistics();
    assert_eq!(server.statistics(), Statistics::default());
    assert_eq!(server.statistics().completions.busy_between_begins(3), None);
}

#[tokio::test]
async fn a_script_comes_before_the_mix_and_a_seed_repeats_it() {
    let mix = Settings {
        script: vec![
            "500".parse().unwrap(),
            Fault::None,
            "429:3".parse().unwrap(),
        ],
        mix: Some(Mix {
            share: 0.5,
            faults: vec![Fault::InternalError, Fault::TooManyRequests(None)],
        }),
        seed: 7,
        ..Settings::default()
    };
    let server = server(Settings::default()).await;
    let mut rounds = Vec::new();
    for _ in 0..2 {
        let set = ask(
            &server,
            "PUT",
            "/control/settings",
            &serde_json::to_value(&mix).unwrap(),
        )
        .await;
        assert_eq!(set.unwrap().status, 200);
        let mut statuses = Vec::new();
        for _ in 0..43 {
            statuses.push(
                post(&server, "/api/chat", chat("m", false))
                    .await
                    .unwrap()
                    .status,
            );
        }
        assert_eq!(statuses[..3], [500, 200, 429]);
        let good = statuses[3..]
            .iter()
            .filter(|status| **status == 200)
            .count();
        assert!((8..32).contains(&good), "{statuses:?}");
        rounds.push(statuses);
    }
    assert_eq!(rounds[0], rounds[1]);

    let told = ask(&server, "GET", "/control/statistics", &json!(null))
        .await
        .unwrap();
    let told: Statistics = serde_json::from_str(&told.body).unwrap();
    assert_eq!(told.faults, server.statistics().faults);
    assert_eq!(told.completions.begun, 86);
    let forgotten = ask(&server, "DELETE", "/control/statistics", &json!(null))
        .await
        .unwrap();
    assert_eq!(
        (forgotten.status, server.statistics().completions.begun),
        (200, 0)
    );
    let odd = ask(&server, "PUT", "/control/settings", &json!({"slots": 2}))
        .await
        .unwrap();
    assert_eq!(odd.status, 400);
}

#[test]
fn service_times_are_distributed_as_they_are_named() {
    let mut choices = Choices::new(3);
    for (times, mean) in [
        (ServiceTime::Constant { ms: 8.0 }, 8.0),
        (
            ServiceTime::Uniform {
                from_ms: 4.0,
                to_ms: 8.0,
            },
            6.0,
        ),
        (ServiceTime::Exponential { mean_ms: 5.0 }, 5.0),
    ] {
        let drawn: Vec<f64> = (0..20_000)
            .map(|_| times.draw(&mut choices).as_secs_f64() * 1000.0)
            .collect();
        let seen = drawn.iter().sum::<f64>() / drawn.len() as f64;
        assert!((seen - mean).abs() < 0.1, "{times:?}: {seen}");
    }
}
