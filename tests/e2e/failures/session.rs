//! session-svc fails: the call is refused with a time to try again, and tried again with the same key it is done once.

use std::time::Duration;

use turnwise_tests::{
    answer::check_answer,
    deployment::Deployment,
    eventually::eventually,
    fault_proxy::{InjectedFault, When},
    options::Service,
    student::{DEMO_COURSE, new_thread, saying},
};

use super::{
    BACK, Blow, OPEN, PATIENT, QUESTION,
    calls::{drill, grade, turn},
    check_unavailable, counted, options, proxied, until_well,
};

#[tokio::test(flavor = "multi_thread")]
async fn killed_or_stalled_in_the_middle_of_calls() {
    let ([policy, llm], mut suite, ada) = proxied(options(), [Service::Policy, Service::Llm]).await;
    for blow in Blow::BOTH {
        for within in [5, 8, 20].map(Duration::from_secs) {
            println!("session-svc {blow:?} before a turn is written");
            let thread = ada.open(DEMO_COURSE).await;
            let strike = blow.at(&mut suite, Service::Session);
            let struck = llm.strike_at("Complete", When::Before, strike);
            let asked = saying(&thread, QUESTION);
            let refused = turn(&suite, &ada, &asked, within).await.unwrap_err();
            struck.await.unwrap();
            check_unavailable(&refused);
            // A turn that cannot even begin.
            let refused = turn(&suite, &ada, &asked, within).await.unwrap_err();
            check_unavailable(&refused);
            blow.over(&mut suite, Service::Session);
            let answer = eventually("the turn is taken", BACK, async || {
                turn(&suite, &ada, &asked, PATIENT).await.ok()
            })
            .await;
            check_answer(&thread, &answer);
            assert_eq!(turn(&suite, &ada, &asked, PATIENT).await.unwrap(), answer);
            assert_eq!(ada.messages(&thread.thread_id, 50).await, answer.messages);
        }
        let thread = ada.open(DEMO_COURSE).await;
        for (method, proxy) in [("CheckDrill", &policy), ("ApplyEvidence", &policy)] {
            println!("session-svc {blow:?} at {method}");
            let count = counted(&suite, &ada, OPEN).await;
            let grading = drill(&ada, &thread, false).await;
            let strike = blow.at(&mut suite, Service::Session);
            let struck = proxy.strike_at(method, When::After, strike);
            let within = Duration::from_secs(5);
            let refused = grade(&suite, &ada, &grading, within).await.unwrap_err();
            struck.await.unwrap();
            check_unavailable(&refused);
            blow.over(&mut suite, Service::Session);
            let graded = eventually("the drill is graded", BACK, async || {
                grade(&suite, &ada, &grading, PATIENT).await.ok()
            })
            .await;
            assert!(graded.evidence_recorded);
            let again = grade(&suite, &ada, &grading, PATIENT).await.unwrap();
            assert_eq!(again, graded);
            assert_eq!(
                counted(&suite, &ada, OPEN).await,
                (count.0 + 1, count.1 + 1)
            );
        }
    }
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_and_opening_threads_end_in_time() {
    let mut suite = Deployment::five_processes(options()).await;
    let ada = suite.student("ada");
    until_well(&suite, &ada).await;
    let thread = ada.open(DEMO_COURSE).await;
    for blow in Blow::BOTH {
        blow.at(&mut suite, Service::Session)();
        for within in [2, 5].map(Duration::from_secs) {
            println!("session-svc {blow:?}: reading");
            for refused in super::calls::reads(&suite, &ada, &thread, within).await {
                check_unavailable(&refused.unwrap_err());
            }
        }
        blow.over(&mut suite, Service::Session);
        eventually("a thread is made again", BACK, async || {
            ada.create_thread(new_thread(DEMO_COURSE)).await.ok()
        })
        .await;
    }
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_in_turns() {
    let ([session], mut suite, ada) = proxied(options(), [Service::Session]).await;
    let silent = ("nothing, once it is done", InjectedFault::SilenceAfter);
    for method in ["BeginTurn", "CommitTurn"] {
        for (garbage, fault) in InjectedFault::garbage().into_iter().chain([silent.clone()]) {
            println!("session-svc answers {method} with {garbage}");
            // An empty answer to a commit says that it is done.
            if method == "CommitTurn" && matches!(fault, InjectedFault::Empty) {
                continue;
            }
            let thread = ada.open(DEMO_COURSE).await;
            session.inject(method, fault);
            let asked = saying(&thread, QUESTION);
            let refused = turn(&suite, &ada, &asked, Duration::from_secs(5)).await;
            session.leave_alone();
            check_unavailable(&refused.expect_err("garbage is no word"));
            let answer = eventually("the turn is taken", BACK, async || {
                turn(&suite, &ada, &asked, PATIENT).await.ok()
            })
            .await;
            check_answer(&thread, &answer);
            assert_eq!(ada.messages(&thread.thread_id, 50).await, answer.messages);
        }
    }
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_in_grades() {
    let ([session], mut suite, ada) = proxied(options(), [Service::Session]).await;
    let thread = ada.open(DEMO_COURSE).await;
    let silent = ("nothing, once it is done", InjectedFault::SilenceAfter);
    for method in ["BeginEvidence", "CommitEvidence"] {
        for (garbage, fault) in InjectedFault::garbage().into_iter().chain([silent.clone()]) {
            println!("session-svc answers {method} with {garbage}");
            let count = counted(&suite, &ada, OPEN).await;
            let grading = drill(&ada, &thread, true).await;
            session.inject(method, fault);
            let refused = grade(&suite, &ada, &grading, Duration::from_secs(5)).await;
            session.leave_alone();
            check_unavailable(&refused.expect_err("garbage is no word"));
            let graded = grade(&suite, &ada, &grading, PATIENT).await.unwrap();
            assert!(graded.evidence_recorded);
            assert_eq!(
                counted(&suite, &ada, OPEN).await,
                (count.0 + 1, count.1 + 1)
            );
        }
    }
    suite.stop();
}
