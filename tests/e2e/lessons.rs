//! A lesson that goes on while something is killed: the same as scripts/try-image holds at the image.

use tokio::sync::oneshot;
use tonic::transport::Endpoint;
use turnwise_testing::redis::ServerOptions;
use turnwise_tests::{
    deployment::Deployment,
    lesson::{Held, School, hold},
    options::{Kind, Options, Service},
};

/// Pupils of the class.
const PUPILS: usize = 6;

in_both_deployments!(a_lesson);

fn school(suite: &Deployment) -> School {
    School {
        endpoint: Endpoint::from_shared(suite.endpoint()).unwrap(),
        issuer: suite.data_dir.clone(),
    }
}

async fn a_lesson(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let held = hold(&school(&suite), PUPILS, async {}).await;
    assert_eq!(held.pupils, PUPILS);
    assert_eq!(held.repeated, 0, "nobody was refused: {held}");
    suite.stop();
}

/// Holds a lesson, in the middle of which `strike` happens, while it goes on.
async fn struck(suite: &mut Deployment, strike: impl FnOnce(&mut Deployment)) -> Held {
    let school = school(suite);
    let (half, at_half) = oneshot::channel();
    let (done, struck) = oneshot::channel();
    let lesson = tokio::spawn(async move {
        hold(&school, PUPILS, async {
            half.send(()).unwrap();
            struck.await.unwrap();
        })
        .await
    });
    at_half.await.unwrap();
    strike(suite);
    done.send(()).unwrap();
    lesson.await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_is_killed_in_a_lesson() {
    let options = Options::new().redis(ServerOptions::default().persistent());
    let mut suite = Deployment::five_processes(options).await;
    let held = struck(&mut suite, |suite| {
        suite.redis_mut().kill();
        suite.redis_mut().start_again().unwrap();
    })
    .await;
    assert_eq!(held.pupils, PUPILS);
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_store_is_killed_in_a_lesson() {
    let mut suite = Deployment::five_processes(Options::new()).await;
    let held = struck(&mut suite, |suite| {
        suite.kill(Service::Session);
        suite.restart(Service::Session);
    })
    .await;
    assert!(held.repeated > 0, "the kill was met: {held}");
    suite.stop();
}
