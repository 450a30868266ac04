//! llm-gateway-svc fails: as if the model did.

use std::time::Duration;

use turnwise_proto::tutor::v1::{DegradedReason as Why, DrillResult, stream_turn_response::News};
use turnwise_tests::{
    answer::check_fallback,
    fault_proxy::{InjectedFault, When},
    options::Service,
    student::{DEMO_COURSE, saying},
};

use super::{
    Blow, OPEN, PATIENT, QUESTION,
    calls::{drill, grade, turn},
    counted, options, proxied, reasons, record, until_well,
};

#[tokio::test(flavor = "multi_thread")]
async fn killed_or_stalled_in_the_middle_of_calls() {
    let ([policy], mut suite, ada) = proxied(options(), [Service::Policy]).await;
    for (blow, reason) in [
        (Blow::Killed, Why::LlmTransport),
        (Blow::Stalled, Why::LlmTimeout),
    ] {
        for within in [5, 8, 20].map(Duration::from_secs) {
            println!("llm-gateway-svc {blow:?} before the model is asked");
            let before = record(&suite, &ada).await;
            let thread = ada.open(DEMO_COURSE).await;
            let strike = blow.at(&mut suite, Service::Llm);
            let struck = policy.strike_at("PlanAndDecide", When::After, strike);
            let answer = turn(&suite, &ada, &saying(&thread, QUESTION), within)
                .await
                .unwrap();
            struck.await.unwrap();
            check_fallback(&thread, &answer, &suite.decision(&answer.turn_id), reason);
            assert_eq!(record(&suite, &ada).await, before);
            blow.over(&mut suite, Service::Llm);
            until_well(&suite, &ada).await;
        }
        println!("llm-gateway-svc {blow:?} while a drill is graded");
        let count = counted(&suite, &ada, OPEN).await;
        let thread = ada.open(DEMO_COURSE).await;
        let grading = drill(&ada, &thread, false).await;
        let strike = blow.at(&mut suite, Service::Llm);
        let struck = policy.strike_at("CheckDrill", When::After, strike);
        let graded = grade(&suite, &ada, &grading, Duration::from_secs(5))
            .await
            .unwrap();
        struck.await.unwrap();
        assert_eq!(graded.result(), DrillResult::Incorrect);
        assert!(graded.evidence_recorded);
        assert_eq!(
            counted(&suite, &ada, OPEN).await,
            (count.0 + 1, count.1 + 1)
        );
        blow.over(&mut suite, Service::Llm);
        until_well(&suite, &ada).await;
    }
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_in_turns_and_grades() {
    let ([llm], mut suite, ada) = proxied(options(), [Service::Llm]).await;
    let silence = [
        ("nothing", InjectedFault::Silence),
        ("half a message, for ever", InjectedFault::Unfinished),
    ];
    for (garbage, fault) in InjectedFault::garbage().into_iter().chain(silence) {
        println!("llm-gateway-svc answers with {garbage}");
        let before = record(&suite, &ada).await;
        let thread = ada.open(DEMO_COURSE).await;
        llm.inject("Complete", fault.clone());
        llm.inject("StreamComplete", fault);
        let within = Duration::from_secs(5);
        let answer = turn(&suite, &ada, &saying(&thread, QUESTION), within)
            .await
            .unwrap();
        let [reason] = reasons(&answer)[..] else {
            panic!("{answer:?}");
        };
        println!("  {reason:?}");
        let known = [
            Why::LlmTransport,
            Why::LlmTimeout,
            Why::LlmError,
            Why::LlmNonJson,
        ];
        assert!(known.contains(&reason), "{reason:?}");
        check_fallback(&thread, &answer, &suite.decision(&answer.turn_id), reason);

        // The same for who watches.
        let thread = ada.open(DEMO_COURSE).await;
        let mut request = ada.request(turnwise_proto::tutor::v1::StreamTurnRequest {
            turn: Some(saying(&thread, QUESTION)),
        });
        request.set_timeout(within);
        let mut news = ada
            .client()
            .stream_turn(request)
            .await
            .unwrap()
            .into_inner();
        let answer = loop {
            match news.message().await.unwrap().and_then(|piece| piece.news) {
                Some(News::Answer(answer)) => break answer,
                Some(News::Progress(_)) => {}
                None => panic!("no answer"),
            }
        };
        let [reason] = reasons(&answer)[..] else {
            panic!("{answer:?}");
        };
        assert!(known.contains(&reason), "{reason:?}");
        check_fallback(&thread, &answer, &suite.decision(&answer.turn_id), reason);
        assert_eq!(record(&suite, &ada).await, before);

        let count = counted(&suite, &ada, OPEN).await;
        llm.leave_alone();
        let grading = drill(&ada, &thread, false).await;
        llm.inject("Complete", InjectedFault::Noise);
        let graded = grade(&suite, &ada, &grading, PATIENT).await.unwrap();
        llm.leave_alone();
        assert!(graded.evidence_recorded);
        assert_eq!(
            counted(&suite, &ada, OPEN).await,
            (count.0 + 1, count.1 + 1)
        );
    }
    suite.stop();
}
