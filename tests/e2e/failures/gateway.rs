//! gateway-svc is killed or stalled in the middle of a call: tried again with the same key at another one, there is one
//! answer, and evidence counts once.

use std::{sync::Arc, time::Duration};

use turnwise_tests::{
    answer::check_answer,
    deployment::Deployment,
    eventually::eventually,
    evidence::{Seed, drilled},
    fault_proxy::{FaultProxy, When},
    options::Service,
    student::{DEMO_COURSE, saying},
};

use super::{
    BACK, Blow, OPEN, PATIENT, QUESTION,
    calls::{drill, exam, grade, submit, turn},
    counted, options, proxied, until_well,
};

/// The deadline of a call whose gateway will not answer.
const CUT_OFF: Duration = Duration::from_secs(4);

#[tokio::test(flavor = "multi_thread")]
async fn in_the_middle_of_turns() {
    let ([session, llm], mut suite, ada) = proxied(
        options().twice(Service::Gateway),
        [Service::Session, Service::Llm],
    )
    .await;
    let elsewhere = suite.at_second_gateway(&ada);
    let points = [
        (&session, "BeginTurn", When::After),
        (&llm, "Complete", When::Before),
        (&session, "CommitTurn", When::Before),
        (&session, "CommitTurn", When::After),
    ];
    for blow in Blow::BOTH {
        for (proxy, method, when) in points {
            println!("gateway-svc {blow:?} {when:?} {method}");
            let thread = ada.open(DEMO_COURSE).await;
            let strike = blow.at(&mut suite, Service::Gateway);
            let struck = proxy.strike_at(method, when, strike);
            let asked = saying(&thread, QUESTION);
            let cut_off = ada.turn_within(asked.clone(), CUT_OFF).await;
            cut_off.expect_err("the gateway is gone");
            struck.await.unwrap();
            let answer = eventually("the turn is taken elsewhere", BACK, async || {
                turn(&suite, &elsewhere, &asked, PATIENT).await.ok()
            })
            .await;
            check_answer(&thread, &answer);
            assert_eq!(
                elsewhere.messages(&thread.thread_id, 50).await,
                answer.messages
            );
            blow.over(&mut suite, Service::Gateway);
            // Whatever a stalled gateway still does, this is the answer.
            until_well(&suite, &ada).await;
            assert_eq!(turn(&suite, &ada, &asked, PATIENT).await.unwrap(), answer);
            assert_eq!(ada.messages(&thread.thread_id, 50).await, answer.messages);
        }
    }
    suite.nothing_panicked();
}

#[tokio::test(flavor = "multi_thread")]
async fn in_the_middle_of_grades_and_exams() {
    let (session, policy) = (
        Arc::new(FaultProxy::start().await),
        Arc::new(FaultProxy::start().await),
    );
    let ready = |id: &str| Seed::units(id, DEMO_COURSE, vec![drilled(OPEN)]);
    let mut options = options()
        .twice(Service::Gateway)
        .proxy(Service::Session, &session)
        .proxy(Service::Policy, &policy);
    let points = [
        (&session, "BeginEvidence", When::After),
        (&policy, "ApplyEvidence", When::After),
        (&session, "CommitEvidence", When::Before),
        (&session, "CommitEvidence", When::After),
    ];
    for n in 0..2 * points.len() {
        options = options.evidence(ready(&format!("nia-{n}")));
    }
    let mut suite = Deployment::five_processes(options).await;
    let ada = suite.student("ada");
    until_well(&suite, &ada).await;
    for (n, (blow, (proxy, method, when))) in Blow::BOTH
        .into_iter()
        .flat_map(|blow| points.map(|point| (blow, point)))
        .enumerate()
    {
        println!("gateway-svc {blow:?} {when:?} {method}");
        let elsewhere = suite.at_second_gateway(&ada);
        let thread = ada.open(DEMO_COURSE).await;
        let count = counted(&suite, &ada, OPEN).await;
        let grading = drill(&ada, &thread, n % 2 == 0).await;
        let strike = blow.at(&mut suite, Service::Gateway);
        let struck = proxy.strike_at(method, when, strike);
        let mut request = ada.request(grading.clone());
        request.set_timeout(CUT_OFF);
        let cut_off = ada.client().grade_drill(request).await;
        cut_off.expect_err("the gateway is gone");
        struck.await.unwrap();
        let graded = grade(&suite, &elsewhere, &grading, PATIENT).await.unwrap();
        assert!(graded.evidence_recorded);
        assert_eq!(
            counted(&suite, &ada, OPEN).await,
            (count.0 + 1, count.1 + 1)
        );
        blow.over(&mut suite, Service::Gateway);
        until_well(&suite, &ada).await;
        assert_eq!(
            grade(&suite, &ada, &grading, PATIENT).await.unwrap(),
            graded
        );
        assert_eq!(
            counted(&suite, &ada, OPEN).await,
            (count.0 + 1, count.1 + 1)
        );

        let nia = suite.student(&format!("nia-{n}"));
        let elsewhere = suite.at_second_gateway(&nia);
        let thread = nia.open(DEMO_COURSE).await;
        let (_, version) = counted(&suite, &nia, OPEN).await;
        let submission = exam(&nia, &thread, n % 2 == 0).await;
        let strike = blow.at(&mut suite, Service::Gateway);
        let struck = proxy.strike_at(method, when, strike);
        let mut request = nia.request(submission.clone());
        request.set_timeout(CUT_OFF);
        let cut_off = nia.client().submit_exam_answer(request).await;
        cut_off.expect_err("the gateway is gone");
        struck.await.unwrap();
        let result = submit(&suite, &elsewhere, &submission, PATIENT)
            .await
            .unwrap();
        assert!(result.recorded);
        assert_eq!(counted(&suite, &nia, OPEN).await.1, version + 1);
        blow.over(&mut suite, Service::Gateway);
        until_well(&suite, &ada).await;
        assert_eq!(
            submit(&suite, &nia, &submission, PATIENT).await.unwrap(),
            result
        );
        assert_eq!(counted(&suite, &nia, OPEN).await.1, version + 1);
    }
    suite.nothing_panicked();
}
