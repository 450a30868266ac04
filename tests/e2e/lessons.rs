//! A lesson that goes on while something is killed: the same as scripts/try-image holds at the image.

use tonic::transport::Endpoint;
use turnwise_testing::redis::ServerOptions;
use turnwise_tests::{
    deployment::Deployment,
    lesson::{School, hold},
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

#[tokio::test(flavor = "multi_thread")]
async fn a_lesson_in_which_redis_is_killed() {
    let options = Options::new().redis(ServerOptions::default().persistent());
    let mut suite = Deployment::five_processes(options).await;
    let school = school(&suite);
    let held = hold(&school, PUPILS, async {
        suite.redis_mut().kill();
        suite.redis_mut().start_again().unwrap();
    })
    .await;
    assert_eq!(held.pupils, PUPILS);
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lesson_in_which_the_store_is_killed() {
    let mut suite = Deployment::five_processes(Options::new()).await;
    let school = school(&suite);
    let held = hold(&school, PUPILS, async {
        suite.kill(Service::Session);
        suite.restart(Service::Session);
    })
    .await;
    assert!(held.repeated > 0, "the kill was met: {held}");
    suite.stop();
}
