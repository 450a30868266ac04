//! Fifty at once of the same grade and of the same turn.

use futures_util::future::join_all;
use turnwise_kit::client::GrpcClient;
use turnwise_testing::redis::RedisServer;
use turnwise_tests::standalone_service::StandaloneService;

use super::{
    acknowledged::{grades, turns},
    calls::{Call, Grade, TakenTurn, Turn, open_thread},
    retries::Sender,
};

const COPIES: usize = 50;
/// Grades of the same student that are sent at the same time, each of them [`COPIES`] times.
const GRADES: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn on_two_replicas() {
    let redis = RedisServer::start().unwrap();
    let mut replicas = [(); 2].map(|()| StandaloneService::session(&redis.url(), &[]));
    count_once(&replicas.each_ref().map(StandaloneService::client)).await;
    for replica in &mut replicas {
        replica.stop();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn embedded() {
    let home = tempfile::tempdir().unwrap();
    let store = format!("embedded:{}", home.path().join("session.redb").display());
    let mut service = StandaloneService::session(&store, &[]);
    count_once(&[service.client()]).await;
    service.stop();
}

async fn count_once(replicas: &[GrpcClient]) {
    let thread = open_thread(&replicas[0], "ada").await.unwrap();
    let replica = |copy: usize| replicas[copy % replicas.len()].clone();
    let mut sent = Vec::new();
    for grade in 0..GRADES {
        let grade = Grade::new(&thread.student, &format!("grade-{grade}"));
        for copy in 0..COPIES {
            // Half of them are the same call again; the others know only that it is the same drill.
            let mut grade = grade.clone();
            if copy % 4 >= 2 {
                grade.key = format!("press-{copy}-of-{}", grade.name);
            }
            let mut sender = Sender::to(replica(copy));
            let mut call = Call::Grade(grade);
            sent.push(tokio::spawn(async move { sender.deliver(&mut call).await }));
        }
    }
    let turn = Turn {
        thread: thread.clone(),
        name: "turn-0".to_owned(),
    };
    for copy in 0..COPIES {
        let mut call = Call::Turn(TakenTurn::new(turn.clone()));
        let mut sender = Sender::to(replica(copy));
        sent.push(tokio::spawn(async move { sender.deliver(&mut call).await }));
    }
    for copy in join_all(sent).await {
        copy.unwrap();
    }
    assert_eq!(grades(&replicas[0], &thread.student).await.len(), GRADES);
    assert_eq!(turns(&replicas[0], &thread).await.len(), 1);
}
