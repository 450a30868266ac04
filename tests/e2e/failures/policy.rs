//! policy-svc fails: a fixed safe text, no card, and no model is called; a grade waits for a retry.

use std::time::Duration;

use turnwise_proto::policy::v1::{PlanAndDecideResponse, ResolveReplyResponse};
use turnwise_tests::{
    eventually::eventually,
    fault_proxy::{InjectedFault, When},
    options::Service,
    student::{DEMO_COURSE, saying},
};

use super::{
    BACK, Blow, OPEN, PATIENT, QUESTION,
    calls::{drill, grade, turn},
    check_safe, check_unavailable, counted, options, proxied, reasons, record, until_well,
};

/// The plan without the decision: it is asked for by a call of its own.
fn undecided() -> InjectedFault {
    InjectedFault::edited(|planned: &mut PlanAndDecideResponse| planned.decision = None)
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_or_stalled_in_the_middle_of_turns() {
    let ([policy, retrieval, llm], mut suite, ada) = proxied(
        options(),
        [Service::Policy, Service::Retrieval, Service::Llm],
    )
    .await;
    let points = [
        ("before the plan", &retrieval, "MapMessage", When::Before, 0),
        // The decision runs beside the search, so a call of retrieval-svc may come too late.
        (
            "before a decision of its own",
            &policy,
            "PlanAndDecide",
            When::After,
            0,
        ),
        ("before the verdict", &llm, "Complete", When::Before, 1),
    ];
    policy.inject("PlanAndDecide", undecided());
    for blow in Blow::BOTH {
        for (point, proxy, method, when, model_calls) in points {
            for within in [5, 8].map(Duration::from_secs) {
                println!("policy-svc {blow:?} {point}");
                let thread = ada.open(DEMO_COURSE).await;
                let before = record(&suite, &ada).await;
                let calls = llm.count("Complete");
                let strike = blow.at(&mut suite, Service::Policy);
                let struck = proxy.strike_at(method, when, strike);
                let asked = saying(&thread, QUESTION);
                let answer = turn(&suite, &ada, &asked, within).await.unwrap();
                struck.await.unwrap();
                check_safe(&thread, &answer);
                assert_eq!(llm.count("Complete") - calls, model_calls);
                // It is an answer like any other: given again for the same key.
                assert_eq!(turn(&suite, &ada, &asked, within).await.unwrap(), answer);
                assert_eq!(ada.messages(&thread.thread_id, 50).await, answer.messages);
                assert_eq!(record(&suite, &ada).await, before);
                blow.over(&mut suite, Service::Policy);
                until_well(&suite, &ada).await;
            }
        }
    }
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_in_turns() {
    let ([policy, llm], mut suite, ada) = proxied(options(), [Service::Policy, Service::Llm]).await;
    let before = record(&suite, &ada).await;
    for (method, model_calls) in [("PlanAndDecide", 0), ("Decide", 0), ("ResolveReply", 1)] {
        for (garbage, fault) in InjectedFault::garbage() {
            println!("policy-svc answers {method} with {garbage}");
            let thread = ada.open(DEMO_COURSE).await;
            let calls = llm.count("Complete");
            policy.inject("PlanAndDecide", undecided());
            policy.inject(method, fault);
            let asked = saying(&thread, QUESTION);
            let answer = turn(&suite, &ada, &asked, PATIENT).await.unwrap();
            policy.leave_alone();
            check_safe(&thread, &answer);
            assert_eq!(llm.count("Complete") - calls, model_calls);
        }
    }
    // Answers that can be read and are about something else.
    let elsewhere = InjectedFault::edited(|plan: &mut PlanAndDecideResponse| {
        let plan = plan.plan.as_mut().unwrap();
        plan.course_id = "another-course".to_owned();
        plan.focus_unit_id = "NOPE".to_owned();
        plan.scoped_unit_ids = vec!["NOPE".to_owned()];
    });
    let wordless = InjectedFault::edited(|resolved: &mut ResolveReplyResponse| {
        resolved.reply.as_mut().unwrap().text.clear();
    });
    for (method, fault) in [("PlanAndDecide", elsewhere), ("ResolveReply", wordless)] {
        println!("policy-svc answers {method} with something else");
        let thread = ada.open(DEMO_COURSE).await;
        policy.inject(method, fault);
        let asked = saying(&thread, QUESTION);
        let answer = turn(&suite, &ada, &asked, PATIENT).await.unwrap();
        policy.leave_alone();
        check_safe(&thread, &answer);
    }
    assert_eq!(record(&suite, &ada).await, before);
    assert!(reasons(&until_well(&suite, &ada).await).is_empty());
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grade_counts_once_when_it_is_back() {
    let ([policy, llm], mut suite, ada) = proxied(options(), [Service::Policy, Service::Llm]).await;
    let thread = ada.open(DEMO_COURSE).await;
    let mut count = counted(&suite, &ada, OPEN).await;
    for blow in Blow::BOTH {
        println!("policy-svc {blow:?} while a drill is graded");
        let grading = drill(&ada, &thread, false).await;
        let before = record(&suite, &ada).await;
        let strike = blow.at(&mut suite, Service::Policy);
        let struck = llm.strike_at("Complete", When::Before, strike);
        let within = Duration::from_secs(5);
        let refused = grade(&suite, &ada, &grading, within).await.unwrap_err();
        struck.await.unwrap();
        check_unavailable(&refused);
        assert_eq!(record(&suite, &ada).await, before);
        blow.over(&mut suite, Service::Policy);
        let graded = eventually("the drill is graded", BACK, async || {
            grade(&suite, &ada, &grading, PATIENT).await.ok()
        })
        .await;
        assert!(graded.evidence_recorded);
        count = (count.0 + 1, count.1 + 1);
        assert_eq!(counted(&suite, &ada, OPEN).await, count);
    }
    for method in ["CheckDrill", "ResolveGrade", "ApplyEvidence"] {
        for (garbage, fault) in InjectedFault::garbage() {
            println!("policy-svc answers {method} with {garbage}");
            let grading = drill(&ada, &thread, false).await;
            let before = record(&suite, &ada).await;
            policy.inject(method, fault);
            let refused = grade(&suite, &ada, &grading, PATIENT).await;
            policy.leave_alone();
            check_unavailable(&refused.expect_err("garbage is no grade"));
            assert_eq!(record(&suite, &ada).await, before);
            let graded = grade(&suite, &ada, &grading, PATIENT).await.unwrap();
            assert!(graded.evidence_recorded);
            count = (count.0 + 1, count.1 + 1);
            assert_eq!(counted(&suite, &ada, OPEN).await, count);
        }
    }
    suite.stop();
}
