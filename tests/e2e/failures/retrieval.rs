//! retrieval-svc fails: the turn goes on without course text and says so; what is allowed does not change.

use std::{sync::Arc, time::Duration};

use turnwise_proto::{
    retrieval::v1::{MapMessageResponse, RetrieveResponse},
    tutor::v1::{DegradedReason, TutorAction},
};
use turnwise_tests::{
    answer::{check_answer, shown_action, tutor},
    deployment::Deployment,
    evidence::{Seed, drilled},
    fault_proxy::{FaultProxy, InjectedFault, When},
    options::Service,
    student::{DEMO_COURSE, saying},
};

use super::{
    Blow, OPEN, PATIENT, QUESTION,
    calls::{drill, grade, turn},
    counted, options, proxied, reasons, record, until_well,
};

#[tokio::test(flavor = "multi_thread")]
async fn killed_or_stalled_in_the_middle_of_turns() {
    let (session, policy) = (
        Arc::new(FaultProxy::start().await),
        Arc::new(FaultProxy::start().await),
    );
    let options = options()
        .proxy(Service::Session, &session)
        .proxy(Service::Policy, &policy);
    let mut suite = Deployment::five_processes(options).await;
    let ada = suite.student("ada");
    let focus = until_well(&suite, &ada)
        .await
        .snapshot_lite
        .unwrap()
        .focus
        .unwrap();
    let points = [
        (
            "before the message is mapped",
            &session,
            "BeginTurn",
            When::After,
        ),
        (
            "before anything is searched",
            &policy,
            "PlanAndDecide",
            When::After,
        ),
    ];
    for blow in Blow::BOTH {
        for (point, proxy, method, when) in points {
            for within in [5, 8].map(Duration::from_secs) {
                println!("retrieval-svc {blow:?} {point}");
                let thread = ada.open(DEMO_COURSE).await;
                let before = record(&suite, &ada).await;
                let strike = blow.at(&mut suite, Service::Retrieval);
                let struck = proxy.strike_at(method, when, strike);
                let answer = turn(&suite, &ada, &saying(&thread, QUESTION), within).await;
                let answer = answer.unwrap();
                struck.await.unwrap();
                check_answer(&thread, &answer);
                assert_eq!(reasons(&answer), [DegradedReason::RetrievalUnavailable]);
                assert_eq!(answer.model, "mock");
                let standing = answer.snapshot_lite.as_ref().unwrap();
                assert_eq!(standing.focus.as_ref(), Some(&focus));
                assert_eq!(record(&suite, &ada).await, before);
                // Grading does without it.
                let count = counted(&suite, &ada, OPEN).await;
                let thread = ada.open(DEMO_COURSE).await;
                let grading = drill(&ada, &thread, true).await;
                let graded = grade(&suite, &ada, &grading, within).await.unwrap();
                assert!(graded.evidence_recorded);
                assert_eq!(graded.degraded_reasons().count(), 0);
                assert_eq!(
                    counted(&suite, &ada, OPEN).await,
                    (count.0 + 1, count.1 + 1)
                );
                blow.over(&mut suite, Service::Retrieval);
                until_well(&suite, &ada).await;
            }
        }
    }
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_in_turns() {
    let options = options().evidence(Seed::units("nia", DEMO_COURSE, vec![drilled(OPEN)]));
    let ([retrieval], mut suite, ada) = proxied(options, [Service::Retrieval]).await;
    let before = record(&suite, &ada).await;
    for method in ["MapMessage", "Retrieve"] {
        for (garbage, fault) in InjectedFault::garbage() {
            println!("retrieval-svc answers {method} with {garbage}");
            let empty = matches!(fault, InjectedFault::Empty);
            let thread = ada.open(DEMO_COURSE).await;
            retrieval.inject(method, fault);
            let asked = saying(&thread, QUESTION);
            let answer = turn(&suite, &ada, &asked, PATIENT).await.unwrap();
            retrieval.leave_alone();
            check_answer(&thread, &answer);
            assert_eq!(answer.model, "mock");
            // Nothing found is an answer.
            if !empty {
                assert_eq!(reasons(&answer), [DegradedReason::RetrievalUnavailable]);
            }
        }
    }
    // Answers that can be read and are about something else: they widen nothing.
    let elsewhere = InjectedFault::edited(|mapped: &mut MapMessageResponse| {
        for unit in &mut mapped.mapped_units {
            unit.unit_id = "NOPE".to_owned();
            unit.confidence = 40.0;
        }
    });
    let foreign = InjectedFault::edited(|found: &mut RetrieveResponse| {
        for chunk in &mut found.chunks {
            chunk.unit_id = "NOPE".to_owned();
            chunk.text = "x".repeat(1_000_000);
        }
        for candidate in &mut found.exam_candidates {
            candidate.question_id = "no-question".to_owned();
        }
    });
    let nia = suite.student("nia");
    for (method, fault) in [("MapMessage", elsewhere), ("Retrieve", foreign)] {
        for student in [&ada, &nia] {
            println!("retrieval-svc answers {method} with something else");
            let thread = student.open(DEMO_COURSE).await;
            retrieval.inject(method, fault.clone());
            let asked = saying(&thread, QUESTION);
            let answer = turn(&suite, student, &asked, PATIENT).await.unwrap();
            retrieval.leave_alone();
            check_answer(&thread, &answer);
            if method == "MapMessage" {
                assert_eq!(reasons(&answer), [DegradedReason::RetrievalUnavailable]);
            }
            let decision = suite.decision(&answer.turn_id);
            assert!(
                decision.allows(shown_action(tutor(&answer))),
                "{decision:?}"
            );
            if method == "Retrieve" {
                assert!(!decision.allows(TutorAction::ExamBlock), "{decision:?}");
            }
        }
    }
    assert_eq!(record(&suite, &ada).await, before);
    suite.stop();
}
