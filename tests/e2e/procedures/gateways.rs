//! A session whose observations go through one gateway and then through another.

use std::time::Duration;

use tonic::Code;
use turnwise_proto::procedure::v1::{HelpSession, variable::Value};
use turnwise_tests::{
    deployment::Deployment,
    eventually::eventually,
    options::{Kind, Options, Service},
    procedure::{Run, variable},
};

use super::observations::Stream;

const POURED: &str = "BURETTE.POURED";
const RINSED: &str = "BURETTE.RINSED";

/// Five processes with two gateways, and the same run at each of them.
async fn at_both() -> (Deployment, Run, Run) {
    let options = Options::new()
        .env("HELPER_LLM_BACKEND", "none")
        .twice(Service::Gateway);
    let suite = Deployment::start(Kind::FiveProcesses, options).await;
    let ada = suite.student("ada");
    let here = Run::titration(&ada).await;
    let there = here.seen_by(&suite.at_second_gateway(&ada));
    (suite, here, there)
}

/// The session once this observation is stored.
async fn until_stored(run: &Run, sequence: i64) -> HelpSession {
    eventually("it is stored", Duration::from_secs(30), async || {
        let session = run.read().await.session?;
        (session.stored_sequence >= sequence).then_some(session)
    })
    .await
}

/// The first gateway was told the same before, and knows nothing of what the second one was told in between.
#[tokio::test(flavor = "multi_thread")]
async fn the_last_word_counts_whoever_is_told() {
    let (mut suite, mut here, mut there) = at_both().await;
    let words = [(true, true), (false, false), (true, true)];
    for (number, (rinsed, is_here)) in (1..).zip(words) {
        let run = if is_here { &mut here } else { &mut there };
        let mut observation = run.next(vec![variable(RINSED, Value::Truth(rinsed))]);
        observation.sequence = number;
        run.send(observation).await.unwrap();
        let session = until_stored(run, number).await;
        let word = variable(RINSED, Value::Truth(rinsed));
        assert_eq!(session.variables, [word], "{number}");
    }
    suite.stop();
}

/// The first gateway stops with something that is not stored, and goes on when the client is elsewhere.
#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_was_away_overwrites_nothing_newer() {
    let (mut suite, mut here, mut there) = at_both().await;
    let poured = |sequence: i64| variable(POURED, Value::Number(sequence as f64));
    let (mut stream, _) = Stream::open(&here).await;
    stream.send(here.next(vec![poured(1)])).await;
    stream.until_stored(1).await;
    for sequence in 2..=7 {
        stream.send(here.next(vec![poured(sequence)])).await;
    }
    suite.process(Service::Gateway).pause();
    let (mut other, _) = Stream::open(&there).await;
    for sequence in 2..=9 {
        let mut observation = there.next(vec![poured(sequence)]);
        observation.sequence = sequence;
        other.send(observation).await;
    }
    other.until_stored(9).await;
    suite.process(Service::Gateway).go_on();
    // It stores what it has over what is there.
    let rinsed = variable(RINSED, Value::Truth(true));
    let mut observation = here.next(vec![rinsed.clone()]);
    observation.sequence = 10;
    stream.send(observation).await;
    stream.until_stored(10).await;
    let session = until_stored(&here, 10).await;
    assert_eq!(session.variables, [poured(9), rinsed]);
    suite.stop();
}

/// An orderly stop stores what came and ends the stream; nothing is begun anew meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_is_stopped_ends_its_streams() {
    let (mut suite, mut here, there) = at_both().await;
    let (mut stream, _) = Stream::open(&here).await;
    stream
        .send(here.next(vec![variable(POURED, Value::Number(1.0))]))
        .await;
    stream.until_stored(1).await;
    suite.process(Service::Gateway).terminate();
    let ended = loop {
        match stream.receipts.message().await {
            Ok(Some(next)) => assert_eq!(next.receipt.unwrap().stored_sequence, 1),
            Ok(None) => panic!("it ended as if no more were to come"),
            Err(ended) => break ended,
        }
    };
    assert_eq!(ended.code(), Code::Unavailable, "{ended}");
    assert_eq!(until_stored(&there, 1).await.stored_sequence, 1);
    suite.stop();
}
