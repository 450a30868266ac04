//! session-svc's Redis fails: the same as if session-svc did, and what was acknowledged is there.

use std::time::Duration;

use rustix::process::Pid;
use turnwise_testing::redis::{RedisServer, ServerOptions};
use turnwise_tests::{
    answer::check_answer,
    deployment::Deployment,
    eventually::eventually,
    fault_proxy::When,
    options::Service,
    process,
    student::{DEMO_COURSE, saying},
};

use super::{
    BACK, Blow, OPEN, PATIENT, QUESTION,
    calls::{drill, grade, turn},
    check_unavailable, counted, options, proxied, until_well,
};

/// What strikes Redis, from anywhere, and returns when it does nothing more.
fn strike(redis: &RedisServer, blow: Blow) -> impl FnOnce() + Send + 'static {
    let info = redis.command(&["INFO", "server"]).unwrap().text();
    let id = info
        .lines()
        .find_map(|line| line.strip_prefix("process_id:"))
        .and_then(|id| id.trim().parse().ok());
    let pid = Pid::from_raw(id.unwrap()).unwrap();
    // It is a child of this process, and is waited for only when it is over.
    move || process::strike(pid, blow.signal())
}

/// Redis is there again, with all that it had.
fn over(suite: &mut Deployment, blow: Blow) {
    match blow {
        Blow::Killed => suite.redis_mut().start_again().unwrap(),
        Blow::Stalled => suite.redis_mut().cont().unwrap(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_or_stalled_in_the_middle_of_calls() {
    let durable = ServerOptions::default()
        .persistent()
        .set("appendfsync", "always");
    let ([policy], mut suite, ada) = proxied(options().redis(durable), [Service::Policy]).await;
    for blow in Blow::BOTH {
        for within in [5, 8].map(Duration::from_secs) {
            println!("Redis {blow:?} before a turn is written");
            let thread = ada.open(DEMO_COURSE).await;
            let strike = strike(suite.redis().unwrap(), blow);
            let struck = policy.strike_at("ResolveReply", When::After, strike);
            let asked = saying(&thread, QUESTION);
            let refused = turn(&suite, &ada, &asked, within).await.unwrap_err();
            struck.await.unwrap();
            check_unavailable(&refused);
            let refused = turn(&suite, &ada, &asked, within).await.unwrap_err();
            check_unavailable(&refused);
            over(&mut suite, blow);
            let answer = eventually("the turn is taken", BACK, async || {
                turn(&suite, &ada, &asked, PATIENT).await.ok()
            })
            .await;
            check_answer(&thread, &answer);
            assert_eq!(ada.messages(&thread.thread_id, 50).await, answer.messages);

            println!("Redis {blow:?} before a grade is written");
            let count = counted(&suite, &ada, OPEN).await;
            let grading = drill(&ada, &thread, true).await;
            let strike = self::strike(suite.redis().unwrap(), blow);
            let struck = policy.strike_at("ApplyEvidence", When::After, strike);
            let refused = grade(&suite, &ada, &grading, within).await.unwrap_err();
            struck.await.unwrap();
            check_unavailable(&refused);
            over(&mut suite, blow);
            let graded = eventually("the drill is graded", BACK, async || {
                grade(&suite, &ada, &grading, PATIENT).await.ok()
            })
            .await;
            assert!(graded.evidence_recorded);
            assert_eq!(
                counted(&suite, &ada, OPEN).await,
                (count.0 + 1, count.1 + 1)
            );
        }
    }
    until_well(&suite, &ada).await;
    suite.stop();
}
